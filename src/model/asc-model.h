/* The parts of a trace, for the sources of this layer only.
 *
 * "feeder": only the feeding thread looks at it. What is _Atomic is published for any
 * thread; the rest is set before the object itself is published and never changes. */
#ifndef ASC_MODEL_H
#define ASC_MODEL_H

#include <pthread.h>

#include "asc-host-frames.h"
#include "asc-lane.h"
#include "asc-load.h"
#include "asc-runs.h"
#include "asc-samples.h"

#define ASC_NO_TICKS G_MAXUINT64
#define ASC_TICKS_TOP (G_GUINT64_CONSTANT (1) << 62) /* no time is later */
/* Nor in ns (73 years): so that views can add lengths and steps to any time. */
#define ASC_NS_TOP (G_MAXINT64 / 4)

/* --- names (feeder) ------------------------------------------------------------------
 */

typedef struct AscKnownName AscKnownName;
struct AscKnownName
{
  guint32 id;
  bool known;
  bool internal;
  guint8 kind;
  guint32 line, code;
  const char *module, *function, *file;
  const char *display;
  AscKnownName *same; /* an earlier one of the same identity, or NULL */
  AscLane *lanes;     /* by next_of_name */
};

/* --- lane ----------------------------------------------------------------------------
 */

/* Births and deaths of a task's instances, in order. */
typedef struct
{
  guint64 ticks;
  guint32 alive; /* after it */
  guint32 born;
} AscLives;

struct AscLane
{
  AscRuns runs;
  AscSamples *samples; /* pins, counters, marks */
  AscSession *session;
  AscLaneKind kind;
  guint index;
  guint8 context;
  bool nested; /* runs inside other runs of its context, or spans at the same time */
  _Atomic (const char *) name;
  _Atomic (const char *) file;
  _Atomic guint32 line;
  _Atomic bool internal;
  /* The lane that stands for the task in statistics, often this one. */
  _Atomic (AscLane *) primary;
  _Atomic guint64 known; /* idle lanes: everything is told up to here, ticks */
  AscList lives;
  _Atomic guint32 most;
  /* The run that is open: ASC_NO_TICKS or its start; instance | late << 32 | flags << 48.
   */
  _Atomic guint64 open_start;
  _Atomic guint64 open_more;
  /* feeder */
  AscKnownName *known_name;
  AscLane *next_of_name;
  bool taken;   /* nested lane: a run is open on it */
  GArray *held; /* samples that wait for the watermark */
  /* under the session's statistics lock */
  struct AscTally *tally;
  guint64 tallied;
};

/* --- session -------------------------------------------------------------------------
 */

typedef struct
{
  _Atomic guint64 from, to; /* ticks */
  _Atomic guint64 count;
  _Atomic gint kind;
} AscTickStretch;

struct AscSession
{
  AscTrace *trace;
  guint index;
  _Atomic guint32 tick_hz;
  _Atomic bool id_known, hello_known, ended, tail_unknown, gap_unknown;
  _Atomic guint32 id;
  _Atomic guint32 tick_step_ns, cost_ns, cpu_hz, capabilities, recorder, counter_bits,
      seal_ms;
  _Atomic (const char *) board;
  _Atomic (const char *) firmware;
  _Atomic (const char *) program;
  _Atomic guint64 start, first, end, watermark; /* ticks; first: ASC_NO_TICKS before it */
  _Atomic gint64 wall_offset_ns; /* wall clock − board clock; MIN unknown */
  _Atomic guint64 n_events, n_runs, lost_events;
  AscList lanes;                /* AscLane * */
  AscList stretches;            /* AscTickStretch, by from */
  _Atomic guint64 past_changes; /* stretches that came before the watermark */
  /* feeder */
  guint64 shift;        /* added to ticks: the clock stepped back by so much in all */
  guint64 newest_clock; /* newest ticks told by any frame */
  guint64 gc_start;
  bool hello_seen, cost_told;
  guint n_unnamed;      /* runs entered before their task was told; 2: or more */
  guint64 unnamed_from; /* ticks of the first */
  /* of readers */
  pthread_mutex_t lock; /* not GMutex: ThreadSanitizer knows this one */
  struct AscLoadState *load;
  AscArena tally_arena;
  guint64 tally_changes, tally_stretches;
};

/* --- trace ---------------------------------------------------------------------------
 */

