/* Host frames stand at borders only, soon, and change nothing of the board's bytes. */
#include "asc-test.h"

#include "asc-decoder.h"
#include "asc-stream.h"
#include "asc-test-board.h"

typedef struct
{
  GByteArray *all;   /* the file */
  GByteArray *board; /* without host frames */
  guint hosts;
} Out;

static void
take (void *user, const guint8 *bytes, gsize n, bool host)
{
  Out *out = user;
  g_byte_array_append (out->all, bytes, (guint)n);
  if (host)
    out->hosts++;
  else
    g_byte_array_append (out->board, bytes, (guint)n);
}

static Out
out_new (void)
{
  return (Out){ .all = g_byte_array_new (), .board = g_byte_array_new () };
}

static void
out_clear (Out *out)
{
  g_byte_array_unref (out->all);
  g_byte_array_unref (out->board);
}

static void
begin (AscStream *stream, Out *out)
{
  asc_stream_init (stream, 0x1122334455667788u, 1234, "a source", "a writer", take, out);
}

typedef struct
{
  AscDecoderTotals totals;
  guint anchors, links, cuts, marks;
  guint64 wire_offset; /* of the newest anchor */
  guint64 cut_bytes;
  GString *text;
} Seen;

static void
see_host (void *user, const AscFrame *frame)
{
  Seen *seen = user;
  AscAnchor anchor;
  AscCut cut;
  if (asc_unpack_anchor (frame, &anchor) >= 0 && frame->type == ASC_FRAME_ANCHOR)
    {
      seen->anchors++;
      seen->wire_offset = anchor.wire_offset;
    }
  seen->links += frame->type == ASC_FRAME_LINK;
  seen->marks += frame->type == ASC_FRAME_MARK;
  if (frame->type == ASC_FRAME_CUT && asc_unpack_cut (frame, &cut) >= 0)
    {
      seen->cuts++;
      seen->cut_bytes += cut.bytes;
    }
}

static void
see_text (void *user, const guint8 *bytes, size_t n, guint64 offset)
{
  Seen *seen = user;
  (void)offset;
  g_string_append_len (seen->text, (const char *)bytes, (gssize)n);
}

static Seen
decode (const GByteArray *bytes)
{
  static const AscDecoderSink sink = { .host = see_host, .text = see_text };
  Seen seen = { .text = g_string_new (NULL) };
  AscDecoder *decoder = g_new (AscDecoder, 1);
  asc_decoder_init (decoder, ASC_FROM_FILE, &sink, &seen);
  asc_decoder_feed (decoder, bytes->data, bytes->len);
  asc_decoder_finish (decoder);
  seen.totals = *asc_decoder_totals (decoder);
  g_free (decoder);
  return seen;
}

static guint64
skipped (const Seen *seen)
{
  guint64 n = 0;
  for (int i = 0; i < ASC_SKIP_N; i++)
    n += seen->totals.skipped[i];
  return n;
}

/* In pieces of every size, with an anchor wanted as often as possible. */
static void
keeps_the_board_s_bytes (void **state)
{
  (void)state;
  guint32 random = asc_test_seed ();
  GByteArray *in = asc_test_board_stream (random, 60000);
  Seen plain = decode (in);
  for (guint32 round = 0; round < 12; round++)
    {
      Out out = out_new ();
      AscStream stream;
      begin (&stream, &out);
      gint64 now = 0;
      guint32 most = (guint32)1 << round;
      for (gsize at = 0, step; at < in->len; at += step)
        {
          step = 1 + asc_test_random (&random) % most;
          step = MIN (step, in->len - at);
          now += 3000 * (gint64)step;
          asc_stream_push (&stream, in->data + at, step, now);
        }
      asc_stream_finish (&stream);
      assert_int_equal (out.board->len, in->len);
      assert_memory_equal (out.board->data, in->data, in->len);
      Seen seen = decode (out.all);
      assert_int_equal (skipped (&seen), 0);
      assert_int_equal (seen.totals.events, plain.totals.events);
      assert_int_equal (seen.totals.missing_events, 0);
      assert_string_equal (seen.text->str, plain.text->str);
      assert_true (seen.anchors > 1);
      assert_true (seen.wire_offset <= in->len);
      assert_int_equal (seen.totals.frames, plain.totals.frames + out.hosts);
      g_string_free (seen.text, TRUE);
      out_clear (&out);
    }
  g_string_free (plain.text, TRUE);
  g_byte_array_unref (in);
}

