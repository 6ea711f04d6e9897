/* What stands over all lanes: ruler, grid, lost stretches, marks, cursors and selection.
 */
#include "asc-format.h"
#include "asc-ruler.h"
#include "asc-scope.h"

#include <math.h>

#define LABEL_PX 88 /* least distance between labels */
#define STRETCHES_MAX 500
#define MARKS_MAX 300
#define BADGE_HEIGHT 22 /* of a length */

static AscRuler
ruler_of (const AscScope *scope, double width)
{
  AscSessionInfo info;
  AscRuler ruler;
  asc_session_info (scope->session, &info);
  asc_ruler_init (&ruler, scope->view, info.start_ns, width, LABEL_PX);
  return ruler;
}

void
asc_paint_ruler (cairo_t *cr, const AscScope *scope, double width)
{
  const AscTheme *theme = scope->theme;
  AscRuler ruler = ruler_of (scope, width);
  char label[48];
  asc_set_colour (cr, theme->line);
  double minor_px
      = asc_view_x (scope->view, scope->view->from_ns + ruler.minor_ns, width);
  if (minor_px >= 4)
    {
      for (gint64 t = ruler.first_ns - ruler.step_ns; t < scope->view->to_ns;
           t += ruler.minor_ns)
        cairo_rectangle (cr, round (asc_view_x (scope->view, t, width)), 24, 1, 5);
      cairo_fill (cr);
    }
  for (gint64 t = ruler.first_ns; t < scope->view->to_ns; t += ruler.step_ns)
    {
      double x = round (asc_view_x (scope->view, t, width));
      asc_set_colour (cr, theme->tick);
      cairo_rectangle (cr, x, 20, 1, 9);
      cairo_fill (cr);
      asc_ruler_label (&ruler, scope->view, t, label, sizeof label);
      asc_set_colour (cr, theme->text_dim);
      if (t >= ruler.origin_ns)
        asc_text_draw (scope->text, cr, ASC_FONT_MONO, ASC_ALIGN_LEFT, x + 4, 9, 0,
                       label);
    }
}

/* The time that labels count from stands beside the ruler, where no tick is. */
void
asc_paint_base (cairo_t *cr, const AscScope *scope, double width, double height)
{
  AscRuler ruler = ruler_of (scope, width);
  char label[48];
  if (scope->view->from_ns < ruler.origin_ns || asc_ruler_is_clock (&ruler))
    return;
  asc_ruler_base (&ruler, scope->view, label, sizeof label);
  asc_set_colour (cr, scope->theme->text_dim);
  asc_text_draw (scope->text, cr, ASC_FONT_MONO, ASC_ALIGN_RIGHT, scope->names_width - 8,
                 height / 2 - 6, 0, label);
}

guint
asc_scope_ticks (const AscScope *scope, double width, double *out, guint max)
{
  AscRuler ruler = ruler_of (scope, width);
  guint n = 0;
  for (gint64 t = ruler.first_ns; t < scope->view->to_ns && n < max; t += ruler.step_ns)
    out[n++] = round (asc_view_x (scope->view, t, width));
  return n;
}

static void
hatch (cairo_t *cr, const AscTheme *theme, double x, double w, double height)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, 0, w, height);
  cairo_clip (cr);
  asc_set_colour (cr, theme->base);
  cairo_paint (cr);
  asc_set_colour (cr, theme->hatch);
  cairo_set_line_width (cr, 3);
  for (double i = x - height - fmod (x - height, 9); i < x + w; i += 9)
    {
      cairo_move_to (cr, i, height);
      cairo_line_to (cr, i + height, 0);
    }
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
stretch_label (const AscStretch *stretch, char *out, gsize n)
{
  char count[40];
  asc_format_count (stretch->count, count, sizeof count);
  switch (stretch->kind)
    {
    case ASC_STRETCH_LOST:
      g_snprintf (out, (gulong)n, "lost %s", stretch->count > 0 ? count : "?");
      break;
    case ASC_STRETCH_NOT_KEPT:
      g_strlcpy (out, "not kept", n);
      break;
    case ASC_STRETCH_SILENT:
      g_strlcpy (out, "no data", n);
      break;
    }
}

