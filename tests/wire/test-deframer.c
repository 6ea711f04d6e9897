/* The deframer against a twin that looks at the whole stream at once, whatever the
 * pieces. */
#include "asc-test.h"

#include <string.h>

#include "asc-crc.h"
#include "asc-varint.h"
#include "asc-encoder.h"
#include "random-stream.h"

#define MOST 8192
#define FRAME 'F'
#define TEXT 'T'

/* What became of each byte: FRAME, TEXT or '0' + AscSkip; FRAME | 0x80 begins a frame. */
typedef struct
{
  uint8_t label[MOST];
  size_t n;
  unsigned mangled;
} Labels;

static int
twin_character (const uint8_t *p, size_t n)
{
  uint32_t code = p[0];
  int size = code < 0x80       ? 1
             : code >> 5 == 6  ? 2
             : code >> 4 == 14 ? 3
             : code >> 3 == 30 ? 4
                               : 0;
  if (size == 0 || (size_t)size > n)
    return 0;
  if (size > 1)
    code &= 0x7Fu >> size;
  for (int i = 1; i < size; i++)
    {
      if (p[i] >> 6 != 2)
        return 0;
      code = code << 6 | (p[i] & 0x3Fu);
    }
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  if (code < least[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    return 0;
  if (code < 0x20)
    return code == 7 || code == 8 || code == 9 || code == 10 || code == 13 || code == 27;
  return code >= 0x7F && code < 0xA0 ? 0 : size;
}

/* Bytes of the right frame at `at`, or 0; *extent: what a false start claims. */
static size_t
twin_frame (const uint8_t *p, size_t n, size_t at, size_t *extent, AscSkip *why)
{
  size_t left = n - at;
  *why = ASC_SKIP_CUT;
  *extent = left;
  if (left < 8)
    return 0;
  *why = ASC_SKIP_HEADER;
  *extent = 1;
  if (asc_crc8 (p + at + 1, 6) != p[at + 7])
    return 0;
  size_t size = 12u + p[at + 2];
  *why = ASC_SKIP_CUT;
  *extent = left;
  if (left < size)
    return 0;
  *why = ASC_SKIP_CHECKSUM;
  *extent = size;
  if (asc_crc32 (0, p + at, size - 4) != asc_get_u32 (p + at + size - 4))
    return 0;
  return size;
}

static void
twin (const uint8_t *p, size_t n, Labels *labels)
{
  size_t until = 0;
  AscSkip open = ASC_SKIP_NOISE;
  labels->n = n;
  for (size_t at = 0; at < n;)
    {
      size_t extent;
      AscSkip why;
      size_t size = p[at] == ASC_MARKER ? twin_frame (p, n, at, &extent, &why) : 0;
      if (size > 0)
        {
          memset (labels->label + at, FRAME, size);
          labels->label[at] |= 0x80;
          at += size;
          until = at;
          continue;
        }
      if (p[at] == ASC_MARKER)
        {
          if (at >= until)
            open = why;
          if (at >= until || why != ASC_SKIP_HEADER)
            until = at + extent > until ? at + extent : until;
        }
      size = 1;
      if (at < until)
        labels->label[at] = (uint8_t)('0' + open);
      else
        {
          size_t end = at;
          while (end < n && p[end] != ASC_MARKER)
            end++;
          int character = twin_character (p + at, end - at);
          size = character > 0 ? (size_t)character : 1;
          memset (labels->label + at, character > 0 ? TEXT : '0' + ASC_SKIP_NOISE, size);
        }
      at += size;
    }
}

static void
put (Labels *labels, uint64_t offset, size_t n, int label)
{
  assert_int_equal (offset, labels->n);
  assert_true (n > 0);
  memset (labels->label + labels->n, label, n);
  labels->n += n;
}

static void
on_frame (void *user, const AscFrame *frame)
{
  Labels *labels = user;
  size_t n = 12u + frame->length;
  assert_int_equal (frame->bytes[0], ASC_MARKER);
  assert_ptr_equal (frame->payload, frame->bytes + 8);
  assert_int_equal (frame->type, frame->bytes[1]);
  assert_int_equal (frame->length, frame->bytes[2]);
  assert_int_equal (frame->sequence, frame->bytes[3] | frame->bytes[4] << 8);
  assert_int_equal (frame->session, frame->bytes[5]);
  assert_int_equal (frame->context, frame->bytes[6]);
  put (labels, frame->offset, n, FRAME);
  labels->label[frame->offset] |= 0x80;
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  /* Text comes in whole characters. */
  for (size_t at = 0; at < n;)
    {
      int size = twin_character (bytes + at, n - at);
      assert_true (size > 0);
      at += (size_t)size;
    }
  put (user, offset, n, TEXT);
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  put (user, offset, n, '0' + (int)why);
}

static void
on_mangled (void *user, unsigned how, uint64_t offset)
{
  Labels *labels = user;
  labels->mangled = labels->mangled * 31 + how + (unsigned)offset;
}

static const AscDeframerSink sink
    = { .frame = on_frame, .text = on_text, .skip = on_skip, .mangled = on_mangled };

/* pieces: 0 whole, 1 byte by byte, else random. */
static void
deframe (const uint8_t *p, size_t n, uint32_t pieces, Labels *labels)
{
  AscDeframer deframer;
  labels->n = 0;
  labels->mangled = 0;
  asc_deframer_init (&deframer, &sink, labels, 0);
  for (size_t at = 0; at < n;)
    {
      size_t piece = pieces == 0 ? n : 1;
      if (pieces > 1)
        piece = 1 + asc_test_random (&pieces) % (pieces & 1024 ? 600 : 12);
      if (piece > n - at)
        piece = n - at;
      uint8_t *copy = malloc (piece);
      memcpy (copy, p + at, piece);
      asc_deframer_feed (&deframer, copy, piece);
      free (copy);
      at += piece;
      const uint8_t *held;
      size_t n_held = asc_deframer_pending (&deframer, &held);
      assert_int_equal (labels->n + n_held, at);
      assert_true (n_held < ASC_FRAME_MAX);
      assert_memory_equal (held, p + labels->n, n_held);
      if (asc_deframer_at_boundary (&deframer))
        assert_int_equal (labels->n, at);
    }
  asc_deframer_finish (&deframer);
  assert_int_equal (labels->n, n);
  assert_true (asc_deframer_at_boundary (&deframer));
}

static void
same_as_twin (void **state)
{
  (void)state;
  static uint8_t bytes[MOST];
  static Labels expected, whole, pieces;
  uint32_t random = asc_test_seed ();
  unsigned frames = 0;
  for (int round = 0; round < 3000; round++)
    {
      size_t n = random_stream (&random, bytes, sizeof bytes);
      twin (bytes, n, &expected);
      deframe (bytes, n, 0, &whole);
      assert_memory_equal (whole.label, expected.label, n);
      deframe (bytes, n, round % 2 == 0 ? 1 : asc_test_random (&random) | 2u, &pieces);
      assert_memory_equal (pieces.label, expected.label, n);
      assert_int_equal (pieces.mangled, whole.mangled);
      for (size_t i = 0; i < n; i++)
        frames += expected.label[i] == (FRAME | 0x80);
    }
  assert_true (frames > 1000);
}

/* Every place where a file can be cut. */
static void
cut_anywhere (void **state)
{
  (void)state;
  static uint8_t bytes[MOST];
  static Labels expected, got;
  uint32_t random = asc_test_seed ();
  size_t n = 0;
  while (n < 600)
    n = random_stream (&random, bytes, 2000);
  for (size_t cut = 0; cut <= n; cut++)
    {
      twin (bytes, cut, &expected);
      deframe (bytes, cut, asc_test_random (&random) | 2u, &got);
      assert_memory_equal (got.label, expected.label, cut);
    }
}

/* A board that prints between its frames loses none of either. */
static void
text_and_frames_arrive_whole (void **state)
{
  (void)state;
  static const char text[] = "temperature 21.5 \xC2\xB0"
                             "C\r\n";
  static uint8_t bytes[MOST];
  static Labels got;
  size_t n = 0;
  size_t n_text = 0;
  for (unsigned i = 0; i < 40; i++)
    {
      n += asc_encode_frame (bytes + n, 2, (uint16_t)i, 1, 0, "0123456789", 10);
      memcpy (bytes + n, text, sizeof text - 1);
      n += sizeof text - 1;
      n_text += sizeof text - 1;
    }
  for (uint32_t pieces = 0; pieces < 60; pieces++)
    {
      deframe (bytes, n, pieces, &got);
      size_t seen = 0;
      for (size_t i = 0; i < n; i++)
        {
          assert_true (got.label[i] == TEXT || (got.label[i] & 0x7F) == FRAME);
          seen += got.label[i] == TEXT;
        }
      assert_int_equal (seen, n_text);
    }
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (same_as_twin),
  cmocka_unit_test (cut_anywhere),
  cmocka_unit_test (text_and_frames_arrive_whole),
};

ASC_TEST_MAIN (tests)
