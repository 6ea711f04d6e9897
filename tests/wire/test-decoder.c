/* Edges of what holds the frames of a session together; the rest are golden captures. */
#include "asc-test.h"

#include <string.h>

#include "asc-decoder.h"
#include "stream.h"

static Stream stream;
static AscDecoder decoder;

typedef struct
{
  uint64_t base[64];
  uint64_t start;
  size_t n;
  size_t n_text;
  AscGap gap;
  int n_gaps;
} Got;

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  Got *got = user;
  (void)frame;
  assert_true (n == 0 || events[0].ticks >= batch->info.base);
  got->base[got->n++ % 64] = batch->info.base;
}

static void
on_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  Got *got = user;
  (void)frame;
  got->start = hello->start_ticks;
}

static void
on_gap (void *user, const AscGap *gap)
{
  Got *got = user;
  got->gap = *gap;
  got->n_gaps++;
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  Got *got = user;
  (void)bytes;
  (void)offset;
  got->n_text += n;
}

static const AscDecoderSink sink
    = { .events = on_events, .hello = on_hello, .gap = on_gap, .text = on_text };

static Got
decode (void)
{
  Got got = { .n = 0 };
  asc_decoder_init (&decoder, ASC_FROM_WIRE, &sink, &got);
  asc_decoder_feed (&decoder, stream.bytes, stream.n);
  asc_decoder_finish (&decoder);
  return got;
}

/* Frames of no events at these ticks. */
static void
tick_frames (const uint64_t *ticks, size_t n)
{
  stream_init (&stream, 1);
  for (size_t i = 0; i < n; i++)
    stream_packed (&stream, ticks[i], 0, NULL, 0, 0);
}

static void
ticks_go_the_shortest_way (void **state)
{
  (void)state;
  const uint64_t half = (uint64_t)1 << 47;
  const uint64_t whole = (uint64_t)1 << 48;
  /* Exactly half is forward; a step back of less; below 0 it is forward again. */
  const uint64_t ticks[] = { 100, 100 + half, 100, 50, whole - 10, 5 };
  const uint64_t told[]
      = { 100, 100 + half, whole + 100, whole + 50, whole - 10, whole + 5 };
  tick_frames (ticks, 6);
  Got got = decode ();
  assert_memory_equal (got.base, told, sizeof told);
  const uint64_t early[] = { 5, whole - 10, 3 };
  const uint64_t early_told[] = { 5, whole - 10, whole + 3 };
  tick_frames (early, 3);
  got = decode ();
  assert_memory_equal (got.base, early_told, sizeof early_told);
}

/* A hostile stream runs round the 48 bits, and the 64 do not overflow. */
static void
ticks_never_overflow (void **state)
{
  (void)state;
  Got got = { .n = 0 };
  uint64_t last = 0;
  asc_decoder_init (&decoder, ASC_FROM_WIRE, &sink, &got);
  for (uint64_t i = 0; i < 200000; i++)
    {
      stream.n = 0;
      if (i == 0)
        stream_init (&stream, 1);
      uint64_t ticks = i * (((uint64_t)1 << 47) - 1) & ASC_TICKS_MASK;
      stream_packed (&stream, ticks, 0, "\xEB\x00\xFF\xFF\xFF\xFF\xFF\xFF\x1F", 9, 1);
      asc_decoder_feed (&decoder, stream.bytes, stream.n);
      uint64_t base = got.base[(got.n - 1) % 64];
      assert_true (base < (uint64_t)3 << 61);
      assert_true (base >= last || base <= ASC_TICKS_MASK);
      last = base;
    }
  assert_int_equal (got.n, 200000);
}

static void
start_lies_before_the_first_hello (void **state)
{
  (void)state;
  const uint64_t whole = (uint64_t)1 << 48;
  stream_init (&stream, 1);
  stream.ticks = 1000;
  stream_hello (&stream);
  assert_true (decode ().start == 0);
  stream_runs (&stream, whole - 5, 1);
  stream_seal (&stream);
  stream.ticks = whole + 400;
  stream_hello (&stream);
  assert_true (decode ().start == 0);
}

