#include "asc-document.h"

#define STATS_INTERVAL_US 400000 /* between refreshes while live */
#define HOGS_MAX 10000

/* The engine, kept as long as a worker reads its trace. */
typedef struct
{
  AscEngine *engine;
  GWeakRef document;
} Hold;

struct _AscDocument
{
  GObject parent;
  Hold *hold;
  guint serial; /* counts documents' contents: late answers of workers are dropped */
  bool connecting;
  char *title;
  char *spec;
  char *saved_path;
  char *said; /* the window's own message */
  int said_severity;
  guint64 seen; /* serial of the trace */
  guint64 saved_length;
  bool placed; /* the view was set up for the session */
  bool newest; /* the newest session is chosen by itself */
  guint session;
  AscView view;
  AscLane *chosen;
  char *filter;
  gint64 hog_ns;
  AscOver over;
  AscStats *stats;
  double *percent;
  guint n_percent;
  GCancellable *asking; /* the running worker's, or NULL */
  bool ask_again;
  bool stats_stale;
  gint64 asked_us;
  guint timer;
};

G_DEFINE_TYPE (AscDocument, asc_document, G_TYPE_OBJECT)

enum
{
  STATE,
  SESSION,
  DATA,
  VIEW,
  STATS,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

/* --- the engine and its threads -------------------------------------------------------
 */

static void
hold_clear (gpointer data)
{
  Hold *hold = data;
  asc_engine_free (hold->engine);
  g_weak_ref_clear (&hold->document);
}

static void
hold_release (gpointer hold)
{
  g_atomic_rc_box_release_full (hold, hold_clear);
}

static Hold *
hold_new (AscDocument *self)
{
  Hold *hold = g_atomic_rc_box_new0 (Hold);
  g_weak_ref_init (&hold->document, self);
  return hold;
}

static gboolean
tell_state (gpointer document)
{
  g_signal_emit (document, signals[STATE], 0);
  return G_SOURCE_REMOVE;
}

/* On any thread. */
static void
engine_changed (gpointer data)
{
  Hold *hold = data;
  AscDocument *self = g_weak_ref_get (&hold->document);
  if (self != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT, tell_state, self, g_object_unref);
}

static void
let_go (AscDocument *self)
{
  if (self->asking != NULL)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
  self->serial++;
  self->connecting = false;
  if (self->hold != NULL)
    {
      asc_engine_stop (self->hold->engine);
      g_clear_pointer (&self->hold, hold_release);
    }
  g_clear_pointer (&self->stats, asc_stats_free);
  g_clear_pointer (&self->percent, g_free);
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->saved_path, g_free);
  g_clear_pointer (&self->said, g_free);
  self->n_percent = 0;
  self->chosen = NULL;
  self->seen = 0;
  self->saved_length = 0;
  self->session = 0;
  self->placed = false;
  self->newest = true;
  self->ask_again = false;
  self->stats_stale = true;
  self->over = ASC_OVER_SESSION;
  self->view = (AscView){ .to_ns = 1 };
}

static void
tell_new (AscDocument *self)
{
  g_signal_emit (self, signals[SESSION], 0);
  g_signal_emit (self, signals[STATE], 0);
  g_signal_emit (self, signals[STATS], 0);
  g_signal_emit (self, signals[VIEW], 0);
}

void
asc_document_close (AscDocument *self)
{
  let_go (self);
  tell_new (self);
}

void
asc_document_open (AscDocument *self, const char *path)
{
  let_go (self);
  self->hold = hold_new (self);
  self->hold->engine = asc_engine_open (path, NULL, NULL, engine_changed, self->hold);
  self->title = g_path_get_basename (path);
  self->saved_path = g_strdup (path);
  tell_new (self);
}

typedef struct
{
  Hold *hold;
  AscSourceSpec *spec;
} Connecting;

static void
connecting_free (gpointer data)
{
  Connecting *connecting = data;
  hold_release (connecting->hold);
  asc_source_spec_free (connecting->spec);
  g_free (connecting);
}