typedef struct
{
  AscLane *lane;
  guint64 since; /* ticks: what is older is the one's before */
  guint32 instance;
  guint16 name;
  guint16 key; /* context | ASC_SLOT_KNOWN; 0: never told */
} AscSlot;
#define ASC_SLOT_KNOWN 0x100u
#define ASC_SLOT_STALE 0x200u

typedef struct
{
  AscLane *lane;
  guint64 start;
  guint32 instance;
  guint16 late, slot;
  guint8 flags;
} AscOpenRun;

typedef struct
{
  AscOpenRun stack[ASC_STACK_MAX];
  AscLane *shown[ASC_STACK_MAX]; /* lanes whose open run is published */
  guint depth, n_shown;
  bool seen, broken, silent;
  guint64 end; /* of its last event */
  guint64 silent_from;
  AscLane *idle, *drain, *gc;
  guint64 gc_start;
} AscContextState;

typedef struct
{
  guint32 id;
  AscLane *lane;
  guint64 start;
} AscOpenSpan;

typedef struct
{
  _Atomic guint64 count, times;
  AscProblem problem;
} AscListedProblem;

#define ASC_TEXT_CHUNK 65536u
#define ASC_TEXT_CHUNKS 1024u /* 64 MiB are kept */

typedef struct
{
  pthread_mutex_t lock;            /* not GMutex: ThreadSanitizer knows this one */
  guint8 *chunks[ASC_TEXT_CHUNKS]; /* by position / ASC_TEXT_CHUNK, round and round */
  guint64 length;
} AscTerminal;

typedef struct
{
  pthread_mutex_t lock; /* not GMutex: ThreadSanitizer knows this one */
  AscDecoderTotals totals;
} AscSharedTotals;

struct AscTrace
{
  AscDecoder decoder;
  AscArena arena;
  GStringChunk *strings;
  AscSharedTotals *totals;
  _Atomic guint64 serial;
  AscList sessions; /* AscSession * */
  AscList problems; /* AscListedProblem */
  AscTerminal *terminal;
  _Atomic (AscTraceHead *) head;
  AscTraceObserver observer;
  void *observer_user;
  /* feeder: of the running session */
  AscSession *session;
  AscSlot *slots;    /* ASC_SLOT_MAX + 1 */
  AscSlot *previous; /* who had the slot before, as long: key 0 if nobody is known */
  guint n_slots;     /* used */
  AscKnownName **names;
  guint n_names;
  GPtrArray *all_names;
  GHashTable *by_identity; /* char * → AscKnownName * */
  GHashTable *displays;    /* char * → AscKnownName * */
  AscKnownName unknown_task;
  AscLane *plain[ASC_LANE_N_KINDS]; /* lanes without a name, by next_of_name */
  AscContextState *contexts;        /* ASC_DECODER_CONTEXTS */
  guint n_contexts;
  guint8 only_context;
  GArray *spans; /* AscOpenSpan */
  bool gap_pending;
  AscStretchKind gap_kind;
  guint64 gap_from, gap_count;
  bool link_down;
  guint tail_skips;      /* damage since the last frame that counts the events */
  guint64 tail_skip_end; /* its end in the file */
  guint losses_session;  /* the session that these are of */
  struct
  {
    guint n;      /* listed one by one */
    guint64 last; /* the newest of them */
  } losses[ASC_PROBLEM_COST + 1];
  GArray *cuts;         /* AscCut of sessions not met yet */
  GPtrArray *holders;   /* lanes with held samples */
  gint64 first_boot_ns; /* of the session's anchors; −1 none */
  gint64 boot_to_wall_ns;
  gint64 offset_ns; /* least */
};

/* asc-session.c */
AscSession *asc_session_new (AscTrace *trace, guint index);
void asc_session_free (AscSession *session);
guint64 asc_session_start (const AscSession *session); /* 0 while unknown */
gint64 asc_session_length_ns (const AscSession *session, guint64 ticks);
/* Ticks such that ns (tick) >= ns, and the last with ns (tick) <= ns. */
guint64 asc_session_ticks_up (const AscSession *session, gint64 ns);
guint64 asc_session_ticks_down (const AscSession *session, gint64 ns);

/* asc-stretches.c */
void asc_stretches_add (AscSession *session,
                        AscStretchKind kind,
                        guint64 from,
                        guint64 to,
                        guint64 count);
