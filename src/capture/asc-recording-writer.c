/* The writer's thread: ring → file, fdatasync at intervals, and what happens when the
 * disk is full. */
#include "asc-recording-private.h"

#include <errno.h>

/* Few bytes wait this long for more, so that a slow link does not cost a write each. */
#define GATHER_MS 15
#define GATHER_BYTES ((gsize)64 << 10)
#define PIECE ((gsize)1 << 20)

/* ---- writer's side ---- */

/* The last host frames, when all board bytes are out: nobody else writes any more. */
static void
finish_stream (AscRecording *rec)
{
  AscRingStatus status;
  do
    status = asc_ring_wait_space (rec->ring, ASC_STREAM_RESERVE, 200);
  while (status == ASC_RING_WOKEN);
  pthread_mutex_lock (&rec->lock);
  if (status == ASC_RING_OK)
    {
      if (rec->gap)
        asc_stream_cut (&rec->stream, ASC_CUT_OVERLOAD, rec->gap);
      rec->gap = 0;
      asc_stream_link (&rec->stream, ASC_LINK_ENDED, rec->end_message);
    }
  asc_ring_close (rec->ring);
  pthread_mutex_unlock (&rec->lock);
}

/* Counts the host frames that are on disk: the sequence of a CUT at the file's end. */
static void
count_hosts (AscRecording *rec)
{
  guint64 length = asc_disk_length (rec->disk);
  guint n = 0;
  pthread_mutex_lock (&rec->lock);
  while (n < rec->host_ends->len && g_array_index (rec->host_ends, guint64, n) <= length)
    n++;
  if (n)
    g_array_remove_range (rec->host_ends, 0, n);
  rec->hosts_on_disk = (guint16)(rec->hosts_on_disk + n);
  pthread_mutex_unlock (&rec->lock);
}

static bool
is_full (int number)
{
  return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

static char *
disk_message (AscRecording *rec, int number)
{
  bool full = is_full (number);
  char *size = g_format_size (asc_disk_length (rec->disk));
  char *message = g_strdup_printf (
      "%s (%s). %s of %s are written%s; nothing is recorded from here on, the view goes "
      "on.",
      number == EFBIG ? "The file may not grow any more"
      : full          ? "The disk is full"
                      : "Writing failed",
      g_strerror (number), size, rec->path, full ? " and stay good" : "");
  g_free (size);
  return message;
}

/* The file is left alone from now on; the stream goes on in the ring. */
static void
disk_stop (AscRecording *rec, int number)
{
  count_hosts (rec);
  asc_disk_close_at_border (rec->disk, rec->stream.nonce, rec->hosts_on_disk);
  /* What was cut off is still in the ring: the reader leaves more of it free than that.
   */
  asc_ring_seek (rec->ring, rec->writer_cursor, asc_disk_length (rec->disk));
  pthread_mutex_lock (&rec->lock);
  atomic_store (&rec->disk_stopped, true);
  /* Who follows the stream from the ring takes over holding it (asc_recording_read). */
  if (!atomic_load (&rec->reading))
    asc_ring_set_holding (rec->ring, rec->writer_cursor, false);
  pthread_mutex_unlock (&rec->lock);

  bool full = is_full (number);
  char *message = disk_message (rec, number);
  asc_recording_tell (rec, full ? ASC_RECORDING_DISK_FULL : ASC_RECORDING_DISK_FAILED,
                      message);
  g_free (message);

  pthread_mutex_lock (&rec->lock);
  while (!atomic_load (&rec->ended))
    pthread_cond_wait (&rec->changed, &rec->lock);
  pthread_mutex_unlock (&rec->lock);
  finish_stream (rec);
  asc_disk_fill_cut (rec->disk, asc_recording_not_kept (rec));
}

/* Writes what is there. Returns 0 or an errno. */
static int
write_some (AscRecording *rec)
{
  const uint8_t *bytes;
  size_t n;
  asc_ring_peek (rec->ring, rec->writer_cursor, &bytes, &n);
  if (n && n < GATHER_BYTES && !atomic_load (&rec->ended))
    {
      g_usleep (GATHER_MS * 1000);
      asc_ring_peek (rec->ring, rec->writer_cursor, &bytes, &n);
    }
  n = MIN (n, PIECE);
  if (n == 0)
    return 0;
  guint64 before = asc_disk_length (rec->disk);
  int number = asc_disk_write (rec->disk, bytes, n);
  /* After an error a part may be on disk; the cursor stands where the file ends. */
  asc_ring_advance (rec->ring, rec->writer_cursor,
                    (size_t)(asc_disk_length (rec->disk) - before));
  return number;
}

gpointer
asc_recording_writer_main (gpointer data)
{
  AscRecording *rec = data;
  gint64 synced_us = g_get_monotonic_time ();
  bool finished = false;
  int number = 0;
  while (!number)
    {
      AscRingStatus status
          = asc_ring_wait (rec->ring, rec->writer_cursor, (int)(rec->sync_us / 1000));
      if (status == ASC_RING_CLOSED)
        break;
      number = write_some (rec);
      gint64 now = g_get_monotonic_time ();
      if (!number && now - synced_us >= (gint64)rec->sync_us)
        {
          number = asc_disk_sync (rec->disk);
          synced_us = now;
          count_hosts (rec);
        }
      bool all
          = asc_ring_position (rec->ring, rec->writer_cursor) == asc_ring_end (rec->ring);
      if (!number && !finished && all && atomic_load (&rec->ended))
        {
          finish_stream (rec);
          finished = true;
        }
    }
  if (!number)
    number = asc_disk_sync (rec->disk);
  if (number)
    disk_stop (rec, number);
  return NULL;
}
