#include "asc-stream.h"

#include <string.h>
#include <time.h>

static gint64
clock_ns (clockid_t clock)
{
  struct timespec t;
  if (clock_gettime (clock, &t) != 0)
    return -1;
  return (gint64)t.tv_sec * 1000000000 + t.tv_nsec;
}

static gint64
wall_ns (void)
{
  return clock_ns (CLOCK_REALTIME);
}

static gint64
boottime_ns (void)
{
#ifdef CLOCK_BOOTTIME
  return clock_ns (CLOCK_BOOTTIME);
#else
  return -1;
#endif
}

AscString
asc_stream_string (const char *text, gsize max)
{
  gsize n = text ? strlen (text) : 0;
  if (n > max)
    {
      n = max;
      while (n && ((guint8)text[n] & 0xC0u) == 0x80u)
        n--;
    }
  return (AscString){ .bytes = text ? text : "", .length = (guint8)n };
}

static void
emit (AscStream *stream, const guint8 *bytes, gsize n, bool host)
{
  if (n)
    stream->emit (stream->user, bytes, n, host);
}

/* A frame's end is a border even if the deframer is in the middle of another one when it
 * returns. */
static void
on_frame (void *user, const AscFrame *frame)
{
  AscStream *stream = user;
  guint64 end = frame->offset + ASC_HEADER_SIZE + frame->length + ASC_CHECK_SIZE;
  if (end < stream->chunk_start)
    return;
  stream->border = end;
  stream->border_found = true;
}

static const AscDeframerSink sink = { .frame = on_frame };

void
asc_stream_init (AscStream *stream,
                 guint64 nonce,
                 gint64 created_ns,
                 const char *source,
                 const char *writer,
                 AscStreamEmit emit_call,
                 void *user)
{
  memset (stream, 0, sizeof *stream);
  stream->emit = emit_call;
  stream->user = user;
  stream->nonce = nonce;
  stream->due_us = -1;
  asc_deframer_init (&stream->deframer, &sink, stream, 0);
  AscFileHead head = { .nonce = nonce,
                       .version = ASC_FILE_VERSION,
                       .created_ns = created_ns,
                       .source = asc_stream_string (source, 160),
                       .writer = asc_stream_string (writer, 60) };
  guint8 frame[ASC_FRAME_MAX];
  emit (stream, frame, asc_encode_file_head (frame, &head), true);
  stream->sequence = 1;
  /* The first bytes get an anchor. */
  stream->last_anchor_us = G_MININT64;
}

/* Puts what waits where the emitted bytes end, at board offset `at`. */
static void
place (AscStream *stream, guint64 at)
{
  emit (stream, stream->queued, stream->n_queued, true);
  stream->n_queued = 0;
  if (stream->anchor_due)
    {
      guint8 frame[ASC_FRAME_MAX];
      AscAnchor anchor
          = { .wall_ns = wall_ns (), .boottime_ns = boottime_ns (), .wire_offset = at };
      emit (stream, frame,
            asc_encode_anchor (frame, stream->nonce, stream->sequence++, &anchor), true);
    }
  stream->anchor_due = false;
  stream->due_us = -1;
}

/* Where the bytes that the deframer holds begin is a border too, unless they are inside a
 * damaged frame. */
static void
find_border (AscStream *stream)
{
  const guint8 *held;
  gsize n_held = asc_deframer_pending (&stream->deframer, &held);
  if (stream->deframer.damaged == 0 && stream->offset - n_held >= stream->chunk_start)
    {
      stream->border = stream->offset - n_held;
      stream->border_found = true;
    }
}

/* Whether the end of the stream has to do, as no border came in time. */
static bool
must_force (const AscStream *stream, gint64 now_us)
{
  const guint8 *held;
  gint64 waited = now_us - stream->due_us;
  if (waited >= ASC_STREAM_PATIENCE_US)
    return true;
  return waited >= ASC_STREAM_DELAY_US
         && asc_deframer_pending (&stream->deframer, &held) == 0;
}

void
asc_stream_push (AscStream *stream, const guint8 *bytes, gsize n, gint64 now_us)
{
  if (n == 0)
    return;
  if (stream->last_anchor_us == G_MININT64
      || now_us - stream->last_anchor_us >= ASC_STREAM_ANCHOR_US)
    {
      stream->last_anchor_us = now_us;
      stream->anchor_due = true;
    }
  if ((stream->anchor_due || stream->n_queued) && stream->due_us < 0)
    stream->due_us = now_us;

  stream->chunk_start = stream->offset;
  stream->border_found = false;
  asc_deframer_feed (&stream->deframer, bytes, n);
  stream->offset += n;
  if (stream->due_us < 0)
    {
      emit (stream, bytes, n, false);
      return;
    }
  find_border (stream);
  gsize before = n;
  if (stream->border_found)
    before = (gsize)(stream->border - stream->chunk_start);
  emit (stream, bytes, before, false);
  if (stream->border_found || must_force (stream, now_us))
    place (stream, stream->chunk_start + before);
  emit (stream, bytes + before, n - before, false);
}

/* What was begun can not go on: the deframer starts anew behind this place. */
static void
break_here (AscStream *stream)
{
  place (stream, stream->offset);
  asc_deframer_init (&stream->deframer, &sink, stream, stream->offset);
}

void
asc_stream_link (AscStream *stream, AscLinkChange change, const char *text)
{
  break_here (stream);
  AscLink link = { .change = change,
                   .wall_ns = wall_ns (),
                   .boottime_ns = boottime_ns (),
                   .text = asc_stream_string (text, 200) };
  guint8 frame[ASC_FRAME_MAX];
  emit (stream, frame, asc_encode_link (frame, stream->nonce, stream->sequence++, &link),
        true);
}

void
asc_stream_cut (AscStream *stream, AscCutReason reason, guint64 bytes)
{
  break_here (stream);
  AscCut cut = { .reason = reason, .bytes = bytes };
  guint8 frame[ASC_FRAME_MAX];
  emit (stream, frame, asc_encode_cut (frame, stream->nonce, stream->sequence++, &cut),
        true);
}

bool
asc_stream_mark (AscStream *stream, const AscUserMark *mark, gint64 now_us)
{
  if (sizeof stream->queued - stream->n_queued < ASC_FRAME_MAX)
    return false;
  stream->n_queued += asc_encode_user_mark (stream->queued + stream->n_queued,
                                            stream->nonce, stream->sequence++, mark);
  if (stream->due_us < 0)
    stream->due_us = now_us;
  if (asc_deframer_at_boundary (&stream->deframer))
    place (stream, stream->offset);
  return true;
}

void
asc_stream_finish (AscStream *stream)
{
  if (stream->due_us >= 0)
    place (stream, stream->offset);
}
