/* The glue of a recording: reader (link) → stream (borders) → ring. */
#include "asc-recording-private.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "asc-store.h"

#define RING_SIZE ((gsize)64 << 20)
#define RING_SMALLEST ((gsize)64 << 10)
#define SYNC_MS 500
#define LINK_WAIT_MS 1000

void
asc_recording_tell (AscRecording *rec, AscRecordingEvent event, const char *message)
{
  if (rec->notify)
    rec->notify (rec->user, event, message ? message : "");
}

/* ---- reader's side ---- */

/* The room was asked for before. */
static void
on_emit (void *user, const guint8 *bytes, gsize n, bool host)
{
  AscRecording *rec = user;
  asc_ring_write (rec->ring, bytes, n);
  if (host)
    {
      guint64 end = asc_ring_end (rec->ring);
      g_array_append_val (rec->host_ends, end);
    }
}

/* wait_ms: how long to wait for it, -1 as long as it takes. */
static bool
make_room (AscRecording *rec, gsize n, int wait_ms)
{
  gint64 until = g_get_monotonic_time () + (gint64)wait_ms * 1000;
  gsize need = n + ASC_STREAM_RESERVE;
  /* After bytes were let go, wait for a good stretch: one CUT, not one a packet. */
  if (rec->gap)
    need = MAX (need, asc_ring_size (rec->ring) / 4);
  for (;;)
    {
      AscRingStatus status = asc_ring_wait_space (rec->ring, need, wait_ms ? 100 : 0);
      if (status == ASC_RING_OK)
        return true;
      if (status == ASC_RING_CLOSED || atomic_load (&rec->stopping))
        return false;
      if (status == ASC_RING_TIMEOUT && wait_ms >= 0 && g_get_monotonic_time () >= until)
        return false;
    }
}

static void
take (AscRecording *rec, const guint8 *bytes, gsize n, gint64 now_us)
{
  bool first = false;
  bool room = make_room (rec, n, rec->patient ? -1 : 0);
  pthread_mutex_lock (&rec->lock);
  if (room && rec->gap)
    asc_stream_cut (&rec->stream, ASC_CUT_OVERLOAD, rec->gap);
  if (room)
    {
      rec->gap = 0;
      asc_stream_push (&rec->stream, bytes, n, now_us);
    }
  else
    {
      first = rec->gap == 0;
      rec->gap += n;
      atomic_fetch_add (&rec->let_go, n);
    }
  pthread_mutex_unlock (&rec->lock);
  if (first && !atomic_load (&rec->stopping))
    asc_recording_tell (
        rec, ASC_RECORDING_OVERLOAD,
        "The disk can not keep up and the buffer is full: some bytes are not kept.");
}

static void
on_bytes (void *user, const guint8 *bytes, gsize n)
{
  AscRecording *rec = user;
  gint64 now_us = g_get_monotonic_time ();
  gsize piece = asc_ring_size (rec->ring) / 8;
  if (atomic_load (&rec->ended))
    return; /* lost, and not to be taken again */
  if (rec->tap)
    rec->tap (rec->user, bytes, n);
  atomic_fetch_add (&rec->received, n);
  while (n)
    {
      gsize step = MIN (n, piece);
      take (rec, bytes, step, now_us);
      bytes += step;
      n -= step;
    }
}

static void
put_link (AscRecording *rec, AscLinkChange change, const char *message)
{
  /* Nothing is read meanwhile. If it fails, a CUT follows and breaks the stream as well.
   */
  if (!make_room (rec, 0, LINK_WAIT_MS))
    return;
  pthread_mutex_lock (&rec->lock);
  asc_stream_link (&rec->stream, change, message);
  pthread_mutex_unlock (&rec->lock);
}

static void
end (AscRecording *rec, const char *message)
{
  pthread_mutex_lock (&rec->lock);
  if (!rec->end_message)
    rec->end_message = g_strdup (message);
  atomic_store (&rec->ended, true);
  pthread_cond_broadcast (&rec->changed);
  pthread_mutex_unlock (&rec->lock);
  asc_ring_wake (rec->ring);
}

