/* A port's bytes for other programs: text through a pty, all of it through sockets. */
#include "asc-proxies.h"
#include "asc-share.h"
#include "asc-test.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

#define PATIENCE_MS 20000

/* What a test's share has; its input goes to a buffer. */
typedef struct
{
  AscShare *share;
  pthread_mutex_t lock;
  GByteArray *input;
  gssize takes; /* of each offer at most; -1 refuses */
} Fixture;

static gssize
take_input (void *user, const guint8 *bytes, gsize n)
{
  Fixture *f = user;
  pthread_mutex_lock (&f->lock);
  gssize taken = f->takes < 0 ? -1 : MIN (f->takes, (gssize)n);
  if (taken > 0)
    g_byte_array_append (f->input, bytes, (guint)taken);
  pthread_mutex_unlock (&f->lock);
  return taken;
}

static gsize
input_length (Fixture *f)
{
  pthread_mutex_lock (&f->lock);
  gsize n = f->input->len;
  pthread_mutex_unlock (&f->lock);
  return n;
}

static int
begin (void **state)
{
  Fixture *f = g_new0 (Fixture, 1);
  GError *error = NULL;
  pthread_mutex_init (&f->lock, NULL);
  f->input = g_byte_array_new ();
  f->takes = 1000;
  f->share = asc_share_new (take_input, f, &error);
  if (error)
    print_error ("%s\n", error->message);
  *state = f;
  return f->share ? 0 : -1;
}

static int
end (void **state)
{
  Fixture *f = *state;
  asc_share_free (f->share);
  g_byte_array_unref (f->input);
  pthread_mutex_destroy (&f->lock);
  g_free (f);
  return 0;
}

#define WAIT_FOR(condition)                                                              \
  do                                                                                     \
    {                                                                                    \
      gint64 until = g_get_monotonic_time () + PATIENCE_MS * 1000;                       \
      while (!(condition) && g_get_monotonic_time () < until)                            \
        g_usleep (1000);                                                                 \
      assert_true (condition);                                                           \
    }                                                                                    \
  while (0)

static AscShareCounts
counts (Fixture *f)
{
  AscShareCounts now;
  asc_share_counts (f->share, &now);
  return now;
}

static void
text (Fixture *f, const char *words)
{
  asc_share_text (f->share, (const guint8 *)words, strlen (words));
}

static void
stream (Fixture *f, const char *words, gsize border)
{
  asc_share_stream (f->share, (const guint8 *)words, strlen (words), border);
}

/* Opens the pty and waits until the share has seen it. */
static int
open_pty (Fixture *f)
{
  int fd = open (asc_share_pty (f->share), O_RDWR | O_NOCTTY | O_CLOEXEC);
  assert_true (fd >= 0);
  WAIT_FOR (counts (f).pty_open);
  return fd;
}

static void
expect (int fd, const void *want, gsize n)
{
  guint8 got[1024];
  gsize done = 0;
  assert_true (n <= sizeof got);
  while (done < n)
    {
      struct pollfd in = { .fd = fd, .events = POLLIN };
      assert_int_equal (poll (&in, 1, PATIENCE_MS), 1);
      gssize more = read (fd, got + done, n - done);
      assert_true (more > 0);
      done += (gsize)more;
    }
  assert_memory_equal (got, want, n);
}

static void
the_pty_passes_every_byte_both_ways (void **state)
{
  Fixture *f = *state;
  guint8 all[256];
  for (int i = 0; i < 256; i++)
    all[i] = (guint8)i;
  asc_share_start (f->share);
  int fd = open_pty (f);
  asc_share_text (f->share, all, sizeof all);
  expect (fd, all, sizeof all);
  assert_int_equal (write (fd, all, sizeof all), sizeof all);
  WAIT_FOR (input_length (f) == sizeof all);
  assert_memory_equal (f->input->data, all, sizeof all);
  close (fd);
  WAIT_FOR (!counts (f).pty_open);
}

