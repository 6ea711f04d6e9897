/* Ptys, TCP, files and standard input, as single sources. */
#include "asc-holder.h"
#include "asc-source-private.h"
#include "asc-test.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>

static AscSource *
open_text (const char *text, GError **error)
{
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (text, error);
  return spec ? asc_source_open (spec, error) : NULL;
}

static AscSource *
open_well (const char *text)
{
  g_autoptr (GError) error = NULL;
  AscSource *source = open_text (text, &error);
  if (error)
    print_error ("%s\n", error->message);
  assert_non_null (source);
  return source;
}

static void
expect_refused (const char *text, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  assert_null (open_text (text, &error));
  if (error->code != code || !strstr (error->message, words))
    print_error ("%d %s\n", error->code, error->message);
  assert_true (error->domain == ASC_LINK_ERROR);
  assert_int_equal (error->code, code);
  assert_non_null (strstr (error->message, words));
}

static void
expect_read (AscSource *source, const char *want)
{
  char got[256];
  gsize n = 0;
  while (n < strlen (want))
    {
      g_autoptr (GError) error = NULL;
      gssize more = asc_source_read (source, got + n, sizeof got - n, &error);
      if (error)
        print_error ("%s\n", error->message);
      assert_true (more > 0);
      n += (gsize)more;
    }
  assert_int_equal (n, strlen (want));
  assert_memory_equal (got, want, n);
}

static void
expect_no_read (AscSource *source, int code)
{
  char got[16];
  g_autoptr (GError) error = NULL;
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), -1);
  assert_non_null (error);
  assert_int_equal (error->code, code);
}

static int
new_pty (char path[64])
{
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true (master >= 0);
  assert_int_equal (grantpt (master) | unlockpt (master), 0);
  assert_int_equal (ptsname_r (master, path, 64), 0);
  return master;
}

static void
a_pty_passes_every_byte (void **state)
{
  (void)state;
  char path[64];
  guint8 all[256], got[256];
  int master = new_pty (path);
  for (int i = 0; i < 256; i++)
    all[i] = (guint8)i;
  AscSource *source = open_well (path);
  assert_string_equal (asc_source_describe (source), path);
  assert_false (asc_source_reconnects (source));
  assert_int_equal (write (master, all, 256), 256);
  for (gsize n = 0; n < 256;)
    {
      gssize more = asc_source_read (source, got + n, 256 - n, NULL);
      assert_true (more > 0);
      n += (gsize)more;
    }
  assert_memory_equal (got, all, 256);
  assert_int_equal (asc_source_write (source, "\x03\r\n\x04", 4, NULL), 4);
  assert_int_equal (read (master, got, sizeof got), 4);
  assert_memory_equal (got, "\x03\r\n\x04", 4);
  expect_refused (path, ASC_LINK_ERROR_BUSY, "in use");
  asc_source_free (source);
  close (master);
}

static void
a_closed_pty_is_gone (void **state)
{
  (void)state;
  char path[64];
  int master = new_pty (path);
  g_autoptr (AscSource) source = open_well (path);
  close (master);
  expect_no_read (source, ASC_LINK_ERROR_GONE);
  expect_no_read (source, ASC_LINK_ERROR_GONE);
  asc_source_close (source);
  expect_no_read (source, ASC_LINK_ERROR_GONE);
}

static void
devices_that_are_no_terminals_are_refused (void **state)
{
  (void)state;
  expect_refused ("tty:/dev/null", ASC_LINK_ERROR_BAD_SPEC, "no serial port");
  expect_refused ("/dev/null", ASC_LINK_ERROR_BAD_SPEC, "no serial port");
  expect_refused ("/dev/pts/99999", ASC_LINK_ERROR_NOT_FOUND, "is not there");
}

static void
a_file_is_read_to_its_end (void **state)
{
  (void)state;
  char got[16];
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "a.trace", NULL);
  assert_true (g_file_set_contents (file, "hello", 5, NULL));
  AscSource *source = open_well (file);
  assert_string_equal (asc_source_describe (source), "a.trace");
  assert_false (asc_source_reconnects (source));
  expect_read (source, "hello");
  assert_int_equal (asc_source_read (source, got, sizeof got, NULL), 0);
  assert_int_equal (asc_source_write (source, "x", 1, NULL), -1);
  asc_source_free (source);
  expect_refused (folder, ASC_LINK_ERROR_BAD_SPEC, "folder");
  g_remove (file);
  expect_refused (file, ASC_LINK_ERROR_NOT_FOUND, "no file or port");
  g_rmdir (folder);
}

static void
a_fifo_waits_for_its_writer_and_can_be_woken (void **state)
{
  (void)state;
  char got[16];
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "fifo", NULL);
  assert_int_equal (mkfifo (path, 0600), 0);
  AscSource *source = open_well (path);
  asc_source_wake (source);
  expect_no_read (source, ASC_LINK_ERROR_CANCELLED);
  int writer = open (path, O_WRONLY);
  assert_int_equal (write (writer, "abc", 3), 3);
  expect_read (source, "abc");
  close (writer);
  assert_int_equal (asc_source_read (source, got, sizeof got, NULL), 0);
  asc_source_free (source);
  g_remove (path);
  g_rmdir (folder);
}

