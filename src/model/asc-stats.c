/* Statistics (STATISTICS.md). */
#include "asc-stats.h"

#include <math.h>

#include "asc-tally.h"

typedef struct
{
  AscSession *session;
  GCancellable *cancellable;
  guint64 from, to;  /* ticks: a run lies in it when from <= start and end <= to */
  guint64 observed;  /* ticks */
  guint64 watermark; /* what ends up to here is final */
  bool all;
  guint n_lanes;
  AscTally *scratch;
  GArray *pieces; /* AscTallyPiece of the task at hand */
  GArray *tail;   /* of these, the ones to be taken out again */
} Query;

static bool
cancelled (const Query *query)
{
  return query->cancellable && g_cancellable_is_cancelled (query->cancellable);
}

#define PIECE_RUNS 65536u /* between looks at the cancellable */

static void
add_piece (Query *query,
           AscTally *tally,
           const AscRunsView *view,
           guint64 first,
           guint64 end,
           bool tail)
{
  if (first >= end)
    return;
  for (guint64 at = first; at < end && !cancelled (query); at += PIECE_RUNS)
    asc_tally_add (tally, view, at, MIN (at + PIECE_RUNS, end));
  AscTallyPiece piece = { view->runs, first, end };
  if (tail)
    g_array_append_val (query->tail, piece);
}

/* Walks the runs of [first, end) in pieces that touch nothing unobserved. Those that do
 * are left out, but censored ones are counted. */
static void
add_sound (Query *query,
           AscTally *tally,
           const AscRunsView *view,
           guint64 first,
           guint64 end,
           bool tail)
{
  const AscSession *session = query->session;
  guint64 n = asc_list_length (&session->stretches), at = first;
  AscTickRun run;
  if (first >= end)
    return;
  asc_runs_get (view, first, &run);
  for (guint64 i = asc_stretches_find (session, run.start); i < n && at < end; i++)
    {
      const AscTickStretch *stretch = asc_list_at (&session->stretches, i);
      guint64 from = asc_get (&stretch->from), to = asc_get (&stretch->to);
      guint64 bad = asc_runs_find_end (view, from);
      if (bad >= end)
        break;
      bad = MAX (bad, at);
      add_piece (query, tally, view, at, bad, tail);
      /* The runs that start before the stretch ends and end after it began. */
      for (at = bad; at < end; at++)
        {
          asc_runs_get (view, at, &run);
          if (run.start >= to || run.end <= from)
            break;
          tally->censored += (run.ends & ASC_RUN_CENSORED) != 0;
        }
    }
  add_piece (query, tally, view, at, end, tail);
}

/* Ticks of complete, sound runs that reach over a border of the range. */
static guint64
clipped_at (const Query *query, const AscRunsView *view, guint64 index)
{
  AscTickRun run;
  if (index >= view->n)
    return 0;
  asc_runs_get (view, index, &run);
  if (run.ends & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS)
      || asc_stretches_touch (query->session, run.start, run.end))
    return 0;
  guint64 from = MAX (run.start, query->from), to = MIN (run.end, query->to);
  return from < to ? to - from : 0;
}

/* The runs that lie in the range: [*first, *end). */
static void
find_range (const Query *query, const AscRunsView *view, guint64 *first, guint64 *end)
{
  *first = query->all ? 0 : asc_runs_find (view, query->from);
  *end = query->all || query->to >= ASC_TICKS_TOP ? view->n
                                                  : asc_runs_find_end (view, query->to);
  *end = MAX (*end, *first);
}

static guint64
add_lane (Query *query, AscTally *tally, AscLane *lane)
{
  AscRunsView view = asc_runs_view (&lane->runs);
  guint64 first, end, clipped = 0;
  find_range (query, &view, &first, &end);
  AscTallyPiece piece = { &lane->runs, first, end };
  g_array_append_val (query->pieces, piece);
  if (query->all)
    {
      /* What is final was added by an earlier call. */
      guint64 final = MIN (asc_runs_find_end (&view, query->watermark), end);
      final = MAX (final, lane->tallied);
      add_sound (query, tally, &view, lane->tallied, final, false);
      lane->tallied = final;
      return 0;
    }
  add_sound (query, tally, &view, first, end, false);
  /* One run at most reaches over each border, and one that reaches over both is the one
   * before the first. */
  if (first > 0)
    clipped += clipped_at (query, &view, first - 1);
  clipped += clipped_at (query, &view, end);
  return clipped;
}