/* A label in a box with its middle at x. Returns false where there is no room. */
static void
boxed (cairo_t *cr, const AscScope *scope, double x, double width, const char *label)
{
  double w = asc_text_width (scope->text, cr, ASC_FONT_SMALL, label) + 16;
  x = CLAMP (x, w / 2 + 1, MAX (width - w / 2 - 1, w / 2 + 1));
  asc_set_colour (cr, scope->theme->panel);
  asc_rounded (cr, round (x - w / 2) + 0.5, 4.5, w, 17, 3);
  cairo_fill_preserve (cr);
  asc_set_colour (cr, scope->theme->line);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  asc_set_colour (cr, scope->theme->text);
  asc_text_draw (scope->text, cr, ASC_FONT_SMALL, ASC_ALIGN_CENTRE, x, 13, 0, label);
}

void
asc_paint_lost (cairo_t *cr, const AscScope *scope, double width, double height)
{
  const AscView *view = scope->view;
  AscStretch *stretches = g_new (AscStretch, STRETCHES_MAX);
  gsize n = asc_session_stretches (scope->session, view->from_ns, view->to_ns, stretches,
                                   STRETCHES_MAX);
  const AscRow *first = asc_rows_at (scope->rows, 0);
  double top = first != NULL ? MAX (first->height - scope->scroll, 0) : 0;
  height = MIN (height, scope->rows->height - scope->scroll) - top;
  cairo_save (cr);
  cairo_translate (cr, 0, top);
  double free_from = 0;
  for (gsize i = 0; height > 0 && i < MIN (n, STRETCHES_MAX); i++)
    {
      double x = MAX (asc_view_x (view, stretches[i].from_ns, width), -4);
      double x1 = MIN (asc_view_x (view, stretches[i].to_ns, width), width + 4);
      double w = MAX (x1 - x, 2);
      char label[64];
      hatch (cr, scope->theme, x, w, height);
      stretch_label (&stretches[i], label, sizeof label);
      double half = asc_text_width (scope->text, cr, ASC_FONT_SMALL, label) / 2 + 8;
      if (x + w / 2 - half < free_from)
        continue;
      boxed (cr, scope, x + w / 2, width, label);
      free_from = x + w / 2 + half + 4;
    }
  cairo_restore (cr);
  g_free (stretches);
}

static void
flag (cairo_t *cr,
      const AscScope *scope,
      double x,
      double *free_from,
      const AscBoardMark *mark)
{
  char label[96];
  if (mark->has_value)
    g_snprintf (label, sizeof label, "%s %" G_GINT64_FORMAT, mark->name, mark->value);
  else
    g_strlcpy (label, mark->name, sizeof label);
  if (x < *free_from)
    return;
  double w = asc_text_draw (scope->text, cr, ASC_FONT_SMALL, ASC_ALIGN_LEFT, -1e4, 0, 150,
                            label)
             + 10;
  asc_set_colour (cr, scope->theme->mark);
  cairo_rectangle (cr, x, 17, w, 13);
  cairo_fill (cr);
  asc_set_colour (cr, scope->theme->on_mark);
  asc_text_draw (scope->text, cr, ASC_FONT_SMALL, ASC_ALIGN_LEFT, x + 5, 23, 150, label);
  *free_from = x + w + 2;
}

void
asc_paint_marks (cairo_t *cr, const AscScope *scope, double width, double height)
{
  const AscView *view = scope->view;
  AscBoardMark *marks = g_new (AscBoardMark, MARKS_MAX);
  gsize n
      = asc_session_marks (scope->session, view->from_ns, view->to_ns, marks, MARKS_MAX);
  double bottom = MIN (height, ASC_RULER_HEIGHT + scope->rows->height - scope->scroll);
  double free_from = -1e6;
  n = MIN (n, MARKS_MAX);
  asc_set_colour_alpha (cr, scope->theme->mark, (double)n > width / 40 ? 0.3 : 1);
  for (gsize i = 0; i < n; i++)
    cairo_rectangle (cr, round (asc_view_x (view, marks[i].time_ns, width)),
                     ASC_RULER_HEIGHT, 1, MAX (bottom - ASC_RULER_HEIGHT, 0));
  cairo_fill (cr);
  for (gsize i = 0; i < n; i++)
    flag (cr, scope, round (asc_view_x (view, marks[i].time_ns, width)), &free_from,
          &marks[i]);
  g_free (marks);
}

