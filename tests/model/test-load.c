/* Load and margin of every core against a plain scan, on random programs. */
#include <math.h>

#include "asc-load.h"
#include "asc-test.h"
#include "world.h"

#define SEEDS 120
#define CORES 4

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

/* Whether a core's load is what is left of its idle time. */
static bool
idles (const World *world, guint core, bool sends_idle)
{
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      if (counts (&info, core, true))
        return true;
    }
  return sends_idle && core == 0;
}

static bool
has_core (const World *world, guint core)
{
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      if (counts (&info, core, true) || counts (&info, core, false))
        return true;
    }
  return false;
}

/* Sum of a core's idle time, or of its runs. */
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

static gint
by_start (gconstpointer a, gconstpointer b)
{
  return by_value (&((const AscRun *)a)->start_ns, &((const AscRun *)b)->start_ns);
}

/* A core's runs or idle times in order, whoever made them. */
static GArray *
merged (const World *world, guint core, bool from_idle)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (AscRun));
  for (guint l = 0; l < world->n_lanes; l++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (world->session, l), &info);
      const GArray *runs = runs_of (world, l);
      if (counts (&info, core, from_idle) && runs->len > 0)
        g_array_append_vals (all, runs->data, runs->len);
    }
  g_array_sort (all, by_start);
  return all;
}

/* How long a core was busy in a window: runs that overlap, of two threads, count once. */
static gint64
busy_in (const GArray *all, bool from_idle, gint64 from, gint64 to)
{
  gint64 sum = 0, end = from;
  for (guint i = 0; i < all->len && RUN (all, i)->start_ns < to; i++)
    {
      sum += overlap (RUN (all, i)->start_ns, RUN (all, i)->end_ns, end, to);
      end = MAX (end, RUN (all, i)->end_ns);
    }
  return from_idle ? to - from - sum : sum;
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
check_grid (World *world,
            const GArray *all,
            gint64 start,
            gint64 window,
            bool from_idle,
            double p99)
{
  gint64 tick = 1000000000 / world->info.tick_hz, step = window / tick / 10 * tick;
  GArray *shares = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (gint64 at = start; at + window <= world->info.watermark_ns; at += step)
    {
      gint64 busy = busy_in (all, from_idle, at, at + window);
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

/* The busiest window of a core, -1 without any: every place where it can be, one by one.
 */
static gint64
busiest (const World *world,
         const GArray *all,
         bool from_idle,
         gint64 start,
         gint64 window)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (places, start);
  for (guint i = 0; i < all->len; i++)
    {
      gint64 a = RUN (all, i)->start_ns, b = RUN (all, i)->end_ns;
      gint64 borders[] = { a, b, a - window, b - window };
      g_array_append_vals (places, borders, 4);
    }
  for (gsize i = 0; i < world->n_stretches; i++)
    {
      gint64 borders[]
          = { world->stretches[i].to_ns, world->stretches[i].from_ns - window };
      g_array_append_vals (places, borders, 2);
    }
  gint64 end = world->info.watermark_ns - window;
  g_array_append_val (places, end);
  gint64 best = -1;
  for (guint i = 0; i < places->len; i++)
    {
      gint64 at = g_array_index (places, gint64, i);
      if (at >= start && fully_observed (world, at, at + window))
        best = MAX (best, busy_in (all, from_idle, at, at + window));
    }
  g_array_free (places, TRUE);
  return best;
}

static void
check_margin (World *world, guint32 *dice, bool sends_idle)
{
  gint64 tick = 1000000000 / world->info.tick_hz;
  gint64 window = tick * (1000 + asc_test_random (dice) % 400000);
  gint64 warm_up = tick * (asc_test_random (dice) % 10000);
  gint64 start = MAX (world->info.start_ns + warm_up, world->info.first_ns);
  gint64 best = -1;
  for (guint core = 0; core < CORES; core++)
    {
      bool from_idle = idles (world, core, sends_idle);
      GArray *all = merged (world, core, from_idle);
      if (has_core (world, core))
        best = MAX (best, busiest (world, all, from_idle, start, window));
      g_array_free (all, TRUE);
    }
  AscMargin margin;
  asc_session_margin (world->session, window, warm_up, &margin);
  assert_int_equal (margin.known, best >= 0);
  if (best < 0)
    return;
  double share = (double)best / (double)window;
  bool from_idle = idles (world, margin.core, sends_idle);
  GArray *all = merged (world, margin.core, from_idle);
  assert_int_equal (margin.from_idle, from_idle);
  if (fabs (share - margin.worst) > 1e-9)
    fail_msg ("worst %.9f, by scanning %.9f", margin.worst, share);
  gint64 busy = busy_in (all, from_idle, margin.worst_at_ns, margin.worst_at_ns + window);
  assert_true (fabs ((double)busy / (double)window - share) < 1e-9);
  assert_true (margin.p99 <= margin.worst + 1e-9);
  check_grid (world, all, start, window, from_idle, margin.p99);
  assert_true (fabs (margin.margin - (1 - margin.worst)) < 1e-12);
  g_array_free (all, TRUE);
}

/* A core's busy share of [a, b), of which so much was observed. */
static double
share_of (const World *world, guint core, bool from_idle, gint64 a, gint64 b, gint64 all)
{
  gint64 lo = MAX (a, world->info.first_ns), hi = MIN (b, world->info.end_ns);
  gint64 sum = part (world, core, from_idle, lo, hi);
  for (gsize s = 0; s < world->n_stretches; s++)
    {
      gint64 x = MAX (world->stretches[s].from_ns, lo),
             y = MIN (world->stretches[s].to_ns, hi);
      if (x < y)
        sum -= part (world, core, from_idle, x, y);
    }
  double share = CLAMP ((double)sum / (double)all, 0, 1);
  return from_idle ? 1 - share : share;
}

static void
check_load (World *world, guint32 *dice, bool sends_idle)
{
  gint64 from, to;
  float out[64];
  guint n = 1 + asc_test_random (dice) % 64;
  range_of (world, dice, &from, &to);
  AscGrid *grid = asc_grid_new (world->session, from, to, n);
  asc_session_load (grid, ASC_EXACT, out);
  for (guint i = 0; i < n; i++)
    {
      gint64 a = grid->ns[i], b = grid->ns[i + 1];
      gint64 all = observed (world, a, b);
      /* With several contexts, what came after the one that idles spoke last is not told.
       */
      if (all < 100000 || (world->several && b > world->info.watermark_ns))
        continue;
      double share = 0;
      for (guint core = 0; core < CORES; core++)
        if (has_core (world, core))
          share = MAX (
              share, share_of (world, core, idles (world, core, sends_idle), a, b, all));
      if (fabs (share - (double)out[i]) > 0.03)
        fail_msg ("load %f, by scanning %f", (double)out[i], share);
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
          AscMargin margin;
          if (!session)
            continue;
          asc_session_margin (session, 20000000, 1000000, &margin);
        }
      asc_trace_finish (trace);
      for (guint s = 0; s < random.n_sessions; s++)
        {
          World world;
          look (&world, trace, s);
          if (world.n_lanes > 0)
            {
              world.several = random.n_contexts > 1;
              if (!world.slack_ns)
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
