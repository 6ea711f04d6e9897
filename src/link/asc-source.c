/* The interface, and the reading and writing of descriptors that all backends share. */
#include "asc-source-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* A descriptor that says "readable" and has nothing is asked again this often at once,
 * then at this pace: no driver's fault may cost a whole CPU. */
#define EMPTY_READS 3
#define EMPTY_PAUSE_MS 20
#define WRITE_WAIT_MS 50

static const AscBackend *
backend_of (AscSourceKind kind)
{
  switch (kind)
    {
    case ASC_SOURCE_SERIAL:
      return &asc_backend_serial;
    case ASC_SOURCE_TTY:
      return &asc_backend_tty;
    case ASC_SOURCE_TCP:
      return &asc_backend_tcp;
    case ASC_SOURCE_LISTEN:
      return &asc_backend_listen;
    case ASC_SOURCE_UNIX:
      return &asc_backend_unix;
    case ASC_SOURCE_STDIN:
      return &asc_backend_stdin;
    case ASC_SOURCE_FILE:
      return &asc_backend_file;
    case ASC_SOURCE_DEMO:
      break;
    }
  return &asc_backend_demo;
}

AscSource *
asc_source_open_cancellable (const AscSourceSpec *spec,
                             GCancellable *cancellable,
                             GError **error)
{
  const AscBackend *backend = backend_of (spec->kind);
  AscSource *source = g_new0 (AscSource, 1);
  source->backend = backend;
  source->spec = asc_source_spec_copy (spec);
  source->cancellable = cancellable ? g_object_ref (cancellable) : g_cancellable_new ();
  /* Kept for as long as the source lives: GLib makes a new one for every first user. */
  source->wake_fd = g_cancellable_get_fd (source->cancellable);
  source->fd = -1;
  if (backend->open (source, error))
    return source;
  asc_source_free (source);
  return NULL;
}

AscSource *
asc_source_open (const AscSourceSpec *spec, GError **error)
{
  return asc_source_open_cancellable (spec, NULL, error);
}

void
asc_source_set_names (AscSource *source, char *description, char *identity)
{
  g_free (source->description);
  g_free (source->identity);
  source->description = description;
  source->identity = identity;
}

void
asc_source_wake (AscSource *source)
{
  g_cancellable_cancel (source->cancellable);
}

static gboolean
was_woken (AscSource *source, GError **error)
{
  if (!g_cancellable_is_cancelled (source->cancellable))
    return FALSE;
  g_cancellable_reset (source->cancellable);
  g_set_error_literal (error, ASC_LINK_ERROR, ASC_LINK_ERROR_CANCELLED, "Stopped.");
  return TRUE;
}

int
asc_source_poll (AscSource *source, int fd, short events, int wait_ms, GError **error)
{
  gint64 until = g_get_monotonic_time () + (gint64)wait_ms * 1000;
  struct pollfd fds[2] = {
    { .fd = fd, .events = events },
    { .fd = source->wake_fd, .events = POLLIN },
  };
  int n;
  do
    {
      gint64 left = (until - g_get_monotonic_time () + 999) / 1000;
      n = poll (fds, 2, wait_ms < 0 ? -1 : (int)CLAMP (left, 0, wait_ms));
    }
  while (n < 0 && errno == EINTR);
  if (was_woken (source, error))
    return -1;
  return n > 0 ? fds[0].revents : 0;
}

/* What a read that brought nothing means: TRUE to go on waiting. */
static gboolean
explain_empty (AscSource *source, gssize n, int number, int revents, GError **error)
{
  int waiting;
  gboolean hung_up = revents & (POLLHUP | POLLERR | POLLNVAL);
  gboolean again = n < 0 && (number == EAGAIN || number == EINTR);
  if (n < 0 && !again && number != EIO && number != ENXIO && number != ENODEV
      && number != ECONNRESET && number != EPIPE && number != ETIMEDOUT)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "Reading from %s failed: %s.", source->description,
                   g_strerror (number));
      return FALSE;
    }
  /* An unplugged port reads as "0 bytes, no error" under VMIN 0: only asking for the
   * number of waiting bytes tells it from a port that is merely silent. */
  if (again && !hung_up)
    return TRUE;
  if (n == 0 && source->backend->is_tty && !hung_up
      && ioctl (source->fd, FIONREAD, &waiting) == 0)
    return TRUE;
  if (source->ends)
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_GONE,
                 "The other side of %s ended.", source->spec->path);
  else if (source->backend->is_tty)
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_GONE,
                 "%s was unplugged or closed.", source->description);
  else
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_GONE, "%s ended the connection.",
                 source->description);
  return FALSE;
}

