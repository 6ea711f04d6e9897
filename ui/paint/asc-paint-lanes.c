/* The lanes: where they stand, and what is behind them. */
#include "asc-paint-lane.h"

#include <math.h>

#define TICKS_MAX 200

double
asc_paint_snap (const AscPaintLane *lane, double x)
{
  return round (x * lane->scale) / lane->scale;
}

static AscColour
colour_of (const AscTheme *theme, const AscRow *row)
{
  switch (row->info.kind)
    {
    case ASC_LANE_IDLE:
    case ASC_LANE_DRAIN:
      return theme->idle;
    case ASC_LANE_GC:
      return theme->gc;
    case ASC_LANE_PIN:
      return theme->level;
    case ASC_LANE_COUNTER:
      return theme->counter;
    case ASC_LANE_TASK:
    case ASC_LANE_SPAN:
    case ASC_LANE_MARK:
    case ASC_LANE_N_KINDS:
      break;
    }
  return theme->task[row->colour % ASC_THEME_COLOURS];
}

/* --- rows --- */

AscColour
asc_row_colour (const AscScope *scope, guint i)
{
  const AscRow *row = &g_array_index (scope->rows->rows, AscRow, i);
  if (row->lane != NULL && row->lane == scope->chosen)
    return scope->theme->chosen;
  if (row->kind == ASC_ROW_LANE && row->info.kind != ASC_LANE_TASK)
    return scope->theme->band;
  return i % 2 == 0 ? scope->theme->band : scope->theme->base;
}

/* Device pixels a pixel. */
static double
scale_of (cairo_t *cr)
{
  double scale_x = 1, scale_y = 1;
  cairo_user_to_device_distance (cr, &scale_x, &scale_y);
  double device_x = 1, device_y = 1;
  cairo_surface_get_device_scale (cairo_get_target (cr), &device_x, &device_y);
  return CLAMP (scale_x * device_x, 1, 4);
}

static AscPaintLane
lane_of (cairo_t *cr, const AscScope *scope, guint i, double width)
{
  const AscRow *row = &g_array_index (scope->rows->rows, AscRow, i);
  AscPaintLane lane = { .cr = cr,
                        .scope = scope,
                        .row = row,
                        .behind = asc_row_colour (scope, i),
                        .width = width,
                        .scale = scale_of (cr) };
  double pad = row->height >= 36 ? 8 : row->height >= 24 ? 5 : 2;
  lane.y = asc_paint_snap (&lane, row->y - scope->scroll);
  lane.end = asc_paint_snap (&lane, row->y - scope->scroll + row->height);
  lane.top = asc_paint_snap (&lane, lane.y + pad + (row->height >= 36 ? 2 : 0));
  lane.bottom = asc_paint_snap (&lane, lane.y + row->height - pad);
  lane.colour
      = row->kind == ASC_ROW_LOAD ? scope->theme->load : colour_of (scope->theme, row);
  return lane;
}

bool
asc_row_has_edge (const AscRow *row)
{
  return row->height >= 20;
}

/* Band and last line of a row. */
static void
paint_back (const AscPaintLane *lane)
{
  asc_set_colour (lane->cr, lane->behind);
  cairo_rectangle (lane->cr, 0, lane->y, lane->width, lane->end - lane->y);
  cairo_fill (lane->cr);
  if (!asc_row_has_edge (lane->row))
    return;
  asc_set_colour (lane->cr, lane->scope->theme->grid);
  cairo_rectangle (lane->cr, 0, lane->end - 1, lane->width, 1);
  cairo_fill (lane->cr);
}

void
asc_paint_below (cairo_t *cr, const AscScope *scope, double width, double height)
{
  double end = MAX (scope->rows->height - scope->scroll, 0);
  if (end >= height)
    return;
  asc_set_colour (cr, scope->theme->base);
  cairo_rectangle (cr, 0, end, width, height - end);
  cairo_fill (cr);
}

void
asc_paint_back (cairo_t *cr, const AscScope *scope, guint i, double width)
{
  AscPaintLane lane = lane_of (cr, scope, i, width);
  paint_back (&lane);
}

void
asc_paint_backs (cairo_t *cr, const AscScope *scope, double width, double height)
{
  GArray *rows = scope->rows->rows;
  for (guint i = asc_rows_first (scope->rows, scope->scroll); i < rows->len; i++)
    {
      AscPaintLane lane = lane_of (cr, scope, i, width);
      if (lane.y >= height)
        break;
      paint_back (&lane);
    }
  asc_paint_below (cr, scope, width, height);
}

/* Ticks of the ruler run through all rows, behind what is in them. */
static void
paint_ticks (const AscPaintLane *lane)
{
  asc_set_colour (lane->cr, lane->scope->theme->grid);
  for (guint i = 0; i < lane->n_ticks; i++)
    cairo_rectangle (lane->cr, lane->ticks[i], lane->y, 1, lane->end - lane->y);
  cairo_fill (lane->cr);
}

static bool
has_foot (const AscPaintLane *lane)
{
  return lane->row->info.kind == ASC_LANE_TASK || lane->row->info.kind == ASC_LANE_SPAN;
}

void
asc_paint_plain (const AscPaintLane *lane)
{
  paint_back (lane);
  paint_ticks (lane);
  if (lane->row->kind == ASC_ROW_LOAD || !has_foot (lane))
    return;
  asc_set_colour (lane->cr, lane->colour);
  cairo_rectangle (lane->cr, 0, lane->bottom, lane->width, 1);
  cairo_fill (lane->cr);
}

void
asc_paint_strip (const AscPaintLane *lane, double wait_height)
{
  AscStrip *strip = lane->strip;
  double y = lane->y;
  AscStripRow row = { .height = lane->end - y,
                      .top = lane->top - y,
                      .waits = lane->bottom - wait_height - y,
                      .bottom = lane->bottom - y,
                      .foot = lane->colour,
                      .has_foot = has_foot (lane),
                      .edge = lane->scope->theme->grid,
                      .has_edge = asc_row_has_edge (lane->row) };
  asc_strip_put (strip, y, &row);
}

static void
paint_lane (const AscPaintLane *lane)
{
  asc_strip_back (lane->strip, lane->behind, lane->ticks, lane->n_ticks,
                  lane->scope->theme->grid);
  if (lane->row->kind == ASC_ROW_LOAD)
    asc_paint_load (lane);
  else if (lane->row->info.kind == ASC_LANE_PIN
           || lane->row->info.kind == ASC_LANE_COUNTER)
    asc_paint_samples (lane);
  else
    asc_paint_runs (lane);
}

void
asc_paint_rows (cairo_t *cr, const AscScope *scope, double width, double height)
{
  GArray *rows = scope->rows->rows;
  guint n = (guint)MAX (ceil (width * scale_of (cr)), 1);
  double ticks[TICKS_MAX];
  guint n_ticks = asc_scope_ticks (scope, width, ticks, TICKS_MAX);
  AscGrid *grid
      = asc_grid_new (scope->session, scope->view->from_ns, scope->view->to_ns, n);
  AscStrip *strip = asc_strip_new (cr, n, scale_of (cr));
  for (guint i = asc_rows_first (scope->rows, scope->scroll); i < rows->len; i++)
    {
      AscPaintLane lane = lane_of (cr, scope, i, width);
      lane.grid = grid;
      lane.strip = strip;
      lane.ticks = ticks;
      lane.n_ticks = n_ticks;
      if (lane.y >= height)
        break;
      paint_lane (&lane);
    }
  asc_strip_free (strip);
  asc_grid_free (grid);
}