/* What a tool wrote before it closed arrives, and what it took some bytes of as well. */
static void
input_is_handed_on_in_pieces_and_after_closing (void **state)
{
  Fixture *f = *state;
  char line[3001];
  memset (line, 'x', sizeof line);
  f->takes = 7;
  asc_share_start (f->share);
  int fd = open_pty (f);
  for (gsize at = 0; at < sizeof line; at += 500)
    assert_true (write (fd, line + at, MIN (500, sizeof line - at)) > 0);
  close (fd);
  WAIT_FOR (input_length (f) == sizeof line);
  assert_int_equal (counts (f).input_dropped, 0);
}

static void
input_that_nobody_takes_is_counted (void **state)
{
  Fixture *f = *state;
  f->takes = -1;
  asc_share_start (f->share);
  int fd = open_pty (f);
  assert_int_equal (write (fd, "hello", 5), 5);
  WAIT_FOR (counts (f).input_dropped == 5);
  close (fd);
}

static void
text_that_nobody_hears_is_not_kept_for_the_next (void **state)
{
  Fixture *f = *state;
  asc_share_start (f->share);
  for (int round = 1; round <= 3; round++)
    {
      text (f, "into the void");
      assert_int_equal (counts (f).unheard, round * 13);
      int fd = open_pty (f);
      text (f, "hello");
      expect (fd, "hello", 5);
      /* Left unread. */
      text (f, "and bye");
      int waiting = 0;
      WAIT_FOR (ioctl (fd, FIONREAD, &waiting) == 0 && waiting == 7);
      close (fd);
      WAIT_FOR (!counts (f).pty_open);
    }
  assert_int_equal (counts (f).text_dropped, 0);
}

static void
the_next_one_finds_it_raw (void **state)
{
  Fixture *f = *state;
  struct termios settings;
  asc_share_start (f->share);
  int fd = open_pty (f);
  assert_int_equal (tcgetattr (fd, &settings), 0);
  settings.c_lflag |= ECHO | ICANON | ISIG;
  settings.c_oflag |= OPOST | ONLCR;
  assert_int_equal (tcsetattr (fd, TCSANOW, &settings), 0);
  close (fd);
  WAIT_FOR (!counts (f).pty_open);
  fd = open_pty (f);
  assert_int_equal (tcgetattr (fd, &settings), 0);
  assert_int_equal (settings.c_lflag & (ECHO | ICANON | ISIG), 0);
  assert_int_equal (settings.c_oflag & OPOST, 0);
  close (fd);
}

/* 16 MB for a program that has it open and does not read. */
static void
who_does_not_read_holds_nothing_up (void **state)
{
  Fixture *f = *state;
  char line[1024], got[4096];
  asc_share_start (f->share);
  int fd = open_pty (f);
  memset (line, '.', sizeof line);
  text (f, "first");
  gint64 longest = 0;
  for (int i = 0; i < 16384; i++)
    {
      gint64 began = g_get_monotonic_time ();
      asc_share_text (f->share, (const guint8 *)line, sizeof line);
      longest = MAX (longest, g_get_monotonic_time () - began);
    }
  print_message ("# longest call %d us\n", (int)longest);
  assert_true (longest < 5 * G_USEC_PER_SEC);
  guint64 dropped = counts (f).text_dropped;
  assert_true (dropped > 16 * 1024 * 1024 - 1024 * 1024 && dropped % 1024 == 0);
  expect (fd, "first", 5);
  /* It reads again, and is well again. */
  gsize n = 16 * 1024 * 1024 - dropped;
  while (n > 0)
    {
      gssize more = read (fd, got, MIN (n, sizeof got));
      assert_true (more > 0);
      for (gssize i = 0; i < more; i++)
        assert_int_equal (got[i], '.');
      n -= (gsize)more;
    }
  text (f, "last");
  expect (fd, "last", 4);
  assert_int_equal (counts (f).text_dropped, dropped);
  close (fd);
}

