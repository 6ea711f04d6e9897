#include "asc-document-private.h"

#define STATS_INTERVAL_US 400000 /* between refreshes while live */

G_DEFINE_TYPE (AscDocument, asc_document, G_TYPE_OBJECT)

static guint signals[ASC_DOCUMENT_N_SIGNALS];

void
asc_document_tell (AscDocument *document, guint signal)
{
  g_signal_emit (document, signals[signal], 0);
}

/* --- sessions and the view
 * -------------------------------------------------------------- */

AscSession *
asc_document_session (const AscDocument *self)
{
  AscTrace *trace = asc_document_trace (self);
  if (trace == NULL || self->session >= asc_trace_n_sessions (trace))
    return NULL;
  return asc_trace_session (trace, self->session);
}

guint
asc_document_session_index (const AscDocument *self)
{
  return self->session;
}

static void
place_view (AscDocument *self)
{
  AscSessionInfo info;
  asc_session_info (asc_document_session (self), &info);
  gint64 from = info.first_ns; /* a board that ran before is not all emptiness */
  gint64 tick = MAX (1000000000 / (gint64)MAX (info.tick_hz, 1), 1);
  bool follow = asc_document_live (self) && !info.ended;
  if (!self->placed)
    asc_view_init (&self->view, from, info.end_ns, tick, follow);
  else
    asc_view_grow (&self->view, from, info.end_ns);
  bool loading
      = self->hold != NULL && asc_engine_state (self->hold->engine) == ASC_ENGINE_LOADING;
  /* A file that is still loading shows all of what is there, until it is touched. */
  self->placed = !loading || self->view.has_selection;
}

static void
show_session (AscDocument *self, guint index)
{
  self->session = index;
  self->chosen = NULL;
  self->hog_framed = false;
  self->placed = false;
  self->stats_stale = true;
  asc_document_forget_stats (self);
  g_clear_pointer (&self->percent, g_free);
  self->n_percent = 0;
  place_view (self);
  asc_document_tell (self, ASC_DOCUMENT_SESSION);
  asc_document_tell (self, ASC_DOCUMENT_STATS);
}

void
asc_document_choose_session (AscDocument *self, guint index)
{
  AscTrace *trace = asc_document_trace (self);
  if (trace == NULL || index >= asc_trace_n_sessions (trace) || index == self->session)
    return;
  self->newest = index + 1 == asc_trace_n_sessions (trace);
  show_session (self, index);
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
}

void
asc_document_tick (AscDocument *self)
{
  AscTrace *trace = asc_document_trace (self);
  if (trace == NULL)
    return;
  guint64 serial = asc_trace_serial (trace);
  guint n = asc_trace_n_sessions (trace);
  if (serial != self->seen && n > 0)
    {
      bool first = self->seen == 0;
      self->seen = serial;
      self->stats_stale = true;
      if (first || (self->newest && self->session + 1 < n))
        show_session (self, n - 1);
      place_view (self);
      asc_document_tell (self, ASC_DOCUMENT_DATA);
    }
  if (self->stats_stale && self->asking == NULL && n > 0
      && g_get_monotonic_time () - self->asked_us >= STATS_INTERVAL_US)
    asc_document_ask (self);
}

AscView *
asc_document_view (AscDocument *self)
{
  return &self->view;
}

void
asc_document_view_changed (AscDocument *self)
{
  self->placed = true;
  if (self->over != ASC_OVER_SESSION)
    {
      self->stats_stale = true;
      asc_document_ask (self);
    }
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
}

AscLane *
asc_document_chosen (const AscDocument *self)
{
  return self->chosen;
}

void
asc_document_choose_lane (AscDocument *self, AscLane *lane)
{
  if (self->chosen == lane)
    return;
  self->chosen = lane;
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
}

const char *
asc_document_filter (const AscDocument *self)
{
  return self->filter;
}

void
asc_document_set_filter (AscDocument *self, const char *filter)
{
  g_free (self->filter);
  self->filter = g_strdup (filter);
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
}

gint64
asc_document_hog_ns (const AscDocument *self)
{
  return self->hog_ns;
}

static void
show_stretch (AscDocument *self, AscLane *lane, gint64 from_ns, gint64 to_ns)
{
  gint64 length = MAX (to_ns - from_ns, 1);
  gint64 seen = self->view.to_ns - self->view.from_ns;
  self->chosen = lane;
  self->view.following = false;
  if (length < seen / 200)
    asc_view_show (&self->view, from_ns - 2 * length, to_ns + 2 * length);
  else
    asc_view_reveal (&self->view, from_ns, to_ns);
  asc_document_view_changed (self);
}

