/* The board's bytes without its frames: text passes whole and at once, frames do not,
 * and nothing vanishes uncounted. */
#include "asc-test.h"

#include "asc-plain.h"
#include "asc-test-board.h"

#define MS ((gint64)1000)

static void
take (void *user, const guint8 *bytes, gsize n)
{
  assert_true (n > 0);
  g_byte_array_append (user, bytes, (guint)n);
}

static void
check (const GByteArray *got, const void *want, gsize n)
{
  gsize same = 0;
  while (same < MIN (got->len, n) && got->data[same] == ((const guint8 *)want)[same])
    same++;
  if (got->len != n || same < n)
    print_error ("%u bytes of %zu, the same up to %zu\n", got->len, n, same);
  assert_int_equal (got->len, n);
  assert_int_equal (same, n);
}

/* A stream of frames, and between them what a REPL's port has. */
typedef struct
{
  GByteArray *all;
  GByteArray *text;
  AscTestBoard board;
} Mixed;

static void
mixed_begin (Mixed *mixed)
{
  mixed->all = g_byte_array_new ();
  mixed->text = g_byte_array_new ();
  asc_test_board_begin (&mixed->board, mixed->all, 0x11223344);
}

static void
put_bytes (Mixed *mixed, const void *bytes, gsize n)
{
  asc_test_board_seal (&mixed->board);
  g_byte_array_append (mixed->all, bytes, (guint)n);
  g_byte_array_append (mixed->text, bytes, (guint)n);
}

static void
put_text (Mixed *mixed, const char *text)
{
  put_bytes (mixed, text, strlen (text));
}

/* A frame of its own; returns where it begins. */
static gsize
put_frame (Mixed *mixed)
{
  asc_test_board_seal (&mixed->board);
  gsize at = mixed->all->len;
  for (guint i = 0; i < 20; i++)
    asc_test_board_run (&mixed->board, i & 1, 900 + i);
  asc_test_board_seal (&mixed->board);
  return at;
}

static void
mixed_clear (Mixed *mixed)
{
  g_byte_array_unref (mixed->all);
  g_byte_array_unref (mixed->text);
}

static void
feed (AscPlain *plain, const guint8 *bytes, gsize n, guint32 most, guint32 *random)
{
  for (gsize at = 0, step; at < n; at += step)
    {
      step = 1 + asc_test_random (random) % most;
      step = MIN (step, n - at);
      asc_plain_push (plain, bytes + at, step, 0);
    }
}

static void
frames_are_taken_out_and_all_else_passes (void **state)
{
  (void)state;
  guint32 random = asc_test_seed ();
  guint8 all[256];
  Mixed mixed;
  mixed_begin (&mixed);
  for (guint i = 0; i < 256; i++)
    all[i] = (guint8)i;
  for (guint i = 0; i < 100; i++)
    {
      put_frame (&mixed);
      put_text (&mixed, "raw REPL; CTRL-B to exit\r\n>OK\x04\x04>");
      put_text (&mixed, "T = 21,5 °C – größer → \U0001f600\x1b[31m\r\n");
      put_frame (&mixed);
      put_bytes (&mixed, all, asc_test_random (&random) % 257);
    }
  put_text (&mixed, "\r\n>>> ");
  for (guint32 most = 1; most < 10000; most = most * 3 + 1)
    {
      AscPlain plain;
      GByteArray *got = g_byte_array_new ();
      asc_plain_init (&plain, take, got);
      feed (&plain, mixed.all->data, mixed.all->len, most, &random);
      asc_plain_break (&plain);
      check (got, mixed.text->data, mixed.text->len);
      assert_int_equal (plain.left_out, 0);
      assert_int_equal (plain.frames, mixed.board.sequence);
      g_byte_array_unref (got);
    }
  mixed_clear (&mixed);
}

static void
text_waits_for_nothing (void **state)
{
  (void)state;
  static const char text[] = "input? ü\x04\xe2\x82";
  AscPlain plain;
  GByteArray *got = g_byte_array_new ();
  asc_plain_init (&plain, take, got);
  for (gsize i = 0; i < strlen (text); i++)
    {
      asc_plain_push (&plain, (const guint8 *)text + i, 1, 0);
      check (got, text, i + 1);
    }
  /* What is neither character nor frame is no reason to wait either. */
  asc_plain_push (&plain, (const guint8 *)"\xff> ", 3, 0);
  check (got, "input? ü\x04\xe2\x82\xff> ", strlen (text) + 3);
  g_byte_array_unref (got);
}

