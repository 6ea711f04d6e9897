/* The bar under the header: messages of the document, and what to do when a connection
 * shows nothing on the scope. */
#ifndef ASC_MESSAGE_H
#define ASC_MESSAGE_H

#include <gtk/gtk.h>

#include "asc-document.h"

GtkWidget *asc_message_new (AscDocument *document);

#endif
