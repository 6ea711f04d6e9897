/* The window: header, message bar, scope with overview, tabs below. */
#ifndef ASC_WINDOW_H
#define ASC_WINDOW_H

#include <gtk/gtk.h>

#include "asc-document.h"

#define ASC_TYPE_WINDOW (asc_window_get_type ())
G_DECLARE_FINAL_TYPE (AscWindow, asc_window, ASC, WINDOW, GtkApplicationWindow)

AscWindow *asc_window_new (GtkApplication *application);
AscDocument *asc_window_document (AscWindow *window);
/* A file that exists is opened, anything else is connected to. */
void asc_window_take (AscWindow *window, const char *file_or_source);

#endif