static void
a_begun_frame_is_waited_for_as_long_as_it_may_be_one (void **state)
{
  (void)state;
  AscPlain plain;
  Mixed mixed;
  GByteArray *got = g_byte_array_new ();
  mixed_begin (&mixed);
  gsize at = put_frame (&mixed);
  asc_plain_init (&plain, take, got);
  /* No frame has come yet: a program without a trace sent that byte. */
  asc_plain_push (&plain,
                  (const guint8 *)"a\xf9"
                                  "b",
                  3, 0);
  check (got, "a", 1);
  asc_plain_tick (&plain, 99 * MS);
  check (got, "a", 1);
  asc_plain_tick (&plain, 100 * MS);
  check (got,
         "a\xf9"
         "b",
         3);
  asc_plain_tick (&plain, 200 * MS);
  asc_plain_push (&plain, (const guint8 *)" then more\n", 11, 200 * MS);
  check (got,
         "a\xf9"
         "b then more\n",
         14);

  g_byte_array_set_size (got, 0);
  asc_plain_push (&plain, mixed.all->data, at + 30, 1000 * MS);
  asc_plain_tick (&plain, 1999 * MS);
  check (got, "", 0);
  asc_plain_push (&plain, mixed.all->data + at + 30, mixed.all->len - at - 30, 2000 * MS);
  asc_plain_tick (&plain, 3000 * MS);
  check (got, "", 0);
  asc_plain_push (&plain,
                  (const guint8 *)"\xf9"
                                  "1234",
                  5, 4000 * MS);
  asc_plain_tick (&plain, 5000 * MS);
  check (got,
         "\xf9"
         "1234",
         5);
  g_byte_array_unref (got);
  mixed_clear (&mixed);
}

/* A frame that ends in a byte that is no text, so that what is text behind it is clear.
 */
static gsize
put_clear_frame (Mixed *mixed)
{
  for (;;)
    {
      gsize at = put_frame (mixed);
      guint8 last = mixed->all->data[mixed->all->len - 1];
      if (last >= 0xF5
          || (last < 0x20 && last != 0x04 && (last < 0x08 || last > 0x0D)
              && last != 0x1B))
        return at;
    }
}

static void
a_damaged_frame_is_left_out (void **state)
{
  (void)state;
  AscPlain plain;
  Mixed mixed;
  GByteArray *got = g_byte_array_new ();
  mixed_begin (&mixed);
  put_text (&mixed, "before\n");
  gsize at = put_clear_frame (&mixed), end = mixed.all->len;
  put_text (&mixed, "\x04\x04>");
  put_frame (&mixed);
  mixed.all->data[at + 20] ^= 0x10;
  asc_plain_init (&plain, take, got);
  asc_plain_push (&plain, mixed.all->data, mixed.all->len, 0);
  check (got, mixed.text->data, mixed.text->len);
  assert_int_equal (plain.left_out, end - at);
  g_byte_array_unref (got);
  mixed_clear (&mixed);
}

/* A link that lost bytes of a frame: its length reaches into the text behind it. */
static void
text_behind_a_frame_that_lacks_bytes_passes (void **state)
{
  (void)state;
  for (gsize lost = 1; lost < 30; lost++)
    {
      AscPlain plain;
      Mixed mixed;
      GByteArray *got = g_byte_array_new ();
      mixed_begin (&mixed);
      gsize at = put_clear_frame (&mixed);
      put_text (&mixed,
                "größer →\x04 and much more text than any frame is long ........\n");
      put_frame (&mixed);
      g_byte_array_remove_range (mixed.all, (guint)at + 20, (guint)lost);
      asc_plain_init (&plain, take, got);
      asc_plain_push (&plain, mixed.all->data, mixed.all->len, 0);
      check (got, mixed.text->data, mixed.text->len);
      g_byte_array_unref (got);
      mixed_clear (&mixed);
    }
}

/* A binary file that a tool copies may hold anything, damaged frames included. */
static void
what_only_begins_like_a_frame_passes (void **state)
{
  (void)state;
  AscPlain plain;
  Mixed mixed, other;
  GByteArray *got = g_byte_array_new ();
  mixed_begin (&mixed);
  gsize at = put_frame (&mixed), n = mixed.all->len - at;
  mixed.all->data[at + 20] ^= 0x10;
  asc_plain_init (&plain, take, got);
  asc_plain_push (&plain, mixed.all->data + at, n, 0);
  check (got, mixed.all->data + at, n);

  /* Frames of another session came before. */
  other.all = g_byte_array_new ();
  other.text = g_byte_array_new ();
  asc_test_board_begin (&other.board, other.all, 0x77777777);
  put_frame (&other);
  g_byte_array_set_size (got, 0);
  asc_plain_init (&plain, take, got);
  asc_plain_push (&plain, other.all->data, other.all->len, 0);
  check (got, "", 0);
  asc_plain_push (&plain, mixed.all->data + at, n, 0);
  check (got, mixed.all->data + at, n);
  assert_int_equal (plain.left_out, 0);
  g_byte_array_unref (got);
  mixed_clear (&mixed);
  mixed_clear (&other);
}

