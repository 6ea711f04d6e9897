#include "asc-peer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

AscPeer *
asc_peer_new (int fd)
{
  AscPeer *peer = g_new0 (AscPeer, 1);
  int flags = fcntl (fd, F_GETFL);
  peer->fd = fd;
  peer->out = g_byte_array_new ();
  peer->fresh = TRUE;
  if (flags >= 0)
    fcntl (fd, F_SETFL, flags | O_NONBLOCK);
  fcntl (fd, F_SETFD, FD_CLOEXEC);
  return peer;
}

void
asc_peer_free (AscPeer *peer)
{
  if (!peer)
    return;
  close (peer->fd);
  g_byte_array_unref (peer->out);
  g_free (peer);
}

gsize
asc_peer_waiting (const AscPeer *peer)
{
  return peer->out->len - peer->out_start;
}

gsize
asc_peer_put (AscPeer *peer, const guint8 *bytes, gsize n, gsize room)
{
  gsize waiting = asc_peer_waiting (peer);
  /* One stretch that is missing, not one a packet. */
  if (peer->losing && waiting <= room / 2)
    peer->losing = FALSE;
  if (peer->losing || n > room || waiting > room - n)
    {
      peer->losing = TRUE;
      return n;
    }
  g_byte_array_append (peer->out, bytes, (guint)n);
  return 0;
}

gsize
asc_peer_forget (AscPeer *peer)
{
  gsize n = asc_peer_waiting (peer);
  g_byte_array_set_size (peer->out, 0);
  peer->out_start = 0;
  peer->losing = FALSE;
  return n;
}

static gboolean
later (int number)
{
  return number == EAGAIN || number == EWOULDBLOCK || number == EINTR;
}

void
asc_peer_send (AscPeer *peer)
{
  gsize n;
  while ((n = asc_peer_waiting (peer)) > 0)
    {
      const guint8 *from = peer->out->data + peer->out_start;
      gssize sent = send (peer->fd, from, n, MSG_NOSIGNAL);
      if (sent < 0 && errno == ENOTSOCK)
        sent = write (peer->fd, from, n);
      if (sent < 0 && !later (errno))
        peer->ended = TRUE;
      if (sent <= 0)
        break;
      peer->out_start += (gsize)sent;
    }
  if (n == 0)
    asc_peer_forget (peer);
  else if (peer->out_start > peer->out->len / 2)
    {
      g_byte_array_remove_range (peer->out, 0, (guint)peer->out_start);
      peer->out_start = 0;
    }
}

void
asc_peer_receive (AscPeer *peer)
{
  if (peer->n_in == sizeof peer->in)
    return;
  gssize n = read (peer->fd, peer->in + peer->n_in, sizeof peer->in - peer->n_in);
  if (n > 0)
    peer->n_in += (gsize)n;
  else if (n == 0 || !later (errno))
    peer->ended = TRUE;
}

void
asc_peer_taken (AscPeer *peer, gsize n)
{
  peer->n_in -= n;
  memmove (peer->in, peer->in + n, peer->n_in);
}
