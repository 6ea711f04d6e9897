/* Statistics, columns, runs and hogs against a plain scan of all runs, on random
 * programs. */
#include <math.h>

#include "asc-load.h"
#include "asc-stats.h"
#include "asc-test.h"
#include "world.h"

#define SEEDS 120

/* --- statistics -----------------------------------------------------------------------
 */

static void
check_task (const World *world,
            const AscStats *stats,
            const AscTaskStats *task,
            bool all,
            gint64 from,
            gint64 to)
{
  GArray *lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  AscLaneInfo primary;
  gint64 total = 0, late = -1, slack = world->slack_ns;
  gint64 tick = 1000000000 / world->info.tick_hz + 1, members = 0;
  guint64 censored = 0;
  asc_lane_info (task->lane, &primary);
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      if (info.kind != ASC_LANE_TASK || info.task != primary.index)
        continue;
      const GArray *runs = runs_of (world, l);
      members++;
      for (guint i = 0; i < runs->len; i++)
        {
          const AscRun *run = RUN (runs, i);
          bool inside = all || (run->start_ns >= from && run->end_ns <= to);
          assert_int_equal ((run->flags & ASC_RUN_TOUCHED) != 0, touched (world, run));
          if (inside && run->flags & ASC_RUN_CENSORED)
            censored++;
          if (run->flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED))
            continue;
          gint64 length = run->end_ns - run->start_ns;
          total += all ? length : overlap (run->start_ns, run->end_ns, from, to);
          if (!inside)
            continue;
          g_array_append_val (lengths, length);
          if (run->flags & ASC_RUN_LATE)
            late = MAX (late, run->late_ms * G_GINT64_CONSTANT (1000000));
        }
    }
  g_array_sort (lengths, by_value);
  guint n = lengths->len;
  assert_int_equal (task->runs, n);
  assert_int_equal (task->censored, censored);
  /* Borders are cut at whole ticks. */
  close_to (task->total_ns, total, slack * (n + 2) + (all ? 0 : 2 * tick * members),
            "total");
  assert_int_equal (task->late_max_ns, late);
  double seconds = (double)stats->observed_ns / 1e9;
  if (stats->observed_ns > 1000)
    assert_true (fabs (task->rate_hz * seconds - n) < 1e-4 * (n + 1));
  if (n > 0)
    {
#define LENGTH(i) g_array_index (lengths, gint64, i)
      double median = ((double)LENGTH ((n - 1) / 2) + (double)LENGTH (n / 2)) / 2;
      double sum = 0, squares = 0;
      for (guint i = 0; i < n; i++)
        sum += (double)LENGTH (i);
      for (guint i = 0; i < n; i++)
        squares += ((double)LENGTH (i) - sum / n) * ((double)LENGTH (i) - sum / n);
      double deviation = sqrt (squares / n);
      close_to (task->min_ns, LENGTH (0), slack, "min");
      close_to (task->max_ns, LENGTH (n - 1), slack, "max");
      close_to (task->p99_ns, LENGTH ((n * 99 + 99) / 100 - 1), slack, "p99");
      assert_true (fabs (task->median_ns - median) <= (double)slack);
      assert_true (fabs (task->mean_ns - sum / n) <= (double)slack + 1e-9 * sum / n);
      assert_true (fabs (task->stddev_ns - deviation)
                   <= (double)slack + 1e-6 * deviation);
    }
  else
    assert_int_equal (task->min_ns, -1);
  g_array_free (lengths, TRUE);
}

static void
check_stats (World *world, guint32 *dice)
{
  gint64 from = G_MININT64, to = G_MAXINT64;
  AscStats *stats = asc_stats_new (world->session, from, to, NULL);
  close_to (stats->observed_ns, observed (world, from, to), world->slack_ns * 1000,
            "observed");
  assert_int_equal (stats->lost_events, world->info.lost_events);
  for (gsize i = 0; i < stats->n_tasks; i++)
    check_task (world, stats, &stats->tasks[i], true, from, to);
  asc_stats_free (stats);
  for (int again = 0; again < 4; again++)
    {
      range_of (world, dice, &from, &to);
      stats = asc_stats_new (world->session, from, to, NULL);
      if (!world->slack_ns)
        for (gsize i = 0; i < stats->n_tasks; i++)
          check_task (world, stats, &stats->tasks[i], false, from, to);
      close_to (asc_session_observed_ns (world->session, from, to),
                observed (world, from, to), world->slack_ns ? 100000 : 1000, "observed");
      asc_stats_free (stats);
    }
}

