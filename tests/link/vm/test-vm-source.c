/* The serial source on a true CDC-ACM device: the list, bytes, control lines,
 * exclusiveness, the pulled plug, the return, and letting go. */
#include "asc-ports.h"
#include "asc-source.h"
#include "asc-test.h"
#include "vm-board.h"
#include "vm-usbmon.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#define SERIAL "ASC-0001"
/* In the machine's /etc/group: see run-vm.py. */
#define DIALOUT 20
#define NOBODY 65534
/* A device that has stopped answering must not hang the test for ever. */
#define STUCK_MS 30000

static int
setup (void **state)
{
  (void)state;
  return vm_board_make (SERIAL) ? 0 : -1;
}

static int
teardown (void **state)
{
  (void)state;
  vm_board_destroy ();
  return 0;
}

static AscSource *
try_open (const char *options, GError **error)
{
  g_autofree char *text = g_strconcat (vm_board_port (), options, NULL);
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (text, error);
  return spec != NULL ? asc_source_open (spec, error) : NULL;
}

static AscSource *
open_source (const char *options)
{
  g_autoptr (GError) error = NULL;
  AscSource *source = try_open (options, &error);
  if (source == NULL)
    fail_msg ("%s%s: %s", vm_board_port (), options, error->message);
  return source;
}

static double
cpu_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- the list ---- */

static const AscPort *
find_in (GPtrArray *ports, const char *path)
{
  for (guint i = 0; i < ports->len; i++)
    {
      const AscPort *port = g_ptr_array_index (ports, i);
      if (g_strcmp0 (port->path, path) == 0)
        return port;
    }
  return NULL;
}

static void
test_port_is_listed (void **state)
{
  (void)state;
  g_autofree char *path = g_strdup (vm_board_port ());
  g_autoptr (GPtrArray) ports = asc_ports_list ();
  const AscPort *port = find_in (ports, path);
  assert_non_null (port);
  if (port == NULL) /* for the compiler, which does not know that cmocka never returns */
    return;
  assert_true (port->is_usb);
  assert_int_equal (port->vid, VM_BOARD_VID);
  assert_int_equal (port->pid, VM_BOARD_PID);
  assert_string_equal (port->product, VM_BOARD_PRODUCT);
  assert_string_equal (port->manufacturer, VM_BOARD_MAKER);
  assert_string_equal (port->serial, SERIAL);
  assert_true (asc_port_is_likely_board (port));
  assert_ptr_equal (port, g_ptr_array_index (ports, 0));
  g_autofree char *label = asc_port_label (port);
  g_autofree char *identity = asc_port_identity (port);
  printf ("# %s, %s\n", label, identity);
  g_autoptr (AscPort) found = asc_ports_find (identity);
  assert_non_null (found);
  assert_string_equal (found->path, path);

  assert_true (vm_board_unplug ());
  vm_sleep_ms (100 * vm_patience ());
  g_autoptr (GPtrArray) without = asc_ports_list ();
  assert_null (find_in (without, path));
  assert_null (asc_ports_find (identity));
}

/* ---- bytes ---- */

typedef struct
{
  guint8 *bytes;
  gsize n;
  bool sent;
} Sending;

static gpointer
send_thread (gpointer data)
{
  Sending *s = data;
  s->sent = vm_board_send (s->bytes, s->n, STUCK_MS);
  return NULL;
}

/* Every value, then noise: what a terminal setting would eat or change is in it. */
static void
test_all_bytes_come_unharmed (void **state)
{
  (void)state;
  const gsize n = 5u << 20;
  uint32_t seed = asc_test_seed ();
  Sending s = { .bytes = g_malloc (n), .n = n };
  guint8 *got = g_malloc (n + 1);
  for (gsize i = 0; i < n; i++)
    s.bytes[i] = (guint8)(i < 256 ? i : asc_test_random (&seed) >> 16);
  AscSource *source = open_source ("@921600");
  int64_t start = vm_now_ms ();
  GThread *thread = g_thread_new ("board", send_thread, &s);
  gsize have = 0;
  while (have < n)
    {
      g_autoptr (GError) error = NULL;
      gssize k = asc_source_read (source, got + have, n - have, &error);
      if (k <= 0)
        fail_msg ("after %zu bytes: %s", have, error != NULL ? error->message : "end");
      have += (gsize)k;
    }
  g_thread_join (thread);
  printf ("# %zu MiB at %.1f MB/s\n", n >> 20,
          (double)n / 1e3 / (double)(vm_now_ms () - start + 1));
  assert_true (s.sent);
  for (gsize i = 0; i < n; i++)
    if (got[i] != s.bytes[i])
      fail_msg ("byte %zu is %02x and was sent as %02x", i, got[i], s.bytes[i]);
  asc_source_free (source);
  g_free (s.bytes);
  g_free (got);
}

