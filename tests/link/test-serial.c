/* The traps of serial ports, on a pty that libserialport takes for a port. */
#include "asc-baud.h"
#include "asc-fake-port.h"
#include "asc-source-private.h"
#include "asc-test.h"

#include <fcntl.h>
#include <signal.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

static AscFakePort port;

static const AscFakeUsb pico
    = { "1-1", 0x2e8a, 0x0005, 0, "Raspberry Pi", "Pico", "E66A" };

static int
plug (void **state)
{
  (void)state;
  asc_fake_poll_lies = false;
  asc_fake_modem_lines = TIOCM_DTR | TIOCM_CTS;
  asc_fake_modem_changes = 0;
  return asc_fake_port_plug (&port, "ttyACM0", &pico) ? 0 : -1;
}

static int
unplug (void **state)
{
  (void)state;
  asc_fake_poll_lies = false;
  asc_fake_port_unplug (&port);
  return 0;
}

static AscSource *
open_with (const char *options, GError **error)
{
  g_autofree char *text = g_strconcat (port.spec, options, NULL);
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (text, error);
  assert_non_null (spec);
  assert_int_equal (spec->kind, ASC_SOURCE_SERIAL);
  return asc_source_open (spec, error);
}

static AscSource *
open_well (const char *options)
{
  GError *error = NULL;
  AscSource *source = open_with (options, &error);
  if (error)
    print_error ("%s\n", error->message);
  assert_non_null (source);
  return source;
}

static void
expect_error (AscSource *source, GError **error, int code)
{
  assert_null (source);
  assert_non_null (*error);
  assert_true ((*error)->domain == ASC_LINK_ERROR);
  if ((*error)->code != code)
    print_error ("%s\n", (*error)->message);
  assert_int_equal ((*error)->code, code);
}

/* libserialport must really be in use: 0.1.2 refuses the trick name without namespace. */
static void
need_libserialport (const AscSource *source)
{
  if (source->data)
    return;
  print_message ("# skipped: libserialport does not take a pty, and %s\n",
                 asc_fake_ports_reason ());
  skip ();
}

/* The same for a test that opens the port in its own way. */
static void
need_libserialport_here (void)
{
  AscSource *source = open_well ("");
  bool used = source->data != NULL;
  asc_source_free (source);
  if (used)
    return;
  print_message ("# skipped: libserialport does not take a pty, and %s\n",
                 asc_fake_ports_reason ());
  skip ();
}

static void
read_exactly (AscSource *source, guint8 *buffer, gsize size)
{
  for (gsize n = 0; n < size;)
    {
      g_autoptr (GError) error = NULL;
      gssize got = asc_source_read (source, buffer + n, size - n, &error);
      assert_null (error);
      assert_true (got > 0);
      n += (gsize)got;
    }
}

static void
every_byte_passes_both_ways (void **state)
{
  (void)state;
  guint8 all[256], got[256];
  for (int i = 0; i < 256; i++)
    all[i] = (guint8)i;
  g_autoptr (AscSource) source = open_well ("");
  assert_int_equal (write (port.master, all, 256), 256);
  read_exactly (source, got, 256);
  assert_memory_equal (got, all, 256);
  assert_int_equal (asc_source_write (source, all, 256, NULL), 256);
  for (size_t n = 0; n < 256;)
    {
      ssize_t more = read (port.master, got + n, 256 - n);
      assert_true (more > 0);
      n += (size_t)more;
    }
  assert_memory_equal (got, all, 256);
}

/* A port as somebody else left it: every sort of flow control on. */
static void
flow_control_is_off (void **state)
{
  (void)state;
  struct termios settings;
  need_libserialport_here ();
  assert_int_equal (tcgetattr (port.master, &settings), 0);
  settings.c_cflag |= CRTSCTS;
  settings.c_iflag |= IXON | IXOFF | IXANY;
  assert_int_equal (tcsetattr (port.master, TCSANOW, &settings), 0);
  asc_fake_modem_changes = 0;
  g_autoptr (AscSource) source = open_well ("");
  assert_non_null (source);
  assert_int_equal (tcgetattr (port.master, &settings), 0);
  assert_int_equal (settings.c_cflag & CRTSCTS, 0);
  assert_int_equal (settings.c_iflag & (IXON | IXOFF), 0);
  assert_true (asc_source_connected (source));
}

