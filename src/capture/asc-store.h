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
  bool empty;   /* no board said anything in it */
  /* Where its first saved_bytes were saved to, as long as that file is there; else NULL.
   */
  char *saved_as;
  guint64 saved_bytes;
  bool all_saved; /* no board said anything after that */
} AscStoreEntry;

/* $XDG_STATE_HOME/aioscope/recordings; where that can not be written a folder of the
 * user's in $XDG_RUNTIME_DIR or in that for temporary files. Made when missing. */
const char *asc_store_directory (void);
/* NULL, or for people: that the first one can not be written, why, and which is taken.
 * The caller frees. */
char *asc_store_trouble (void);
/* Whether the file lies in one of these folders. */
bool asc_store_holds (const char *path);
/* Notes that the recording's first bytes were saved: asc_store_list () tells. */
bool asc_store_note_saved (const char *path, const char *saved_as, guint64 bytes);
/* A name for a new recording in it, which does not exist yet; the caller frees. */
char *asc_store_new_path (GError **error);
/* Of all these folders, newest first; each element an AscStoreEntry, freed with the
 * array. */
GPtrArray *asc_store_list (void);
/* Deletes what nobody uses: what is empty or saved; then the oldest until all take at
 * most max_bytes (0 = 10 GB) and their disk has keep_free bytes free (0 = 1 GB, at most
 * an eighth of it). Returns how many. */
guint asc_store_trim (guint64 max_bytes, guint64 keep_free);
/* Moves an unnamed recording out of the store: from now on it is never deleted. */
bool asc_store_keep (const char *path, const char *destination, GError **error);
/* False, and why: what is saved into the store would be taken for unnamed. */
bool asc_store_may_save (const char *destination, GError **error);
/* Deletes it when it is empty or saved, and nobody uses it. */
bool asc_store_delete_needless (const char *path);
bool asc_store_delete (const char *path, GError **error);

#endif
