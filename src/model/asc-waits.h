/* Who waited for whom (STATISTICS.md, "Hogs, and who held up whom").
 *
 * Any thread, without locks; a question costs what lies around the stretch it asks for.
 */
#ifndef ASC_WAITS_H
#define ASC_WAITS_H

#include "asc-lane.h"

/* The time that a task has in common with a stretch. */
typedef struct
{
  const AscLane *task; /* the lane that stands for it in statistics */
  gint64 ns;
} AscTaskTime;

/* Where a late run was due and had not begun; its start where it was not late. */
gint64 asc_run_due_ns (const AscRun *run);

/* The next run of the lane that was due at or before a time and had not begun, the open
 * one too; false if none waited then. */
bool asc_lane_wait_at (const AscLane *lane, gint64 ns, AscRun *run);

/* Tasks that ran in [from, to), nested runs apart, the most time first. Returns how many
 * there are, at most max are written. */
gsize asc_session_who_ran (const AscSession *session,
                           gint64 from_ns,
                           gint64 to_ns,
                           AscTaskTime *out,
                           gsize max);

/* Who held up a run: the task whose runs overlap its wait most; false if it was not late.
 */
bool asc_session_held_up_by (const AscSession *session,
                             const AscRun *run,
                             const AscLane **by,
                             gint64 *overlap_ns);

/* Whom a run held up: as asc_session_delays (), of one run, cheap enough for the pointer.
 * The task's longest delay each, the longest first. Returns how many, at most max are
 * written. */
gsize asc_session_held_up (const AscSession *session,
                           const AscRun *run,
                           AscTaskTime *out,
                           gsize max);

/* No run of the lane's task that statistics count is longer than this one. */
bool asc_lane_is_longest (const AscLane *lane, const AscRun *run);

#endif
