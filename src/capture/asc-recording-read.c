/* Following a recording's stream, asking for its state, and saving a copy. */
#include "asc-recording-private.h"

#include <string.h>
#include <sys/stat.h>

#include "asc-copy.h"
#include "asc-store.h"

/* Once the file is no help any more, the ring has to keep what was not read. */
static void
hold_if_needed (AscRecording *rec)
{
  if (rec->reading_holds)
    return;
  bool stopped = atomic_load (&rec->disk_stopped);
  if (!stopped && asc_disk_readable (rec->disk))
    return;
  if (asc_ring_set_holding (rec->ring, rec->reading_cursor, true) != ASC_RING_OK)
    return;
  rec->reading_holds = true;
  /* The writer's thread does not touch its cursor any more. */
  if (stopped)
    asc_ring_set_holding (rec->ring, rec->writer_cursor, false);
}

static gssize
read_once (AscRecording *rec, void *buffer, gsize n, AscRingStatus *status)
{
  size_t got = 0;
  hold_if_needed (rec);
  *status = asc_ring_read (rec->ring, rec->reading_cursor, buffer, n, &got);
  if (got || *status != ASC_RING_BEHIND)
    return (gssize)got;
  guint64 at = asc_ring_position (rec->ring, rec->reading_cursor);
  gssize behind = asc_disk_read (rec->disk, at, buffer, n);
  /* Nowhere (nobody followed when the disk stopped): the decoder sees the gap. */
  guint64 next = behind > 0 ? at + (guint64)behind : asc_ring_start (rec->ring);
  asc_ring_seek (rec->ring, rec->reading_cursor, next);
  return behind;
}

gssize
asc_recording_read (AscRecording *rec, void *buffer, gsize n, int timeout_ms)
{
  gint64 until = g_get_monotonic_time () + (gint64)timeout_ms * 1000;
  if (!atomic_load (&rec->reading))
    {
      pthread_mutex_lock (&rec->lock);
      atomic_store (&rec->reading, true);
      pthread_mutex_unlock (&rec->lock);
    }
  for (;;)
    {
      AscRingStatus status;
      gssize got = read_once (rec, buffer, n, &status);
      if (got > 0)
        return got;
      if (status == ASC_RING_BEHIND)
        continue;
      if (status != ASC_RING_OK)
        return -1;
      gint64 left = (until - g_get_monotonic_time () + 999) / 1000;
      status = asc_ring_wait (rec->ring, rec->reading_cursor, (int)MAX (left, 0));
      if (status == ASC_RING_TIMEOUT)
        return 0;
    }
}

const char *
asc_recording_path (const AscRecording *rec)
{
  return rec->path;
}

const char *
asc_recording_describe (const AscRecording *rec)
{
  return rec->description;
}

guint64
asc_recording_received (const AscRecording *rec)
{
  return atomic_load (&rec->received);
}

guint64
asc_recording_length (const AscRecording *rec)
{
  return asc_disk_length (rec->disk);
}

guint64
asc_recording_end (const AscRecording *rec)
{
  return asc_ring_end (rec->ring);
}

guint64
asc_recording_let_go (const AscRecording *rec)
{
  return atomic_load (&rec->let_go);
}

guint64
asc_recording_not_kept (const AscRecording *rec)
{
  if (!atomic_load (&rec->disk_stopped))
    return 0;
  return asc_ring_end (rec->ring) - asc_disk_length (rec->disk);
}

gssize
asc_recording_write (AscRecording *rec, const void *bytes, gsize n, GError **error)
{
  return asc_reader_write (rec->reader, bytes, n, error);
}

/* The length to save: what had arrived when the user asked, as soon as it is on disk. */
static guint64
length_to_save (AscRecording *rec, GCancellable *cancellable)
{
  guint64 wanted = asc_ring_end (rec->ring);
  while (asc_disk_length (rec->disk) < wanted && !atomic_load (&rec->disk_stopped)
         && !g_cancellable_is_cancelled (cancellable))
    g_usleep (2000);
  struct stat st;
  if (atomic_load (&rec->disk_stopped) && fstat (asc_disk_fd (rec->disk), &st) == 0)
    return (guint64)st.st_size; /* with the CUT that says why it ends */
  return asc_disk_border (rec->disk, wanted);
}

static bool
is_file (const AscDisk *disk, const char *path)
{
  struct stat own, named;
  return fstat (asc_disk_fd (disk), &own) == 0 && stat (path, &named) == 0
         && own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

bool
asc_recording_save (AscRecording *rec,
                    const char *path,
                    GCancellable *cancellable,
                    void (*progress) (void *user, double done),
                    void *user,
                    GError **error)
{
  if (!asc_disk_readable (rec->disk))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   "What is recorded to %s can not be read again.", rec->path);
      return false;
    }
  /* A copy in the recording's own place would end it, and be taken for saved. */
  if (rec->unnamed && !asc_store_may_save (path, error))
    return false;
  if (is_file (rec->disk, path))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
                   "%s is what is being recorded to. Choose another name.", path);
      return false;
    }
  guint64 length = length_to_save (rec, cancellable);
  if (!asc_copy_file (asc_disk_fd (rec->disk), length, path, cancellable, progress, user,
                      error))
    return false;
  if (rec->unnamed)
    asc_store_note_saved (rec->path, path, length);
  return true;
}
