/* Zoom, pan, follow, selection and cursors: pure arithmetic. */
#include "asc-test.h"

#include "asc-view.h"

#define MS 1000000LL
#define S 1000000000LL

static AscView
still (gint64 from, gint64 to)
{
  AscView view;
  asc_view_init (&view, from, to, 1000, false);
  return view;
}

static void
test_starts_with_the_whole (void **state)
{
  (void)state;
  AscView view = still (2 * S, 12 * S);
  assert_true (view.from_ns < 2 * S && view.to_ns > 12 * S);
  assert_true (view.to_ns - view.from_ns < 12 * S);
}

/* Keys come while a board that was connected has sent nothing yet. */
static void
test_a_view_of_nothing_stays_one (void **state)
{
  (void)state;
  AscView view = { .to_ns = 1 };
  for (int i = 0; i < 30; i++)
    {
      asc_view_follow (&view, i % 7 == 0);
      asc_view_zoom (&view, i % 3 == 0 ? 2 : 0.3, 0);
      asc_view_pan (&view, 0.5);
      asc_view_frame (&view);
      asc_view_reveal (&view, 0, 0);
      assert_true (view.to_ns > view.from_ns);
      assert_true (view.from_ns > -1000 * S && view.to_ns < 1000 * S);
    }
}

static void
test_zoom_keeps_the_place_under_the_pointer (void **state)
{
  (void)state;
  AscView view = still (0, 60 * S);
  gint64 anchor = asc_view_ns (&view, 300, 1000);
  for (int i = 0; i < 40; i++)
    asc_view_zoom (&view, 0.8, anchor);
  assert_float_equal (asc_view_x (&view, anchor, 1000), 300, 0.5);
}

static void
test_a_thousand_zooms_do_not_drift (void **state)
{
  (void)state;
  AscView view = still (0, 3600 * S);
  asc_view_show (&view, 1000 * S, 1010 * S);
  AscView before = view;
  gint64 anchor = 1003 * S;
  for (int i = 0; i < 1000; i++)
    {
      asc_view_zoom (&view, 0.5, anchor);
      asc_view_zoom (&view, 2.0, anchor);
    }
  assert_true (llabs (view.from_ns - before.from_ns) <= 1000);
  assert_true (llabs (view.to_ns - before.to_ns) <= 1000);
}

static void
test_zoom_has_limits (void **state)
{
  (void)state;
  AscView view = still (0, 10 * S);
  for (int i = 0; i < 500; i++)
    asc_view_zoom (&view, 0.5, 5 * S);
  assert_int_equal (view.to_ns - view.from_ns, view.least_ns);
  for (int i = 0; i < 500; i++)
    asc_view_zoom (&view, 2, 5 * S);
  assert_true (view.from_ns <= 0 && view.to_ns >= 10 * S);
  assert_true (view.to_ns - view.from_ns <= 11 * S + 1);
}

static void
test_pan_stops_at_the_data (void **state)
{
  (void)state;
  AscView view = still (0, 10 * S);
  asc_view_show (&view, 4 * S, 5 * S);
  for (int i = 0; i < 100; i++)
    asc_view_pan (&view, 1);
  assert_true (view.to_ns <= 10 * S + S / 10 && view.from_ns < 10 * S);
  for (int i = 0; i < 100; i++)
    asc_view_pan (&view, -1);
  assert_true (view.from_ns >= -S / 10 && view.to_ns > 0);
}

static void
test_follow_moves_along_until_touched (void **state)
{
  (void)state;
  AscView view;
  asc_view_init (&view, 0, 0, 1000, true);
  asc_view_grow (&view, 0, 3 * S);
  assert_int_equal (view.to_ns, 3 * S);
  assert_int_equal (view.to_ns - view.from_ns, ASC_VIEW_LIVE_NS);
  asc_view_zoom (&view, 2, 0);
  assert_true (view.following);
  assert_int_equal (view.to_ns, 3 * S);
  assert_int_equal (view.to_ns - view.from_ns, 2 * ASC_VIEW_LIVE_NS);
  asc_view_pan (&view, -0.1);
  assert_false (view.following);
  gint64 from = view.from_ns;
  asc_view_grow (&view, 0, 9 * S);
  assert_int_equal (view.from_ns, from);
  asc_view_follow (&view, true);
  assert_int_equal (view.to_ns, 9 * S);
}

