/* The machine itself, before anything of ours is blamed: is the board a USB device of the
 * right identity, do bytes pass both ways, does pulling the plug look as it does on a
 * desk? */
#include "asc-test.h"
#include "vm-board.h"
#include "vm-usbmon.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>

static int
setup (void **state)
{
  (void)state;
  return vm_board_make ("ASC-0001") ? 0 : -1;
}

static int
teardown (void **state)
{
  (void)state;
  vm_board_destroy ();
  return 0;
}

static int
open_host (void)
{
  int fd = open (vm_board_port (), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  struct termios tio;
  assert_true (fd >= 0);
  assert_int_equal (tcgetattr (fd, &tio), 0);
  cfmakeraw (&tio);
  cfsetspeed (&tio, B921600);
  assert_int_equal (tcsetattr (fd, TCSANOW, &tio), 0);
  return fd;
}

static int
wait_readable (int fd, int ms)
{
  struct pollfd pfd = { .fd = fd, .events = POLLIN };
  return poll (&pfd, 1, ms) == 1 ? pfd.revents : 0;
}

static void
test_bytes_pass_both_ways (void **state)
{
  (void)state;
  char got[16] = "";
  int fd = open_host ();
  assert_true (vm_board_send ("to host", 7, 10000));
  assert_true (wait_readable (fd, 10000) & POLLIN);
  assert_int_equal (read (fd, got, sizeof got), 7);
  assert_memory_equal (got, "to host", 7);
  assert_int_equal (write (fd, "to board", 8), 8);
  assert_int_equal (vm_board_receive (got, sizeof got, 10000), 8);
  assert_memory_equal (got, "to board", 8);
  close (fd);
}

/* The trap that the reader has to know: woken, and read says 0. */
static void
test_pulled_plug_is_a_hangup (void **state)
{
  (void)state;
  char got[16];
  int fd = open_host ();
  assert_true (vm_board_unplug ());
  assert_true (wait_readable (fd, 10000) & POLLHUP);
  assert_int_equal (read (fd, got, sizeof got), 0);
  close (fd);
  assert_true (vm_board_plug ());
  fd = open_host ();
  assert_true (vm_board_send ("again", 5, 10000));
  assert_true (wait_readable (fd, 10000) & POLLIN);
  assert_int_equal (read (fd, got, sizeof got), 5);
  close (fd);
}

/* The kernel itself raises both lines at open and lowers them at close. This is what a
 * program that leaves the lines alone may show, and the proof that the bus is read. */
static void
test_lines_seen_on_the_bus (void **state)
{
  (void)state;
  VmControl seen[32];
  unsigned lines[32], n_lines = 0;
  uint32_t rate = 0;
  assert_true (vm_usbmon_start ());
  close (open_host ());
  size_t n = vm_usbmon_stop (seen, 32);
  assert_in_range (n, 3, 32);
  for (size_t i = 0; i < n; i++)
    if (seen[i].request == VM_SET_CONTROL_LINE_STATE)
      lines[n_lines++] = seen[i].value;
    else if (seen[i].request == VM_SET_LINE_CODING)
      rate = seen[i].rate;
  assert_int_equal (rate, 921600);
  assert_int_equal (n_lines, 2);
  assert_int_equal (lines[0], VM_DTR | VM_RTS);
  assert_int_equal (lines[1], 0);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_bytes_pass_both_ways, setup, teardown),
    cmocka_unit_test_setup_teardown (test_pulled_plug_is_a_hangup, setup, teardown),
    cmocka_unit_test_setup_teardown (test_lines_seen_on_the_bus, setup, teardown),
  };
  printf ("# the machine was up after %.1f s\n", (double)vm_now_ms () / 1000);
  return asc_test_run (tests, sizeof tests / sizeof *tests);
}
