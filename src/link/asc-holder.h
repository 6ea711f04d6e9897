/* Who has a device open, and who may: for messages that say what to do. */
#ifndef ASC_HOLDER_H
#define ASC_HOLDER_H

#include <glib.h>

/* "mpremote (pid 4711)" for another process that has the device @path open, or NULL when
 * none is seen (processes of other users are seen by root only; other systems than Linux
 * show none). Takes milliseconds. Free with g_free(). */
char *asc_holder_find (const char *path);

/* Whether the process @pid has the device @path open, as far as we may see. */
gboolean asc_holder_has (long pid, const char *path);

/* A sentence on why @path is forbidden and what to do: the device's own group, and
 * whether logging in again is all that is missing. Free with g_free(). */
char *asc_holder_explain_denied (const char *path);

#endif
