#include "asc-file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asc-deframer.h"

/* Fits the second-level cache, so that the decoder finds the piece there. */
#define PIECE ((gsize)256 << 10)

struct AscFileReader
{
  int fd;
  bool regular;
  bool has_frame; /* one was seen; the search costs nothing from then on */
  char *name;
  guint64 size;
  guint64 position;
  guint8 *buffer;
  AscDeframer deframer;
};

G_DEFINE_QUARK (asc - file - error - quark, asc_file_error)

static void
on_frame (void *user, const AscFrame *frame)
{
  AscFileReader *reader = user;
  (void)frame;
  reader->has_frame = true;
}

static int
open_path (const char *path, struct stat *st)
{
  int fd = strcmp (path, "-") == 0 ? fcntl (STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return -1;
  int number = 0;
  if (fstat (fd, st) != 0)
    number = errno;
  else if (S_ISDIR (st->st_mode))
    number = EISDIR;
  if (!number)
    return fd;
  close (fd);
  errno = number;
  return -1;
}

AscFileReader *
asc_file_open (const char *path, GError **error)
{
  static const AscDeframerSink sink = { .frame = on_frame };
  const char *name = strcmp (path, "-") == 0 ? "Standard input" : path;
  struct stat st;
  int fd = open_path (path, &st);
  if (fd < 0)
    {
      int number = errno;
      g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (number),
                   "%s can not be read: %s.", name, g_strerror (number));
      return NULL;
    }
  if (S_ISREG (st.st_mode) && st.st_size == 0)
    {
      g_set_error (error, ASC_FILE_ERROR, ASC_FILE_ERROR_EMPTY, "%s is empty.", name);
      close (fd);
      return NULL;
    }
  AscFileReader *reader = g_new0 (AscFileReader, 1);
  reader->fd = fd;
  reader->regular = S_ISREG (st.st_mode);
  reader->name = g_strdup (name);
  if (reader->regular)
    reader->size = (guint64)st.st_size;
  reader->buffer = g_malloc (PIECE);
  asc_deframer_init (&reader->deframer, &sink, reader, 0);
#ifdef POSIX_FADV_SEQUENTIAL
  posix_fadvise (fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  return reader;
}

static bool
check_end (AscFileReader *reader, GError **error)
{
  if (!reader->has_frame)
    asc_deframer_finish (&reader->deframer);
  if (reader->has_frame)
    return true;
  if (reader->position == 0)
    g_set_error (error, ASC_FILE_ERROR, ASC_FILE_ERROR_EMPTY, "%s is empty.",
                 reader->name);
  else
    g_set_error (error, ASC_FILE_ERROR, ASC_FILE_ERROR_NOT_A_TRACE,
                 "%s is not a trace: there is no frame of aioscope in it.", reader->name);
  return false;
}

bool
asc_file_wait (AscFileReader *reader, int timeout_ms)
{
  struct pollfd fd = { .fd = reader->fd, .events = POLLIN };
  return reader->regular || poll (&fd, 1, timeout_ms) > 0;
}

gssize
asc_file_next (AscFileReader *reader, const guint8 **bytes, GError **error)
{
  gssize got;
  do
    got = reader->regular
              ? pread (reader->fd, reader->buffer, PIECE, (off_t)reader->position)
              : read (reader->fd, reader->buffer, PIECE);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    {
      int number = errno;
      g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (number),
                   "Reading %s failed: %s.", reader->name, g_strerror (number));
      return -1;
    }
  if (got == 0)
    return check_end (reader, error) ? 0 : -1;
  if (!reader->has_frame)
    asc_deframer_feed (&reader->deframer, reader->buffer, (gsize)got);
  reader->position += (guint64)got;
  *bytes = reader->buffer;
  return got;
}

guint64
asc_file_size (const AscFileReader *reader)
{
  return reader->size;
}

guint64
asc_file_position (const AscFileReader *reader)
{
  return reader->position;
}

void
asc_file_close (AscFileReader *reader)
{
  if (!reader)
    return;
  close (reader->fd);
  g_free (reader->buffer);
  g_free (reader->name);
  g_free (reader);
}