static void
connect_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Connecting *connecting = data;
  GError *error = NULL;
  AscRecordingOptions options = { .reconnect = true };
  (void)source;
  (void)cancellable;
  connecting->hold->engine = asc_engine_record (connecting->spec, &options,
                                                engine_changed, connecting->hold, &error);
  if (connecting->hold->engine == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, g_atomic_rc_box_acquire (connecting->hold),
                           hold_release);
}

static void
connected (GObject *source, GAsyncResult *result, gpointer serial)
{
  AscDocument *self = ASC_DOCUMENT (source);
  GError *error = NULL;
  Hold *hold = g_task_propagate_pointer (G_TASK (result), &error);
  if (self->serial != GPOINTER_TO_UINT (serial))
    {
      g_clear_error (&error);
      g_clear_pointer (&hold, hold_release);
      return;
    }
  self->connecting = false;
  if (hold == NULL)
    {
      asc_document_say (self, 2, error->message);
      g_error_free (error);
      g_signal_emit (self, signals[STATE], 0);
      return;
    }
  self->hold = hold;
  tell_new (self);
}

void
asc_document_connect (AscDocument *self, const char *text)
{
  GError *error = NULL;
  AscSourceSpec *spec = asc_source_spec_parse (text, &error);
  if (spec == NULL)
    {
      asc_document_say (self, 2, error->message);
      g_error_free (error);
      return;
    }
  let_go (self);
  self->connecting = true;
  g_free (self->spec);
  self->spec = g_strdup (text);
  Connecting *connecting = g_new0 (Connecting, 1);
  connecting->hold = hold_new (self);
  connecting->spec = spec;
  GTask *task = g_task_new (self, NULL, connected, GUINT_TO_POINTER (self->serial));
  g_task_set_task_data (task, connecting, connecting_free);
  g_task_run_in_thread (task, connect_thread);
  g_object_unref (task);
  tell_new (self);
}

void
asc_document_disconnect (AscDocument *self)
{
  if (self->connecting)
    {
      let_go (self);
      tell_new (self);
      return;
    }
  if (self->hold == NULL)
    return;
  asc_engine_stop (self->hold->engine);
  asc_view_follow (&self->view, false);
  g_signal_emit (self, signals[STATE], 0);
  g_signal_emit (self, signals[VIEW], 0);
}

bool
asc_document_connecting (const AscDocument *self)
{
  return self->connecting;
}

AscEngine *
asc_document_engine (const AscDocument *self)
{
  return self->hold != NULL ? self->hold->engine : NULL;
}

AscTrace *
asc_document_trace (const AscDocument *self)
{
  return self->hold != NULL ? asc_engine_trace (self->hold->engine) : NULL;
}

bool
asc_document_live (const AscDocument *self)
{
  if (self->hold == NULL)
    return false;
  AscEngineState state = asc_engine_state (self->hold->engine);
  return state == ASC_ENGINE_LIVE || state == ASC_ENGINE_WAITING;
}

const char *
asc_document_title (AscDocument *self)
{
  AscSession *session = asc_document_session (self);
  if (self->title != NULL || self->hold == NULL)
    return self->title != NULL ? self->title : "";
  if (session != NULL)
    {
      AscSessionInfo info;
      asc_session_info (session, &info);
      if (*info.program != '\0')
        return info.program;
    }
  AscRecording *recording = asc_engine_recording (self->hold->engine);
  return recording != NULL ? asc_recording_describe (recording) : "";
}

char *
asc_document_message (AscDocument *self, int *severity)
{
  *severity = self->said_severity;
  if (self->said != NULL)
    return g_strdup (self->said);
  if (self->connecting)
    {
      *severity = 0;
      return g_strdup_printf ("Connecting to %s …", self->spec);
    }
  *severity = 0;
  return self->hold != NULL ? asc_engine_message (self->hold->engine, severity)
                            : g_strdup ("");
}

void
asc_document_say (AscDocument *self, int severity, const char *message)
{
  g_free (self->said);
  self->said = *message != '\0' ? g_strdup (message) : NULL;
  self->said_severity = severity;
  g_signal_emit (self, signals[STATE], 0);
}

bool
asc_document_unsaved (const AscDocument *self)
{
  AscRecording *recording
      = self->hold != NULL ? asc_engine_recording (self->hold->engine) : NULL;
  return recording != NULL
         && (self->saved_path == NULL
             || asc_recording_length (recording) > self->saved_length);
}

