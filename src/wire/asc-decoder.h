/* Bytes to events: deframer, unpacking, and what holds the frames of a session together
 * (sequence, running count, starts, 48-bit ticks, run stacks).
 *
 * Any split of the input gives the same calls. No allocation. One thread at a time. */
#ifndef ASC_DECODER_H
#define ASC_DECODER_H

#include "asc-unpack.h"

typedef enum
{
  ASC_FROM_WIRE, /* host frames are foreign */
  ASC_FROM_FILE  /* the first FILE frame tells the nonce that host frames must carry */
} AscOrigin;

/* Frames or events that are missing between two frames of a session. */
typedef struct
{
  uint64_t frames; /* missing by sequence; 0 after a malformed frame */
  uint64_t events; /* missing by running count; 0 breaks nothing unless unknown */
  uint64_t offset; /* of the frame after the gap, or where the session ends */
  uint64_t from;   /* ticks: newest end of any context before the gap, extended; where the
                      session told nothing before, the same as to */
  uint64_t to;  /* ticks: end of the frame after the gap, extended; at the session's end
                   the same as from */
  bool unknown; /* how many events are missing can not be told: events is 0 */
  bool cut;     /* a CUT stands in it: not kept, rather than lost */
} AscGap;

typedef struct
{
  uint64_t index;   /* counts up from 0 in the stream */
  uint8_t low_byte; /* of the id */
  bool id_known;    /* false until its HELLO */
  uint32_t id;
  uint64_t offset;
} AscDecoderSession;

/* Facts about a batch of events that come from the frames before it. */
typedef struct
{
  AscEventsInfo info; /* base and end are extended to 64 bits here */
  bool continues;     /* the context's run stack goes on from its last frame */
  bool slots_known;   /* false: forget which slot holds what, before these events */
  bool stack_differs; /* continues, but the told stack is another */
} AscBatch;

typedef struct
{
  /* A new session begins; also when a HELLO tells the id of the running one (same index).
   */
  void (*session) (void *user, const AscDecoderSession *session);
  /* Its ticks and start_ticks are extended to 64 bits. */
  void (*hello) (void *user, const AscFrame *frame, const AscHello *hello);
  void (*names) (void *user, const AscFrame *frame, const AscName *names, size_t n);
  /* ticks extended to 64 bits. */
  void (*tasks) (void *user,
                 const AscFrame *frame,
                 uint64_t ticks,
                 const AscTaskRecord *records,
                 size_t n);
  /* Forget which slot holds what; only before tasks, as batches of events say it
   * themselves. */
  void (*slots_unknown) (void *user);
  void (*events) (void *user,
                  const AscFrame *frame,
                  const AscBatch *batch,
                  const AscEvent *events,
                  size_t n);
  /* Before the EVENTS or HELLO after the gap, or at the session's end. */
  void (*gap) (void *user, const AscGap *gap);
  /* A host frame with the right nonce. */
  void (*host) (void *user, const AscFrame *frame);
  void (*text) (void *user, const uint8_t *bytes, size_t n, uint64_t offset);
  void (*skip) (void *user, AscSkip why, uint64_t offset, size_t n);
  /* how: ASC_MANGLED_… bits; offset of the changed canary. May come before the text or
   * skip that the canary is part of. */
  void (*mangled) (void *user, unsigned how, uint64_t offset);
} AscDecoderSink;

/* Totals since init. */
typedef struct
{
  uint64_t bytes;
  uint64_t frames;      /* right ones */
  uint64_t host_frames; /* of these, of the host's types */
  uint64_t events;      /* decoded */
  uint64_t missing_frames;
  uint64_t missing_events; /* by running count: lost on the way; those in a CUT apart */
  uint64_t dropped_events; /* by LOST: dropped on the board */
  uint64_t unknown_kinds;
  uint64_t skipped[ASC_SKIP_N]; /* bytes */
  uint64_t skips[ASC_SKIP_N];   /* occurrences */
} AscDecoderTotals;

#define ASC_DECODER_CONTEXTS 256

typedef struct AscDecoderState
{
  AscDeframer deframer;
  const AscDecoderSink *sink;
  void *user;
  AscOrigin origin;
  AscDecoderTotals totals;
  AscDecoderSession session;
  uint64_t nonce;
  uint64_t clock;          /* ticks last told in the session, extended */
  uint64_t start;          /* ticks at the session's start, as its first HELLO tells it */
  uint64_t newest;         /* newest end of any context, ticks, extended */
  uint64_t total_events;   /* running count, extended, after the last frame */
  uint64_t missing_frames; /* jumps that no gap has told yet */
  uint64_t doubtful;       /* events missing or dropped since starts were compared */
  uint64_t skip_end;       /* where the last skip ended, and why it was */
  AscSkip skip_why;
  uint32_t last_check; /* CRC-32 of the last board frame */
  uint16_t next_sequence;
  uint16_t next_starts;
  bool in_session;
  bool nonce_known;
  bool clock_known;
  bool start_known;
  bool newest_known;
  bool counted;      /* total_events is known, modulo 2^32 */
  bool counted_high; /* and modulo 2^48 */
  bool starts_known;
  bool cut;                                 /* a CUT came since the last gap */
  bool context_known[ASC_DECODER_CONTEXTS]; /* its run stack goes on */
  uint8_t context_depth[ASC_DECODER_CONTEXTS];
  uint16_t context_stack[ASC_DECODER_CONTEXTS][ASC_STACK_MAX];
  AscEvent events[ASC_FRAME_EVENTS_MAX];
} AscDecoder;

/* sink and user stay the caller's; any call of the sink may be NULL. */
void asc_decoder_init (AscDecoder *decoder,
                       AscOrigin origin,
                       const AscDecoderSink *sink,
                       void *user);
void asc_decoder_feed (AscDecoder *decoder, const void *bytes, size_t n);
void asc_decoder_finish (AscDecoder *decoder);
/* Bytes held back (PROTOCOL.md §8, provisional text). */
size_t asc_decoder_pending (const AscDecoder *decoder, const uint8_t **bytes);
const AscDecoderTotals *asc_decoder_totals (const AscDecoder *decoder);

#endif
