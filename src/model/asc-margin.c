/* The busiest window of a core, kept up to date behind the watermark.
 *
 * The idle time in a window that slides is a broken line. It falls only while the
 * window's begin passes idle time, so its least value is met where an idle stretch ends
 * under the begin, or at a border of what was observed. These places are visited once
 * each, in order, with two cursors. */
#include "asc-model.h"
#include "asc-shares.h"

#define SLICE 65536u /* runs that are taken at once */
#define GRID 10u     /* windows of the P99 begin at each tenth of a window */

typedef struct
{
  guint64 start, end;
} Gap;

/* F (x): idle ticks before x, for x that only grow. */
typedef struct
{
  guint64 index; /* of the first gap that ends after x; counts from the first ever */
  guint64 before;
} Cursor;

typedef struct
{
  guint64 lane_cursor; /* idle lane: runs taken */
  GArray *cursors;     /* of the lanes that make up busy time: guint64 runs taken */
  guint64 busy_end;    /* end of the newest busy run taken */
  guint64 taken;       /* all that begins before is */
  GArray *gaps;        /* Gap; the first is number n_dropped */
  guint64 n_dropped;
  Cursor low, high; /* t and t + window */
  guint64 segment;  /* where the observed stretch at hand begins */
  guint64 at;       /* t: windows up to here were looked at */
  bool begun;       /* `at` itself was */
  guint64 stretch;  /* index of the stretch that ends the segment */
  guint64 grid;     /* next place of the grid */
  AscShares idle;   /* of the grid's windows */
  guint64 least_idle, least_at;
  bool any;
} Core;

struct AscLoadState
{
  guint64 window, warm_up, hz, changes;
  guint64 from; /* first ticks that count */
  Core cores[ASC_CORES];
};

static void
clear_core (Core *core)
{
  if (core->cursors)
    g_array_free (core->cursors, TRUE);
  if (core->gaps)
    g_array_free (core->gaps, TRUE);
  asc_shares_clear (&core->idle);
  *core = (Core){ .any = false };
}

void
asc_load_state_free (struct AscLoadState *state)
{
  if (!state)
    return;
  for (guint i = 0; i < ASC_CORES; i++)
    clear_core (&state->cores[i]);
  g_free (state);
}

/* --- gaps: what is idle ---------------------------------------------------------------
 */

static void
add_gap (Core *core, guint64 start, guint64 end)
{
  if (start >= end)
    return;
  Gap *last
      = core->gaps->len ? &g_array_index (core->gaps, Gap, core->gaps->len - 1) : NULL;
  if (last && last->end == start)
    {
      /* Only joined while no cursor has passed it. */
      if (core->low.index < core->n_dropped + core->gaps->len
          && core->high.index < core->n_dropped + core->gaps->len)
        {
          last->end = end;
          return;
        }
    }
  Gap gap = { start, end };
  g_array_append_val (core->gaps, gap);
}

/* Both take what begins before until, but not more than a slice, so that the gaps at
 * hand stay few. They return up to where all is taken. */
static guint64
take_idle (Core *core, const AscLane *lane, guint64 until)
{
  AscRunsView view = asc_runs_view (&lane->runs);
  for (guint n = 0; core->lane_cursor < view.n; core->lane_cursor++, n++)
    {
      guint64 start, end, index = core->lane_cursor;
      asc_runs_span (&view, asc_runs_block (&lane->runs, index / ASC_FAN), index, &start,
                     &end);
      if (start >= until)
        break;
      if (n == SLICE)
        return start;
      add_gap (core, start, end);
    }
  return until;
}

typedef struct
{
  AscRunsView view;
  guint64 *cursor;
  guint64 start, end;
} Source;

static bool
load_source (Source *source, guint64 until)
{
  guint64 index = *source->cursor;
  if (index >= source->view.n)
    return false;
  asc_runs_span (&source->view, asc_runs_block (source->view.runs, index / ASC_FAN),
                 index, &source->start, &source->end);
  return source->start < until;
}

static void
sift (Source *heap, guint n, guint i)
{
  for (;;)
    {
      guint least = i, left = 2 * i + 1, right = left + 1;
      if (left < n && heap[left].start < heap[least].start)
        least = left;
      if (right < n && heap[right].start < heap[least].start)
        least = right;
      if (least == i)
        return;
      Source swap = heap[i];
      heap[i] = heap[least];
      heap[least] = swap;
      i = least;
    }
}

/* Without idle, what lies between runs is it: all lanes' runs in order of time. */
static guint64
take_runs (Core *core, const AscSession *session, guint number, guint64 until)
{
  guint n_lanes = asc_session_n_lanes (session), n = 0, taken = 0;
  if (core->cursors->len < n_lanes)
    g_array_set_size (core->cursors, n_lanes);
  Source *heap = g_new (Source, n_lanes + 1);
  for (guint i = 0; i < n_lanes; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      Source source = { .cursor = &g_array_index (core->cursors, guint64, i) };
      if (!asc_load_counts (lane, number))
        continue;
      source.view = asc_runs_view (&lane->runs);
      if (load_source (&source, until))
        heap[n++] = source;
    }
  for (guint i = n / 2; i-- > 0;)
    sift (heap, n, i);
  while (n > 0)
    {
      Source *next = &heap[0];
      if (taken++ == SLICE)
        {
          until = next->start;
          break;
        }
      add_gap (core, core->busy_end, next->start);
      core->busy_end = MAX (core->busy_end, next->end);
      ++*next->cursor;
      if (!load_source (next, until))
        heap[0] = heap[--n];
      sift (heap, n, 0);
    }
  g_free (heap);
  return until;
}

