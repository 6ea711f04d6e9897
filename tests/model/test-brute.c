/* Every question against a plain scan of all runs, on random programs. */
#include <math.h>

#include "asc-load.h"
#include "asc-stats.h"
#include "asc-test.h"
#include "random-board.h"

#define SEEDS 120

typedef struct
{
  AscTrace *trace;
  AscSession *session;
  AscSessionInfo info;
  guint n_lanes;
  GArray *lanes; /* GArray * of AscRun */
  AscStretch *stretches;
  gsize n_stretches;
  gint64 slack_ns; /* of lengths, where a tick is no whole number of ns */
} World;

static void
look (World *world, AscTrace *trace, guint index)
{
  *world = (World){ .trace = trace, .session = asc_trace_session (trace, index) };
  asc_session_info (world->session, &world->info);
  world->n_lanes = asc_session_n_lanes (world->session);
  world->lanes = g_array_new (FALSE, FALSE, sizeof (GArray *));
  for (guint i = 0; i < world->n_lanes; i++)
    {
      AscLane *lane = asc_session_lane (world->session, i);
      GArray *runs = g_array_new (FALSE, FALSE, sizeof (AscRun));
      AscRun run;
      AscLaneInfo info;
      asc_lane_info (lane, &info);
      g_array_set_size (runs, info.kind < ASC_LANE_PIN ? (guint)info.n_runs + 1 : 0);
      if (info.kind < ASC_LANE_PIN)
        g_array_set_size (runs, (guint)asc_lane_runs (lane, G_MININT64, G_MAXINT64,
                                                      &g_array_index (runs, AscRun, 0),
                                                      info.n_runs + 1));
      (void)run;
      g_array_append_val (world->lanes, runs);
    }
  world->n_stretches
      = asc_session_stretches (world->session, G_MININT64, G_MAXINT64, NULL, 0);
  world->stretches = g_new (AscStretch, world->n_stretches + 1);
  asc_session_stretches (world->session, G_MININT64, G_MAXINT64, world->stretches,
                         world->n_stretches);
  world->slack_ns = 1000000000 % world->info.tick_hz ? 2 : 0;
}

static void
forget (World *world)
{
  for (guint i = 0; i < world->n_lanes; i++)
    g_array_free (g_array_index (world->lanes, GArray *, i), TRUE);
  g_array_free (world->lanes, TRUE);
  g_free (world->stretches);
}

static const GArray *
runs_of (const World *world, guint lane)
{
  return g_array_index (world->lanes, GArray *, lane);
}

#define RUN(array, i) (&g_array_index (array, AscRun, i))

static gint64
overlap (gint64 a, gint64 b, gint64 from, gint64 to)
{
  gint64 low = MAX (a, from), high = MIN (b, to);
  return low < high ? high - low : 0;
}

static gint64
observed (const World *world, gint64 from, gint64 to)
{
  gint64 sum = overlap (world->info.first_ns, world->info.end_ns, from, to);
  from = MAX (from, world->info.first_ns);
  to = MIN (to, world->info.end_ns);
  for (gsize i = 0; i < world->n_stretches; i++)
    sum -= overlap (world->stretches[i].from_ns, world->stretches[i].to_ns, from, to);
  return sum;
}

static bool
touched (const World *world, const AscRun *run)
{
  for (gsize i = 0; i < world->n_stretches; i++)
    if (run->start_ns < world->stretches[i].to_ns
        && run->end_ns > world->stretches[i].from_ns)
      return true;
  return false;
}

static void
close_to (gint64 a, gint64 b, gint64 slack, const char *what)
{
  if (a - b > slack || b - a > slack)
    fail_msg ("%s: %" G_GINT64_FORMAT ", by scanning %" G_GINT64_FORMAT, what, a, b);
}

static void
range_of (World *world, guint32 *dice, gint64 *from, gint64 *to)
{
  gint64 span = world->info.end_ns - world->info.first_ns + 1;
  gint64 a = world->info.first_ns
             + (gint64)((double)span * (asc_test_random (dice) % 1000) / 999);
  gint64 b = world->info.first_ns
             + (gint64)((double)span * (asc_test_random (dice) % 1000) / 999);
  if (asc_test_random (dice) % 3 == 0)
    b = a + span / 50;
  if (asc_test_random (dice) % 6 == 0)
    {
      a = world->info.first_ns - span / 10;
      b = world->info.end_ns + span / 10;
    }
  *from = MIN (a, b);
  *to = MAX (a, b) + 1;
}

