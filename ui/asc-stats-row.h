/* A row of the statistics table: a copy of one task's figures, and their texts. */
#ifndef ASC_STATS_ROW_H
#define ASC_STATS_ROW_H

#include <gio/gio.h>

#include "asc-stats.h"

#define ASC_TYPE_STATS_ROW (asc_stats_row_get_type ())
G_DECLARE_FINAL_TYPE (AscStatsRow, asc_stats_row, ASC, STATS_ROW, GObject)

/* Signal "changed": the figures are new. */
AscStatsRow *asc_stats_row_new (const AscTaskStats *stats);
void asc_stats_row_update (AscStatsRow *row, const AscTaskStats *stats);
const AscTaskStats *asc_stats_row_stats (const AscStatsRow *row);

typedef enum
{
  ASC_COLUMN_TASK,
  ASC_COLUMN_INSTANCES,
  ASC_COLUMN_RUNS,
  ASC_COLUMN_RATE,
  ASC_COLUMN_CPU,
  ASC_COLUMN_TOTAL,
  ASC_COLUMN_MIN,
  ASC_COLUMN_MEDIAN,
  ASC_COLUMN_MEAN,
  ASC_COLUMN_P99,
  ASC_COLUMN_MAX,
  ASC_COLUMN_STDDEV,
  ASC_COLUMN_LATE_MAX,
  ASC_COLUMN_CENSORED,
  ASC_COLUMN_N
} AscStatsColumn;

const char *asc_stats_column_title (AscStatsColumn column);
const char *asc_stats_column_help (AscStatsColumn column);
/* out has at least 160 bytes; "" where there is no figure. */
char *
asc_stats_row_text (const AscStatsRow *row, AscStatsColumn column, char *out, gsize n);
int
asc_stats_row_compare (const AscStatsRow *a, const AscStatsRow *b, AscStatsColumn column);

#endif
