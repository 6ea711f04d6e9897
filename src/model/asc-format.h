/* Times and counts as people read them; the same in every locale.
 *
 * Any thread. out is the caller's, n its bytes (40 hold every result); each returns out.
 */
#ifndef ASC_FORMAT_H
#define ASC_FORMAT_H

#include <glib.h>

/* "1.23 ms", "914 µs", "32.08 ms": three to four significant digits, for tables. Rounded
 * half away from zero. */
char *asc_format_duration (double ns, char *out, gsize n);
/* "1 204": thousands in groups of three, by a narrow space that does not break. */
char *asc_format_count (guint64 count, char *out, gsize n);
/* "00:59.238" for a place in time, "1:02:03.5" from an hour on: as many digits as tell
 * places resolution_ns apart, cut and not rounded, so a place is never shown later than
 * it is. */
char *asc_format_clock (gint64 ns, gint64 resolution_ns, char *out, gsize n);

#endif
