/* Recordings: what is on disk, what the follower sees, and what slow and full disks, slow
 * followers and sudden death do to them. */
#include "asc-test.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#include "asc-decoder.h"
#include "asc-disk.h"
#include "asc-host-frames.h"
#include "asc-recording.h"
#include "asc-test-board.h"

#define PATIENCE_US (20 * G_USEC_PER_SEC)

static char *directory;
static const char *self;

static char *
in_directory (const char *name)
{
  return g_build_filename (directory, name, NULL);
}

static void
drop (char *path)
{
  unlink (path);
  g_free (path);
}

/* ---- a disk with a gate ---- */

static GMutex gate_lock;
static GCond gate_moved;
static bool gate_shut;

static gssize
gated_write (int fd, const void *bytes, gsize n)
{
  g_mutex_lock (&gate_lock);
  while (gate_shut)
    g_cond_wait (&gate_moved, &gate_lock);
  g_mutex_unlock (&gate_lock);
  return write (fd, bytes, n);
}

static int
no_sync (int fd)
{
  (void)fd;
  return 0;
}

static void
set_gate (bool shut)
{
  static const AscDiskCalls calls = { gated_write, no_sync };
  asc_disk_set_calls (&calls);
  g_mutex_lock (&gate_lock);
  gate_shut = shut;
  g_cond_broadcast (&gate_moved);
  g_mutex_unlock (&gate_lock);
}

/* ---- a recording from a pty ---- */

typedef struct
{
  int master;
  char *path;
  AscRecording *rec;
  int events[ASC_RECORDING_OVERLOAD + 1]; /* atomic: how often each came */
} Session;

static void
note (void *user, AscRecordingEvent event, const char *message)
{
  Session *session = user;
  assert_non_null (message);
  g_atomic_int_inc (&session->events[event]);
}

static int
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

static int
open_pty (char **slave)
{
  int fd = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true (fd >= 0);
  assert_int_equal (grantpt (fd), 0);
  assert_int_equal (unlockpt (fd), 0);
  *slave = g_strconcat ("tty:", ptsname (fd), NULL);
  return fd;
}

static AscRecordingOptions
options_for (const char *path)
{
  return (AscRecordingOptions){ .path = path, .keep_free = 1, .sync_ms = 20 };
}

static AscRecording *
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

static void
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

static void
session_end (Session *session)
{
  asc_recording_free (session->rec);
  close (session->master);
  drop (session->path);
}

static void
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

static void
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

static void
found_skip (void *user, AscSkip why, guint64 offset, size_t n)
{
  Found *found = user;
  (void)why;
  (void)offset;
  found->skipped += n;
}

static Found
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

static Found
look_at (const char *path)
{
  char *contents;
  gsize length;
  assert_true (g_file_get_contents (path, &contents, &length, NULL));
  return look_at_bytes (g_byte_array_new_take ((guint8 *)contents, length));
}

static void
found_clear (Found *found)
{
  g_byte_array_unref (found->board);
  g_byte_array_unref (found->all);
}

static GByteArray *
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

static void
check_same (const GByteArray *a, const GByteArray *b)
{
  assert_int_equal (a->len, b->len);
  assert_memory_equal (a->data, b->data, a->len);
}

/* ---- tests ---- */

static void
the_file_is_what_was_sent (void **state)
{
  (void)state;
  Session session;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 300000);
  session_begin (&session, "sent", 0);
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session.rec) == in->len);
  asc_recording_stop (session.rec);
  assert_int_equal (times (&session, ASC_RECORDING_ENDED), 1);
  Found found = look_at (session.path);
  check_same (found.board, in);
  assert_int_equal (found.skipped, 0);
  assert_int_equal (found.links, 2);
  assert_true (found.hosts >= 4);
  assert_int_equal (asc_recording_length (session.rec), found.all->len);
  GByteArray *stream = read_stream (session.rec, 1000);
  check_same (stream, found.all);
  g_byte_array_unref (stream);
  found_clear (&found);
  session_end (&session);
  g_byte_array_unref (in);
}

