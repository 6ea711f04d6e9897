/* The lanes themselves. Sparse ones as rectangles, dense ones as a row of pixels. */
#include "asc-format.h"
#include "asc-scope.h"

#include <math.h>
#include <string.h>

#define RUNS_MAX 2000 /* more in the seen stretch: pixel columns */
#define LATE_HEIGHT 3
#define BADGE_HEIGHT 17
#define LOAD_SMOOTHING 60 /* the strip is a mean over 2/60 of what is seen */

typedef struct
{
  cairo_t *cr;
  const AscScope *scope;
  const AscRow *row;
  const AscGrid *grid; /* a column a device pixel */
  AscColour colour;
  AscColour behind;
  double width;
  double y;      /* of the row in the part */
  double top;    /* of a bar */
  double bottom; /* the base line */
  double scale;  /* device pixels a pixel */
} Lane;

static double
snap (const Lane *lane, double x)
{
  return round (x * lane->scale) / lane->scale;
}

static double
x_of (const Lane *lane, gint64 ns)
{
  return snap (lane, asc_view_x (lane->scope->view, ns, lane->width));
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

/* --- runs, one by one --- */

static void
paint_waits (const Lane *lane, const AscRun *runs, gsize n)
{
  asc_set_colour (lane->cr, lane->scope->theme->wait);
  for (gsize i = 0; i < n; i++)
    if ((runs[i].flags & ASC_RUN_LATE) && runs[i].late_ms > 0)
      {
        gint64 due = runs[i].start_ns - (gint64)runs[i].late_ms * 1000000;
        double x = x_of (lane, due), x1 = x_of (lane, runs[i].start_ns);
        cairo_rectangle (lane->cr, x, lane->bottom - LATE_HEIGHT, MAX (x1 - x, 1),
                         LATE_HEIGHT);
      }
  cairo_fill (lane->cr);
}

static void
paint_hog (const Lane *lane, const AscRun *run, double x, double w)
{
  const AscTheme *theme = lane->scope->theme;
  cairo_t *cr = lane->cr;
  double h = lane->bottom - lane->top;
  char length[40], label[64];
  cairo_set_line_width (cr, 2);
  asc_set_colour (cr, theme->warn);
  cairo_rectangle (cr, x + 1, lane->top + 1, MAX (w - 2, 1), MAX (h - 2, 1));
  cairo_stroke (cr);
  asc_format_duration ((double)(run->end_ns - run->start_ns), length, sizeof length);
  g_snprintf (label, sizeof label, "⚠ hog %s%s",
              run->flags & ASC_RUN_CENSORED ? "≥ " : "", length);
  double text = asc_text_width (lane->scope->text, cr, ASC_FONT_BOLD, label) + 16;
  double seen_x = MAX (x, 0), seen_w = MIN (x + w, lane->width) - seen_x;
  if (h >= BADGE_HEIGHT && seen_w >= text + 4)
    {
      double middle = snap (lane, seen_x + seen_w / 2);
      asc_rounded (cr, middle - text / 2, (lane->top + lane->bottom - BADGE_HEIGHT) / 2,
                   text, BADGE_HEIGHT, BADGE_HEIGHT / 2.0);
      cairo_fill (cr);
      asc_set_colour (cr, theme->on_warn);
      asc_text_draw (lane->scope->text, cr, ASC_FONT_BOLD, ASC_ALIGN_CENTRE, middle,
                     (lane->top + lane->bottom) / 2, 0, label);
    }
}

/* A badge of constant size: a hog is seen however narrow it is. */
static void
paint_hog_flag (const Lane *lane, double x)
{
  double size = MIN (9, lane->bottom - lane->y);
  x = CLAMP (x, size / 2, lane->width - size / 2);
  asc_set_colour (lane->cr, lane->scope->theme->warn);
  cairo_move_to (lane->cr, x - size / 2, lane->y + 1);
  cairo_line_to (lane->cr, x + size / 2, lane->y + 1);
  cairo_line_to (lane->cr, x, lane->y + 1 + size * 0.8);
  cairo_close_path (lane->cr);
  cairo_fill (lane->cr);
}

/* Light stripes over a run that touches what was lost. */
static void
paint_doubt (const Lane *lane, double x, double w)
{
  cairo_t *cr = lane->cr;
  cairo_save (cr);
  cairo_rectangle (cr, x, lane->top, w, lane->bottom - lane->top);
  cairo_clip (cr);
  asc_set_colour (cr, lane->behind);
  cairo_set_line_width (cr, 2);
  double h = lane->bottom - lane->top, start = MAX (x, 0) - h;
  for (double i = start - fmod (start, 6); i < MIN (x + w, lane->width) + h; i += 6)
    {
      cairo_move_to (cr, i, lane->bottom);
      cairo_line_to (cr, i + h, lane->top);
    }
  cairo_stroke (cr);
  cairo_restore (cr);
}

static bool
is_hog (const Lane *lane, const AscRun *run)
{
  return lane->row->info.kind == ASC_LANE_TASK && !(run->flags & ASC_RUN_HEADLESS)
         && run->end_ns - run->start_ns >= lane->scope->hog_ns;
}

static void
paint_sparse (const Lane *lane, const AscRun *runs, gsize n)
{
  double least = (double)n > lane->width / 6 ? 1 / lane->scale : 2;
  if (lane->row->info.kind == ASC_LANE_TASK)
    paint_waits (lane, runs, n);
  asc_set_colour (lane->cr, lane->colour);
  for (gsize i = 0; i < n; i++)
    {
      double x = x_of (lane, runs[i].start_ns), x1 = x_of (lane, runs[i].end_ns);
      cairo_rectangle (lane->cr, x, lane->top, MAX (x1 - x, least),
                       lane->bottom - lane->top);
    }
  cairo_fill (lane->cr);
  for (gsize i = 0; i < n; i++)
    {
      double x = x_of (lane, runs[i].start_ns);
      double w = MAX (x_of (lane, runs[i].end_ns) - x, least);
      if (runs[i].flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED))
        paint_doubt (lane, x, w);
      if (!is_hog (lane, &runs[i]))
        continue;
      if (w >= 12)
        paint_hog (lane, &runs[i], x, w);
      else
        paint_hog_flag (lane, x + w / 2);
    }
}