/* --- columns, runs --------------------------------------------------------------------
 */

typedef struct
{
  gint64 busy_ns, longest_ns, late_ns;
  guint32 n;
} Plain;

static void
scan_column (const GArray *runs, gint64 a, gint64 b, Plain *out)
{
  *out = (Plain){ 0 };
  for (guint i = 0; a < b && i < runs->len; i++)
    {
      const AscRun *run = RUN (runs, i);
      if (run->flags & ASC_RUN_LATE)
        out->late_ns
            += overlap (run->start_ns - run->late_ms * G_GINT64_CONSTANT (1000000),
                        run->start_ns, a, b);
      bool stands
          = run->start_ns == run->end_ns && run->start_ns >= a && run->start_ns < b;
      if (!stands && overlap (run->start_ns, run->end_ns, a, b) == 0)
        continue;
      out->busy_ns += overlap (run->start_ns, run->end_ns, a, b);
      out->longest_ns = MAX (out->longest_ns, run->end_ns - run->start_ns);
      out->n++;
    }
}

static void
check_columns (World *world, guint32 *dice)
{
  AscColumn exact[200], tolerant[200];
  gint64 from, to;
  range_of (world, dice, &from, &to);
  guint n = 1 + asc_test_random (dice) % 200;
  guint l = asc_test_random (dice) % world->n_lanes;
  const AscLane *lane = asc_session_lane (world->session, l);
  gint64 hog = 1 + asc_test_random (dice) % 1000000;
  AscGrid *grid = asc_grid_new (world->session, from, to, n);
  asc_lane_columns (lane, grid, ASC_EXACT, hog, exact);
  asc_lane_columns (lane, grid, ASC_TOLERANT, hog, tolerant);
  assert_int_equal (grid->ns[n], MAX (from, to));
  for (guint i = 0; i < n; i++)
    {
      gint64 a = grid->ns[i], b = grid->ns[i + 1];
      Plain plain;
      assert_int_equal (a, from + (MAX (from, to) - from) * i / n);
      scan_column (runs_of (world, l), a, b, &plain);
      gint64 slack = world->slack_ns * (plain.n + 1);
      close_to (exact[i].busy_ns, plain.busy_ns, slack, "busy");
      assert_int_equal (exact[i].n, plain.n);
      close_to (tolerant[i].busy_ns, plain.busy_ns, (b - a) / 4 + 2 + slack, "tolerant");
      assert_true (tolerant[i].busy_ns == 0 || tolerant[i].n > 0);
      /* Rounded ticks may move either across a border of a nanosecond. */
      if (plain.longest_ns >= hog + slack || plain.longest_ns < hog - slack)
        {
          assert_int_equal (exact[i].hog, plain.longest_ns >= hog);
          assert_int_equal (tolerant[i].hog, plain.longest_ns >= hog);
        }
      if (plain.late_ns > slack || plain.late_ns == 0)
        assert_true (exact[i].waits == (plain.late_ns > 0) || slack > 0);
      if (plain.late_ns > slack)
        assert_true (exact[i].waits && tolerant[i].waits);
    }
  asc_grid_free (grid);
}

static void
check_long_runs (const World *world, guint l, gint64 from, gint64 to, gint64 least)
{
  const GArray *runs = runs_of (world, l);
  const AscLane *lane = asc_session_lane (world->session, l);
  gsize count = 0;
  AscRun *found = g_new (AscRun, runs->len + 1);
  gsize told = asc_lane_long_runs (lane, from, to, least, found, runs->len + 1);
  for (guint i = 0; i < runs->len; i++)
    {
      const AscRun *run = RUN (runs, i);
      if (run->start_ns >= to || run->end_ns <= from
          || run->end_ns - run->start_ns < least)
        continue;
      if (count < told)
        assert_int_equal (found[count].index, run->index);
      count++;
    }
  assert_int_equal (told, count);
  if (count > 1)
    assert_int_equal (asc_lane_long_runs (lane, from, to, least, found, 1), 2);
  g_free (found);
}