/* With the disk standing still the link is read on; nothing is lost. */
static void
a_slow_disk_stalls_nobody (void **state)
{
  (void)state;
  Session session;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 3000000);
  set_gate (false);
  session_begin (&session, "slow", 0);
  set_gate (true);
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session.rec) == in->len);
  assert_true (asc_recording_length (session.rec) < 2000);
  set_gate (false);
  asc_recording_stop (session.rec);
  Found found = look_at (session.path);
  check_same (found.board, in);
  assert_int_equal (found.skipped, 0);
  assert_int_equal (times (&session, ASC_RECORDING_OVERLOAD), 0);
  found_clear (&found);
  session_end (&session);
  g_byte_array_unref (in);
  asc_disk_set_calls (NULL);
}

/* Only when the ring is full as well bytes are let go, counted, and told in the stream.
 */
static void
an_overload_is_counted (void **state)
{
  (void)state;
  Session session;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 500000);
  set_gate (false);
  session_begin (&session, "overload", 65536);
  set_gate (true);
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session.rec) == in->len);
  WAIT_FOR (times (&session, ASC_RECORDING_OVERLOAD) == 1);
  guint64 gone = asc_recording_let_go (session.rec);
  assert_true (gone > 400000);
  set_gate (false);
  WAIT_FOR (asc_recording_length (session.rec) == asc_recording_end (session.rec));
  send_bytes (session.master, (const guint8 *)"and on\n", 7);
  WAIT_FOR (asc_recording_received (session.rec) == in->len + 7);
  asc_recording_stop (session.rec);
  Found found = look_at (session.path);
  assert_int_equal (asc_recording_let_go (session.rec), gone);
  assert_int_equal (found.cuts, 1);
  assert_int_equal (found.cut_bytes, gone);
  assert_int_equal (found.board->len + gone, in->len + 7);
  assert_memory_equal (found.board->data, in->data, found.board->len - 7);
  assert_true (found.skipped < ASC_FRAME_MAX); /* the frame that was hit */
  found_clear (&found);
  session_end (&session);
  g_byte_array_unref (in);
  asc_disk_set_calls (NULL);
}

/* A follower that slept through all of it gets the file's bytes. */
static void
a_slow_follower_reads_the_file (void **state)
{
  (void)state;
  Session session = { 0 };
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 2000000);
  char *source = in_directory ("in");
  char *path = in_directory ("followed");
  assert_true (g_file_set_contents (source, (char *)in->data, in->len, NULL));
  AscRecordingOptions options = options_for (path);
  options.ring_size = 65536;
  char *spec = g_strconcat ("file:", source, NULL);
  AscRecording *rec = record (spec, &options, &session);
  guint8 first[10];
  gssize got = asc_recording_read (rec, first, sizeof first, 1000);
  assert_true (got > 0);
  WAIT_FOR (times (&session, ASC_RECORDING_ENDED) == 1);
  asc_recording_stop (rec);
  GByteArray *stream = g_byte_array_new ();
  g_byte_array_append (stream, first, (guint)got);
  GByteArray *rest = read_stream (rec, 70000);
  g_byte_array_append (stream, rest->data, rest->len);
  Found found = look_at (path);
  check_same (stream, found.all);
  check_same (found.board, in); /* a file can wait: nothing was let go */
  assert_int_equal (found.skipped, 0);
  found_clear (&found);
  asc_recording_free (rec);
  g_byte_array_unref (rest);
  g_byte_array_unref (stream);
  g_byte_array_unref (in);
  g_free (spec);
  drop (source);
  drop (path);
}

