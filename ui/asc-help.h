/* The list of keys, from the table that the scope itself uses. */
#ifndef ASC_HELP_H
#define ASC_HELP_H

#include <gtk/gtk.h>

void asc_help_show (GtkWindow *parent);

#endif
