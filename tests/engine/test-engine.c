/* Files that are loaded and recordings that are followed. */
#include "asc-test.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "asc-engine.h"
#include "asc-session.h"
#include "asc-test-board.h"

#define PATIENCE_US (20 * G_USEC_PER_SEC)
#define WAIT_FOR(condition)                                                              \
  do                                                                                     \
    {                                                                                    \
      gint64 until = g_get_monotonic_time () + PATIENCE_US;                              \
      while (!(condition) && g_get_monotonic_time () < until)                            \
        g_usleep (1000);                                                                 \
      assert_true (condition);                                                           \
    }                                                                                    \
  while (0)

static char *directory;

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

static guint64
n_runs (const AscEngine *engine)
{
  AscSessionInfo info;
  AscTrace *trace = asc_engine_trace (engine);
  if (asc_trace_n_sessions (trace) == 0)
    return 0;
  asc_session_info (asc_trace_session (trace, 0), &info);
  return info.n_runs;
}

static void
count_call (void *user)
{
  g_atomic_int_inc ((gint *)user);
}

/* A stream with a known number of runs. */
static GByteArray *
stream_of (guint runs)
{
  GByteArray *out = g_byte_array_new ();
  AscTestBoard board;
  asc_test_board_begin (&board, out, 77);
  for (guint i = 0; i < runs; i++)
    asc_test_board_run (&board, i % 2, 100 + i % 7);
  asc_test_board_hello (&board);
  return out;
}

static void
a_file_is_loaded (void **state)
{
  (void)state;
  GByteArray *in = stream_of (50000);
  char *path = in_directory ("load");
  gint calls = 0;
  assert_true (g_file_set_contents (path, (char *)in->data, in->len, NULL));
  AscEngine *engine = asc_engine_open (path, NULL, NULL, count_call, &calls);
  asc_engine_wait (engine);
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_STOPPED);
  assert_int_equal (n_runs (engine), 50000);
  assert_true (asc_engine_progress (engine) >= 1);
  assert_int_equal (asc_engine_behind (engine), 0);
  assert_string_equal (asc_engine_path (engine), path);
  assert_null (asc_engine_recording (engine));
  assert_true (g_atomic_int_get (&calls) > 0);
  asc_engine_free (engine);
  g_byte_array_unref (in);
  drop (path);
}

static void
check_failed (const char *path)
{
  int severity = 0;
  AscEngine *engine = asc_engine_open (path, NULL, NULL, NULL, NULL);
  asc_engine_wait (engine);
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_FAILED);
  char *message = asc_engine_message (engine, &severity);
  assert_int_equal (severity, 2);
  assert_true (g_str_has_prefix (message, path));
  g_free (message);
  asc_engine_free (engine);
}

static void
what_can_not_be_loaded_says_why (void **state)
{
  (void)state;
  char *none = in_directory ("none");
  char *text = in_directory ("text");
  assert_true (g_file_set_contents (text, "hello\n", 6, NULL));
  check_failed (none);
  check_failed (text);
  check_failed (directory);
  g_free (none);
  drop (text);
}

/* A pipe that goes silent: what is there is shown, and stopping works. */
static void
loading_can_be_stopped (void **state)
{
  (void)state;
  GByteArray *in = stream_of (3000);
  char *path = in_directory ("fifo");
  assert_int_equal (mkfifo (path, 0600), 0);
  AscEngine *engine = asc_engine_open (path, NULL, NULL, NULL, NULL);
  int fd = open (path, O_WRONLY);
  assert_int_equal (write (fd, in->data, 20000), 20000);
  WAIT_FOR (n_runs (engine) > 1000);
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_LOADING);
  asc_engine_stop (engine);
  asc_engine_wait (engine);
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_PARTIAL);
  guint64 runs = n_runs (engine);
  assert_in_range (runs, 1000, 2999);
  close (fd);
  asc_engine_free (engine);
  g_byte_array_unref (in);
  drop (path);
}

static AscEngine *
record (const char *source, const char *path, AscRecordingOptions options)
{
  GError *error = NULL;
  options.path = path;
  options.keep_free = 1;
  AscSourceSpec *spec = asc_source_spec_parse (source, &error);
  assert_non_null (spec);
  AscEngine *engine = asc_engine_record (spec, &options, NULL, NULL, &error);
  if (!engine)
    fail_msg ("%s", error->message);
  asc_source_spec_free (spec);
  return engine;
}

/* What was followed is what is loaded from the file afterwards. */
static void
a_recording_is_followed (void **state)
{
  (void)state;
  GByteArray *in = stream_of (60000);
  char *from = in_directory ("in");
  char *path = in_directory ("recorded");
  assert_true (g_file_set_contents (from, (char *)in->data, in->len, NULL));
  char *spec = g_strconcat ("file:", from, NULL);
  AscEngine *engine
      = record (spec, path, (AscRecordingOptions){ .ring_size = 65536, .sync_ms = 10 });
  asc_engine_wait (engine);
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_STOPPED);
  assert_int_equal (n_runs (engine), 60000);
  assert_int_equal (asc_engine_behind (engine), 0);
  assert_string_equal (asc_engine_path (engine), path);
  AscEngine *again = asc_engine_open (path, NULL, NULL, NULL, NULL);
  asc_engine_wait (again);
  assert_int_equal (n_runs (again), 60000);
  AscDecoderTotals live, loaded;
  asc_trace_totals (asc_engine_trace (engine), &live);
  asc_trace_totals (asc_engine_trace (again), &loaded);
  assert_memory_equal (&live, &loaded, sizeof live);
  assert_int_equal (asc_engine_skipped_bytes (&live), 0);
  asc_engine_free (engine);
  asc_engine_free (again);
  g_byte_array_unref (in);
  g_free (spec);
  drop (from);
  drop (path);
}

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

