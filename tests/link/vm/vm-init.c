/* The first process of the virtual machine: makes it usable, runs /program with its
 * output on the second serial port, says how it ended, and switches the machine off. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void
die (const char *what)
{
  fprintf (stderr, "vm-init: %s: %s\n", what, strerror (errno));
  reboot (RB_POWER_OFF);
  _exit (1);
}

static void
mount_all (void)
{
  if (mount ("proc", "/proc", "proc", 0, NULL) != 0
      || mount ("sysfs", "/sys", "sysfs", 0, NULL) != 0
      || mount ("devtmpfs", "/dev", "devtmpfs", 0, NULL) != 0
      || mount ("tmpfs", "/tmp", "tmpfs", 0, NULL) != 0)
    die ("mount");
  /* For usbmon. A kernel without debugfs only lacks what is read there. */
  mount ("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
}

/* Each stands after those it needs. What a kernel has built in has no file here. */
static void
load_modules (void)
{
  static const char *const names[]
      = { "configfs",     "usb-common", "usbcore",   "udc-core",
          "libcomposite", "u_serial",   "usb_f_acm", "usb_f_serial",
          "usb_f_obex",   "dummy_hcd",  "cdc-acm",   "usbmon" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
      char path[64];
      snprintf (path, sizeof path, "/modules/%s.ko", names[i]);
      int fd = open (path, O_RDONLY | O_CLOEXEC);
      if (fd < 0)
        continue;
      if (syscall (SYS_finit_module, fd, "", 0) != 0)
        die (path);
      close (fd);
    }
}

/* The output port, raw so that the text arrives as it was written. */
static int
open_output (void)
{
  int fd = open ("/dev/ttyS1", O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios tio;
  if (fd < 0 || tcgetattr (fd, &tio) != 0)
    die ("/dev/ttyS1");
  cfmakeraw (&tio);
  tcsetattr (fd, TCSANOW, &tio);
  return fd;
}

static int
run_program (int out)
{
  pid_t child = fork ();
  if (child < 0)
    die ("fork");
  if (child == 0)
    {
      dup2 (out, STDOUT_FILENO);
      dup2 (out, STDERR_FILENO);
      setenv ("HOME", "/tmp", 1);
      setenv ("TMPDIR", "/tmp", 1);
      setenv ("LC_ALL", "C", 1);
      execl ("/program", "program", (char *)NULL);
      _exit (127);
    }
  int status = 0;
  pid_t done;
  while ((done = wait (&status)) != child && (done > 0 || errno == EINTR))
    ;
  return status;
}

int
main (void)
{
  if (getpid () != 1)
    {
      fprintf (stderr, "vm-init: only for the virtual machine of the tests\n");
      return 1;
    }
  mount_all ();
  load_modules ();
  int out = open_output ();
  int status = run_program (out);
  if (WIFEXITED (status))
    dprintf (out, "# exit status %d\n", WEXITSTATUS (status));
  else
    dprintf (out, "# exit signal %d\n", WTERMSIG (status));
  tcdrain (out);
  reboot (RB_POWER_OFF);
  return 1;
}