static void
held_bytes_can_be_shown (void **state)
{
  (void)state;
  Got got = { .n = 0 };
  const uint8_t *held;
  asc_decoder_init (&decoder, ASC_FROM_WIRE, &sink, &got);
  asc_decoder_feed (&decoder, "ab\xE2\x82", 4);
  assert_int_equal (got.n_text, 2);
  assert_int_equal (asc_decoder_pending (&decoder, &held), 2);
  assert_memory_equal (held, "\xE2\x82", 2);
  asc_decoder_feed (&decoder, "\xAC\xF9", 2);
  assert_int_equal (got.n_text, 5);
  assert_int_equal (asc_decoder_pending (&decoder, &held), 1);
  asc_decoder_feed (&decoder, "is it?  yes", 11);
  assert_int_equal (asc_decoder_pending (&decoder, &held), 0);
  assert_int_equal (got.n_text, 16);
}

/* Pieces of one skip count once, frames of one reason each. */
static void
skips_are_counted_however_they_come (void **state)
{
  (void)state;
  static const uint8_t bytes[] = "\xF9\xF9\x01\x02\x03text\x01\xFF";
  stream_init (&stream, 1);
  stream_put (&stream, bytes, sizeof bytes - 1);
  for (int i = 0; i < 3; i++)
    stream_raw (&stream, 0x33, 0, "x", 1);
  for (size_t step = 1; step < 30; step++)
    {
      Got got = { .n = 0 };
      asc_decoder_init (&decoder, ASC_FROM_WIRE, &sink, &got);
      for (size_t at = 0; at < stream.n; at += step)
        asc_decoder_feed (&decoder, stream.bytes + at,
                          step < stream.n - at ? step : stream.n - at);
      asc_decoder_finish (&decoder);
      const AscDecoderTotals *totals = asc_decoder_totals (&decoder);
      assert_true (totals->skips[ASC_SKIP_NOISE] == 2);
      assert_true (totals->skipped[ASC_SKIP_NOISE] == 5);
      assert_true (totals->skips[ASC_SKIP_HEADER] == 1);
      assert_true (totals->skipped[ASC_SKIP_HEADER] == 2);
      assert_true (totals->skips[ASC_SKIP_UNKNOWN_TYPE] == 3);
      assert_true (totals->frames == 3);
      assert_int_equal (got.n_text, 4);
    }
}

/* More than the 32 bits of EVENTS can tell: the next HELLO knows. */
static void
hello_tells_long_gaps (void **state)
{
  (void)state;
  stream_init (&stream, 1);
  stream_hello (&stream);
  stream_runs (&stream, 10, 1);
  stream_seal (&stream);
  stream.events += 0x500000000u;
  stream.sequence++;
  stream.ticks = 1000;
  stream_hello (&stream);
  Got got = decode ();
  assert_int_equal (got.n_gaps, 1);
  assert_true (got.gap.events == 0x500000000u && got.gap.frames == 1);
  assert_false (got.gap.unknown);
  assert_true (got.gap.from == 110 && got.gap.to == 1000);
}

static void
no_call_is_needed (void **state)
{
  (void)state;
  static const AscDecoderSink none = { .text = NULL };
  stream_init (&stream, 1);
  stream_hello (&stream);
  stream_names (&stream);
  stream_runs (&stream, 10, 3);
  stream_seal (&stream);
  stream_text (&stream, "text \x01 \xF9\xF9 12345678");
  stream.sequence += 3;
  stream_hello (&stream);
  asc_decoder_init (&decoder, ASC_FROM_FILE, &none, NULL);
  asc_decoder_feed (&decoder, stream.bytes, stream.n);
  asc_decoder_feed (&decoder, NULL, 0);
  asc_decoder_finish (&decoder);
  assert_true (asc_decoder_totals (&decoder)->missing_frames == 3);
  assert_true (asc_decoder_totals (&decoder)->events == 6);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (ticks_go_the_shortest_way),
  cmocka_unit_test (ticks_never_overflow),
  cmocka_unit_test (start_lies_before_the_first_hello),
  cmocka_unit_test (held_bytes_can_be_shown),
  cmocka_unit_test (skips_are_counted_however_they_come),
  cmocka_unit_test (hello_tells_long_gaps),
  cmocka_unit_test (no_call_is_needed),
};

ASC_TEST_MAIN (tests)
