/* A column of runs that do not overlap, in order, in ticks, with its summary pyramid.
 *
 * 32 runs make a block: 8 bytes a run, start (from the block's first) and length, after a
 * head with the block's summary; 32 blocks make a node of the next level, and so on.
 * Lateness, instance and end of a run have arrays of their own, made for a block that
 * needs them. What does not fit into 32 bits stands in a side list.
 *
 * One thread appends; any reads, without locks, through a view of what is published. */
#ifndef ASC_RUNS_H
#define ASC_RUNS_H

#include <stdbool.h>

#include "asc-arena.h"
#include "asc-list.h"

#define ASC_FAN 32u
#define ASC_FAN_BITS 5u
#define ASC_RUNS_LEVELS 9u /* above the blocks: 32^10 runs */
#define ASC_LONG G_MAXUINT32
#define ASC_NOT_TIMED G_MAXUINT16
#define ASC_ENDS_FLAGS 0xFCu /* of an end's byte; the rest is AscExit or AscIdle */

/* Of what lies below a node. */
typedef struct
{
  guint64 t0;       /* first start */
  guint64 t1;       /* last end */
  guint64 busy;     /* sum of lengths */
  guint32 late_sum; /* ms; G_MAXUINT32: that or more */
  guint32 longest;  /* ASC_LONG: that or more */
  guint32 instance; /* blocks: of every run without an array */
  guint16 late_max; /* ms */
  guint8 flags;     /* ASC_RUN_… of any */
  guint8 spare;
} AscNode;

typedef struct
{
  guint32 start; /* from the block's t0 */
  guint32 length;
} AscPair;

typedef struct
{
  AscNode node; /* all but t0 and instance only once the block is full and followed */
  _Atomic (guint16 *) late;
  _Atomic (guint32 *) instances;
  _Atomic (guint8 *) ends;
  AscPair runs[ASC_FAN];
} AscBlock;

/* What a search or a sum asks of a block, side by side for all blocks of a lane. */
typedef struct
{
  guint64 t0;      /* first start */
  guint64 before;  /* sum of the lengths of all runs before it */
  guint32 longest; /* this and late_max once the block is full and followed */
  guint16 late_max;
  guint16 spare;
} AscMile;

/* A run whose start or length needs more than 32 bits. */
typedef struct
{
  guint64 index, start, length;
} AscLongRun;

typedef struct
{
  AscBlock *block; /* being filled; NULL before the first */
  guint64 base;
  guint32 at; /* runs in it */
  guint32 instance;
  _Atomic guint64 n;
  guint64 last_end;
  guint64 n_blocks;
  AscArena *arena;
  AscMile *mile;  /* of that block */
  AscList chunks; /* AscBlock *, see asc_runs_block () */
  guint64 sum;    /* of the lengths in all blocks before the one being filled */
  AscList *long_runs;
  AscList *levels[ASC_RUNS_LEVELS]; /* AscNode */
  _Atomic guint32 late_max;         /* of all, ms */
} AscRuns;

void asc_runs_init (AscRuns *runs, AscArena *arena);
void asc_runs_clear (AscRuns *runs);

/* For asc_runs_append () only. */
void asc_runs_turn (AscRuns *runs, guint64 start);
void asc_runs_put_long (AscRuns *runs, guint64 start, guint64 length);
void asc_runs_put_more (AscRuns *runs, guint32 instance, guint16 late, guint8 end);

/* Appends a run; start is not before the end of the last one. late: ms or ASC_NOT_TIMED;
 * end: AscExit or AscIdle (0-3) and flags in ASC_ENDS_FLAGS. */
static inline __attribute__ ((always_inline)) void
asc_runs_append (AscRuns *runs,
                 guint64 start,
                 guint64 end,
                 guint32 instance,
                 guint16 late,
                 guint8 ends)
{
  if (G_UNLIKELY (runs->at == ASC_FAN))
    asc_runs_turn (runs, start);
  guint64 from_base = start - runs->base, length = end - start;
  if (G_UNLIKELY ((from_base | length) >= ASC_LONG))
    asc_runs_put_long (runs, start, length);
  else
    runs->block->runs[runs->at] = (AscPair){ (guint32)from_base, (guint32)length };
  if (G_UNLIKELY (instance != runs->instance || late != ASC_NOT_TIMED || ends))
    asc_runs_put_more (runs, instance, late, ends);
  runs->at++;
  runs->last_end = end;
  asc_put (&runs->n, asc_own (&runs->n) + 1);
}

/* The same with any times: clipped to what may follow. */
void asc_runs_append_clipped (AscRuns *runs,
                              guint64 start,
                              guint64 end,
                              guint32 instance,
                              guint16 late,
                              guint8 ends);