static void
add_tail (Query *query, AscTally *tally, AscLane *lane)
{
  AscRunsView view = asc_runs_view (&lane->runs);
  add_sound (query, tally, &view, lane->tallied, view.n, true);
  AscTallyPiece *piece
      = &g_array_index (query->pieces, AscTallyPiece, query->pieces->len - 1);
  for (guint i = 0; i < query->pieces->len; i++)
    {
      piece = &g_array_index (query->pieces, AscTallyPiece, i);
      if (piece->runs == &lane->runs)
        piece->end = MAX (piece->end, view.n);
    }
}

static double
deviation (const AscTally *tally, const AscTallyFigures *figures)
{
  AscU128 n_squares, sum_square;
  double n = (double)tally->n;
  if (!__builtin_mul_overflow (figures->squares, (AscU128)tally->n, &n_squares)
      && !__builtin_mul_overflow (figures->sum, figures->sum, &sum_square))
    return sqrt ((double)(n_squares - sum_square)) / n;
  long double mean = (long double)figures->sum / (long double)tally->n;
  long double spread
      = (long double)figures->squares / (long double)tally->n - mean * mean;
  return spread > 0 ? sqrt ((double)spread) : 0;
}

static void
fill_lives (const Query *query, const AscLane *lane, AscTaskStats *stats)
{
  guint64 n = asc_list_length (&lane->lives), low = 0, high = n;
  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;
      if (((const AscLives *)asc_list_at (&lane->lives, middle))->ticks < query->from)
        low = middle + 1;
      else
        high = middle;
    }
  AscLives before = { 0, 0, 0 };
  if (low > 0 && !query->all)
    before = *(const AscLives *)asc_list_at (&lane->lives, low - 1);
  AscLives last = before;
  stats->most = before.alive;
  for (guint64 i = query->all ? 0 : low; i < n; i++)
    {
      const AscLives *next = asc_list_at (&lane->lives, i);
      if (!query->all && next->ticks > query->to)
        break;
      last = *next;
      stats->most = MAX (stats->most, last.alive);
    }
  stats->instances = before.alive + (last.born - before.born);
  stats->alive = last.alive;
}

static void
fill (const Query *query, AscTaskStats *stats, const AscTally *tally, guint64 clipped)
{
  const AscSession *session = query->session;
  double hz = asc_get (&query->session->tick_hz), tick_ns = 1e9 / hz;
  double seconds = (double)query->observed / hz;
  AscTallyFigures figures;
  asc_tally_figures (tally, (const AscTallyPiece *)(void *)query->pieces->data,
                     query->pieces->len, &figures);
  AscU128 total = figures.sum + clipped;
  stats->runs = tally->n;
  stats->censored = tally->censored;
  stats->rate_hz = query->observed ? (double)tally->n / seconds : 0;
  stats->cpu_percent
      = query->observed ? 100.0 * (double)total / (double)query->observed : 0;
  stats->total_ns = asc_session_length_ns (
      session, total < ASC_TICKS_TOP ? (guint64)total : ASC_TICKS_TOP);
  stats->late_max_ns
      = tally->late_max < 0 ? -1 : tally->late_max * G_GINT64_CONSTANT (1000000);
  stats->min_ns = stats->p99_ns = stats->max_ns = -1;
  stats->median_ns = stats->mean_ns = stats->stddev_ns = -1;
  stats->min_at_ns = stats->max_at_ns = -1;
  if (tally->n == 0)
    return;
  stats->min_ns = asc_session_length_ns (session, tally->min);
  stats->max_ns = asc_session_length_ns (session, tally->max);
  stats->p99_ns = asc_session_length_ns (session, figures.p99);
  stats->median_ns = figures.median * 1e9 / hz;
  stats->mean_ns = (double)((long double)figures.sum * 1e9L / (long double)hz
                            / (long double)tally->n);
  stats->stddev_ns = deviation (tally, &figures) * tick_ns;
  stats->min_at_ns = asc_session_ns (session, tally->min_at);
  stats->max_at_ns = asc_session_ns (session, tally->max_at);
}

