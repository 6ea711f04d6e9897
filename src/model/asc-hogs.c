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
