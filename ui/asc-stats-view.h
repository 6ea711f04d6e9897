/* The table of statistics: sortable, filterable, in step with the chosen lane. */
#ifndef ASC_STATS_VIEW_H
#define ASC_STATS_VIEW_H

#include <gtk/gtk.h>

#include "asc-document.h"

GtkWidget *asc_stats_view_new (AscDocument *document);
/* Leaves out what is least missed, so that the longest run is in sight. */
void asc_stats_view_set_narrow (GtkWidget *view, bool narrow);

#endif