static void
change_link (AscRecording *rec, AscRecordingEvent event, const char *message)
{
  if (event == ASC_RECORDING_CONNECTED)
    put_link (rec, ASC_LINK_CONNECTED, message);
  else if (event == ASC_RECORDING_LOST && atomic_exchange (&rec->connected, false))
    put_link (rec, ASC_LINK_LOST, message);
  else if (event == ASC_RECORDING_BACK)
    put_link (rec, ASC_LINK_BACK, message);
  if (event != ASC_RECORDING_LOST)
    atomic_store (&rec->connected, true);
}

static void
on_event (void *user, AscReaderEvent reader_event, const char *message)
{
  /* A device that is not there (yet) is LOST, as one that was unplugged. */
  static const AscRecordingEvent events[] = {
    [ASC_READER_CONNECTED] = ASC_RECORDING_CONNECTED,
    [ASC_READER_LOST] = ASC_RECORDING_LOST,
    [ASC_READER_BACK] = ASC_RECORDING_BACK,
    [ASC_READER_WAITING] = ASC_RECORDING_LOST,
    [ASC_READER_ENDED] = ASC_RECORDING_ENDED,
    [ASC_READER_FAILED] = ASC_RECORDING_FAILED,
  };
  AscRecording *rec = user;
  AscRecordingEvent event = events[reader_event];
  bool last = event == ASC_RECORDING_ENDED || event == ASC_RECORDING_FAILED;
  if (atomic_load (&rec->ended))
    return;
  if (last)
    end (rec, message);
  else
    change_link (rec, event, message);
  asc_recording_tell (rec, event, message);
  if (event == ASC_RECORDING_LOST && !rec->reconnect && !atomic_load (&rec->released))
    {
      end (rec, message);
      asc_recording_tell (rec, ASC_RECORDING_ENDED, message);
    }
}

/* ---- start and stop ---- */

static guint64
random_nonce (void)
{
  guint64 nonce;
  if (getrandom (&nonce, sizeof nonce, 0) != sizeof nonce)
    nonce = (guint64)g_random_int () << 32 | g_random_int ();
  return nonce;
}

/* Somebody else may take the free name of an unnamed recording: another one is found. */
static bool
start_disk (AscRecording *rec, const AscRecordingOptions *options, GError **error)
{
  for (int tries = 0; tries < 10 && !rec->disk; tries++)
    {
      g_clear_error (error);
      g_free (rec->path);
      rec->path = options->path ? g_strdup (options->path) : asc_store_new_path (error);
      if (!rec->path)
        return false;
      rec->disk
          = asc_disk_create (rec->path, options->replace, options->keep_free, error);
      if (options->path)
        break;
    }
  return rec->disk != NULL;
}

static bool
start_ring (AscRecording *rec, const AscRecordingOptions *options, GError **error)
{
  gsize size = options->ring_size ? options->ring_size : RING_SIZE;
  rec->ring = asc_ring_new (MAX (size, RING_SMALLEST), 0);
  if (!rec->ring)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                   "There is no memory for a buffer of %" G_GSIZE_FORMAT " bytes.", size);
      return false;
    }
  rec->writer_cursor = asc_ring_cursor_add (rec->ring, true);
  rec->reading_cursor = asc_ring_cursor_add (rec->ring, false);
  asc_stream_init (&rec->stream, random_nonce (), g_get_real_time () * 1000,
                   rec->description, "aioscope " ASC_VERSION, on_emit, rec);
  return true;
}

/* The head is on disk before the first byte is taken. */
static bool
write_head (AscRecording *rec, GError **error)
{
  const uint8_t *bytes;
  size_t n;
  asc_ring_peek (rec->ring, rec->writer_cursor, &bytes, &n);
  int number = asc_disk_write (rec->disk, bytes, n);
  if (!number)
    number = asc_disk_sync (rec->disk);
  asc_ring_advance (rec->ring, rec->writer_cursor, n);
  if (number)
    g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (number),
                 "%s can not be written: %s.", rec->path, g_strerror (number));
  return number == 0;
}

