/* The scope as a widget: paints the document, moves its view. */
#ifndef ASC_SCOPE_VIEW_H
#define ASC_SCOPE_VIEW_H

#include <gtk/gtk.h>

#include "asc-document.h"
#include "asc-scope.h"

#define ASC_TYPE_SCOPE_VIEW (asc_scope_view_get_type ())
G_DECLARE_FINAL_TYPE (AscScopeView, asc_scope_view, ASC, SCOPE_VIEW, GtkWidget)

/* overview: a second widget that shows the same document as a strip. */
GtkWidget *asc_scope_view_new (AscDocument *document);
GtkWidget *asc_overview_view_new (AscDocument *document, AscScopeView *scope);
/* For a scroll bar beside the lanes. */
GtkAdjustment *asc_scope_view_adjustment (AscScopeView *self);
/* What is painted now, for the overview and for pictures. */
void asc_scope_view_scope (AscScopeView *self, AscScope *scope);
const AscTheme *asc_scope_view_theme (GtkWidget *widget);

#endif
