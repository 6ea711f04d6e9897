/* Long runs, found by the pyramid. */
#include "asc-model.h"

typedef struct
{
  const AscLane *lane;
  GArray *found;
  guint64 threshold, from, to; /* ticks */
  gsize left;
} Search;

static void
add_hog (Search *search, guint64 start, guint64 end)
{
  AscHog hog = { .start_ns = asc_session_ns (search->lane->session, start),
                 .end_ns = asc_session_ns (search->lane->session, end),
                 .lane = search->lane,
                 .chain = false };
  g_array_append_val (search->found, hog);
  search->left--;
}

static bool
hog_node (void *user, const AscNode *node, guint64 first, guint64 n, bool *stop)
{
  Search *search = user;
  (void)first;
  (void)n;
  *stop = node->t0 >= search->to || search->left == 0;
  return *stop || node->t1 <= search->from
         || (node->longest < search->threshold && node->longest != ASC_LONG);
}

static bool
hog_run (void *user, const AscBlock *block, guint64 index, guint64 start, guint64 end)
{
  Search *search = user;
  (void)block;
  (void)index;
  if (start >= search->to || search->left == 0)
    return false;
  if (end - start >= search->threshold && end > search->from)
    add_hog (search, start, end);
  return true;
}

static gint
by_start (gconstpointer a, gconstpointer b)
{
  const AscHog *x = a, *y = b;
  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return (x->lane->index > y->lane->index) - (x->lane->index < y->lane->index);
}

gsize
asc_session_hogs (const AscSession *session,
                  gint64 threshold_ns,
                  gint64 from_ns,
                  gint64 to_ns,
                  AscHog *out,
                  gsize max)
{
  static const AscWalker walker = { hog_node, hog_run };
  GArray *found = g_array_new (FALSE, FALSE, sizeof (AscHog));
  guint n_lanes = asc_session_n_lanes (session);
  for (guint i = 0; i < n_lanes; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      if (lane->kind != ASC_LANE_TASK)
        continue;
      AscRunsView view = asc_runs_view (&lane->runs);
      Search search = { .lane = lane,
                        .found = found,
                        .threshold = asc_session_ticks_up (session, threshold_ns),
                        .from = asc_session_ticks_down (session, from_ns),
                        .to = asc_session_ticks_up (session, to_ns),
                        .left = max < G_MAXSIZE ? max + 1 : max };
      asc_runs_walk (&view, asc_runs_find_end (&view, search.from), &walker, &search);
      AscTickRun open;
      if (search.left > 0 && asc_lane_open (lane, &view, &open))
        hog_run (&search, NULL, 0, open.start, open.end);
    }
  g_array_sort (found, by_start);
  gsize n = max < G_MAXSIZE ? MIN ((gsize)found->len, max + 1) : found->len;
  for (gsize i = 0; i < MIN (n, max); i++)
    out[i] = g_array_index (found, AscHog, i);
  g_array_free (found, TRUE);
  return n;
}

/* --- one at a time --- */

typedef struct
{
  const AscLane *lane;
  AscRunsView view;
  AscTickRun open; /* stands behind the published ones */
  bool has_open;
  guint64 threshold; /* ticks */
} Hogs;

static Hogs
hogs_of (const AscLane *lane, gint64 threshold_ns)
{
  Hogs hogs = { .lane = lane,
                .view = asc_runs_view (&lane->runs),
                .threshold = asc_session_ticks_up (lane->session, threshold_ns) };
  hogs.has_open = asc_lane_open (lane, &hogs.view, &hogs.open)
                  && hogs.open.end - hogs.open.start >= hogs.threshold;
  return hogs;
}

/* The first from an index on; the open one has the number of runs. False: none. */
static bool
next_hog (const Hogs *hogs, guint64 from, guint64 *index, AscHog *out)
{
  AscTickRun run = hogs->open;
  *index = asc_runs_next_long (&hogs->view, from, hogs->threshold);
  if (*index < hogs->view.n)
    asc_runs_get (&hogs->view, *index, &run);
  else if (!hogs->has_open || from > hogs->view.n)
    return false;
  *out = (AscHog){ .start_ns = asc_session_ns (hogs->lane->session, run.start),
                   .end_ns = asc_session_ns (hogs->lane->session, run.end),
                   .lane = hogs->lane };
  return true;
}