static void
test_all_bytes_go_unharmed (void **state)
{
  (void)state;
  guint8 sent[256], got[256];
  for (unsigned i = 0; i < sizeof sent; i++)
    sent[i] = (guint8)i;
  AscSource *source = open_source ("");
  assert_int_equal (asc_source_write (source, sent, sizeof sent, NULL), sizeof sent);
  for (gsize have = 0; have < sizeof got;)
    {
      gsize k = vm_board_receive (got + have, sizeof got - have, STUCK_MS);
      assert_int_not_equal (k, 0);
      have += k;
    }
  assert_memory_equal (got, sent, sizeof sent);
  asc_source_free (source);
}

static void
assert_flows (AscSource *source, const char *text)
{
  char got[64];
  gsize n = strlen (text), have = 0;
  assert_true (vm_board_send (text, n, STUCK_MS));
  while (have < n)
    {
      gssize k = asc_source_read (source, got + have, n - have, NULL);
      assert_true (k > 0);
      have += (gsize)k;
    }
  assert_memory_equal (got, text, n);
}

/* What the board says must not come back to it as if the user had typed it. */
static void
test_nothing_is_echoed (void **state)
{
  (void)state;
  char got[16];
  AscSource *source = open_source ("");
  assert_flows (source, "hello\r\n\x03");
  assert_int_equal (vm_board_receive (got, sizeof got, 100), 0);
  asc_source_free (source);
}

/* A board that talks while the port is being opened. Before the very first program has
 * set the port, the kernel treats it as a terminal for some microseconds, which no
 * program can prevent and which is told here; from then on nothing may come of it. */
static void
test_talk_before_the_open (void **state)
{
  (void)state;
  char got[256];
  for (int i = 0; i < 3; i++)
    {
      assert_true (vm_board_send ("early\r\n", 7, STUCK_MS));
      AscSource *source = open_source ("");
      gsize have = 0;
      while (have < 7)
        {
          gssize k = asc_source_read (source, got + have, sizeof got - have, NULL);
          assert_true (k > 0);
          have += (gsize)k;
        }
      bool same = have == 7 && memcmp (got, "early\r\n", 7) == 0;
      gsize echoed = vm_board_receive (got, sizeof got, 100);
      printf ("# opening %d: early bytes %s, %zu echoed\n", i + 1,
              same ? "unharmed" : "changed", echoed);
      if (i > 0)
        {
          assert_true (same);
          assert_int_equal (echoed, 0);
        }
      asc_source_free (source);
    }
}

/* ---- control lines ---- */

typedef struct
{
  unsigned line[32];
  unsigned n;
  uint32_t rate;
} Lines;

static void
watch_end (Lines *lines)
{
  VmControl seen[32];
  size_t n = vm_usbmon_stop (seen, 32);
  assert_in_range (n, 1, 32);
  memset (lines, 0, sizeof *lines);
  for (size_t i = 0; i < n; i++)
    if (seen[i].request == VM_SET_CONTROL_LINE_STATE)
      lines->line[lines->n++] = seen[i].value;
    else if (seen[i].request == VM_SET_LINE_CODING)
      lines->rate = seen[i].rate;
}

/* Opens, reads and closes; the close is watched too, if that is wished for. */
static void
watch_source (const char *options, bool close_too, Lines *lines)
{
  assert_true (vm_usbmon_start ());
  AscSource *source = open_source (options);
  assert_true (vm_board_send ("x", 1, STUCK_MS));
  char byte;
  assert_int_equal (asc_source_read (source, &byte, 1, NULL), 1);
  if (!close_too)
    watch_end (lines);
  asc_source_free (source);
  if (close_too)
    watch_end (lines);
}

/* The lines change as they do for a program that opens the port and closes it, which the
 * kernel does by itself, and never besides. */
