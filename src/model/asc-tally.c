#include "asc-tally.h"

#include <string.h>

AscTally *
asc_tally_new (AscArena *arena)
{
  AscTally *tally = g_new0 (AscTally, 1);
  gsize n = ASC_TALLY_SHORT * sizeof (guint32);
  tally->arena = arena;
  tally->counts = arena ? asc_arena_take (arena, n) : g_malloc0 (n);
  tally->min = G_MAXUINT64;
  tally->late_max = -1;
  return tally;
}

void
asc_tally_free (AscTally *tally)
{
  if (!tally)
    return;
  if (!tally->arena)
    {
      g_free (tally->counts);
      g_free (tally->long_counts);
    }
  g_free (tally);
}

void
asc_tally_reset (AscTally *tally)
{
  guint64 last = MIN (tally->max, ASC_TALLY_SHORT - 1);
  if (tally->min <= last)
    memset (tally->counts + tally->min, 0, (last - tally->min + 1) * sizeof (guint32));
  if (tally->n_long)
    memset (tally->long_counts, 0, ASC_TALLY_LONG * sizeof (guint32));
  *tally = (AscTally){ .arena = tally->arena,
                       .counts = tally->counts,
                       .long_counts = tally->long_counts,
                       .min = G_MAXUINT64,
                       .late_max = -1 };
}

/* ticks >= ASC_TALLY_SHORT */
static guint
long_bin (guint64 ticks)
{
  guint octave = 63u - (guint)__builtin_clzll (ticks);
  guint step = (guint)(ticks >> (octave - 8)) & (ASC_TALLY_STEPS - 1);
  return MIN (octave - ASC_TALLY_SHORT_BITS, 62u - ASC_TALLY_SHORT_BITS) * ASC_TALLY_STEPS
         + step;
}

static void
add_long (AscTally *tally, guint64 length)
{
  if (!tally->long_counts)
    {
      gsize n = ASC_TALLY_LONG * sizeof (guint32);
      tally->long_counts
          = tally->arena ? asc_arena_take (tally->arena, n) : g_malloc0 (n);
    }
  tally->long_counts[long_bin (length)]++;
  tally->n_long++;
  tally->sum_long += length;
  tally->squares_long += (AscU128)length * length;
}

static inline void
add_one (AscTally *tally, guint64 start, guint64 length)
{
  if (G_LIKELY (length < ASC_TALLY_SHORT))
    tally->counts[length]++;
  else
    add_long (tally, length);
  if (G_UNLIKELY (length < tally->min))
    {
      tally->min = length;
      tally->min_at = start;
    }
  if (G_UNLIKELY (length > tally->max || tally->n == 0))
    {
      tally->max = length;
      tally->max_at = start;
    }
  tally->n++;
}

static void
add_block (AscTally *tally,
           const AscRunsView *view,
           const AscBlock *block,
           guint64 first,
           guint64 end)
{
  const guint8 *ends = asc_get (&block->ends);
  const guint16 *late = asc_get (&block->late);
  for (guint64 i = first; i < end; i++)
    {
      guint at = (guint)(i % ASC_FAN);
      guint8 flags = ends ? ends[at] : 0;
      if (flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS))
        {
          tally->censored += (flags & ASC_RUN_CENSORED) != 0;
          continue;
        }
      guint64 start, stop;
      asc_runs_span (view, block, i, &start, &stop);
      add_one (tally, start, stop - start);
      if (late && late[at] != ASC_NOT_TIMED)
        tally->late_max = MAX (tally->late_max, late[at]);
    }
}

void
asc_tally_add (AscTally *tally, const AscRunsView *view, guint64 first, guint64 end)
{
  while (first < end)
    {
      guint64 stop = MIN ((first / ASC_FAN + 1) * ASC_FAN, end);
      add_block (tally, view, asc_runs_block (view->runs, first / ASC_FAN), first, stop);
      first = stop;
    }
}