static void
a_copy_is_saved_while_it_runs (void **state)
{
  (void)state;
  Session session;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 200000);
  char *copy = in_directory ("copy.trace");
  session_begin (&session, "live", 0);
  gsize half = in->len / 2;
  send_bytes (session.master, in->data, half);
  WAIT_FOR (asc_recording_received (session.rec) == half);
  assert_true (asc_recording_save (session.rec, copy, NULL, NULL, NULL, NULL));
  send_bytes (session.master, in->data + half, in->len - half);
  WAIT_FOR (asc_recording_received (session.rec) == in->len);
  asc_recording_stop (session.rec);
  Found saved = look_at (copy);
  Found found = look_at (session.path);
  assert_true (saved.all->len < found.all->len);
  assert_memory_equal (saved.all->data, found.all->data, saved.all->len);
  assert_int_equal (saved.skipped, 0);
  assert_true (saved.board->len + 2 * ASC_FRAME_MAX > half);
  check_same (found.board, in);
  found_clear (&saved);
  found_clear (&found);
  session_end (&session);
  g_byte_array_unref (in);
  drop (copy);
}

/* The follower goes on from the ring; the file ends well and says how much it lacks. */
static void
check_full (Session *session, const GByteArray *in)
{
  guint8 first[10];
  gssize got = asc_recording_read (session->rec, first, sizeof first, 1000);
  assert_true (got > 0);
  send_bytes (session->master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session->rec) == in->len);
  WAIT_FOR (times (session, ASC_RECORDING_DISK_FULL) == 1);
  GByteArray *stream = g_byte_array_new ();
  g_byte_array_append (stream, first, (guint)got);
  asc_recording_stop (session->rec);
  GByteArray *rest = read_stream (session->rec, 5000);
  g_byte_array_append (stream, rest->data, rest->len);
  g_byte_array_unref (rest);
  Found seen = look_at_bytes (stream);
  check_same (seen.board, in);
  assert_int_equal (seen.skipped, 0);
  Found found = look_at (session->path);
  assert_int_equal (found.skipped, 0);
  assert_int_equal (found.cuts, 1);
  assert_int_equal (found.cut_bytes, stream->len - asc_recording_length (session->rec));
  assert_int_equal (found.cut_bytes, asc_recording_not_kept (session->rec));
  assert_memory_equal (found.all->data, stream->data,
                       asc_recording_length (session->rec));
  assert_int_equal (times (session, ASC_RECORDING_DISK_FULL), 1);
  found_clear (&seen);
  found_clear (&found);
}

static void
record_into_full (const char *name)
{
  Session session;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 1500000);
  session_begin (&session, name, 0);
  check_full (&session, in);
  session_end (&session);
  g_byte_array_unref (in);
}

static void
a_full_disk_ends_the_file_well (void **state)
{
  (void)state;
  struct rlimit old, limit;
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = 700001;
  assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);
  record_into_full ("limited");
  setrlimit (RLIMIT_FSIZE, &old);
}

/* The same on a true file system that is full: a tmpfs in a namespace of its own. */
static void
a_full_file_system_ends_the_file_well (void **state)
{
  (void)state;
  char *mount = in_directory ("mount");
  g_mkdir (mount, 0700);
  char *script = g_strdup_printf ("mount -t tmpfs -o size=1m none %s || exit 77; "
                                  "exec %s --full %s",
                                  mount, self, mount);
  const char *argv[] = { "unshare", "-Urm", "sh", "-c", script, NULL };
  int status = 0;
  char *out = NULL, *err = NULL;
  bool ran = g_spawn_sync (NULL, (char **)(guintptr)argv, NULL, G_SPAWN_SEARCH_PATH, NULL,
                           NULL, &out, &err, &status, NULL);
  bool ok = ran && WIFEXITED (status) && WEXITSTATUS (status) == 0;
  bool can_not = !ran || strstr (err, "unshare") || WEXITSTATUS (status) == 77;
  if (!ok && !can_not)
    print_message ("%s%s", out, err);
  g_free (out);
  g_free (err);
  g_rmdir (mount);
  g_free (mount);
  g_free (script);
  if (!ok && can_not)
    skip ();
  assert_true (ok);
}

