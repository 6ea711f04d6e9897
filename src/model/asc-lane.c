#include "asc-model.h"

AscLane *
asc_lane_new (AscSession *session, AscLaneKind kind, guint8 context)
{
  AscLane *lane = g_new0 (AscLane, 1);
  lane->session = session;
  lane->kind = kind;
  lane->context = context;
  lane->index = (guint)asc_own (&session->lanes.n);
  asc_runs_init (&lane->runs, &session->trace->arena);
  asc_list_init (&lane->lives, sizeof (AscLives));
  atomic_init (&lane->primary, lane);
  atomic_init (&lane->name, "");
  atomic_init (&lane->file, "");
  atomic_init (&lane->open_start, ASC_NO_TICKS);
  if (kind == ASC_LANE_PIN || kind == ASC_LANE_COUNTER || kind == ASC_LANE_MARK)
    {
      lane->samples = g_new (AscSamples, 1);
      asc_samples_init (lane->samples);
    }
  return lane;
}

void
asc_lane_free (AscLane *lane)
{
  asc_runs_clear (&lane->runs);
  asc_list_clear (&lane->lives);
  if (lane->samples)
    asc_samples_clear (lane->samples);
  g_free (lane->samples);
  if (lane->held)
    g_array_free (lane->held, TRUE);
  asc_tally_free (lane->tally);
  g_free (lane);
}

AscLane *
asc_lane_primary (const AscLane *lane)
{
  return asc_get (&lane->primary);
}

/* FNV-1a of the name: the same colour in every file. */
static guint
colour_of (const char *name)
{
  guint32 hash = 2166136261u;
  for (; *name; name++)
    hash = (hash ^ (guint8)*name) * 16777619u;
  return (hash ^ hash >> 16) % 12;
}

void
asc_lane_info (const AscLane *lane, AscLaneInfo *info)
{
  const AscLane *task = asc_lane_primary (lane);
  guint64 lives = asc_list_length (&task->lives);
  AscLives last = { 0, 0, 0 };
  if (lives)
    last = *(const AscLives *)asc_list_at (&task->lives, lives - 1);
  const char *name = asc_get (&lane->name);
  *info = (AscLaneInfo){
    .kind = lane->kind,
    .index = lane->index,
    .name = name,
    .file = asc_get (&lane->file),
    .line = asc_get (&lane->line),
    .internal = asc_get (&lane->internal),
    .colour = colour_of (name),
    .core = ASC_CONTEXT_CORE (lane->context),
    .context = lane->context,
    .nested = lane->nested,
    .task = task->index,
    .n_runs
    = lane->samples ? asc_list_length (&lane->samples->list) : asc_get (&lane->runs.n),
    .instances = last.born,
    .alive = last.alive,
    .most = asc_get (&task->most),
  };
}

bool
asc_lane_open (const AscLane *lane, const AscRunsView *view, AscTickRun *run)
{
  for (int tries = 0; tries < 4; tries++)
    {
      guint64 start = asc_get (&lane->open_start);
      guint64 more = asc_get (&lane->open_more);
      if (start == ASC_NO_TICKS)
        return false;
      if (asc_get (&lane->open_start) != start)
        continue;
      AscTickRun last;
      if (view->n > 0)
        {
          /* It may have been closed between the view and now. */
          asc_runs_get (view, view->n - 1, &last);
          if (last.start >= start || last.end > start)
            return false;
        }
      *run = (AscTickRun){ .index = view->n,
                           .start = start,
                           .end = MAX (asc_get (&lane->session->end), start),
                           .instance = (guint32)more,
                           .late = (guint16)(more >> 32),
                           .ends = (guint8)(more >> 48) };
      return true;
    }
  return false;
}

void
asc_lane_run_out (const AscLane *lane, const AscTickRun *in, AscRun *out)
{
  *out = (AscRun){ .start_ns = asc_session_ns (lane->session, in->start),
                   .end_ns = asc_session_ns (lane->session, in->end),
                   .index = in->index,
                   .instance = in->instance,
                   .late_ms = in->late == ASC_NOT_TIMED ? 0 : in->late,
                   .exit = in->ends & 3u,
                   .flags = in->ends & ASC_ENDS_FLAGS };
  if (in->late != ASC_NOT_TIMED)
    out->flags |= ASC_RUN_LATE;
  if (asc_stretches_touch (lane->session, in->start, in->end))
    out->flags |= ASC_RUN_TOUCHED;
}