static void
any_speed_is_set (void **state)
{
  (void)state;
  need_libserialport_here ();
  asc_source_free (open_well ("@921600"));
  assert_int_equal (asc_baud_get (port.master), 921600);
  asc_source_free (open_well ("@1234567"));
  assert_int_equal (asc_baud_get (port.master), 1234567);
  asc_source_free (open_well ("@31250"));
  assert_int_equal (asc_baud_get (port.master), 31250);
  asc_source_free (open_well (""));
  assert_int_equal (asc_baud_get (port.master), 115200);
}

static void
modem_lines_are_left_alone (void **state)
{
  (void)state;
  for (int lines = 0; lines < 4; lines++)
    {
      int before = (lines & 1 ? TIOCM_DTR : 0) | (lines & 2 ? TIOCM_RTS : 0);
      asc_fake_modem_lines = before;
      asc_fake_modem_changes = 0;
      AscSource *source = open_well ("@1000000");
      asc_source_free (source);
      assert_int_equal (asc_fake_modem_lines, before);
      assert_int_equal (asc_fake_modem_changes, 0);
    }
}

static void
modem_lines_follow_the_options (void **state)
{
  (void)state;
  AscSource *source = open_well ("@115200,dtr=off,rts=on");
  if (!source->data)
    asc_source_free (g_steal_pointer (&source));
  if (!source)
    skip ();
  assert_int_equal (asc_fake_modem_lines & (TIOCM_DTR | TIOCM_RTS), TIOCM_RTS);
  asc_source_free (source);
  asc_source_free (open_well ("@rts=off,dtr=on"));
  assert_int_equal (asc_fake_modem_lines & (TIOCM_DTR | TIOCM_RTS), TIOCM_DTR);
}

static void
an_unplugged_port_is_gone (void **state)
{
  (void)state;
  guint8 got[16];
  GError *error = NULL;
  g_autoptr (AscSource) source = open_well ("");
  assert_int_equal (write (port.master, "x", 1), 1);
  read_exactly (source, got, 1);
  int polls = asc_fake_polls;
  asc_fake_port_unplug (&port);
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_GONE);
  assert_in_range (asc_fake_polls - polls, 1, 4);
  assert_false (asc_source_connected (source));
  g_clear_error (&error);
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_GONE);
  g_clear_error (&error);
  assert_false (asc_source_reopen (source, 0, &error));
  assert_int_equal (error->code, ASC_LINK_ERROR_NOT_FOUND);
  g_clear_error (&error);
}

static void *
wake_later (void *data)
{
  g_usleep (100 * 1000);
  asc_source_wake (data);
  return NULL;
}

static void
a_port_that_lies_does_not_spin (void **state)
{
  (void)state;
  guint8 got[16];
  g_autoptr (GError) error = NULL;
  g_autoptr (AscSource) source = open_well ("");
  int polls = asc_fake_polls;
  asc_fake_poll_lies = true;
  GThread *thread = g_thread_new ("waker", wake_later, source);
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_CANCELLED);
  g_thread_join (thread);
  assert_in_range (asc_fake_polls - polls, 1, 100);
}

static void
a_wake_ends_one_read (void **state)
{
  (void)state;
  guint8 got[16];
  GError *error = NULL;
  g_autoptr (AscSource) source = open_well ("");
  asc_source_wake (source);
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_CANCELLED);
  g_clear_error (&error);
  assert_int_equal (write (port.master, "y", 1), 1);
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), 1);
  GThread *thread = g_thread_new ("waker", wake_later, source);
  assert_int_equal (asc_source_read (source, got, sizeof got, &error), -1);
  assert_int_equal (error->code, ASC_LINK_ERROR_CANCELLED);
  g_thread_join (thread);
  g_clear_error (&error);
}

static void
nobody_else_may_open_it (void **state)
{
  (void)state;
  int exclusive = -1;
  GError *error = NULL;
  AscSource *source = open_well ("");
  assert_true (fcntl (source->fd, F_GETFD) & FD_CLOEXEC);
  expect_error (open_with ("", &error), &error, ASC_LINK_ERROR_BUSY);
  g_clear_error (&error);
  assert_int_equal (ioctl (source->fd, TIOCGEXCL, &exclusive), 0);
  assert_int_equal (exclusive, 1);
  int kept = dup (source->fd);
  asc_source_free (source);
  /* Somebody who still has it open (a pty's server) must not keep it locked for all. */
  assert_int_equal (ioctl (kept, TIOCGEXCL, &exclusive), 0);
  assert_int_equal (exclusive, 0);
  asc_source_free (open_well (""));
  close (kept);
}

