#include "asc-scope.h"

#include "asc-paint-names.h"

#include <math.h>

#define NEAR_PX 3

double
asc_scope_time_width (const AscScope *scope, double width)
{
  return MAX (width - scope->names_width, 1);
}

const AscRow *
asc_scope_row_at (const AscScope *scope, double y)
{
  if (y < ASC_RULER_HEIGHT)
    return NULL;
  return asc_rows_at (scope->rows, y - ASC_RULER_HEIGHT + scope->scroll);
}

static bool
has_runs (const AscRow *row)
{
  return row->kind == ASC_ROW_LANE && row->info.kind != ASC_LANE_PIN
         && row->info.kind != ASC_LANE_COUNTER && row->info.kind != ASC_LANE_MARK;
}

bool
asc_scope_run_at (const AscScope *scope,
                  double width,
                  double x,
                  double y,
                  const AscRow **row,
                  AscRun *run)
{
  double time_width = asc_scope_time_width (scope, width);
  double at = x - scope->names_width;
  *row = asc_scope_row_at (scope, y);
  if (scope->session == NULL || at < 0 || *row == NULL || !has_runs (*row))
    return false;
  if (asc_lane_run_at ((*row)->lane, asc_view_ns (scope->view, at, time_width), run))
    return true;
  gint64 from = asc_view_ns (scope->view, at - NEAR_PX, time_width);
  gint64 to = asc_view_ns (scope->view, at + NEAR_PX, time_width);
  return asc_lane_runs ((*row)->lane, from, to, run, 1) > 0;
}

void
asc_rounded (cairo_t *cr, double x, double y, double w, double h, double radius)
{
  radius = MIN (radius, MIN (w, h) / 2);
  cairo_new_sub_path (cr);
  cairo_arc (cr, x + w - radius, y + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, x + w - radius, y + h - radius, radius, 0, G_PI_2);
  cairo_arc (cr, x + radius, y + h - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, x + radius, y + radius, radius, G_PI, 3 * G_PI_2);
  cairo_close_path (cr);
}

static void
part (cairo_t *cr,
      const AscScope *scope,
      void (*paint) (cairo_t *, const AscScope *, double, double),
      double x,
      double y,
      double w,
      double h)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, y, w, h);
  cairo_clip (cr);
  cairo_translate (cr, x, y);
  paint (cr, scope, w, h);
  cairo_restore (cr);
}

static void
ruler_part (cairo_t *cr, const AscScope *scope, double width, double height)
{
  (void)height;
  asc_paint_ruler (cr, scope, width);
}

static void
names_part (cairo_t *cr,
            const AscScope *scope,
            double width,
            double height,
            AscNames *names)
{
  cairo_save (cr);
  cairo_rectangle (cr, 0, ASC_RULER_HEIGHT, width, height);
  cairo_clip (cr);
  cairo_translate (cr, 0, ASC_RULER_HEIGHT);
  asc_paint_names (cr, scope, width, height, names);
  cairo_restore (cr);
}

void
asc_scope_paint (cairo_t *cr,
                 const AscScope *scope,
                 double width,
                 double height,
                 AscNames *names_seen)
{
  double names = scope->names_width, time_width = asc_scope_time_width (scope, width);
  double lanes = MAX (height - ASC_RULER_HEIGHT, 1);
  cairo_save (cr);
  asc_set_colour (cr, scope->theme->panel);
  cairo_rectangle (cr, 0, 0, width, ASC_RULER_HEIGHT);
  cairo_fill (cr);
  if (scope->session == NULL)
    {
      part (cr, scope, asc_paint_backs, 0, ASC_RULER_HEIGHT, width, lanes);
      if (names_seen != NULL)
        asc_names_forget (names_seen);
    }
  else
    {
      asc_paint_base (cr, scope, time_width, ASC_RULER_HEIGHT);
      names_part (cr, scope, names, lanes, names_seen);
      if (names_seen == NULL || !asc_names_keep_below (names_seen, scope))
        part (cr, scope, asc_paint_below, names, ASC_RULER_HEIGHT, time_width, lanes);
      part (cr, scope, asc_paint_rows, names, ASC_RULER_HEIGHT, time_width, lanes);
      part (cr, scope, asc_paint_hog_labels, names, ASC_RULER_HEIGHT, time_width, lanes);
      part (cr, scope, asc_paint_lost, names, ASC_RULER_HEIGHT, time_width, lanes);
      part (cr, scope, ruler_part, names, 0, time_width, ASC_RULER_HEIGHT);
      part (cr, scope, asc_paint_marks, names, 0, time_width, height);
      part (cr, scope, asc_paint_measures, names, 0, time_width, height);
    }
  asc_set_colour (cr, scope->theme->line);
  cairo_rectangle (cr, 0, ASC_RULER_HEIGHT - 1, width, 1);
  cairo_rectangle (cr, names - 1, 0, 1, height);
  cairo_fill (cr);
  cairo_restore (cr);
}

void
asc_scope_draw_hover (cairo_t *cr, const AscScope *scope, double width, double height)
{
  cairo_save (cr);
  if (scope->session != NULL)
    asc_paint_hover (cr, scope, width, height);
  cairo_restore (cr);
}

void
asc_scope_draw (cairo_t *cr, const AscScope *scope, double width, double height)
{
  asc_scope_paint (cr, scope, width, height, NULL);
  asc_scope_draw_hover (cr, scope, width, height);
}