static void
cursor (cairo_t *cr, const AscScope *scope, int which, double width, double height)
{
  double x = round (asc_view_x (scope->view, scope->view->cursor_ns[which], width)) + 0.5;
  if (x < -10 || x > width + 10)
    return;
  static const double dashes[] = { 4, 3 };
  asc_set_colour (cr, scope->theme->accent);
  cairo_save (cr);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_move_to (cr, x, ASC_RULER_HEIGHT);
  cairo_line_to (cr, x, height);
  cairo_stroke (cr);
  cairo_restore (cr);
  asc_rounded (cr, x - 7.5, 16, 15, 13, 3);
  cairo_fill (cr);
  asc_set_colour (cr, scope->theme->on_accent);
  asc_text_draw (scope->text, cr, ASC_FONT_SMALL, ASC_ALIGN_CENTRE, x, 22, 0,
                 which == 0 ? "A" : "B");
}

/* A length over the middle of its stretch, as far as that is seen. */
static void
measure (cairo_t *cr,
         const AscScope *scope,
         const char *what,
         gint64 from_ns,
         gint64 to_ns,
         double y,
         double width)
{
  char length[40], label[128];
  double x = MAX (asc_view_x (scope->view, from_ns, width), 0);
  double x1 = MIN (asc_view_x (scope->view, to_ns, width), width);
  gint64 length_ns = to_ns - from_ns;
  asc_format_duration ((double)length_ns, length, sizeof length);
  double hz = length_ns > 0 ? 1e9 / (double)length_ns : 0;
  if (hz >= 1e6)
    g_snprintf (label, sizeof label, "%s %s · %.3g MHz", what, length, hz / 1e6);
  else if (hz >= 1e3)
    g_snprintf (label, sizeof label, "%s %s · %.4g kHz", what, length, hz / 1e3);
  else
    g_snprintf (label, sizeof label, "%s %s · %.3g Hz", what, length, hz);
  double w = asc_text_width (scope->text, cr, ASC_FONT_BODY, label) + 28;
  double middle = CLAMP ((x + x1) / 2, w / 2 + 2, MAX (width - w / 2 - 2, w / 2 + 2));
  asc_set_colour (cr, scope->theme->accent);
  asc_rounded (cr, round (middle - w / 2), y, w, BADGE_HEIGHT, 4);
  cairo_fill (cr);
  asc_set_colour (cr, scope->theme->on_accent);
  asc_text_draw (scope->text, cr, ASC_FONT_BODY, ASC_ALIGN_CENTRE, middle,
                 y + BADGE_HEIGHT / 2.0, 0, label);
}

static void
selection (cairo_t *cr, const AscScope *scope, double width, double height)
{
  const AscView *view = scope->view;
  double x = asc_view_x (view, view->selection_from_ns, width);
  double w = asc_view_x (view, view->selection_to_ns, width) - x;
  asc_set_colour_alpha (cr, scope->theme->accent, 0.16);
  cairo_rectangle (cr, x, ASC_RULER_HEIGHT, w, height);
  cairo_fill (cr);
  asc_set_colour (cr, scope->theme->accent);
  cairo_rectangle (cr, round (x), ASC_RULER_HEIGHT, 1, height);
  cairo_rectangle (cr, round (x + w), ASC_RULER_HEIGHT, 1, height);
  cairo_fill (cr);
}

static bool
is_seen (const AscView *view, gint64 ns)
{
  return ns >= view->from_ns && ns <= view->to_ns;
}

void
asc_paint_measures (cairo_t *cr, const AscScope *scope, double width, double height)
{
  const AscView *view = scope->view;
  gint64 from, to;
  if (view->has_selection)
    selection (cr, scope, width, height);
  for (int i = 0; i < 2; i++)
    if (view->has_cursor[i])
      cursor (cr, scope, i, width, height);
  const AscRow *first = asc_rows_at (scope->rows, 0);
  double y = ASC_RULER_HEIGHT
             + (first != NULL ? MAX (first->height - scope->scroll, 0) : 0) + 2;
  if (view->has_selection && view->selection_from_ns <= view->to_ns
      && view->selection_to_ns >= view->from_ns)
    {
      measure (cr, scope, "Δ", view->selection_from_ns, view->selection_to_ns, y, width);
      y += BADGE_HEIGHT + 2;
    }
  /* Where neither cursor is seen their distance would stand beside what it is not of. */
  if (asc_view_between_cursors (view, &from, &to)
      && (is_seen (view, from) || is_seen (view, to)))
    measure (cr, scope, "A–B", from, to, y, width);
}