/* What is older than a second survives a kill -9, and is whole. */
static void
a_killed_recorder_leaves_a_good_file (void **state)
{
  (void)state;
  char *slave;
  char *path = in_directory ("killed");
  int master = open_pty (&slave);
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 100000);
  const char *argv[] = { self, "--record", slave, path, NULL };
  GPid pid;
  int out;
  assert_true (g_spawn_async_with_pipes (NULL, (char **)(guintptr)argv, NULL,
                                         G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid,
                                         NULL, &out, NULL, NULL));
  char ready;
  assert_int_equal (read (out, &ready, 1), 1);
  send_bytes (master, in->data, in->len);
  struct stat st;
  /* Without being told to end it writes what it has. */
  WAIT_FOR (stat (path, &st) == 0 && (gsize)st.st_size > in->len);
  kill (pid, SIGKILL);
  int status;
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFSIGNALED (status));
  Found found = look_at (path);
  check_same (found.board, in);
  assert_int_equal (found.skipped, 0);
  found_clear (&found);
  close (out);
  close (master);
  g_byte_array_unref (in);
  g_free (slave);
  drop (path);
}

static void
nothing_is_overwritten_or_left_behind (void **state)
{
  (void)state;
  char *path = in_directory ("precious");
  GError *error = NULL;
  assert_true (g_file_set_contents (path, "x", 1, NULL));
  AscRecordingOptions options = options_for (path);
  AscSourceSpec *spec = asc_source_spec_parse ("file:/dev/null", NULL);
  assert_null (asc_recording_start (spec, &options, NULL, NULL, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS));
  g_clear_error (&error);
  options.path = "/dev/full";
  assert_null (asc_recording_start (spec, &options, NULL, NULL, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE));
  g_clear_error (&error);
  asc_source_spec_free (spec);
  assert_true (g_file_test ("/dev/full", G_FILE_TEST_EXISTS));

  char *none = in_directory ("none");
  options.path = none;
  spec = asc_source_spec_parse ("file:/no/such/file", NULL);
  assert_null (asc_recording_start (spec, &options, NULL, NULL, &error));
  assert_non_null (error);
  g_clear_error (&error);
  assert_false (g_file_test (none, G_FILE_TEST_EXISTS));
  asc_source_spec_free (spec);
  g_free (none);
  drop (path);
}

/* ---- what the test runs as another process ---- */

static void
into_full_directory (void **state)
{
  (void)state;
  record_into_full ("full");
}

static int
child_record (const char *source, const char *path)
{
  Session session = { 0 };
  AscRecordingOptions options = options_for (path);
  options.sync_ms = 0;
  options.reconnect = true;
  AscRecording *rec = record (source, &options, &session);
  WAIT_FOR (times (&session, ASC_RECORDING_CONNECTED) == 1);
  if (write (STDOUT_FILENO, "r", 1) != 1)
    return 1;
  for (int i = 0; i < 600 && rec; i++)
    g_usleep (100000);
  return 1;
}

static int
child_full (const char *where)
{
  struct CMUnitTest tests[] = { cmocka_unit_test (into_full_directory) };
  directory = g_strdup (where);
  int failed = asc_test_run (tests, 1);
  g_free (directory);
  return failed;
}

int
main (int argc, char **argv)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (the_file_is_what_was_sent),
    cmocka_unit_test (a_slow_disk_stalls_nobody),
    cmocka_unit_test (an_overload_is_counted),
    cmocka_unit_test (a_slow_follower_reads_the_file),
    cmocka_unit_test (a_copy_is_saved_while_it_runs),
    cmocka_unit_test (a_full_disk_ends_the_file_well),
    cmocka_unit_test (a_full_file_system_ends_the_file_well),
    cmocka_unit_test (a_killed_recorder_leaves_a_good_file),
    cmocka_unit_test (nothing_is_overwritten_or_left_behind),
  };
  self = argv[0];
  if (argc == 4 && strcmp (argv[1], "--record") == 0)
    return child_record (argv[2], argv[3]);
  if (argc == 3 && strcmp (argv[1], "--full") == 0)
    return child_full (argv[2]);
  directory = g_dir_make_tmp ("asc-recording-XXXXXX", NULL);
  int failed = asc_test_run (tests, sizeof tests / sizeof *tests);
  g_rmdir (directory);
  g_free (directory);
  return failed;
}
