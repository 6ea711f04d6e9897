/* The reader thread on ptys, TCP and files. */
#include "asc-link-events.h"
#include "asc-test.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <termios.h>

static AscLinkEvents events;

static int
begin (void **state)
{
  (void)state;
  asc_link_events_init (&events);
  return 0;
}

static int
end (void **state)
{
  (void)state;
  asc_link_events_clear (&events);
  return 0;
}

static AscReader *
start (const char *text)
{
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (text, NULL);
  assert_non_null (spec);
  return asc_reader_start (spec, &asc_link_events_sink, &events);
}

static int
new_pty (const char *link)
{
  struct termios settings;
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true (master >= 0);
  assert_int_equal (grantpt (master) | unlockpt (master), 0);
  assert_int_equal (tcgetattr (master, &settings), 0);
  cfmakeraw (&settings);
  assert_int_equal (tcsetattr (master, TCSANOW, &settings), 0);
  g_autofree char *fresh = g_strconcat (link, ".new", NULL);
  assert_int_equal (symlink (ptsname (master), fresh), 0);
  assert_int_equal (g_rename (fresh, link), 0);
  return master;
}

static void
a_file_ends (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "a.trace", NULL);
  assert_true (g_file_set_contents (file, "hello", 5, NULL));
  AscReader *reader = start (file);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "a.trace");
  asc_link_events_expect_bytes (&events, "hello");
  asc_link_events_expect (&events, ASC_READER_ENDED, "to its end");
  assert_int_equal (asc_reader_error_code (reader), -1);
  asc_reader_free (reader);
  g_remove (file);
  g_rmdir (folder);
}

static void
what_cannot_be_opened_fails_with_its_reason (void **state)
{
  (void)state;
  AscReader *reader = start ("/dev/ttyACM77");
  asc_link_events_expect (&events, ASC_READER_FAILED, "/dev/ttyACM77 is not there");
  assert_int_equal (asc_reader_error_code (reader), ASC_LINK_ERROR_NOT_FOUND);
  assert_int_equal (asc_reader_write (reader, "x", 1, NULL), -1);
  asc_reader_stop (reader);
  asc_reader_stop (reader);
  asc_reader_free (reader);
  asc_reader_free (NULL);
}

static void
a_pty_is_taken_again_until_stopped (void **state)
{
  (void)state;
  char got[8];
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  int master = new_pty (link);
  AscReader *reader = start (link);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "board");
  for (int round = 0; round < 3; round++)
    {
      assert_int_equal (write (master, "tick", 4), 4);
      asc_link_events_expect_bytes (&events, "tick");
      assert_int_equal (asc_reader_write (reader, "\x03", 1, NULL), 1);
      assert_int_equal (read (master, got, sizeof got), 1);
      g_remove (link);
      close (master);
      asc_link_events_expect (&events, ASC_READER_LOST, "unplugged or closed");
      /* Told once, however long it lasts. */
      asc_link_events_expect (&events, ASC_READER_WAITING, "no file or port");
      assert_int_equal (asc_reader_write (reader, "x", 1, NULL), -1);
      master = new_pty (link);
      asc_link_events_expect (&events, ASC_READER_BACK, "board");
    }
  asc_reader_free (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, "Disconnected");
  g_remove (link);
  g_rmdir (folder);
  close (master);
}

/* A pty's name is given to the next that is made: who has it then is somebody else. */
static void
a_pty_by_its_own_name_ends (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  int master = new_pty (link);
  g_autofree char *name = g_strdup (ptsname (master));
  g_autofree char *told = g_strdup_printf ("The other side of %s ended", name);
  AscReader *reader = start (name);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, name);
  /* Released and taken back, it is the same one. */
  assert_true (asc_reader_release (reader, "for somebody else"));
  asc_link_events_expect (&events, ASC_READER_LOST, "for somebody else");
  asc_reader_take_back (reader);
  asc_link_events_expect (&events, ASC_READER_BACK, name);
  assert_int_equal (write (master, "tick", 4), 4);
  asc_link_events_expect_bytes (&events, "tick");
  close (master);
  asc_link_events_expect (&events, ASC_READER_LOST, told);
  asc_link_events_expect (&events, ASC_READER_ENDED, told);
  assert_int_equal (asc_reader_error_code (reader), -1);
  asc_reader_free (reader);
  /* Gone while it was released. */
  g_remove (link);
  master = new_pty (link);
  reader = start (ptsname (master));
  asc_link_events_expect (&events, ASC_READER_CONNECTED, NULL);
  assert_true (asc_reader_release (reader, "for somebody else"));
  asc_link_events_expect (&events, ASC_READER_LOST, "for somebody else");
  close (master);
  asc_reader_take_back (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, "The other side of /dev/pts/");
  asc_reader_free (reader);
  g_remove (link);
  g_rmdir (folder);
}

