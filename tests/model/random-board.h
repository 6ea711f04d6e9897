/* A random program on a board: its stream, and the truth about its runs. */
#ifndef RANDOM_BOARD_H
#define RANDOM_BOARD_H

#include <stdbool.h>

#include "asc-board.h"

typedef struct
{
  guint session;
  guint8 context;
  bool nested;
  bool known_name;
  char name[24];
  guint32 instance;
  guint64 start, end; /* ticks, extended */
  guint8 exit;
  int late_ms; /* -1 not timed */
} TrueRun;

typedef struct
{
  guint64 from, to;
  guint session;
  guint8 context;
} TrueIdle;

typedef struct
{
  GByteArray *stream;
  GArray *runs;  /* TrueRun, as they end */
  GArray *idles; /* TrueIdle */
  guint n_sessions;
  guint n_contexts;
  bool lossless;
  bool sends_idle;
  guint64 lost; /* events that never arrived, and dropped ones */
} RandomBoard;

void random_board_make (RandomBoard *random, guint32 seed);
void random_board_clear (RandomBoard *random);

#endif