static void
anchors_come_once_a_second (void **state)
{
  (void)state;
  Out out = out_new ();
  AscStream stream;
  begin (&stream, &out);
  for (int i = 0; i < 1000; i++) /* ten seconds of text */
    asc_stream_push (&stream, (const guint8 *)"hello\n", 6, i * 10000);
  Seen seen = decode (out.all);
  assert_int_equal (seen.anchors, 10);
  assert_int_equal (skipped (&seen), 0);
  g_string_free (seen.text, TRUE);
  out_clear (&out);
}

static gsize
some_frame (guint8 *frame)
{
  guint8 payload[200] = { 0 };
  return asc_encode_frame (frame, ASC_FRAME_NAMES, 0, 7, 0, payload, sizeof payload);
}

/* A frame that stands still is waited for, but not for ever. */
static void
waits_for_a_begun_frame (void **state)
{
  (void)state;
  guint8 frame[ASC_FRAME_MAX];
  gsize n = some_frame (frame);
  Out out = out_new ();
  AscStream stream;
  begin (&stream, &out);
  asc_stream_push (&stream, frame, 100, 0); /* the border before it: the first anchor */
  AscUserMark mark = { .id = 1, .name = asc_test_string ("here") };
  mark.note = asc_test_string ("");
  assert_int_equal (out.hosts, 2);
  assert_true (asc_stream_mark (&stream, &mark, 10));
  assert_int_equal (out.hosts, 2);
  asc_stream_push (&stream, frame + 100, 1, ASC_STREAM_DELAY_US + 20);
  assert_int_equal (out.hosts, 2);
  asc_stream_push (&stream, frame + 101, n - 101, ASC_STREAM_DELAY_US + 30);
  assert_int_equal (out.hosts, 3);
  Seen seen = decode (out.all);
  assert_int_equal (seen.marks, 1);
  assert_int_equal (seen.totals.skipped[ASC_SKIP_CHECKSUM], 0);
  g_string_free (seen.text, TRUE);

  gint64 later = 10 * ASC_STREAM_ANCHOR_US;
  asc_stream_push (&stream, frame, 100, later);
  assert_true (asc_stream_mark (&stream, &mark, later + 1));
  guint hosts = out.hosts;
  asc_stream_push (&stream, frame + 100, 1, later + ASC_STREAM_PATIENCE_US + 2);
  assert_true (out.hosts > hosts);
  out_clear (&out);
}

/* In the rest of a damaged frame nothing can be hit: the delay is bounded. */
static void
does_not_wait_in_a_damaged_frame (void **state)
{
  (void)state;
  guint8 frame[ASC_FRAME_MAX];
  gsize n = some_frame (frame);
  frame[20] ^= 0x40;
  Out out = out_new ();
  AscStream stream;
  begin (&stream, &out);
  asc_stream_push (&stream, (const guint8 *)"x", 1, 0);
  guint hosts = out.hosts;
  gint64 now = 2 * ASC_STREAM_ANCHOR_US;
  /* Overlapping false frames keep the extent open. */
  for (int i = 0; i < 40 && out.hosts == hosts; i++, now += 100000)
    asc_stream_push (&stream, frame, n, now);
  assert_true (out.hosts > hosts);
  assert_true (now <= 2 * ASC_STREAM_ANCHOR_US + ASC_STREAM_DELAY_US + 200000);
  out_clear (&out);
}

/* The end of a damaged frame that looks like a beginning: a host frame before it would
 * make text of what is none. */