/* --- runs, as columns --- */

static void
put_pixels (const Lane *lane, const guint32 *pixels, guint n, double y, double h)
{
  cairo_surface_t *row = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int)n, 1);
  guint32 *to = (guint32 *)(void *)cairo_image_surface_get_data (row);
  if (to != NULL)
    {
      memcpy (to, pixels, n * sizeof *pixels);
      cairo_surface_mark_dirty (row);
      cairo_save (lane->cr);
      cairo_translate (lane->cr, 0, y);
      cairo_rectangle (lane->cr, 0, 0, lane->width, h);
      cairo_scale (lane->cr, lane->width / n, h);
      cairo_set_source_surface (lane->cr, row, 0, 0);
      cairo_pattern_set_filter (cairo_get_source (lane->cr), CAIRO_FILTER_NEAREST);
      cairo_fill (lane->cr);
      cairo_restore (lane->cr);
    }
  cairo_surface_destroy (row);
}

/* Density: the share of the column that the lane was busy, never so light that one short
 * run could not be seen. */
static AscColour
shade (const Lane *lane, const AscColumn *column, double column_ns)
{
  double share = MIN ((double)column->busy_ns / column_ns, 1);
  return asc_colour_mix (lane->behind, lane->colour, 0.4 + 0.6 * sqrt (share));
}

static void
paint_dense (const Lane *lane)
{
  const AscView *view = lane->scope->view;
  guint n = lane->grid->n;
  double column_ns = (double)(view->to_ns - view->from_ns) / n;
  AscColumn *columns = g_new (AscColumn, n);
  guint32 *bars = g_new0 (guint32, n), *waits = g_new0 (guint32, n);
  bool task = lane->row->info.kind == ASC_LANE_TASK;
  asc_lane_columns (lane->row->lane, lane->grid, lane->scope->precision,
                    lane->scope->hog_ns, columns);
  for (guint i = 0; i < n; i++)
    {
      if (columns[i].n > 0)
        bars[i] = 0xFF000000u | shade (lane, &columns[i], column_ns);
      if (task && columns[i].waits)
        waits[i] = 0xFF000000u | lane->scope->theme->wait;
    }
  if (task)
    put_pixels (lane, waits, n, lane->bottom - LATE_HEIGHT, LATE_HEIGHT);
  put_pixels (lane, bars, n, lane->top, lane->bottom - lane->top);
  double last_flag = -20;
  for (guint i = 0; task && i < n; i++)
    if (columns[i].hog && i / lane->scale - last_flag >= 9)
      {
        last_flag = i / lane->scale;
        paint_hog_flag (lane, last_flag);
      }
  g_free (columns);
  g_free (bars);
  g_free (waits);
}

