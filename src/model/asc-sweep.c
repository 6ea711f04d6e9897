/* Looking through a lane's runs in order, past whole blocks where nothing is asked. */
#include "asc-runs.h"

void
asc_sweep_init (AscSweep *sweep,
                const AscRunsView *view,
                guint64 tolerance,
                guint64 limit)
{
  *sweep = (AscSweep){ .view = view, .tolerance = tolerance, .limit = limit };
}

/* Most are in the chunk that was looked at last: finding a chunk costs more than the rest
 * of a column. */
static inline const AscMile *
mile_of (AscSweep *sweep, guint64 block)
{
  if (G_UNLIKELY (block - sweep->first >= sweep->n))
    {
      const AscBlock *chunk
          = asc_runs_chunk (sweep->view->runs, block, &sweep->first, &sweep->n);
      sweep->miles = (const AscMile *)(const void *)(chunk + sweep->n);
    }
  return sweep->miles + (block - sweep->first);
}

/* The last of n blocks that starts before a place; at stands before it. */
static guint64
gallop (AscSweep *sweep, guint64 at, guint64 n, guint64 ticks)
{
  guint64 step = 1;
  while (at + step < n && mile_of (sweep, at + step)->t0 < ticks)
    {
      at += step;
      step *= 2;
    }
  for (step /= 2; step > 0; step /= 2)
    if (at + step < n && mile_of (sweep, at + step)->t0 < ticks)
      at += step;
  return at;
}

/* Between two miles, as if the block's runs were spread evenly. */
static void
guess (AscSweep *sweep, const AscMile *mile, const AscMile *next, guint64 ticks)
{
  double share = (double)(ticks - mile->t0) / (double)(next->t0 - mile->t0);
  share = MIN (share, 1);
  sweep->index = sweep->block * ASC_FAN + (guint64)(share * ASC_FAN);
  sweep->sum = mile->before + (guint64)((double)(next->before - mile->before) * share);
  sweep->start = sweep->end = mile->t0;
  asc_runs_visits++;
}

static void
step_through (AscSweep *sweep, guint64 ticks)
{
  const AscRunsView *view = sweep->view;
  const AscBlock *block = asc_runs_block (view->runs, sweep->block);
  guint64 end = MIN ((sweep->block + 1) * ASC_FAN, view->n), at = sweep->index;
  guint64 first = at;
  while (at < end)
    {
      guint64 start, stop;
      asc_runs_span (view, block, at, &start, &stop);
      if (start >= ticks)
        break;
      sweep->start = start;
      sweep->end = stop;
      sweep->sum += stop - start;
      at++;
    }
  sweep->index = at;
  asc_runs_visits += at - first + 1;
}

void
asc_sweep_to (AscSweep *sweep, guint64 ticks)
{
  const AscRunsView *view = sweep->view;
  guint64 n = (view->n + ASC_FAN - 1) / ASC_FAN;
  if (n == 0 || (sweep->block == 0 && mile_of (sweep, 0)->t0 >= ticks))
    return;
  guint64 block = gallop (sweep, sweep->block, n, ticks);
  const AscMile *mile = mile_of (sweep, block);
  bool whole = block + 1 < n;
  const AscMile *next = whole ? mile_of (sweep, block + 1) : NULL;
  bool near = whole && next->t0 - mile->t0 <= sweep->tolerance
              && mile->longest != ASC_LONG && mile->longest < sweep->limit;
  if (block != sweep->block || near)
    {
      sweep->block = block;
      sweep->index = block * ASC_FAN;
      sweep->sum = mile->before;
    }
  if (near)
    guess (sweep, mile, next, ticks);
  else
    step_through (sweep, ticks);
}

/* What a node of a level (0: blocks) says about its longest run. */
static bool
may_hold (const AscRuns *runs, guint level, guint64 index, guint64 ticks)
{
  guint32 longest = level == 0 ? asc_runs_mile (runs, index)->longest
                               : asc_runs_node (runs, level, index)->longest;
  asc_runs_visits++;
  return longest == ASC_LONG || longest >= ticks;
}

/* How many runs from the block's first on may be stepped over: those of the widest node
 * that begins there and holds no run so long. */
static guint64
without_long (const AscRunsView *view, guint64 block, guint64 ticks)
{
  guint64 runs = 0;
  for (guint level = 0; level <= ASC_RUNS_LEVELS; level++)
    {
      guint bits = level * ASC_FAN_BITS;
      if (block & ((G_GUINT64_CONSTANT (1) << bits) - 1)
          || (block >> bits) >= (view->n_full >> bits)
          || may_hold (view->runs, level, block >> bits, ticks))
        break;
      runs = (guint64)ASC_FAN << bits;
    }
  return runs;
}

guint64
asc_runs_next_long (const AscRunsView *view, guint64 from, guint64 ticks)
{
  guint64 at = from;
  while (at < view->n)
    {
      guint64 block = at / ASC_FAN, end = MIN ((block + 1) * ASC_FAN, view->n);
      if (at % ASC_FAN == 0)
        {
          guint64 skip = without_long (view, block, ticks);
          at += skip;
          if (skip > 0)
            continue;
        }
      else if (block < view->n_full && !may_hold (view->runs, 0, block, ticks))
        {
          at = end;
          continue;
        }
      for (; at < end; at++)
        {
          guint64 start, stop;
          asc_runs_span (view, asc_runs_block (view->runs, block), at, &start, &stop);
          asc_runs_visits++;
          if (stop - start >= ticks)
            return at;
        }
    }
  return view->n;
}
