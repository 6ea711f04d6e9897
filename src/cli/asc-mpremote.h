/* Runs mpremote on a board, never without an end and never long without a word. */
#ifndef ASC_MPREMOTE_H
#define ASC_MPREMOTE_H

#include "asc-cli.h"

typedef struct
{
  const char *program;
  const char *port;
} AscMpremote;

/* What is done meanwhile, for people. */
typedef struct
{
  const char *doing; /* "copying": "still copying" is told every few seconds */
  const char *late;  /* "did not take the files": so the board at the port, in the end */
  guint limit_s;
} AscMpremoteStep;

/* Runs it with these words (NULL at the end). After limit_s seconds it is stopped, the
 * port is looked at, and what was seen is told. Returns its standard output, or NULL
 * after telling why not; free with g_free (). */
char *asc_mpremote_run (const AscCommand *command,
                        const AscMpremote *board,
                        const AscMpremoteStep *step,
                        const char *const *words);

/* How long copying that many bytes in that many files may take, seconds. */
guint asc_mpremote_copy_s (gint64 bytes, guint n_files);

#endif
