/* The card about what the pointer is on, and a frame around it. */
#include "asc-hover.h"
#include "asc-waits.h"

#include <math.h>

#define CARD_WIDTH 268
#define CARD_WIDEST 400
#define LINE_HEIGHT 19
#define PAD 12
#define GAP 12 /* between a label and its value */

static AscFont
label_font (guint line)
{
  return line == 0 ? ASC_FONT_BOLD : ASC_FONT_SMALL;
}

static AscFont
value_font (guint line)
{
  return line == 0 ? ASC_FONT_MONO : ASC_FONT_SMALL_MONO;
}

static double
card_width (cairo_t *cr, const AscScope *scope, const AscHoverLine *lines, guint n)
{
  double width = CARD_WIDTH;
  for (guint i = 0; i < n; i++)
    width = MAX (width,
                 asc_text_width (scope->text, cr, label_font (i), lines[i].label)
                     + asc_text_width (scope->text, cr, value_font (i), lines[i].value)
                     + 2 * PAD + GAP);
  return MIN (ceil (width), CARD_WIDEST);
}

static void
draw_card (cairo_t *cr,
           const AscScope *scope,
           const AscHoverLine *lines,
           guint n,
           double width,
           double height)
{
  double h = n * LINE_HEIGHT + 14, w = card_width (cr, scope, lines, n);
  double x = scope->pointer_x + 16, y = scope->pointer_y + 16;
  if (x + w > width - 4)
    x = scope->pointer_x - 16 - w;
  if (y + h > height - 4)
    y = MIN (scope->pointer_y - 16, height - 4) - h;
  x = round (MAX (x, 4));
  y = round (MAX (y, 4));
  asc_set_colour (cr, scope->theme->panel);
  asc_rounded (cr, x + 0.5, y + 0.5, w, h, 8);
  cairo_fill_preserve (cr);
  asc_set_colour (cr, scope->theme->line);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  for (guint i = 0; i < n; i++)
    {
      double middle = y + 7 + (i + 0.5) * LINE_HEIGHT;
      asc_set_colour (cr, scope->theme->text);
      double used = asc_text_draw (scope->text, cr, value_font (i), ASC_ALIGN_RIGHT,
                                   x + w - PAD, middle, w - 2 * PAD - 60, lines[i].value);
      asc_set_colour (cr, i == 0 ? scope->theme->text : scope->theme->text_dim);
      asc_text_draw (scope->text, cr, label_font (i), ASC_ALIGN_LEFT, x + PAD, middle,
                     MAX (w - 2 * PAD - GAP - used, 20), lines[i].label);
    }
}

/* Which run it is about: it may have left the pointer. */
static void
draw_frame (cairo_t *cr, const AscScope *scope, double width, double height)
{
  const AscHover *hover = scope->hover;
  const AscRow *row = asc_rows_of (scope->rows, hover->lane);
  double time_width = asc_scope_time_width (scope, width);
  if (row == NULL)
    return;
  bool waits = hover->kind == ASC_HOVER_WAIT;
  gint64 from = waits ? asc_run_due_ns (&hover->run) : hover->run.start_ns;
  gint64 to = waits ? hover->run.start_ns : hover->run.end_ns;
  double x = MAX (round (asc_view_x (scope->view, from, time_width)), -4);
  double x1 = MIN (round (asc_view_x (scope->view, to, time_width)), time_width + 4);
  if (x1 < -2 || x > time_width + 2)
    return;
  cairo_save (cr);
  cairo_rectangle (cr, scope->names_width, ASC_RULER_HEIGHT, time_width,
                   MAX (height - ASC_RULER_HEIGHT, 0));
  cairo_clip (cr);
  asc_rounded (cr, scope->names_width + x - 1.5,
               ASC_RULER_HEIGHT + row->y - scope->scroll + 1.5, MAX (x1 - x, 1) + 3,
               row->height - 3, 2);
  asc_set_colour (cr, scope->theme->text);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  cairo_restore (cr);
}

void
asc_paint_hover (cairo_t *cr, const AscScope *scope, double width, double height)
{
  AscHoverLine lines[ASC_HOVER_LINES];
  if (scope->hover == NULL || scope->hover->kind == ASC_HOVER_NOTHING)
    return;
  guint n = asc_hover_lines (scope->session, scope->hover, lines);
  draw_frame (cr, scope, width, height);
  draw_card (cr, scope, lines, n, width, height);
}
