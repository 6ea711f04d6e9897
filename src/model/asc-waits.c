#include "asc-waits.h"

#include "asc-model.h"

#define LATE_NS G_GINT64_CONSTANT (1000000)

gint64
asc_run_due_ns (const AscRun *run)
{
  return run->flags & ASC_RUN_LATE ? run->start_ns - run->late_ms * LATE_NS
                                   : run->start_ns;
}

/* --- waits that reach over a time --- */

/* One late run after another, in order of start. */
typedef struct
{
  const AscLane *lane;
  AscRunsView view;
  guint64 index;   /* looked at next; the open run's is the number of runs */
  gint64 until_ns; /* only waits that began at or before this are told */
} Waiting;

/* Runs that start after a time. */
static Waiting
waiting_after (const AscLane *lane, gint64 after_ns, gint64 until_ns)
{
  Waiting waiting
      = { .lane = lane, .view = asc_runs_view (&lane->runs), .until_ns = until_ns };
  waiting.index
      = after_ns == G_MAXINT64
            ? waiting.view.n
            : asc_runs_find (&waiting.view,
                             asc_session_ticks_up (lane->session, after_ns + 1));
  return waiting;
}

/* Past blocks in which nobody waited so long. */
static void
skip_blocks (Waiting *waiting)
{
  const AscRuns *runs = waiting->view.runs;
  guint64 n = (waiting->view.n + ASC_FAN - 1) / ASC_FAN;
  gint64 reach = asc_get (&runs->late_max) * LATE_NS;
  for (guint64 i = waiting->index / ASC_FAN; i < n; i++)
    {
      const AscMile *mile = asc_runs_mile (runs, i);
      gint64 t0_ns = asc_session_ns (waiting->lane->session, mile->t0);
      asc_runs_visits++;
      if (t0_ns - reach > waiting->until_ns)
        break;
      /* The last block's sums may be to come. */
      if (i + 1 == n || t0_ns - mile->late_max * LATE_NS <= waiting->until_ns)
        {
          waiting->index = MAX (waiting->index, i * ASC_FAN);
          return;
        }
    }
  waiting->index = waiting->view.n;
}

static bool
is_waiting (const Waiting *waiting, const AscTickRun *in, AscRun *run)
{
  asc_runs_visits++;
  if (in->late == ASC_NOT_TIMED || in->late == 0)
    return false;
  asc_lane_run_out (waiting->lane, in, run);
  return asc_run_due_ns (run) <= waiting->until_ns;
}

static bool
next_waiting (Waiting *waiting, AscRun *run)
{
  AscTickRun in;
  for (skip_blocks (waiting); waiting->index < waiting->view.n; skip_blocks (waiting))
    {
      asc_runs_get (&waiting->view, waiting->index++, &in);
      if (is_waiting (waiting, &in, run))
        return true;
    }
  return false;
}

/* The run that goes on now, if it began after a time and waited so long. */
static bool
open_waiting (const Waiting *waiting, gint64 after_ns, AscRun *run)
{
  AscTickRun in;
  if (!asc_lane_open (waiting->lane, &waiting->view, &in)
      || !is_waiting (waiting, &in, run) || run->start_ns <= after_ns)
    return false;
  run->flags |= ASC_RUN_OPEN;
  return true;
}

bool
asc_lane_wait_at (const AscLane *lane, gint64 ns, AscRun *run)
{
  Waiting waiting = waiting_after (lane, ns, ns);
  return next_waiting (&waiting, run) || open_waiting (&waiting, ns, run);
}

/* --- shares --- */

static gint
most_first (gconstpointer a, gconstpointer b)
{
  const AscTaskTime *x = a, *y = b;
  if (x->ns != y->ns)
    return x->ns > y->ns ? -1 : 1;
  return (x->task->index > y->task->index) - (x->task->index < y->task->index);
}

