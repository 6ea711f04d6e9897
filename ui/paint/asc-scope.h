/* Paints the scope: ruler, names, lanes, lost stretches, cursors, hover. The same for the
 * screen, PNG, SVG and PDF. One thread; the session may grow meanwhile. */
#ifndef ASC_SCOPE_H
#define ASC_SCOPE_H

#include "asc-load.h"
#include "asc-rows.h"
#include "asc-text.h"
#include "asc-view.h"

#define ASC_RULER_HEIGHT 30
#define ASC_OVERVIEW_HEIGHT 34
#define ASC_NAMES_WIDTH 214  /* of the names' column, at first */
#define ASC_NAMES_NARROW 158 /* in windows under 900 pixels */

typedef struct AscHover AscHover; /* asc-hover.h */

typedef struct
{
  const AscSession *session; /* NULL: an empty scope */
  const AscView *view;
  const AscTheme *theme;
  AscText *text;
  const AscRows *rows;
  double names_width;
  double scroll;         /* of the rows, pixels */
  const AscLane *chosen; /* may be NULL */
  const double *percent; /* CPU % by lane index, negative unknown; may be NULL */
  guint n_percent;
  gint64 hog_ns;
  AscPrecision precision;
  bool pointer_inside;
  double pointer_x; /* from the scope's corner */
  double pointer_y;
  const AscHover *hover; /* NULL: no card */
} AscScope;

void asc_scope_draw (cairo_t *cr, const AscScope *scope, double width, double height);
/* The same in two steps: all but the hover, and the hover. names: see asc-paint-names.h;
 * may be NULL. */
struct AscNames;
void asc_scope_paint (cairo_t *cr,
                      const AscScope *scope,
                      double width,
                      double height,
                      struct AscNames *names);
void
asc_scope_draw_hover (cairo_t *cr, const AscScope *scope, double width, double height);

/* Width of the part that shows time, and from there to a place in it. */
double asc_scope_time_width (const AscScope *scope, double width);
/* The row under a place of the scope, or NULL. */
const AscRow *asc_scope_row_at (const AscScope *scope, double y);
/* The run under the pointer or within 3 pixels of it. */
bool asc_scope_run_at (const AscScope *scope,
                       double width,
                       double x,
                       double y,
                       const AscRow **row,
                       AscRun *run);

/* Parts, in files of their own. */

/* Lanes of the rows that are seen, into the time part (its corner at 0,0). */
void asc_paint_rows (cairo_t *cr, const AscScope *scope, double width, double height);
/* What is below the rows. */
void asc_paint_below (cairo_t *cr, const AscScope *scope, double width, double height);
/* Bands behind rows, for lanes and names alike, and what is below them. */
void asc_paint_backs (cairo_t *cr, const AscScope *scope, double width, double height);
void asc_paint_back (cairo_t *cr, const AscScope *scope, guint row, double width);
AscColour asc_row_colour (const AscScope *scope, guint row);
bool asc_row_has_edge (const AscRow *row);
void asc_paint_ruler (cairo_t *cr, const AscScope *scope, double width);
/* width: of the part that shows time. */
void asc_paint_base (cairo_t *cr, const AscScope *scope, double width, double height);
/* Places of the ruler's ticks, whole pixels; at most max, returns how many. */
guint asc_scope_ticks (const AscScope *scope, double width, double *out, guint max);
void asc_paint_lost (cairo_t *cr, const AscScope *scope, double width, double height);
void asc_paint_measures (cairo_t *cr, const AscScope *scope, double width, double height);
/* Over the lanes, for hogs whose bars are too low or short for a badge. */
void
asc_paint_hog_labels (cairo_t *cr, const AscScope *scope, double width, double height);
void asc_paint_marks (cairo_t *cr, const AscScope *scope, double width, double height);
void asc_paint_hover (cairo_t *cr, const AscScope *scope, double width, double height);

/* A box with round corners as the current path. */
void asc_rounded (cairo_t *cr, double x, double y, double w, double h, double radius);

/* The whole session as a strip: load, hogs, and a frame around what is seen. */
void asc_overview_draw (cairo_t *cr, const AscScope *scope, double width, double height);
/* The time at x of the overview. */
gint64 asc_overview_ns (const AscScope *scope, double x, double width);

#endif
