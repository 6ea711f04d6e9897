#include "random-stream.h"

#include <string.h>

#include "asc-crc.h"
#include "asc-encoder.h"

static uint32_t
next (uint32_t *state)
{
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *state = x;
  return x >> 4;
}

static size_t
random_frame (uint32_t *random, uint8_t *out)
{
  uint8_t payload[ASC_PAYLOAD_MAX];
  size_t n = next (random) % (next (random) % 4 == 0 ? 256 : 24);
  /* Some payloads are full of markers, some are text. */
  unsigned kind = next (random) % 4;
  for (size_t i = 0; i < n; i++)
    payload[i] = kind == 0 ? (uint8_t)next (random)
                 : kind == 1 && next (random) % 3 == 0
                     ? ASC_MARKER
                     : (uint8_t)('a' + next (random) % 26);
  if (kind == 3 && n >= 12)
    asc_encode_frame (payload, 2, 1, 1, 1, payload + ASC_HEADER_SIZE, (uint8_t)(n - 12));
  return asc_encode_frame (out, (uint8_t)(1 + next (random) % 5), (uint16_t)next (random),
                           (uint8_t)(next (random) % 3), 0, payload, (uint8_t)n);
}

static size_t
random_text (uint32_t *random, uint8_t *out)
{
  static const char *const pieces[]
      = { "plain text ",       "\r\n",         "\xC3\xA9",         "\xE2\x82\xAC",
          "\xF0\x9F\x98\x80",  "\x1B[0m",      "\xE2\x82",         "\xF0\x9F",
          "\xC2\x85",          "\xED\xA0\x80", "\x01\x02",         "\x7F",
          "\xFF\xFE",          "\x80",         "\x0A\x0D\x03\x04", "\x11\x13",
          "\xF4\x90\x80\x80y", "tail" };
  size_t at = 0;
  for (unsigned n = 1 + next (random) % 6; n > 0; n--)
    {
      const char *piece = pieces[next (random) % (sizeof pieces / sizeof *pieces)];
      memcpy (out + at, piece, strlen (piece));
      at += strlen (piece);
    }
  return at;
}

static size_t
random_header (uint32_t *random, uint8_t *out)
{
  out[0] = ASC_MARKER;
  for (int i = 1; i < 7; i++)
    out[i] = next (random) % 3 == 0 ? ASC_MARKER : (uint8_t)next (random);
  if (next (random) % 2 == 0)
    out[2] = (uint8_t)(next (random) % 16);
  out[7] = asc_crc8 (out + 1, 6);
  return ASC_HEADER_SIZE;
}

static size_t
damage (uint32_t *random, uint8_t *bytes, size_t n)
{
  size_t at = next (random) % n;
  size_t hole = 1 + next (random) % 40;
  switch (next (random) % 3)
    {
    case 0:
      bytes[at] ^= (uint8_t)(1u << next (random) % 8);
      return n;
    case 1:
      if (hole > n - at)
        hole = n - at;
      memmove (bytes + at, bytes + at + hole, n - at - hole);
      return n - hole;
    default:
      memset (bytes + at, ASC_MARKER, n - at < 5 ? n - at : 5);
      return n;
    }
}

size_t
random_stream (uint32_t *random, uint8_t *out, size_t most)
{
  size_t n = 0;
  while (n + ASC_FRAME_MAX <= most && next (random) % 40 != 0)
    switch (next (random) % 6)
      {
      case 0:
      case 1:
      case 2:
        n += random_frame (random, out + n);
        break;
      case 3:
        n += random_text (random, out + n);
        break;
      case 4:
        n += random_header (random, out + n);
        break;
      default:
        out[n++] = ASC_MARKER;
        break;
      }
  for (unsigned i = next (random) % 8; i > 0 && n > 0; i--)
    n = damage (random, out, n);
  if (n > 0 && next (random) % 3 == 0)
    n -= next (random) % n; /* cut */
  return n;
}
