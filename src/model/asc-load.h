/* Load and margin of a session (definitions: STATISTICS.md beside this file).
 *
 * Any thread, without locks; final up to the session's watermark. */
#ifndef ASC_LOAD_H
#define ASC_LOAD_H

#include "asc-session.h"

typedef struct
{
  bool known;     /* false: too short for one window, or nothing observed */
  bool from_idle; /* busy = observed − idle; false: the sum of runs, no idle is sent */
  bool never_idle;
  const char *polling; /* never_idle: the task with the most runs, else NULL */
  double load;         /* busy share of observed time, 0-1 */
  double worst;        /* busiest window's share */
  double margin;       /* 1 − worst */
  gint64 worst_at_ns;  /* where that window begins */
  double p99;          /* window by nearest rank */
  gint64 window_ns;
  guint8 core;
} AscMargin;

#define ASC_MARGIN_WINDOW_NS G_GINT64_CONSTANT (1000000000)
#define ASC_MARGIN_WARM_UP_NS G_GINT64_CONSTANT (2000000000)

/* Of the busiest core. window slides; only fully observed ones count; warm_up from the
 * session's start is left out. */
void asc_session_margin (const AscSession *session,
                         gint64 window_ns,
                         gint64 warm_up_ns,
                         AscMargin *margin);
/* Busy share of each column, 0-1; -1 where nothing was observed. */
void asc_session_load (const AscGrid *grid, AscPrecision precision, float *out);

/* Runs and chains over the threshold are hogs. */
typedef struct
{
  gint64 start_ns;
  gint64 end_ns;
  const AscLane *lane; /* the longest share */
  bool chain;
} AscHog;

#define ASC_HOG_NS G_GINT64_CONSTANT (20000000)

/* Single runs of at least threshold, by start, in [from, to); as asc_lane_runs. The
 * pyramid finds them: cost goes by hogs found, not by runs. */
gsize asc_session_hogs (const AscSession *session,
                        gint64 threshold_ns,
                        gint64 from_ns,
                        gint64 to_ns,
                        AscHog *out,
                        gsize max);

/* Columns in which a hog begins. Cost goes by columns, however many hogs there are. */
void asc_session_hog_columns (const AscGrid *grid, gint64 threshold_ns, bool *out);
/* The next (direction > 0) or previous hog: by the middle of it, after or before a time.
 * False: there is none. */
bool asc_session_hog_beside (const AscSession *session,
                             gint64 threshold_ns,
                             gint64 ns,
                             int direction,
                             AscHog *out);

/* A run that waited while a hog ran. */
typedef struct
{
  gsize hog;           /* which of the hogs */
  const AscLane *lane; /* that stands for the task */
  guint32 instance;    /* 0 unknown */
  gint64 start_ns;     /* of the run that waited */
  gint64 delay_ns;     /* what its wait has in common with the hog */
} AscDelay;

#define ASC_DELAYS_MAX 1000000

/* Whom each of these hogs (by start) delayed: AscDelay by hog, longest first. Looks at
 * every late run from the first hog on once, so call it in a worker. *whole is false when
 * there are more than ASC_DELAYS_MAX. The caller frees. */
GArray *
asc_session_delays (const AscSession *session, const AscHog *hogs, gsize n, bool *whole);

#endif
