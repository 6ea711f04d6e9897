/* The window's actions ("win.…") and their accelerators: what menus, buttons and keys
 * call. */
#ifndef ASC_ACTIONS_H
#define ASC_ACTIONS_H

#include <gtk/gtk.h>

#include "asc-document.h"

typedef struct
{
  GtkWidget *connect; /* the connection button */
  GtkWidget *filter;  /* takes the focus for "find" */
  GtkWidget *scope;   /* for the picture */
  GtkWidget *tables;  /* the stack of them; "statistics" has the filter */
} AscActionWidgets;

void asc_actions_add (GtkWindow *window,
                      AscDocument *document,
                      const AscActionWidgets *widgets);
/* What can be done now depends on the document's state. */
void asc_actions_update (GtkWindow *window, AscDocument *document);
/* Shows the dark theme or the light one, this time. */
void asc_actions_show_dark (GtkWindow *window, bool dark);
/* Once for the application. */
void asc_actions_set_accels (GtkApplication *application);

#endif
