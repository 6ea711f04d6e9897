#include "asc-share.h"

#include "asc-peer.h"
#include "asc-source-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

/* For people's text that is plenty; a viewer that is slow to start needs more. */
#define TEXT_ROOM ((gsize)256 << 10)
#define STREAM_ROOM ((gsize)8 << 20)
/* Nothing tells that somebody opens a pty: it is looked at, and with every text. */
#define LOOK_MS 20
/* What the port did not take is offered again after this. */
#define AGAIN_MS 10
#define MOST_VIEWERS 8
/* At the end: how long readers have, and after how long without progress they are given
 * up. The kernel may have bytes on their way that it counts nowhere. */
#define SETTLE_MS 1000
#define STILL_MS 200
#define SETTLE_LOOKS 3

struct AscShare
{
  AscShareInput input;
  void *user;
  char *path; /* of the pty */
  char *socket_path;
  GSocket *tcp;
  int listener; /* -1: none */
  int wake[2];
  GThread *thread;

  /* Not GLib's: ThreadSanitizer knows this one. The thread's own: the peers' input and
   * descriptors. */
  pthread_mutex_t lock;
  AscPeer *pty;
  GPtrArray *viewers;
  AscShareCounts counts;
  gboolean woken;
  gboolean stop;
};

/* ---- the pty ---- */

static gboolean
make_raw (int fd)
{
  struct termios settings;
  if (tcgetattr (fd, &settings))
    return FALSE;
  cfmakeraw (&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  return tcsetattr (fd, TCSANOW, &settings) == 0;
}

/* The other end is opened once and closed again: from then on the kernel tells whether
 * somebody has it open. */
static int
open_pty (char **path, GError **error)
{
  char name[64];
  int slave = -1;
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master >= 0 && grantpt (master) == 0 && unlockpt (master) == 0
      && ptsname_r (master, name, sizeof name) == 0)
    slave = open (name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  gboolean good = slave >= 0 && make_raw (slave);
  int number = errno;
  if (slave >= 0)
    close (slave);
  if (good)
    {
      *path = g_strdup (name);
      return master;
    }
  if (master >= 0)
    close (master);
  g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED, "No pty can be had: %s.",
               g_strerror (number));
  return -1;
}

static gboolean
nobody_has (int master)
{
  struct pollfd look = { .fd = master };
  return poll (&look, 1, 0) > 0 && look.revents & POLLHUP;
}

/* For the next one: neither what this one left unread nor its settings. */
static void
reset_pty (const AscShare *share)
{
  int slave = open (share->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (slave < 0)
    return;
  tcflush (share->pty->fd, TCOFLUSH);
  tcflush (slave, TCIFLUSH);
  make_raw (slave);
  close (slave);
}

/* Under the lock. */
static void
serve_pty (AscShare *share)
{
  AscPeer *pty = share->pty;
  struct pollfd look = { .fd = pty->fd, .events = POLLIN };
  poll (&look, 1, 0);
  if (look.revents & POLLIN)
    asc_peer_receive (pty);
  gboolean now_open = !(look.revents & POLLHUP);
  if (!now_open && share->counts.pty_open)
    reset_pty (share);
  share->counts.pty_open = now_open;
  pty->ended = FALSE;
  if (now_open)
    asc_peer_send (pty);
  else
    share->counts.unheard += asc_peer_forget (pty);
}

/* ---- viewers ---- */

static void
accept_viewer (AscShare *share)
{
  int fd = accept (share->listener, NULL, NULL);
  if (fd < 0)
    return;
  if (share->viewers->len < MOST_VIEWERS)
    g_ptr_array_add (share->viewers, asc_peer_new (fd));
  else
    close (fd);
}

/* Under the lock. */
static void
serve_viewers (AscShare *share, const struct pollfd *fds, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      AscPeer *viewer = g_ptr_array_index (share->viewers, i);
      if (fds[i].revents & (POLLIN | POLLHUP | POLLERR))
        asc_peer_receive (viewer);
      asc_peer_send (viewer);
    }
  for (guint i = share->viewers->len; i-- > 0;)
    {
      AscPeer *viewer = g_ptr_array_index (share->viewers, i);
      if (viewer->ended && viewer->n_in == 0)
        g_ptr_array_remove_index (share->viewers, i);
    }
}

/* ---- what they send ---- */

/* Without the lock: the port may hold it up for some milliseconds. FALSE when something
 * is left. */
