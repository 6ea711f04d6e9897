#include "asc-engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "asc-file.h"
#include "asc-link-error.h"

/* Of a recording's stream at a time; a live stream comes in far smaller pieces. */
#define PIECE ((gsize)256 << 10)
/* As long a silence shows what is held back. */
#define SILENCE_MS 100

/* A silent pipe lets the loader look that often whether it should stop. */
#define STOP_LOOK_MS 50

struct AscEngine
{
  AscTrace *trace;
  AscRecording *recording;
  GThread *thread;
  char *path;
  AscEngineNotify notify;
  void *user;
  _Atomic int state;
  _Atomic bool stop;
  _Atomic guint64 fed;  /* bytes that the trace has seen */
  _Atomic guint64 size; /* bytes of the file, 0 unknown */
  _Atomic bool lost;    /* live: the device is gone */
  _Atomic bool failed;  /* live: the source could not go on */

  pthread_mutex_t lock; /* not GLib's: ThreadSanitizer knows this one */
  char *message;
  int severity;
  guint8 pending[ASC_FRAME_MAX * 2];
  gsize n_pending;
};

static void
set_message (AscEngine *engine, int severity, const char *message)
{
  pthread_mutex_lock (&engine->lock);
  g_free (engine->message);
  engine->message = g_strdup (message);
  engine->severity = severity;
  pthread_mutex_unlock (&engine->lock);
}

static void
changed (AscEngine *engine, AscEngineState state)
{
  atomic_store (&engine->state, (int)state);
  if (engine->notify)
    engine->notify (engine->user);
}

static AscEngine *
engine_new (AscEngineNotify notify, void *user)
{
  AscEngine *engine = g_new0 (AscEngine, 1);
  pthread_mutex_init (&engine->lock, NULL);
  engine->notify = notify;
  engine->user = user;
  /* The stream has the host's frames in it, live as in the file. */
  engine->trace = asc_trace_new (ASC_FROM_FILE);
  return engine;
}

static void
feed (AscEngine *engine, const guint8 *bytes, gsize n)
{
  asc_trace_feed (engine->trace, bytes, n);
  atomic_fetch_add (&engine->fed, n);
}

/* ---- a file ---- */

static AscEngineState
load (AscEngine *engine, AscFileReader *reader, GError **error)
{
  const guint8 *bytes;
  gssize n = 1;
  while (!atomic_load (&engine->stop) && n > 0)
    if (asc_file_wait (reader, STOP_LOOK_MS)
        && (n = asc_file_next (reader, &bytes, error)) > 0)
      feed (engine, bytes, (gsize)n);
  asc_trace_finish (engine->trace);
  if (n == 0)
    return ASC_ENGINE_STOPPED;
  if (n > 0)
    {
      set_message (engine, 0, "Loading was stopped: only the first part is shown.");
      return ASC_ENGINE_PARTIAL;
    }
  bool nothing
      = asc_trace_n_sessions (engine->trace) == 0 || (*error)->domain == ASC_FILE_ERROR;
  return nothing ? ASC_ENGINE_FAILED : ASC_ENGINE_PARTIAL;
}

static gpointer
load_main (gpointer data)
{
  AscEngine *engine = data;
  GError *error = NULL;
  AscEngineState state = ASC_ENGINE_FAILED;
  AscFileReader *reader = asc_file_open (engine->path, &error);
  if (reader)
    {
      atomic_store (&engine->size, asc_file_size (reader));
      state = load (engine, reader, &error);
      asc_file_close (reader);
    }
  else
    asc_trace_finish (engine->trace);
  if (error)
    set_message (engine, 2, error->message);
  g_clear_error (&error);
  changed (engine, state);
  return NULL;
}

AscEngine *
asc_engine_open (const char *path,
                 AscTraceObserver observer,
                 void *observer_user,
                 AscEngineNotify notify,
                 void *user)
{
  AscEngine *engine = engine_new (notify, user);
  engine->path = g_strdup (path);
  atomic_init (&engine->state, ASC_ENGINE_LOADING);
  if (observer)
    asc_trace_set_observer (engine->trace, observer, observer_user);
  engine->thread = g_thread_new ("asc-loader", load_main, engine);
  return engine;
}

/* ---- a recording ---- */

/* The state while the recording runs. */
static void
live_state (AscEngine *engine)
{
  int state = atomic_load (&engine->state);
  if (state != ASC_ENGINE_LIVE && state != ASC_ENGINE_WAITING)
    return;
  changed (engine, atomic_load (&engine->lost) ? ASC_ENGINE_WAITING : ASC_ENGINE_LIVE);
}

static void
on_recording (void *user, AscRecordingEvent event, const char *message)
{
  AscEngine *engine = user;
  switch (event)
    {
    case ASC_RECORDING_CONNECTED:
    case ASC_RECORDING_BACK:
      atomic_store (&engine->lost, false);
      set_message (engine, 0, message);
      break;
    case ASC_RECORDING_LOST:
      atomic_store (&engine->lost, true);
      set_message (engine, 1, message);
      break;
    case ASC_RECORDING_ENDED:
      set_message (engine, 0, message);
      break;
    case ASC_RECORDING_FAILED:
      atomic_store (&engine->failed, true);
      set_message (engine, 2, message);
      break;
    case ASC_RECORDING_DISK_FULL:
    case ASC_RECORDING_DISK_FAILED:
      set_message (engine, 2, message);
      break;
    case ASC_RECORDING_OVERLOAD:
      set_message (engine, 1, message);
      break;
    }
  live_state (engine);
}

