/* Adding up durations so that exact figures come out: a counter for each length below
 * 16384 ticks, and for longer ones counters of 1/256 of an octave, whose exact values are
 * looked up in the runs themselves when a rank falls into one.
 *
 * One thread at a time. */
#ifndef ASC_TALLY_H
#define ASC_TALLY_H

#include "asc-model.h"

#define ASC_TALLY_SHORT 16384u /* ticks */
#define ASC_TALLY_SHORT_BITS 14u
#define ASC_TALLY_STEPS 256u /* an octave */
#define ASC_TALLY_LONG ((63u - ASC_TALLY_SHORT_BITS) * ASC_TALLY_STEPS)

__extension__ typedef unsigned __int128 AscU128;

typedef struct AscTally
{
  AscArena *arena;
  guint32 *counts;      /* ASC_TALLY_SHORT */
  guint32 *long_counts; /* ASC_TALLY_LONG, NULL before the first */
  guint64 n, n_long;
  guint64 censored;
  AscU128 sum_long, squares_long;
  guint64 min, max;       /* ticks */
  guint64 min_at, max_at; /* start of the first such run in the order of adding */
  gint32 late_max;        /* ms, -1 never timed */
} AscTally;

/* A place of one of the lane's runs that are counted. */
typedef struct
{
  const AscRuns *runs;
  guint64 first, end;
} AscTallyPiece;

/* arena: keeps the counters as long as it lives; NULL: the heap. */
AscTally *asc_tally_new (AscArena *arena);
void asc_tally_reset (AscTally *tally);
/* Adds runs [first, end) of a view but those that are headless or censored; censored ones
 * are counted apart. */
void asc_tally_add (AscTally *tally, const AscRunsView *view, guint64 first, guint64 end);
/* Takes the counters of what was added since `before` out again: same runs. The caller
 * then puts *tally = *before. */
void
asc_tally_remove (AscTally *tally, const AscRunsView *view, guint64 first, guint64 end);

typedef struct
{
  AscU128 sum, squares;
  double median; /* ticks */
  guint64 p99;   /* ticks */
} AscTallyFigures;
/* pieces: where the counted runs lie; only looked at when a rank is among long ones.
 * Without a run all is 0. */
void asc_tally_figures (const AscTally *tally,
                        const AscTallyPiece *pieces,
                        gsize n_pieces,
                        AscTallyFigures *figures);

#endif