static void
test_lines_are_left_alone (void **state)
{
  (void)state;
  Lines bare, ours;
  assert_true (vm_usbmon_start ());
  int fd = open (vm_board_port (), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  assert_true (fd >= 0);
  close (fd);
  watch_end (&bare);
  watch_source ("@921600", true, &ours);
  assert_int_equal (ours.rate, 921600);
  printf ("# line states: bare open and close %u, ours %u\n", bare.n, ours.n);
  assert_in_range (ours.n, 1, bare.n);
  assert_memory_equal (ours.line, bare.line, ours.n * sizeof *ours.line);
}

static void
test_lines_follow_a_wish (void **state)
{
  (void)state;
  Lines lines;
  watch_source ("@115200,dtr=off", false, &lines);
  assert_in_range (lines.n, 1, 32);
  assert_int_equal (lines.line[lines.n - 1], VM_RTS);
  watch_source ("@115200,dtr=off,rts=off", false, &lines);
  assert_in_range (lines.n, 1, 32);
  assert_int_equal (lines.line[lines.n - 1], 0);
}

/* Rates that no termios constant has. */
static void
test_any_rate_reaches_the_device (void **state)
{
  (void)state;
  Lines lines;
  watch_source ("@250000", true, &lines);
  assert_int_equal (lines.rate, 250000);
  watch_source ("@1843200", true, &lines);
  assert_int_equal (lines.rate, 1843200);
}

/* ---- who may have it ---- */

/* Opens the port in another process, with this user id; returns its exit status: the
 * error's code, 100 on success, 101 when the message lacks `words`. */
static int
open_elsewhere (uid_t uid, const char *words)
{
  fflush (stdout);
  pid_t child = fork ();
  assert_true (child >= 0);
  if (child == 0)
    {
      g_autoptr (GError) error = NULL;
      /* Or cmocka would go on with the tests here. */
      signal (SIGSEGV, SIG_DFL);
      if (uid != 0
          && (setgroups (0, NULL) != 0 || setgid (uid) != 0 || setuid (uid) != 0))
        _exit (102);
      AscSource *source = try_open ("", &error);
      if (source != NULL)
        _exit (100);
      printf ("# message: %s\n", error->message);
      fflush (stdout);
      _exit (strstr (error->message, words) != NULL ? error->code : 101);
    }
  int status = 0;
  assert_int_equal (waitpid (child, &status, 0), child);
  assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static void
test_second_open_is_refused (void **state)
{
  (void)state;
  g_autofree char *holder = g_strdup_printf ("pid %d", (int)getpid ());
  AscSource *source = open_source ("");
  assert_int_equal (chmod (vm_board_port (), 0666), 0);
  /* Root, whom the kernel does not keep out, sees who holds it; others are told it is
   * taken. */
  assert_int_equal (open_elsewhere (0, holder), ASC_LINK_ERROR_BUSY);
  assert_int_equal (open_elsewhere (NOBODY, ""), ASC_LINK_ERROR_BUSY);
  /* Neither attempt harmed the connection. */
  char byte = 0;
  assert_true (vm_board_send ("y", 1, STUCK_MS));
  assert_int_equal (asc_source_read (source, &byte, 1, NULL), 1);
  assert_int_equal (byte, 'y');
  asc_source_free (source);
  source = open_source ("");
  asc_source_free (source);
}

/* As a desktop sets it up: the device belongs to the group dialout, the user does not. */
static void
test_forbidden_port_names_the_group (void **state)
{
  (void)state;
  assert_int_equal (chown (vm_board_port (), 0, DIALOUT), 0);
  assert_int_equal (chmod (vm_board_port (), 0660), 0);
  assert_int_equal (open_elsewhere (NOBODY, "dialout"), ASC_LINK_ERROR_DENIED);
}

/* ---- the plug ---- */

typedef struct
{
  AscSource *source;
  int code;           /* of the error that ended the read, or -1 */
  int64_t noticed_ms; /* when it did */
} Reading;

static gpointer
read_thread (gpointer data)
{
  Reading *r = data;
  g_autoptr (GError) error = NULL;
  char byte;
  gssize n = asc_source_read (r->source, &byte, 1, &error);
  r->noticed_ms = vm_now_ms ();
  r->code = n < 0 ? error->code : -1;
  return NULL;
}

static void
test_pulled_plug_is_noticed (void **state)
{
  (void)state;
  Reading r = { .source = open_source ("") };
  double cpu = cpu_ms ();
  GThread *thread = g_thread_new ("reader", read_thread, &r);
  vm_sleep_ms (500);
  cpu = cpu_ms () - cpu;
  int64_t pulled = vm_now_ms ();
  assert_true (vm_board_unplug ());
  g_thread_join (thread);
  int took = (int)(r.noticed_ms - pulled);
  printf ("# noticed after %d ms; waiting 500 ms in silence took %.1f ms of CPU\n", took,
          cpu);
  assert_int_equal (r.code, ASC_LINK_ERROR_GONE);
  assert_false (asc_source_connected (r.source));
  assert_true (asc_source_reconnects (r.source));
  assert_in_range (took, 0, 1000 * vm_patience ());
  assert_true (cpu < 100);
  asc_source_free (r.source);
}

static void
lose (AscSource *source)
{
  g_autoptr (GError) error = NULL;
  char byte;
  assert_true (vm_board_unplug ());
  assert_int_equal (asc_source_read (source, &byte, 1, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_GONE);
}

static bool
reopen (AscSource *source, int tries)
{
  for (int i = 0; i < tries; i++)
    if (asc_source_reopen (source, 50, NULL))
      return true;
  return false;
}

static void
test_same_board_is_taken_again (void **state)
{
  (void)state;
  AscSource *source = open_source ("@921600");
  g_autofree char *identity = g_strdup (asc_source_identity (source));
  assert_flows (source, "before");
  for (int i = 0; i < 3; i++)
    {
      lose (source);
      double cpu = cpu_ms ();
      int64_t start = vm_now_ms ();
      assert_false (reopen (source, 10));
      cpu = cpu_ms () - cpu;
      int took = (int)(vm_now_ms () - start);
      printf ("# looking for the board ten times took %d ms, %.1f of them CPU\n", took,
              cpu);
      assert_in_range (took, 500, STUCK_MS);
      assert_true (cpu < took / 2);
      assert_true (vm_board_plug ());
      assert_true (reopen (source, 100));
      assert_string_equal (asc_source_identity (source), identity);
      assert_flows (source, "after the return");
    }
  asc_source_free (source);
}

/* While somebody still holds the dead port, the kernel gives the board a new name. */
static void
test_board_is_known_under_another_name (void **state)
{
  (void)state;
  g_autofree char *name = g_strdup (vm_board_port ());
  int holder = open (name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  assert_true (holder >= 0);
  AscSource *source = open_source ("");
  lose (source);
  assert_true (vm_board_plug ());
  assert_string_not_equal (vm_board_port (), name);
  assert_true (reopen (source, 100));
  assert_flows (source, "under another name");
  asc_source_free (source);
  close (holder);
}

static void
test_another_board_is_not_taken (void **state)
{
  (void)state;
  AscSource *source = open_source ("");
  lose (source);
  assert_true (vm_board_make ("ASC-0002"));
  assert_false (reopen (source, 10));
  assert_true (vm_board_make (SERIAL));
  assert_true (reopen (source, 100));
  assert_flows (source, "the right one");
  asc_source_free (source);
}

/* ---- letting go ---- */

static void
assert_lets_go (Reading *r, const char *what)
{
  GThread *thread = g_thread_new ("reader", read_thread, r);
  vm_sleep_ms (200);
  gint64 start = g_get_monotonic_time ();
  asc_source_wake (r->source);
  g_thread_join (thread);
  asc_source_free (r->source);
  double took = (double)(g_get_monotonic_time () - start) / 1e3;
  printf ("# letting go of %s took %.1f ms\n", what, took);
  assert_int_equal (r->code, ASC_LINK_ERROR_CANCELLED);
  assert_true (took < 100 * vm_patience ());
}

static void
test_letting_go_is_quick (void **state)
{
  (void)state;
  Reading r = { .source = open_source ("") };
  assert_lets_go (&r, "a silent board");
}

/* The kernel would wait 30 s for the board to take what was sent to it. */
static void
test_letting_go_of_a_deaf_board_is_quick (void **state)
{
  (void)state;
  static char much[65536];
  Reading r = { .source = open_source ("") };
  gssize n = 1;
  for (int i = 0; i < 10 && n > 0; i++)
    n = asc_source_write (r.source, much, sizeof much, NULL);
  assert_lets_go (&r, "a board that reads nothing");
}

int
main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
  struct CMUnitTest tests[] = {
    TEST (test_port_is_listed),
    TEST (test_all_bytes_come_unharmed),
    TEST (test_all_bytes_go_unharmed),
    TEST (test_nothing_is_echoed),
    TEST (test_talk_before_the_open),
    TEST (test_lines_are_left_alone),
    TEST (test_lines_follow_a_wish),
    TEST (test_any_rate_reaches_the_device),
    TEST (test_second_open_is_refused),
    TEST (test_forbidden_port_names_the_group),
    TEST (test_pulled_plug_is_noticed),
    TEST (test_same_board_is_taken_again),
    TEST (test_board_is_known_under_another_name),
    TEST (test_another_board_is_not_taken),
    TEST (test_letting_go_is_quick),
    TEST (test_letting_go_of_a_deaf_board_is_quick),
  };
  return asc_test_run (tests, sizeof tests / sizeof *tests);
}
