/* A lane while it is painted: shared by the files that paint lanes. */
#ifndef ASC_PAINT_LANE_H
#define ASC_PAINT_LANE_H

#include "asc-scope.h"
#include "asc-strip.h"

typedef struct
{
  cairo_t *cr;
  const AscScope *scope;
  const AscRow *row;
  const AscGrid *grid; /* a column a device pixel */
  AscStrip *strip;     /* lent; its back is the row's */
  AscColour colour;
  AscColour behind;
  double width;
  const double *ticks; /* places of the ruler's */
  guint n_ticks;
  double y;      /* of the row in the part */
  double end;    /* below it */
  double top;    /* of a bar */
  double bottom; /* the base line */
  double scale;  /* device pixels a pixel */
} AscPaintLane;

/* asc-paint-lanes.c */
/* To a whole device pixel. */
double asc_paint_snap (const AscPaintLane *lane, double x);
/* Band, ticks and base line, for what is painted over them by cairo. */
void asc_paint_plain (const AscPaintLane *lane);
/* The same with the strip's bars and waits. */
void asc_paint_strip (const AscPaintLane *lane, double wait_height);

/* asc-paint-runs.c */
void asc_paint_runs (const AscPaintLane *lane);

/* asc-paint-samples.c: pins, counters and the load. */
void asc_paint_samples (const AscPaintLane *lane);
void asc_paint_load (const AscPaintLane *lane);

#endif
