/* A session: one boot or start of the board, with its lanes, gaps, load and margin.
 *
 * Read from any thread, without locks. */
#ifndef ASC_SESSION_H
#define ASC_SESSION_H

#include "asc-trace.h"

typedef struct
{
  guint index;
  bool id_known;
  guint32 id;
  bool hello_known; /* the rest is a guess (1 MHz) until then */
  guint32 tick_hz;
  guint32 tick_step_ns;
  guint32 cost_ns;
  guint32 cpu_hz;
  guint32 capabilities;
  AscRecorderKind recorder;
  guint8 counter_bits;
  guint16 seal_ms;
  const char *board; /* "" unknown; valid until the trace is freed */
  const char *firmware;
  const char *program;
  gint64 start_ns;     /* what people's times count from */
  gint64 first_ns;     /* first event */
  gint64 end_ns;       /* newest event of any context */
  gint64 watermark_ns; /* load, idle and chains are final up to here */
  gint64 wall_ns;      /* wall clock at start_ns, since 1970 UTC; -1 without an anchor */
  bool ended;          /* a later session began, or the stream ended */
  guint64 n_events;
  guint64 n_runs;
  guint64 lost_events; /* missing and dropped */
  bool tail_unknown;   /* whether its last frames arrived can not be known */
} AscSessionInfo;

/* Of the session's trace: changes whenever something new was published. */
guint64 asc_session_serial (const AscSession *session);
void asc_session_info (const AscSession *session, AscSessionInfo *info);
gint64 asc_session_ns (const AscSession *session, guint64 ticks);
/* The ticks that contain a time; times before 0 give 0. */
guint64 asc_session_ticks (const AscSession *session, gint64 ns);

typedef enum
{
  ASC_LANE_TASK,    /* runs */
  ASC_LANE_IDLE,    /* stretches, one lane a core */
  ASC_LANE_DRAIN,   /* what the recorder's sending cost */
  ASC_LANE_GC,      /* stretches */
  ASC_LANE_SPAN,    /* stretches, one lane a name */
  ASC_LANE_PIN,     /* samples 0 and 1 */
  ASC_LANE_COUNTER, /* samples */
  ASC_LANE_MARK,    /* points with a value, one lane a name */
  ASC_LANE_N_KINDS
} AscLaneKind;

/* Lanes in the order they appeared; the number only grows. */
guint asc_session_n_lanes (const AscSession *session);
AscLane *asc_session_lane (const AscSession *session, guint index);

typedef enum
{
  ASC_STRETCH_LOST, /* events missing or dropped: count */
  ASC_STRETCH_NOT_KEPT,
  ASC_STRETCH_SILENT /* connection lost, or a discontinuity of the clock */
} AscStretchKind;

typedef struct
{
  AscStretchKind kind;
  gint64 from_ns;
  gint64 to_ns;
  guint64 count;
} AscStretch;

/* Unobserved stretches that touch [from, to), in order, merged where they overlap.
 * Returns how many there are, which may be more than max; at most max are written. */
gsize asc_session_stretches (const AscSession *session,
                             gint64 from_ns,
                             gint64 to_ns,
                             AscStretch *out,
                             gsize max);
/* Nanoseconds of [from, to) that were observed. */
gint64 asc_session_observed_ns (const AscSession *session, gint64 from_ns, gint64 to_ns);

/* Columns of equal width over [from, to), for all lanes of a session: column i begins at
 * from + i × (to − from) / n, rounded down. */
typedef struct
{
  const AscSession *session;
  guint n;
  gint64 *ns;     /* n + 1 borders */
  guint64 *ticks; /* the first tick that is not before a border */
} AscGrid;

typedef enum
{
  ASC_EXACT,
  ASC_TOLERANT /* while the hand moves: 32 runs that take no more than half a column are
                  taken as spread evenly, so a column's busy time is off by a quarter of
                  its width at most; waits are told up to two columns wider; hogs are
                  exact */
} AscPrecision;

AscGrid *asc_grid_new (const AscSession *session, gint64 from_ns, gint64 to_ns, guint n);
void asc_grid_free (AscGrid *grid);
/* The column that holds a time, the first or last one for times outside. */
guint asc_grid_column (const AscGrid *grid, gint64 ns);

/* Marks of the board (MARK events) for flags on the ruler. */
typedef struct
{
  gint64 time_ns;
  const char *name;
  bool has_value;
  gint64 value;
} AscBoardMark;
gsize asc_session_marks (const AscSession *session,
                         gint64 from_ns,
                         gint64 to_ns,
                         AscBoardMark *out,
                         gsize max);

#endif