static gboolean
hand_on (AscShare *share, AscPeer *peer)
{
  if (peer->n_in == 0)
    return TRUE;
  gsize n = peer->n_in;
  gssize taken = share->input (share->user, peer->in, n);
  asc_peer_taken (peer, taken < 0 ? n : MIN ((gsize)taken, n));
  if (taken < 0)
    {
      pthread_mutex_lock (&share->lock);
      share->counts.input_dropped += n;
      pthread_mutex_unlock (&share->lock);
    }
  return peer->n_in == 0;
}

static gboolean
hand_all_on (AscShare *share)
{
  gboolean all = hand_on (share, share->pty);
  for (guint i = 0; i < share->viewers->len; i++)
    all &= hand_on (share, g_ptr_array_index (share->viewers, i));
  return all;
}

/* ---- the thread ---- */

static short
wanted (const AscPeer *peer)
{
  return (short)((peer->n_in == 0 ? POLLIN : 0)
                 | (asc_peer_waiting (peer) > 0 ? POLLOUT : 0));
}

static void
turn (AscShare *share, gboolean all_taken)
{
  struct pollfd fds[3 + MOST_VIEWERS];
  pthread_mutex_lock (&share->lock);
  guint n = share->viewers->len;
  gboolean pty_open = share->counts.pty_open;
  fds[0] = (struct pollfd){ .fd = share->wake[0], .events = POLLIN };
  fds[1] = (struct pollfd){ .fd = share->listener, .events = POLLIN };
  /* Closed, it would end every wait at once. */
  fds[2] = (struct pollfd){ .fd = pty_open ? share->pty->fd : -1,
                            .events = wanted (share->pty) };
  for (guint i = 0; i < n; i++)
    {
      const AscPeer *viewer = g_ptr_array_index (share->viewers, i);
      /* The end of one whose last words still wait is told once. */
      fds[3 + i] = (struct pollfd){ .fd = viewer->ended ? -1 : viewer->fd,
                                    .events = wanted (viewer) };
    }
  pthread_mutex_unlock (&share->lock);
  poll (fds, 3 + n, !all_taken ? AGAIN_MS : !pty_open ? LOOK_MS : -1);

  pthread_mutex_lock (&share->lock);
  char dropped[64];
  while (read (share->wake[0], dropped, sizeof dropped) > 0)
    ;
  share->woken = FALSE;
  serve_pty (share);
  serve_viewers (share, fds + 3, n);
  if (fds[1].revents & POLLIN)
    accept_viewer (share);
  share->counts.viewers = share->viewers->len;
  pthread_mutex_unlock (&share->lock);
}

/* Bytes that readers have not taken yet, as far as that is known. */
static gsize
left (AscShare *share, int slave)
{
  int waiting = 0;
  pthread_mutex_lock (&share->lock);
  serve_pty (share);
  gsize n = asc_peer_waiting (share->pty);
  for (guint i = 0; i < share->viewers->len; i++)
    {
      AscPeer *viewer = g_ptr_array_index (share->viewers, i);
      asc_peer_send (viewer);
      n += viewer->ended ? 0 : asc_peer_waiting (viewer);
    }
  pthread_mutex_unlock (&share->lock);
  if (slave >= 0 && ioctl (slave, FIONREAD, &waiting) == 0 && waiting > 0)
    n += (gsize)waiting;
  return n;
}

