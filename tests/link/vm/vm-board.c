#include "vm-board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define SOFT_CONNECT "/sys/class/udc/dummy_udc.0/soft_connect"
#define UDC_STATE "/sys/class/udc/dummy_udc.0/state"
#define DEVICE_SIDE "/dev/ttyGS0"
/* Enumeration takes 0.2 s; a minute is for a host that is out of breath. */
#define WAIT_MS 60000

static bool made;
static char made_serial[64];
static int device_fd = -1;

int64_t
vm_now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
vm_sleep_ms (int ms)
{
  nanosleep (&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

int
vm_patience (void)
{
  const char *accel = getenv ("ASC_VM_ACCEL");
  return accel != NULL && strcmp (accel, "kvm") == 0 ? 1 : 10;
}

static bool
failed (const char *what)
{
  printf ("# the board in the machine: %s: %s\n", what, strerror (errno));
  return false;
}

static bool
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  bool ok = fd >= 0 && write (fd, text, strlen (text)) == (ssize_t)strlen (text);
  if (fd >= 0)
    close (fd);
  return ok || failed (path);
}

static bool
state_is (const char *wanted)
{
  char state[32] = "";
  int fd = open (UDC_STATE, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read (fd, state, sizeof state - 1);
  close (fd);
  return n > 0 && strncmp (state, wanted, strlen (wanted)) == 0;
}

const char *
vm_board_port (void)
{
  static char path[300];
  DIR *dir = opendir ("/sys/class/tty");
  const char *found = NULL;
  for (struct dirent *e; dir != NULL && (e = readdir (dir)) != NULL;)
    if (strncmp (e->d_name, "ttyACM", 6) == 0)
      {
        snprintf (path, sizeof path, "/dev/%s", e->d_name);
        /* devtmpfs makes the node a moment after sysfs its folder. */
        if (access (path, F_OK) == 0)
          found = path;
      }
  if (dir != NULL)
    closedir (dir);
  return found;
}

static void
close_device (void)
{
  if (device_fd >= 0)
    close (device_fd);
  device_fd = -1;
}

/* The gadget hangs up its tty when the plug is pulled, so it is opened for each
 * connection. */
static bool
open_device (void)
{
  close_device ();
  device_fd = open (DEVICE_SIDE, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  struct termios tio;
  if (device_fd < 0 || tcgetattr (device_fd, &tio) != 0)
    return failed (DEVICE_SIDE);
  cfmakeraw (&tio);
  return tcsetattr (device_fd, TCSANOW, &tio) == 0 || failed ("tcsetattr");
}

static bool
wait_for_port (void)
{
  int64_t end = vm_now_ms () + WAIT_MS;
  while (vm_now_ms () < end)
    {
      if (state_is ("configured") && vm_board_port () != NULL)
        return open_device ();
      vm_sleep_ms (5);
    }
  errno = ETIMEDOUT;
  return failed ("plug");
}

bool
vm_board_make (const char *serial)
{
  char options[256];
  if (serial != made_serial)
    snprintf (made_serial, sizeof made_serial, "%s", serial);
  snprintf (options, sizeof options,
            "use_acm=1 idVendor=%d idProduct=%d iManufacturer=\"%s\" iProduct=\"%s\" "
            "iSerialNumber=%s",
            VM_BOARD_VID, VM_BOARD_PID, VM_BOARD_MAKER, VM_BOARD_PRODUCT, made_serial);
  vm_board_destroy ();
  int fd = open ("/modules/g_serial.ko", O_RDONLY | O_CLOEXEC);
  made = fd >= 0 && syscall (SYS_finit_module, fd, options, 0) == 0;
  if (fd >= 0)
    close (fd);
  if (!made)
    return failed ("g_serial");
  return wait_for_port ();
}

void
vm_board_destroy (void)
{
  if (!made)
    return;
  /* Without the plug first, closing would wait for the host to read what is queued. */
  vm_board_unplug ();
  if (syscall (SYS_delete_module, "g_serial", O_NONBLOCK) != 0)
    failed ("removing g_serial");
  made = false;
}

bool
vm_board_unplug (void)
{
  if (state_is ("not attached"))
    return true;
  bool ok = write_file (SOFT_CONNECT, "disconnect");
  close_device ();
  return ok;
}

/* Not "connect" into the same file: some kernels leave dummy_hcd's callbacks off then,
 * and the host gets no answer. To the host a driver made anew is the same board coming
 * back. */
bool
vm_board_plug (void)
{
  return vm_board_make (made_serial);
}

bool
vm_board_send (const void *data, size_t n, int ms)
{
  const uint8_t *p = data;
  while (n > 0)
    {
      struct pollfd pfd = { .fd = device_fd, .events = POLLOUT };
      if (poll (&pfd, 1, ms) <= 0)
        {
          errno = ETIMEDOUT;
          return failed ("send");
        }
      ssize_t done = write (device_fd, p, n);
      if (done < 0 && errno != EAGAIN && errno != EINTR)
        return failed ("send");
      if (done > 0)
        {
          p += done;
          n -= (size_t)done;
        }
    }
  return true;
}

size_t
vm_board_receive (void *data, size_t n, int ms)
{
  struct pollfd pfd = { .fd = device_fd, .events = POLLIN };
  if (poll (&pfd, 1, ms) <= 0)
    return 0;
  ssize_t got = read (device_fd, data, n);
  return got > 0 ? (size_t)got : 0;
}
