#include "asc-fake-port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

int asc_fake_modem_lines;
int asc_fake_modem_changes;
bool asc_fake_poll_lies;
int asc_fake_polls;

static bool listed;
static char reason[160] = "asc_fake_ports_init() was not called";
static char folder[200];

/* ---- what a pty does not answer ---- */

static bool
answer_modem (unsigned long request, int *value)
{
  int before = __atomic_load_n (&asc_fake_modem_lines, __ATOMIC_SEQ_CST), after = before;
  if (request == TIOCMGET)
    *value = before;
  else if (request == TIOCMSET)
    after = *value;
  else if (request == TIOCMBIS)
    after |= *value;
  else if (request == TIOCMBIC)
    after &= ~*value;
  else
    return false;
  __atomic_store_n (&asc_fake_modem_lines, after, __ATOMIC_SEQ_CST);
  if (after != before)
    __atomic_fetch_add (&asc_fake_modem_changes, 1, __ATOMIC_SEQ_CST);
  return true;
}

int
ioctl (int fd, unsigned long request, ...)
{
  va_list more;
  va_start (more, request);
  void *argument = va_arg (more, void *);
  va_end (more);
  int result = (int)syscall (SYS_ioctl, fd, request, argument);
  if (result < 0 && errno == ENOTTY && answer_modem (request, argument))
    return 0;
  return result;
}

int
poll (struct pollfd *fds, nfds_t n, int timeout)
{
  struct timespec left = { timeout / 1000, timeout % 1000 * 1000000L };
  __atomic_fetch_add (&asc_fake_polls, 1, __ATOMIC_SEQ_CST);
  bool lie = __atomic_load_n (&asc_fake_poll_lies, __ATOMIC_SEQ_CST) && fds[0].fd >= 0;
  if (lie)
    left = (struct timespec){ 0 };
  int result = (int)syscall (SYS_ppoll, fds, n, lie || timeout >= 0 ? &left : NULL, NULL,
                             (size_t)8);
  if (lie && result == 0)
    {
      fds[0].revents = POLLIN;
      result = 1;
    }
  return result;
}

/* ---- the namespace ---- */

static bool
write_text (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    return false;
  bool good = write (fd, text, strlen (text)) == (ssize_t)strlen (text);
  close (fd);
  return good;
}

static bool
enter_namespace (void)
{
  char map[64];
  unsigned uid = geteuid (), gid = getegid ();
  if (unshare (CLONE_NEWUSER | CLONE_NEWNS))
    return uid == 0 && unshare (CLONE_NEWNS) == 0;
  write_text ("/proc/self/setgroups", "deny");
  snprintf (map, sizeof map, "0 %u 1", uid);
  if (!write_text ("/proc/self/uid_map", map))
    return false;
  snprintf (map, sizeof map, "0 %u 1", gid);
  return write_text ("/proc/self/gid_map", map);
}

static bool
bind_fd (int from, const char *to)
{
  char source[64];
  snprintf (source, sizeof source, "/proc/self/fd/%d", from);
  return mount (source, to, NULL, MS_BIND, NULL) == 0;
}

/* A /dev of our own with the few devices that programs cannot do without. */
static bool
cover_dev (void)
{
  static const char *const kept[] = { "null", "zero", "urandom", "random" };
  enum
  {
    N = sizeof kept / sizeof *kept
  };
  int fds[N];
  char path[64];
  bool good = true;
  for (int i = 0; i < N; i++)
    {
      snprintf (path, sizeof path, "/dev/%s", kept[i]);
      fds[i] = open (path, O_PATH | O_CLOEXEC);
    }
  if (mount ("tmpfs", "/dev", "tmpfs", 0, "mode=755"))
    good = false;
  for (int i = 0; i < N && good; i++)
    {
      snprintf (path, sizeof path, "/dev/%s", kept[i]);
      good = fds[i] < 0 || (write_text (path, "") && bind_fd (fds[i], path));
    }
  for (int i = 0; i < N; i++)
    if (fds[i] >= 0)
      close (fds[i]);
  /* Ptys of our own: the kernel does not find a devpts that was bound to another place.
   */
  return good && mkdir ("/dev/pts", 0755) == 0
         && mount ("devpts", "/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666") == 0
         && symlink ("pts/ptmx", "/dev/ptmx") == 0;
}

static bool
cover_sys (void)
{
  return mount ("tmpfs", "/sys", "tmpfs", 0, "mode=755") == 0
         && mkdir ("/sys/class", 0755) == 0 && mkdir ("/sys/class/tty", 0755) == 0
         && mkdir ("/sys/devices", 0755) == 0;
}

bool
asc_fake_ports_init (void)
{
  const char *temp = getenv ("TMPDIR");
  snprintf (folder, sizeof folder, "%s/asc-fake-port-XXXXXX", temp ? temp : "/tmp");
  if (!mkdtemp (folder))
    {
      perror ("mkdtemp");
      exit (1);
    }
  const char *failed = NULL;
  if (getenv ("ASC_TEST_NO_NAMESPACE"))
    {
      strcpy (reason, "ASC_TEST_NO_NAMESPACE is set");
      return false;
    }
  if (!enter_namespace ())
    failed = "unshare";
  else if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
    failed = "private mounts";
  else if (!cover_sys ())
    failed = "mount over /sys";
  else if (!cover_dev ())
    failed = "mount over /dev";
  listed = !failed;
  if (failed)
    {
      snprintf (reason, sizeof reason, "no mount namespace here (%s: %s)", failed,
                strerror (errno));
      printf ("# %s: ports cannot be listed\n", reason);
    }
  return listed;
}