/* What each task has, by the index of its lane. */
static gsize
give (const AscSession *session, const gint64 *ns, guint n, AscTaskTime *out, gsize max)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (AscTaskTime));
  for (guint i = 0; i < n; i++)
    if (ns[i] > 0)
      {
        AscTaskTime share = { asc_session_lane (session, i), ns[i] };
        g_array_append_val (found, share);
      }
  g_array_sort (found, most_first);
  gsize count = found->len;
  for (gsize i = 0; i < MIN (count, max); i++)
    out[i] = g_array_index (found, AscTaskTime, i);
  g_array_free (found, TRUE);
  return count;
}

gsize
asc_session_who_ran (const AscSession *session,
                     gint64 from_ns,
                     gint64 to_ns,
                     AscTaskTime *out,
                     gsize max)
{
  guint64 from = asc_session_ticks_up (session, from_ns);
  guint64 to = asc_session_ticks_up (session, to_ns);
  guint n = asc_session_n_lanes (session);
  gint64 *ns = g_new0 (gint64, MAX (n, 1));
  for (guint i = 0; i < n && from < to; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      const AscLane *task = asc_lane_primary (lane);
      AscRunsView view = asc_runs_view (&lane->runs);
      AscTickRun open;
      if (lane->kind != ASC_LANE_TASK || lane->nested || task->index >= n)
        continue;
      guint64 busy = asc_runs_busy (&view, from, to);
      if (asc_lane_open (lane, &view, &open) && open.start < to && open.end > from)
        busy += MIN (open.end, to) - MAX (open.start, from);
      ns[task->index] += asc_session_length_ns (session, busy);
    }
  gsize count = give (session, ns, n, out, max);
  g_free (ns);
  return count;
}

bool
asc_session_held_up_by (const AscSession *session,
                        const AscRun *run,
                        const AscLane **by,
                        gint64 *overlap_ns)
{
  AscTaskTime most;
  if (!(run->flags & ASC_RUN_LATE) || run->late_ms == 0
      || asc_session_who_ran (session, asc_run_due_ns (run), run->start_ns, &most, 1)
             == 0)
    return false;
  *by = most.task;
  *overlap_ns = most.ns;
  return true;
}

gsize
asc_session_held_up (const AscSession *session,
                     const AscRun *run,
                     AscTaskTime *out,
                     gsize max)
{
  guint n = asc_session_n_lanes (session);
  gint64 *ns = g_new0 (gint64, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      const AscLane *task = asc_lane_primary (lane);
      AscRun late;
      if (lane->kind != ASC_LANE_TASK || task->index >= n)
        continue;
      Waiting waiting = waiting_after (lane, run->start_ns, run->end_ns - 1);
      while (next_waiting (&waiting, &late)
             || open_waiting (&waiting, run->start_ns, &late))
        {
          gint64 from = MAX (asc_run_due_ns (&late), run->start_ns);
          gint64 to = MIN (late.start_ns, run->end_ns);
          ns[task->index] = MAX (ns[task->index], to - from);
          if (late.flags & ASC_RUN_OPEN)
            break;
        }
    }
  gsize count = give (session, ns, n, out, max);
  g_free (ns);
  return count;
}

bool
asc_lane_is_longest (const AscLane *lane, const AscRun *run)
{
  const AscSession *session = lane->session;
  const AscLane *task = asc_lane_primary (lane);
  guint64 longer = asc_session_ticks_up (session, run->end_ns) + 1
                   - asc_session_ticks_up (session, run->start_ns);
  guint n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    {
      const AscLane *other = asc_session_lane (session, i);
      AscRunsView view = asc_runs_view (&other->runs);
      AscRun found;
      AscTickRun in;
      if (other->kind != ASC_LANE_TASK || asc_lane_primary (other) != task)
        continue;
      for (guint64 at = asc_runs_next_long (&view, 0, longer); at < view.n;
           at = asc_runs_next_long (&view, at + 1, longer))
        {
          asc_runs_get (&view, at, &in);
          asc_lane_run_out (other, &in, &found);
          if (!(found.flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED)))
            return false;
        }
    }
  return true;
}
