#include "asc-runs.h"

#include <string.h>

_Thread_local guint64 asc_runs_visits;

void
asc_runs_init (AscRuns *runs, AscArena *arena)
{
  *runs = (AscRuns){ .arena = arena, .at = ASC_FAN };
  asc_list_init (&runs->chunks, sizeof (AscBlock *));
}

static void
free_list (AscList *list)
{
  if (!list)
    return;
  asc_list_clear (list);
  g_free (list);
}

static AscList *
new_list (gsize item)
{
  AscList *list = g_new (AscList, 1);
  asc_list_init (list, item);
  return list;
}

void
asc_runs_clear (AscRuns *runs)
{
  asc_list_clear (&runs->chunks);
  free_list (runs->long_runs);
  for (guint i = 0; i < ASC_RUNS_LEVELS; i++)
    free_list (runs->levels[i]);
}

/* What 32 runs come to. Read back rather than kept up to date run by run: the block is
 * still in the cache, and the loop has no branch for plain runs. */
static void
close_block (AscRuns *runs)
{
  AscBlock *block = runs->block;
  guint64 busy = 0;
  guint32 longest = 0;
  for (guint i = 0; i < ASC_FAN; i++)
    {
      guint32 length = block->runs[i].length;
      busy += length;
      longest = MAX (longest, length);
    }
  block->node.t1 = runs->last_end;
  block->node.longest = longest;
  if (longest == ASC_LONG)
    {
      AscRunsView view = { runs, asc_own (&runs->n), 0 };
      guint64 first = (runs->n_blocks - 1) * ASC_FAN;
      for (guint i = 0; i < ASC_FAN; i++)
        if (block->runs[i].length == ASC_LONG)
          busy += asc_runs_long (&view, first + i)->length - ASC_LONG;
    }
  block->node.busy = busy;
  const guint16 *late = asc_own (&block->late);
  for (guint i = 0; late && i < ASC_FAN; i++)
    if (late[i] != ASC_NOT_TIMED)
      {
        block->node.late_sum += late[i];
        block->node.late_max = MAX (block->node.late_max, late[i]);
      }
  runs->mile->longest = longest;
  runs->mile->late_max = block->node.late_max;
  runs->sum += busy;
}

static void
add_node (AscRuns *runs, guint level, guint64 index)
{
  if (!runs->levels[level - 1])
    runs->levels[level - 1] = new_list (sizeof (AscNode));
  AscNode *sum = asc_list_next (runs->levels[level - 1]);
  guint64 late_sum = 0;
  for (guint i = 0; i < ASC_FAN; i++)
    {
      guint64 child = index * ASC_FAN + i;
      const AscNode *node = level == 1 ? &asc_runs_block (runs, child)->node
                                       : asc_runs_node (runs, level - 1, child);
      if (i == 0)
        sum->t0 = node->t0;
      sum->t1 = node->t1;
      sum->busy += node->busy;
      late_sum += node->late_sum;
      sum->longest = MAX (sum->longest, node->longest);
      sum->late_max = MAX (sum->late_max, node->late_max);
      sum->flags |= node->flags;
    }
  sum->late_sum = (guint32)MIN (late_sum, G_MAXUINT32);
  asc_list_publish (runs->levels[level - 1]);
}

/* Closes the full block, with the nodes above it that it fills, and opens the next. All
 * of it is published by the count of the run that follows. */
void
asc_runs_turn (AscRuns *runs, guint64 start)
{
  guint64 n = runs->n_blocks;
  if (n > 0)
    {
      close_block (runs);
      guint64 index = n;
      for (guint level = 1; level <= ASC_RUNS_LEVELS && index % ASC_FAN == 0; level++)
        {
          index /= ASC_FAN;
          add_node (runs, level, index - 1);
        }
    }
  bool fresh = n == 0 || n == 2 || (n >= 16 && (n - 16) % 256 == 0);
  if (fresh)
    {
      gsize blocks = n == 0 ? 2 : n == 2 ? 14 : 256;
      AscBlock **chunk = asc_list_next (&runs->chunks);
      *chunk
          = asc_arena_take (runs->arena, blocks * (sizeof (AscBlock) + sizeof (AscMile)));
      asc_list_publish (&runs->chunks);
      runs->block = *chunk;
      runs->mile = (AscMile *)(void *)(*chunk + blocks);
    }
  else
    {
      runs->block++;
      runs->mile++;
    }
  runs->n_blocks++;
  runs->at = 0;
  runs->base = start;
  runs->block->node.t0 = start;
  runs->mile->t0 = start;
  runs->mile->before = runs->sum;
  /* The first run's instance is set by put_more (). */
  runs->block->node.instance = runs->instance;
}

