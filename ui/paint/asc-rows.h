/* Which lanes are shown, in which order, where: the scope's vertical layout. No drawing.
 */
#ifndef ASC_ROWS_H
#define ASC_ROWS_H

#include "asc-lane.h"

typedef enum
{
  ASC_ROW_LOAD, /* the CPU load strip, always first */
  ASC_ROW_LANE
} AscRowKind;

typedef struct
{
  AscRowKind kind;
  AscLane *lane; /* NULL for the load strip */
  AscLaneInfo info;
  double y; /* from the top of all rows */
  double height;
} AscRow;

typedef struct
{
  GArray *rows;  /* AscRow */
  double height; /* of all */
  double task_height;
} AscRows;

typedef enum
{
  ASC_DENSITY_COMFORTABLE, /* 40 px a task */
  ASC_DENSITY_NORMAL,      /* 28 px */
  ASC_DENSITY_COMPACT      /* 14 px */
} AscDensity;

AscRows *asc_rows_new (void);
void asc_rows_free (AscRows *rows);

/* Tasks by first appearance, then spans, idle, GC, drain, pins, counters; lanes that hold
 * nothing and tasks that do not match filter (glob without case, "" = all, ! excludes)
 * are left out. */
void asc_rows_update (AscRows *rows,
                      const AscSession *session,
                      AscDensity density,
                      const char *filter);
/* Comfortable while all fits into height, then normal, then compact. */
AscDensity asc_rows_density (const AscSession *session, double height);
/* The row at y (from the top of all rows), or NULL. */
const AscRow *asc_rows_at (const AscRows *rows, double y);
const AscRow *asc_rows_of (const AscRows *rows, const AscLane *lane);
/* First row that reaches below y. */
guint asc_rows_first (const AscRows *rows, double y);

/* The filter of the rows, for tables. */
bool asc_name_matches (const char *name, const char *filter);

#endif