static void
paint_runs (const Lane *lane)
{
  const AscView *view = lane->scope->view;
  gsize max = (gsize)CLAMP (lane->width / 2, 50, RUNS_MAX);
  AscRun *runs = g_new (AscRun, max);
  gsize n = asc_lane_runs (lane->row->lane, view->from_ns, view->to_ns, runs, max);
  if (n <= max)
    {
      /* The lead-in of a run that starts just after the seen stretch belongs to it too.
       */
      AscRun next;
      if (lane->row->info.kind == ASC_LANE_TASK
          && asc_lane_run_after (lane->row->lane, view->to_ns - 1, &next))
        paint_waits (lane, &next, 1);
      paint_sparse (lane, runs, n);
    }
  else
    paint_dense (lane);
  g_free (runs);
}

/* --- pins and counters --- */

static void
range_of (const AscSampleColumn *columns, guint n, gint64 *low, gint64 *high)
{
  bool any = false;
  *low = 0;
  *high = 1;
  for (guint i = 0; i < n; i++)
    if (columns[i].any)
      {
        *low = any ? MIN (*low, columns[i].min) : columns[i].min;
        *high = any ? MAX (*high, columns[i].max) : columns[i].max;
        any = true;
      }
}

static void
paint_samples (const Lane *lane)
{
  guint n = lane->grid->n;
  AscSampleColumn *columns = g_new0 (AscSampleColumn, n);
  gint64 low = 0, high = 1;
  asc_lane_sample_columns (lane->row->lane, lane->grid, columns);
  if (lane->row->info.kind == ASC_LANE_COUNTER)
    range_of (columns, n, &low, &high);
  double top = lane->y + 5, h = lane->row->height - 10;
  double range = MAX ((double)high - (double)low, 1);
  double half = 0.5 / lane->scale;
  bool pen_down = false;
  for (guint i = 0; i < n; i++)
    {
      const AscSampleColumn *c = &columns[i];
      if (!c->any)
        {
          pen_down = false;
          continue;
        }
      double x = i / lane->scale + half;
#define Y(v) (snap (lane, top + h - ((double)(v) - (double)low) / range * h) + half)
      if (pen_down)
        cairo_line_to (lane->cr, x, Y (c->first));
      else
        cairo_move_to (lane->cr, x, Y (c->first));
      if (c->min < MIN (c->first, c->last))
        cairo_line_to (lane->cr, x, Y (c->min));
      if (c->max > MAX (c->first, c->last))
        cairo_line_to (lane->cr, x, Y (c->max));
      if (c->last != c->first || c->min != c->max)
        cairo_line_to (lane->cr, x, Y (c->last));
#undef Y
      pen_down = true;
    }
  asc_set_colour (lane->cr, lane->colour);
  cairo_set_line_width (lane->cr, 1.25);
  cairo_stroke (lane->cr);
  g_free (columns);
}

/* --- the load strip --- */

/* A sliding mean, so that the strip shows how busy it was around a place and not whether
 * a task ran in that pixel. Unobserved columns count for nothing. */
static void
smooth (const float *load, guint n, guint radius, float *out)
{
  double sum = 0;
  guint known = 0, from = 0, to = 0;
  for (guint i = 0; i < n; i++)
    {
      for (; to < n && to <= i + radius; to++)
        if (load[to] >= 0)
          {
            sum += (double)load[to];
            known++;
          }
      for (; from + radius < i; from++)
        if (load[from] >= 0)
          {
            sum -= (double)load[from];
            known--;
          }
      out[i] = known > 0 && load[i] >= 0 ? (float)(sum / known) : -1;
    }
}

