/* Columns of pixels out of a lane. */
#include "asc-model.h"

#define LATE_NS G_GINT64_CONSTANT (1000000)

/* What lies before a column's border. */
typedef struct
{
  guint64 index;  /* runs that start before it */
  guint64 sum;    /* lengths of those that are over, ticks */
  gint64 part_ns; /* of the one that goes on */
  bool open;
} Border;

static Border
border_at (AscSweep *sweep, const AscGrid *grid, guint i)
{
  asc_sweep_to (sweep, grid->ticks[i]);
  Border border = { .index = sweep->index, .sum = sweep->sum };
  if (sweep->index > 0 && sweep->end >= grid->ticks[i]
      && asc_session_ns (grid->session, sweep->end) > grid->ns[i])
    {
      border.open = true;
      border.sum -= sweep->end - sweep->start;
      border.part_ns = grid->ns[i] - asc_session_ns (grid->session, sweep->start);
    }
  return border;
}

static void
add_runs (const AscGrid *grid,
          const AscRunsView *view,
          guint64 tolerance,
          guint64 hog_ticks,
          AscColumn *out)
{
  AscSweep sweep;
  guint64 hog = 0;
  asc_sweep_init (&sweep, view, tolerance, hog_ticks);
  Border before = border_at (&sweep, grid, 0);
  for (guint i = 0; i < grid->n; i++)
    {
      Border after = border_at (&sweep, grid, i + 1);
      guint64 first = before.index - before.open;
      if (hog < first || i == 0)
        hog = asc_runs_next_long (view, first, hog_ticks);
      if (grid->ns[i] < grid->ns[i + 1])
        {
          out[i].busy_ns = asc_session_length_ns (grid->session, after.sum - before.sum)
                           + after.part_ns - before.part_ns;
          out[i].n = (guint32)MIN (after.index - first, G_MAXUINT32);
          out[i].hog = hog < after.index;
          if (out[i].n == 0 && out[i].busy_ns > 0)
            out[i].n = 1;
        }
      before = after;
    }
}

/* The run that goes on now. */
static void
add_open (const AscGrid *grid, gint64 start, gint64 end, gint64 hog_ns, AscColumn *out)
{
  if (start >= grid->ns[grid->n] || end < grid->ns[0]
      || (end == grid->ns[0] && start < end))
    return;
  for (guint i = asc_grid_column (grid, MAX (start, grid->ns[0])); i < grid->n; i++)
    {
      gint64 a = grid->ns[i], b = grid->ns[i + 1];
      if (a >= end && start < end)
        break;
      if (a >= b)
        continue;
      out[i].busy_ns += MIN (end, b) - MAX (start, a);
      out[i].n++;
      out[i].hog = out[i].hog || end - start >= hog_ns;
      if (end <= b)
        break;
    }
}

/* --- waits --- */

typedef struct
{
  const AscGrid *grid;
  gint32 *turns; /* +1 where columns of waiting begin, -1 behind them */
  gint64 known_from_ns, known_to_ns; /* columns known to be waited in */
} Waits;

static bool
is_known (const Waits *waits, gint64 from_ns, gint64 to_ns)
{
  return from_ns >= waits->known_from_ns && to_ns <= waits->known_to_ns;
}

static void
add_wait (Waits *waits, gint64 from_ns, gint64 to_ns)
{
  const AscGrid *grid = waits->grid;
  from_ns = MAX (from_ns, grid->ns[0]);
  to_ns = MIN (to_ns, grid->ns[grid->n]);
  if (from_ns >= to_ns || is_known (waits, from_ns, to_ns))
    return;
  guint first = asc_grid_column (grid, from_ns);
  guint last = asc_grid_column (grid, to_ns - 1);
  waits->turns[first]++;
  waits->turns[last + 1]--;
  waits->known_from_ns = grid->ns[first];
  waits->known_to_ns = grid->ns[last + 1];
}