static void
one_task (Query *query, AscLane *task, AscTaskStats *stats)
{
  const AscSession *session = query->session;
  guint64 clipped = 0;
  g_array_set_size (query->pieces, 0);
  g_array_set_size (query->tail, 0);
  AscTally *tally = query->scratch;
  if (query->all && !task->tally)
    task->tally = asc_tally_new (&query->session->tally_arena);
  if (query->all)
    tally = task->tally;
  *stats = (AscTaskStats){ .lane = task, .task = asc_get (&task->name) };
  for (guint i = task->index; i < query->n_lanes; i++)
    {
      AscLane *lane = asc_session_lane (session, i);
      if (lane->kind == ASC_LANE_TASK && asc_lane_primary (lane) == task)
        clipped += add_lane (query, tally, lane);
    }
  AscTally before = *tally;
  if (query->all)
    for (guint i = task->index; i < query->n_lanes; i++)
      {
        AscLane *lane = asc_session_lane (session, i);
        if (lane->kind == ASC_LANE_TASK && asc_lane_primary (lane) == task)
          add_tail (query, tally, lane);
      }
  fill (query, stats, tally, clipped);
  fill_lives (query, task, stats);
  if (!query->all)
    {
      asc_tally_reset (tally);
      return;
    }
  for (guint i = 0; i < query->tail->len; i++)
    {
      const AscTallyPiece *piece = &g_array_index (query->tail, AscTallyPiece, i);
      AscRunsView view = { piece->runs, piece->end, 0 };
      asc_tally_remove (tally, &view, piece->first, piece->end);
    }
  before.long_counts = tally->long_counts;
  *tally = before;
}

/* Tallies hold for lanes and their groups as they were: a stretch in the past, or a name
 * that joined lanes, starts them over. */
static void
check_tallies (AscSession *session, guint n_lanes)
{
  guint64 changes = asc_get (&session->past_changes);
  if (changes == session->tally_changes)
    return;
  session->tally_changes = changes;
  for (guint i = 0; i < n_lanes; i++)
    {
      AscLane *lane = asc_session_lane (session, i);
      if (lane->tally)
        asc_tally_reset (lane->tally);
      lane->tallied = 0;
    }
}

static guint64
lost_in (const Query *query, const AscSession *session)
{
  if (query->all)
    return asc_get (&session->lost_events);
  guint64 n = asc_list_length (&session->stretches), lost = 0;
  for (guint64 i = asc_stretches_find (session, query->from > 0 ? query->from - 1 : 0);
       i < n; i++)
    {
      const AscTickStretch *stretch = asc_list_at (&session->stretches, i);
      if (asc_get (&stretch->from) >= query->to)
        break;
      if (asc_get (&stretch->kind) != ASC_STRETCH_NOT_KEPT)
        lost += asc_get (&stretch->count);
    }
  return lost;
}

static void
clear_query (Query *query)
{
  asc_tally_free (query->scratch);
  g_array_free (query->pieces, TRUE);
  g_array_free (query->tail, TRUE);
}

AscStats *
asc_stats_new (AscSession *session,
               gint64 from_ns,
               gint64 to_ns,
               GCancellable *cancellable)
{
  Query query = { .session = session,
                  .cancellable = cancellable,
                  .from = asc_session_ticks_up (session, from_ns),
                  .to = asc_session_ticks_down (session, to_ns),
                  .all = from_ns == G_MININT64 && to_ns == G_MAXINT64,
                  .scratch = asc_tally_new (NULL),
                  .pieces = g_array_new (FALSE, FALSE, sizeof (AscTallyPiece)),
                  .tail = g_array_new (FALSE, FALSE, sizeof (AscTallyPiece)) };
  pthread_mutex_lock (&session->lock);
  query.watermark = asc_get (&session->watermark);
  query.n_lanes = asc_session_n_lanes (session);
  check_tallies (session, query.n_lanes);
  guint64 from = query.from, to = query.to;
  query.observed = asc_stretches_observed (session, &from, &to);
  AscStats *stats = g_new0 (AscStats, 1);
  stats->from_ns = from == ASC_NO_TICKS ? 0 : asc_session_ns (session, from);
  stats->to_ns = to == ASC_NO_TICKS ? 0 : asc_session_ns (session, to);
  stats->observed_ns = asc_session_length_ns (session, query.observed);
  stats->coverage = to > from ? (double)query.observed / (double)(to - from) : 0;
  stats->lost_events = lost_in (&query, session);
  stats->lost_known
      = !asc_get (&session->gap_unknown) && !asc_get (&session->tail_unknown);
  stats->tasks = g_new0 (AscTaskStats, query.n_lanes + 1);
  for (guint i = 0; i < query.n_lanes && !cancelled (&query); i++)
    {
      AscLane *lane = asc_session_lane (session, i);
      if (lane->kind == ASC_LANE_TASK && asc_lane_primary (lane) == lane)
        one_task (&query, lane, &stats->tasks[stats->n_tasks++]);
    }
  bool stopped = cancelled (&query);
  if (stopped && query.all)
    {
      /* Some tally may be half done. */
      session->tally_changes = G_MAXUINT64;
    }
  pthread_mutex_unlock (&session->lock);
  clear_query (&query);
  if (stopped)
    g_clear_pointer (&stats, asc_stats_free);
  return stats;
}

void
asc_stats_free (AscStats *stats)
{
  if (!stats)
    return;
  g_free (stats->tasks);
  g_free (stats);
}