/* The hog that was stepped to is the one to go on from as long as it is seen. */
static bool
hog_is_framed (const AscDocument *self)
{
  return self->hog_framed && !self->view.following
         && self->framed.end_ns >= self->view.from_ns
         && self->framed.start_ns <= self->view.to_ns;
}

gsize
asc_document_framed_hog (const AscDocument *self)
{
  return hog_is_framed (self) ? self->framed_number : 0;
}

/* How many hogs begin before it, and it. */
static gsize
number_of (AscSession *session, gint64 threshold_ns, const AscHog *hog)
{
  AscHog *hogs = g_new (AscHog, ASC_HOGS_MAX);
  gsize n = asc_session_hogs (session, threshold_ns, G_MININT64, hog->start_ns - 1, hogs,
                              ASC_HOGS_MAX);
  g_free (hogs);
  return n < ASC_HOGS_MAX ? n + 1 : 0;
}

bool
asc_document_step_hog (AscDocument *self, int direction)
{
  AscSession *session = asc_document_session (self);
  AscHog hog;
  if (session == NULL)
    return false;
  gint64 length = self->view.to_ns - self->view.from_ns;
  gint64 first = self->view.data_from_ns - length, last = self->view.data_to_ns + length;
  gint64 from = direction > 0 ? self->view.from_ns - 1 : self->view.to_ns + 1;
  if (self->view.following)
    {
      from = last;
      direction = -1;
    }
  else if (hog_is_framed (self))
    from = self->framed.start_ns + (self->framed.end_ns - self->framed.start_ns) / 2;
  /* Past the last one it begins again. */
  if (!asc_session_hog_beside (session, self->hog_ns, from, direction, &hog)
      && !asc_session_hog_beside (session, self->hog_ns, direction > 0 ? first : last,
                                  direction, &hog))
    return false;
  self->hog_framed = true;
  self->framed = hog;
  self->framed_number = number_of (session, self->hog_ns, &hog);
  guint n_lanes = asc_session_n_lanes (session);
  self->chosen = NULL;
  for (guint i = 0; i < n_lanes; i++)
    if (asc_session_lane (session, i) == hog.lane)
      self->chosen = asc_session_lane (session, i);
  length = hog.end_ns - hog.start_ns;
  asc_view_show (&self->view, hog.start_ns - length, hog.end_ns + length);
  asc_document_say (self, 0, "");
  asc_document_view_changed (self);
  return true;
}

bool
asc_document_step_run (AscDocument *self, int direction)
{
  AscRun run;
  gint64 middle = self->view.from_ns + (self->view.to_ns - self->view.from_ns) / 2;
  if (self->chosen == NULL)
    return false;
  if (self->view.has_selection)
    middle = self->view.selection_from_ns;
  if (direction > 0 ? !asc_lane_run_after (self->chosen, middle, &run)
                    : !asc_lane_run_before (self->chosen, middle, &run))
    return false;
  asc_view_select (&self->view, run.start_ns, run.end_ns);
  show_stretch (self, self->chosen, run.start_ns, run.end_ns);
  return true;
}

/* --- GObject
 * ---------------------------------------------------------------------------- */

static void
asc_document_dispose (GObject *object)
{
  asc_document_give_up (ASC_DOCUMENT (object));
  asc_document_let_go (ASC_DOCUMENT (object));
  G_OBJECT_CLASS (asc_document_parent_class)->dispose (object);
}

static void
asc_document_finalize (GObject *object)
{
  AscDocument *self = ASC_DOCUMENT (object);
  g_free (self->filter);
  G_OBJECT_CLASS (asc_document_parent_class)->finalize (object);
}

static void
asc_document_class_init (AscDocumentClass *class)
{
  static const char *const names[ASC_DOCUMENT_N_SIGNALS]
      = { "state", "session", "data", "view", "stats" };
  G_OBJECT_CLASS (class)->dispose = asc_document_dispose;
  G_OBJECT_CLASS (class)->finalize = asc_document_finalize;
  for (int i = 0; i < ASC_DOCUMENT_N_SIGNALS; i++)
    signals[i] = g_signal_new (names[i], ASC_TYPE_DOCUMENT, G_SIGNAL_RUN_LAST, 0, NULL,
                               NULL, NULL, G_TYPE_NONE, 0);
}

static void
asc_document_init (AscDocument *self)
{
  self->hog_ns = ASC_HOG_NS;
  self->newest = true;
  self->view = (AscView){ .to_ns = 1 };
}

AscDocument *
asc_document_new (void)
{
  return g_object_new (ASC_TYPE_DOCUMENT, NULL);
}
