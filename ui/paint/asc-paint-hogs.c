/* Labels of hogs whose bars have no room for the badge: low rows, short hogs. */
#include "asc-format.h"
#include "asc-scope.h"

#include <math.h>

#define HOGS_MAX 300
#define LEAST_PX 12     /* narrower ones have a flag */
#define BADGE_HEIGHT 17 /* of the badge in the bar */
#define LABEL_HEIGHT 14
#define GAP 4

/* As the lanes are painted: a bar is lower than its row. */
static double
bar_height (const AscRow *row)
{
  double pad = row->height >= 36 ? 9 : row->height >= 24 ? 5 : 2;
  return row->height - 2 * pad;
}

static bool
has_badge (cairo_t *cr,
           const AscScope *scope,
           const AscRow *row,
           const char *length,
           double w)
{
  char label[64];
  g_snprintf (label, sizeof label, "⚠ hog %s", length);
  return bar_height (row) >= BADGE_HEIGHT
         && w >= asc_text_width (scope->text, cr, ASC_FONT_BOLD, label) + 20;
}

static void
label_hog (cairo_t *cr,
           const AscScope *scope,
           const AscHog *hog,
           double width,
           double *free_from)
{
  const AscRow *row = asc_rows_of (scope->rows, hog->lane);
  double x = MAX (asc_view_x (scope->view, hog->start_ns, width), 0);
  double w = MIN (asc_view_x (scope->view, hog->end_ns, width), width) - x;
  char length[40], label[64];
  if (row == NULL || w < LEAST_PX)
    return;
  asc_format_duration ((double)(hog->end_ns - hog->start_ns), length, sizeof length);
  if (has_badge (cr, scope, row, length, w))
    return;
  g_snprintf (label, sizeof label, "hog %s", length);
  double text = asc_text_width (scope->text, cr, ASC_FONT_SMALL, label) + 10;
  double left = CLAMP (round (x + (w - text) / 2), 0, MAX (width - text, 0));
  double *taken = &free_from[row - &g_array_index (scope->rows->rows, AscRow, 0)];
  if (left < *taken)
    return;
  *taken = left + text + GAP;
  double middle = row->y - scope->scroll + row->height / 2;
  asc_set_colour (cr, scope->theme->warn);
  asc_rounded (cr, left, middle - LABEL_HEIGHT / 2.0, text, LABEL_HEIGHT,
               LABEL_HEIGHT / 2.0);
  cairo_fill (cr);
  asc_set_colour (cr, scope->theme->on_warn);
  asc_text_draw (scope->text, cr, ASC_FONT_SMALL, ASC_ALIGN_CENTRE, left + text / 2,
                 middle, 0, label);
}

void
asc_paint_hog_labels (cairo_t *cr, const AscScope *scope, double width, double height)
{
  AscHog hogs[HOGS_MAX];
  const AscView *view = scope->view;
  /* Only what is wide enough: so zoomed out nothing is looked for in vain. */
  double least_ns = LEAST_PX * ((double)view->to_ns - (double)view->from_ns) / width;
  gsize n = asc_session_hogs (scope->session, MAX (scope->hog_ns, (gint64)least_ns),
                              view->from_ns, view->to_ns, hogs, HOGS_MAX);
  double *free_from = g_new0 (double, MAX (scope->rows->rows->len, 1));
  (void)height;
  for (gsize i = 0; i < MIN (n, HOGS_MAX); i++)
    label_hog (cr, scope, &hogs[i], width, free_from);
  g_free (free_from);
}
