/* Statistics as rows of text: one place for window, CSV, JSON and terminal, so that all
 * show the same figures. CSV and JSON are the same in every locale. */
#ifndef ASC_TABLE_H
#define ASC_TABLE_H

#include "asc-stats.h"

/* "task,instances,runs,rate_hz,…" and a row a task; UTF-8, \n. The caller frees. */
char *asc_table_csv (const AscStats *stats);
char *asc_table_json (const AscStats *stats);
/* Aligned, with units, for people. */
char *asc_table_text (const AscStats *stats);

#endif
