/* Who waited for whom, against a plain scan of all runs on random programs, and by hand.
 */
#include "asc-waits.h"

#include "asc-board.h"
#include "asc-runs.h"
#include "asc-test.h"
#include "world.h"

#define SEEDS 60
#define MS G_GINT64_CONSTANT (1000000)
#define UNSOUND (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED)

static AscLaneInfo
info_of (const World *world, guint lane)
{
  AscLaneInfo info;
  asc_lane_info (asc_session_lane (world->session, lane), &info);
  return info;
}

static gint64
due_of (const AscRun *run)
{
  return run->flags & ASC_RUN_LATE ? run->start_ns - run->late_ms * MS : run->start_ns;
}

static void
same (const World *world, const gint64 *ns, const AscTaskTime *told, gsize n_told)
{
  gsize n = 0;
  for (guint l = 0; l < world->n_lanes; l++)
    n += ns[l] > 0;
  assert_int_equal (n_told, n);
  for (gsize i = 0; i < n; i++)
    {
      AscLaneInfo info;
      asc_lane_info (told[i].task, &info);
      assert_int_equal (info.task, info.index);
      assert_int_equal (told[i].ns, ns[info.index]);
      assert_true (i == 0 || told[i - 1].ns >= told[i].ns);
    }
}

static void
check_who_ran (World *world, guint32 *dice)
{
  gint64 from, to, *ns = g_new0 (gint64, world->n_lanes);
  AscTaskTime *told = g_new (AscTaskTime, world->n_lanes), one;
  range_of (world, dice, &from, &to);
  from = asc_session_ns (world->session, asc_session_ticks (world->session, from));
  to = asc_session_ns (world->session, asc_session_ticks (world->session, to));
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info = info_of (world, l);
      const GArray *runs = runs_of (world, l);
      for (guint i = 0; info.kind == ASC_LANE_TASK && !info.nested && i < runs->len; i++)
        ns[info.task]
            += overlap (RUN (runs, i)->start_ns, RUN (runs, i)->end_ns, from, to);
    }
  gsize n = asc_session_who_ran (world->session, from, to, told, world->n_lanes);
  same (world, ns, told, n);
  assert_int_equal (asc_session_who_ran (world->session, from, to, &one, 1), n);
  if (n > 0)
    assert_ptr_equal (one.task, told[0].task);
  g_free (ns);
  g_free (told);
}

static void
check_held_up (World *world, const AscRun *run)
{
  gint64 *ns = g_new0 (gint64, world->n_lanes);
  AscTaskTime *told = g_new (AscTaskTime, world->n_lanes);
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info = info_of (world, l);
      const GArray *runs = runs_of (world, l);
      for (guint i = 0; info.kind == ASC_LANE_TASK && i < runs->len; i++)
        if (RUN (runs, i)->start_ns > run->start_ns)
          ns[info.task] = MAX (ns[info.task],
                               overlap (due_of (RUN (runs, i)), RUN (runs, i)->start_ns,
                                        run->start_ns, run->end_ns));
    }
  same (world, ns, told, asc_session_held_up (world->session, run, told, world->n_lanes));
  g_free (ns);
  g_free (told);
}

static void
check_wait_at (World *world, guint l, gint64 ns)
{
  const GArray *runs = runs_of (world, l);
  const AscRun *found = NULL;
  AscRun told;
  for (guint i = 0; i < runs->len && found == NULL; i++)
    if (RUN (runs, i)->start_ns > ns && due_of (RUN (runs, i)) <= ns)
      found = RUN (runs, i);
  assert_int_equal (asc_lane_wait_at (asc_session_lane (world->session, l), ns, &told),
                    found != NULL);
  if (found != NULL)
    assert_int_equal (told.index, found->index);
}

static void
check_longest (World *world, guint l, const AscRun *run)
{
  bool longest = true;
  for (guint k = 0; k < world->n_lanes; k++)
    {
      AscLaneInfo info = info_of (world, k);
      const GArray *runs = runs_of (world, k);
      for (guint i = 0; info.kind == ASC_LANE_TASK && i < runs->len; i++)
        longest
            = longest
              && (info.task != info_of (world, l).task || RUN (runs, i)->flags & UNSOUND
                  || RUN (runs, i)->end_ns - RUN (runs, i)->start_ns
                         <= run->end_ns - run->start_ns);
    }
  assert_int_equal (asc_lane_is_longest (asc_session_lane (world->session, l), run),
                    longest);
}

static void
check_world (World *world, guint32 *dice)
{
  for (int again = 0; again < 12; again++)
    {
      guint l = asc_test_random (dice) % world->n_lanes;
      const GArray *runs = runs_of (world, l);
      gint64 from, to;
      check_who_ran (world, dice);
      range_of (world, dice, &from, &to);
      check_wait_at (world, l, from);
      if (info_of (world, l).kind != ASC_LANE_TASK || runs->len == 0)
        continue;
      const AscRun *run = RUN (runs, asc_test_random (dice) % runs->len);
      check_wait_at (world, l, run->start_ns - 1);
      check_wait_at (world, l, due_of (run));
      check_wait_at (world, l, due_of (run) - 1);
      check_held_up (world, run);
      check_longest (world, l, run);
    }
}