void
asc_document_saved (AscDocument *self, const char *path)
{
  AscRecording *recording
      = self->hold != NULL ? asc_engine_recording (self->hold->engine) : NULL;
  g_free (self->saved_path);
  self->saved_path = g_strdup (path);
  g_free (self->title);
  self->title = g_path_get_basename (path);
  self->saved_length = recording != NULL ? asc_recording_length (recording) : 0;
  g_signal_emit (self, signals[STATE], 0);
}

void
asc_document_hold (AscDocument *self, GObject *object)
{
  if (self->hold != NULL)
    g_object_set_data_full (object, "asc-hold", g_atomic_rc_box_acquire (self->hold),
                            hold_release);
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
  gint64 from = MIN (info.start_ns, info.first_ns);
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
  self->placed = false;
  self->stats_stale = true;
  g_clear_pointer (&self->stats, asc_stats_free);
  g_clear_pointer (&self->percent, g_free);
  self->n_percent = 0;
  place_view (self);
  g_signal_emit (self, signals[SESSION], 0);
  g_signal_emit (self, signals[STATS], 0);
}

void
asc_document_choose_session (AscDocument *self, guint index)
{
  AscTrace *trace = asc_document_trace (self);
  if (trace == NULL || index >= asc_trace_n_sessions (trace) || index == self->session)
    return;
  self->newest = index + 1 == asc_trace_n_sessions (trace);
  show_session (self, index);
  g_signal_emit (self, signals[VIEW], 0);
}

static void ask (AscDocument *self);

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
      g_signal_emit (self, signals[DATA], 0);
    }
  if (self->stats_stale && self->asking == NULL && n > 0
      && g_get_monotonic_time () - self->asked_us >= STATS_INTERVAL_US)
    ask (self);
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
      ask (self);
    }
  g_signal_emit (self, signals[VIEW], 0);
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
  g_signal_emit (self, signals[VIEW], 0);
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
  g_signal_emit (self, signals[VIEW], 0);
}

gint64
asc_document_hog_ns (const AscDocument *self)
{
  return self->hog_ns;
}