static void
paint_load (const Lane *lane)
{
  const AscView *view = lane->scope->view;
  guint n = (guint)MAX (ceil (lane->width), 1);
  float *load = g_new (float, n), *smoothed = g_new (float, n);
  AscGrid *grid = asc_grid_new (lane->scope->session, view->from_ns, view->to_ns, n);
  asc_session_load (grid, lane->scope->precision, load);
  asc_grid_free (grid);
  smooth (load, n, MAX (n / LOAD_SMOOTHING, 1), smoothed);
  double h = lane->row->height - 6, bottom = lane->y + lane->row->height - 1;
  bool open = false;
  asc_set_colour (lane->cr, lane->colour);
  for (guint i = 0; i < n; i++)
    {
      bool known = smoothed[i] >= 0;
      if (known && !open)
        cairo_move_to (lane->cr, i, bottom);
      if (known)
        cairo_line_to (lane->cr, i + 0.5, bottom - MAX ((double)smoothed[i], 0) * h);
      if (open && (!known || i + 1 == n))
        {
          cairo_line_to (lane->cr, known ? i + 1 : i, bottom);
          cairo_close_path (lane->cr);
        }
      open = known;
    }
  cairo_fill (lane->cr);
  g_free (load);
  g_free (smoothed);
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

static void
paint_lane (const Lane *lane)
{
  if (lane->row->kind == ASC_ROW_LOAD)
    {
      paint_load (lane);
      return;
    }
  if (lane->row->info.kind == ASC_LANE_PIN || lane->row->info.kind == ASC_LANE_COUNTER)
    {
      paint_samples (lane);
      return;
    }
  if (lane->row->info.kind == ASC_LANE_TASK || lane->row->info.kind == ASC_LANE_SPAN)
    {
      asc_set_colour (lane->cr, lane->colour);
      cairo_rectangle (lane->cr, 0, lane->bottom, lane->width, 1);
      cairo_fill (lane->cr);
    }
  paint_runs (lane);
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

static Lane
lane_of (cairo_t *cr, const AscScope *scope, guint i, double width)
{
  const AscRow *row = &g_array_index (scope->rows->rows, AscRow, i);
  Lane lane = { .cr = cr,
                .scope = scope,
                .row = row,
                .behind = asc_row_colour (scope, i),
                .width = width,
                .y = row->y - scope->scroll,
                .scale = scale_of (cr) };
  double pad = row->height >= 36 ? 8 : row->height >= 24 ? 5 : 2;
  lane.top = lane.y + pad + (row->height >= 36 ? 2 : 0);
  lane.bottom = lane.y + row->height - pad;
  lane.colour
      = row->kind == ASC_ROW_LOAD ? scope->theme->load : colour_of (scope->theme, row);
  return lane;
}

void
asc_paint_backs (cairo_t *cr, const AscScope *scope, double width, double height)
{
  GArray *rows = scope->rows->rows;
  for (guint i = asc_rows_first (scope->rows, scope->scroll); i < rows->len; i++)
    {
      const AscRow *row = &g_array_index (rows, AscRow, i);
      double y = row->y - scope->scroll;
      if (y >= height)
        break;
      asc_set_colour (cr, asc_row_colour (scope, i));
      cairo_rectangle (cr, 0, y, width, row->height);
      cairo_fill (cr);
      if (row->height >= 20)
        {
          asc_set_colour (cr, scope->theme->grid);
          cairo_rectangle (cr, 0, y + row->height - 1, width, 1);
          cairo_fill (cr);
        }
    }
}

void
asc_paint_rows (cairo_t *cr, const AscScope *scope, double width, double height)
{
  GArray *rows = scope->rows->rows;
  guint n = (guint)MAX (ceil (width * scale_of (cr)), 1);
  AscGrid *grid
      = asc_grid_new (scope->session, scope->view->from_ns, scope->view->to_ns, n);
  asc_paint_backs (cr, scope, width, height);
  asc_paint_grid (cr, scope, width, MIN (height, scope->rows->height - scope->scroll));
  for (guint i = asc_rows_first (scope->rows, scope->scroll); i < rows->len; i++)
    {
      Lane lane = lane_of (cr, scope, i, width);
      lane.grid = grid;
      if (lane.y >= height)
        break;
      cairo_save (cr);
      cairo_rectangle (cr, 0, lane.y, width, lane.row->height);
      cairo_clip (cr);
      paint_lane (&lane);
      cairo_restore (cr);
    }
  asc_grid_free (grid);
}
