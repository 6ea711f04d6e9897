#include "asc-demo-private.h"

#include <stdlib.h>
#include <string.h>

/* The board's transmit buffer and its line: baud rate, and now and then a stall. */

#define PORT_BYTES 4096u
#define PORT_BYTES_FAST 65536u
#define PORT_BYTES_SLOW 640u /* an UART's, two frames and a line of text */
#define SLOW_BAUD 500000u
#define FAST_EVENTS_HZ 10000
#define BITS_PER_BYTE 10
#define MS (DEMO_TICK_HZ / 1000)
#define SECOND ((int64_t)DEMO_TICK_HZ)

bool
demo_port_init (DemoPort *port, const AscDemoConfig *config)
{
  port->size = config->events_hz > FAST_EVENTS_HZ ? PORT_BYTES_FAST : PORT_BYTES;
  if (config->baud > 0 && config->baud < SLOW_BAUD)
    port->size = PORT_BYTES_SLOW;
  port->bytes = malloc (port->size);
  port->next_stall = DEMO_NEVER;
  port->resume = DEMO_NEVER;
  /* Soon enough that who tries the demo sees one. */
  if (!config->no_loss && config->speed > 0)
    port->next_stall = DEMO_POWER_ON + 14 * SECOND + (int64_t)(config->seed % 4) * SECOND;
  return port->bytes != NULL;
}

size_t
demo_port_room (void *user)
{
  const AscDemo *demo = user;
  const DemoPort *port = &demo->port;
  return port->stalled ? 0 : port->size - port->n;
}

bool
demo_port_put (AscDemo *demo, const void *bytes, size_t n)
{
  DemoPort *port = &demo->port;
  if (n > port->size - port->n)
    return false;
  if (port->n == 0)
    {
      port->start = 0;
      port->credit = 0;
      port->since = demo->now;
    }
  else if (port->start + port->n + n > port->size)
    {
      memmove (port->bytes, port->bytes + port->start, port->n);
      port->start = 0;
    }
  memcpy (port->bytes + port->start + port->n, bytes, n);
  port->n += n;
  return true;
}

/* The recorder's port. Copying takes the board some time, in which interrupts come. */
size_t
demo_port_write (void *user, const uint8_t *bytes, size_t n)
{
  AscDemo *demo = user;
  if (!demo_port_put (demo, bytes, n))
    return 0;
  demo_spend (demo, demo->spin_cycle > 0 ? (int64_t)n / 16 : 5 + (int64_t)n / 6);
  return n;
}

void
demo_port_push (AscDemo *demo)
{
  DemoPort *port = &demo->port;
  size_t n = port->n;
  port->refused = false;
  if (demo->config.baud > 0)
    {
      const int64_t byte = (int64_t)BITS_PER_BYTE * DEMO_TICK_HZ;
      if (!port->stalled && port->n > 0)
        port->credit += (demo->now - port->since) * (int64_t)demo->config.baud;
      port->since = demo->now;
      if ((int64_t)n > port->credit / byte)
        n = (size_t)(port->credit / byte);
      size_t taken = n > 0 ? port->write (port->user, port->bytes + port->start, n) : 0;
      port->credit -= (int64_t)n * byte; /* what the reader refuses is late, not faster */
      port->refused = taken < n;
      n = taken;
    }
  else if (n > 0 && !port->stalled)
    {
      size_t taken = port->write (port->user, port->bytes + port->start, n);
      port->refused = taken < n;
      n = taken;
    }
  else
    n = 0;
  port->start += n;
  port->n -= n;
}

/* A host that is busy elsewhere: the line stalls until the ring has been full for some
 * milliseconds, so that what is lost is a short stretch. */
void
demo_port_script (AscDemo *demo)
{
  DemoPort *port = &demo->port;
  if (!port->stalled)
    {
      if (demo->now < port->next_stall)
        return;
      port->stalled = true;
      port->resume = DEMO_NEVER;
    }
  else if (port->resume == DEMO_NEVER)
    {
      if (demo->recorder.losing)
        port->resume = demo->now + demo_between (&demo->port_random, 3 * MS, 40 * MS);
    }
  else if (demo->now >= port->resume)
    {
      port->stalled = false;
      port->next_stall
          = demo->now + demo_between (&demo->port_random, 25 * SECOND, 40 * SECOND);
    }
}
