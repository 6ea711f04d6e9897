/* Offers a port's bytes to other programs: the text through a pty, all of it through a
 * socket. Nobody who does not read holds anything up: what does not fit into a bounded
 * buffer is dropped and counted.
 *
 * Has a thread of its own. asc_share_text() and asc_share_stream() may be called from any
 * thread and never wait; the rest from one thread. */
#ifndef ASC_SHARE_H
#define ASC_SHARE_H

#include "asc-source.h"

typedef struct AscShare AscShare;

/* On the share's thread: what a program with the pty or the socket open sent. Returns how
 * many bytes were taken (the rest is given again soon), or -1 when nobody can take them.
 */
typedef gssize (*AscShareInput) (void *user, const guint8 *bytes, gsize n);

/* A pty in raw mode. Nobody may have it open yet. Errors: ASC_LINK_ERROR. */
AscShare *asc_share_new (AscShareInput input, void *user, GError **error);

/* Before asc_share_start(): a socket at @path (and no file may be there), or at the
 * address of a tcp-listen specification. Several may connect; what one of them sends goes
 * to the input as well. */
gboolean asc_share_listen_at (AscShare *share, const char *path, GError **error);
gboolean asc_share_listen (AscShare *share, const AscSourceSpec *spec, GError **error);
void asc_share_start (AscShare *share);

/* Of the pty; stays the share's. */
const char *asc_share_pty (const AscShare *share);
/* The TCP port that was found for port 0; 0 without one. */
guint16 asc_share_tcp_port (const AscShare *share);

void asc_share_text (AscShare *share, const guint8 *bytes, gsize n);
/* @border: a place in it from which on a viewer that has just connected understands it; n
 * when there is none. */
void asc_share_stream (AscShare *share, const guint8 *bytes, gsize n, gsize border);

typedef struct
{
  guint64 unheard;        /* bytes of text while nobody had the pty open */
  guint64 text_dropped;   /* and while somebody had, but did not read */
  guint64 stream_dropped; /* bytes for sockets whose program did not read */
  guint64 input_dropped;  /* bytes that nobody could take */
  guint viewers;          /* sockets that are connected now */
  gboolean pty_open;
} AscShareCounts;

void asc_share_counts (AscShare *share, AscShareCounts *counts);

/* Gives readers a second to take what is left, ends the thread and closes everything;
 * takes NULL. */
void asc_share_free (AscShare *share);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AscShare, asc_share_free)

#endif
