/* The store's inside. */
#ifndef ASC_STORE_PRIVATE_H
#define ASC_STORE_PRIVATE_H

#include "asc-store.h"

/* The state folder first; any other is NULL while it is not there, or not ours. */
#define ASC_STORE_PLACES 3
const char *asc_store_place (guint place);

/* Whether a board said anything in the file, from an offset on, or may have: what can not
 * be read, or what a later version wrote. */
bool asc_store_has_board (int fd, guint64 from);
/* Fills in saved_as, saved_bytes and all_saved. fd: of the recording. */
void asc_store_read_saved (AscStoreEntry *entry, int fd);
/* The space to leave free on a file system of that size; asked: 0 = 1 GB, but not more
 * than an eighth of a small one. */
guint64 asc_store_floor (guint64 asked, guint64 size);
/* The note that it was saved, beside the recording; the caller frees. */
char *asc_store_note_path (const char *path);

#endif
