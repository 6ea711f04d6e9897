/* Captures of damage. */
#include <string.h>

#include "asc-host-frames.h"
#include "captures.h"

/* A little of everything, for the mangling to work on. */
static void
plain (Stream *stream)
{
  stream_hello (stream);
  stream_text (stream, "boot\r\n");
  stream_runs (stream, 10000, 3);
  stream_seal (stream);
  stream_text (stream, "ready\n");
  stream->ticks = 20000;
  stream_hello (stream);
}

/* Replaces each byte by what `with` says: up to two bytes, or none. */
static void
mangle (Stream *stream, int (*with) (uint8_t byte, uint8_t *out))
{
  static uint8_t old[STREAM_MAX];
  plain (stream);
  size_t n = stream->n;
  memcpy (old, stream->bytes, n);
  stream->n = 0;
  for (size_t i = 0; i < n; i++)
    {
      uint8_t out[2];
      stream_put (stream, out, (size_t)with (old[i], out));
    }
}

static int
output (uint8_t byte, uint8_t *out)
{
  if (byte == 0x0A)
    {
      out[0] = 0x0D;
      out[1] = 0x0A;
      return 2;
    }
  out[0] = byte;
  return 1;
}

static int
input (uint8_t byte, uint8_t *out)
{
  out[0] = byte == 0x0D ? 0x0A : byte;
  return 1;
}

static int
both (uint8_t byte, uint8_t *out)
{
  int n = output (byte, out);
  for (int i = 0; i < n; i++)
    input (out[i], out + i);
  return n;
}

static int
flow (uint8_t byte, uint8_t *out)
{
  out[0] = byte;
  return byte != 0x11 && byte != 0x13;
}

static int
signals (uint8_t byte, uint8_t *out)
{
  out[0] = byte;
  return byte != 0x03 && byte != 0x04;
}

static int
zeros (uint8_t byte, uint8_t *out)
{
  out[0] = byte;
  return byte != 0x00;
}

static int
parity (uint8_t byte, uint8_t *out)
{
  out[0] = out[1] = byte;
  return byte == 0xFF ? 2 : 1;
}

static int
seven_bit (uint8_t byte, uint8_t *out)
{
  out[0] = byte & 0x7F;
  return 1;
}

void
make_cooked_output (Stream *stream)
{
  mangle (stream, output);
}

void
make_cooked_input (Stream *stream)
{
  mangle (stream, input);
}

void
make_cooked_both (Stream *stream)
{
  mangle (stream, both);
}

void
make_cooked_flow (Stream *stream)
{
  mangle (stream, flow);
}

void
make_cooked_signals (Stream *stream)
{
  mangle (stream, signals);
}

void
make_cooked_zeros (Stream *stream)
{
  mangle (stream, zeros);
}

void
make_cooked_parity (Stream *stream)
{
  mangle (stream, parity);
}

void
make_seven_bit (Stream *stream)
{
  mangle (stream, seven_bit);
}

void
make_cut_frame (Stream *stream)
{
  plain (stream);
  stream->n -= 30;
}

void
make_cut_header (Stream *stream)
{
  plain (stream);
  stream->n = stream->last + 5;
}

/* One bit in each part of a frame, with good frames between. */
void
make_flipped (Stream *stream)
{
  static const int places[] = { 0, 1, 2, 3, 5, 7, 8, 14, 20, 25, -1, -4 };
  uint64_t ticks = 1000;
  stream_hello (stream);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    {
      ticks = stream_runs (stream, ticks, 1 + (unsigned)i % 3);
      stream_seal (stream);
      size_t at = places[i] < 0 ? stream->n : stream->last;
      stream->bytes[at + (size_t)places[i]] ^= (uint8_t)(1u << i % 8);
      if (i % 4 == 1)
        stream_text (stream, "text\n");
      if (i % 2 == 0)
        continue;
      ticks = stream_runs (stream, ticks, 1);
      stream_seal (stream);
    }
  /* A HELLO with a flipped bit in its canary is damage, not a terminal. */
  stream_hello (stream);
  stream->bytes[stream->last + ASC_HEADER_SIZE + 2] ^= 0x04;
  stream_hello (stream);
}

