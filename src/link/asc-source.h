/* Where bytes come from: a serial port, a pty, TCP, a file, standard input or the demo
 * board, behind one small interface.
 *
 * Threads: a source belongs to the thread that reads it; asc_source_wake() may be called
 * from any, asc_source_write() from one other while the first reads. AscReader does all
 * this. Errors are in the domain ASC_LINK_ERROR. */
#ifndef ASC_SOURCE_H
#define ASC_SOURCE_H

#include "asc-link-error.h"

#include <gio/gio.h>

typedef enum
{
  ASC_SOURCE_SERIAL, /* a serial port, by libserialport */
  ASC_SOURCE_TTY,    /* a pty or any other terminal device */
  ASC_SOURCE_TCP,
  ASC_SOURCE_LISTEN,
  ASC_SOURCE_UNIX, /* a socket of this computer: a proxy's */
  ASC_SOURCE_STDIN,
  ASC_SOURCE_FILE,
  ASC_SOURCE_DEMO,
} AscSourceKind;

/* What to open, as read from text. Read only; owned by who parsed it. */
typedef struct
{
  AscSourceKind kind;
  char *text;       /* as given */
  char *path;       /* SERIAL, TTY, UNIX, FILE */
  char *host;       /* TCP, LISTEN */
  guint16 port;     /* TCP, LISTEN: 0 listens at any free port */
  int baud;         /* SERIAL, TTY: 0 when not given; DEMO: 0 is unlimited */
  int dtr, rts;     /* SERIAL: -1 leaves the line alone, 0 off, 1 on */
  guint64 seed;     /* DEMO */
  double speed;     /* DEMO: 1 is real time, 0 as fast as it is read */
  gboolean no_loss; /* DEMO */
} AscSourceSpec;

/* Reads one of
 *   /dev/ttyACM0, ttyACM0, COM3   a port, with @BAUD[,dtr=on|off][,rts=on|off] behind it
 *   serial:PATH, tty:PATH         the same, with the way to open it forced
 *   tcp:HOST:PORT                 [::1] for an IPv6 address
 *   tcp-listen:[ADDRESS:]PORT     loopback unless an address is given
 *   unix:PATH                     a socket, as a proxy of a port offers one
 *   -                             standard input
 *   file:PATH, PATH               a file or FIFO
 *   demo[:seed=N,speed=X,baud=N,no-loss]
 * Looks at the file system to tell a port from a file. NULL and BAD_SPEC when it is none.
 * Free with asc_source_spec_free(). */
AscSourceSpec *asc_source_spec_parse (const char *text, GError **error);
AscSourceSpec *asc_source_spec_copy (const AscSourceSpec *spec);
void asc_source_spec_free (AscSourceSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AscSourceSpec, asc_source_spec_free)

typedef struct AscSource AscSource;

/* Opens; NULL and an error otherwise. The whole of a port's opening takes milliseconds; a
 * TCP connection up to 5 s, which @cancellable (may be NULL) cuts short: it then is what
 * asc_source_wake() triggers. Free with asc_source_free(). */
AscSource *asc_source_open (const AscSourceSpec *spec, GError **error);
AscSource *asc_source_open_cancellable (const AscSourceSpec *spec,
                                        GCancellable *cancellable,
                                        GError **error);

/* Waits for bytes and returns how many came, at most @size (not 0); 0 at the end of a
 * file or of standard input; -1 with GONE when the device or the peer left, with
 * CANCELLED once after a wake, or with FAILED. After GONE only asc_source_reopen(), close
 * and free make sense; a listening source may be read on, and waits for the next peer. */
gssize asc_source_read (AscSource *source, void *buffer, gsize size, GError **error);

/* Makes the read (or reopen) that waits now, or else the next one, return CANCELLED. */
void asc_source_wake (AscSource *source);

/* Sends bytes (what the user typed) and returns how many went: waits for a stuck link for
 * 50 ms at most. -1 on error, and FAILED for sources that take none. */
gssize asc_source_write (AscSource *source, const void *bytes, gsize n, GError **error);

/* TRUE for a source that takes what the user types: not for files. */
gboolean asc_source_spec_writable (const AscSourceSpec *spec);

/* TRUE for one that can be closed and opened again: ports, ptys, and sockets we call. */
gboolean asc_source_spec_reopens (const AscSourceSpec *spec);

/* TRUE for a source that may come back after GONE: ports, TCP, and a pty that is opened
 * by a link. A pty's own name may be another's by then. */
gboolean asc_source_reconnects (const AscSource *source);

/* FALSE while there is nobody to read from: lost, or a listener without a peer. */
gboolean asc_source_connected (const AscSource *source);

/* After GONE: waits @wait_ms, then tries once to have the same device or peer again. A
 * USB device is known by its identity, under whatever name it comes back; a listener
 * waits for a peer. FALSE with an error when it is not back (CANCELLED after a wake). */
gboolean asc_source_reopen (AscSource *source, int wait_ms, GError **error);

/* Lets go of the device at once; what was written and not yet sent is dropped, because
 * waiting for it can take 30 s. Free closes; it takes NULL. */
void asc_source_close (AscSource *source);
void asc_source_free (AscSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AscSource, asc_source_free)

/* For people: "Pico · ttyACM0". Valid until reopened or freed. */
const char *asc_source_describe (const AscSource *source);

/* A text that is the same for the same device wherever it is plugged in: see
 * asc_port_identity(). Valid until reopened or freed. */
const char *asc_source_identity (const AscSource *source);

/* The TCP port a listening source listens at; 0 for others. */
guint16 asc_source_local_port (const AscSource *source);

#endif
