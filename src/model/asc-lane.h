/* A lane: the timeline of one task (or idle, GC, span, pin, counter), with its pyramid.
 *
 * A question costs what is asked for (columns, runs), never what the lane holds. Read
 * from any thread, without locks. */
#ifndef ASC_LANE_H
#define ASC_LANE_H

#include "asc-session.h"

typedef struct
{
  AscLaneKind kind;
  guint index;      /* in the session */
  const char *name; /* "module.function", "function", pin or counter; never NULL */
  const char *file; /* "" unknown */
  guint32 line;     /* 0 unknown */
  bool internal;    /* a task that asyncio makes for itself */
  guint colour;     /* 0-11, from the name alone: the same in every file */
  guint8 core;
  guint8 context; /* a task that runs in several contexts has a lane in each */
  bool nested; /* a task's runs inside other runs of its context, or overlapping spans */
  guint task;  /* index of the lane that stands for the task in statistics */
  guint64 n_runs;    /* runs that are over, or samples */
  guint32 instances; /* born so far */
  guint32 alive;     /* now */
  guint32 most;      /* alive at the same time */
} AscLaneInfo;

void asc_lane_info (const AscLane *lane, AscLaneInfo *info);

#define ASC_RUN_LATE 0x01u     /* late_ms is known */
#define ASC_RUN_OPEN 0x02u     /* goes on now; end is the newest known time */
#define ASC_RUN_CENSORED 0x04u /* its end was lost: at least this long */
#define ASC_RUN_HEADLESS 0x08u /* its start was lost; in no statistic */
#define ASC_RUN_TOUCHED 0x10u  /* touches an unobserved stretch; in no statistic */

/* A run, or a stretch of an idle, GC or span lane. */
typedef struct
{
  gint64 start_ns;
  gint64 end_ns;
  guint64 index;    /* in the lane, in order of start */
  guint32 instance; /* 0 unknown */
  guint16 late_ms;
  guint8 exit; /* AscExit; idle: AscIdle */
  guint8 flags;
} AscRun;

/* Runs that touch [from, to), in order. Returns how many there are, but stops counting at
 * max + 1; at most max are written. */
gsize
asc_lane_runs (const AscLane *lane, gint64 from_ns, gint64 to_ns, AscRun *out, gsize max);
/* Whether about so many runs touch [from, to), or more: exact but for one. Its cost does
 * not go by how many. */
bool asc_lane_has_runs (const AscLane *lane, gint64 from_ns, gint64 to_ns, gsize n);
/* The run at a time, else false. Nearest by start: before (< ns), after (> ns). */
bool asc_lane_run_at (const AscLane *lane, gint64 ns, AscRun *run);
bool asc_lane_run_before (const AscLane *lane, gint64 ns, AscRun *run);
bool asc_lane_run_after (const AscLane *lane, gint64 ns, AscRun *run);
/* Runs of at least so long that touch [from, to), in order; returns as asc_lane_runs. Its
 * cost goes by what is found. */
gsize asc_lane_long_runs (const AscLane *lane,
                          gint64 from_ns,
                          gint64 to_ns,
                          gint64 least_ns,
                          AscRun *out,
                          gsize max);
/* Share of the lane's runs that are shorter than length (0-1); for the hover. Of so many
 * runs exact, of more from a sample, to a percent. Below a millisecond. */
#define ASC_LANE_RANK_EXACT 32768
double asc_lane_rank (const AscLane *lane, gint64 length_ns);

/* One column of pixels. */
typedef struct
{
  gint64 busy_ns; /* within the column */
  guint32 n;      /* runs that touch it */
  bool waits;     /* a run of this lane was due in it and had not begun */
  bool hog;       /* one of the runs that touch it takes hog_ns or more, all in all */
} AscColumn;

/* What each column holds; its cost is columns, not runs. ASC_RUN_TOUCHED is not told
 * here: see asc_session_stretches (). */
void asc_lane_columns (const AscLane *lane,
                       const AscGrid *grid,
                       AscPrecision precision,
                       gint64 hog_ns,
                       AscColumn *out);

/* Pins and counters. */
typedef struct
{
  gint64 time_ns;
  gint64 value;
} AscSample;

typedef struct
{
  bool any;     /* a value is known in the column */
  gint64 first; /* value where the column begins (or the first in it) */
  gint64 last;
  gint64 min;
  gint64 max;
} AscSampleColumn;

/* The sample in force at a time (the newest not after it), else false. */
bool asc_lane_sample_at (const AscLane *lane, gint64 ns, AscSample *sample);
/* Samples in [from, to); as asc_lane_runs. */
gsize asc_lane_samples (const AscLane *lane,
                        gint64 from_ns,
                        gint64 to_ns,
                        AscSample *out,
                        gsize max);
void
asc_lane_sample_columns (const AscLane *lane, const AscGrid *grid, AscSampleColumn *out);

#endif
