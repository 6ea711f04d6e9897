/* Makes the stream of a .trace: board bytes as they come, host frames at borders between
 * them (FORMAT.md §2).
 *
 * Does no input or output: what belongs into the file goes to the emit call, in order.
 * Not locked: one thread at a time. Times are microseconds of the monotonic clock. */
#ifndef ASC_STREAM_H
#define ASC_STREAM_H

#include <glib.h>
#include <stdbool.h>

#include "asc-host-frames.h"

#define ASC_STREAM_DELAY_US (500 * 1000) /* then any place that hits no good frame */
#define ASC_STREAM_PATIENCE_US (5 * 1000 * 1000) /* then any place */
#define ASC_STREAM_ANCHOR_US (1000 * 1000)
/* The most that one push or break adds to the board's bytes. */
#define ASC_STREAM_RESERVE 8192

typedef void (*AscStreamEmit) (void *user, const guint8 *bytes, gsize n, bool host);

typedef struct
{
  AscDeframer deframer;
  AscStreamEmit emit;
  void *user;
  guint64 nonce;
  guint64 offset;      /* board bytes so far: the deframer's offsets */
  guint64 chunk_start; /* of the bytes being pushed */
  guint64 border;      /* newest border at or after chunk_start */
  bool border_found;
  bool anchor_due;
  guint16 sequence;
  gint64 last_anchor_us;
  gint64 due_us;  /* since when something waits; -1: nothing does */
  gsize n_queued; /* bytes */
  guint8 queued[ASC_STREAM_RESERVE - 2 * ASC_FRAME_MAX];
} AscStream;

/* emit and user stay the caller's. Emits the FILE frame. created: ns since 1970 UTC. */
void asc_stream_init (AscStream *stream,
                      guint64 nonce,
                      gint64 created_ns,
                      const char *source,
                      const char *writer,
                      AscStreamEmit emit,
                      void *user);
/* Board bytes that arrived at now. */
void asc_stream_push (AscStream *stream, const guint8 *bytes, gsize n, gint64 now_us);
/* The connection changed; placed at once, a begun frame is over. */
void asc_stream_link (AscStream *stream, AscLinkChange change, const char *text);
/* Bytes were not kept here; placed at once, a begun frame is over. */
void asc_stream_cut (AscStream *stream, AscCutReason reason, guint64 bytes);
/* A mark of the user, placed at the next border. False when too many wait. */
bool asc_stream_mark (AscStream *stream, const AscUserMark *mark, gint64 now_us);
/* The stream ends: places what waits. */
void asc_stream_finish (AscStream *stream);

/* A C string as a field of a frame, cut at a character's border to at most max bytes. */
AscString asc_stream_string (const char *text, gsize max);

#endif