static void
keeps_out_of_a_damaged_frame (void **state)
{
  (void)state;
  guint8 frame[ASC_FRAME_MAX];
  gsize n = some_frame (frame);
  memcpy (frame + n - 3,
          "\xF9"
          "ab",
          3);
  Out out = out_new ();
  AscStream stream;
  begin (&stream, &out);
  asc_stream_push (&stream, (const guint8 *)"x", 1, 0);
  guint hosts = out.hosts;
  asc_stream_push (&stream, frame, n, 2 * ASC_STREAM_ANCHOR_US);
  assert_int_equal (out.hosts, hosts);
  asc_stream_push (&stream, (const guint8 *)"yyyyyyyy", 8, 2 * ASC_STREAM_ANCHOR_US + 1);
  assert_int_equal (out.hosts, hosts + 1);
  Seen seen = decode (out.all);
  assert_string_equal (seen.text->str, "xyyyyyyyy");
  assert_int_equal (seen.totals.skipped[ASC_SKIP_CHECKSUM], n);
  g_string_free (seen.text, TRUE);
  out_clear (&out);
}

/* What begins before a break and what comes after it never join. */
static void
breaks_are_told_at_once (void **state)
{
  (void)state;
  guint8 frame[ASC_FRAME_MAX];
  gsize n = some_frame (frame);
  Out out = out_new ();
  AscStream stream;
  begin (&stream, &out);
  asc_stream_link (&stream, ASC_LINK_CONNECTED, "somewhere");
  asc_stream_push (&stream, frame, 50, 0);
  asc_stream_link (&stream, ASC_LINK_LOST, "unplugged");
  asc_stream_link (&stream, ASC_LINK_BACK, "somewhere");
  asc_stream_push (&stream, frame, n, 1);
  asc_stream_push (&stream, frame, 50, 2);
  asc_stream_cut (&stream, ASC_CUT_OVERLOAD, 4711);
  asc_stream_push (&stream, frame, n, 3);
  asc_stream_finish (&stream);
  Seen seen = decode (out.all);
  assert_int_equal (seen.links, 3);
  assert_int_equal (seen.cuts, 1);
  assert_int_equal (seen.cut_bytes, 4711);
  assert_int_equal (seen.totals.skipped[ASC_SKIP_CHECKSUM], 100);
  assert_int_equal (seen.totals.skipped[ASC_SKIP_FOREIGN], 0);
  g_string_free (seen.text, TRUE);
  out_clear (&out);
}

static void
marks_are_refused_when_too_many_wait (void **state)
{
  (void)state;
  guint8 frame[ASC_FRAME_MAX];
  some_frame (frame);
  Out out = out_new ();
  AscStream stream;
  begin (&stream, &out);
  asc_stream_push (&stream, frame, 100, 0);
  AscUserMark mark = { .name = asc_test_string ("x"), .note = asc_test_string ("") };
  guint taken = 0;
  while (taken < 10000 && asc_stream_mark (&stream, &mark, 1))
    taken++;
  assert_in_range (taken, 20, 1000);
  asc_stream_finish (&stream);
  Seen seen = decode (out.all);
  assert_int_equal (seen.marks, taken);
  g_string_free (seen.text, TRUE);
  out_clear (&out);
}

static void
strings_are_cut_at_a_character (void **state)
{
  (void)state;
  assert_int_equal (asc_stream_string ("abc", 10).length, 3);
  assert_int_equal (asc_stream_string ("aß", 2).length, 1);
  assert_int_equal (asc_stream_string ("aß", 3).length, 3);
  assert_int_equal (asc_stream_string (NULL, 3).length, 0);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (keeps_the_board_s_bytes),
    cmocka_unit_test (anchors_come_once_a_second),
    cmocka_unit_test (waits_for_a_begun_frame),
    cmocka_unit_test (does_not_wait_in_a_damaged_frame),
    cmocka_unit_test (keeps_out_of_a_damaged_frame),
    cmocka_unit_test (breaks_are_told_at_once),
    cmocka_unit_test (marks_are_refused_when_too_many_wait),
    cmocka_unit_test (strings_are_cut_at_a_character),
  };
  return asc_test_run (tests, sizeof tests / sizeof *tests);
}
