/* Serial ports without hardware: a pty that libserialport takes for a port.
 *
 * With a mount namespace (asc_fake_ports_init() enters one) the pty appears as
 * /dev/ttyACM0 with a made-up sysfs beside it, so that ports can be listed and known
 * again. Without, it is a link in a folder of its own, under a name that passes
 * libserialport 0.1.1's look into sysfs, and only opening and reading can be tested.
 *
 * The program that links this answers the modem-line ioctls that a pty has not. One
 * thread at a time plugs and unplugs. */
#ifndef ASC_FAKE_PORT_H
#define ASC_FAKE_PORT_H

#include <stdbool.h>

typedef struct
{
  const char *location; /* "1-1" */
  int vid, pid;
  int interface;
  const char *manufacturer, *product, *serial; /* NULL: the device does not say */
} AscFakeUsb;

typedef struct
{
  int master;     /* the board's end */
  char slave[64]; /* /dev/pts/N */
  char path[300]; /* what to open */
  char spec[320]; /* the same as the text of a source */
  char name[32];
} AscFakePort;

/* At the start of main(), before any thread. True when ports can be listed; else
 * asc_fake_ports_reason() says why not. */
bool asc_fake_ports_init (void);
bool asc_fake_ports_listed (void);
const char *asc_fake_ports_reason (void);
/* At the end of main(): removes what init made. */
void asc_fake_ports_exit (void);

/* Plugs a board in as /dev/@name. False when there is no pty to be had. */
bool asc_fake_port_plug (AscFakePort *port, const char *name, const AscFakeUsb *usb);
/* Pulls the plug: the device hangs up and its name goes away. */
void asc_fake_port_unplug (AscFakePort *port);

/* The modem lines (TIOCM_ bits) of all ports, and how many calls changed one. */
extern int asc_fake_modem_lines;
extern int asc_fake_modem_changes;

/* When true, poll() says of every descriptor it is asked about that there is something to
 * read; asc_fake_polls counts its calls. */
extern bool asc_fake_poll_lies;
extern int asc_fake_polls;

#endif
