/* Statistics as rows of text: one place for window, CSV, JSON and terminal, so that all
 * show the same figures. CSV and JSON are the same in every locale. */
#ifndef ASC_TABLE_H
#define ASC_TABLE_H

#include "asc-stats.h"

/* "task,instances,runs,rate_hz,…" and a row a task, in the order of stats; UTF-8, \n.
 * What has no value (no run, never timed) is empty. Whole nanoseconds are integers;
 * median has one decimal (two runs' mean may end in .5), mean, deviation and rate three,
 * CPU four. The caller frees. */
char *asc_table_csv (const AscStats *stats);
/* The same keys and decimals; what has no value is null. skipped_bytes: of the trace. */
char *asc_table_json (const AscStats *stats, guint64 skipped_bytes);
/* Puts the tasks in order of a column, by its key with or without its unit ("max_ns",
 * "max"): the largest first, names in order of the alphabet. False: there is no such
 * column. stats may be NULL, to ask just that. */
bool asc_table_sort (AscStats *stats, const char *column);
/* The columns' names, for people; the caller frees. */
char *asc_table_names (void);
/* Aligned, with units, for people. */
char *asc_table_text (const AscStats *stats);

/* The same for several sessions; numbers count from 1. CSV: with a first column
 * "session", JSON: {"sessions":[{"session":1,…},…]}. */
char *asc_table_csv_sessions (AscStats *const *stats, const guint *numbers, gsize n);
char *asc_table_json_sessions (AscStats *const *stats,
                               const guint *numbers,
                               gsize n,
                               guint64 skipped_bytes);

/* Appends a field of CSV, with quotes where it needs them. */
void asc_csv_string (GString *out, const char *text);
/* Appends a string as JSON, with its quotes; what is not UTF-8 becomes U+FFFD. */
void asc_json_string (GString *out, const char *text);

#endif
