/* The scope in words, for screen readers. */
#ifndef ASC_SCOPE_DESCRIBE_H
#define ASC_SCOPE_DESCRIBE_H

#include <gtk/gtk.h>

#include "asc-document.h"
#include "asc-hover.h"

/* Tables say what the picture says; this is its summary, and what the card tells. */
void asc_scope_describe (GtkWidget *scope, AscDocument *document, const AscHover *hover);

#endif