/* The published runs and the open one, as one list. */
typedef struct
{
  AscRunsView view;
  AscTickRun open;
  bool has_open;
} Runs;

static Runs
look (const AscLane *lane)
{
  Runs runs;
  runs.view = asc_runs_view (&lane->runs);
  runs.has_open = asc_lane_open (lane, &runs.view, &runs.open);
  return runs;
}

static bool
give (const AscLane *lane, const Runs *runs, guint64 index, AscRun *out)
{
  AscTickRun run;
  if (index < runs->view.n)
    asc_runs_get (&runs->view, index, &run);
  else if (index == runs->view.n && runs->has_open)
    run = runs->open;
  else
    return false;
  asc_lane_run_out (lane, &run, out);
  if (index == runs->view.n)
    out->flags |= ASC_RUN_OPEN;
  return true;
}

gsize
asc_lane_runs (const AscLane *lane, gint64 from_ns, gint64 to_ns, AscRun *out, gsize max)
{
  Runs runs = look (lane);
  guint64 from = asc_session_ticks_down (lane->session, from_ns);
  gsize count = 0;
  guint64 first = asc_runs_find_end (&runs.view, from > 0 ? from - 1 : 0);
  for (guint64 i = from > 0 ? first : 0; count <= max; i++)
    {
      AscRun run;
      if (!give (lane, &runs, i, &run) || run.start_ns >= to_ns)
        break;
      /* Touching is having time in common, or standing there without length. */
      if (run.end_ns < from_ns || (run.end_ns == from_ns && run.start_ns < from_ns))
        continue;
      if (count < max)
        out[count] = run;
      count++;
    }
  return count;
}

bool
asc_lane_has_runs (const AscLane *lane, gint64 from_ns, gint64 to_ns, gsize n)
{
  AscRunsView view = asc_runs_view (&lane->runs);
  guint64 from = asc_session_ticks_down (lane->session, from_ns);
  AscTickRun run;
  if (n >= view.n)
    return false;
  guint64 last = asc_runs_find (&view, from) + n;
  if (last >= view.n)
    return false;
  asc_runs_get (&view, last, &run);
  return asc_session_ns (lane->session, run.start) < to_ns;
}

gsize
asc_lane_long_runs (const AscLane *lane,
                    gint64 from_ns,
                    gint64 to_ns,
                    gint64 least_ns,
                    AscRun *out,
                    gsize max)
{
  Runs runs = look (lane);
  guint64 from = asc_session_ticks_down (lane->session, from_ns);
  guint64 least = asc_session_ticks_up (lane->session, least_ns);
  guint64 i = from > 0 ? asc_runs_find_end (&runs.view, from - 1) : 0;
  gsize count = 0;
  for (; count <= max; i++)
    {
      AscRun run;
      i = asc_runs_next_long (&runs.view, i, least);
      if (!give (lane, &runs, i, &run) || run.start_ns >= to_ns)
        break;
      if (run.end_ns <= from_ns || run.end_ns - run.start_ns < least_ns)
        continue;
      if (count < max)
        out[count] = run;
      count++;
    }
  return count;
}

bool
asc_lane_run_at (const AscLane *lane, gint64 ns, AscRun *run)
{
  return asc_lane_run_before (lane, ns < G_MAXINT64 ? ns + 1 : ns, run)
         && run->start_ns <= ns && ns < run->end_ns;
}

bool
asc_lane_run_before (const AscLane *lane, gint64 ns, AscRun *run)
{
  Runs runs = look (lane);
  guint64 index = asc_runs_find (&runs.view, asc_session_ticks_up (lane->session, ns));
  if (index == runs.view.n && runs.has_open
      && asc_session_ns (lane->session, runs.open.start) < ns)
    index++;
  return index > 0 && give (lane, &runs, index - 1, run);
}