/* Markers and headers that begin no frame; frames that begin in a damaged one. */
void
make_false_starts (Stream *stream)
{
  static const uint8_t markers[] = { 0xF9, 0xF9, 0xF9, 'a', 0xF9, 0x02, 0xF9, 0xF9 };
  uint8_t frame[ASC_FRAME_MAX];
  stream_hello (stream);
  stream_put (stream, markers, sizeof markers);
  stream_runs (stream, 1000, 1);
  stream_seal (stream);
  /* A right header with a length to swallow what follows. */
  asc_encode_frame (frame, ASC_FRAME_EVENTS, 2, 0x42, 0, frame + ASC_HEADER_SIZE, 200);
  stream_put (stream, frame, ASC_HEADER_SIZE);
  stream_text (stream, "in the extent");
  stream_runs (stream, 2000, 1);
  stream_seal (stream);
  stream_text (stream, "behind it");
  /* Extents that lengthen each other. */
  memset (frame, 'x', sizeof frame);
  asc_encode_frame (frame, ASC_FRAME_EVENTS, 3, 0x42, 0, frame + ASC_HEADER_SIZE, 20);
  stream_put (stream, frame, ASC_HEADER_SIZE + 10);
  stream_put (stream, frame, ASC_HEADER_SIZE + 20);
  stream_text (stream, "1234 and text again");
  /* A right frame as the payload of a damaged one counts. */
  stream_runs (stream, 3000, 1);
  stream_seal (stream);
  size_t inner = stream->last;
  size_t n = stream->n - inner;
  memcpy (frame + ASC_HEADER_SIZE, stream->bytes + inner, n);
  asc_encode_frame (frame, 0x06, 9, 0x42, 0, frame + ASC_HEADER_SIZE, (uint8_t)n);
  frame[ASC_HEADER_SIZE + n] ^= 1;
  stream->n = inner;
  stream_put (stream, frame, ASC_HEADER_SIZE + n + ASC_CHECK_SIZE);
  stream_text (stream, "end \xF9");
}

