/* The ladder of ticks over all zooms. */
#include "asc-test.h"

#include "asc-ruler.h"

#define MS 1000000LL
#define S 1000000000LL

static void
test_labels_keep_their_distance (void **state)
{
  (void)state;
  for (double length = 10; length < 1e17; length *= 1.37)
    {
      AscView view;
      AscRuler ruler;
      asc_view_init (&view, 0, (gint64)length, 1, false);
      asc_ruler_init (&ruler, &view, 0, 1000, 88);
      double px = asc_view_x (&view, view.from_ns + ruler.step_ns, 1000);
      assert_true (px >= 87.9);
      assert_true (px < 88 * 12.5);
      assert_true (ruler.first_ns >= view.from_ns);
      assert_true (ruler.first_ns - view.from_ns < ruler.step_ns);
      assert_int_equal (ruler.step_ns % ruler.minor_ns, 0);
    }
}

/* Of the latest time, which far clocks have: all places of the grid are reached. */
static void
test_grid_of_the_latest_time (void **state)
{
  (void)state;
  const gint64 top = G_MAXINT64 / 4;
  const gint64 starts[] = { 0, top / 2, top - S, top };
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    for (int narrow = 0; narrow < 2; narrow++)
      for (double zoom = 1; zoom > 1e-17; zoom /= 3)
        {
          AscView view;
          AscRuler ruler;
          asc_view_init (&view, starts[i], top, 1, false);
          asc_view_zoom (&view, zoom, top);
          assert_true (view.from_ns < view.to_ns);
          asc_ruler_init (&ruler, &view, starts[i], narrow ? 1 : 1000, 88);
          guint n = 0;
          for (gint64 at = ruler.first_ns; at < view.to_ns && n < 200;
               at += ruler.step_ns)
            n++;
          assert_true (n < 200);
        }
}

static void
test_labels_count_from_a_round_base (void **state)
{
  (void)state;
  AscView view;
  AscRuler ruler;
  char text[48];
  asc_view_init (&view, 5 * S, 200 * S, 1000, false);
  asc_view_show (&view, 5 * S + 59238 * MS, 5 * S + 59368 * MS);
  asc_ruler_init (&ruler, &view, 5 * S, 1180, 88);
  assert_int_equal (ruler.step_ns, 10 * MS);
  assert_string_equal (asc_ruler_base (&ruler, &view, text, sizeof text), "00:59.20");
  assert_string_equal (asc_ruler_label (&ruler, &view, ruler.first_ns, text, sizeof text),
                       "+40 ms");
}

static void
test_steps_of_seconds_are_clock_times (void **state)
{
  (void)state;
  AscView view;
  AscRuler ruler;
  char text[48];
  asc_view_init (&view, 0, 600 * S, 1000, false);
  asc_view_show (&view, 0, 600 * S);
  asc_ruler_init (&ruler, &view, 0, 1000, 88);
  assert_int_equal (ruler.step_ns, 60 * S);
  assert_string_equal (asc_ruler_label (&ruler, &view, 120 * S, text, sizeof text),
                       "02:00");
}

static void
test_small_steps_have_units (void **state)
{
  (void)state;
  AscView view;
  AscRuler ruler;
  char text[48];
  asc_view_init (&view, 0, 60 * S, 1, false);
  asc_view_show (&view, 0, 1000);
  asc_ruler_init (&ruler, &view, 0, 1000, 88);
  assert_int_equal (ruler.step_ns, 100);
  assert_string_equal (asc_ruler_label (&ruler, &view, 300, text, sizeof text),
                       "+0.3 µs");
  asc_view_show (&view, 0, 2000000);
  asc_ruler_init (&ruler, &view, 0, 1000, 88);
  assert_string_equal (asc_ruler_label (&ruler, &view, 400000, text, sizeof text),
                       "+0.4 ms");
}

static void
test_offsets_past_a_second_are_full_times (void **state)
{
  (void)state;
  AscView view;
  AscRuler ruler;
  char text[64];
  asc_view_init (&view, 0, 6 * S, 1000, false);
  asc_view_show (&view, 0, 6 * S);
  asc_ruler_init (&ruler, &view, 0, 1000, 80);
  assert_int_equal (ruler.step_ns, S / 2);
  assert_string_equal (asc_ruler_label (&ruler, &view, 5 * S + S / 2, text, sizeof text),
                       "00:05.5");
}

static void
test_labels_of_centuries (void **state)
{
  (void)state;
  AscView view = { .from_ns = G_MININT64 / 4, .to_ns = G_MAXINT64 / 4, .least_ns = 1 };
  AscRuler ruler;
  asc_ruler_init (&ruler, &view, 0, 1, 80);
  assert_true ((view.to_ns - view.from_ns) / ruler.step_ns <= 3);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_grid_of_the_latest_time),
  cmocka_unit_test (test_labels_keep_their_distance),
  cmocka_unit_test (test_offsets_past_a_second_are_full_times),
  cmocka_unit_test (test_labels_of_centuries),
  cmocka_unit_test (test_labels_count_from_a_round_base),
  cmocka_unit_test (test_steps_of_seconds_are_clock_times),
  cmocka_unit_test (test_small_steps_have_units),
};

ASC_TEST_MAIN (tests)