AscRecording *
asc_recording_start (const AscSourceSpec *spec,
                     const AscRecordingOptions *options,
                     AscRecordingNotify notify,
                     void *user,
                     GError **error)
{
  static const AscReaderSink sink = { on_bytes, on_event };
  AscSource *source = asc_source_open (spec, error);
  if (!source)
    return NULL;
  AscRecording *rec = g_new0 (AscRecording, 1);
  pthread_mutex_init (&rec->lock, NULL);
  pthread_cond_init (&rec->changed, NULL);
  rec->notify = notify;
  rec->user = user;
  rec->host_ends = g_array_new (FALSE, FALSE, sizeof (guint64));
  rec->description = g_strdup (asc_source_describe (source));
  rec->sync_us = (options->sync_ms ? options->sync_ms : SYNC_MS) * 1000;
  rec->tap = options->tap;
  rec->reconnect = options->reconnect;
  rec->can_release = asc_source_spec_reopens (spec);
  rec->writable = asc_source_spec_writable (spec);
  rec->unnamed = !options->path;
  rec->patient = spec->kind == ASC_SOURCE_FILE || spec->kind == ASC_SOURCE_STDIN
                 || (spec->kind == ASC_SOURCE_DEMO && spec->speed <= 0);
  if (!start_disk (rec, options, error) || !start_ring (rec, options, error)
      || !write_head (rec, error))
    {
      if (rec->disk && asc_disk_readable (rec->disk))
        unlink (rec->path);
      asc_source_free (source);
      asc_recording_free (rec);
      return NULL;
    }
  rec->writer = g_thread_new ("asc-writer", asc_recording_writer_main, rec);
  rec->reader = asc_reader_start_source (source, &sink, rec);
  return rec;
}

bool
asc_recording_release (AscRecording *rec)
{
  if (!rec->can_release || atomic_load (&rec->ended))
    return false;
  atomic_store (&rec->released, true);
  bool good = asc_reader_release (rec->reader,
                                  "Released, so that another program can use the port.");
  atomic_store (&rec->released, good);
  return good;
}

void
asc_recording_take_back (AscRecording *rec)
{
  atomic_store (&rec->released, false);
  asc_reader_take_back (rec->reader);
}

bool
asc_recording_released (const AscRecording *rec)
{
  return atomic_load (&rec->released);
}

bool
asc_recording_can_release (const AscRecording *rec)
{
  return rec->can_release;
}

bool
asc_recording_writable (const AscRecording *rec)
{
  return rec->writable;
}

void
asc_recording_disconnect (AscRecording *rec)
{
  if (!rec->reader || atomic_load (&rec->stopping))
    return;
  atomic_store (&rec->stopping, true);
  asc_ring_wake (rec->ring);
  asc_reader_stop (rec->reader);
  end (rec, NULL);
}

void
asc_recording_stop (AscRecording *rec)
{
  asc_recording_disconnect (rec);
  if (rec->writer)
    g_thread_join (g_steal_pointer (&rec->writer));
}

void
asc_recording_free (AscRecording *rec)
{
  if (!rec)
    return;
  asc_recording_stop (rec);
  asc_reader_free (rec->reader);
  bool silent = rec->unnamed && rec->disk && atomic_load (&rec->received) == 0;
  asc_disk_free (rec->disk);
  /* Nobody looks for a recording in which no board said anything. */
  if (silent)
    asc_store_delete_needless (rec->path);
  asc_ring_free (rec->ring);
  g_array_unref (rec->host_ends);
  pthread_mutex_destroy (&rec->lock);
  pthread_cond_destroy (&rec->changed);
  g_free (rec->end_message);
  g_free (rec->description);
  g_free (rec->path);
  g_free (rec);
}
