#include "world.h"

#include "asc-test.h"

void
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
      AscLaneInfo info;
      asc_lane_info (lane, &info);
      g_array_set_size (runs, info.kind < ASC_LANE_PIN ? (guint)info.n_runs + 1 : 0);
      if (info.kind < ASC_LANE_PIN)
        g_array_set_size (runs, (guint)asc_lane_runs (lane, G_MININT64, G_MAXINT64,
                                                      &g_array_index (runs, AscRun, 0),
                                                      info.n_runs + 1));
      g_array_append_val (world->lanes, runs);
    }
  world->n_stretches
      = asc_session_stretches (world->session, G_MININT64, G_MAXINT64, NULL, 0);
  world->stretches = g_new (AscStretch, world->n_stretches + 1);
  asc_session_stretches (world->session, G_MININT64, G_MAXINT64, world->stretches,
                         world->n_stretches);
  world->slack_ns = 1000000000 % world->info.tick_hz ? 2 : 0;
}

void
forget (World *world)
{
  for (guint i = 0; i < world->n_lanes; i++)
    g_array_free (g_array_index (world->lanes, GArray *, i), TRUE);
  g_array_free (world->lanes, TRUE);
  g_free (world->stretches);
}

const GArray *
runs_of (const World *world, guint lane)
{
  return g_array_index (world->lanes, GArray *, lane);
}

gint64
overlap (gint64 a, gint64 b, gint64 from, gint64 to)
{
  gint64 low = MAX (a, from), high = MIN (b, to);
  return low < high ? high - low : 0;
}

gint64
observed (const World *world, gint64 from, gint64 to)
{
  gint64 sum = overlap (world->info.first_ns, world->info.end_ns, from, to);
  from = MAX (from, world->info.first_ns);
  to = MIN (to, world->info.end_ns);
  for (gsize i = 0; i < world->n_stretches; i++)
    sum -= overlap (world->stretches[i].from_ns, world->stretches[i].to_ns, from, to);
  return sum;
}

bool
touched (const World *world, const AscRun *run)
{
  for (gsize i = 0; i < world->n_stretches; i++)
    if (run->start_ns < world->stretches[i].to_ns
        && run->end_ns > world->stretches[i].from_ns)
      return true;
  return false;
}

void
close_to (gint64 a, gint64 b, gint64 slack, const char *what)
{
  if (a - b > slack || b - a > slack)
    fail_msg ("%s: %" G_GINT64_FORMAT ", by scanning %" G_GINT64_FORMAT, what, a, b);
}

void
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

gint
by_value (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}