static void
test_frame_is_selection_then_all (void **state)
{
  (void)state;
  AscView view = still (0, 100 * S);
  asc_view_select (&view, 30 * S, 20 * S);
  asc_view_frame (&view);
  assert_int_equal (view.from_ns, 20 * S);
  assert_int_equal (view.to_ns, 30 * S);
  asc_view_frame (&view);
  assert_true (view.from_ns <= 0 && view.to_ns >= 100 * S);
}

static void
test_clear_takes_selection_then_cursors (void **state)
{
  (void)state;
  AscView view = still (0, S);
  gint64 from, to;
  asc_view_select (&view, 1 * MS, 5 * MS);
  asc_view_set_cursor (&view, 1, 10 * MS);
  asc_view_set_cursor (&view, 0, 40 * MS);
  assert_true (asc_view_between_cursors (&view, &from, &to));
  assert_int_equal (from, 10 * MS);
  assert_int_equal (to, 40 * MS);
  assert_true (asc_view_clear (&view));
  assert_false (view.has_selection);
  assert_true (view.has_cursor[0]);
  assert_true (asc_view_clear (&view));
  assert_false (view.has_cursor[0] || view.has_cursor[1]);
  assert_false (asc_view_clear (&view));
  assert_false (asc_view_between_cursors (&view, &from, &to));
}

static void
test_an_empty_selection_is_none (void **state)
{
  (void)state;
  AscView view = still (0, S);
  asc_view_select (&view, 5, 5);
  assert_false (view.has_selection);
}

static void
test_reveal_moves_only_when_needed (void **state)
{
  (void)state;
  AscView view = still (0, 100 * S);
  asc_view_show (&view, 10 * S, 20 * S);
  asc_view_reveal (&view, 12 * S, 13 * S);
  assert_int_equal (view.from_ns, 10 * S);
  asc_view_reveal (&view, 50 * S, 51 * S);
  assert_true (view.from_ns < 50 * S && view.to_ns > 51 * S);
  assert_int_equal (view.to_ns - view.from_ns, 10 * S);
  asc_view_reveal (&view, 60 * S, 90 * S);
  assert_true (view.from_ns <= 60 * S && view.to_ns >= 90 * S);
}

static void
test_extreme_times_do_not_overflow (void **state)
{
  (void)state;
  AscView view = still (0, G_MAXINT64 / 4);
  asc_view_zoom (&view, 1e9, 5);
  asc_view_pan (&view, -1e9);
  asc_view_pan_ns (&view, G_MAXINT64 / 2);
  assert_true (view.to_ns > view.from_ns);
  assert_true (asc_view_x (&view, G_MININT64, 1000) >= -1e6);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_starts_with_the_whole),
  cmocka_unit_test (test_a_view_of_nothing_stays_one),
  cmocka_unit_test (test_zoom_keeps_the_place_under_the_pointer),
  cmocka_unit_test (test_a_thousand_zooms_do_not_drift),
  cmocka_unit_test (test_zoom_has_limits),
  cmocka_unit_test (test_pan_stops_at_the_data),
  cmocka_unit_test (test_follow_moves_along_until_touched),
  cmocka_unit_test (test_frame_is_selection_then_all),
  cmocka_unit_test (test_clear_takes_selection_then_cursors),
  cmocka_unit_test (test_an_empty_selection_is_none),
  cmocka_unit_test (test_reveal_moves_only_when_needed),
  cmocka_unit_test (test_extreme_times_do_not_overflow),
};

ASC_TEST_MAIN (tests)