void
asc_tally_remove (AscTally *tally, const AscRunsView *view, guint64 first, guint64 end)
{
  for (guint64 i = first; i < end; i++)
    {
      AscTickRun run;
      asc_runs_get (view, i, &run);
      guint64 length = run.end - run.start;
      if (run.ends & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS))
        continue;
      if (length < ASC_TALLY_SHORT)
        tally->counts[length]--;
      else
        tally->long_counts[long_bin (length)]--;
    }
}

/* --- ranks ----------------------------------------------------------------------------
 */

static gint
by_value (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
  return (x > y) - (x < y);
}

/* The values of one of the long counters, in order. */
static GArray *
values_of (guint bin, const AscTallyPiece *pieces, gsize n_pieces)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (guint64));
  for (gsize p = 0; p < n_pieces; p++)
    {
      AscRunsView view = { pieces[p].runs, pieces[p].end, 0 };
      for (guint64 i = pieces[p].first; i < pieces[p].end; i++)
        {
          const AscBlock *block = asc_runs_block (view.runs, i / ASC_FAN);
          const guint8 *ends = asc_get (&block->ends);
          guint64 start, end;
          asc_runs_span (&view, block, i, &start, &end);
          guint64 length = end - start;
          if (length < ASC_TALLY_SHORT || long_bin (length) != bin
              || (ends && ends[i % ASC_FAN] & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS)))
            continue;
          g_array_append_val (values, length);
        }
    }
  g_array_sort (values, by_value);
  return values;
}

typedef struct
{
  guint64 rank; /* from 0 */
  guint64 value;
} Rank;

static void
long_ranks (const AscTally *tally,
            const AscTallyPiece *pieces,
            gsize n_pieces,
            Rank *ranks,
            gsize n_ranks,
            guint64 before)
{
  gsize r = 0;
  for (guint bin = 0; bin < ASC_TALLY_LONG && r < n_ranks; bin++)
    {
      guint64 here = tally->long_counts[bin];
      if (ranks[r].rank < before + here)
        {
          GArray *values = values_of (bin, pieces, n_pieces);
          for (; r < n_ranks && ranks[r].rank < before + here; r++)
            ranks[r].value = g_array_index (values, guint64, ranks[r].rank - before);
          g_array_free (values, TRUE);
        }
      before += here;
    }
}

void
asc_tally_figures (const AscTally *tally,
                   const AscTallyPiece *pieces,
                   gsize n_pieces,
                   AscTallyFigures *figures)
{
  *figures = (AscTallyFigures){ .sum = tally->sum_long, .squares = tally->squares_long };
  if (tally->n == 0)
    return;
  /* In rising order; P99 by nearest rank: the ceil (0.99 n)th. */
  guint64 ninety_nine = (guint64)(((AscU128)tally->n * 99 + 99) / 100) - 1;
  Rank ranks[3] = { { (tally->n - 1) / 2, 0 }, { tally->n / 2, 0 }, { 0, 0 } };
  gsize p99 = 2;
  ranks[2].rank = ninety_nine;
  if (ninety_nine < ranks[1].rank) /* two runs or so: ranks are 0 and 1 */
    {
      ranks[2] = ranks[1];
      ranks[1].rank = ninety_nine;
      p99 = 1;
    }
  guint64 before = 0, last = MIN (tally->max, ASC_TALLY_SHORT - 1);
  gsize r = 0;
  for (guint64 d = MIN (tally->min, ASC_TALLY_SHORT); d <= last; d++)
    {
      guint64 here = tally->counts[d];
      if (!here)
        continue;
      for (; r < 3 && ranks[r].rank < before + here; r++)
        ranks[r].value = d;
      before += here;
      figures->sum += (AscU128)here * d;
      figures->squares += (AscU128)here * d * d;
    }
  if (r < 3 && tally->long_counts)
    long_ranks (tally, pieces, n_pieces, ranks + r, 3 - r, before);
  gsize upper = p99 == 1 ? 2 : 1;
  figures->median = (double)ranks[0].value / 2 + (double)ranks[upper].value / 2;
  figures->p99 = ranks[p99].value;
}
