#include "vm-usbmon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALL_BUSES "/sys/kernel/debug/usb/usbmon/0u"

static int usbmon_fd = -1;

bool
vm_usbmon_start (void)
{
  usbmon_fd = open (ALL_BUSES, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (usbmon_fd < 0)
    printf ("# " ALL_BUSES ": %s\n", strerror (errno));
  return usbmon_fd >= 0;
}

/* A submission to the control endpoint of a class request to an interface reads
 *   TAG TIME S Co:BUS:DEVICE:0 s 21 REQUEST VALUE INDEX LENGTH LENGTH [= DATA]
 * with all but the lengths in hexadecimal, the data in words of four bytes. */
static bool
parse (const char *line, VmControl *out)
{
  unsigned type;
  char data[9] = "";
  if (sscanf (line, "%*s %*s S Co:%*s s %x %x %x %*s %*s %*s = %8s", &type, &out->request,
              &out->value, data)
          < 3
      || type != 0x21)
    return false;
  /* The rate's bytes come lowest first and are shown in this order. */
  out->rate = __builtin_bswap32 ((uint32_t)strtoul (data, NULL, 16));
  return true;
}

size_t
vm_usbmon_stop (VmControl *requests, size_t max)
{
  size_t seen = 0;
  char line[512];
  /* One read gives one entry. */
  for (ssize_t n; (n = read (usbmon_fd, line, sizeof line - 1)) > 0;)
    {
      VmControl c;
      line[n] = '\0';
      if (parse (line, &c) && seen++ < max)
        requests[seen - 1] = c;
    }
  close (usbmon_fd);
  usbmon_fd = -1;
  return seen;
}
