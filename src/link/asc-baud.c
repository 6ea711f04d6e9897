/* Alone in its file: the kernel's termios2 and the C library's termios do not go
 * together in one. */
#include "asc-baud.h"

#include <errno.h>

#ifdef __linux__
#include <asm/termbits.h>
#include <sys/ioctl.h>

bool
asc_baud_set (int fd, int baud)
{
  struct termios2 settings;
  if (baud <= 0 || ioctl (fd, TCGETS2, &settings))
    return false;
  /* The input speed's own bits at 0 mean "as the output". */
  settings.c_cflag &= ~(tcflag_t)(CBAUD | CIBAUD);
  settings.c_cflag |= BOTHER;
  settings.c_ospeed = settings.c_ispeed = (speed_t)baud;
  return ioctl (fd, TCSETS2, &settings) == 0;
}

int
asc_baud_get (int fd)
{
  struct termios2 settings;
  return ioctl (fd, TCGETS2, &settings) ? 0 : (int)settings.c_ospeed;
}

#else
#include <termios.h>

/* The BSDs and macOS take the number itself for a speed. */
bool
asc_baud_set (int fd, int baud)
{
  struct termios settings;
  if (tcgetattr (fd, &settings) || cfsetspeed (&settings, (speed_t)baud))
    return false;
  return tcsetattr (fd, TCSANOW, &settings) == 0;
}

int
asc_baud_get (int fd)
{
  struct termios settings;
  return tcgetattr (fd, &settings) ? 0 : (int)cfgetospeed (&settings);
}
#endif