/* --- reading ------------------------------------------------------------------------ */

typedef struct
{
  const AscRuns *runs;
  guint64 n;      /* runs */
  guint64 n_full; /* blocks whose summary is final */
} AscRunsView;

typedef struct
{
  guint64 index, start, end;
  guint32 instance;
  guint16 late; /* ms or ASC_NOT_TIMED */
  guint8 ends;
} AscTickRun;

AscRunsView asc_runs_view (const AscRuns *runs);

/* Chunks of 2, then 14, then 256 blocks: a lane with few runs costs little. Behind the
 * blocks of a chunk stand their miles. */
static inline AscBlock *
asc_runs_chunk (const AscRuns *runs, guint64 block, guint64 *first, guint64 *n)
{
  guint64 chunk = block < 2 ? 0 : block < 16 ? 1 : 2 + ((block - 16) >> 8);
  *first = block < 2 ? 0 : block < 16 ? 2 : 16 + ((chunk - 2) << 8);
  *n = block < 2 ? 2 : block < 16 ? 14 : 256;
  return *(AscBlock **)asc_list_at (&runs->chunks, chunk);
}

static inline AscBlock *
asc_runs_block (const AscRuns *runs, guint64 block)
{
  guint64 first, n;
  AscBlock *chunk = asc_runs_chunk (runs, block, &first, &n);
  return chunk + (block - first);
}

static inline const AscMile *
asc_runs_mile (const AscRuns *runs, guint64 block)
{
  guint64 first, n;
  AscBlock *chunk = asc_runs_chunk (runs, block, &first, &n);
  return (const AscMile *)(const void *)(chunk + n) + (block - first);
}

/* The node at a level (1 and up). */
static inline const AscNode *
asc_runs_node (const AscRuns *runs, guint level, guint64 index)
{
  return asc_list_at (runs->levels[level - 1], index);
}

const AscLongRun *asc_runs_long (const AscRunsView *view, guint64 index);

static inline void
asc_runs_span (const AscRunsView *view,
               const AscBlock *block,
               guint64 index,
               guint64 *start,
               guint64 *end)
{
  AscPair pair = block->runs[index % ASC_FAN];
  if (G_LIKELY (pair.length != ASC_LONG))
    {
      *start = block->node.t0 + pair.start;
      *end = *start + pair.length;
    }
  else
    {
      const AscLongRun *run = asc_runs_long (view, index);
      *start = run->start;
      *end = run->start + run->length;
    }
}

void asc_runs_get (const AscRunsView *view, guint64 index, AscTickRun *run);
/* Runs that start before a time: the index of the first that does not. */
guint64 asc_runs_find (const AscRunsView *view, guint64 ticks);
/* The first run that ends after a time. */
guint64 asc_runs_find_end (const AscRunsView *view, guint64 ticks);

/* The first run from an index on that is at least so long; the number of runs if none. */
guint64 asc_runs_next_long (const AscRunsView *view, guint64 from, guint64 ticks);

/* Goes through the runs in order and knows what lies behind it. */
typedef struct
{
  const AscRunsView *view;
  guint64 tolerance, limit; /* ticks */
  guint64 block;
  guint64 index;        /* runs that start before the place */
  guint64 sum;          /* of their lengths */
  guint64 start, end;   /* of the last of them */
  const AscMile *miles; /* of a chunk, and which blocks they are of */
  guint64 first, n;
} AscSweep;

/* A place inside a whole block that takes no longer than `tolerance`, with no run of
 * `limit` or more, is told as if its runs were spread evenly, and the last run as over.
 */
void asc_sweep_init (AscSweep *sweep,
                     const AscRunsView *view,
                     guint64 tolerance,
                     guint64 limit);
/* On to a place, never back. */
void asc_sweep_to (AscSweep *sweep, guint64 ticks);

/* Walks from run `first` on over whole nodes where node () takes them (returns true),
 * else into them; run () gets the single ones and stops the walk by false. The same calls
 * stop it: node () sets *stop. */
typedef struct
{
  bool (*node) (void *user, const AscNode *node, guint64 first, guint64 n, bool *stop);
  bool (*run) (void *user,
               const AscBlock *block,
               guint64 index,
               guint64 start,
               guint64 end);
} AscWalker;
void asc_runs_walk (const AscRunsView *view,
                    guint64 first,
                    const AscWalker *walker,
                    void *user);

/* Sum of what lies within [from, to). */
guint64 asc_runs_busy (const AscRunsView *view, guint64 from, guint64 to);

/* Nodes and runs looked at since the start, by this thread: for tests of cost. */
extern _Thread_local guint64 asc_runs_visits;

#endif
