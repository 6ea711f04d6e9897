/* Lanes of values: pins, counters, and the CPU load. */
#include "asc-paint-lane.h"

#include <math.h>

#define PEN 1.25
#define MARGIN 5          /* above and below the curve of a counter */
#define LOAD_MARGIN 5     /* above the load */
#define LOAD_STEP 4       /* pixels between two values of the load */
#define LOAD_SMOOTHING 60 /* the strip is a mean over 2/60 of what is seen */

static AscStripRow
row_of (const AscPaintLane *lane, double top, double bottom)
{
  return (AscStripRow){ .height = lane->end - lane->y,
                        .top = top,
                        .waits = bottom,
                        .bottom = bottom,
                        .edge = lane->scope->theme->grid,
                        .has_edge = asc_row_has_edge (lane->row) };
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

/* Where values stand, device pixels from the row's top. */
typedef struct
{
  double low, range;
  double top, height;
} Scale;

static int
place_of (const Scale *scale, gint64 value)
{
  double share = ((double)value - scale->low) / scale->range;
  return (int)round (scale->top + (1 - CLAMP (share, 0, 1)) * scale->height);
}

void
asc_paint_samples (const AscPaintLane *lane)
{
  guint n = lane->grid->n;
  AscSampleColumn *columns = g_new0 (AscSampleColumn, n);
  AscStroke *strokes = g_new (AscStroke, n);
  gint64 low = 0, high = 1;
  asc_lane_sample_columns (lane->row->lane, lane->grid, columns);
  if (lane->row->info.kind == ASC_LANE_COUNTER)
    range_of (columns, n, &low, &high);
  int pen = (int)(PEN * lane->scale);
  double height = MAX (lane->row->height - 2 * MARGIN, 1);
  Scale scale = { (double)low, MAX ((double)high - (double)low, 1), MARGIN * lane->scale,
                  MAX (height * lane->scale - pen, 0) };
  const AscSampleColumn *before = NULL;
  for (guint i = 0; i < n; i++)
    {
      const AscSampleColumn *c = &columns[i];
      strokes[i] = (AscStroke){ 0, -1 };
      if (c->any)
        {
          /* Up or down from where the column before ended. */
          gint64 last = before != NULL ? before->last : c->first;
          strokes[i].from = place_of (&scale, MAX (c->max, last));
          strokes[i].to = place_of (&scale, MIN (c->min, last));
        }
      before = c->any ? c : NULL;
    }
  AscStripRow row = row_of (lane, MARGIN, MARGIN + height);
  asc_strip_put_strokes (lane->strip, lane->y, &row, strokes, pen, lane->colour);
  g_free (columns);
  g_free (strokes);
}

/* --- the load --- */

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

/* Between the middles of two steps, where both are known. */
static float
load_at (const float *load, guint n, double at)
{
  guint a = (guint)CLAMP (floor (at), 0, n - 1), b = MIN (a + 1, n - 1);
  float share = (float)CLAMP (at - a, 0, 1);
  if (load[a] < 0 || load[b] < 0)
    return load[(guint)CLAMP (floor (at + 0.5), 0, n - 1)];
  return load[a] + (load[b] - load[a]) * share;
}

void
asc_paint_load (const AscPaintLane *lane)
{
  const AscView *view = lane->scope->view;
  guint n = (guint)MAX (ceil (lane->width / LOAD_STEP), 1);
  float *load = g_new (float, n), *smoothed = g_new (float, n);
  float *heights = g_new (float, lane->grid->n);
  AscStripRow row = row_of (lane, LOAD_MARGIN, lane->row->height - 1);
  AscGrid *grid = asc_grid_new (lane->scope->session, view->from_ns, view->to_ns, n);
  asc_session_load (grid, lane->scope->precision, load);
  asc_grid_free (grid);
  smooth (load, n, MAX (n / LOAD_SMOOTHING, 1), smoothed);
  double step = (double)n / lane->grid->n;
  for (guint i = 0; i < lane->grid->n; i++)
    heights[i] = load_at (smoothed, n, (i + 0.5) * step - 0.5)
                 * (float)(lane->row->height - 1 - LOAD_MARGIN);
  asc_strip_put_area (lane->strip, lane->y, &row, heights, lane->colour);
  g_free (load);
  g_free (smoothed);
  g_free (heights);
}
