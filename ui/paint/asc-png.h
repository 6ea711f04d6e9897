/* A picture as a PNG file. */
#ifndef ASC_PNG_H
#define ASC_PNG_H

#include <cairo.h>
#include <glib.h>
#include <stdbool.h>

/* surface: an image. A file that is there is replaced at the end, when all is written,
 * and stays as it was when that fails; what is no regular file (a pipe, "/dev/stdout") is
 * written into. False: error (G_FILE_ERROR) says why, for people. Any thread. */
bool asc_png_write (cairo_surface_t *surface, const char *path, GError **error);

#endif
