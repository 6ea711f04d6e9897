/* For a file that is loaded into the unix port on x86-64: what it asks of Linux, by
 * system calls, as there is no C library that it could be linked with. */
#ifndef MOD_AIOSCOPE_LINUX_H
#define MOD_AIOSCOPE_LINUX_H

#include "mod_aioscope.h"

#include "py/mperrno.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#undef errno
#define errno asc_mpy_borrowed.error

static inline long
asc_linux_call (long number, long a, long b, long c, long flags)
{
  register long r10 __asm__("r10") = flags;
  register long r8 __asm__("r8") = 0;
  register long r9 __asm__("r9") = 0;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result >= 0)
    return result;
  errno = (int)-result;
  return -1;
}

static inline ssize_t
file_write (int fd, const void *bytes, size_t n)
{
  return asc_linux_call (1, fd, (long)bytes, (long)n, 0);
}

static inline int
file_poll (struct pollfd *fds, unsigned n, int ms)
{
  return (int)asc_linux_call (7, (long)fds, n, ms, 0);
}

static inline ssize_t
file_send (int fd, const void *bytes, size_t n, int flags)
{
  return asc_linux_call (44, fd, (long)bytes, (long)n, flags);
}

static inline int
file_control (int fd, int command, int value)
{
  return (int)asc_linux_call (72, fd, command, value, 0);
}

#endif
