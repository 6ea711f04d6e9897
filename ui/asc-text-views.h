/* The tabs that are lists of text: Terminal (what the board printed) and Problems (what
 * was lost, skipped or is doubtful, with its place). */
#ifndef ASC_TEXT_VIEWS_H
#define ASC_TEXT_VIEWS_H

#include <gtk/gtk.h>

#include "asc-document.h"

GtkWidget *asc_terminal_view_new (AscDocument *document);
/* The line to type at the board; part of the terminal's tab. */
GtkWidget *asc_terminal_input_new (AscDocument *document);
GtkWidget *asc_problems_view_new (AscDocument *document);

#endif
