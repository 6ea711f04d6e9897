/* Files, FIFOs and standard input: read to the end, once. */
#include "asc-source-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
file_open (AscSource *source, GError **error)
{
  const char *path = source->spec->path;
  /* Not blocking: a FIFO nobody writes to yet would hold up the opening, out of reach of
   * a wake. */
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    {
      asc_link_error_set_open (error, path, errno);
      return FALSE;
    }
  struct stat info;
  if (fstat (fd, &info) == 0 && S_ISDIR (info.st_mode))
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BAD_SPEC, "%s is a folder.",
                   path);
      close (fd);
      return FALSE;
    }
  source->fd = fd;
  asc_source_set_names (source, g_path_get_basename (path),
                        g_strconcat ("file:", path, NULL));
  return TRUE;
}

static void
file_close (AscSource *source)
{
  if (source->fd >= 0)
    close (source->fd);
  source->fd = -1;
}

static gboolean
stdin_open (AscSource *source, GError **error)
{
  if (fcntl (STDIN_FILENO, F_GETFD) < 0)
    {
      g_set_error_literal (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                           "Standard input is closed.");
      return FALSE;
    }
  source->fd = STDIN_FILENO;
  asc_source_set_names (source, g_strdup ("Standard input"), g_strdup ("-"));
  return TRUE;
}

static void
stdin_close (AscSource *source)
{
  source->fd = -1;
}

const AscBackend asc_backend_file = { .open = file_open, .close = file_close };
const AscBackend asc_backend_stdin = { .open = stdin_open, .close = stdin_close };
