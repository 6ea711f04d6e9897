/* Small streams whose outcome can be told by hand. */
#include "asc-board.h"
#include "asc-load.h"
#include "asc-runs.h"
#include "asc-stats.h"
#include "asc-test.h"
#include "asc-trace.h"

static AscTrace *
read_board (AscBoard *board, bool finish)
{
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board->out->data, board->out->len);
  if (finish)
    asc_trace_finish (trace);
  return trace;
}

static const AscLane *
find_lane (AscTrace *trace, guint session, AscLaneKind kind, const char *name)
{
  AscSession *one = asc_trace_session (trace, session);
  for (guint i = 0; i < asc_session_n_lanes (one); i++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (one, i), &info);
      if (info.kind == kind && strcmp (info.name, name) == 0)
        return asc_session_lane (one, i);
    }
  return NULL;
}

static void
two_tasks (AscBoard *board)
{
  asc_board_init (board, 1);
  board->hello.start_ticks = 1000;
  asc_board_hello (board, 1000);
  asc_board_name (board, 1, ASC_NAME_TASK, "app", "fast");
  asc_board_name (board, 2, ASC_NAME_TASK, "", "slow");
  asc_board_start (board, 0, 1000, 0, 1, 1);
  asc_board_start (board, 0, 1000, 1, 2, 2);
  asc_board_enter (board, 0, 1000, 0, -1);
  asc_board_exit (board, 0, 1100, ASC_EXIT_YIELD);
  asc_board_enter (board, 0, 1100, 1, 3);
  asc_board_exit (board, 0, 1400, ASC_EXIT_YIELD);
  asc_board_simple (board, 0, ASC_EVENT_IDLE, 1400, ASC_IDLE_TIMER, 600);
  asc_board_enter (board, 0, 2000, 0, -1);
  asc_board_exit (board, 0, 2200, ASC_EXIT_RETURN);
  asc_board_enter (board, 0, 2200, 1, 0);
}

static void
lanes_and_runs (void **state)
{
  (void)state;
  AscBoard board;
  two_tasks (&board);
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, false);
  assert_int_equal (asc_trace_n_sessions (trace), 1);
  AscSession *session = asc_trace_session (trace, 0);
  AscSessionInfo info;
  asc_session_info (session, &info);
  assert_true (info.hello_known && info.id_known && !info.ended);
  assert_int_equal (info.start_ns, 1000000);
  assert_int_equal (info.first_ns, 1000000);
  assert_int_equal (info.end_ns, 2200000);
  assert_int_equal (info.watermark_ns, 2200000);
  assert_int_equal (info.n_runs, 3);
  assert_string_equal (info.board, "test");
  assert_string_equal (info.program, "board");
  const AscLane *fast = find_lane (trace, 0, ASC_LANE_TASK, "app.fast");
  const AscLane *slow = find_lane (trace, 0, ASC_LANE_TASK, "slow");
  const AscLane *idle = find_lane (trace, 0, ASC_LANE_IDLE, "idle");
  assert_true (fast && slow && idle);
  AscRun runs[4];
  assert_int_equal (asc_lane_runs (fast, 0, G_MAXINT64, runs, 4), 2);
  assert_int_equal (runs[0].start_ns, 1000000);
  assert_int_equal (runs[0].end_ns, 1100000);
  assert_int_equal (runs[1].exit, ASC_EXIT_RETURN);
  assert_int_equal (runs[1].instance, 1);
  assert_int_equal (asc_lane_runs (slow, 0, G_MAXINT64, runs, 4), 2);
  assert_int_equal (runs[0].late_ms, 3);
  assert_int_equal (runs[0].flags, ASC_RUN_LATE);
  assert_int_equal (runs[1].flags, ASC_RUN_LATE | ASC_RUN_OPEN);
  assert_int_equal (runs[1].start_ns, 2200000);
  assert_int_equal (asc_lane_runs (idle, 0, G_MAXINT64, runs, 4), 1);
  assert_int_equal (runs[0].end_ns - runs[0].start_ns, 600000);
  assert_true (asc_lane_run_at (fast, 1099999, &runs[0]));
  assert_false (asc_lane_run_at (fast, 1100000, &runs[0]));
  assert_true (asc_lane_run_after (fast, 1000000, &runs[0]));
  assert_int_equal (runs[0].start_ns, 2000000);
  assert_true (asc_lane_run_before (slow, G_MAXINT64, &runs[0]));
  assert_int_equal (runs[0].start_ns, 2200000);
  assert_int_equal (asc_lane_runs (fast, 1100000, 2000000, runs, 4), 0);
  assert_int_equal (asc_lane_runs (fast, 1099999, 2000001, runs, 1), 2);
  AscLaneInfo lane;
  asc_lane_info (fast, &lane);
  assert_int_equal (lane.instances, 1);
  assert_int_equal (lane.alive, 0);
  assert_int_equal (lane.most, 1);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static void