static void
a_lost_connection_ends_what_was_begun (void **state)
{
  (void)state;
  AscPlain plain;
  Mixed mixed;
  GByteArray *got = g_byte_array_new ();
  mixed_begin (&mixed);
  gsize at = put_frame (&mixed);
  asc_plain_init (&plain, take, got);
  asc_plain_push (&plain, mixed.all->data, at + 25, 0);
  asc_plain_break (&plain);
  check (got, "", 0);
  assert_int_equal (plain.left_out, 25);
  asc_plain_push (&plain, (const guint8 *)"hello\xf9\x02", 7, 0);
  asc_plain_break (&plain);
  asc_plain_push (&plain, mixed.all->data, mixed.all->len, 0);
  check (got, "hello", 5);
  assert_int_equal (plain.left_out, 25 + 2);
  /* Without a trace there is nothing that it could be. */
  asc_plain_init (&plain, take, got);
  asc_plain_push (&plain, (const guint8 *)"\xf9\x02", 2, 0);
  asc_plain_break (&plain);
  check (got, "hello\xf9\x02", 7);
  g_byte_array_unref (got);
  mixed_clear (&mixed);
}

static void
a_border_is_a_place_to_begin_at (void **state)
{
  (void)state;
  AscPlain plain;
  Mixed mixed;
  GByteArray *got = g_byte_array_new ();
  mixed_begin (&mixed);
  gsize at = put_frame (&mixed), end = mixed.all->len;
  asc_plain_init (&plain, take, got);
  asc_plain_push (&plain, mixed.all->data, at + 10, 0);
  assert_int_equal (plain.border, 0);
  asc_plain_push (&plain, mixed.all->data + at + 10, 5, 0);
  assert_int_equal (plain.border, 5);
  asc_plain_push (&plain, mixed.all->data + at + 15, end - at - 15, 0);
  assert_int_equal (plain.border, end - at - 15);
  asc_plain_push (&plain, (const guint8 *)"text", 4, 0);
  assert_int_equal (plain.border, 0);
  g_byte_array_unref (got);
  mixed_clear (&mixed);
}

/* Anything at all: each byte is passed on, in a frame, or counted as left out; what is
 * passed on comes in order. */
static void
nothing_vanishes (void **state)
{
  (void)state;
  guint32 random = asc_test_seed ();
  for (guint round = 0; round < 200; round++)
    {
      AscPlain plain;
      GByteArray *in = asc_test_board_stream (random, 3000), *got = g_byte_array_new ();
      for (guint hit = 0; hit < round % 40; hit++)
        {
          guint at = asc_test_random (&random) % in->len;
          if (hit % 3 == 0)
            g_byte_array_remove_index (in, at);
          else
            in->data[at] = hit % 3 == 1 ? ASC_MARKER : (guint8)asc_test_random (&random);
        }
      asc_plain_init (&plain, take, got);
      guint64 framed = 0;
      for (guint at = 0, step; at < in->len; at += step)
        {
          step = 1 + asc_test_random (&random) % 400;
          step = MIN (step, in->len - at);
          asc_plain_push (&plain, in->data + at, step, at);
        }
      asc_plain_break (&plain);
      guint at = 0;
      for (guint i = 0; i < got->len; i++, at++)
        {
          while (at < in->len && in->data[at] != got->data[i])
            at++;
          assert_true (at < in->len);
        }
      /* Frames are found by a second look at the same bytes. */
      AscPlain twin;
      asc_plain_init (&twin, take, got);
      asc_plain_push (&twin, in->data, in->len, 0);
      asc_plain_break (&twin);
      assert_int_equal (twin.frames, plain.frames);
      assert_int_equal (twin.left_out, plain.left_out);
      assert_int_equal (got->len % 2, 0);
      assert_memory_equal (got->data, got->data + got->len / 2, got->len / 2);
      framed = in->len - got->len / 2 - plain.left_out;
      assert_true (framed >= plain.frames * (ASC_HEADER_SIZE + ASC_CHECK_SIZE));
      assert_true (framed <= plain.frames * ASC_FRAME_MAX);
      g_byte_array_unref (in);
      g_byte_array_unref (got);
    }
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (frames_are_taken_out_and_all_else_passes),
  cmocka_unit_test (text_waits_for_nothing),
  cmocka_unit_test (a_begun_frame_is_waited_for_as_long_as_it_may_be_one),
  cmocka_unit_test (a_damaged_frame_is_left_out),
  cmocka_unit_test (text_behind_a_frame_that_lacks_bytes_passes),
  cmocka_unit_test (what_only_begins_like_a_frame_passes),
  cmocka_unit_test (a_lost_connection_ends_what_was_begun),
  cmocka_unit_test (a_border_is_a_place_to_begin_at),
  cmocka_unit_test (nothing_vanishes),
};

ASC_TEST_MAIN (tests)
