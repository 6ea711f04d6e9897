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

/* "1.23 ms", "914 µs", "32.08 ms": three to four significant digits, for tables. out has
 * at least 32 bytes. Returns out. */
char *asc_format_duration (double ns, char *out, gsize n);
/* "1 204": thousands in groups of three, thin enough for tables. */
char *asc_format_count (guint64 count, char *out, gsize n);
/* "00:59.238" for a place in time: digits by the resolution wanted. */
char *asc_format_clock (gint64 ns, gint64 resolution_ns, char *out, gsize n);

#endif