void
asc_runs_put_long (AscRuns *runs, guint64 start, guint64 length)
{
  if (!runs->long_runs)
    runs->long_runs = new_list (sizeof (AscLongRun));
  AscLongRun *run = asc_list_next (runs->long_runs);
  *run = (AscLongRun){ asc_own (&runs->n), start, length };
  asc_list_publish (runs->long_runs);
  runs->block->runs[runs->at] = (AscPair){ 0, ASC_LONG };
}

void
asc_runs_put_more (AscRuns *runs, guint32 instance, guint16 late, guint8 end)
{
  AscBlock *block = runs->block;
  if (instance != runs->instance && runs->at == 0)
    {
      runs->instance = instance;
      block->node.instance = instance;
    }
  guint32 *instances = asc_own (&block->instances);
  if (instance != block->node.instance && !instances)
    {
      instances = asc_arena_take (runs->arena, ASC_FAN * sizeof *instances);
      for (guint i = 0; i < ASC_FAN; i++)
        instances[i] = block->node.instance;
      asc_put (&block->instances, instances);
    }
  if (instances)
    instances[runs->at] = instance;
  guint16 *lates = asc_own (&block->late);
  if (late != ASC_NOT_TIMED)
    {
      if (!lates)
        {
          lates = asc_arena_take (runs->arena, ASC_FAN * sizeof *lates);
          memset (lates, 0xFF, ASC_FAN * sizeof *lates);
          asc_put (&block->late, lates);
        }
      lates[runs->at] = late;
      block->node.flags |= 0x01u;
      if (late > asc_own (&runs->late_max))
        asc_put (&runs->late_max, late);
    }
  guint8 *ends = asc_own (&block->ends);
  if (end)
    {
      if (!ends)
        {
          ends = asc_arena_take (runs->arena, ASC_FAN);
          asc_put (&block->ends, ends);
        }
      ends[runs->at] = end;
      block->node.flags |= end & ASC_ENDS_FLAGS;
    }
}

void
asc_runs_append_clipped (AscRuns *runs,
                         guint64 start,
                         guint64 end,
                         guint32 instance,
                         guint16 late,
                         guint8 ends)
{
  start = MAX (start, runs->last_end);
  asc_runs_append (runs, start, MAX (end, start), instance, late, ends);
}

AscRunsView
asc_runs_view (const AscRuns *runs)
{
  guint64 n = asc_get (&runs->n);
  return (AscRunsView){ runs, n, n ? (n - 1) / ASC_FAN : 0 };
}

const AscLongRun *
asc_runs_long (const AscRunsView *view, guint64 index)
{
  const AscList *list = view->runs->long_runs;
  guint64 low = 0, high = asc_list_length (list);
  while (high - low > 1)
    {
      guint64 middle = low + (high - low) / 2;
      if (((const AscLongRun *)asc_list_at (list, middle))->index <= index)
        low = middle;
      else
        high = middle;
    }
  return asc_list_at (list, low);
}

void
asc_runs_get (const AscRunsView *view, guint64 index, AscTickRun *run)
{
  AscBlock *block = asc_runs_block (view->runs, index / ASC_FAN);
  guint at = (guint)(index % ASC_FAN);
  const guint16 *late = asc_get (&block->late);
  const guint32 *instances = asc_get (&block->instances);
  const guint8 *ends = asc_get (&block->ends);
  *run = (AscTickRun){ .index = index,
                       .instance = instances ? instances[at] : block->node.instance,
                       .late = late ? late[at] : ASC_NOT_TIMED,
                       .ends = ends ? ends[at] : 0 };
  asc_runs_span (view, block, index, &run->start, &run->end);
}

guint64
asc_runs_find (const AscRunsView *view, guint64 ticks)
{
  if (view->n == 0)
    return 0;
  guint64 low = 0, high = (view->n - 1) / ASC_FAN + 1; /* blocks */
  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;
      asc_runs_visits++;
      if (asc_runs_block (view->runs, middle)->node.t0 < ticks)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return 0;
  const AscBlock *block = asc_runs_block (view->runs, low - 1);
  guint64 first = (low - 1) * ASC_FAN, end = MIN (low * ASC_FAN, view->n);
  for (guint64 i = first; i < end; i++)
    {
      guint64 start, stop;
      asc_runs_span (view, block, i, &start, &stop);
      if (start >= ticks)
        return i;
    }
  return end;
}

