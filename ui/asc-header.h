/* The header bar: connection, Disconnect, Following, title, load and margin, hogs,
 * export, menu. Its buttons call the window's actions ("win.…"). */
#ifndef ASC_HEADER_H
#define ASC_HEADER_H

#include <gtk/gtk.h>

#include "asc-document.h"

typedef struct AscHeader AscHeader;

/* The widgets belong to the window that shows asc_header_widget (). */
AscHeader *asc_header_new (AscDocument *document);
GtkWidget *asc_header_widget (AscHeader *header);
GtkWidget *asc_header_connect_button (AscHeader *header);
/* From narrow windows some words are left out. */
void asc_header_set_narrow (AscHeader *header, bool narrow);

/* The same in fewer words. */
void asc_header_set_brief (AscHeader *header, bool brief);

#endif
