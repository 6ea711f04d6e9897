/* Statistics of tasks over a stretch of a session (definitions: STATISTICS.md beside this
 * file). Exact: integer ticks, sums in 128 bits.
 *
 * Any thread; may take time in proportion to the runs of the stretch, so call it in a
 * worker. */
#ifndef ASC_STATS_H
#define ASC_STATS_H

#include <gio/gio.h>

#include "asc-lane.h"

typedef struct
{
  const AscLane *lane;
  const char *task;
  guint64 instances; /* that lived in the stretch, all of it or a part */
  guint64 alive;     /* at its end */
  guint64 most;      /* alive at the same time in it */
  guint64 runs;      /* complete, that lie in the stretch and touch nothing lost */
  guint64 censored;
  double rate_hz;     /* runs a second of observed time */
  double cpu_percent; /* of observed time */
  gint64 total_ns;
  gint64 min_ns; /* -1 without a run, as all below */
  double median_ns;
  double mean_ns;
  gint64 p99_ns;
  gint64 max_ns;
  double stddev_ns;
  gint64 late_max_ns;          /* -1: never timed */
  gint64 min_at_ns, max_at_ns; /* start of that run */
} AscTaskStats;

typedef struct
{
  gint64 from_ns;
  gint64 to_ns;
  gint64 observed_ns;
  double coverage; /* observed share, 0-1 */
  guint64 lost_events;
  bool lost_known; /* false: at least that many */
  gsize n_tasks;
  AscTaskStats *tasks; /* in lane order */
} AscStats;

/* [from, to) in the session's ns; G_MININT64, G_MAXINT64 for all. Returns NULL when
 * cancelled. The caller frees. */
AscStats *asc_stats_new (AscSession *session,
                         gint64 from_ns,
                         gint64 to_ns,
                         GCancellable *cancellable);
void asc_stats_free (AscStats *stats);

#endif
