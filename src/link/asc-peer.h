/* A descriptor with a bounded buffer each way; private to the link layer. No locks. */
#ifndef ASC_PEER_H
#define ASC_PEER_H

#include <glib.h>

typedef struct
{
  int fd;
  GByteArray *out;
  gsize out_start; /* of what is not sent yet */
  gboolean losing; /* nothing is taken until half of the room is free */
  guint8 in[1024];
  gsize n_in;
  gboolean fresh; /* nothing was put yet */
  gboolean ended; /* nobody is at the other end any more */
} AscPeer;

/* Takes over fd and makes it never block. */
AscPeer *asc_peer_new (int fd);
void asc_peer_free (AscPeer *peer);

/* Bytes that were dropped: 0, or all n when there is no room for them. */
gsize asc_peer_put (AscPeer *peer, const guint8 *bytes, gsize n, gsize room);
gsize asc_peer_waiting (const AscPeer *peer);
/* Drops what waits; returns how much. */
gsize asc_peer_forget (AscPeer *peer);

/* As far as the descriptor goes without waiting. */
void asc_peer_send (AscPeer *peer);
void asc_peer_receive (AscPeer *peer);
/* The input was taken so far. */
void asc_peer_taken (AscPeer *peer, gsize n);

#endif