statistics (void **state)
{
  (void)state;
  AscBoard board;
  two_tasks (&board);
  asc_board_exit (&board, 0, 2500, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, true);
  AscSession *session = asc_trace_session (trace, 0);
  for (int again = 0; again < 3; again++)
    {
      AscStats *stats = asc_stats_new (session, G_MININT64, G_MAXINT64, NULL);
      assert_int_equal (stats->n_tasks, 2);
      assert_int_equal (stats->observed_ns, 1500000);
      assert_true (stats->coverage == 1.0);
      const AscTaskStats *fast = &stats->tasks[0], *slow = &stats->tasks[1];
      assert_string_equal (fast->task, "app.fast");
      assert_int_equal (fast->runs, 2);
      assert_int_equal (fast->total_ns, 300000);
      assert_int_equal (fast->min_ns, 100000);
      assert_int_equal (fast->max_ns, 200000);
      assert_true (fast->median_ns == 150000.0);
      assert_true (fast->mean_ns == 150000.0);
      assert_int_equal (fast->p99_ns, 200000);
      assert_true (fast->stddev_ns == 50000.0);
      assert_int_equal (fast->late_max_ns, -1);
      assert_true (fast->cpu_percent == 20.0);
      assert_int_equal (slow->late_max_ns, 3000000);
      assert_int_equal (slow->runs, 2);
      asc_stats_free (stats);
    }
  /* Over the border: no length, but its share counts. */
  AscStats *part = asc_stats_new (session, 1050000, 2100000, NULL);
  assert_int_equal (part->tasks[0].runs, 0);
  assert_int_equal (part->tasks[0].total_ns, 150000);
  assert_int_equal (part->tasks[1].runs, 1);
  assert_int_equal (part->observed_ns, 1050000);
  assert_int_equal (part->tasks[0].min_ns, -1);
  asc_stats_free (part);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static void
columns (void **state)
{
  (void)state;
  AscBoard board;
  two_tasks (&board);
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, true);
  AscColumn out[6];
  AscGrid *grid = asc_grid_new (asc_trace_session (trace, 0), 1000000, 2200000, 6);
  asc_lane_columns (find_lane (trace, 0, ASC_LANE_TASK, "app.fast"), grid, ASC_EXACT,
                    200000, out);
  assert_int_equal (out[0].busy_ns, 100000);
  assert_int_equal (out[0].n, 1);
  assert_int_equal (out[1].n, 0);
  assert_int_equal (out[5].busy_ns, 200000);
  assert_true (out[5].hog && !out[0].hog);
  float load[6];
  asc_session_load (grid, ASC_EXACT, load);
  asc_grid_free (grid);
  assert_true (load[0] == 1.0f && load[1] == 1.0f && load[2] == 0.0f && load[5] == 1.0f);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static void
a_lost_frame (void **state)
{
  (void)state;
  AscBoard board;
  two_tasks (&board);
  asc_board_seal_all (&board);
  board.lose = TRUE;
  asc_board_exit (&board, 0, 2500, ASC_EXIT_YIELD);
  asc_board_enter (&board, 0, 3000, 1, -1);
  asc_board_seal_all (&board);
  board.lose = FALSE;
  asc_board_exit (&board, 0, 3400, ASC_EXIT_YIELD);
  asc_board_enter (&board, 0, 4000, 1, -1);
  asc_board_exit (&board, 0, 4010, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, true);
  const AscLane *slow = find_lane (trace, 0, ASC_LANE_TASK, "slow");
  AscRun runs[8];
  assert_int_equal (asc_lane_runs (slow, 0, G_MAXINT64, runs, 8), 4);
  assert_int_equal (runs[1].flags, ASC_RUN_CENSORED | ASC_RUN_LATE);
  assert_int_equal (runs[1].end_ns, 2200000);
  assert_int_equal (runs[2].flags, ASC_RUN_HEADLESS);
  assert_int_equal (runs[3].flags, 0);
  AscStretch stretches[2];
  AscSession *session = asc_trace_session (trace, 0);
  assert_int_equal (asc_session_stretches (session, 0, G_MAXINT64, stretches, 2), 1);
  assert_int_equal (stretches[0].kind, ASC_STRETCH_LOST);
  assert_int_equal (stretches[0].count, 2);
  assert_int_equal (stretches[0].from_ns, 2200000);
  assert_int_equal (stretches[0].to_ns, 3400000);
  AscStats *stats = asc_stats_new (session, G_MININT64, G_MAXINT64, NULL);
  assert_int_equal (stats->tasks[1].runs, 2);
  assert_int_equal (stats->tasks[1].censored, 1);
  assert_int_equal (stats->lost_events, 2);
  assert_int_equal (stats->observed_ns, 1810000);
  asc_stats_free (stats);
  AscProblem problem;
  assert_int_equal (asc_trace_n_problems (trace), 1);
  asc_trace_problem (trace, 0, &problem);
  assert_int_equal (problem.kind, ASC_PROBLEM_LOST);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static void
ticks_to_ns (void **state)
{
  (void)state;
  static const struct
  {
    guint32 hz;
    guint64 ticks;
    gint64 ns;
  } rows[] = {
    { 1000000, 5, 5000 },
    { 32768, 1, 30518 },  /* 30517.578… */
    { 32768, 3, 91553 },  /* 91552.734… */
    { 3, 1, 333333333 },  /* …,3 */
    { 3, 2, 666666667 },  /* …,6 */
    { 2000000000, 1, 1 }, /* half goes up */
    { 2000000000, 3, 2 },
    { 1000000000, G_GUINT64_CONSTANT (1) << 50, G_GINT64_CONSTANT (1) << 50 },
    { 1, G_GUINT64_CONSTANT (1) << 61, G_MAXINT64 / 4 }, /* the latest time */
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AscBoard board;
      asc_board_init (&board, 1);
      board.hello.tick_hz = rows[i].hz;
      asc_board_hello (&board, 0);
      AscTrace *trace = read_board (&board, false);
      AscSession *session = asc_trace_session (trace, 0);
      assert_int_equal (asc_session_ns (session, rows[i].ticks), rows[i].ns);
      asc_trace_free (trace);
      asc_board_clear (&board);
    }
}

/* Past 2^48 ticks, and a step back: the timeline goes on. */
static void
clock_goes_on (void **state)
{
  (void)state;
  guint64 top = G_GUINT64_CONSTANT (1) << 48;
  AscBoard board;
  AscRun runs[4];
  asc_board_init (&board, 1);
  asc_board_hello (&board, top - 100);
  asc_board_name (&board, 1, ASC_NAME_TASK, "", "t");
  asc_board_start (&board, 0, top - 100, 0, 1, 1);
  asc_board_enter (&board, 0, top - 50, 0, -1);
  asc_board_exit (&board, 0, top + 50, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  asc_board_enter (&board, 0, top + 100, 0, -1);
  asc_board_exit (&board, 0, top + 200, ASC_EXIT_YIELD);
  asc_encoder_discontinuity (&board.encoders[0], top - 1000, ASC_JUMP_BACK, 0);
  asc_board_seal_all (&board);
  asc_board_enter (&board, 0, top - 1000, 0, -1);
  asc_board_exit (&board, 0, top - 970, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, true);
  const AscLane *lane = find_lane (trace, 0, ASC_LANE_TASK, "t");
  assert_int_equal (asc_lane_runs (lane, G_MININT64, G_MAXINT64, runs, 4), 3);
  assert_int_equal (runs[0].start_ns, (gint64)(top - 50) * 1000);
  assert_int_equal (runs[1].start_ns, (gint64)(top + 100) * 1000);
  assert_int_equal (runs[2].start_ns, runs[1].end_ns);
  assert_int_equal (runs[2].end_ns - runs[2].start_ns, 30000);
  AscProblem problem;
  asc_trace_problem (trace, 0, &problem);
  assert_int_equal (problem.kind, ASC_PROBLEM_CLOCK);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static void
late_names (void **state)
{
  (void)state;
  AscBoard board;
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_start (&board, 0, 0, 0, 1, 7);
  asc_board_enter (&board, 0, 10, 0, -1);
  asc_board_exit (&board, 0, 20, ASC_EXIT_YIELD);
  asc_board_enter (&board, 0, 30, 5, -1);
  asc_board_exit (&board, 0, 40, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  const AscLane *lane = find_lane (trace, 0, ASC_LANE_TASK, "(name 7)");
  assert_non_null (lane);
  assert_non_null (find_lane (trace, 0, ASC_LANE_TASK, "(unknown task)"));
  assert_int_equal (asc_trace_n_problems (trace), 0);
  guint fed = board.out->len;
  asc_board_enter (&board, 0, 42, 6, -1);
  asc_board_exit (&board, 0, 43, ASC_EXIT_YIELD);
  asc_board_enter (&board, 0, 44, 6, -1);
  asc_board_exit (&board, 0, 45, ASC_EXIT_YIELD);
  asc_board_name_at (&board, 7, ASC_NAME_TASK, "m", "run", 12, 1);
  asc_board_name_at (&board, 8, ASC_NAME_TASK, "m", "run", 80, 2);
  asc_board_name_at (&board, 9, ASC_NAME_TASK, "__main__", "blink", 3, 3);
  asc_board_start (&board, 0, 50, 1, 2, 8);
  asc_board_enter (&board, 0, 50, 1, -1);
  asc_board_exit (&board, 0, 60, ASC_EXIT_YIELD);
  asc_board_start (&board, 0, 70, 2, 3, 9);
  asc_board_seal_all (&board);
  asc_trace_feed (trace, board.out->data + fed, board.out->len - fed);
  /* The same lane; and another code of the same name can be told apart. */
  assert_ptr_equal (find_lane (trace, 0, ASC_LANE_TASK, "m.run"), lane);
  assert_non_null (find_lane (trace, 0, ASC_LANE_TASK, "m.run:80"));
  /* Python's name for the program itself is left out. */
  assert_non_null (find_lane (trace, 0, ASC_LANE_TASK, "blink"));
  /* That the unknown ones are missing elsewhere is told once, from the first on. */
  AscProblem problem;
  assert_int_equal (asc_trace_n_problems (trace), 1);
  asc_trace_problem (trace, 0, &problem);
  assert_int_equal (problem.kind, ASC_PROBLEM_UNNAMED);
  assert_int_equal (problem.time_ns, 30000);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

static void
put_host (AscBoard *board, const guint8 *frame, gsize n)
{
  g_byte_array_append (board->out, frame, (guint)n);
}

static void
wall_clock_and_cuts (void **state)
{
  (void)state;
  AscBoard board;
  guint8 frame[ASC_FRAME_MAX];
  asc_board_init (&board, 1);
  AscFileHead head = { .nonce = 99,
                       .version = ASC_FILE_VERSION,
                       .created_ns = 5,
                       .source = { "x", 1 },
                       .writer = { "y", 1 } };
  put_host (&board, frame, asc_encode_file_head (frame, &head));
  board.hello.start_ticks = 1000;
  asc_board_hello (&board, 1000);
  guint16 sequence = 1;
  /* Latencies of 30, 2 and 9 ms: the least counts. A step of the wall clock does not. */
  static const gint64 wall[] = { 5000031000000, 5001003000000, 9002010000000 };
  static const gint64 boot[] = { 700031000000, 701003000000, 702010000000 };
  for (int i = 0; i < 3; i++)
    {
      asc_board_simple (&board, 0, ASC_EVENT_MARK, 1000 + (guint64)i * 1000000, 3, 0);
      asc_board_seal_all (&board);
      AscAnchor anchor = { wall[i], boot[i], 0 };
      put_host (&board, frame, asc_encode_anchor (frame, 99, sequence++, &anchor));
    }
  AscCut cut = { ASC_CUT_RANGE, board.hello.session_id, 500000, 600000, 1234 };
  put_host (&board, frame, asc_encode_cut (frame, 99, sequence++, &cut));
  AscTrace *trace = asc_trace_new (ASC_FROM_FILE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  asc_trace_finish (trace);
  AscTraceHead told;
  asc_trace_head (trace, &told);
  assert_true (told.has_head && told.created_ns == 5);
  AscSessionInfo info;
  AscStretch stretch;
  AscSession *session = asc_trace_session (trace, 0);
  asc_session_info (session, &info);
  assert_int_equal (info.wall_ns, 5000003000000);
  assert_int_equal (asc_session_stretches (session, 0, G_MAXINT64, &stretch, 1), 1);
  assert_int_equal (stretch.kind, ASC_STRETCH_NOT_KEPT);
  assert_int_equal (info.lost_events, 0);
  assert_int_equal (asc_session_observed_ns (session, G_MININT64, G_MAXINT64),
                    1900000000);
  AscBoardMark marks[4];
  assert_int_equal (asc_session_marks (session, 0, G_MAXINT64, marks, 4), 3);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

/* A column costs nodes of the pyramid, not runs. */
static void
cost_of_columns (void **state)
{
  (void)state;
  AscBoard board;
  AscColumn out[100];
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_start (&board, 0, 0, 0, 1, 1);
  for (guint i = 0; i < 100000; i++)
    {
      asc_board_enter (&board, 0, i * 10, 0, -1);
      asc_board_exit (&board, 0, i * 10 + 5, ASC_EXIT_YIELD);
    }
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, true);
  const AscLane *lane = find_lane (trace, 0, ASC_LANE_TASK, "(name 1)");
  const AscSession *session = asc_trace_session (trace, 0);
  AscGrid *all = asc_grid_new (session, 0, 1000000000, 100);
  AscGrid *few = asc_grid_new (session, 500000000, 500010000, 100);
  guint64 before = asc_runs_visits;
  asc_lane_columns (lane, all, ASC_EXACT, ASC_HOG_NS, out);
  assert_int_equal (out[50].busy_ns, 5000000);
  assert_true (asc_runs_visits - before < 100 * 40);
  before = asc_runs_visits;
  asc_lane_columns (lane, all, ASC_TOLERANT, ASC_HOG_NS, out);
  assert_in_range (out[50].busy_ns, 5000000 - 10, 5000000 + 10);
  assert_true (asc_runs_visits - before < 100 * 4);
  before = asc_runs_visits;
  asc_lane_columns (lane, few, ASC_EXACT, ASC_HOG_NS, out);
  assert_true (asc_runs_visits - before < 300);
  asc_grid_free (all);
  asc_grid_free (few);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

/* Where 32 runs take less than half a column: what is not looked at is near. */
static void
tolerant_columns (void **state)
{
  (void)state;
  enum
  {
    N = 457
  };
  AscBoard board;
  AscColumn exact[N], tolerant[N];
  guint32 dice = asc_test_seed ();
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_start (&board, 0, 0, 0, 1, 1);
  guint64 at = 0;
  for (guint i = 0; i < 60000; i++)
    {
      bool hog = asc_test_random (&dice) % 200 == 0;
      bool late = i / 4000 % 3 == 1 && asc_test_random (&dice) % 50 == 0;
      at += asc_test_random (&dice) % 30;
      asc_board_enter (&board, 0, at, 0, late ? (int)(asc_test_random (&dice) % 40) : -1);
      at += hog ? 300 : asc_test_random (&dice) % 20;
      asc_board_exit (&board, 0, at, ASC_EXIT_YIELD);
    }
  asc_board_seal_all (&board);
  AscTrace *trace = read_board (&board, true);
  const AscLane *lane = find_lane (trace, 0, ASC_LANE_TASK, "(name 1)");
  gint64 end = (gint64)at * 1000;
  AscGrid *grid = asc_grid_new (asc_trace_session (trace, 0), end / 10, end, N);
  asc_lane_columns (lane, grid, ASC_EXACT, 300000, exact);
  guint64 before = asc_runs_visits;
  asc_lane_columns (lane, grid, ASC_TOLERANT, 300000, tolerant);
  assert_true (asc_runs_visits - before < 60000 / 2);
  guint hogs = 0, waits = 0, differ = 0;
  for (guint i = 0; i < N; i++)
    {
      gint64 width = grid->ns[i + 1] - grid->ns[i];
      assert_in_range (tolerant[i].busy_ns + width, exact[i].busy_ns + width * 3 / 4 - 2,
                       exact[i].busy_ns + width * 5 / 4 + 2);
      assert_true (tolerant[i].busy_ns == 0 || tolerant[i].n > 0);
      assert_int_equal (tolerant[i].hog, exact[i].hog);
      assert_true (tolerant[i].waits || !exact[i].waits);
      if (tolerant[i].waits && !exact[i].waits)
        {
          bool near = false;
          for (guint k = i > 2 ? i - 2 : 0; k < MIN (i + 3, N); k++)
            near = near || exact[k].waits;
          assert_true (near);
        }
      hogs += exact[i].hog;
      waits += exact[i].waits;
      differ += exact[i].busy_ns != tolerant[i].busy_ns;
    }
  assert_true (hogs > 0 && waits > 0 && waits < N && differ > N / 2);
  asc_grid_free (grid);
  asc_trace_free (trace);
  asc_board_clear (&board);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (lanes_and_runs),  cmocka_unit_test (statistics),
    cmocka_unit_test (columns),         cmocka_unit_test (a_lost_frame),
    cmocka_unit_test (ticks_to_ns),     cmocka_unit_test (clock_goes_on),
    cmocka_unit_test (late_names),      cmocka_unit_test (wall_clock_and_cuts),
    cmocka_unit_test (cost_of_columns), cmocka_unit_test (tolerant_columns),
  };
  return asc_test_run (tests, G_N_ELEMENTS (tests));
}