/* --- statistics -----------------------------------------------------------------------
 */

static gint
by_value (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

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

static void
scan_column (const GArray *runs, gint64 a, gint64 b, AscColumn *out)
{
  *out = (AscColumn){ 0 };
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
      out->flags |= run->flags & ~(guint)ASC_RUN_TOUCHED;
    }
  out->late_ns = MIN (out->late_ns, b - a);
}

static void
check_columns (World *world, guint32 *dice)
{
  AscColumn exact[200], tolerant[200], plain;
  gint64 from, to;
  range_of (world, dice, &from, &to);
  guint n = 1 + asc_test_random (dice) % 200;
  guint l = asc_test_random (dice) % world->n_lanes;
  const AscLane *lane = asc_session_lane (world->session, l);
  gint64 hog = 1 + asc_test_random (dice) % 1000000;
  asc_lane_columns (lane, from, to, n, ASC_EXACT, hog, exact);
  asc_lane_columns (lane, from, to, n, ASC_TOLERANT, hog, tolerant);
  for (guint i = 0; i < n; i++)
    {
      gint64 a = asc_column_border (from, to, i, n),
             b = asc_column_border (from, to, i + 1, n);
      scan_column (runs_of (world, l), a, b, &plain);
      gint64 slack = world->slack_ns * (plain.n + 1);
      close_to (exact[i].busy_ns, plain.busy_ns, slack, "busy");
      close_to (exact[i].longest_ns, plain.longest_ns, slack, "longest");
      close_to (exact[i].late_ns, plain.late_ns, slack, "late");
      assert_int_equal (exact[i].n, plain.n);
      assert_int_equal (exact[i].flags, plain.flags);
      close_to (tolerant[i].busy_ns, plain.busy_ns, (b - a) / 2 + 2 + slack, "tolerant");
      if (plain.longest_ns >= hog + slack)
        assert_true (tolerant[i].longest_ns >= hog);
    }
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
        }
    }
  g_free (hogs);
}

/* --- load, margin ---------------------------------------------------------------------
 */

/* The runs that make a core idle (from_idle) or busy. */
static bool
counts (const AscLaneInfo *info, guint core, bool from_idle)
{
  if (info->core != core)
    return false;
  if (from_idle)
    return info->kind == ASC_LANE_IDLE;
  return info->kind == ASC_LANE_TASK && !info->nested
         && ASC_CONTEXT_KIND (info->context) != ASC_CONTEXT_INTERRUPT;
}

static gint64
part (const World *world, guint core, bool from_idle, gint64 from, gint64 to)
{
  gint64 sum = 0;
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      const GArray *runs = runs_of (world, l);
      for (guint i = 0; counts (&info, core, from_idle) && i < runs->len; i++)
        sum += overlap (RUN (runs, i)->start_ns, RUN (runs, i)->end_ns, from, to);
    }
  return sum;
}

static bool
fully_observed (const World *world, gint64 from, gint64 to)
{
  if (from < world->info.first_ns || to > world->info.watermark_ns)
    return false;
  for (gsize i = 0; i < world->n_stretches; i++)
    if (world->stretches[i].from_ns < to && world->stretches[i].to_ns > from)
      return false;
  return true;
}

/* The P99 of the windows that begin at each tenth of a window from the warm-up's end. */
static void
check_grid (World *world, gint64 start, gint64 window, bool from_idle, double p99)
{
  gint64 tick = 1000000000 / world->info.tick_hz, step = window / tick / 10 * tick;
  GArray *shares = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 at = start; at + window <= world->info.watermark_ns; at += step)
    {
      gint64 busy = part (world, 0, from_idle, at, at + window);
      busy = from_idle ? window - busy : busy;
      if (fully_observed (world, at, at + window))
        g_array_append_val (shares, busy);
    }
  g_array_sort (shares, by_value);
  guint n = shares->len;
  double plain = n ? (double)g_array_index (shares, gint64, (n * 99 + 99) / 100 - 1)
                         / (double)window
                   : 0;
  if (fabs (plain - p99) > 1e-9)
    fail_msg ("p99 %f, by scanning %f of %u", p99, plain, n);
  g_array_free (shares, TRUE);
}

/* Core 0 of a program with one context: every place where the least can be, one by one.
 */