static void
by_scanning (void **state)
{
  (void)state;
  guint32 dice = asc_test_seed ();
  for (guint32 seed = 1; seed <= SEEDS; seed++)
    {
      RandomBoard random;
      random_board_make (&random, seed);
      AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
      asc_trace_feed (trace, random.stream->data, random.stream->len);
      asc_trace_finish (trace);
      for (guint s = 0; s < random.n_sessions; s++)
        {
          World world;
          look (&world, trace, s);
          if (world.n_lanes > 0 && world.slack_ns == 0)
            check_world (&world, &dice);
          forget (&world);
        }
      asc_trace_free (trace);
      random_board_clear (&random);
    }
}

/* "pid" is due at 105 ms and "net" at 130; "log" runs from 100 to 140 ms. */
static void
a_hog (AscBoard *board)
{
  asc_board_init (board, 1);
  asc_board_hello (board, 0);
  asc_board_name (board, 1, ASC_NAME_TASK, "", "log");
  asc_board_name (board, 2, ASC_NAME_TASK, "", "pid");
  asc_board_name (board, 3, ASC_NAME_TASK, "", "net");
  for (guint i = 0; i < 3; i++)
    asc_board_start (board, 0, 0, i, i + 1, i + 1);
  asc_board_enter (board, 0, 100000, 0, -1);
  asc_board_exit (board, 0, 140000, ASC_EXIT_YIELD);
  asc_board_enter (board, 0, 141000, 1, 36);
  asc_board_exit (board, 0, 142000, ASC_EXIT_YIELD);
  asc_board_enter (board, 0, 142000, 2, 12);
  asc_board_seal_all (board); /* "net" goes on */
}

static void
of_a_run_that_goes_on (void **state)
{
  (void)state;
  AscBoard board;
  AscRun run;
  AscTaskTime told[3];
  a_hog (&board);
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  AscSession *session = asc_trace_session (trace, 0);
  const AscLane *hog = asc_session_lane (session, 0),
                *net = asc_session_lane (session, 2);
  assert_true (asc_lane_run_at (hog, 120 * MS, &run));
  assert_int_equal (asc_session_held_up (session, &run, told, 3), 2);
  assert_ptr_equal (told[0].task, asc_session_lane (session, 1));
  assert_int_equal (told[0].ns, 35 * MS);
  assert_ptr_equal (told[1].task, net);
  assert_int_equal (told[1].ns, 10 * MS);
  assert_true (asc_lane_wait_at (net, 131 * MS, &run));
  assert_int_equal (run.start_ns, 142 * MS);
  assert_true (run.flags & ASC_RUN_OPEN);
  assert_false (asc_lane_wait_at (net, 129 * MS, &run));
  assert_false (asc_lane_wait_at (net, 142 * MS, &run));
  assert_int_equal (asc_session_who_ran (session, 130 * MS, 142 * MS, told, 3), 2);
  assert_ptr_equal (told[0].task, hog);
  assert_int_equal (told[0].ns, 10 * MS);
  assert_int_equal (told[1].ns, 1 * MS);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

/* A million runs, of which one was late: asked without looking at all of them. */
static void
cost_is_what_lies_around (void **state)
{
  (void)state;
  AscBoard board;
  AscRun run;
  AscTaskTime told[2];
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_name (&board, 1, ASC_NAME_TASK, "", "much");
  asc_board_start (&board, 0, 0, 0, 1, 1);
  for (guint i = 0; i < 1000000; i++)
    {
      asc_board_enter (&board, 0, i * 10 + 1, 0, i == 500000 ? 2 : 0);
      asc_board_exit (&board, 0, i * 10 + 5, ASC_EXIT_YIELD);
    }
  asc_board_seal_all (&board);
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  asc_trace_finish (trace);
  AscSession *session = asc_trace_session (trace, 0);
  const AscLane *lane = asc_session_lane (session, 0);
  asc_runs_visits = 0;
  assert_true (asc_lane_wait_at (lane, 4999 * MS, &run));
  assert_int_equal (run.index, 500000);
  assert_false (asc_lane_wait_at (lane, 1000 * MS, &run));
  assert_true (asc_lane_run_at (lane, 4999 * MS + 2000, &run));
  assert_int_equal (asc_session_held_up (session, &run, told, 2), 1);
  assert_true (asc_lane_is_longest (lane, &run));
  if (asc_runs_visits > 2000)
    fail_msg ("%" G_GUINT64_FORMAT " runs and nodes were looked at", asc_runs_visits);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (by_scanning),
  cmocka_unit_test (of_a_run_that_goes_on),
  cmocka_unit_test (cost_is_what_lies_around),
};

ASC_TEST_MAIN (tests)