static void
check_runs (World *world, guint32 *dice)
{
  gint64 from, to;
  range_of (world, dice, &from, &to);
  guint l = asc_test_random (dice) % world->n_lanes;
  const GArray *runs = runs_of (world, l);
  const AscLane *lane = asc_session_lane (world->session, l);
  if (runs->len && asc_test_random (dice) % 2)
    {
      /* Borders that are runs' own. */
      from = RUN (runs, asc_test_random (dice) % runs->len)->end_ns;
      to = MAX (from, RUN (runs, asc_test_random (dice) % runs->len)->start_ns);
    }
  const AscRun *at = NULL, *before = NULL, *after = NULL;
  AscRun out[16], run;
  gsize count = 0;
  for (guint i = 0; i < runs->len; i++)
    {
      const AscRun *one = RUN (runs, i);
      bool stands = one->start_ns == one->end_ns && one->start_ns >= from;
      if (one->start_ns < to && (one->end_ns > from || stands))
        count++;
      if (one->start_ns <= from && from < one->end_ns)
        at = one;
      if (one->start_ns < from)
        before = one;
      if (one->start_ns > from && !after)
        after = one;
    }
  gsize told = asc_lane_runs (lane, from, to, out, 16);
  check_long_runs (world, l, from, to, asc_test_random (dice) % 3000000);
  for (gsize n = 0; n < count + 4 && !world->slack_ns; n++)
    {
      bool has = asc_lane_has_runs (lane, from, to, n);
      assert_true (has ? count >= n : count <= n + 2);
    }
  assert_int_equal (told, MIN (count, 17));
  assert_int_equal (asc_lane_run_at (lane, from, &run), at != NULL);
  if (at)
    assert_int_equal (run.index, at->index);
  assert_int_equal (asc_lane_run_before (lane, from, &run), before != NULL);
  if (before)
    assert_int_equal (run.index, before->index);
  assert_int_equal (asc_lane_run_after (lane, from, &run), after != NULL);
  if (after)
    assert_int_equal (run.index, after->index);
}

static guint n_delays; /* of all, so that something was compared */

static void
check_delays (const World *world, const AscHog *hogs, gsize n)
{
  bool whole;
  GArray *delays = asc_session_delays (world->session, hogs, n, &whole);
  guint count = 0;
  gint64 sum = 0;
  assert_true (whole);
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      const GArray *runs = runs_of (world, l);
      asc_lane_info (asc_session_lane (world->session, l), &info);
      for (guint i = 0; info.kind == ASC_LANE_TASK && i < runs->len; i++)
        for (gsize h = 0; RUN (runs, i)->flags & ASC_RUN_LATE && h < n; h++)
          {
            gint64 start = RUN (runs, i)->start_ns;
            gint64 due = start - RUN (runs, i)->late_ms * G_GINT64_CONSTANT (1000000);
            gint64 delay = overlap (due, start, hogs[h].start_ns, hogs[h].end_ns);
            count += delay > 0;
            sum += delay;
          }
    }
  assert_int_equal (delays->len, count);
  for (guint i = 0; i < delays->len; i++)
    {
      const AscDelay *delay = &g_array_index (delays, AscDelay, i);
      const AscDelay *before = delay - (i > 0);
      sum -= delay->delay_ns;
      assert_true (before->hog < delay->hog
                   || (before->hog == delay->hog && before->delay_ns >= delay->delay_ns));
    }
  assert_int_equal (sum, 0);
  n_delays += count;
  g_array_unref (delays);
}

