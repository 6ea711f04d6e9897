/* What the program remembers between starts. Where the schema is not installed nothing is
 * remembered, and nothing breaks. Main thread only. */
#ifndef ASC_SETTINGS_H
#define ASC_SETTINGS_H

#include <gtk/gtk.h>
#include <stdbool.h>

void asc_settings_place_window (GtkWindow *window);
void asc_settings_keep_window (GtkWindow *window);

/* The theme that the user chose: 1 dark, 0 light, -1 never chose. */
int asc_settings_dark (void);
void asc_settings_keep_dark (bool dark);

#endif
