/* How busy a core was (STATISTICS.md). */
#include "asc-model.h"

#include <string.h>

bool
asc_load_counts (const AscLane *lane, guint core)
{
  return lane->kind == ASC_LANE_TASK && !lane->nested
         && ASC_CONTEXT_CORE (lane->context) == core
         && ASC_CONTEXT_KIND (lane->context) != ASC_CONTEXT_INTERRUPT;
}

const AscLane *
asc_load_idle_lane (const AscSession *session, guint core)
{
  guint n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      if (lane->kind == ASC_LANE_IDLE && ASC_CONTEXT_CORE (lane->context) == core)
        return lane;
    }
  return NULL;
}

bool
asc_load_from_idle (const AscSession *session, guint core)
{
  /* The capability is the loop's, which is core 0's: a thread elsewhere has no idle. */
  return (core == 0 && asc_get (&session->capabilities) & ASC_CAN_IDLE)
         || asc_load_idle_lane (session, core);
}

bool
asc_load_has_core (const AscSession *session, guint core)
{
  guint n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      if (asc_load_counts (lane, core)
          || (lane->kind == ASC_LANE_IDLE && ASC_CONTEXT_CORE (lane->context) == core))
        return true;
    }
  return false;
}

guint64
asc_load_observed_part (const AscLane *lane, guint64 from, guint64 to)
{
  const AscSession *session = lane->session;
  AscRunsView view = asc_runs_view (&lane->runs);
  guint64 sum = asc_runs_busy (&view, from, to);
  guint64 n = asc_list_length (&session->stretches);
  for (guint64 i = asc_stretches_find (session, from); i < n; i++)
    {
      const AscTickStretch *stretch = asc_list_at (&session->stretches, i);
      guint64 a = MAX (asc_get (&stretch->from), from);
      guint64 b = MIN (asc_get (&stretch->to), to);
      if (a >= to)
        break;
      sum -= asc_runs_busy (&view, a, b);
    }
  return sum;
}

guint64
asc_load_known (const AscSession *session, guint core)
{
  guint64 known = asc_get (&session->watermark);
  const AscLane *idle = asc_load_idle_lane (session, core);
  if (idle && !asc_get (&session->ended))
    known = MIN (known, asc_get (&idle->known));
  return known;
}

typedef struct
{
  const AscGrid *grid;
  AscPrecision precision;
  gint64 *parts; /* idle, or sum of runs, ns a column */
  AscColumn *columns;
} Parts;

static void
add_lane (const AscLane *lane, Parts *parts)
{
  asc_lane_columns (lane, parts->grid, parts->precision, G_MAXINT64, parts->columns);
  for (guint i = 0; i < parts->grid->n; i++)
    parts->parts[i] += parts->columns[i].busy_ns;
}

/* Takes out what lies in unobserved stretches. */
static void
take_out (const AscLane *lane, Parts *parts, guint i, guint64 from, guint64 to)
{
  const AscSession *session = lane->session;
  AscRunsView view = asc_runs_view (&lane->runs);
  guint64 all = asc_runs_busy (&view, from, to);
  guint64 seen = asc_load_observed_part (lane, from, to);
  parts->parts[i] -= asc_session_length_ns (session, all - seen);
}

static void
core_load (guint core, Parts *parts, float *out)
{
  const AscGrid *grid = parts->grid;
  const AscSession *session = grid->session;
  const AscLane *idle = asc_load_idle_lane (session, core);
  bool from_idle = asc_load_from_idle (session, core);
  guint64 known = from_idle && idle ? asc_load_known (session, core) : G_MAXUINT64;
  guint n_lanes = asc_session_n_lanes (session);
  memset (parts->parts, 0, grid->n * sizeof *parts->parts);
  if (idle)
    add_lane (idle, parts);
  for (guint l = 0; l < n_lanes && !from_idle; l++)
    if (asc_load_counts (asc_session_lane (session, l), core))
      add_lane (asc_session_lane (session, l), parts);
  for (guint i = 0; i < grid->n; i++)
    {
      guint64 from = grid->ticks[i], to = MIN (grid->ticks[i + 1], known);
      guint64 observed = asc_stretches_observed (session, &from, &to);
      if (observed == 0)
        continue;
      bool some_lost = observed < to - from;
      if (idle && some_lost)
        take_out (idle, parts, i, from, to);
      for (guint l = 0; l < n_lanes && !from_idle && some_lost; l++)
        if (asc_load_counts (asc_session_lane (session, l), core))
          take_out (asc_session_lane (session, l), parts, i, from, to);
      gint64 all = asc_session_length_ns (session, observed);
      double share = all > 0 ? (double)parts->parts[i] / (double)all : 0;
      share = CLAMP (share, 0, 1);
      out[i] = MAX (out[i], (float)(from_idle ? 1 - share : share));
    }
}

void
asc_session_load (const AscGrid *grid, AscPrecision precision, float *out)
{
  for (guint i = 0; i < grid->n; i++)
    out[i] = -1;
  Parts parts = { grid, precision, g_new (gint64, grid->n), g_new (AscColumn, grid->n) };
  for (guint core = 0; core < ASC_CORES; core++)
    if (asc_load_has_core (grid->session, core))
      core_load (core, &parts, out);
  g_free (parts.parts);
  g_free (parts.columns);
}