bool
asc_fake_ports_listed (void)
{
  return listed;
}

const char *
asc_fake_ports_reason (void)
{
  return reason;
}

void
asc_fake_ports_exit (void)
{
  rmdir (folder);
}

/* ---- ports ---- */

static void
attribute (const char *device, const char *name, const char *value)
{
  char path[256], line[128];
  snprintf (path, sizeof path, "%s/%s", device, name);
  snprintf (line, sizeof line, "%s\n", value);
  if (value)
    write_text (path, line);
}

/* The chain of folders and links that a CDC-ACM device has in sysfs. */
static void
add_sysfs (const char *name, const AscFakeUsb *usb)
{
  char device[96], interface[128], tty[200], link[256], number[16];
  mkdir ("/sys/devices/usb1", 0755);
  snprintf (device, sizeof device, "/sys/devices/usb1/%s", usb->location);
  mkdir (device, 0755);
  snprintf (number, sizeof number, "%04x", (unsigned)usb->vid);
  attribute (device, "idVendor", number);
  snprintf (number, sizeof number, "%04x", (unsigned)usb->pid);
  attribute (device, "idProduct", number);
  attribute (device, "busnum", "1");
  attribute (device, "devnum", "7");
  if (usb->manufacturer)
    attribute (device, "manufacturer", usb->manufacturer);
  if (usb->product)
    attribute (device, "product", usb->product);
  if (usb->serial)
    attribute (device, "serial", usb->serial);
  snprintf (interface, sizeof interface, "%s/%s:1.%d", device, usb->location,
            usb->interface);
  mkdir (interface, 0755);
  snprintf (number, sizeof number, "%02x", (unsigned)usb->interface);
  attribute (interface, "bInterfaceNumber", number);
  snprintf (tty, sizeof tty, "%s/tty", interface);
  mkdir (tty, 0755);
  snprintf (tty, sizeof tty, "%s/tty/%s", interface, name);
  mkdir (tty, 0755);
  snprintf (link, sizeof link, "%s/device", tty);
  if (symlink (interface, link))
    perror (link);
  snprintf (link, sizeof link, "/sys/class/tty/%s", name);
  if (symlink (tty, link))
    perror (link);
}

static bool
make_pty (AscFakePort *port)
{
  struct termios settings;
  port->master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (port->master < 0 || grantpt (port->master) || unlockpt (port->master)
      || ptsname_r (port->master, port->slave, sizeof port->slave))
    return false;
  /* As a serial port is before anybody sets it: cooked, but a board does not want its
   * own words back. */
  if (tcgetattr (port->master, &settings))
    return false;
  settings.c_lflag &= (tcflag_t)~ECHO;
  return tcsetattr (port->master, TCSANOW, &settings) == 0;
}

bool
asc_fake_port_plug (AscFakePort *port, const char *name, const AscFakeUsb *usb)
{
  memset (port, 0, sizeof *port);
  snprintf (port->name, sizeof port->name, "%s", name);
  if (!make_pty (port))
    return false;
  if (!listed)
    {
      char link[256];
      snprintf (link, sizeof link, "%s/%s", folder, name);
      snprintf (port->path, sizeof port->path, "/dev/../../..%s", link);
      snprintf (port->spec, sizeof port->spec, "serial:%s", port->path);
      return symlink (port->slave, link) == 0;
    }
  snprintf (port->path, sizeof port->path, "/dev/%s", name);
  snprintf (port->spec, sizeof port->spec, "%s", port->path);
  if (usb)
    add_sysfs (name, usb);
  return write_text (port->path, "")
         && mount (port->slave, port->path, NULL, MS_BIND, NULL) == 0;
}

static void
remove_tree (const char *path)
{
  char command[256];
  snprintf (command, sizeof command, "rm -rf '%s'", path);
  if (system (command))
    perror (command);
}

void
asc_fake_port_unplug (AscFakePort *port)
{
  char link[256], real[256] = "";
  if (port->master < 0)
    return;
  if (!listed)
    {
      snprintf (link, sizeof link, "%s/%s", folder, port->name);
      unlink (link);
    }
  else
    {
      umount2 (port->path, MNT_DETACH);
      unlink (port->path);
      snprintf (link, sizeof link, "/sys/class/tty/%s", port->name);
      ssize_t n = readlink (link, real, sizeof real - 1);
      unlink (link);
      if (n > 0)
        {
          real[n] = 0;
          /* .../usb1/1-1/1-1:1.0/tty/ttyACM0: the device is three folders up. */
          for (int i = 0; i < 3; i++)
            *strrchr (real, '/') = 0;
          remove_tree (real);
        }
    }
  close (port->master);
  port->master = -1;
}
