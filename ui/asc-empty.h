/* The page of an empty window: connect, open, try the demo, recordings to recover. */
#ifndef ASC_EMPTY_H
#define ASC_EMPTY_H

#include <gtk/gtk.h>

#include "asc-document.h"

GtkWidget *asc_empty_new (AscDocument *document);
/* Lists ports, recent files and recordings anew. */
void asc_empty_refresh (GtkWidget *empty);

#endif
