#include "asc-strip.h"

#include <math.h>
#include <string.h>

/* Where lines go: device pixels of an image. */
typedef struct
{
  guint8 *data;
  gsize stride;       /* bytes */
  int x, y;           /* where the strip's corner stands in it */
  int x0, y0, x1, y1; /* what may be written */
} Target;

struct AscStrip
{
  cairo_t *cr;
  guint n;
  double scale;
  guint32 *behind, *bars, *waits, *line;
  bool direct;
  Target image;
};

/* --- straight onto an image ------------------------------------------------------------
 */

static bool
is_whole (double value)
{
  return fabs (value - round (value)) < 1e-3 && fabs (value) < G_MAXINT / 2;
}

/* The one rectangle (user space) that is not clipped away; false when it is no single
 * one.
 */
static bool
clip_of (cairo_t *cr, cairo_rectangle_t *clip)
{
  cairo_rectangle_list_t *list = cairo_copy_clip_rectangle_list (cr);
  bool one = list->status == CAIRO_STATUS_SUCCESS && list->num_rectangles == 1;
  if (one)
    *clip = list->rectangles[0];
  cairo_rectangle_list_destroy (list);
  return one;
}

static bool
can_write (cairo_surface_t *surface)
{
  if (cairo_surface_get_type (surface) != CAIRO_SURFACE_TYPE_IMAGE
      || cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    return false;
  cairo_format_t format = cairo_image_surface_get_format (surface);
  return format == CAIRO_FORMAT_RGB24 || format == CAIRO_FORMAT_ARGB32;
}

/* Only where a pixel of the strip is one of the image. */
static bool
find_image (cairo_t *cr, double scale, Target *image)
{
  cairo_surface_t *surface = cairo_get_group_target (cr);
  cairo_matrix_t matrix;
  cairo_rectangle_t clip;
  double scale_x, scale_y, x, y;
  if (!can_write (surface) || !clip_of (cr, &clip))
    return false;
  cairo_get_matrix (cr, &matrix);
  cairo_surface_get_device_scale (surface, &scale_x, &scale_y);
  cairo_surface_get_device_offset (surface, &x, &y);
  x += matrix.x0 * scale_x;
  y += matrix.y0 * scale_y;
  if (matrix.xy != 0 || matrix.yx != 0 || fabs (matrix.xx * scale_x - scale) > 1e-9
      || fabs (matrix.yy * scale_y - scale) > 1e-9 || !is_whole (x) || !is_whole (y))
    return false;
  cairo_surface_flush (surface);
  *image = (Target){ .data = cairo_image_surface_get_data (surface),
                     .stride = (gsize)cairo_image_surface_get_stride (surface),
                     .x = (int)round (x),
                     .y = (int)round (y) };
  double right = cairo_image_surface_get_width (surface);
  double bottom = cairo_image_surface_get_height (surface);
  image->x0 = (int)CLAMP (round (x + clip.x * scale), 0, right);
  image->y0 = (int)CLAMP (round (y + clip.y * scale), 0, bottom);
  image->x1 = (int)CLAMP (round (x + (clip.x + clip.width) * scale), 0, right);
  image->y1 = (int)CLAMP (round (y + (clip.y + clip.height) * scale), 0, bottom);
  return true;
}

AscStrip *
asc_strip_new (cairo_t *cr, guint n, double scale)
{
  AscStrip *strip = g_new (AscStrip, 1);
  guint32 *lines = g_new0 (guint32, (gsize)n * 4);
  *strip = (AscStrip){ .cr = cr, .n = n, .scale = scale };
  strip->behind = lines;
  strip->bars = lines + n;
  strip->waits = lines + (gsize)n * 2;
  strip->line = lines + (gsize)n * 3;
  strip->direct = find_image (cr, scale, &strip->image);
  return strip;
}

void
asc_strip_free (AscStrip *strip)
{
  g_free (strip->behind);
  g_free (strip);
}

bool
asc_strip_is_direct (const AscStrip *strip)
{
  return strip->direct;
}

/* --- lines across ----------------------------------------------------------------------
 */

guint32 *
asc_strip_bars (AscStrip *strip)
{
  return strip->bars;
}

guint32 *
asc_strip_waits (AscStrip *strip)
{
  return strip->waits;
}

void
asc_strip_clear (AscStrip *strip)
{
  memset (strip->bars, 0, strip->n * sizeof *strip->bars);
  memset (strip->waits, 0, strip->n * sizeof *strip->waits);
}

static void
fill (guint32 *line, AscColour colour, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    line[i] = asc_strip_pixel (colour);
}

void
asc_strip_fill (const AscStrip *strip,
                guint32 *line,
                double x,
                double x1,
                AscColour colour)
{
  double from = round (x * strip->scale), to = round (x1 * strip->scale);
  if (to < from + 1)
    to = from + 1;
  if (to > 0 && from < strip->n)
    fill (line, colour, (guint)MAX (from, 0), (guint)MIN (to, strip->n));
}

void
asc_strip_back (AscStrip *strip,
                AscColour colour,
                const double *ticks,
                guint n,
                AscColour tick)
{
  fill (strip->behind, colour, 0, strip->n);
  for (guint i = 0; i < n; i++)
    asc_strip_fill (strip, strip->behind, ticks[i], ticks[i] + 1, tick);
}

/* --- rows ------------------------------------------------------------------------------
 */

/* A row on its way: on the image itself, or on one of its own. */
typedef struct
{
  Target target;
  cairo_surface_t *own;
  int height; /* device pixels */
  int top, waits, bottom;
  int edge, foot, thick; /* lines from here on, so many */
} Row;

static bool
begin (AscStrip *strip, double y, const AscStripRow *about, Row *row)
{
  double scale = strip->scale;
  *row = (Row){ .target = strip->image,
                .height = (int)round (about->height * scale),
                .top = (int)round (about->top * scale),
                .waits = (int)round (about->waits * scale),
                .bottom = (int)round (about->bottom * scale),
                .thick = (int)round (scale) };
  row->foot = about->has_foot ? row->bottom : G_MAXINT / 2;
  row->edge = about->has_edge ? row->height - row->thick : G_MAXINT / 2;
  if (row->height <= 0)
    return false;
  if (strip->direct)
    {
      row->target.y += (int)round (y * scale);
      return true;
    }
  row->own = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int)strip->n, row->height);
  if (cairo_surface_status (row->own) != CAIRO_STATUS_SUCCESS)
    {
      cairo_surface_destroy (row->own);
      return false;
    }
  row->target = (Target){ .data = cairo_image_surface_get_data (row->own),
                          .stride = (gsize)cairo_image_surface_get_stride (row->own),
                          .x1 = (int)strip->n,
                          .y1 = row->height };
  return true;
}

