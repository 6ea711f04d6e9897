/* A trace: everything that a stream of bytes told, ready to be asked.
 *
 * One thread feeds; any thread asks, at the same time and without locks: what is
 * published only grows, and pointers given out (sessions, lanes, names) stay valid until
 * the trace is freed. Corrupt input is data: it becomes gaps and problems, never an
 * error.
 *
 * Times: …_ns are nanoseconds on the board's clock of their session (../DESIGN.md, Time).
 */
#ifndef ASC_TRACE_H
#define ASC_TRACE_H

#include <glib.h>
#include <stdbool.h>

#include "asc-decoder.h"

typedef struct AscTrace AscTrace;
typedef struct AscSession AscSession;
typedef struct AscLane AscLane;

AscTrace *asc_trace_new (AscOrigin origin);
void asc_trace_free (AscTrace *trace);

/* Feeding thread only. Any split of the bytes gives the same trace. */
void asc_trace_feed (AscTrace *trace, const void *bytes, gsize n);
/* The stream ended: open runs become censored, what is held back is settled. */
void asc_trace_finish (AscTrace *trace);

/* Changes whenever something new was published. */
guint64 asc_trace_serial (const AscTrace *trace);
/* A copy of the decoder's totals as of the last feed. */
void asc_trace_totals (const AscTrace *trace, AscDecoderTotals *totals);
/* Milliseconds of silence: bytes that the decoder holds back, for provisional display.
 * Feeding thread only. */
gsize asc_trace_pending (const AscTrace *trace, const guint8 **bytes);

guint asc_trace_n_sessions (const AscTrace *trace);
AscSession *asc_trace_session (const AscTrace *trace, guint index);

/* What the file's head and its wall-clock anchors tell. */
typedef struct
{
  bool has_head;
  gint64 created_ns; /* since 1970 UTC */
  const char *source;
  const char *writer;
} AscTraceHead;
void asc_trace_head (const AscTrace *trace, AscTraceHead *head);

/* Text that the board printed, UTF-8, in order. Returns bytes copied from position on. */
guint64 asc_trace_text_length (const AscTrace *trace);
/* The newest 64 MiB are kept; what was before this position is gone. */
guint64 asc_trace_text_start (const AscTrace *trace);
gsize asc_trace_text (const AscTrace *trace, guint64 position, char *buffer, gsize n);

typedef enum
{
  ASC_PROBLEM_LOST,     /* events missing: count */
  ASC_PROBLEM_DROPPED,  /* events dropped on the board: count */
  ASC_PROBLEM_SKIPPED,  /* bytes skipped: count, skip */
  ASC_PROBLEM_MANGLED,  /* a terminal driver changes bytes: bits in count */
  ASC_PROBLEM_CLOCK,    /* discontinuity */
  ASC_PROBLEM_STACK,    /* a told run stack differs */
  ASC_PROBLEM_LINK,     /* connection lost */
  ASC_PROBLEM_NOT_KEPT, /* CUT */
  ASC_PROBLEM_VERSION,  /* the board speaks a later version */
  ASC_PROBLEM_UNNAMED,  /* runs of tasks that were not known yet */
  ASC_PROBLEM_COST      /* the recorder costs more than 5 % */
} AscProblemKind;

typedef struct
{
  AscProblemKind kind;
  AscSkip skip;
  guint session;  /* index */
  gint64 time_ns; /* of the session; -1 unknown */
  guint64 offset; /* in the stream */
  guint64 count;
  guint64 times; /* how many it stands for: itself and those that were merged into it */
} AscProblem;

/* Each loss (of events, of the connection, of the clock; not kept) has its place in the
 * list, up to 500 a kind and session; what comes then is merged into the last one. Of
 * other kinds neighbours are merged. Past 10 000 only counts grow. */
gsize asc_trace_n_problems (const AscTrace *trace);
void asc_trace_problem (const AscTrace *trace, gsize index, AscProblem *problem);
/* One sentence for people; the caller frees it. */
char *asc_problem_text (const AscProblem *problem);

/* Every event as it is fed, resolved: for cat and exporters. Feeding thread only. */
typedef enum
{
  ASC_TOLD_EVENT,
  ASC_TOLD_GAP,  /* value = events missing (-1 unknown), end_ticks */
  ASC_TOLD_SKIP, /* value = bytes, id = AscSkip */
  ASC_TOLD_LINK, /* id = AscLinkChange, text */
  ASC_TOLD_CUT,  /* value = bytes, id = AscCutReason */
  ASC_TOLD_TEXT  /* text between frames */
} AscToldKind;

typedef struct
{
  AscToldKind kind;
  const AscEvent *event; /* EVENT: else NULL */
  AscSession *session;   /* NULL before the first */
  const AscLane *task;   /* ENTER, EXIT, START, END: NULL unknown */
  guint32 instance;      /* 0 unknown */
  guint8 context;
  guint64 ticks;
  guint64 end_ticks;
  gint64 value;
  guint32 id;
  const char *text; /* name of a mark, pin, counter, span; text's bytes */
  gsize text_length;
  guint64 offset;
} AscTold;
typedef void (*AscTraceObserver) (void *user, const AscTold *told);
/* Before the first feed. */
void asc_trace_set_observer (AscTrace *trace, AscTraceObserver observer, void *user);

#endif
