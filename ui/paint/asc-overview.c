/* The whole session in one strip. */
#include "asc-format.h"
#include "asc-scope.h"

#include <math.h>

#define SIDE 78 /* room for the time at the right */

typedef struct
{
  double x, w; /* of the part that shows time */
  gint64 from_ns, to_ns, start_ns;
} Strip;

static Strip
strip_of (const AscScope *scope, double width)
{
  AscSessionInfo info;
  asc_session_info (scope->session, &info);
  Strip strip = { .x = scope->names_width,
                  .w = MAX (width - scope->names_width - SIDE - 12, 1),
                  .from_ns = info.first_ns,
                  .start_ns = info.start_ns };
  strip.to_ns = MAX (info.end_ns, strip.from_ns + 1);
  return strip;
}

static double
strip_x (const Strip *strip, gint64 ns)
{
  double share = ((double)ns - (double)strip->from_ns)
                 / ((double)strip->to_ns - (double)strip->from_ns);
  return strip->x + CLAMP (share, -0.01, 1.01) * strip->w;
}

gint64
asc_overview_ns (const AscScope *scope, double x, double width)
{
  Strip strip = strip_of (scope, width);
  double share = CLAMP ((x - strip.x) / strip.w, 0, 1);
  return strip.from_ns + (gint64)((double)(strip.to_ns - strip.from_ns) * share);
}

static void
draw_load (cairo_t *cr, const AscScope *scope, const Strip *strip, double height)
{
  guint n = (guint)MAX (ceil (strip->w), 1);
  float *load = g_new (float, n);
  AscGrid *grid = asc_grid_new (scope->session, strip->from_ns, strip->to_ns, n);
  asc_session_load (grid, scope->precision, load);
  asc_grid_free (grid);
  asc_set_colour (cr, scope->theme->load);
  for (guint i = 0; i < n; i++)
    if (load[i] >= 0)
      {
        double h = MAX ((double)load[i] * (height - 12), 1);
        cairo_rectangle (cr, strip->x + i, height - 4 - h, 1, h);
      }
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  cairo_fill (cr);
  asc_set_colour (cr, scope->theme->hatch);
  for (guint i = 0; i < n; i++)
    if (load[i] < 0)
      cairo_rectangle (cr, strip->x + i, height - 6, 1, 2);
  cairo_fill (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  g_free (load);
}

/* A flag for each pixel in which one begins: there is none that has no flag. */
static void
draw_hogs (cairo_t *cr, const AscScope *scope, const Strip *strip)
{
  guint n = (guint)MAX (ceil (strip->w), 1);
  bool *begins = g_new (bool, n);
  AscGrid *grid = asc_grid_new (scope->session, strip->from_ns, strip->to_ns, n);
  asc_session_hog_columns (grid, scope->hog_ns, begins);
  asc_grid_free (grid);
  guint last = n;
  asc_set_colour (cr, scope->theme->warn);
  for (guint i = 0; i < n; i++)
    {
      if (!begins[i] || (last < n && i - last < 2))
        continue;
      last = i;
      double x = strip->x + i;
      cairo_move_to (cr, x - 4.5, 2);
      cairo_line_to (cr, x + 4.5, 2);
      cairo_line_to (cr, x, 9);
      cairo_close_path (cr);
    }
  cairo_fill (cr);
  g_free (begins);
}

static void
draw_frame (cairo_t *cr, const AscScope *scope, const Strip *strip, double height)
{
  double x = strip_x (strip, scope->view->from_ns),
         x1 = strip_x (strip, scope->view->to_ns);
  double w = MIN (MAX (x1 - x, 12), strip->w + 4);
  x = CLAMP (round ((x + x1 - w) / 2), strip->x - 2,
             strip->x + strip->w + 2 - MIN (w, strip->w));
  asc_set_colour_alpha (cr, scope->theme->accent, 0.12);
  asc_rounded (cr, x, 1, w, height - 3, 3);
  cairo_fill_preserve (cr);
  asc_set_colour (cr, scope->theme->accent);
  cairo_set_line_width (cr, 2);
  cairo_stroke (cr);
}

void
asc_overview_draw (cairo_t *cr, const AscScope *scope, double width, double height)
{
  char label[48];
  asc_set_colour (cr, scope->theme->panel);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  if (scope->session != NULL)
    {
      Strip strip = strip_of (scope, width);
      draw_load (cr, scope, &strip, height);
      draw_hogs (cr, scope, &strip);
      draw_frame (cr, scope, &strip, height);
      asc_set_colour (cr, scope->theme->text_dim);
      asc_format_clock (strip.from_ns - strip.start_ns, 1000000, label, sizeof label);
      asc_text_draw (scope->text, cr, ASC_FONT_MONO, ASC_ALIGN_LEFT, 13, height / 2, 0,
                     label);
      asc_format_clock (strip.to_ns - strip.start_ns, 1000000, label, sizeof label);
      asc_text_draw (scope->text, cr, ASC_FONT_MONO, ASC_ALIGN_RIGHT, width - 8,
                     height / 2, 0, label);
    }
  asc_set_colour (cr, scope->theme->line);
  cairo_rectangle (cr, 0, 0, width, 1);
  cairo_rectangle (cr, 0, height - 1, width, 1);
  cairo_fill (cr);
}