static void
add_block_waits (Waits *waits, const AscRunsView *view, guint64 index)
{
  const AscSession *session = waits->grid->session;
  const AscBlock *block = asc_runs_block (view->runs, index);
  const guint16 *late = asc_get (&block->late);
  guint64 first = index * ASC_FAN, end = MIN (first + ASC_FAN, view->n);
  for (guint64 i = first; late && i < end; i++)
    {
      guint16 ms = late[i % ASC_FAN];
      guint64 start, stop;
      if (ms == 0 || ms == ASC_NOT_TIMED)
        continue;
      asc_runs_span (view, block, i, &start, &stop);
      gint64 start_ns = asc_session_ns (session, start);
      add_wait (waits, start_ns - ms * LATE_NS, start_ns);
    }
  asc_runs_visits += end - first;
}

static void
add_waits (Waits *waits, const AscRunsView *view, guint64 tolerance)
{
  const AscGrid *grid = waits->grid;
  guint64 n = (view->n + ASC_FAN - 1) / ASC_FAN;
  gint64 reach = asc_get (&view->runs->late_max) * LATE_NS, end = grid->ns[grid->n];
  gint64 stop_ns = end > G_MAXINT64 - reach ? G_MAXINT64 : end + reach;
  guint64 first = asc_runs_find (view, grid->ticks[0]) / ASC_FAN;
  for (guint64 i = first; reach > 0 && i < n; i++)
    {
      const AscMile *mile = asc_runs_mile (view->runs, i);
      gint64 t0_ns = asc_session_ns (grid->session, mile->t0);
      if (t0_ns >= stop_ns)
        break;
      const AscMile *next = i + 1 < n ? asc_runs_mile (view->runs, i + 1) : NULL;
      gint64 from_ns = t0_ns - mile->late_max * LATE_NS;
      gint64 next_ns = next ? asc_session_ns (grid->session, next->t0) : G_MAXINT64;
      if (next && (mile->late_max == 0 || is_known (waits, from_ns, next_ns)))
        continue;
      if (next && next->t0 - mile->t0 <= tolerance)
        add_wait (waits, from_ns, next_ns);
      else
        add_block_waits (waits, view, i);
    }
}

void
asc_lane_columns (const AscLane *lane,
                  const AscGrid *grid,
                  AscPrecision precision,
                  gint64 hog_ns,
                  AscColumn *out)
{
  const AscSession *session = lane->session;
  guint n = grid->n;
  for (guint i = 0; i < n; i++)
    out[i] = (AscColumn){ 0 };
  if (n == 0 || grid->ns[0] >= grid->ns[n] || lane->samples)
    return;
  AscRunsView view = asc_runs_view (&lane->runs);
  Waits waits = { grid, g_new0 (gint32, (gsize)n + 1), 0, G_MININT64 };
  guint64 whole = (guint64)grid->ns[n] - (guint64)grid->ns[0];
  guint64 half = asc_session_ticks (session, (gint64)(whole / n / 2));
  guint64 tolerance = precision == ASC_TOLERANT ? half : 0;
  add_runs (grid, &view, tolerance, asc_session_ticks_up (session, hog_ns), out);
  add_waits (&waits, &view, 4 * tolerance);
  AscTickRun open;
  if (asc_lane_open (lane, &view, &open))
    {
      gint64 start = asc_session_ns (session, open.start);
      if (open.late != ASC_NOT_TIMED)
        add_wait (&waits, start - open.late * LATE_NS, start);
      add_open (grid, start, asc_session_ns (session, open.end), hog_ns, out);
    }
  gint32 waiting = 0;
  for (guint i = 0; i < n; i++)
    {
      guint64 width = (guint64)grid->ns[i + 1] - (guint64)grid->ns[i];
      waiting += waits.turns[i];
      out[i].waits = waiting > 0 && width > 0;
      out[i].busy_ns = MIN (out[i].busy_ns, (gint64)MIN (width, (guint64)G_MAXINT64));
    }
  g_free (waits.turns);
}
