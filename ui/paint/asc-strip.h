/* A row's picture as device pixels, line by line. Every line is opaque and most are
 * equal, so a row costs little more than copying it. On an image the lines go straight to
 * their place; for anything else they are collected and put as an image. */
#ifndef ASC_STRIP_H
#define ASC_STRIP_H

#include <stdbool.h>

#include "asc-theme.h"

typedef struct AscStrip AscStrip;

/* From top to bottom, in pixels from the top of the row. */
typedef struct
{
  double height;
  double top;     /* of the bars */
  double waits;   /* of the waits, under the bars */
  double bottom;  /* of both */
  AscColour foot; /* a line of one pixel under them, where has_foot */
  bool has_foot;
  AscColour edge; /* the row's last line, where has_edge */
  bool has_edge;
} AscStripRow;

/* For rows that begin at x = 0 of cr and are n device pixels wide, scale of them a pixel.
 * cr must outlive it and keep its matrix and clip. */
AscStrip *asc_strip_new (cairo_t *cr, guint n, double scale);
void asc_strip_free (AscStrip *strip);
/* Whether lines go straight to their place: then nothing is cheaper. */
bool asc_strip_is_direct (const AscStrip *strip);

/* A pixel's value in these, for each device pixel across: 0 where what is behind is seen.
 */
guint32 *asc_strip_bars (AscStrip *strip);
guint32 *asc_strip_waits (AscStrip *strip);
void asc_strip_clear (AscStrip *strip); /* bars and waits */
static inline guint32
asc_strip_pixel (AscColour colour)
{
  return 0xFF000000u | colour;
}
/* From x to x1 (pixels), at least one device pixel. */
void asc_strip_fill (const AscStrip *strip,
                     guint32 *line,
                     double x,
                     double x1,
                     AscColour colour);

/* What is behind: one colour, and ticks of another, a pixel wide at whole pixels. */
void asc_strip_back (AscStrip *strip,
                     AscColour colour,
                     const double *ticks,
                     guint n,
                     AscColour tick);

/* At y of cr, a whole number of device pixels. */
void asc_strip_put (AscStrip *strip, double y, const AscStripRow *row);
/* Instead of bars a filled curve over the bottom: a height (pixels) for each device pixel
 * across; negative ones leave a gap. */
void asc_strip_put_area (AscStrip *strip,
                         double y,
                         const AscStripRow *row,
                         const float *heights,
                         AscColour colour);
/* Instead of bars a line of the pen's width (device pixels): in each device pixel across
 * it goes from one place to another (device pixels under the row's top), none where to is
 * above from. */
typedef struct
{
  int from, to;
} AscStroke;
void asc_strip_put_strokes (AscStrip *strip,
                            double y,
                            const AscStripRow *row,
                            const AscStroke *strokes,
                            int pen,
                            AscColour colour);

#endif
