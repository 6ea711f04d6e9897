/* What the backends share; private to the link layer. */
#ifndef ASC_SOURCE_PRIVATE_H
#define ASC_SOURCE_PRIVATE_H

#include "asc-source.h"

#include <sys/stat.h>

typedef struct
{
  /* Sets fd, identity and description. Called again to reopen, after close. */
  gboolean (*open) (AscSource *source, GError **error);
  /* Lets go of fd (and only then sets it to -1): never waits. */
  void (*close) (AscSource *source);
  /* Listeners: waits up to @wait_ms (-1: for ever) for a peer and sets fd. Else NULL. */
  gboolean (*attach) (AscSource *source, int wait_ms, GError **error);
  /* Frees data and leaves it NULL; may be called twice. NULL when there is none. */
  void (*dispose) (AscSource *source);
  /* What the end of the bytes means. */
  gboolean reconnects;
  gboolean is_tty;
  gboolean writable;
} AscBackend;

struct AscSource
{
  const AscBackend *backend;
  AscSourceSpec *spec;
  GCancellable *cancellable; /* what a wake triggers */
  int wake_fd;               /* its descriptor, polled with fd; -1 when there is none */
  int fd;                    /* -1 when there is nobody to read from */
  gboolean gone;             /* a read said GONE: fd is closed when it is opened again */
  gboolean lost;             /* GONE since it was opened */
  gboolean ends;             /* GONE is for ever: a pty by its own name */
  struct stat link;          /* of a pty by another name: what led there */
  char *description;
  char *identity;
  void *data; /* the backend's own */
};

extern const AscBackend asc_backend_serial;
extern const AscBackend asc_backend_tty;
extern const AscBackend asc_backend_tcp;
extern const AscBackend asc_backend_listen;
extern const AscBackend asc_backend_unix;
extern const AscBackend asc_backend_stdin;
extern const AscBackend asc_backend_file;
extern const AscBackend asc_backend_demo;

/* Takes over both texts. */
void asc_source_set_names (AscSource *source, char *description, char *identity);

/* Waits until @fd has one of @events (poll's), and returns what poll said of it; 0 when
 * @wait_ms (-1: none) is over; -1 with CANCELLED after a wake. @fd -1: waits only. */
int
asc_source_poll (AscSource *source, int fd, short events, int wait_ms, GError **error);

/* ---- sockets (asc-tcp.c) ---- */

/* Listens at the address of a LISTEN specification; the caller unrefs. */
GSocket *asc_tcp_listen (const AscSourceSpec *spec, GError **error);
guint16 asc_tcp_local_port (GSocket *listener);

/* ---- terminal devices (asc-tty.c) ---- */

/* Opens @path as a plain terminal in raw mode and claims it: the descriptor, or -1. */
int asc_tty_open (const char *path, int baud, GError **error);

/* Of a pty the name is given to the next that is made: what has it after GONE is somebody
 * else's, unless a link led there that was made anew. FALSE with NOT_FOUND for that; else
 * notes how @source, whose path it is, leads to a pty, if it does. */
gboolean asc_tty_check_name (AscSource *source, GError **error);

/* Close on exec; nobody else may open it from now on. FALSE with BUSY when somebody has.
 */
gboolean asc_tty_claim (int fd, const char *path, GError **error);

/* Gives up the claim, drops unsent output and closes, in a few ms even if the device
 * takes nothing. */
void asc_tty_close (int fd);

#endif
