/* Columns of pixels out of a lane. */
#include "asc-model.h"

typedef struct
{
  const AscLane *lane;
  const AscSession *session;
  gint64 *borders; /* n + 1 */
  guint n;
  AscColumn *out;
  double scale; /* columns a nanosecond */
  gint64 quarter_ns;
  guint64 hog_ticks;
  bool tolerant;
  gint64 stop_ns; /* no wait of a run that starts here or later reaches the columns */
} Columns;

gint64
asc_column_border (gint64 from_ns, gint64 to_ns, guint i, guint n)
{
  __extension__ typedef __int128 i128;
  return (gint64)(from_ns + ((i128)to_ns - from_ns) * i / n);
}

/* The column that holds a time in [from, to). The borders decide, not the arithmetic. */
static guint
column_of (const Columns *columns, gint64 ns)
{
  double guess = ((double)ns - (double)columns->borders[0]) * columns->scale;
  guint i = guess <= 0 ? 0 : guess >= columns->n ? columns->n - 1 : (guint)guess;
  while (i > 0 && ns < columns->borders[i])
    i--;
  while (i + 1 < columns->n && ns >= columns->borders[i + 1])
    i++;
  return i;
}

static void
add_wait (Columns *columns, gint64 from, gint64 to)
{
  from = MAX (from, columns->borders[0]);
  to = MIN (to, columns->borders[columns->n]);
  if (from >= to)
    return;
  for (guint i = column_of (columns, from); i < columns->n && columns->borders[i] < to;
       i++)
    columns->out[i].late_ns
        += MIN (to, columns->borders[i + 1]) - MAX (from, columns->borders[i]);
}

static void
add_run (Columns *columns, gint64 start, gint64 end, guint32 flags)
{
  gint64 first = columns->borders[0], last = columns->borders[columns->n];
  if (start >= last || end < first || (end == first && start < end))
    return;
  for (guint i = column_of (columns, MAX (start, first)); i < columns->n; i++)
    {
      gint64 a = columns->borders[i], b = columns->borders[i + 1];
      AscColumn *column = &columns->out[i];
      if (a >= end && start < end)
        break;
      if (a >= b)
        continue;
      column->busy_ns += MIN (end, b) - MAX (start, a);
      column->longest_ns = MAX (column->longest_ns, end - start);
      column->n++;
      column->flags |= flags;
      if (end <= b)
        break;
    }
}

static bool
column_run (void *user, const AscBlock *block, guint64 index, guint64 start, guint64 end)
{
  Columns *columns = user;
  gint64 start_ns = asc_session_ns (columns->session, start);
  const guint8 *ends = asc_get (&block->ends);
  const guint16 *late = asc_get (&block->late);
  guint at = (guint)(index % ASC_FAN);
  guint32 flags = ends ? ends[at] & ASC_ENDS_FLAGS : 0;
  if (late && late[at] != ASC_NOT_TIMED)
    {
      flags |= ASC_RUN_LATE;
      add_wait (columns, start_ns - late[at] * G_GINT64_CONSTANT (1000000), start_ns);
    }
  add_run (columns, start_ns, asc_session_ns (columns->session, end), flags);
  return start_ns < columns->stop_ns;
}

static bool
column_node (void *user, const AscNode *node, guint64 first, guint64 n, bool *stop)
{
  Columns *columns = user;
  (void)first;
  gint64 t0 = asc_session_ns (columns->session, node->t0);
  gint64 low = t0 - node->late_max * G_GINT64_CONSTANT (1000000);
  gint64 high = asc_session_ns (columns->session, node->t1);
  *stop = t0 >= columns->stop_ns;
  if (*stop || high < columns->borders[0] || low >= columns->borders[columns->n])
    return true;
  if (node->longest == ASC_LONG || node->late_sum == G_MAXUINT32)
    return false;
  guint i = column_of (columns, MAX (low, columns->borders[0]));
  bool inside = low >= columns->borders[i] && high < columns->borders[i + 1];
  if (!inside
      && !(columns->tolerant && high - low < columns->quarter_ns
           && node->longest < columns->hog_ticks))
    return false;
  AscColumn *column = &columns->out[i];
  gint64 longest = asc_session_length_ns (columns->session, node->longest);
  column->busy_ns += asc_session_length_ns (columns->session, node->busy);
  column->longest_ns = MAX (column->longest_ns, longest);
  column->n += (guint32)n;
  column->flags |= node->flags;
  column->late_ns += node->late_sum * G_GINT64_CONSTANT (1000000);
  return true;
}