static void
standard_input_is_read (void **state)
{
  (void)state;
  int ends[2], old = dup (STDIN_FILENO);
  char got[16];
  assert_int_equal (pipe (ends), 0);
  dup2 (ends[0], STDIN_FILENO);
  AscSource *source = open_well ("-");
  assert_int_equal (write (ends[1], "in", 2), 2);
  expect_read (source, "in");
  close (ends[1]);
  assert_int_equal (asc_source_read (source, got, sizeof got, NULL), 0);
  asc_source_free (source);
  assert_true (fcntl (STDIN_FILENO, F_GETFD) >= 0);
  close (ends[0]);
  if (old >= 0)
    dup2 (old, STDIN_FILENO);
  close (old);
}

static void
tcp_calls_and_is_called (void **state)
{
  (void)state;
  g_autoptr (AscSource) listener = open_well ("tcp-listen:0");
  guint16 port = asc_source_local_port (listener);
  assert_int_not_equal (port, 0);
  assert_false (asc_source_connected (listener));
  g_autofree char *text = g_strdup_printf ("tcp:127.0.0.1:%d", port);
  for (int round = 0; round < 3; round++)
    {
      AscSource *caller = open_well (text);
      assert_int_equal (asc_source_write (caller, "hello", 5, NULL), 5);
      expect_read (listener, "hello");
      assert_true (asc_source_connected (listener));
      assert_int_equal (asc_source_write (listener, "back", 4, NULL), 4);
      expect_read (caller, "back");
      asc_source_free (caller);
      expect_no_read (listener, ASC_LINK_ERROR_GONE);
      assert_false (asc_source_connected (listener));
    }
  /* Nobody calls: a look returns, a wait can be woken. */
  g_autoptr (GError) error = NULL;
  assert_false (asc_source_reopen (listener, 0, &error));
  assert_int_equal (error->code, ASC_LINK_ERROR_NOT_FOUND);
  asc_source_wake (listener);
  expect_no_read (listener, ASC_LINK_ERROR_CANCELLED);
}

static void
tcp_says_what_is_wrong (void **state)
{
  (void)state;
  AscSource *listener = open_well ("tcp-listen:0");
  g_autofree char *taken
      = g_strdup_printf ("tcp-listen:%d", asc_source_local_port (listener));
  g_autofree char *call
      = g_strdup_printf ("tcp:127.0.0.1:%d", asc_source_local_port (listener));
  expect_refused (taken, ASC_LINK_ERROR_BUSY, "Cannot listen");
  AscSource *caller = open_well (call);
  asc_source_free (listener);
  expect_no_read (caller, ASC_LINK_ERROR_GONE);
  asc_source_free (caller);
  expect_refused (call, ASC_LINK_ERROR_NOT_FOUND, "Nobody listens");
  expect_refused ("tcp-listen:nonsense:80", ASC_LINK_ERROR_BAD_SPEC, "no address");
}

static void
a_cancelled_call_ends (void **state)
{
  (void)state;
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse ("tcp:127.0.0.1:9", NULL);
  g_cancellable_cancel (cancellable);
  assert_null (asc_source_open_cancellable (spec, cancellable, &error));
  assert_int_equal (error->code, ASC_LINK_ERROR_CANCELLED);
}

/* A device of another group is made only by root; others have nothing to look at. */
static void
a_forbidden_device_names_its_group (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "fifo", NULL);
  const struct group *group = getgrnam ("dialout");
  assert_int_equal (mkfifo (path, 0660), 0);
  gboolean made = group && chown (path, (uid_t)-1, group->gr_gid) == 0
                  && chmod (path, 0660) == 0 && getegid () != group->gr_gid;
  g_autofree char *why = asc_holder_explain_denied (path);
  g_remove (path);
  g_rmdir (folder);
  if (!made)
    {
      print_message ("# skipped: only root can give a file to the group dialout\n");
      skip ();
    }
  assert_non_null (strstr (why, "sudo usermod -aG dialout $USER"));
  assert_non_null (strstr (why, "log in again"));
}

static void
the_demo_board_sends_frames_until_closed (void **state)
{
  (void)state;
  char got[512];
  gsize n = 0;
  AscSource *source = open_well ("demo:seed=3,speed=4,no-loss");
  assert_string_equal (asc_source_describe (source), "Demo board");
  assert_false (asc_source_reconnects (source));
  while (n < 4096)
    {
      g_autoptr (GError) error = NULL;
      gssize more = asc_source_read (source, got, sizeof got, &error);
      assert_true (more > 0);
      n += (gsize)more;
    }
  asc_source_close (source);
  expect_no_read (source, ASC_LINK_ERROR_GONE);
  asc_source_free (source);
}

static void
free_takes_null (void **state)
{
  (void)state;
  asc_source_free (NULL);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (a_pty_passes_every_byte),
  cmocka_unit_test (a_closed_pty_is_gone),
  cmocka_unit_test (devices_that_are_no_terminals_are_refused),
  cmocka_unit_test (a_file_is_read_to_its_end),
  cmocka_unit_test (a_fifo_waits_for_its_writer_and_can_be_woken),
  cmocka_unit_test (standard_input_is_read),
  cmocka_unit_test (tcp_calls_and_is_called),
  cmocka_unit_test (tcp_says_what_is_wrong),
  cmocka_unit_test (a_cancelled_call_ends),
  cmocka_unit_test (a_forbidden_device_names_its_group),
  cmocka_unit_test (the_demo_board_sends_frames_until_closed),
  cmocka_unit_test (free_takes_null),
};

ASC_TEST_MAIN (tests)