/* The kernel gives the smallest free number, so with luck the next pty has it. */
static int
pty_of_name (const char *name)
{
  int others[64], n = 0, found = -1;
  while (found < 0 && n < 64)
    {
      int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
      assert_true (master >= 0);
      assert_int_equal (grantpt (master) | unlockpt (master), 0);
      if (strcmp (ptsname (master), name) == 0)
        found = master;
      else
        others[n++] = master;
    }
  while (n)
    close (others[--n]);
  return found;
}

static void
a_link_that_was_left_leads_to_nobody_else (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  int master = new_pty (link);
  g_autofree char *name = g_strdup (ptsname (master));
  AscReader *reader = start (link);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "board");
  close (master);
  asc_link_events_expect (&events, ASC_READER_LOST, "unplugged or closed");
  asc_link_events_expect (&events, ASC_READER_WAITING, NULL);
  master = pty_of_name (name);
  if (master < 0)
    print_message ("# skipped: another program took %s\n", name);
  else
    asc_link_events_expect (&events, ASC_READER_WAITING, "The other side of");
  int fresh = new_pty (link);
  asc_link_events_expect (&events, ASC_READER_BACK, "board");
  asc_reader_free (reader);
  close (fresh);
  if (master >= 0)
    close (master);
  g_remove (link);
  g_rmdir (folder);
}

/* In each state, stopping comes back and the last event is ENDED. The bound is there for
 * a hang; on a free machine it takes well under a millisecond. */
static void
stop_and_check (AscReader *reader)
{
  gint64 begun = g_get_monotonic_time ();
  asc_reader_stop (reader);
  gint64 took = g_get_monotonic_time () - begun;
  print_message ("# stopped in %d us\n", (int)took);
  assert_true (took < 5 * G_USEC_PER_SEC);
  asc_link_events_expect (&events, ASC_READER_ENDED, "Disconnected");
  assert_true (g_queue_is_empty (&events.events));
  asc_reader_free (reader);
}

static void
stopping_is_quick_in_every_state (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  int master = new_pty (link);
  AscReader *reader = start (link);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, NULL);
  stop_and_check (reader);
  reader = start (link);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, NULL);
  close (master);
  g_remove (link);
  asc_link_events_expect (&events, ASC_READER_LOST, NULL);
  asc_link_events_expect (&events, ASC_READER_WAITING, NULL);
  stop_and_check (reader);
  reader = start ("tcp-listen:0");
  asc_link_events_expect (&events, ASC_READER_WAITING, "Listening at port");
  stop_and_check (reader);
  g_rmdir (folder);
}

static void
tcp_comes_back_both_ways_round (void **state)
{
  (void)state;
  g_autoptr (AscSourceSpec) listen = asc_source_spec_parse ("tcp-listen:0", NULL);
  g_autoptr (AscSource) server = asc_source_open (listen, NULL);
  assert_non_null (server);
  g_autofree char *text
      = g_strdup_printf ("tcp:127.0.0.1:%d", asc_source_local_port (server));
  AscReader *reader = start (text);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "127.0.0.1 port");
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (GError) error = NULL;
      /* Closes the peer that is there, and takes the next. */
      assert_true (asc_source_reopen (server, 20000, &error));
      if (round > 0)
        asc_link_events_expect (&events, ASC_READER_BACK, "127.0.0.1 port");
      assert_int_equal (asc_source_write (server, "net", 3, NULL), 3);
      asc_link_events_expect_bytes (&events, "net");
      asc_source_reopen (server, 0, NULL);
      asc_link_events_expect (&events, ASC_READER_LOST, "ended the connection");
    }
  asc_reader_free (reader);
}