void
asc_lane_columns (const AscLane *lane,
                  gint64 from_ns,
                  gint64 to_ns,
                  guint n,
                  AscPrecision precision,
                  gint64 hog_ns,
                  AscColumn *out)
{
  static const AscWalker walker = { column_node, column_run };
  for (guint i = 0; i < n; i++)
    out[i] = (AscColumn){ 0 };
  if (n == 0 || from_ns >= to_ns || lane->samples)
    return;
  AscRunsView view = asc_runs_view (&lane->runs);
  gint64 late_max = asc_get (&lane->runs.late_max) * G_GINT64_CONSTANT (1000000);
  Columns columns = { .lane = lane,
                      .session = lane->session,
                      .borders = g_new (gint64, n + 1),
                      .n = n,
                      .out = out,
                      .scale = n / ((double)to_ns - (double)from_ns),
                      .quarter_ns = (gint64)(((double)to_ns - (double)from_ns) / n / 4),
                      .hog_ticks = asc_session_ticks_up (lane->session, hog_ns),
                      .tolerant = precision == ASC_TOLERANT };
  columns.stop_ns = to_ns > G_MAXINT64 - late_max ? G_MAXINT64 : to_ns + late_max;
  for (guint i = 0; i <= n; i++)
    columns.borders[i] = asc_column_border (from_ns, to_ns, i, n);
  guint64 from = asc_session_ticks_down (lane->session, from_ns);
  guint64 first = from > 0 ? asc_runs_find_end (&view, from - 1) : 0;
  asc_runs_walk (&view, first, &walker, &columns);
  AscTickRun open;
  if (asc_lane_open (lane, &view, &open))
    {
      gint64 start = asc_session_ns (lane->session, open.start);
      if (open.late != ASC_NOT_TIMED)
        add_wait (&columns, start - open.late * G_GINT64_CONSTANT (1000000), start);
      add_run (&columns, start, asc_session_ns (lane->session, open.end),
               ASC_RUN_OPEN | (open.ends & ASC_ENDS_FLAGS));
    }
  for (guint i = 0; i < n; i++)
    {
      /* Several instances may wait at once, and a tolerant node may reach over. */
      guint64 whole = (guint64)columns.borders[i + 1] - (guint64)columns.borders[i];
      gint64 width = (gint64)MIN (whole, (guint64)G_MAXINT64);
      out[i].late_ns = MIN (out[i].late_ns, width);
      out[i].busy_ns = MIN (out[i].busy_ns, width);
    }
  g_free (columns.borders);
}

bool
asc_session_held_up_by (const AscSession *session,
                        const AscRun *run,
                        const AscLane **by,
                        gint64 *overlap_ns)
{
  if (!(run->flags & ASC_RUN_LATE) || run->late_ms == 0)
    return false;
  gint64 due = run->start_ns - run->late_ms * G_GINT64_CONSTANT (1000000);
  guint64 from = asc_session_ticks_up (session, due);
  guint64 to = asc_session_ticks_up (session, run->start_ns);
  guint n = asc_session_n_lanes (session);
  guint64 *sums = g_new0 (guint64, n), best = 0;
  for (guint i = 0; i < n; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      if (lane->kind != ASC_LANE_TASK || lane->nested)
        continue;
      const AscLane *task = asc_lane_primary (lane);
      AscRunsView view = asc_runs_view (&lane->runs);
      if (task->index >= n)
        continue;
      sums[task->index] += asc_runs_busy (&view, from, to);
      if (sums[task->index] > best)
        {
          best = sums[task->index];
          *by = task;
        }
    }
  g_free (sums);
  *overlap_ns = asc_session_length_ns (session, best);
  return best > 0;
}