/* The last that starts before an index. */
static bool
previous_hog (const Hogs *hogs, guint64 before, guint64 *index, AscHog *out)
{
  for (guint64 block = (before + ASC_FAN - 1) / ASC_FAN; block > 0; block--)
    {
      guint64 first = (block - 1) * ASC_FAN, at = MIN (block * ASC_FAN, before);
      const AscMile *mile = asc_runs_mile (hogs->view.runs, block - 1);
      asc_runs_visits++;
      if (block - 1 < hogs->view.n_full && mile->longest != ASC_LONG
          && mile->longest < hogs->threshold)
        continue;
      for (; at > first; at--)
        {
          AscTickRun run;
          asc_runs_get (&hogs->view, at - 1, &run);
          if (run.end - run.start >= hogs->threshold)
            return next_hog (hogs, at - 1, index, out);
        }
    }
  return false;
}

void
asc_session_hog_columns (const AscGrid *grid, gint64 threshold_ns, bool *out)
{
  const AscSession *session = grid->session;
  guint n_lanes = asc_session_n_lanes (session);
  for (guint i = 0; i < grid->n; i++)
    out[i] = false;
  if (grid->n == 0 || grid->ns[0] >= grid->ns[grid->n])
    return;
  for (guint i = 0; i < n_lanes; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      if (lane->kind != ASC_LANE_TASK)
        continue;
      Hogs hogs = hogs_of (lane, threshold_ns);
      guint64 at = asc_runs_find (&hogs.view, grid->ticks[0]);
      AscHog hog;
      while (next_hog (&hogs, at, &at, &hog) && hog.start_ns < grid->ns[grid->n])
        {
          guint column = asc_grid_column (grid, MAX (hog.start_ns, grid->ns[0]));
          out[column] = true;
          at = MAX (asc_runs_find (&hogs.view, grid->ticks[column + 1]), at + 1);
        }
    }
}

static gint64
middle_of (const AscHog *hog)
{
  return hog->start_ns + (hog->end_ns - hog->start_ns) / 2;
}

/* Of one lane. Runs of a lane do not overlap, so their middles are in order. */
static bool
beside (const Hogs *hogs, gint64 ns, int direction, AscHog *out)
{
  guint64 ticks = asc_session_ticks_up (hogs->lane->session, ns);
  guint64 at = asc_runs_find_end (&hogs->view, ticks);
  AscHog hog;
  if (direction > 0)
    {
      for (; next_hog (hogs, at, &at, &hog); at++)
        if (middle_of (&hog) > ns)
          {
            *out = hog;
            return true;
          }
      return false;
    }
  bool open_first = hogs->has_open && next_hog (hogs, hogs->view.n, &at, &hog)
                    && middle_of (&hog) < ns;
  if (open_first)
    *out = hog;
  at = MIN (asc_runs_find (&hogs->view, ticks), hogs->view.n);
  for (; !open_first && previous_hog (hogs, at, &at, &hog);)
    if (middle_of (&hog) < ns)
      {
        *out = hog;
        return true;
      }
  return open_first;
}

bool
asc_session_hog_beside (const AscSession *session,
                        gint64 threshold_ns,
                        gint64 ns,
                        int direction,
                        AscHog *out)
{
  guint n_lanes = asc_session_n_lanes (session);
  bool any = false;
  for (guint i = 0; i < n_lanes; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      AscHog hog;
      if (lane->kind != ASC_LANE_TASK)
        continue;
      Hogs hogs = hogs_of (lane, threshold_ns);
      if (!beside (&hogs, ns, direction, &hog))
        continue;
      if (!any
          || (direction > 0 ? middle_of (&hog) < middle_of (out)
                            : middle_of (&hog) > middle_of (out)))
        *out = hog;
      any = true;
    }
  return any;
}