/* What a pty's reader has not taken goes away with the pty. */
static void
settle (AscShare *share)
{
  pthread_mutex_lock (&share->lock);
  serve_pty (share);
  gboolean pty_open = share->counts.pty_open;
  pthread_mutex_unlock (&share->lock);
  int slave
      = pty_open ? open (share->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
  gsize before = 0;
  int nothing = 0, still = 0;
  for (int ms = 0; ms < SETTLE_MS && nothing < SETTLE_LOOKS && still < STILL_MS;
       ms += AGAIN_MS)
    {
      gsize now = left (share, slave);
      nothing = now == 0 ? nothing + 1 : 0;
      still = now == before ? still + AGAIN_MS : 0;
      before = now;
      g_usleep (AGAIN_MS * 1000);
    }
  if (slave >= 0)
    close (slave);
}

static gboolean
stopping (AscShare *share)
{
  pthread_mutex_lock (&share->lock);
  gboolean stop = share->stop;
  pthread_mutex_unlock (&share->lock);
  return stop;
}

static void *
run (void *data)
{
  AscShare *share = data;
  gboolean all_taken = TRUE;
  while (!stopping (share))
    {
      turn (share, all_taken);
      all_taken = hand_all_on (share);
    }
  settle (share);
  return NULL;
}

/* Under the lock. */
static void
wake (AscShare *share)
{
  if (share->woken)
    return;
  share->woken = TRUE;
  while (write (share->wake[1], "", 1) < 0 && errno == EINTR)
    ;
}

/* ---- from outside ---- */

AscShare *
asc_share_new (AscShareInput input, void *user, GError **error)
{
  AscShare *share = g_new0 (AscShare, 1);
  pthread_mutex_init (&share->lock, NULL);
  share->input = input;
  share->user = user;
  share->listener = share->wake[0] = share->wake[1] = -1;
  share->viewers = g_ptr_array_new_with_free_func ((GDestroyNotify)asc_peer_free);
  int master = open_pty (&share->path, error);
  if (master >= 0)
    share->pty = asc_peer_new (master);
  if (master >= 0 && g_unix_open_pipe (share->wake, FD_CLOEXEC, error)
      && g_unix_set_fd_nonblocking (share->wake[0], TRUE, error)
      && g_unix_set_fd_nonblocking (share->wake[1], TRUE, error))
    return share;
  asc_share_free (share);
  return NULL;
}

gboolean
asc_share_listen_at (AscShare *share, const char *path, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int number = ENAMETOOLONG, fd = -1;
  if (strlen (path) < sizeof address.sun_path)
    {
      strcpy (address.sun_path, path);
      fd = socket (AF_UNIX, SOCK_STREAM, 0);
      gboolean bound
          = fd >= 0 && bind (fd, (const struct sockaddr *)&address, sizeof address) == 0;
      number = errno;
      if (bound && listen (fd, MOST_VIEWERS) == 0)
        {
          fcntl (fd, F_SETFD, FD_CLOEXEC);
          g_unix_set_fd_nonblocking (fd, TRUE, NULL);
          share->listener = fd;
          share->socket_path = g_strdup (path);
          return TRUE;
        }
    }
  if (fd >= 0)
    close (fd);
  g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
               "No socket can be made at %s: %s.", path, g_strerror (number));
  return FALSE;
}

gboolean
asc_share_listen (AscShare *share, const AscSourceSpec *spec, GError **error)
{
  share->tcp = asc_tcp_listen (spec, error);
  if (!share->tcp)
    return FALSE;
  g_socket_set_blocking (share->tcp, FALSE);
  share->listener = g_socket_get_fd (share->tcp);
  return TRUE;
}

guint16
asc_share_tcp_port (const AscShare *share)
{
  return share->tcp ? asc_tcp_local_port (share->tcp) : 0;
}

void
asc_share_start (AscShare *share)
{
  share->thread = g_thread_new ("asc-share", run, share);
}

const char *
asc_share_pty (const AscShare *share)
{
  return share->path;
}

void
asc_share_text (AscShare *share, const guint8 *bytes, gsize n)
{
  pthread_mutex_lock (&share->lock);
  /* Decided here, so that who opens the pty a moment later gets nothing older. */
  if (!share->counts.pty_open && nobody_has (share->pty->fd))
    share->counts.unheard += n;
  else
    {
      share->counts.text_dropped += asc_peer_put (share->pty, bytes, n, TEXT_ROOM);
      wake (share);
    }
  pthread_mutex_unlock (&share->lock);
}

void
asc_share_stream (AscShare *share, const guint8 *bytes, gsize n, gsize border)
{
  pthread_mutex_lock (&share->lock);
  for (guint i = 0; i < share->viewers->len; i++)
    {
      AscPeer *viewer = g_ptr_array_index (share->viewers, i);
      gsize skip = viewer->fresh ? border : 0;
      if (skip >= n)
        continue;
      viewer->fresh = FALSE;
      share->counts.stream_dropped
          += asc_peer_put (viewer, bytes + skip, n - skip, STREAM_ROOM);
    }
  if (share->viewers->len)
    wake (share);
  pthread_mutex_unlock (&share->lock);
}

void
asc_share_counts (AscShare *share, AscShareCounts *counts)
{
  pthread_mutex_lock (&share->lock);
  *counts = share->counts;
  pthread_mutex_unlock (&share->lock);
}

void
asc_share_free (AscShare *share)
{
  if (!share)
    return;
  pthread_mutex_lock (&share->lock);
  share->stop = TRUE;
  if (share->wake[1] >= 0)
    wake (share);
  pthread_mutex_unlock (&share->lock);
  if (share->thread)
    g_thread_join (share->thread);
  if (share->tcp)
    g_object_unref (share->tcp);
  else if (share->listener >= 0)
    close (share->listener);
  if (share->socket_path)
    unlink (share->socket_path);
  for (int i = 0; i < 2; i++)
    if (share->wake[i] >= 0)
      close (share->wake[i]);
  asc_peer_free (share->pty);
  g_ptr_array_unref (share->viewers);
  pthread_mutex_destroy (&share->lock);
  g_free (share->socket_path);
  g_free (share->path);
  g_free (share);
}