static void
who_holds_the_port_is_named (void **state)
{
  (void)state;
  int ready[2];
  char byte;
  GError *error = NULL;
  need_libserialport_here ();
  assert_int_equal (pipe (ready), 0);
  pid_t child = fork ();
  if (child == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      int fd = open (port.path, O_RDWR | O_NOCTTY);
      close (port.master);
      if (write (ready[1], fd < 0 ? "n" : "y", 1) == 1)
        pause ();
      _exit (0);
    }
  assert_int_equal (read (ready[0], &byte, 1), 1);
  assert_int_equal (byte, 'y');
  expect_error (open_with ("", &error), &error, ASC_LINK_ERROR_BUSY);
  g_autofree char *pid = g_strdup_printf ("test-serial (pid %ld)", (long)child);
  assert_non_null (strstr (error->message, pid));
  g_clear_error (&error);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
  close (ready[0]);
  close (ready[1]);
  asc_source_free (open_well (""));
}

/* Takes this thread's power over file permissions away, or gives it back: so that root
 * can test what others meet. */
static void
obey_permissions (gboolean obey)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct caps[2];
  if (syscall (SYS_capget, &header, caps))
    return;
  caps[0].effective
      = obey ? caps[0].effective & ~(1u << CAP_DAC_OVERRIDE) : caps[0].permitted;
  assert_int_equal (syscall (SYS_capset, &header, caps), 0);
}

static void
a_forbidden_port_says_who_may (void **state)
{
  (void)state;
  GError *error = NULL;
  assert_int_equal (chmod (port.slave, 0), 0);
  obey_permissions (TRUE);
  AscSource *source = open_with ("", &error);
  obey_permissions (FALSE);
  expect_error (source, &error, ASC_LINK_ERROR_DENIED);
  assert_non_null (strstr (error->message, "only its owner"));
  g_clear_error (&error);
}

static void
a_missing_port_says_so (void **state)
{
  (void)state;
  GError *error = NULL;
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse ("ttyACM77", &error);
  assert_non_null (spec);
  expect_error (asc_source_open (spec, &error), &error, ASC_LINK_ERROR_NOT_FOUND);
  assert_non_null (strstr (error->message, "/dev/ttyACM77 is not there"));
  g_clear_error (&error);
}

static void
closing_does_not_wait_for_output (void **state)
{
  (void)state;
  static guint8 much[256 * 1024];
  AscSource *source = open_well ("");
  gssize n = asc_source_write (source, much, sizeof much, NULL);
  assert_true (n > 0 && n < (gssize)sizeof much);
  gint64 start = g_get_monotonic_time ();
  asc_source_free (source);
  /* Draining takes 30 s. */
  assert_true (g_get_monotonic_time () - start < 5 * G_USEC_PER_SEC);
}

static void
libserialport_is_in_use (void **state)
{
  (void)state;
  g_autoptr (AscSource) source = open_well ("");
  need_libserialport (source);
  if (asc_fake_ports_listed ())
    {
      assert_string_equal (asc_source_describe (source), "Pico · ttyACM0");
      assert_string_equal (asc_source_identity (source), "usb:2e8a:0005:if0:serial=E66A");
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, plug, unplug)

int
main (void)
{
  asc_fake_ports_init ();
  struct CMUnitTest tests[] = {
    TEST (every_byte_passes_both_ways),
    TEST (flow_control_is_off),
    TEST (any_speed_is_set),
    TEST (modem_lines_are_left_alone),
    TEST (modem_lines_follow_the_options),
    TEST (an_unplugged_port_is_gone),
    TEST (a_port_that_lies_does_not_spin),
    TEST (a_wake_ends_one_read),
    TEST (nobody_else_may_open_it),
    TEST (who_holds_the_port_is_named),
    TEST (a_forbidden_port_says_who_may),
    TEST (a_missing_port_says_so),
    TEST (closing_does_not_wait_for_output),
    TEST (libserialport_is_in_use),
  };
  int failed = asc_test_run (tests, sizeof tests / sizeof *tests);
  asc_fake_ports_exit ();
  return failed;
}
