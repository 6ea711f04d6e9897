#include "asc-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#endif

/* Between two looks at the cancellable; a system copies this in some milliseconds. */
#define PIECE ((guint64)16 << 20)
#define BUFFER ((gsize)1 << 20)

typedef struct
{
  int from;
  int to;
  guint64 done;
  guint64 length;
  bool by_hand; /* copy_file_range can not */
} Copy;

static bool
reflink (Copy *copy)
{
#ifdef FICLONE
  if (ioctl (copy->to, FICLONE, copy->from) == 0
      && ftruncate (copy->to, (off_t)copy->length) == 0)
    return true;
#endif
  (void)copy;
  return false;
}

static int
write_all (int fd, const guint8 *bytes, gsize n)
{
  while (n)
    {
      gssize done = write (fd, bytes, n);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return done < 0 ? errno : EIO;
      bytes += done;
      n -= (gsize)done;
    }
  return 0;
}

/* A piece through memory. */
static int
copy_by_hand (Copy *copy, guint64 n)
{
  guint8 *buffer = g_malloc (BUFFER);
  int number = 0;
  while (n && !number)
    {
      gssize got = pread (copy->from, buffer, (gsize)MIN (n, BUFFER), (off_t)copy->done);
      if (got < 0 && errno == EINTR)
        continue;
      number = got < 0    ? errno
               : got == 0 ? EIO
                          : write_all (copy->to, buffer, (gsize)got);
      if (!number)
        {
          copy->done += (guint64)got;
          n -= (guint64)got;
        }
    }
  g_free (buffer);
  return number;
}

static int
copy_piece (Copy *copy)
{
  guint64 n = MIN (PIECE, copy->length - copy->done);
#ifdef __linux__
  if (!copy->by_hand)
    {
      off_t at = (off_t)copy->done;
      gssize got = copy_file_range (copy->from, &at, copy->to, NULL, (gsize)n, 0);
      if (got > 0)
        {
          copy->done += (guint64)got;
          return 0;
        }
      if (got < 0 && errno == ENOSPC)
        return ENOSPC;
      copy->by_hand = true;
    }
#endif
  return copy_by_hand (copy, n);
}

static void
sync_directory (const char *path)
{
  char *directory = g_path_get_dirname (path);
  int fd = open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0)
    {
      fsync (fd);
      close (fd);
    }
  g_free (directory);
}

static int
copy_all (Copy *copy,
          GCancellable *cancellable,
          void (*progress) (void *user, double done),
          void *user)
{
  int number = 0;
  if (reflink (copy))
    copy->done = copy->length;
  while (!number && copy->done < copy->length)
    {
      if (g_cancellable_is_cancelled (cancellable))
        return ECANCELED;
      number = copy_piece (copy);
      if (progress && !number)
        progress (user, (double)copy->done / (double)copy->length);
    }
  return number;
}

bool
asc_copy_file (int fd,
               guint64 length,
               const char *path,
               GCancellable *cancellable,
               void (*progress) (void *user, double done),
               void *user,
               GError **error)
{
  char *directory = g_path_get_dirname (path);
  char *base = g_path_get_basename (path);
  char *temporary = g_strdup_printf ("%s/.%s.XXXXXX", directory, base);
  Copy copy = { .from = fd, .length = length };
  int number = 0;
  copy.to = g_mkstemp_full (temporary, O_RDWR | O_CLOEXEC, 0600);
  if (copy.to < 0)
    number = errno;
  else
    {
      number = copy_all (&copy, cancellable, progress, user);
      if (!number && fsync (copy.to) != 0)
        number = errno;
      close (copy.to);
      if (!number && rename (temporary, path) != 0)
        number = errno;
      if (number)
        unlink (temporary);
      else
        sync_directory (path);
    }
  if (number == ECANCELED)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Saving was cancelled.");
  else if (number)
    g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (number),
                 "%s can not be written: %s.", path, g_strerror (number));
  g_free (temporary);
  g_free (base);
  g_free (directory);
  return number == 0;
}
