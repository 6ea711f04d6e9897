/* Times far apart, as a damaged clock or months of silence make them: what is asked costs
 * what happened, not the time that passed. */
#include "asc-board.h"
#include "asc-lane.h"
#include "asc-load.h"
#include "asc-shares.h"
#include "asc-stats.h"
#include "asc-test.h"

#include <math.h>

#define FAR (G_GUINT64_CONSTANT (1) << 47)

/* Runs of a fifth of a second for some seconds, then nothing until FAR, and that again.
 */
static AscTrace *
far_trace (guint32 hz, bool with_idle)
{
  AscBoard board;
  guint64 base = 0, unit = MAX (hz / 10, 1);
  asc_board_init (&board, 1);
  board.hello.tick_hz = hz;
  board.hello.capabilities = with_idle ? ASC_CAN_IDLE : 0;
  asc_board_hello (&board, 0);
  asc_board_name (&board, 1, ASC_NAME_TASK, "", "t");
  asc_board_start (&board, 0, 0, 0, 1, 1);
  for (guint part = 0; part < 2; part++, base = FAR - 1000 * unit)
    {
      for (guint i = 0; i < 90; i++)
        {
          guint64 at = base + i * 10 * unit;
          asc_board_enter (&board, 0, at, 0, -1);
          asc_board_exit (&board, 0, at + 2 * unit, ASC_EXIT_YIELD);
          if (with_idle)
            asc_board_simple (&board, 0, ASC_EVENT_IDLE, at + 2 * unit, ASC_IDLE_TIMER,
                              (gint64)(8 * unit));
        }
      if (with_idle && part == 0)
        asc_board_simple (&board, 0, ASC_EVENT_IDLE, 900 * unit, ASC_IDLE_TIMER,
                          (gint64)(FAR - 1900 * unit));
      asc_board_seal_all (&board);
    }
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  asc_trace_finish (trace);
  asc_board_clear (&board);
  return trace;
}

static void
margin_of_far_times (void **state)
{
  (void)state;
  static const guint32 rates[] = { 1, 10, 32768, 1000000, 4000000000u };
  for (gsize i = 0; i < G_N_ELEMENTS (rates) * 2; i++)
    {
      guint32 hz = rates[i / 2];
      AscTrace *trace = far_trace (hz, i % 2);
      AscMargin margin;
      asc_session_margin (asc_trace_session (trace, 0), ASC_MARGIN_WINDOW_NS, 0, &margin);
      assert_true (margin.known);
      /* A run fills two units: at 1 Hz a window is one, at others it is ten. */
      double worst = hz == 1 ? 1 : 0.2;
      assert_true (fabs (margin.worst - worst) < 1e-3);
      /* At 4 GHz the silence is half of a day: still far more windows than with runs. */
      assert_true (fabs (margin.p99) < 1e-9);
      assert_true (margin.load < 0.01);
      asc_trace_free (trace);
    }
}

/* Nothing that a session tells lies so late that a view could not add to it. */
static void
latest_time (void **state)
{
  (void)state;
  for (guint hz = 1; hz < 100000; hz *= 7)
    {
      AscTrace *trace = far_trace (hz, true);
      AscSession *session = asc_trace_session (trace, 0);
      AscSessionInfo info;
      asc_session_info (session, &info);
      assert_true (info.end_ns <= G_MAXINT64 / 4);
      assert_true (info.start_ns >= 0);
      guint64 top = G_GUINT64_CONSTANT (1) << 62;
      assert_true (asc_session_ns (session, top) <= G_MAXINT64 / 4);
      assert_true (asc_session_ticks (session, G_MAXINT64) <= top);
      AscStats *stats = asc_stats_new (session, 0, G_MAXINT64, NULL);
      assert_int_equal (stats->tasks[0].runs, 180);
      asc_stats_free (stats);
      AscRun runs[2];
      asc_lane_runs (asc_session_lane (session, 0), G_MAXINT64 - 1, G_MAXINT64, runs, 2);
      asc_trace_free (trace);
    }
}

/* A start that is told to lie behind the first event is none: no length is negative. */
static void
start_behind_the_events (void **state)
{
  (void)state;
  AscBoard board;
  asc_board_init (&board, 1);
  board.hello.start_ticks = FAR;
  asc_board_hello (&board, FAR + 5);
  asc_board_enter (&board, 0, 1000000, 0, -1);
  asc_board_exit (&board, 0, 5000000, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  asc_trace_finish (trace);
  AscSessionInfo info;
  AscMargin margin;
  asc_session_info (asc_trace_session (trace, 0), &info);
  assert_true (info.start_ns <= info.first_ns);
  assert_true (info.first_ns <= info.end_ns);
  asc_session_margin (asc_trace_session (trace, 0), ASC_MARGIN_WINDOW_NS, 0, &margin);
  assert_true (margin.known);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

/* ---- shares ---- */

static gint
by_value (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
  return (x > y) - (x < y);
}

static void
check_shares (guint32 *dice, guint n, guint64 range, guint64 error)
{
  AscShares shares = { .n = 0 };
  GArray *plain = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (guint i = 0; i < n; i++)
    {
      guint64 value = ((guint64)asc_test_random (dice) << 20) % range;
      guint64 times
          = asc_test_random (dice) % 8 == 0 ? asc_test_random (dice) % 5 + 1 : 1;
      asc_shares_add (&shares, value, times);
      for (guint64 k = 0; k < times; k++)
        g_array_append_val (plain, value);
      if (i % (n / 3 + 1) == 0)
        asc_shares_at (&shares, 0); /* asking in between changes nothing */
    }
  g_array_sort (plain, by_value);
  assert_int_equal (shares.n, plain->len);
  for (guint i = 0; i < 200; i++)
    {
      guint rank = i == 0 ? 0 : asc_test_random (dice) % plain->len;
      guint64 want = g_array_index (plain, guint64, rank);
      guint64 got = asc_shares_at (&shares, rank);
      assert_true (got <= want + error && want <= got + error);
    }
  assert_true (shares.counts->len <= 131072);
  g_array_free (plain, TRUE);
  asc_shares_clear (&shares);
}

static void
shares_by_rank (void **state)
{
  (void)state;
  guint32 dice = asc_test_seed ();
  check_shares (&dice, 1, 5, 0);
  check_shares (&dice, 3000, 10, 0);
  check_shares (&dice, 60000, 1000000007, 0);
  check_shares (&dice, 400000, 60000, 0);
  check_shares (&dice, 400000, 1000000007, 1000000007 / 65536 + 1);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (margin_of_far_times),
  cmocka_unit_test (latest_time),
  cmocka_unit_test (start_behind_the_events),
  cmocka_unit_test (shares_by_rank),
};
ASC_TEST_MAIN (tests)
