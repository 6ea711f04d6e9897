/* Linked into a copy of aioscope-cli for the tests: the modem-line calls that a pty does
 * not answer, so that libserialport can open one. Everything else is the kernel's. */
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

static int lines;

static int
answer (unsigned long request, int *value)
{
  switch (request)
    {
    case TIOCMGET:
      *value = lines;
      return 0;
    case TIOCMSET:
      lines = *value;
      return 0;
    case TIOCMBIS:
      lines |= *value;
      return 0;
    case TIOCMBIC:
      lines &= ~*value;
      return 0;
    default:
      errno = ENOTTY;
      return -1;
    }
}

int
ioctl (int fd, unsigned long request, ...)
{
  va_list more;
  va_start (more, request);
  void *argument = va_arg (more, void *);
  va_end (more);
  int result = (int)syscall (SYS_ioctl, fd, request, argument);
  if (result < 0 && errno == ENOTTY)
    return answer (request, argument);
  return result;
}
