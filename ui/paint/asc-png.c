#include "asc-png.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static cairo_status_t
append (void *closure, const unsigned char *bytes, unsigned n)
{
  g_byte_array_append (closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

static bool
write_into (const GByteArray *png, const char *path, GError **error)
{
  FILE *file = g_fopen (path, "we");
  bool done = file && fwrite (png->data, 1, png->len, file) == png->len;
  int number = errno;
  if (file && fclose (file) != 0 && done)
    {
      number = errno;
      done = false;
    }
  if (!done)
    g_set_error_literal (error, G_FILE_ERROR, (int)g_file_error_from_errno (number),
                         g_strerror (number));
  return done;
}

static bool
replace (const GByteArray *png, const char *path, GError **error)
{
  GError *failed = NULL;
  if (g_file_set_contents_full (path, (const char *)png->data, (gssize)png->len,
                                G_FILE_SET_CONTENTS_CONSISTENT, 0666, &failed))
    return true;
  /* Its own sentence names a file that nobody knows. */
  const char *reason = strrchr (failed->message, ':');
  g_set_error (error, failed->domain, failed->code, "%s",
               reason ? reason + 2 : failed->message);
  g_error_free (failed);
  return false;
}

bool
asc_png_write (cairo_surface_t *surface, const char *path, GError **error)
{
  GByteArray *png = g_byte_array_new ();
  bool done = cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS
              && cairo_surface_write_to_png_stream (surface, append, png)
                     == CAIRO_STATUS_SUCCESS;
  GStatBuf status;
  char *target
      = realpath (path, NULL); /* what a link leads to is replaced, not the link */
  if (!done)
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_NOMEM,
                         "the picture is too large");
  else if (g_stat (path, &status) == 0 && !S_ISREG (status.st_mode))
    done = write_into (png, path, error);
  else
    done = replace (png, target ? target : path, error);
  free (target);
  g_byte_array_free (png, TRUE);
  return done;
}