gssize
asc_source_read (AscSource *source, void *buffer, gsize size, GError **error)
{
  const AscBackend *backend = source->backend;
  if ((source->gone || source->fd < 0) && backend->attach
      && !asc_source_reopen (source, -1, error))
    return -1;
  if (source->gone || source->fd < 0)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_GONE, "%s is not connected.",
                   source->description);
      return -1;
    }
  for (unsigned empty = 0;; empty++)
    {
      if (empty >= EMPTY_READS
          && asc_source_poll (source, -1, 0, EMPTY_PAUSE_MS, error) < 0)
        return -1;
      int revents = asc_source_poll (source, source->fd, POLLIN, -1, error);
      if (revents < 0)
        return -1;
      gssize n = read (source->fd, buffer, size);
      int number = errno;
      if (n > 0 || (n == 0 && !backend->reconnects))
        return n;
      g_autoptr (GError) why = NULL;
      if (explain_empty (source, n, number, revents, &why))
        continue;
      source->gone = source->lost = TRUE;
      /* For a device that never comes back this is the end of its bytes. */
      if (!backend->reconnects && why->code == ASC_LINK_ERROR_GONE)
        return 0;
      g_propagate_error (error, g_steal_pointer (&why));
      return -1;
    }
}

gssize
asc_source_write (AscSource *source, const void *bytes, gsize n, GError **error)
{
  const char *from = bytes;
  gsize done = 0;
  if (!source->backend->writable || source->fd < 0)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   source->backend->writable ? "%s is not connected."
                                             : "%s takes no input.",
                   source->description);
      return -1;
    }
  gint64 until = g_get_monotonic_time () + WRITE_WAIT_MS * 1000;
  while (done < n)
    {
      /* A peer that left must not raise SIGPIPE in a program that did not ask for it. */
      gssize wrote = source->backend->is_tty ? write (source->fd, from + done, n - done)
                                             : send (source->fd, from + done, n - done,
                                                     MSG_NOSIGNAL | MSG_DONTWAIT);
      if (wrote >= 0)
        done += (gsize)wrote;
      else if (errno != EAGAIN && errno != EINTR)
        {
          g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                       "Writing to %s failed: %s.", source->description,
                       g_strerror (errno));
          return -1;
        }
      gint64 left = (until - g_get_monotonic_time ()) / 1000;
      if (done == n || left <= 0)
        break;
      struct pollfd out = { .fd = source->fd, .events = POLLOUT };
      poll (&out, 1, (int)left);
    }
  return (gssize)done;
}

gboolean
asc_source_spec_writable (const AscSourceSpec *spec)
{
  return backend_of (spec->kind)->writable;
}

gboolean
asc_source_spec_reopens (const AscSourceSpec *spec)
{
  const AscBackend *backend = backend_of (spec->kind);
  return backend->reconnects && !backend->attach;
}

gboolean
asc_source_reconnects (const AscSource *source)
{
  return source->backend->reconnects && !source->ends;
}

gboolean
asc_source_connected (const AscSource *source)
{
  return source->fd >= 0 && !source->gone;
}

gboolean
asc_source_reopen (AscSource *source, int wait_ms, GError **error)
{
  const AscBackend *backend = source->backend;
  backend->close (source);
  source->gone = FALSE;
  if (backend->attach)
    return backend->attach (source, wait_ms, error);
  if (asc_source_poll (source, -1, 0, wait_ms, error) < 0)
    return FALSE;
  if (!backend->open (source, error))
    return FALSE;
  source->lost = FALSE;
  return TRUE;
}

void
asc_source_close (AscSource *source)
{
  source->backend->close (source);
  if (source->backend->dispose)
    source->backend->dispose (source);
}

void
asc_source_free (AscSource *source)
{
  if (!source)
    return;
  asc_source_close (source);
  if (source->wake_fd >= 0)
    g_cancellable_release_fd (source->cancellable);
  g_object_unref (source->cancellable);
  asc_source_spec_free (source->spec);
  g_free (source->description);
  g_free (source->identity);
  g_free (source);
}

const char *
asc_source_describe (const AscSource *source)
{
  return source->description;
}

const char *
asc_source_identity (const AscSource *source)
{
  return source->identity;
}
