/* Runs mpremote on a board, never without an end and never long without a word. */
#ifndef ASC_MPREMOTE_H
#define ASC_MPREMOTE_H

#include "asc-cli.h"

typedef struct
{
  const char *program;
  const char *port;
} AscMpremote;

/* Runs it with these words (NULL at the end). After limit_s seconds it is stopped, the
 * port is looked at, and what was seen is told; every few seconds before that "still
 * <doing>" is. Returns its standard output, or NULL after telling why not; free with
 * g_free (). */
char *asc_mpremote_run (const AscCommand *command,
                        const AscMpremote *board,
                        const char *doing,
                        guint limit_s,
                        const char *const *words);

/* How long copying that many bytes in that many files may take, seconds. */
guint asc_mpremote_copy_s (gint64 bytes, guint n_files);

#endif
