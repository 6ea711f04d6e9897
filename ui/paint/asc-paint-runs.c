/* Lanes of runs: one by one where there is room for it, else by density. */
#include "asc-format.h"
#include "asc-paint-lane.h"

#include <math.h>

#define LATE_HEIGHT 3
#define BADGE_HEIGHT 17
#define FRAME_WIDTH 12 /* least of a hog that gets a frame; a flag below */
#define RUNS_MAX 2000  /* more in the seen stretch: density */
#define HOGS_MAX 200
#define SHADES 256

static double
x_of (const AscPaintLane *lane, gint64 ns)
{
  return asc_paint_snap (lane, asc_view_x (lane->scope->view, ns, lane->width));
}

/* --- runs, one by one --- */

static void
paint_waits (const AscPaintLane *lane, const AscRun *runs, gsize n)
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
paint_hog (const AscPaintLane *lane, const AscRun *run, double x, double w)
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
      double middle = asc_paint_snap (lane, seen_x + seen_w / 2);
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
paint_hog_flag (const AscPaintLane *lane, double x)
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
paint_doubt (const AscPaintLane *lane, double x, double w)
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
is_hog (const AscPaintLane *lane, const AscRun *run)
{
  return lane->row->info.kind == ASC_LANE_TASK && !(run->flags & ASC_RUN_HEADLESS)
         && run->end_ns - run->start_ns >= lane->scope->hog_ns;
}

/* How wide a run is seen at least: where they stand close, no wider than needed. */
static double
least_width (const AscPaintLane *lane, gsize n)
{
  return (double)n > lane->width / 6 ? 1 / lane->scale : 2;
}

/* As shapes, for what keeps shapes. */
static void
paint_shapes (const AscPaintLane *lane, const AscRun *runs, gsize n, const AscRun *next)
{
  double least = least_width (lane, n);
  asc_paint_plain (lane);
  if (lane->row->info.kind == ASC_LANE_TASK)
    paint_waits (lane, runs, n);
  if (next != NULL)
    paint_waits (lane, next, 1);
  asc_set_colour (lane->cr, lane->colour);
  for (gsize i = 0; i < n; i++)
    {
      double x = x_of (lane, runs[i].start_ns), x1 = x_of (lane, runs[i].end_ns);
      cairo_rectangle (lane->cr, x, lane->top, MAX (x1 - x, least),
                       lane->bottom - lane->top);
    }
  cairo_fill (lane->cr);
}

static void
fill_wait (const AscPaintLane *lane, const AscRun *run)
{
  if (!(run->flags & ASC_RUN_LATE) || run->late_ms == 0)
    return;
  double x = x_of (lane, run->start_ns - (gint64)run->late_ms * 1000000);
  double x1 = MAX (x_of (lane, run->start_ns), x + 1);
  asc_strip_fill (lane->strip, asc_strip_waits (lane->strip), x, x1,
                  lane->scope->theme->wait);
}

/* The same picture by pixels: a rectangle costs as much as a hundred of them. */
static void
paint_pixels (const AscPaintLane *lane, const AscRun *runs, gsize n, const AscRun *next)
{
  AscStrip *strip = lane->strip;
  double least = least_width (lane, n);
  bool task = lane->row->info.kind == ASC_LANE_TASK;
  asc_strip_clear (strip);
  for (gsize i = 0; i < n; i++)
    {
      double x = x_of (lane, runs[i].start_ns), x1 = x_of (lane, runs[i].end_ns);
      asc_strip_fill (strip, asc_strip_bars (strip), x, MAX (x1, x + least),
                      lane->colour);
      if (task)
        fill_wait (lane, &runs[i]);
    }
  if (next != NULL)
    fill_wait (lane, next);
  asc_paint_strip (lane, LATE_HEIGHT);
}

/* What stands over the bars: stripes of doubt, frames and badges of hogs. */
static void
paint_marks (const AscPaintLane *lane, const AscRun *runs, gsize n, double least)
{
  for (gsize i = 0; i < n; i++)
    {
      double x = x_of (lane, runs[i].start_ns);
      double w = MAX (x_of (lane, runs[i].end_ns) - x, least);
      if (runs[i].flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED))
        paint_doubt (lane, x, w);
      if (!is_hog (lane, &runs[i]))
        continue;
      if (w >= FRAME_WIDTH)
        paint_hog (lane, &runs[i], x, w);
      else
        paint_hog_flag (lane, x + w / 2);
    }
}

/* --- density --- */

/* The more of its column the lane was busy, the nearer to its own colour; never so light
 * that one short run could not be seen. */