static void
keep_pending (AscEngine *engine, bool silent)
{
  const guint8 *bytes = NULL;
  gsize n = silent ? asc_trace_pending (engine->trace, &bytes) : 0;
  pthread_mutex_lock (&engine->lock);
  engine->n_pending = MIN (n, sizeof engine->pending);
  if (engine->n_pending)
    memcpy (engine->pending, bytes, engine->n_pending);
  pthread_mutex_unlock (&engine->lock);
}

static gpointer
follow_main (gpointer data)
{
  AscEngine *engine = data;
  guint8 *buffer = g_malloc (PIECE);
  gssize n;
  bool silent = false;
  while ((n = asc_recording_read (engine->recording, buffer, PIECE, SILENCE_MS)) >= 0)
    {
      if (n > 0)
        feed (engine, buffer, (gsize)n);
      if (n == 0 && !silent)
        keep_pending (engine, true);
      else if (n > 0 && silent)
        keep_pending (engine, false);
      silent = n == 0;
    }
  asc_trace_finish (engine->trace);
  keep_pending (engine, false);
  g_free (buffer);
  bool nothing
      = atomic_load (&engine->failed) && asc_trace_n_sessions (engine->trace) == 0;
  changed (engine, nothing ? ASC_ENGINE_FAILED : ASC_ENGINE_STOPPED);
  return NULL;
}

AscEngine *
asc_engine_record (const AscSourceSpec *spec,
                   const AscRecordingOptions *options,
                   AscEngineNotify notify,
                   void *user,
                   GError **error)
{
  AscEngine *engine = engine_new (notify, user);
  atomic_init (&engine->state, ASC_ENGINE_LIVE);
  engine->recording = asc_recording_start (spec, options, on_recording, engine, error);
  if (!engine->recording)
    {
      asc_engine_free (engine);
      return NULL;
    }
  engine->path = g_strdup (asc_recording_path (engine->recording));
  engine->thread = g_thread_new ("asc-decoder", follow_main, engine);
  return engine;
}

/* ---- both ---- */

void
asc_engine_stop (AscEngine *engine)
{
  atomic_store (&engine->stop, true);
  if (engine->recording)
    asc_recording_disconnect (engine->recording);
}

void
asc_engine_wait (AscEngine *engine)
{
  if (engine->thread)
    g_thread_join (g_steal_pointer (&engine->thread));
  if (engine->recording)
    asc_recording_stop (engine->recording);
}

void
asc_engine_free (AscEngine *engine)
{
  if (!engine)
    return;
  asc_engine_stop (engine);
  asc_engine_wait (engine);
  asc_recording_free (engine->recording);
  asc_trace_free (engine->trace);
  pthread_mutex_destroy (&engine->lock);
  g_free (engine->message);
  g_free (engine->path);
  g_free (engine);
}

AscTrace *
asc_engine_trace (const AscEngine *engine)
{
  return engine->trace;
}

AscEngineState
asc_engine_state (const AscEngine *engine)
{
  return (AscEngineState)atomic_load (&engine->state);
}

double
asc_engine_progress (const AscEngine *engine)
{
  guint64 size = atomic_load (&engine->size);
  guint64 fed = atomic_load (&engine->fed);
  if (asc_engine_state (engine) != ASC_ENGINE_LOADING)
    return 1;
  return size ? MIN ((double)fed / (double)size, 1) : 0;
}

/* The lock protects what a const engine shows as well. */
static pthread_mutex_t *
lock_of (const AscEngine *engine)
{
  return &((AscEngine *)(guintptr)engine)->lock;
}

char *
asc_engine_message (const AscEngine *engine, int *severity)
{
  pthread_mutex_lock (lock_of (engine));
  char *message = g_strdup (engine->message ? engine->message : "");
  if (severity)
    *severity = engine->severity;
  pthread_mutex_unlock (lock_of (engine));
  return message;
}

gsize
asc_engine_pending (const AscEngine *engine, char *buffer, gsize n)
{
  pthread_mutex_lock (lock_of (engine));
  n = MIN (n, engine->n_pending);
  memcpy (buffer, engine->pending, n);
  pthread_mutex_unlock (lock_of (engine));
  return n;
}

AscRecording *
asc_engine_recording (const AscEngine *engine)
{
  return engine->recording;
}

const char *
asc_engine_path (const AscEngine *engine)
{
  return engine->path;
}

guint64
asc_engine_behind (const AscEngine *engine)
{
  guint64 fed = atomic_load (&engine->fed);
  guint64 end = engine->recording ? asc_recording_end (engine->recording)
                                  : atomic_load (&engine->size);
  return end > fed ? end - fed : 0;
}