/* --- windows --------------------------------------------------------------------------
 */

static const Gap *
gap_at (const Core *core, guint64 index)
{
  guint64 at = index - core->n_dropped;
  return at < core->gaps->len ? &g_array_index (core->gaps, Gap, at) : NULL;
}

static guint64
idle_before (Core *core, Cursor *cursor, guint64 x)
{
  const Gap *gap;
  while ((gap = gap_at (core, cursor->index)) && gap->end <= x)
    {
      cursor->before += gap->end - gap->start;
      cursor->index++;
    }
  return cursor->before + (gap && gap->start < x ? x - gap->start : 0);
}

static guint64
look_at (Core *core, guint64 t, guint64 window)
{
  guint64 idle
      = idle_before (core, &core->high, t + window) - idle_before (core, &core->low, t);
  if (!core->any || idle < core->least_idle)
    {
      core->least_idle = idle;
      core->least_at = t;
      core->any = true;
    }
  core->at = t;
  core->begun = true;
  return idle;
}

/* The next place after `at` where a window may be the busiest, or of the grid. */
static guint64
next_place (const Core *core, guint64 last)
{
  guint64 next = last;
  const Gap *gap = gap_at (core, core->low.index);
  if (gap && gap->end > core->at)
    next = MIN (next, gap->end);
  return MIN (next, core->grid);
}

/* Up to where windows are as idle as the one at t: their begin and their end pass the
 * same gap, or none. So time in which nothing happens costs nothing. */
static guint64
same_until (const Core *core, guint64 t, guint64 window, guint64 last)
{
  const Gap *gap = gap_at (core, core->low.index);
  if (!gap)
    return last;
  if (gap->start <= t && gap->end - t >= window)
    return MIN (gap->end - window, last);
  if (gap->start > t && gap->start - t >= window)
    return MIN (gap->start - window, last);
  return t;
}

static void
slide (Core *core, guint64 window, guint64 end)
{
  if (end < core->segment || end - core->segment < window)
    return;
  guint64 last = end - window, step = MAX (window / GRID, 1);
  if (!core->begun)
    {
      core->at = core->segment;
      guint64 behind = core->segment > core->grid ? core->segment - core->grid : 0;
      core->grid += (behind + step - 1) / step * step;
    }
  for (guint64 t = core->begun ? next_place (core, last) : core->segment;;
       t = next_place (core, last))
    {
      guint64 idle = look_at (core, t, window);
      guint64 same = same_until (core, t, window, last);
      if (same >= core->grid)
        {
          guint64 n = (same - core->grid) / step + 1;
          asc_shares_add (&core->idle, idle, n);
          core->grid += n * step;
        }
      if (t >= last)
        return;
    }
}

static void
drop_gaps (Core *core)
{
  guint64 passed = core->low.index - core->n_dropped;
  if (passed < 4096 || passed < core->gaps->len / 2)
    return;
  g_array_remove_range (core->gaps, 0, (guint)passed);
  core->n_dropped += passed;
}

static void
begin (const AscSession *session, const struct AscLoadState *state, Core *core)
{
  core->gaps = g_array_new (FALSE, FALSE, sizeof (Gap));
  core->cursors = g_array_new (FALSE, TRUE, sizeof (guint64));
  core->segment = core->grid = core->taken = state->from;
  core->busy_end = state->from;
  core->stretch = asc_stretches_find (session, state->from);
}

/* Up to where nothing new can come: without idle, a run that goes on is not among the
 * published ones yet. */
static guint64
final_until (const AscSession *session, guint number)
{
  guint64 until = asc_load_known (session, number);
  guint n_lanes = asc_session_n_lanes (session);
  for (guint i = 0; i < n_lanes && !asc_load_from_idle (session, number); i++)
    {
      AscLane *lane = asc_session_lane (session, i);
      guint64 open = asc_get (&lane->open_start);
      if (asc_load_counts (lane, number))
        until = MIN (until, open);
    }
  return until;
}

static void
slide_segments (const AscSession *session, guint64 window, Core *core, guint64 until)
{
  for (guint64 n = asc_list_length (&session->stretches); core->stretch < n;)
    {
      const AscTickStretch *stretch = asc_list_at (&session->stretches, core->stretch);
      guint64 from = asc_get (&stretch->from), to = asc_get (&stretch->to);
      if (to > until || from >= until)
        {
          until = MIN (until, from);
          break;
        }
      slide (core, window, from);
      core->segment = MAX (to, core->segment);
      core->begun = false;
      core->stretch++;
    }
  slide (core, window, until);
}

