/* The column of names, and what it shows where it stays from one frame to the next. */
#ifndef ASC_PAINT_NAMES_H
#define ASC_PAINT_NAMES_H

#include "asc-scope.h"

typedef struct AscNames AscNames;

AscNames *asc_names_new (void);
void asc_names_free (AscNames *names);
/* The surface was painted over, or is another one. */
void asc_names_forget (AscNames *names);
/* How many rows were painted since the start. */
guint64 asc_names_painted (const AscNames *names);

/* After asc_paint_names (): whether what is below the rows still is as it was painted. */
bool asc_names_keep_below (AscNames *names, const AscScope *scope);

/* The column's corner is at 0,0. seen: only rows that read differently than on the
 * surface are painted; NULL for all. */
void asc_paint_names (cairo_t *cr,
                      const AscScope *scope,
                      double width,
                      double height,
                      AscNames *seen);

#endif
