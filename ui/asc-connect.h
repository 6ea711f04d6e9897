/* The connection button: ports, the demo board, an address to type. */
#ifndef ASC_CONNECT_H
#define ASC_CONNECT_H

#include <gtk/gtk.h>

#include "asc-document.h"

GtkWidget *asc_connect_button_new (AscDocument *document);
void asc_connect_button_popup (GtkWidget *button);

#endif