static void
check_margin (World *world, guint32 *dice, bool from_idle)
{
  gint64 tick = 1000000000 / world->info.tick_hz;
  gint64 window = tick * (1000 + asc_test_random (dice) % 400000);
  gint64 warm_up = tick * (asc_test_random (dice) % 10000);
  gint64 start = MAX (world->info.start_ns + warm_up, world->info.first_ns);
  GArray *places = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (places, start);
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      const GArray *runs = runs_of (world, l);
      for (guint i = 0; counts (&info, 0, from_idle) && i < runs->len; i++)
        {
          gint64 a = RUN (runs, i)->start_ns, b = RUN (runs, i)->end_ns;
          gint64 all[] = { a, b, a - window, b - window };
          g_array_append_vals (places, all, 4);
        }
    }
  for (gsize i = 0; i < world->n_stretches; i++)
    {
      gint64 all[] = { world->stretches[i].to_ns, world->stretches[i].from_ns - window };
      g_array_append_vals (places, all, 2);
    }
  gint64 end = world->info.watermark_ns - window;
  g_array_append_val (places, end);
  gint64 best = -1;
  for (guint i = 0; i < places->len; i++)
    {
      gint64 at = g_array_index (places, gint64, i);
      if (at < start || !fully_observed (world, at, at + window))
        continue;
      gint64 busy = part (world, 0, from_idle, at, at + window);
      busy = from_idle ? window - busy : busy;
      best = MAX (best, busy);
    }
  AscMargin margin;
  asc_session_margin (world->session, window, warm_up, &margin);
  assert_int_equal (margin.known, best >= 0);
  assert_int_equal (margin.from_idle, from_idle);
  if (best >= 0)
    {
      double share = (double)best / (double)window;
      if (fabs (share - margin.worst) > 1e-9)
        fail_msg ("worst %.9f, by scanning %.9f", margin.worst, share);
      gint64 busy
          = part (world, 0, from_idle, margin.worst_at_ns, margin.worst_at_ns + window);
      assert_true (
          fabs ((double)(from_idle ? window - busy : busy) / (double)window - share)
          < 1e-9);
      assert_true (margin.p99 <= margin.worst + 1e-9);
      check_grid (world, start, window, from_idle, margin.p99);
      assert_true (fabs (margin.margin - (1 - margin.worst)) < 1e-12);
    }
  g_array_free (places, TRUE);
}

static void
check_load (World *world, guint32 *dice, bool from_idle)
{
  gint64 from, to;
  float out[64];
  guint n = 1 + asc_test_random (dice) % 64;
  range_of (world, dice, &from, &to);
  asc_session_load (world->session, from, to, n, out);
  for (guint i = 0; i < n; i++)
    {
      gint64 a = asc_column_border (from, to, i, n),
             b = asc_column_border (from, to, i + 1, n);
      gint64 all = observed (world, a, b);
      if (all < 100000)
        continue;
      gint64 lo = MAX (a, world->info.first_ns), hi = MIN (b, world->info.end_ns);
      gint64 sum = part (world, 0, from_idle, lo, hi);
      for (gsize s = 0; s < world->n_stretches; s++)
        {
          gint64 x = MAX (world->stretches[s].from_ns, lo),
                 y = MIN (world->stretches[s].to_ns, hi);
          if (x < y)
            sum -= part (world, 0, from_idle, x, y);
        }
      double share = (double)sum / (double)all;
      share = from_idle ? 1 - share : share;
      if (fabs (CLAMP (share, 0, 1) - (double)out[i]) > 0.03)
        fail_msg ("load %f, by scanning %f", (double)out[i], share);
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
      /* Asked on the way too: what is kept between questions must not go stale. */
      for (guint at = 0; at < random.stream->len; at += 5000)
        {
          asc_trace_feed (trace, random.stream->data + at,
                          MIN (5000, random.stream->len - at));
          AscSession *session
              = asc_trace_session (trace, MAX (asc_trace_n_sessions (trace), 1) - 1);
          AscMargin margin;
          if (!session)
            continue;
          asc_stats_free (asc_stats_new (session, G_MININT64, G_MAXINT64, NULL));
          asc_session_margin (session, 20000000, 1000000, &margin);
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
                }
              if (random.n_contexts == 1 && !world.slack_ns)
                {
                  for (int again = 0; again < 4; again++)
                    check_margin (&world, &dice, random.sends_idle);
                  check_load (&world, &dice, random.sends_idle);
                }
            }
          forget (&world);
        }
      asc_trace_free (trace);
      random_board_clear (&random);
    }
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (by_scanning),
  };
  return asc_test_run (tests, G_N_ELEMENTS (tests));
}