void
make_malformed (Stream *stream)
{
  static const struct
  {
    uint8_t n;
    uint8_t bytes[24];
  } events[] = {
    { 2, { 0xE0, 0x00 } },             /* EXIT, nothing runs */
    { 4, { 0x01, 0x00, 0x81, 0x01 } }, /* tag 40 inside */
    { 1, { 0x05 } },                   /* ENTER ends early */
    { 3, { 0x05, 0x80, 0x80 } },       /* a varint ends early */
    { 12, { 0xE3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 } },
    { 11, { 0xE3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02 } },
    { 8, { 0xE3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20 } }, /* Δ of 2^47 */
    { 5, { 0xE8, 0x00, 0x80, 0x80, 0x04 } },                   /* slot 65536 */
    { 6, { 0xF6, 0x01, 0x01, 0x01, 0xE3, 0x00 } },             /* after LOST */
    { 7, { 0xFA, 0x01, 0x02, 0x00, 0x00, 0xE3, 0x00 } },       /* after DISCONTINUITY */
    { 7, { 0xF8, 0x01, 0x04, 0x01, 0x02, 0x03, 0x00 } },       /* START too short */
    { 5, { 0xF9, 0x01, 0x05, 'a', 'b' } },                     /* TEXT past the end */
    { 8, { 0xF6, 0x01, 0x01, 0x80, 0x80, 0x80, 0x80, 0x10 } }, /* LOST of 2^32 */
  };
  static const uint8_t deep[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
  uint8_t payload[64] = { 0 };
  stream_hello (stream);
  for (size_t i = 0; i < sizeof events / sizeof *events; i++)
    stream_packed (stream, 1000, 0, events[i].bytes, events[i].n, 2);
  stream_raw (stream, ASC_FRAME_EVENTS, 0, payload, 12);
  payload[12] = 9;
  memcpy (payload + 13, deep, sizeof deep);
  stream_raw (stream, ASC_FRAME_EVENTS, 0, payload, 22);
  payload[12] = 8;
  payload[21] = ASC_TAG_ENTER << 1 | 1;
  stream_raw (stream, ASC_FRAME_EVENTS, 0, payload, 24); /* the ninth */
  stream_runs (stream, 2000, 1);
  stream_seal (stream);
  stream_raw (stream, ASC_FRAME_NAMES, 0, "\x00\x00\x00\x00\x00\x00\x00\x00", 8);
  stream_raw (stream, ASC_FRAME_NAMES, 0, "\x01\x00\x00\x00\x00\x00\x00\x05", 8);
  stream_raw (stream, ASC_FRAME_TASKS, 0, "1234567", 7);
  stream_raw (stream, ASC_FRAME_TASKS, 0, "12345678\x01\x02\x03\x00", 12);
  stream_raw (stream, ASC_FRAME_HELLO, 0, "short", 5);
  uint8_t hello[ASC_PAYLOAD_MAX];
  stream_hello (stream);
  size_t n = stream->bytes[stream->last + 2];
  memcpy (hello, stream->bytes + stream->last + ASC_HEADER_SIZE, n);
  stream_raw (stream, ASC_FRAME_HELLO, 0, hello, n - 1);
  memset (hello + 14, 0, 4);
  stream_raw (stream, ASC_FRAME_HELLO, 0, hello, n);
  stream_hello (stream);
}

static void
dropped_runs (Stream *stream, uint64_t ticks, unsigned n)
{
  stream->dropping = true;
  stream_runs (stream, ticks, n);
  stream_seal (stream);
  stream->dropping = false;
}

void
make_lost (Stream *stream)
{
  static const AscTaskRecord task = { 1, 5, 1, 0, 1 };
  stream_hello (stream);
  stream_runs (stream, 100, 2);
  stream_seal (stream);
  dropped_runs (stream, 1000, 5); /* told by EVENTS */
  stream_runs (stream, 3000, 1);
  stream_seal (stream);
  dropped_runs (stream, 4000, 3); /* told by HELLO */
  stream_names (stream);
  stream->ticks = 5000;
  stream_hello (stream);
  stream_runs (stream, 5100, 1);
  stream_seal (stream);
  stream->dropping = true; /* no events in it: breaks nothing */
  stream_names (stream);
  stream->dropping = false;
  stream_runs (stream, 6000, 1);
  stream_seal (stream);
  stream->dropping = true; /* a START in it: TASKS tell it first, then EVENTS */
  stream_start (stream, 7000, 1, 5);
  stream_seal (stream);
  stream->dropping = false;
  stream_tasks (stream, &task, 1);
  stream_runs (stream, 7100, 1);
  stream_seal (stream);
  stream->dropping = true;
  stream_start (stream, 7500, 2, 6);
  stream_seal (stream);
  stream->dropping = false;
  stream_runs (stream, 7600, 1);
  stream_seal (stream);
  dropped_runs (stream, 8000, 1); /* more events than STARTs can be counted for */
  stream->events += 65536;
  stream_event (stream, ASC_EVENT_ENTER, 9000, 3, 0);
  stream_seal (stream);
  stream->events -= 4; /* a count that steps back */
  stream_event (stream, ASC_EVENT_EXIT, 9100, ASC_EXIT_YIELD, 0);
  stream_event (stream, ASC_EVENT_LOST, 9200, 70000, 100); /* dropped on the board */
  stream_seal (stream);
  stream_runs (stream, 9400, 1);
  stream_seal (stream);
  dropped_runs (stream, 9900, 1); /* and where the stream ends */
  stream_names (stream);
}

void
make_duplicates (Stream *stream)
{
  stream_hello (stream);
  stream_put (stream, stream->bytes + stream->last, stream->n - stream->last);
  stream_runs (stream, 100, 2);
  stream_seal (stream);
  size_t at = stream->last;
  size_t n = stream->n - at;
  stream_put (stream, stream->bytes + at, n);
  stream_text (stream, "again");
  stream_put (stream, stream->bytes + at, n);
  stream_runs (stream, 1000, 1);
  stream_seal (stream);
  stream_put (stream, stream->bytes + at, n); /* an older one: steps back */
  stream_runs (stream, 2000, 1);
  stream_seal (stream);
  stream->sequence--; /* the same sequence with other bytes */
  stream_runs (stream, 3000, 1);
  stream_seal (stream);
  stream_raw (stream, 0x31, 0, "x", 1);
  stream_put (stream, stream->bytes + stream->last, stream->n - stream->last);
}

static void
forged (Stream *stream, uint64_t nonce)
{
  uint8_t frame[ASC_FRAME_MAX];
  AscFileHead head = { nonce, 1, 1, { "evil", 4 }, { "x", 1 } };
  AscCut cut = { ASC_CUT_RANGE, 0x5EED0042, 0, 0, 0 };
  stream_put (stream, frame, asc_encode_file_head (frame, &head));
  stream_put (stream, frame, asc_encode_cut (frame, nonce, 1, &cut));
  stream_put (stream, frame, asc_encode_frame (frame, 0x85, 2, 0, 0, "abc", 3));
}

void
make_forged_wire (Stream *stream)
{
  stream_hello (stream);
  forged (stream, 0x4242424242424242u);
  stream_runs (stream, 100, 1);
  stream_seal (stream);
}

void
make_forged_trace (Stream *stream)
{
  uint8_t frame[ASC_FRAME_MAX];
  AscFileHead head = { 0x0102030405060708u, 1, 5, { "", 0 }, { "", 0 } };
  AscAnchor anchor = { 1, 2, 3 };
  stream_put (stream, frame, asc_encode_anchor (frame, head.nonce, 0, &anchor));
  stream_put (stream, frame,
              asc_encode_frame (frame, ASC_FRAME_FILE, 0, 0, 0, "12345678", 8));
  stream_put (stream, frame, asc_encode_file_head (frame, &head));
  stream_hello (stream);
  forged (stream, 0x4242424242424242u);
  stream_runs (stream, 100, 1);
  stream_seal (stream);
  stream_put (stream, frame, asc_encode_anchor (frame, head.nonce, 1, &anchor));
}

void
make_text (Stream *stream)
{
  static const uint8_t noise[]
      = { 0x00, 0x7F, 0xC2, 0x85, 0xFF, 0xED, 0xA0, 0x80, 0xC0, 0x80, 0xE2, 0x82,
          'x',  0xF0, 0x8F, 0x80, 0x80, 0xF4, 0x90, 0x80, 0x80, 0x01, 0x0B };
  stream_text (stream, "MicroPython\r\n>>> \x1B[1m\x07\x08 tab\t \xC3\xA9\xE2\x82\xAC"
                       "\xF0\x9F\x98\x80 ok\n");
  stream_hello (stream);
  stream_text (stream, "between ");
  stream_put (stream, noise, sizeof noise);
  stream_text (stream, " behind\n\xE2\x82");
  stream_runs (stream, 100, 1);
  stream_seal (stream);
  stream_text (stream, "\xAC cut in two \xF0\x9F\x98");
}