guint64 asc_stretches_sum (const AscSession *session, guint64 from, guint64 to);
/* The first stretch that ends after ticks. */
guint64 asc_stretches_find (const AscSession *session, guint64 ticks);
bool asc_stretches_touch (const AscSession *session, guint64 start, guint64 end);
/* Observed ticks of [from, to), and its clipped borders. */
guint64 asc_stretches_observed (const AscSession *session, guint64 *from, guint64 *to);

/* asc-lane.c */
AscLane *asc_lane_new (AscSession *session, AscLaneKind kind, guint8 context);
void asc_lane_free (AscLane *lane);
/* The open run, if its lane has one that is not among the published. */
bool asc_lane_open (const AscLane *lane, const AscRunsView *view, AscTickRun *run);
void asc_lane_run_out (const AscLane *lane, const AscTickRun *in, AscRun *out);
AscLane *asc_lane_primary (const AscLane *lane);

/* asc-names.c (feeder) */
AscKnownName *asc_names_get (AscTrace *trace, guint32 id);
void asc_names_define (AscTrace *trace, const AscName *name);
void asc_names_reset (AscTrace *trace);
AscLane *asc_names_lane (AscTrace *trace,
                         AscKnownName *name,
                         AscLaneKind kind,
                         guint8 context,
                         bool nested);
AscLane *asc_names_plain_lane (AscTrace *trace, AscLaneKind kind, guint8 context);

/* asc-slots.c (feeder) */
void asc_slots_reset (AscTrace *trace);
void asc_slots_doubt (AscTrace *trace);
void asc_slots_tell (AscTrace *trace,
                     const AscTaskRecord *record,
                     guint64 ticks,
                     guint8 context,
                     bool started);
/* instance: of the run that ended it, 0 where that is not known. */
void asc_slots_end (AscTrace *trace, guint32 slot, guint32 instance, guint64 ticks);
void asc_slots_rename (AscTrace *trace,
                       guint32 slot,
                       guint32 name,
                       guint64 ticks,
                       guint8 context);
/* The lane on which the slot runs in that context, and its instance. */
AscLane *asc_slots_lane (AscTrace *trace,
                         guint32 slot,
                         guint8 context,
                         bool nested,
                         guint64 ticks,
                         guint32 *instance);

/* asc-feed.c (feeder) */
extern const AscDecoderSink asc_feed_sink;
void asc_feed_end_session (AscTrace *trace, bool tail_unknown);
AscLane *asc_feed_event (AscTrace *trace,
                         AscContextState *context,
                         const AscFrame *frame,
                         const AscEvent *event,
                         guint64 ticks,
                         guint32 *instance);
void asc_feed_censor (AscTrace *trace, AscContextState *context, guint64 seen);
void asc_feed_tell (AscTrace *trace, const AscTold *told);
void asc_feed_bump (AscTrace *trace);
void asc_feed_censor_all (AscTrace *trace);

/* asc-feed-host.c (feeder): calls of the sink */
void asc_feed_host (void *user, const AscFrame *frame);
void asc_feed_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset);
void asc_feed_skip (void *user, AscSkip why, uint64_t offset, size_t n);
void asc_feed_mangled (void *user, unsigned how, uint64_t offset);

/* asc-anchors.c (feeder) */
void asc_anchors_reset (AscTrace *trace);
void asc_anchors_take (AscTrace *trace, gint64 wall_ns, gint64 boottime_ns);

/* asc-problems.c (feeder) */
void asc_problems_add (AscTrace *trace, const AscProblem *problem);

/* asc-terminal.c */
AscTerminal *asc_terminal_new (void);
void asc_terminal_free (AscTerminal *terminal);
void asc_terminal_add (AscTerminal *terminal, const guint8 *bytes, gsize n);

/* asc-load.c */
#define ASC_CORES 4u
bool asc_load_has_core (const AscSession *session, guint core);
/* The lane that tells the core's idle time, or NULL. */
const AscLane *asc_load_idle_lane (const AscSession *session, guint core);
/* Whether the lane's runs make up the core's busy time where no idle is sent. */
bool asc_load_counts (const AscLane *lane, guint core);
bool asc_load_from_idle (const AscSession *session, guint core);
/* The lane's time within [from, to) that was observed, ticks. */
guint64 asc_load_observed_part (const AscLane *lane, guint64 from, guint64 to);
/* Up to where the core's load is known, ticks. */
guint64 asc_load_known (const AscSession *session, guint core);

/* asc-margin.c */
void asc_load_state_free (struct AscLoadState *state);
/* asc-tally.c */
void asc_tally_free (struct AscTally *tally);

#endif
