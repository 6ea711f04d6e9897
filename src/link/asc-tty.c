/* Ptys and other plain terminals, which libserialport cannot open: it wants a sysfs entry
 * and modem lines. */
#include "asc-baud.h"
#include "asc-source-private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#ifdef __APPLE__
#define st_ctim st_ctimespec
#endif

gboolean
asc_tty_claim (int fd, const char *path, GError **error)
{
  int flags = fcntl (fd, F_GETFD);
  if (flags >= 0)
    fcntl (fd, F_SETFD, flags | FD_CLOEXEC);
  /* The lock is for those who ask for it, root included, and against ourselves; the
   * kernel's exclusive mode is for everybody else, but lets root through. */
  if (flock (fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
    {
      asc_link_error_set_open (error, path, EBUSY);
      return FALSE;
    }
  ioctl (fd, TIOCEXCL);
  return TRUE;
}

#ifdef __linux__
/* Enough for an orderly close to tell the device. */
#define CLOSE_PATIENCE_MS 20

static void *
close_thread (void *fd)
{
  close (GPOINTER_TO_INT (fd));
  return NULL;
}

/* close() waits up to 30 s for a device that takes nothing: the cdc-acm of Linux 6.1 does
 * not drop its output on tcflush() (that of 6.12 does), and the time is root's to set.
 * But a signal ends the wait, and cancelling a thread is a signal that touches nobody
 * else. */
static void
close_soon (int fd)
{
  pthread_t thread;
  if (pthread_create (&thread, NULL, close_thread, GINT_TO_POINTER (fd)))
    {
      close (fd);
      return;
    }
  gint64 end_ns
      = g_get_real_time () * 1000 + CLOSE_PATIENCE_MS * G_GINT64_CONSTANT (1000000);
  struct timespec end = { .tv_sec = end_ns / 1000000000, .tv_nsec = end_ns % 1000000000 };
  if (pthread_timedjoin_np (thread, NULL, &end) == 0)
    return;
  pthread_cancel (thread);
  pthread_join (thread, NULL);
}
#else
static void
close_soon (int fd)
{
  close (fd);
}
#endif

void
asc_tty_close (int fd)
{
  /* Exclusive mode ends with the last close only: where another program keeps the
   * terminal open (a pty's server), nobody could open it again. */
  ioctl (fd, TIOCNXCL);
  tcflush (fd, TCIOFLUSH);
  flock (fd, LOCK_UN);
  close_soon (fd);
}

static gboolean
make_raw (int fd, int baud)
{
  struct termios settings;
  if (tcgetattr (fd, &settings))
    return FALSE;
  cfmakeraw (&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (tcsetattr (fd, TCSANOW, &settings))
    return FALSE;
  return !baud || asc_baud_set (fd, baud);
}

int
asc_tty_open (const char *path, int baud, GError **error)
{
  int fd = open (path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  /* EIO: the pty's master is closed. */
  if (fd < 0)
    {
      asc_link_error_set_open (error, path, errno == EIO ? ENOENT : errno);
      return -1;
    }
  if (!isatty (fd))
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BAD_SPEC,
                   "%s is a device, but no serial port.", path);
      close (fd);
      return -1;
    }
  if (!asc_tty_claim (fd, path, error))
    {
      close (fd);
      return -1;
    }
  if (!make_raw (fd, baud))
    {
      asc_link_error_set_open (error, path, errno);
      asc_tty_close (fd);
      return -1;
    }
  return fd;
}

static gboolean
is_pty (const char *path)
{
  char *real = realpath (path, NULL);
  gboolean pty = real && g_str_has_prefix (real, "/dev/pts/");
  free (real);
  return pty;
}

static gboolean
same_link (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino
         && a->st_ctim.tv_sec == b->st_ctim.tv_sec
         && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

gboolean
asc_tty_check_name (AscSource *source, GError **error)
{
  const char *path = source->spec->path;
  struct stat now;
  gboolean there = is_pty (path) && lstat (path, &now) == 0;
  if (source->ends ? source->lost || !there
                   : source->lost && there && same_link (&now, &source->link))
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                   "The other side of %s ended.", path);
      return FALSE;
    }
  if (there)
    {
      source->ends = !S_ISLNK (now.st_mode);
      source->link = now;
    }
  return TRUE;
}

static gboolean
tty_open (AscSource *source, GError **error)
{
  const AscSourceSpec *spec = source->spec;
  if (!asc_tty_check_name (source, error))
    return FALSE;
  source->fd = asc_tty_open (spec->path, spec->baud, error);
  if (source->fd < 0)
    return FALSE;
  asc_source_set_names (source, g_strdup (spec->path),
                        g_strconcat ("tty:", spec->path, NULL));
  return TRUE;
}

static void
tty_close (AscSource *source)
{
  if (source->fd < 0)
    return;
  asc_tty_close (source->fd);
  source->fd = -1;
}

const AscBackend asc_backend_tty = {
  .open = tty_open,
  .close = tty_close,
  .reconnects = TRUE,
  .is_tty = TRUE,
  .writable = TRUE,
};
