/* Unnamed recordings in the user's state directory: listed, capped, recoverable. */
#ifndef ASC_STORE_H
#define ASC_STORE_H

#include <gio/gio.h>
#include <stdbool.h>

typedef struct
{
  char *path;
  gint64 created_ns; /* since 1970 UTC */
  guint64 bytes;
  char *source; /* from the file's head */
  bool in_use;  /* a recording holds it now */
} AscStoreEntry;

/* $XDG_STATE_HOME/aioscope/recordings; made when missing. */
const char *asc_store_directory (void);
/* A name for a new recording in it, which does not exist yet; the caller frees. */
char *asc_store_new_path (GError **error);
/* Newest first; each element an AscStoreEntry, freed with the array. */
GPtrArray *asc_store_list (GError **error);
/* Deletes the oldest that nobody uses until all take at most max_bytes (0 = 10 GB) and
 * the disk has keep_free bytes (0 = 1 GB) free. Returns how many. */
guint asc_store_trim (guint64 max_bytes, guint64 keep_free);
/* Moves an unnamed recording out of the store: from now on it is never deleted. */
bool asc_store_keep (const char *path, const char *destination, GError **error);
bool asc_store_delete (const char *path, GError **error);

#endif
