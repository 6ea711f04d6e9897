#include "asc-reader.h"

#include "asc-source-private.h"

#include <pthread.h>

#define PIECE (64 * 1024)
#define RETRY_MS 250

struct AscReader
{
  GThread *thread;
  AscSourceSpec *spec;
  AscReaderSink sink;
  void *user;
  GCancellable *cancellable;
  int stop;             /* atomic */
  int released;         /* atomic; changed under the lock */
  int error_code;       /* atomic */
  AscSource *source;    /* the thread's own, but for writing while writable */
  pthread_mutex_t lock; /* writable, and held while writing; TSan knows it, not GMutex */
  pthread_cond_t changed;
  gboolean writable;
  gboolean reopens;
  gboolean parked; /* the device is let go, and the thread waits */
  gboolean over;   /* the thread is, nearly */
  char *why;       /* it was released */
  guint64 turns;   /* atomic, relaxed */
  guint8 buffer[PIECE];
};

static void
tell (AscReader *reader, AscReaderEvent event, const char *message)
{
  reader->sink.event (reader->user, event, message);
}

static gboolean
stopping (AscReader *reader)
{
  return g_atomic_int_get (&reader->stop);
}

static gboolean
released (AscReader *reader)
{
  return g_atomic_int_get (&reader->released);
}

static void
count_turn (AscReader *reader)
{
  __atomic_fetch_add (&reader->turns, 1, __ATOMIC_RELAXED);
}

/* Others may write only between the two calls, so that closing and reopening, which can
 * take seconds over TCP, need no lock. */
static void
allow_writing (AscReader *reader, gboolean allow)
{
  pthread_mutex_lock (&reader->lock);
  reader->writable = allow;
  pthread_mutex_unlock (&reader->lock);
}

/* The last event: the device is free by the time it is told. */
static void
finish (AscReader *reader, AscReaderEvent event, const char *message)
{
  allow_writing (reader, FALSE);
  if (reader->source)
    asc_source_close (reader->source);
  tell (reader, event, message);
}

static void
fail (AscReader *reader, const GError *error)
{
  g_atomic_int_set (&reader->error_code, error->code);
  finish (reader, ASC_READER_FAILED, error->message);
}

static gboolean
open_source (AscReader *reader)
{
  g_autoptr (GError) error = NULL;
  if (!reader->source)
    reader->source
        = asc_source_open_cancellable (reader->spec, reader->cancellable, &error);
  if (reader->source)
    return TRUE;
  if (stopping (reader))
    finish (reader, ASC_READER_ENDED, "Disconnected.");
  else
    fail (reader, error);
  return FALSE;
}

/* Hands bytes on until the source is gone (TRUE) or there is nothing more to do, which
 * has been told then. */
static gboolean
read_until_gone (AscReader *reader)
{
  while (!stopping (reader) && !released (reader))
    {
      g_autoptr (GError) error = NULL;
      count_turn (reader);
      gssize n = asc_source_read (reader->source, reader->buffer, PIECE, &error);
      if (n > 0)
        reader->sink.bytes (reader->user, reader->buffer, (gsize)n);
      else if (n == 0)
        {
          g_autofree char *message = g_strdup_printf (
              "%s was read to its end.", asc_source_describe (reader->source));
          finish (reader, ASC_READER_ENDED, message);
          return FALSE;
        }
      else if (g_error_matches (error, ASC_LINK_ERROR, ASC_LINK_ERROR_GONE))
        {
          allow_writing (reader, FALSE);
          tell (reader, ASC_READER_LOST, error->message);
          if (asc_source_reconnects (reader->source))
            return TRUE;
          finish (reader, ASC_READER_ENDED, error->message);
          return FALSE;
        }
      else if (!g_error_matches (error, ASC_LINK_ERROR, ASC_LINK_ERROR_CANCELLED))
        {
          fail (reader, error);
          return FALSE;
        }
    }
  if (!stopping (reader))
    return TRUE;
  finish (reader, ASC_READER_ENDED, "Disconnected.");
  return FALSE;
}

/* While it is released: the device is free, and nobody looks for it. */
static void
park (AscReader *reader)
{
  allow_writing (reader, FALSE);
  asc_source_close (reader->source);
  pthread_mutex_lock (&reader->lock);
  g_autofree char *why = g_steal_pointer (&reader->why);
  pthread_mutex_unlock (&reader->lock);
  tell (reader, ASC_READER_LOST, why ? why : "Released.");
  pthread_mutex_lock (&reader->lock);
  reader->parked = TRUE;
  pthread_cond_broadcast (&reader->changed);
  while (released (reader) && !stopping (reader))
    pthread_cond_wait (&reader->changed, &reader->lock);
  reader->parked = FALSE;
  pthread_mutex_unlock (&reader->lock);
}

/* Waits for the device or peer, and tells when it is there: FALSE when it was stopped
 * meanwhile. */