gsize
asc_document_n_hogs (AscDocument *self)
{
  AscSession *session = asc_document_session (self);
  AscHog hog;
  if (session == NULL)
    return 0;
  return asc_session_hogs (session, self->hog_ns, G_MININT64, G_MAXINT64, &hog, 1);
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

bool
asc_document_step_hog (AscDocument *self, int direction)
{
  AscSession *session = asc_document_session (self);
  if (session == NULL)
    return false;
  AscHog *hogs = g_new (AscHog, HOGS_MAX);
  gsize n
      = asc_session_hogs (session, self->hog_ns, G_MININT64, G_MAXINT64, hogs, HOGS_MAX);
  gint64 middle = self->view.from_ns + (self->view.to_ns - self->view.from_ns) / 2;
  const AscHog *found = NULL;
  n = MIN (n, HOGS_MAX);
  for (gsize i = 0; i < n; i++)
    {
      gint64 at = hogs[i].start_ns + (hogs[i].end_ns - hogs[i].start_ns) / 2;
      /* A hog that was just framed stands in the middle, give or take its rounding. */
      gint64 slack = MAX ((self->view.to_ns - self->view.from_ns) / 1000, 1);
      if (direction > 0 && at > middle + slack)
        {
          found = &hogs[i];
          break;
        }
      if (direction < 0 && at < middle - slack)
        found = &hogs[i];
    }
  if (found != NULL)
    {
      guint n_lanes = asc_session_n_lanes (session);
      AscLane *lane = NULL;
      for (guint i = 0; i < n_lanes; i++)
        if (asc_session_lane (session, i) == found->lane)
          lane = asc_session_lane (session, i);
      gint64 length = found->end_ns - found->start_ns;
      self->chosen = lane;
      asc_view_show (&self->view, found->start_ns - length, found->end_ns + length);
      asc_document_view_changed (self);
    }
  bool any = found != NULL;
  g_free (hogs);
  return any;
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

/* --- statistics
 * ------------------------------------------------------------------------- */

typedef struct
{
  Hold *hold;
  AscSession *session;
  gint64 from_ns;
  gint64 to_ns;
  bool whole;
  guint serial;
  guint index;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;
  hold_release (question->hold);
  g_free (question);
}

static void
ask_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Question *question = data;
  (void)source;
  g_task_return_pointer (
      task,
      asc_stats_new (question->session, question->from_ns, question->to_ns, cancellable),
      (GDestroyNotify)asc_stats_free);
}

static void
take_percent (AscDocument *self, const AscStats *stats)
{
  guint n = asc_session_n_lanes (asc_document_session (self));
  self->percent = g_renew (double, self->percent, MAX (n, 1));
  self->n_percent = n;
  for (guint i = 0; i < n; i++)
    self->percent[i] = -1;
  for (gsize i = 0; i < stats->n_tasks; i++)
    {
      AscLaneInfo info;
      asc_lane_info (stats->tasks[i].lane, &info);
      if (info.index < n)
        self->percent[info.index] = stats->tasks[i].cpu_percent;
    }
}

static void
answered (GObject *source, GAsyncResult *result, gpointer data)
{
  AscDocument *self = ASC_DOCUMENT (source);
  const Question *question = g_task_get_task_data (G_TASK (result));
  AscStats *stats = g_task_propagate_pointer (G_TASK (result), NULL);
  (void)data;
  if (question->serial != self->serial)
    {
      asc_stats_free (stats);
      return;
    }
  g_clear_object (&self->asking);
  if (stats != NULL && question->index == self->session)
    {
      if (question->whole)
        take_percent (self, stats);
      asc_stats_free (self->stats);
      self->stats = stats;
      g_signal_emit (self, signals[STATS], 0);
    }
  else
    asc_stats_free (stats);
  if (self->ask_again)
    ask (self);
}

static void
ask (AscDocument *self)
{
  AscSession *session = asc_document_session (self);
  if (session == NULL)
    return;
  if (self->asking != NULL)
    {
      self->ask_again = true;
      return;
    }
  self->ask_again = false;
  self->stats_stale = false;
  self->asked_us = g_get_monotonic_time ();
  self->asking = g_cancellable_new ();
  Question *question = g_new0 (Question, 1);
  question->hold = g_atomic_rc_box_acquire (self->hold);
  question->session = session;
  question->serial = self->serial;
  question->index = self->session;
  question->from_ns = G_MININT64;
  question->to_ns = G_MAXINT64;
  if (self->over == ASC_OVER_SELECTION && self->view.has_selection)
    {
      question->from_ns = self->view.selection_from_ns;
      question->to_ns = self->view.selection_to_ns;
    }
  else if (self->over != ASC_OVER_SESSION)
    {
      question->from_ns = self->view.from_ns;
      question->to_ns = self->view.to_ns;
    }
  question->whole = question->from_ns == G_MININT64;
  GTask *task = g_task_new (self, self->asking, answered, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, ask_thread);
  g_object_unref (task);
}

AscOver
asc_document_over (const AscDocument *self)
{
  return self->over;
}

void
asc_document_set_over (AscDocument *self, AscOver over)
{
  self->over = over;
  self->stats_stale = true;
  ask (self);
}

const AscStats *
asc_document_stats (const AscDocument *self)
{
  return self->stats;
}

const double *
asc_document_percent (const AscDocument *self, guint *n)
{
  *n = self->n_percent;
  return self->percent;
}

/* --- GObject
 * ---------------------------------------------------------------------------- */

static void
asc_document_dispose (GObject *object)
{
  let_go (ASC_DOCUMENT (object));
  G_OBJECT_CLASS (asc_document_parent_class)->dispose (object);
}

static void
asc_document_finalize (GObject *object)
{
  AscDocument *self = ASC_DOCUMENT (object);
  g_free (self->filter);
  g_free (self->spec);
  G_OBJECT_CLASS (asc_document_parent_class)->finalize (object);
}

static void
asc_document_class_init (AscDocumentClass *class)
{
  static const char *const names[N_SIGNALS]
      = { "state", "session", "data", "view", "stats" };
  G_OBJECT_CLASS (class)->dispose = asc_document_dispose;
  G_OBJECT_CLASS (class)->finalize = asc_document_finalize;
  for (int i = 0; i < N_SIGNALS; i++)
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