static void
end (AscStrip *strip, double y, Row *row)
{
  if (strip->direct)
    {
      cairo_surface_mark_dirty (cairo_get_group_target (strip->cr));
      return;
    }
  cairo_surface_mark_dirty (row->own);
  cairo_surface_set_device_scale (row->own, strip->scale, strip->scale);
  cairo_set_source_surface (strip->cr, row->own, 0, y);
  cairo_pattern_set_filter (cairo_get_source (strip->cr), CAIRO_FILTER_NEAREST);
  cairo_rectangle (strip->cr, 0, y, strip->n / strip->scale, row->height / strip->scale);
  cairo_fill (strip->cr);
  cairo_surface_destroy (row->own);
}

/* Copies a line to its place, from one line of the row on. */
static void
copy_line (const AscStrip *strip, const Row *row, int from, int to, const guint32 *line)
{
  const Target *target = &row->target;
  int x0 = MAX (target->x, target->x0);
  int x1 = MIN (target->x + (int)strip->n, target->x1);
  int y0 = MAX (target->y + from, target->y0);
  int y1 = MIN (target->y + to, target->y1);
  for (int y = y0; y < y1 && x0 < x1; y++)
    memcpy (target->data + (gsize)y * target->stride + (gsize)x0 * 4,
            line + (x0 - target->x), (gsize)(x1 - x0) * 4);
}

/* From a line to the first of another sort, which it returns. */
static int
part_end (const Row *row, int at)
{
  int end = row->height;
  const int turns[] = { row->top,  row->waits, row->bottom,
                        row->edge, row->foot,  row->foot + row->thick };
  for (gsize i = 0; i < G_N_ELEMENTS (turns); i++)
    if (turns[i] > at)
      end = MIN (end, turns[i]);
  return end;
}

/* Edge, foot, and what is outside of the bars. Returns false where bars are. */
static bool
put_plain (AscStrip *strip, const AscStripRow *about, const Row *row, int at, int to)
{
  const guint32 *line = strip->behind;
  bool edge = at >= row->edge, foot = at >= row->foot && at < row->foot + row->thick;
  if (!edge && !foot && at >= row->top && at < row->bottom)
    return false;
  if (edge || foot)
    {
      fill (strip->line, edge ? about->edge : about->foot, 0, strip->n);
      line = strip->line;
    }
  copy_line (strip, row, at, to, line);
  return true;
}