static void
a_listener_waits_for_one_caller_after_the_other (void **state)
{
  (void)state;
  g_autoptr (AscSourceSpec) listen = asc_source_spec_parse ("tcp-listen:0", NULL);
  AscSource *server = asc_source_open (listen, NULL);
  g_autofree char *text
      = g_strdup_printf ("tcp:127.0.0.1:%d", asc_source_local_port (server));
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (text, NULL);
  AscReader *reader = asc_reader_start_source (server, &asc_link_events_sink, &events);
  asc_link_events_expect (&events, ASC_READER_WAITING, "nobody has called yet");
  for (int round = 0; round < 3; round++)
    {
      AscSource *caller = asc_source_open (spec, NULL);
      assert_non_null (caller);
      asc_link_events_expect (&events, round ? ASC_READER_BACK : ASC_READER_CONNECTED,
                              NULL);
      assert_int_equal (asc_source_write (caller, "hi", 2, NULL), 2);
      asc_link_events_expect_bytes (&events, "hi");
      asc_source_free (caller);
      asc_link_events_expect (&events, ASC_READER_LOST, "ended the connection");
      asc_link_events_expect (&events, ASC_READER_WAITING, "Listening");
    }
  asc_reader_free (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, "Disconnected");
}

static void
a_released_port_is_free_until_it_is_taken_back (void **state)
{
  (void)state;
  char got[8];
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  int master = new_pty (link);
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (link, NULL);
  AscReader *reader = start (link);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "board");
  for (int round = 0; round < 3; round++)
    {
      assert_true (asc_reader_release (reader, "for somebody else"));
      asc_link_events_expect (&events, ASC_READER_LOST, "for somebody else");
      assert_int_equal (asc_reader_write (reader, "x", 1, NULL), -1);
      AscSource *other = asc_source_open (spec, NULL);
      assert_non_null (other);
      assert_int_equal (write (master, "theirs", 6), 6);
      assert_int_equal (asc_source_read (other, got, sizeof got, NULL), 6);
      /* Nobody looks for the device meanwhile. */
      guint64 turns = asc_reader_turns (reader);
      g_usleep (400000);
      assert_int_equal (asc_reader_turns (reader), turns);
      asc_reader_take_back (reader);
      asc_link_events_expect (&events, ASC_READER_WAITING, "in use");
      asc_source_free (other);
      asc_link_events_expect (&events, ASC_READER_BACK, "board");
      assert_int_equal (write (master, "ours", 4), 4);
      asc_link_events_expect_bytes (&events, "ours");
    }
  /* Stopped while it is released. */
  assert_true (asc_reader_release (reader, "again"));
  asc_link_events_expect (&events, ASC_READER_LOST, "again");
  stop_and_check (reader);
  close (master);
  g_remove (link);
  g_rmdir (folder);
}

static void
a_lost_port_can_be_released_too (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  int master = new_pty (link);
  AscReader *reader = start (link);
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "board");
  g_remove (link);
  close (master);
  asc_link_events_expect (&events, ASC_READER_LOST, "unplugged or closed");
  asc_link_events_expect (&events, ASC_READER_WAITING, NULL);
  assert_true (asc_reader_release (reader, "released"));
  asc_link_events_expect (&events, ASC_READER_LOST, "released");
  master = new_pty (link);
  asc_reader_take_back (reader);
  asc_link_events_expect (&events, ASC_READER_BACK, "board");
  asc_reader_free (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, "Disconnected");
  g_remove (link);
  g_rmdir (folder);
  close (master);
}

static void
what_is_not_opened_again_is_not_released (void **state)
{
  (void)state;
  AscReader *reader = start ("demo");
  asc_link_events_expect (&events, ASC_READER_CONNECTED, "Demo");
  assert_false (asc_reader_release (reader, "no"));
  asc_reader_free (reader);
  asc_link_events_expect (&events, ASC_READER_ENDED, NULL);
  reader = start ("tcp-listen:0");
  asc_link_events_expect (&events, ASC_READER_WAITING, "Listening");
  assert_false (asc_reader_release (reader, "no"));
  asc_reader_free (reader);
  /* One that failed is over. */
  asc_link_events_expect (&events, ASC_READER_ENDED, NULL);
  reader = start ("/dev/ttyACM77");
  asc_link_events_expect (&events, ASC_READER_FAILED, NULL);
  assert_false (asc_reader_release (reader, "no"));
  asc_reader_free (reader);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, begin, end)

static struct CMUnitTest tests[] = {
  TEST (a_file_ends),
  TEST (what_cannot_be_opened_fails_with_its_reason),
  TEST (a_pty_is_taken_again_until_stopped),
  TEST (a_pty_by_its_own_name_ends),
  TEST (a_link_that_was_left_leads_to_nobody_else),
  TEST (stopping_is_quick_in_every_state),
  TEST (tcp_comes_back_both_ways_round),
  TEST (a_listener_waits_for_one_caller_after_the_other),
  TEST (a_released_port_is_free_until_it_is_taken_back),
  TEST (a_lost_port_can_be_released_too),
  TEST (what_is_not_opened_again_is_not_released),
};

ASC_TEST_MAIN (tests)
