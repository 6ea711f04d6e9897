/* Recordings: what is on disk, what the follower sees, and what slow and full disks, slow
 * followers and sudden death do to them. */
#include "asc-test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "asc-test-session.h"

static const char *self;

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
  use_gate ();
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
  use_gate ();
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

static struct rlimit unlimited;

/* Stands in for a full disk: it needs no rights. */
static void
limit_file_size (rlim_t size)
{
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &unlimited);
  struct rlimit limit = unlimited;
  limit.rlim_cur = size;
  assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);
}

static void
lift_limit (void)
{
  setrlimit (RLIMIT_FSIZE, &unlimited);
}

static void
a_full_disk_ends_the_file_well (void **state)
{
  (void)state;
  limit_file_size (700001);
  record_into_full ("limited");
  lift_limit ();
}

/* A follower far behind goes through the file, through what was cut off its end, and on
 * from the ring, which waited for it. */
static void
a_slow_follower_passes_a_full_disk (void **state)
{
  (void)state;
  Session session = { 0 };
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 1500000);
  char *source = in_directory ("in");
  char *path = in_directory ("limited");
  assert_true (g_file_set_contents (source, (char *)in->data, in->len, NULL));
  char *spec = g_strconcat ("file:", source, NULL);
  AscRecordingOptions options = options_for (path);
  options.ring_size = 65536;
  guint8 first[10];
  limit_file_size (300000 + asc_test_seed () % 1000);
  AscRecording *rec = record (spec, &options, &session);
  gssize got = asc_recording_read (rec, first, sizeof first, 1000);
  WAIT_FOR (times (&session, ASC_RECORDING_DISK_FULL) == 1);
  GByteArray *stream = g_byte_array_new ();
  g_byte_array_append (stream, first, (guint)got);
  GByteArray *rest = read_stream (rec, 777);
  g_byte_array_append (stream, rest->data, rest->len);
  asc_recording_stop (rec);
  lift_limit ();
  Found seen = look_at_bytes (stream);
  check_same (seen.board, in);
  assert_int_equal (seen.skipped, 0);
  Found found = look_at (path);
  assert_int_equal (found.cuts, 1);
  assert_int_equal (found.skipped, 0);
  found_clear (&found);
  found_clear (&seen);
  asc_recording_free (rec);
  g_byte_array_unref (rest);
  g_byte_array_unref (in);
  g_free (spec);
  drop (source);
  drop (path);
}

static void
space_that_comes_back_is_not_used (void **state)
{
  (void)state;
  Session session;
  struct stat st;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 300000);
  limit_file_size (100000);
  session_begin (&session, "again", 0);
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (times (&session, ASC_RECORDING_DISK_FULL) == 1);
  lift_limit ();
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session.rec) == 2 * in->len);
  asc_recording_stop (session.rec);
  assert_int_equal (stat (session.path, &st), 0);
  assert_true (st.st_size <= 100000);
  assert_true (asc_recording_not_kept (session.rec) > in->len);
  session_end (&session);
  g_byte_array_unref (in);
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

/* Another program reads the port meanwhile; the recording has what came before and after,
 * and its host frames tell of it. */
static void
a_released_port_is_taken_back_into_the_same_recording (void **state)
{
  (void)state;
  Session session;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 50000);
  session_begin (&session, "released", 0);
  assert_true (asc_recording_can_release (session.rec));
  assert_true (asc_recording_writable (session.rec));
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session.rec) == in->len);
  for (int round = 1; round <= 2; round++)
    {
      assert_true (asc_recording_release (session.rec));
      assert_true (asc_recording_released (session.rec));
      assert_int_equal (times (&session, ASC_RECORDING_LOST), round);
      int other = open (ptsname (session.master), O_RDWR | O_NOCTTY);
      guint8 theirs[8];
      assert_true (other >= 0);
      send_bytes (session.master, (const guint8 *)"theirs\n", 7);
      assert_int_equal (read (other, theirs, sizeof theirs), 7);
      close (other);
      asc_recording_take_back (session.rec);
      assert_false (asc_recording_released (session.rec));
      WAIT_FOR (times (&session, ASC_RECORDING_BACK) == round);
    }
  send_bytes (session.master, in->data, in->len);
  WAIT_FOR (asc_recording_received (session.rec) == 2 * in->len);
  /* Ended while it is released. */
  assert_true (asc_recording_release (session.rec));
  asc_recording_stop (session.rec);
  assert_false (asc_recording_release (session.rec));
  assert_int_equal (times (&session, ASC_RECORDING_ENDED), 1);
  Found found = look_at (session.path);
  assert_int_equal (found.board->len, 2 * in->len);
  assert_memory_equal (found.board->data + in->len, in->data, in->len);
  assert_int_equal (found.skipped, 0);
  assert_int_equal (found.links, 2 + 2 * 2 + 1);
  found_clear (&found);
  session_end (&session);
  g_byte_array_unref (in);
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
    cmocka_unit_test (a_slow_follower_passes_a_full_disk),
    cmocka_unit_test (space_that_comes_back_is_not_used),
    cmocka_unit_test (a_full_file_system_ends_the_file_well),
    cmocka_unit_test (a_killed_recorder_leaves_a_good_file),
    cmocka_unit_test (nothing_is_overwritten_or_left_behind),
    cmocka_unit_test (a_released_port_is_taken_back_into_the_same_recording),
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
