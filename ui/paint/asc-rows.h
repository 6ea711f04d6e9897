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
  guint colour; /* of the theme's task colours */
  double y;     /* from the top of all rows */
  double height;
} AscRow;

typedef struct
{
  GArray *rows;  /* AscRow */
  double height; /* of all */
  double task_height;
} AscRows;

/* Least and most height of a task's row, in pixels. */
#define ASC_ROW_COMPACT 14
#define ASC_ROW_COMFORTABLE 40

AscRows *asc_rows_new (void);
void asc_rows_free (AscRows *rows);

/* Tasks by first appearance, then spans, idle, GC, pins, counters; tasks that do not
 * match filter (glob without case, "" = all, ! excludes) are left out. Rows are as high
 * as fits into height, between compact and comfortable; past that they are scrolled.
 *
 * A row's colour is that of its lane's name, unless a lane before it has that already and
 * another is free: two tasks look alike only when there are more than colours. */
void asc_rows_update (AscRows *rows,
                      const AscSession *session,
                      double height,
                      const char *filter);
/* The row at y (from the top of all rows), or NULL. */
const AscRow *asc_rows_at (const AscRows *rows, double y);
const AscRow *asc_rows_of (const AscRows *rows, const AscLane *lane);
/* First row that reaches below y. */
guint asc_rows_first (const AscRows *rows, double y);

/* The filter of the rows, for tables. */
bool asc_name_matches (const char *name, const char *filter);

#endif