guint64
asc_runs_find_end (const AscRunsView *view, guint64 ticks)
{
  /* Runs do not overlap: of those that start before, only the last can end after. But
   * runs without length may stand where it begins. */
  guint64 index = asc_runs_find (view, ticks);
  while (index > 0)
    {
      AscTickRun run;
      asc_runs_get (view, index - 1, &run);
      if (run.end <= ticks)
        break;
      index--;
    }
  while (index < view->n)
    {
      AscTickRun run;
      asc_runs_get (view, index, &run);
      if (run.end > ticks)
        break;
      index++;
    }
  return index;
}

static bool
walk_block (const AscRunsView *view,
            guint64 first,
            guint64 end,
            const AscWalker *walker,
            void *user)
{
  const AscBlock *block = asc_runs_block (view->runs, first / ASC_FAN);
  for (guint64 i = first; i < end; i++)
    {
      guint64 start, stop;
      asc_runs_span (view, block, i, &start, &stop);
      asc_runs_visits++;
      if (!walker->run (user, block, i, start, stop))
        return false;
    }
  return true;
}

/* Returns false to stop. */
static bool
walk_node (const AscRunsView *view,
           guint level,
           guint64 index,
           const AscWalker *walker,
           void *user)
{
  const AscNode *node = level == 0 ? &asc_runs_block (view->runs, index)->node
                                   : asc_runs_node (view->runs, level, index);
  bool stop = false;
  guint64 n = (guint64)ASC_FAN << (level * ASC_FAN_BITS);
  asc_runs_visits++;
  if (walker->node (user, node, index * n, n, &stop))
    return !stop;
  if (level == 0)
    return walk_block (view, index * ASC_FAN, (index + 1) * ASC_FAN, walker, user);
  for (guint i = 0; i < ASC_FAN; i++)
    if (!walk_node (view, level - 1, index * ASC_FAN + i, walker, user))
      return false;
  return true;
}

void
asc_runs_walk (const AscRunsView *view,
               guint64 first,
               const AscWalker *walker,
               void *user)
{
  guint64 at = first;
  if (at >= view->n)
    return;
  if (at % ASC_FAN != 0)
    {
      guint64 end = MIN ((at / ASC_FAN + 1) * ASC_FAN, view->n);
      if (!walk_block (view, at, end, walker, user))
        return;
      at = end;
    }
  while (at / ASC_FAN < view->n_full)
    {
      guint64 block = at / ASC_FAN;
      guint level = 0;
      while (level < ASC_RUNS_LEVELS)
        {
          guint bits = (level + 1) * ASC_FAN_BITS;
          if (block & ((G_GUINT64_CONSTANT (1) << bits) - 1)
              || (block >> bits) >= (view->n_full >> bits))
            break;
          level++;
        }
      if (!walk_node (view, level, block >> (level * ASC_FAN_BITS), walker, user))
        return;
      at += (guint64)ASC_FAN << (level * ASC_FAN_BITS);
    }
  while (at < view->n)
    {
      guint64 end = MIN ((at / ASC_FAN + 1) * ASC_FAN, view->n);
      if (!walk_block (view, at, end, walker, user))
        return;
      at = end;
    }
}

typedef struct
{
  guint64 from, to, sum;
} Busy;

static bool
busy_node (void *user, const AscNode *node, guint64 first, guint64 n, bool *stop)
{
  Busy *busy = user;
  (void)first;
  (void)n;
  *stop = node->t0 >= busy->to;
  if (*stop || node->t1 <= busy->from)
    return true;
  if (node->t0 < busy->from || node->t1 > busy->to)
    return false;
  busy->sum += node->busy;
  return true;
}

static bool
busy_run (void *user, const AscBlock *block, guint64 index, guint64 start, guint64 end)
{
  Busy *busy = user;
  (void)block;
  (void)index;
  start = MAX (start, busy->from);
  end = MIN (end, busy->to);
  if (start < end)
    busy->sum += end - start;
  return start < busy->to;
}

guint64
asc_runs_busy (const AscRunsView *view, guint64 from, guint64 to)
{
  static const AscWalker walker = { busy_node, busy_run };
  Busy busy = { from, to, 0 };
  if (from < to)
    asc_runs_walk (view, asc_runs_find_end (view, from), &walker, &busy);
  return busy.sum;
}
