/* One thread feeds while two ask. Meant for ThreadSanitizer; without it, it still checks
 * that what was read never shrinks and is in order. */
#include <pthread.h>

#include "asc-load.h"
#include "asc-stats.h"
#include "asc-test.h"
#include "random-board.h"

/* cmocka's own assertions end the whole program, without a word, on a thread that is not
 * the test's. */
#define check(is) ((is) ? (void)0 : failed (#is, __LINE__))

static void
failed (const char *what, int line)
{
  fprintf (stderr, "%s:%d: not so: %s\n", __FILE__, line, what);
  abort ();
}

typedef struct
{
  AscTrace *trace;
  _Atomic int done;
} Shared;

static void
ask_lane (const AscSession *session, AscLane *lane, guint32 *dice)
{
  AscLaneInfo info;
  AscRun runs[64];
  AscColumn columns[50];
  AscSample samples[8];
  AscSampleColumn sample_columns[20];
  asc_lane_info (lane, &info);
  check (info.name != NULL);
  if (info.kind >= ASC_LANE_PIN && info.kind <= ASC_LANE_MARK)
    {
      asc_lane_samples (lane, 0, G_MAXINT64, samples, 8);
      AscGrid *grid = asc_grid_new (session, 0, G_MAXINT64 / 2, 20);
      asc_lane_sample_columns (lane, grid, sample_columns);
      asc_grid_free (grid);
      return;
    }
  gint64 from = (gint64)(asc_test_random (dice) % 1000000) * 1000;
  gsize n = asc_lane_runs (lane, from, G_MAXINT64, runs, 64);
  for (gsize i = 1; i < MIN (n, 64); i++)
    check (runs[i - 1].end_ns <= runs[i].start_ns);
  AscGrid *grid = asc_grid_new (session, from, from + 100000000, 50);
  asc_lane_columns (lane, grid, asc_test_random (dice) % 2 ? ASC_EXACT : ASC_TOLERANT,
                    1000000, columns);
  asc_grid_free (grid);
  AscRun run;
  if (asc_lane_run_before (lane, G_MAXINT64, &run))
    check (run.start_ns <= run.end_ns);
  asc_lane_rank (lane, 1000000);
}

static void
ask_session (AscSession *session, guint32 *dice)
{
  AscSessionInfo info;
  AscStretch stretches[8];
  AscMargin margin;
  AscHog hogs[8];
  float load[30];
  asc_session_info (session, &info);
  asc_session_stretches (session, 0, G_MAXINT64, stretches, 8);
  for (guint i = 0; i < asc_session_n_lanes (session); i++)
    ask_lane (session, asc_session_lane (session, i), dice);
  asc_session_margin (session, 20000000, 1000000, &margin);
  AscGrid *grid = asc_grid_new (session, info.first_ns, info.end_ns + 1, 30);
  asc_session_load (grid, ASC_EXACT, load);
  asc_grid_free (grid);
  asc_session_hogs (session, 1000000, G_MININT64, G_MAXINT64, hogs, 8);
  AscBoardMark marks[4];
  asc_session_marks (session, G_MININT64, G_MAXINT64, marks, 4);
  AscStats *stats = asc_stats_new (session, G_MININT64, G_MAXINT64, NULL);
  guint64 runs = 0;
  for (gsize i = 0; i < stats->n_tasks; i++)
    runs += stats->tasks[i].runs;
  /* Asked later, the session knows of as many at least. */
  asc_session_info (session, &info);
  check (runs <= info.n_runs);
  asc_stats_free (stats);
  asc_stats_free (asc_stats_new (session, info.first_ns, info.end_ns, NULL));
}

static void *
ask (void *user)
{
  Shared *shared = user;
  guint32 dice = 12345;
  guint64 last = 0;
  for (int rounds = 0; rounds < 40 || !shared->done; rounds++)
    {
      guint64 serial = asc_trace_serial (shared->trace);
      check (serial >= last);
      last = serial;
      AscDecoderTotals totals;
      char text[256];
      asc_trace_totals (shared->trace, &totals);
      asc_trace_text (shared->trace, 0, text, sizeof text);
      for (gsize i = 0; i < asc_trace_n_problems (shared->trace); i++)
        {
          AscProblem problem;
          asc_trace_problem (shared->trace, i, &problem);
        }
      for (guint i = 0; i < asc_trace_n_sessions (shared->trace); i++)
        ask_session (asc_trace_session (shared->trace, i), &dice);
    }
  return NULL;
}

static void
feed_and_ask (void **state)
{
  (void)state;
  for (guint32 seed = 3; seed < 9; seed++)
    {
      RandomBoard random;
      pthread_t readers[2];
      random_board_make (&random, seed);
      Shared shared = { asc_trace_new (ASC_FROM_WIRE), 0 };
      for (int i = 0; i < 2; i++)
        assert_int_equal (pthread_create (&readers[i], NULL, ask, &shared), 0);
      for (guint at = 0; at < random.stream->len; at += 200)
        {
          asc_trace_feed (shared.trace, random.stream->data + at,
                          MIN (200, random.stream->len - at));
          if (at % 5000 == 0)
            g_usleep (500);
        }
      asc_trace_finish (shared.trace);
      shared.done = 1;
      for (int i = 0; i < 2; i++)
        pthread_join (readers[i], NULL);
      asc_trace_free (shared.trace);
      random_board_clear (&random);
    }
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (feed_and_ask),
  };
  return asc_test_run (tests, G_N_ELEMENTS (tests));
}
