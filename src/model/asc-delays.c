/* Whom hogs delayed: every late run's wait held against the hogs. */
#include "asc-model.h"

typedef struct
{
  const AscLane *lane;
  const AscHog *hogs; /* by start */
  gsize n;
  gint64 longest; /* of them */
  GArray *found;
  bool whole;
  guint64 to; /* ticks: no wait that began before the last hog's end is behind it */
} Search;

/* The first hog that does not begin before a time. */
static gsize
find_hog (const Search *search, gint64 ns)
{
  gsize low = 0, high = search->n;
  while (low < high)
    {
      gsize middle = low + (high - low) / 2;
      if (search->hogs[middle].start_ns < ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_run (Search *search, guint64 start, guint16 late, guint32 instance)
{
  if (late == ASC_NOT_TIMED || late == 0)
    return;
  gint64 start_ns = asc_session_ns (search->lane->session, start);
  gint64 due_ns = start_ns - late * G_GINT64_CONSTANT (1000000);
  for (gsize i = find_hog (search, due_ns - search->longest); i < search->n; i++)
    {
      const AscHog *hog = &search->hogs[i];
      if (hog->start_ns >= start_ns)
        break;
      AscDelay delay
          = { .hog = i,
              .lane = asc_lane_primary (search->lane),
              .start_ns = start_ns,
              .instance = instance,
              .delay_ns = MIN (hog->end_ns, start_ns) - MAX (hog->start_ns, due_ns) };
      if (delay.delay_ns <= 0)
        continue;
      search->whole = search->found->len < ASC_DELAYS_MAX;
      if (!search->whole)
        return;
      g_array_append_val (search->found, delay);
    }
}

static bool
late_node (void *user, const AscNode *node, guint64 first, guint64 n, bool *stop)
{
  Search *search = user;
  (void)first;
  (void)n;
  *stop = node->t0 >= search->to || !search->whole;
  return *stop || node->late_max == 0;
}

static bool
late_run (void *user, const AscBlock *block, guint64 index, guint64 start, guint64 end)
{
  Search *search = user;
  const guint16 *late = asc_get (&block->late);
  const guint32 *instances = asc_get (&block->instances);
  (void)end;
  if (start >= search->to || !search->whole)
    return false;
  if (late)
    add_run (search, start, late[index % ASC_FAN],
             instances ? instances[index % ASC_FAN] : block->node.instance);
  return true;
}

static gint
by_hog (gconstpointer a, gconstpointer b)
{
  const AscDelay *x = a, *y = b;
  if (x->hog != y->hog)
    return x->hog < y->hog ? -1 : 1;
  if (x->delay_ns != y->delay_ns)
    return x->delay_ns > y->delay_ns ? -1 : 1;
  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return (x->lane->index > y->lane->index) - (x->lane->index < y->lane->index);
}

GArray *
asc_session_delays (const AscSession *session, const AscHog *hogs, gsize n, bool *whole)
{
  static const AscWalker walker = { late_node, late_run };
  GArray *found = g_array_new (FALSE, FALSE, sizeof (AscDelay));
  Search search = { .hogs = hogs, .n = n, .found = found, .whole = true };
  gint64 last = 0;
  for (gsize i = 0; i < n; i++)
    {
      search.longest = MAX (search.longest, hogs[i].end_ns - hogs[i].start_ns);
      last = MAX (last, hogs[i].end_ns);
    }
  search.to
      = asc_session_ticks_up (session, last + G_MAXUINT16 * G_GINT64_CONSTANT (1000000));
  guint n_lanes = n > 0 ? asc_session_n_lanes (session) : 0;
  for (guint i = 0; i < n_lanes; i++)
    {
      const AscLane *lane = search.lane = asc_session_lane (session, i);
      AscTickRun open;
      if (lane->kind != ASC_LANE_TASK)
        continue;
      AscRunsView view = asc_runs_view (&lane->runs);
      asc_runs_walk (
          &view,
          asc_runs_find (&view, asc_session_ticks_down (session, hogs[0].start_ns)),
          &walker, &search);
      if (asc_lane_open (lane, &view, &open))
        add_run (&search, open.start, open.late, open.instance);
    }
  g_array_sort (found, by_hog);
  *whole = search.whole;
  return found;
}