static void
shades_of (const AscPaintLane *lane, guint32 *shades)
{
  for (guint i = 0; i <= SHADES; i++)
    shades[i] = 0xFF000000u
                | asc_colour_mix (lane->behind, lane->colour,
                                  0.4 + 0.6 * sqrt ((double)i / SHADES));
}

/* Hogs wide enough for a frame; returns how many, with their runs in out. */
static gsize
wide_hogs (const AscPaintLane *lane, AscRun *out, gsize max)
{
  const AscView *view = lane->scope->view;
  double pixel_ns = (double)(view->to_ns - view->from_ns) / lane->width;
  gint64 least = MAX (lane->scope->hog_ns, (gint64)(FRAME_WIDTH * pixel_ns));
  if (lane->row->info.kind != ASC_LANE_TASK)
    return 0;
  return MIN (
      asc_lane_long_runs (lane->row->lane, view->from_ns, view->to_ns, least, out, max),
      max);
}

static void
paint_flags (const AscPaintLane *lane, const AscColumn *columns)
{
  double last_flag = -20;
  for (guint i = 0; i < lane->grid->n; i++)
    if (columns[i].hog && i / lane->scale - last_flag >= 9)
      {
        last_flag = i / lane->scale;
        paint_hog_flag (lane, last_flag);
      }
}

static void
fill_density (const AscPaintLane *lane, const AscColumn *columns)
{
  const AscGrid *grid = lane->grid;
  guint32 *bars = asc_strip_bars (lane->strip), *waits = asc_strip_waits (lane->strip);
  guint32 shades[SHADES + 1], wait = asc_strip_pixel (lane->scope->theme->wait);
  bool task = lane->row->info.kind == ASC_LANE_TASK;
  double per_ns
      = SHADES * (double)grid->n / ((double)grid->ns[grid->n] - (double)grid->ns[0]);
  shades_of (lane, shades);
  for (guint i = 0; i < grid->n; i++)
    {
      double shade = MIN ((double)columns[i].busy_ns * per_ns, SHADES);
      bars[i] = columns[i].n > 0 ? shades[(guint)(shade + 0.5)] : 0;
      waits[i] = task && columns[i].waits ? wait : 0;
    }
}

static void
paint_dense (const AscPaintLane *lane)
{
  const AscGrid *grid = lane->grid;
  AscColumn *columns = g_new (AscColumn, grid->n);
  AscRun hogs[HOGS_MAX];
  asc_lane_columns (lane->row->lane, grid, lane->scope->precision, lane->scope->hog_ns,
                    columns);
  fill_density (lane, columns);
  asc_paint_strip (lane, LATE_HEIGHT);
  gsize n_hogs = wide_hogs (lane, hogs, HOGS_MAX);
  for (gsize i = 0; i < n_hogs; i++) /* these need no flag besides */
    {
      guint from = asc_grid_column (grid, hogs[i].start_ns);
      guint to = asc_grid_column (grid, hogs[i].end_ns);
      for (guint k = from; k <= to; k++)
        columns[k].hog = false;
    }
  if (lane->row->info.kind == ASC_LANE_TASK)
    paint_flags (lane, columns);
  paint_marks (lane, hogs, n_hogs, 2);
  g_free (columns);
}

static void
paint_sparse (const AscPaintLane *lane, const AscRun *runs, gsize n)
{
  /* The lead-in of a run that starts just after the seen stretch belongs to it too. */
  AscRun next;
  bool has_next
      = lane->row->info.kind == ASC_LANE_TASK
        && asc_lane_run_after (lane->row->lane, lane->scope->view->to_ns - 1, &next);
  if (asc_strip_is_direct (lane->strip))
    paint_pixels (lane, runs, n, has_next ? &next : NULL);
  else
    paint_shapes (lane, runs, n, has_next ? &next : NULL);
  paint_marks (lane, runs, n, least_width (lane, n));
}

void
asc_paint_runs (const AscPaintLane *lane)
{
  const AscView *view = lane->scope->view;
  gsize max = (gsize)CLAMP (lane->width / 2, 50, RUNS_MAX);
  cairo_save (lane->cr);
  cairo_rectangle (lane->cr, 0, lane->y, lane->width, lane->end - lane->y);
  cairo_clip (lane->cr);
  if (asc_lane_has_runs (lane->row->lane, view->from_ns, view->to_ns, max))
    paint_dense (lane);
  else
    {
      AscRun *runs = g_new (AscRun, max + 2);
      gsize n
          = asc_lane_runs (lane->row->lane, view->from_ns, view->to_ns, runs, max + 2);
      paint_sparse (lane, runs, MIN (n, max + 2));
      g_free (runs);
    }
  cairo_restore (lane->cr);
}