static void
a_live_device_shows_its_state (void **state)
{
  (void)state;
  char *slave;
  char held[8];
  int severity;
  char *path = in_directory ("live");
  int master = open_pty (&slave);
  /* By a link: a pty of that name alone is not awaited. */
  char *link = in_directory ("board");
  assert_int_equal (symlink (ptsname (master), link), 0);
  AscEngine *engine = record (link, path, (AscRecordingOptions){ .reconnect = true });
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_LIVE);
  GByteArray *in = stream_of (500);
  assert_int_equal (write (master, in->data, in->len), in->len);
  WAIT_FOR (n_runs (engine) == 500);
  /* The beginning of what may be a frame is shown after a silence. */
  assert_int_equal (asc_engine_pending (engine, held, sizeof held), 0);
  assert_int_equal (write (master, "\xF9", 1), 1);
  WAIT_FOR (asc_engine_pending (engine, held, sizeof held) == 1);
  assert_int_equal ((guint8)held[0], 0xF9);
  assert_int_equal (write (master, "text\n", 5), 5);
  WAIT_FOR (asc_engine_pending (engine, held, sizeof held) == 0
            || asc_trace_text_length (asc_engine_trace (engine)) > 0);
  close (master);
  WAIT_FOR (asc_engine_state (engine) == ASC_ENGINE_WAITING);
  WAIT_FOR ((g_free (asc_engine_message (engine, &severity)), severity == 1));
  gint64 before = g_get_monotonic_time ();
  asc_engine_stop (engine);
  asc_engine_wait (engine);
  /* It should be under 100 ms; what a busy machine adds is not what is tested here. */
  assert_true (g_get_monotonic_time () - before < 5 * G_USEC_PER_SEC);
  assert_int_equal (asc_engine_state (engine), ASC_ENGINE_STOPPED);
  asc_engine_free (engine);
  g_byte_array_unref (in);
  g_free (slave);
  drop (link);
  drop (path);
}

static void
a_source_that_is_not_there_is_an_error (void **state)
{
  (void)state;
  GError *error = NULL;
  char *path = in_directory ("never");
  AscSourceSpec *spec = asc_source_spec_parse ("file:/no/such/file", NULL);
  AscRecordingOptions options = { .path = path };
  assert_null (asc_engine_record (spec, &options, NULL, NULL, &error));
  assert_non_null (error);
  g_error_free (error);
  asc_source_spec_free (spec);
  assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_free (path);
}

static void
health_names_the_case (void **state)
{
  (void)state;
  static const struct
  {
    gint64 seconds;
    guint64 frames, host_frames, text, noise, header;
    AscHealth health;
  } cases[] = {
    { 1, 3, 3, 0, 0, 0, ASC_HEALTH_EARLY },
    { 3, 3, 3, 0, 0, 0, ASC_HEALTH_SILENT },
    { 1, 4, 3, 0, 0, 0, ASC_HEALTH_GOOD },
    { 9, 4, 3, 100, 100, 100, ASC_HEALTH_GOOD },
    { 3, 3, 3, 1204, 0, 0, ASC_HEALTH_TEXT },
    { 3, 3, 3, 1204, 5, 1, ASC_HEALTH_TEXT },
    { 3, 3, 3, 400, 600, 4, ASC_HEALTH_NOISE },
    { 3, 3, 3, 0, 1, 0, ASC_HEALTH_NOISE },
    { 3, 3, 3, 0, 0, 9, ASC_HEALTH_NOISE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AscDecoderTotals totals
          = { .frames = cases[i].frames, .host_frames = cases[i].host_frames };
      totals.skipped[ASC_SKIP_NOISE] = cases[i].noise;
      totals.skipped[ASC_SKIP_HEADER] = cases[i].header;
      assert_int_equal (
          asc_health (cases[i].seconds * 1000000000, &totals, cases[i].text),
          cases[i].health);
    }
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (a_file_is_loaded),
    cmocka_unit_test (what_can_not_be_loaded_says_why),
    cmocka_unit_test (loading_can_be_stopped),
    cmocka_unit_test (a_recording_is_followed),
    cmocka_unit_test (a_live_device_shows_its_state),
    cmocka_unit_test (a_source_that_is_not_there_is_an_error),
    cmocka_unit_test (health_names_the_case),
  };
  directory = g_dir_make_tmp ("asc-engine-XXXXXX", NULL);
  int failed = asc_test_run (tests, sizeof tests / sizeof *tests);
  g_rmdir (directory);
  g_free (directory);
  return failed;
}