bool
asc_lane_run_after (const AscLane *lane, gint64 ns, AscRun *run)
{
  if (ns == G_MAXINT64)
    return false;
  Runs runs = look (lane);
  guint64 index
      = asc_runs_find (&runs.view, asc_session_ticks_up (lane->session, ns + 1));
  return give (lane, &runs, index, run) && run->start_ns > ns;
}

double
asc_lane_rank (const AscLane *lane, gint64 length_ns)
{
  /* Beyond that many, so many that are evenly spread tell a share to a percent. */
  AscRunsView view = asc_runs_view (&lane->runs);
  guint64 sample = MIN (view.n, ASC_LANE_RANK_EXACT), shorter = 0;
  guint64 length = asc_session_ticks_up (lane->session, length_ns);
  for (guint64 i = 0; i < sample; i++)
    {
      guint64 index = i * (view.n / sample) + i * (view.n % sample) / sample, start, end;
      asc_runs_span (&view, asc_runs_block (&lane->runs, index / ASC_FAN), index, &start,
                     &end);
      shorter += end - start < length;
    }
  return sample ? (double)shorter / (double)sample : 0;
}

bool
asc_lane_sample_at (const AscLane *lane, gint64 ns, AscSample *sample)
{
  if (!lane->samples || ns < 0)
    return false;
  guint64 n = asc_list_length (&lane->samples->list);
  guint64 i
      = asc_samples_find (lane->samples, n, asc_session_ticks_down (lane->session, ns));
  if (i == 0)
    return false;
  const AscTickSample *found = asc_samples_at (lane->samples, i - 1);
  *sample
      = (AscSample){ asc_session_ns (lane->session, found->ticks >> 1), found->value };
  return sample->time_ns <= ns;
}

static guint64
first_sample (const AscLane *lane, guint64 n, gint64 ns)
{
  guint64 ticks = asc_session_ticks_up (lane->session, ns);
  return ticks > 0 ? asc_samples_find (lane->samples, n, ticks - 1) : 0;
}

gsize
asc_lane_samples (const AscLane *lane,
                  gint64 from_ns,
                  gint64 to_ns,
                  AscSample *out,
                  gsize max)
{
  if (!lane->samples)
    return 0;
  guint64 n = asc_list_length (&lane->samples->list);
  gsize count = 0;
  for (guint64 i = first_sample (lane, n, from_ns); i < n && count <= max; i++)
    {
      const AscTickSample *sample = asc_samples_at (lane->samples, i);
      gint64 ns = asc_session_ns (lane->session, sample->ticks >> 1);
      if (ns >= to_ns)
        break;
      if (count < max)
        out[count] = (AscSample){ ns, sample->value };
      count++;
    }
  return count;
}

void
asc_lane_sample_columns (const AscLane *lane, const AscGrid *grid, AscSampleColumn *out)
{
  guint64 length = lane->samples ? asc_list_length (&lane->samples->list) : 0;
  guint64 at = length ? first_sample (lane, length, grid->ns[0]) : 0;
  for (guint i = 0; i < grid->n; i++)
    {
      AscSampleColumn *column = &out[i];
      guint64 end = grid->ticks[i + 1];
      guint64 next = length && end > 0
                         ? asc_samples_find_on (lane->samples, at, length, end - 1)
                         : at;
      *column = (AscSampleColumn){ .any = false };
      if (at > 0)
        {
          gint64 value = asc_samples_at (lane->samples, at - 1)->value;
          *column = (AscSampleColumn){ true, value, value, value, value };
        }
      if (next > at)
        {
          AscExtremes extremes = asc_samples_extremes (lane->samples, at, next);
          if (!column->any)
            column->first = asc_samples_at (lane->samples, at)->value;
          column->min = column->any ? MIN (column->min, extremes.min) : extremes.min;
          column->max = column->any ? MAX (column->max, extremes.max) : extremes.max;
          column->last = asc_samples_at (lane->samples, next - 1)->value;
          column->any = true;
        }
      at = next;
    }
}