static void
check_hogs (World *world, guint32 *dice)
{
  gint64 from, to, threshold = 100000 + asc_test_random (dice) % 3000000;
  range_of (world, dice, &from, &to);
  gsize count = 0;
  gint64 first = G_MAXINT64;
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      const GArray *runs = runs_of (world, l);
      for (guint i = 0; info.kind == ASC_LANE_TASK && i < runs->len; i++)
        if (RUN (runs, i)->end_ns - RUN (runs, i)->start_ns >= threshold
            && RUN (runs, i)->start_ns < to && RUN (runs, i)->end_ns > from)
          {
            count++;
            first = MIN (first, RUN (runs, i)->start_ns);
          }
    }
  AscHog *hogs = g_new (AscHog, count + 1);
  if (!world->slack_ns)
    {
      assert_int_equal (
          asc_session_hogs (world->session, threshold, from, to, hogs, count + 1), count);
      for (gsize i = 1; i < count; i++)
        assert_true (hogs[i - 1].start_ns <= hogs[i].start_ns);
      if (count > 1)
        {
          assert_int_equal (
              asc_session_hogs (world->session, threshold, from, to, hogs, 1), 2);
          assert_int_equal (hogs[0].start_ns, first);
          asc_session_hogs (world->session, threshold, from, to, hogs, count);
        }
      check_delays (world, hogs, count);
    }
  g_free (hogs);
}

/* Columns in which hogs begin, and the next and the previous one. */
static void
check_hogs_beside (World *world, guint32 *dice)
{
  gint64 from, to, threshold = 100000 + asc_test_random (dice) % 3000000;
  bool begins[64], want[64] = { false };
  range_of (world, dice, &from, &to);
  if (world->slack_ns)
    return;
  AscGrid *grid = asc_grid_new (world->session, from, to, 64);
  gint64 next = G_MAXINT64, before = G_MININT64;
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      const GArray *runs = runs_of (world, l);
      for (guint i = 0; info.kind == ASC_LANE_TASK && i < runs->len; i++)
        {
          const AscRun *run = RUN (runs, i);
          gint64 middle = run->start_ns + (run->end_ns - run->start_ns) / 2;
          if (run->end_ns - run->start_ns < threshold)
            continue;
          for (guint c = 0; c < 64; c++)
            want[c]
                = want[c]
                  || (run->start_ns >= grid->ns[c] && run->start_ns < grid->ns[c + 1]);
          next = middle > from ? MIN (next, middle) : next;
          before = middle < from ? MAX (before, middle) : before;
        }
    }
  asc_session_hog_columns (grid, threshold, begins);
  for (guint c = 0; c < 64; c++)
    assert_int_equal (begins[c], want[c]);
  for (int direction = -1; direction <= 1; direction += 2)
    {
      AscHog hog = { 0 };
      gint64 middle = direction > 0 ? next : before;
      bool any
          = asc_session_hog_beside (world->session, threshold, from, direction, &hog);
      assert_int_equal (any, middle != G_MAXINT64 && middle != G_MININT64);
      if (any)
        assert_int_equal (hog.start_ns + (hog.end_ns - hog.start_ns) / 2, middle);
    }
  asc_grid_free (grid);
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
      /* Asked on the way too: what is kept between questions must not go stale. */
      for (guint at = 0; at < random.stream->len; at += 5000)
        {
          asc_trace_feed (trace, random.stream->data + at,
                          MIN (5000, random.stream->len - at));
          AscSession *session
              = asc_trace_session (trace, MAX (asc_trace_n_sessions (trace), 1) - 1);
          if (session)
            asc_stats_free (asc_stats_new (session, G_MININT64, G_MAXINT64, NULL));
        }
      asc_trace_finish (trace);
      for (guint s = 0; s < random.n_sessions; s++)
        {
          World world;
          look (&world, trace, s);
          if (world.n_lanes > 0)
            {
              check_stats (&world, &dice);
              for (int again = 0; again < 6; again++)
                {
                  check_columns (&world, &dice);
                  check_runs (&world, &dice);
                  check_hogs (&world, &dice);
                  check_hogs_beside (&world, &dice);
                }
            }
          forget (&world);
        }
      asc_trace_free (trace);
      random_board_clear (&random);
    }
  assert_true (n_delays > 1000);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (by_scanning),
  };
  return asc_test_run (tests, G_N_ELEMENTS (tests));
}