static AscSource *
connect_to (const char *spec_text, GError **error)
{
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (spec_text, NULL);
  assert_non_null (spec);
  return asc_source_open (spec, error);
}

static void
expect_read (AscSource *source, const char *want)
{
  char got[256];
  gsize n = 0;
  while (n < strlen (want))
    {
      gssize more = asc_source_read (source, got + n, strlen (want) - n, NULL);
      assert_true (more > 0);
      n += (gsize)more;
    }
  assert_memory_equal (got, want, n);
}

static void
viewers_get_everything_from_a_border_on (void **state)
{
  Fixture *f = *state;
  GError *error = NULL;
  g_autofree char *path = asc_proxies_new_path ("/dev/ttyTEST0", &error);
  assert_non_null (path);
  assert_true (asc_share_listen_at (f->share, path, &error));
  asc_share_start (f->share);
  g_autofree char *spec = g_strconcat ("unix:", path, NULL);
  AscSource *one = connect_to (spec, &error);
  assert_non_null (one);
  assert_string_equal (asc_source_describe (one), "ttyTEST0 · proxy");
  WAIT_FOR (counts (f).viewers == 1);
  stream (f, "rest of a frame", 15);
  stream (f, "end.begin", 4);
  AscSource *two = connect_to (path, &error);
  assert_non_null (two);
  WAIT_FOR (counts (f).viewers == 2);
  stream (f, "more", 0);
  expect_read (one, "beginmore");
  expect_read (two, "more");
  assert_int_equal (asc_source_write (two, "\x03", 1, NULL), 1);
  WAIT_FOR (input_length (f) == 1);
  asc_source_free (one);
  WAIT_FOR (counts (f).viewers == 1);
  stream (f, "still", 5);
  expect_read (two, "still");
  /* The proxy's end is the connection's. */
  char got[8];
  asc_share_free (g_steal_pointer (&f->share));
  assert_int_equal (asc_source_read (two, got, sizeof got, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_GONE);
  g_clear_error (&error);
  assert_false (asc_source_reopen (two, 0, &error));
  assert_int_equal (error->code, ASC_LINK_ERROR_NOT_FOUND);
  assert_non_null (strstr (error->message, "aioscope-cli proxy"));
  g_clear_error (&error);
  asc_source_free (two);
  assert_int_equal (access (path, F_OK), -1);
}

static void
a_viewer_that_does_not_read_is_counted (void **state)
{
  Fixture *f = *state;
  GError *error = NULL;
  g_autoptr (AscSourceSpec) any = asc_source_spec_parse ("tcp-listen:0", NULL);
  assert_true (asc_share_listen (f->share, any, &error));
  asc_share_start (f->share);
  g_autofree char *spec
      = g_strdup_printf ("tcp:127.0.0.1:%u", asc_share_tcp_port (f->share));
  AscSource *viewer = connect_to (spec, &error);
  WAIT_FOR (counts (f).viewers == 1);
  g_autofree guint8 *block = g_malloc0 (1 << 20);
  for (int i = 0; i < 64; i++)
    asc_share_stream (f->share, block, 1 << 20, 0);
  WAIT_FOR (counts (f).stream_dropped > 32 << 20);
  asc_source_free (viewer);
  WAIT_FOR (counts (f).viewers == 0);
}

static void *
read_slowly (void *data)
{
  int fd = GPOINTER_TO_INT (data);
  char got[512];
  gsize n = 0;
  gssize more;
  while ((more = read (fd, got, sizeof got)) > 0)
    {
      n += (gsize)more;
      g_usleep (1000);
    }
  return GSIZE_TO_POINTER (n);
}

static void
at_the_end_readers_get_what_is_left (void **state)
{
  Fixture *f = *state;
  asc_share_start (f->share);
  int fd = open_pty (f);
  GThread *thread = g_thread_new ("reader", read_slowly, GINT_TO_POINTER (fd));
  g_autofree char *block = g_strnfill (100000, 'x');
  text (f, block);
  asc_share_free (g_steal_pointer (&f->share));
  assert_int_equal (GPOINTER_TO_SIZE (g_thread_join (thread)), 100000);
  close (fd);
}

static void
proxies_are_listed_while_they_run (void **state)
{
  Fixture *f = *state;
  GError *error = NULL;
  g_autofree char *path = asc_proxies_new_path ("tcp:board.local:80", &error);
  assert_non_null (path);
  assert_true (g_str_has_suffix (path, "/aioscope/tcp-board.local-80.sock"));
  g_auto (GStrv) none = asc_proxies_list ();
  assert_null (none[0]);
  assert_true (asc_share_listen_at (f->share, path, &error));
  g_auto (GStrv) one = asc_proxies_list ();
  assert_string_equal (one[0], path);
  assert_null (one[1]);
  g_autofree char *name = asc_proxies_name (one[0]);
  assert_string_equal (name, "tcp-board.local-80");
  g_autofree char *second = asc_proxies_new_path ("tcp:board.local:80", &error);
  assert_true (g_str_has_suffix (second, "-80-2.sock"));
  asc_share_free (g_steal_pointer (&f->share));
  g_auto (GStrv) after = asc_proxies_list ();
  assert_null (after[0]);
}

/* One that was killed leaves its socket there. */
static void
a_dead_proxy_is_not_listed_and_gives_way (void **state)
{
  Fixture *f = *state;
  GError *error = NULL;
  g_autofree char *path = asc_proxies_new_path ("ttyDEAD", &error);
  g_autofree char *aside = g_strconcat (path, ".aside", NULL);
  assert_true (asc_share_listen_at (f->share, path, &error));
  assert_int_equal (g_rename (path, aside), 0);
  asc_share_free (g_steal_pointer (&f->share));
  assert_int_equal (g_rename (aside, path), 0);
  g_auto (GStrv) list = asc_proxies_list ();
  assert_null (list[0]);
  g_autofree char *again = asc_proxies_new_path ("ttyDEAD", &error);
  assert_string_equal (again, path);
  f->share = asc_share_new (take_input, f, &error);
  assert_true (asc_share_listen_at (f->share, again, &error));
}

static void
a_socket_that_cannot_be_is_refused (void **state)
{
  Fixture *f = *state;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strnfill (200, 'n');
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), name, NULL);
  assert_false (asc_share_listen_at (f->share, path, &error));
  assert_non_null (strstr (error->message, "No socket can be made"));
  asc_share_free (g_steal_pointer (&f->share));
  asc_share_free (NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, begin, end)

static struct CMUnitTest tests[] = {
  TEST (the_pty_passes_every_byte_both_ways),
  TEST (input_is_handed_on_in_pieces_and_after_closing),
  TEST (input_that_nobody_takes_is_counted),
  TEST (text_that_nobody_hears_is_not_kept_for_the_next),
  TEST (the_next_one_finds_it_raw),
  TEST (who_does_not_read_holds_nothing_up),
  TEST (viewers_get_everything_from_a_border_on),
  TEST (a_viewer_that_does_not_read_is_counted),
  TEST (at_the_end_readers_get_what_is_left),
  TEST (proxies_are_listed_while_they_run),
  TEST (a_dead_proxy_is_not_listed_and_gives_way),
  TEST (a_socket_that_cannot_be_is_refused),
};

int
main (void)
{
  char place[] = "/tmp/asc-share-XXXXXX";
  char *runtime = mkdtemp (place);
  assert_non_null (runtime);
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  int failed = asc_test_run (tests, G_N_ELEMENTS (tests));
  g_autofree char *folder = g_build_filename (runtime, "aioscope", NULL);
  g_rmdir (folder);
  g_rmdir (runtime);
  return failed;
}