static gboolean
wait_until_there (AscReader *reader, AscReaderEvent event)
{
  g_autofree char *told = NULL;
  while (!stopping (reader))
    {
      g_autoptr (GError) error = NULL;
      if (released (reader))
        park (reader);
      count_turn (reader);
      if (asc_source_reopen (reader->source, RETRY_MS, &error))
        {
          allow_writing (reader, TRUE);
          tell (reader, event, asc_source_describe (reader->source));
          return TRUE;
        }
      /* It was released, and is not there to be taken back. */
      if (error->code == ASC_LINK_ERROR_NOT_FOUND
          && !asc_source_reconnects (reader->source))
        {
          finish (reader, ASC_READER_ENDED, error->message);
          return FALSE;
        }
      if (error->code != ASC_LINK_ERROR_CANCELLED && g_strcmp0 (told, error->message))
        {
          tell (reader, ASC_READER_WAITING, error->message);
          g_free (told);
          told = g_strdup (error->message);
        }
    }
  finish (reader, ASC_READER_ENDED, "Disconnected.");
  return FALSE;
}

static void
read_all (AscReader *reader)
{
  if (!open_source (reader))
    return;
  if (asc_source_connected (reader->source))
    {
      allow_writing (reader, TRUE);
      tell (reader, ASC_READER_CONNECTED, asc_source_describe (reader->source));
    }
  else if (!wait_until_there (reader, ASC_READER_CONNECTED))
    return;
  while (read_until_gone (reader) && wait_until_there (reader, ASC_READER_BACK))
    ;
}

static void *
run (void *data)
{
  AscReader *reader = data;
  read_all (reader);
  pthread_mutex_lock (&reader->lock);
  reader->over = TRUE;
  pthread_cond_broadcast (&reader->changed);
  pthread_mutex_unlock (&reader->lock);
  return NULL;
}

static AscReader *
start (AscReader *reader, const AscReaderSink *sink, void *user)
{
  reader->sink = *sink;
  reader->user = user;
  reader->error_code = -1;
  pthread_mutex_init (&reader->lock, NULL);
  pthread_cond_init (&reader->changed, NULL);
  reader->thread = g_thread_new ("asc-reader", run, reader);
  return reader;
}

AscReader *
asc_reader_start (const AscSourceSpec *spec, const AscReaderSink *sink, void *user)
{
  AscReader *reader = g_new0 (AscReader, 1);
  reader->spec = asc_source_spec_copy (spec);
  reader->reopens = asc_source_spec_reopens (spec);
  reader->cancellable = g_cancellable_new ();
  return start (reader, sink, user);
}

AscReader *
asc_reader_start_source (AscSource *source, const AscReaderSink *sink, void *user)
{
  AscReader *reader = g_new0 (AscReader, 1);
  reader->source = source;
  reader->reopens = asc_source_spec_reopens (source->spec);
  reader->cancellable = g_object_ref (source->cancellable);
  return start (reader, sink, user);
}

void
asc_reader_stop (AscReader *reader)
{
  if (!reader->thread)
    return;
  pthread_mutex_lock (&reader->lock);
  g_atomic_int_set (&reader->stop, TRUE);
  pthread_cond_broadcast (&reader->changed);
  pthread_mutex_unlock (&reader->lock);
  g_cancellable_cancel (reader->cancellable);
  g_thread_join (reader->thread);
  reader->thread = NULL;
}

void
asc_reader_free (AscReader *reader)
{
  if (!reader)
    return;
  asc_reader_stop (reader);
  asc_source_free (reader->source);
  asc_source_spec_free (reader->spec);
  g_object_unref (reader->cancellable);
  pthread_mutex_destroy (&reader->lock);
  pthread_cond_destroy (&reader->changed);
  g_free (reader->why);
  g_free (reader);
}

gboolean
asc_reader_release (AscReader *reader, const char *why)
{
  if (!reader->thread || !reader->reopens)
    return FALSE;
  pthread_mutex_lock (&reader->lock);
  g_free (reader->why);
  reader->why = g_strdup (why);
  g_atomic_int_set (&reader->released, TRUE);
  pthread_mutex_unlock (&reader->lock);
  g_cancellable_cancel (reader->cancellable);
  pthread_mutex_lock (&reader->lock);
  while (!reader->parked && !reader->over)
    pthread_cond_wait (&reader->changed, &reader->lock);
  gboolean free = reader->parked;
  pthread_mutex_unlock (&reader->lock);
  return free;
}

void
asc_reader_take_back (AscReader *reader)
{
  pthread_mutex_lock (&reader->lock);
  g_atomic_int_set (&reader->released, FALSE);
  pthread_cond_broadcast (&reader->changed);
  pthread_mutex_unlock (&reader->lock);
}

gssize
asc_reader_write (AscReader *reader, const void *bytes, gsize n, GError **error)
{
  gssize done = -1;
  pthread_mutex_lock (&reader->lock);
  if (reader->writable)
    done = asc_source_write (reader->source, bytes, n, error);
  else
    g_set_error_literal (error, ASC_LINK_ERROR, ASC_LINK_ERROR_GONE,
                         "Not connected: nothing was sent.");
  pthread_mutex_unlock (&reader->lock);
  return done;
}

const AscSource *
asc_reader_source (AscReader *reader)
{
  return reader->source;
}

int
asc_reader_error_code (AscReader *reader)
{
  return g_atomic_int_get (&reader->error_code);
}

guint64
asc_reader_turns (AscReader *reader)
{
  return __atomic_load_n (&reader->turns, __ATOMIC_RELAXED);
}
