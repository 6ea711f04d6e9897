/* A recording from a pty, a disk with a gate, and what is in a file: for the tests of
 * recordings. */
#ifndef ASC_TEST_SESSION_H
#define ASC_TEST_SESSION_H

#include "asc-test.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <sys/stat.h>
#include <termios.h>

#include "asc-decoder.h"
#include "asc-disk.h"
#include "asc-host-frames.h"
#include "asc-recording.h"
#include "asc-test-board.h"

#define PATIENCE_US (20 * G_USEC_PER_SEC)

static char *directory;

static inline char *
in_directory (const char *name)
{
  return g_build_filename (directory, name, NULL);
}

static inline void
drop (char *path)
{
  unlink (path);
  g_free (path);
}

/* ---- a disk with a gate ---- */

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;
static bool gate_shut;

static inline gssize
gated_write (int fd, const void *bytes, gsize n)
{
  pthread_mutex_lock (&gate_lock);
  while (gate_shut)
    pthread_cond_wait (&gate_moved, &gate_lock);
  pthread_mutex_unlock (&gate_lock);
  return write (fd, bytes, n);
}

static inline int
no_sync (int fd)
{
  (void)fd;
  return 0;
}

/* Before a recording begins. */
static inline void
use_gate (void)
{
  static const AscDiskCalls calls = { gated_write, no_sync };
  asc_disk_set_calls (&calls);
}

static inline void
set_gate (bool shut)
{
  pthread_mutex_lock (&gate_lock);
  gate_shut = shut;
  pthread_cond_broadcast (&gate_moved);
  pthread_mutex_unlock (&gate_lock);
}

/* ---- a recording from a pty ---- */

typedef struct
{
  int master;
  char *path;
  AscRecording *rec;
  int events[ASC_RECORDING_OVERLOAD + 1]; /* atomic: how often each came */
} Session;

static inline void
note (void *user, AscRecordingEvent event, const char *message)
{
  Session *session = user;
  assert_non_null (message);
  g_atomic_int_inc (&session->events[event]);
}

static inline int
times (Session *session, AscRecordingEvent event)
{
  return g_atomic_int_get (&session->events[event]);
}

#define WAIT_FOR(condition)                                                              \
  do                                                                                     \
    {                                                                                    \
      gint64 until = g_get_monotonic_time () + PATIENCE_US;                              \
      while (!(condition) && g_get_monotonic_time () < until)                            \
        g_usleep (1000);                                                                 \
      assert_true (condition);                                                           \
    }                                                                                    \
  while (0)

static inline int
open_pty (char **slave)
{
  int fd = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true (fd >= 0);
  assert_int_equal (grantpt (fd), 0);
  assert_int_equal (unlockpt (fd), 0);
  *slave = g_strconcat ("tty:", ptsname (fd), NULL);
  return fd;
}

static inline AscRecordingOptions
options_for (const char *path)
{
  return (AscRecordingOptions){ .path = path, .keep_free = 1, .sync_ms = 20 };
}

static inline AscRecording *
record (const char *source, const AscRecordingOptions *options, Session *session)
{
  GError *error = NULL;
  AscSourceSpec *spec = asc_source_spec_parse (source, &error);
  assert_non_null (spec);
  AscRecording *rec = asc_recording_start (spec, options, note, session, &error);
  if (!rec)
    fail_msg ("%s", error->message);
  asc_source_spec_free (spec);
  return rec;
}

static inline void
session_begin (Session *session, const char *name, gsize ring_size)
{
  char *slave;
  memset (session, 0, sizeof *session);
  session->path = in_directory (name);
  session->master = open_pty (&slave);
  AscRecordingOptions options = options_for (session->path);
  options.ring_size = ring_size;
  options.reconnect = true;
  session->rec = record (slave, &options, session);
  WAIT_FOR (times (session, ASC_RECORDING_CONNECTED) == 1);
  g_free (slave);
}

static inline void
session_end (Session *session)
{
  asc_recording_free (session->rec);
  close (session->master);
  drop (session->path);
}

static inline void
send_bytes (int fd, const guint8 *bytes, gsize n)
{
  while (n)
    {
      gssize done = write (fd, bytes, MIN (n, 4096));
      if (done < 0 && errno == EINTR)
        continue;
      assert_true (done > 0);
      bytes += done;
      n -= (gsize)done;
    }
}

/* ---- what is in a file ---- */

typedef struct
{
  GByteArray *board; /* without the host's frames */
  GByteArray *all;
  guint64 next; /* offset after the last host frame */
  guint hosts, links, cuts;
  guint64 cut_bytes;
  guint64 skipped;
} Found;

static inline void
found_frame (void *user, const AscFrame *frame)
{
  Found *found = user;
  AscCut cut;
  if (frame->type < ASC_FRAME_HOST)
    return;
  gsize size = ASC_HEADER_SIZE + frame->length + ASC_CHECK_SIZE;
  g_byte_array_append (found->board, found->all->data + found->next,
                       (guint)(frame->offset - found->next));
  found->next = frame->offset + size;
  found->hosts++;
  found->links += frame->type == ASC_FRAME_LINK;
  if (frame->type == ASC_FRAME_CUT && asc_unpack_cut (frame, &cut) >= 0)
    {
      found->cuts++;
      found->cut_bytes += cut.bytes;
    }
}

static inline void
found_skip (void *user, AscSkip why, guint64 offset, size_t n)
{
  Found *found = user;
  (void)why;
  (void)offset;
  found->skipped += n;
}

static inline Found
look_at_bytes (GByteArray *all)
{
  static const AscDeframerSink sink = { .frame = found_frame, .skip = found_skip };
  Found found = { .board = g_byte_array_new (), .all = all };
  AscDeframer deframer;
  asc_deframer_init (&deframer, &sink, &found, 0);
  asc_deframer_feed (&deframer, all->data, all->len);
  asc_deframer_finish (&deframer);
  g_byte_array_append (found.board, all->data + found.next,
                       (guint)(all->len - found.next));
  return found;
}

static inline Found
look_at (const char *path)
{
  char *contents;
  gsize length;
  assert_true (g_file_get_contents (path, &contents, &length, NULL));
  return look_at_bytes (g_byte_array_new_take ((guint8 *)contents, length));
}

static inline void
found_clear (Found *found)
{
  g_byte_array_unref (found->board);
  g_byte_array_unref (found->all);
}

static inline GByteArray *
read_stream (AscRecording *rec, gsize piece)
{
  GByteArray *all = g_byte_array_new ();
  guint8 *buffer = g_malloc (piece);
  gssize n;
  while ((n = asc_recording_read (rec, buffer, piece, 50)) >= 0)
    g_byte_array_append (all, buffer, (guint)n);
  g_free (buffer);
  return all;
}

static inline void
check_same (const GByteArray *a, const GByteArray *b)
{
  assert_int_equal (a->len, b->len);
  assert_memory_equal (a->data, b->data, a->len);
}

#endif