void
asc_strip_put (AscStrip *strip, double y, const AscStripRow *about)
{
  Row row;
  if (!begin (strip, y, about, &row))
    return;
  for (int at = 0, to; at < row.height; at = to)
    {
      to = part_end (&row, at);
      if (put_plain (strip, about, &row, at, to))
        continue;
      const guint32 *under = at < row.waits ? strip->behind : strip->waits;
      for (guint i = 0; i < strip->n; i++)
        {
          guint32 below = under[i] ? under[i] : strip->behind[i];
          strip->line[i] = strip->bars[i] ? strip->bars[i] : below;
        }
      copy_line (strip, &row, at, to, strip->line);
    }
  end (strip, y, &row);
}

static guint32
mix (guint32 behind, AscColour colour, float share)
{
  guint32 value = 0, part = (guint32)(share * 256);
  for (int shift = 0; shift <= 16; shift += 8)
    value |= ((colour >> shift & 0xFF) * part + (behind >> shift & 0xFF) * (256 - part))
                 / 256
             << shift;
  return asc_strip_pixel (value);
}

void
asc_strip_put_area (AscStrip *strip,
                    double y,
                    const AscStripRow *about,
                    const float *heights,
                    AscColour colour)
{
  Row row;
  float scale = (float)strip->scale, low = G_MAXFLOAT, high = 0;
  if (!begin (strip, y, about, &row))
    return;
  for (guint i = 0; i < strip->n; i++)
    {
      low = MIN (low, heights[i] * scale);
      high = MAX (high, heights[i] * scale);
    }
  for (int at = 0, to; at < row.height; at = to)
    {
      to = part_end (&row, at);
      if (put_plain (strip, about, &row, at, to))
        continue;
      /* How much of a line is filled, from its bottom: all, none or by the pixel. */
      int line = at, above = row.bottom - (int)ceilf (high),
          all = row.bottom - (int)floorf (low);
      copy_line (strip, &row, line, MIN (to, above), strip->behind);
      for (line = MAX (line, above); line < MIN (to, all); line++)
        {
          float below = (float)(row.bottom - 1 - line);
          for (guint i = 0; i < strip->n; i++)
            {
              float share = heights[i] * scale - below;
              strip->line[i] = share <= 0   ? strip->behind[i]
                               : share >= 1 ? asc_strip_pixel (colour)
                                            : mix (strip->behind[i], colour, share);
            }
          copy_line (strip, &row, line, line + 1, strip->line);
        }
      fill (strip->line, colour, 0, strip->n);
      copy_line (strip, &row, line, to, strip->line);
    }
  end (strip, y, &row);
}

/* A stroke's end, and as far to the right as the pen is wide. Neighbours touch, so what
 * covers two covers nothing between them. */
static void
widen (AscStroke *strokes, const AscStroke *from, guint n, int pen)
{
  for (guint i = 0; i < n; i++)
    {
      AscStroke wide = { G_MAXINT, G_MININT };
      for (guint k = i >= (guint)pen ? i + 1 - (guint)pen : 0; k <= i; k++)
        if (from[k].from <= from[k].to)
          {
            wide.from = MIN (wide.from, from[k].from);
            wide.to = MAX (wide.to, from[k].to + pen);
          }
      strokes[i] = wide;
    }
}

void
asc_strip_put_strokes (AscStrip *strip,
                       double y,
                       const AscStripRow *about,
                       const AscStroke *strokes,
                       int pen,
                       AscColour colour)
{
  Row row;
  if (!begin (strip, y, about, &row))
    return;
  AscStroke *wide = g_new (AscStroke, strip->n);
  guint32 pixel = asc_strip_pixel (colour);
  widen (wide, strokes, strip->n, pen);
  for (int at = 0, to; at < row.height; at = to)
    {
      to = part_end (&row, at);
      if (put_plain (strip, about, &row, at, to))
        continue;
      for (int line = at; line < to; line++)
        {
          for (guint i = 0; i < strip->n; i++)
            strip->line[i]
                = line >= wide[i].from && line < wide[i].to ? pixel : strip->behind[i];
          copy_line (strip, &row, line, line + 1, strip->line);
        }
    }
  g_free (wide);
  end (strip, y, &row);
}