static void
advance (const AscSession *session,
         const struct AscLoadState *state,
         Core *core,
         guint number)
{
  guint64 final = final_until (session, number);
  const AscLane *idle = asc_load_idle_lane (session, number);
  bool from_idle = asc_load_from_idle (session, number);
  if (!core->gaps)
    begin (session, state, core);
  while (core->taken < final)
    {
      guint64 until = final;
      if (from_idle && idle)
        until = take_idle (core, idle, until);
      if (!from_idle)
        {
          until = take_runs (core, session, number, until);
          /* Nothing of this core began until then. */
          add_gap (core, core->busy_end, until);
          core->busy_end = MAX (core->busy_end, until);
        }
      core->taken = until;
      slide_segments (session, state->window, core, until);
      drop_gaps (core);
    }
}

/* --- asking ---------------------------------------------------------------------------
 */

static double
p99_of (Core *core, guint64 window)
{
  /* The busiest are the least idle. */
  guint64 n = core->idle.n, rank = n - n / 100 * 99 - (n % 100 * 99 + 99) / 100;
  double share = n ? 1 - (double)asc_shares_at (&core->idle, rank) / (double)window : 0;
  return MAX (share, 0); /* it may be rounded */
}

static const char *
most_runs (const AscSession *session, guint core)
{
  guint n = asc_session_n_lanes (session);
  const AscLane *most = NULL;
  guint64 runs = 0;
  for (guint i = 0; i < n; i++)
    {
      AscLane *lane = asc_session_lane (session, i);
      guint64 here = asc_get (&lane->runs.n);
      if (asc_load_counts (lane, core) && here > runs)
        {
          runs = here;
          most = lane;
        }
    }
  return most ? asc_get (&most->name) : NULL;
}

static double
whole_load (const AscSession *session, guint core, guint64 from, guint64 *idle_ticks)
{
  guint64 to = asc_load_known (session, core), busy = 0;
  guint64 observed = asc_stretches_observed (session, &from, &to);
  *idle_ticks = 0;
  if (observed == 0)
    return 0;
  const AscLane *idle = asc_load_idle_lane (session, core);
  if (idle)
    *idle_ticks = MIN (asc_load_observed_part (idle, from, to), observed);
  if (asc_load_from_idle (session, core))
    return (double)(observed - *idle_ticks) / (double)observed;
  guint n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    if (asc_load_counts (asc_session_lane (session, i), core))
      busy += asc_load_observed_part (asc_session_lane (session, i), from, to);
  return (double)MIN (busy, observed) / (double)observed;
}

static void
core_margin (const AscSession *session,
             const struct AscLoadState *state,
             Core *core,
             guint number,
             AscMargin *margin)
{
  guint64 idle, late_idle;
  double worst = core->any ? 1 - (double)core->least_idle / (double)state->window : 0;
  double load = whole_load (session, number, 0, &idle);
  if (margin->known ? worst <= margin->worst || !core->any
                    : !core->any && load <= margin->load)
    return;
  *margin = (AscMargin){ .known = core->any,
                         .from_idle = asc_load_from_idle (session, number),
                         .load = load,
                         .worst = worst,
                         .margin = core->any ? 1 - worst : 0,
                         .worst_at_ns
                         = core->any ? asc_session_ns (session, core->least_at) : 0,
                         .p99 = MIN (p99_of (core, state->window), worst),
                         .window_ns = margin->window_ns,
                         .core = (guint8)number };
  whole_load (session, number, state->from, &late_idle);
  margin->never_idle = core->any && margin->from_idle && late_idle == 0;
  if (margin->never_idle)
    margin->polling = most_runs (session, number);
}

void
asc_session_margin (const AscSession *shared,
                    gint64 window_ns,
                    gint64 warm_up_ns,
                    AscMargin *margin)
{
  AscSession *session = asc_trace_session (shared->trace, shared->index);
  *margin = (AscMargin){ .window_ns = window_ns };
  guint64 first = asc_get (&session->first), start = asc_session_start (session);
  if (window_ns <= 0 || first == ASC_NO_TICKS)
    return;
  guint64 window = MAX (asc_session_ticks (session, window_ns), 1);
  guint64 warm_up = asc_session_ticks (session, warm_up_ns);
  guint64 from = MAX (start + warm_up, first);
  pthread_mutex_lock (&session->lock);
  struct AscLoadState *state = session->load;
  guint64 changes = asc_get (&session->past_changes);
  if (!state || state->window != window || state->from != from
      || state->changes != changes)
    {
      asc_load_state_free (state);
      state = session->load = g_new0 (struct AscLoadState, 1);
      state->window = window;
      state->from = from;
      state->changes = changes;
    }
  for (guint i = 0; i < ASC_CORES; i++)
    if (asc_load_has_core (session, i))
      {
        advance (session, state, &state->cores[i], i);
        core_margin (session, state, &state->cores[i], i, margin);
      }
  pthread_mutex_unlock (&session->lock);
}
