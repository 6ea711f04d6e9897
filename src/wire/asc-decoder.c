#include "asc-decoder.h"

#include <string.h>

#include "asc-host-frames.h"
#include "asc-varint.h"

/* Ticks above this are what no clock reaches; a hostile stream starts over there. */
#define TICKS_TOP ((uint64_t)1 << 62)
/* Missing STARTs are counted modulo 2^16: beyond that many events nothing is sure. */
#define SLOTS_DOUBT 65536u

static void
tell_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  AscDecoder *decoder = user;
  decoder->totals.skipped[why] += n;
  /* Pieces of one skip count once, whole frames each. */
  bool goes_on = why == decoder->skip_why && offset == decoder->skip_end && offset > 0
                 && why < ASC_SKIP_UNKNOWN_TYPE;
  if (!goes_on)
    decoder->totals.skips[why]++;
  decoder->skip_why = why;
  decoder->skip_end = offset + n;
  if (decoder->sink->skip != NULL)
    decoder->sink->skip (decoder->user, why, offset, n);
}

static void
skip_frame (AscDecoder *decoder, AscSkip why, const AscFrame *frame)
{
  tell_skip (decoder, why, frame->offset,
             ASC_HEADER_SIZE + (size_t)frame->length + ASC_CHECK_SIZE);
}

/* The ticks whose low 48 bits were sent, nearest to what the session last told. */
static uint64_t
extend (const AscDecoder *decoder, uint64_t low)
{
  uint64_t half = (uint64_t)1 << 47;
  if (!decoder->clock_known)
    return low;
  uint64_t forward = (low - decoder->clock) & ASC_TICKS_MASK;
  uint64_t back = (ASC_TICKS_MASK + 1) - forward;
  uint64_t ticks = forward <= half || back > decoder->clock ? decoder->clock + forward
                                                            : decoder->clock - back;
  return ticks < TICKS_TOP ? ticks : low;
}

static void
set_clock (AscDecoder *decoder, uint64_t ticks)
{
  decoder->clock = ticks;
  decoder->clock_known = true;
  if (!decoder->newest_known || ticks > decoder->newest)
    decoder->newest = ticks;
  decoder->newest_known = true;
}

static void
tell_gap (AscDecoder *decoder,
          uint64_t events,
          bool unknown,
          uint64_t offset,
          uint64_t to)
{
  AscGap gap = { .frames = decoder->missing_frames,
                 .events = unknown ? 0 : events,
                 .offset = offset,
                 .from = decoder->newest_known ? decoder->newest : to,
                 .to = to,
                 .unknown = unknown,
                 .cut = decoder->cut };
  if (!gap.cut)
    {
      decoder->totals.missing_frames += gap.frames;
      decoder->totals.missing_events += gap.events;
    }
  if (gap.events > 0 || unknown)
    memset (decoder->context_known, 0, sizeof decoder->context_known);
  decoder->doubtful += unknown ? SLOTS_DOUBT : gap.events;
  decoder->missing_frames = 0;
  if (decoder->sink->gap != NULL)
    decoder->sink->gap (decoder->user, &gap);
}

/* Compares the running count that a frame tells, `bits` wide, and takes it over. */
static void
check_count (AscDecoder *decoder,
             uint64_t count,
             unsigned bits,
             uint64_t offset,
             uint64_t to)
{
  uint64_t wide = ((uint64_t)1 << bits) - 1;
  /* Joined by an EVENTS frame, nothing is known of the upper bits. */
  uint64_t compared = decoder->counted_high ? wide : UINT32_MAX;
  uint64_t missing = (count - decoder->total_events) & wide & compared;
  bool unknown = !decoder->counted || missing > (wide & compared) >> 1;
  if (!decoder->counted)
    missing = 0;
  if (decoder->missing_frames > 0 || missing > 0)
    tell_gap (decoder, missing, unknown, offset, to);
  if (bits > 32)
    decoder->total_events = count;
  else if (!decoder->counted)
    decoder->total_events = count;
  else
    /* By the shortest way, so that a step back and forth ends where it began. */
    decoder->total_events += unknown ? missing | ~(uint64_t)UINT32_MAX : missing;
  decoder->counted_high |= bits > 32;
  decoder->counted = true;
  decoder->cut = false;
}

static void
end_session (AscDecoder *decoder, uint64_t offset)
{
  if (decoder->in_session && decoder->missing_frames > 0)
    tell_gap (decoder, 0, true, offset, decoder->newest);
  decoder->missing_frames = 0;
  decoder->in_session = false;
}

static void
tell_session (AscDecoder *decoder)
{
  if (decoder->sink->session != NULL)
    decoder->sink->session (decoder->user, &decoder->session);
}

static void
begin_session (AscDecoder *decoder, const AscFrame *frame, const AscHello *hello)
{
  bool first = !decoder->in_session;
  uint64_t index = decoder->session.index + 1;
  end_session (decoder, frame->offset);
  decoder->session = (AscDecoderSession){ .index = first ? 0 : index,
                                          .low_byte = frame->session,
                                          .id_known = hello != NULL,
                                          .id = hello != NULL ? hello->session_id : 0,
                                          .offset = frame->offset };
  /* Whoever joins a running board can not know what was before. */
  decoder->counted = !first;
  decoder->counted_high = !first;
  decoder->starts_known = !first;
  decoder->next_sequence = first ? frame->sequence : 0;
  decoder->next_starts = 0;
  decoder->total_events = 0;
  decoder->doubtful = 0;
  decoder->clock_known = false;
  decoder->newest_known = false;
  decoder->start_known = false;
  decoder->newest = 0;
  decoder->in_session = true;
  memset (decoder->context_known, 0, sizeof decoder->context_known);
  tell_session (decoder);
}

/* Session and sequence, for every right board frame. False: a duplicate. */
static bool
follow (AscDecoder *decoder, const AscFrame *frame, const AscHello *hello)
{
  uint32_t check = asc_get_u32 (frame->payload + frame->length);
  if (decoder->in_session && frame->session == decoder->session.low_byte
      && frame->sequence == (uint16_t)(decoder->next_sequence - 1u)
      && check == decoder->last_check)
    return false;
  decoder->last_check = check;
  if (!decoder->in_session || frame->session != decoder->session.low_byte
      || (hello != NULL && decoder->session.id_known
          && hello->session_id != decoder->session.id))
    begin_session (decoder, frame, hello);
  else if (hello != NULL && !decoder->session.id_known)
    {
      decoder->session.id_known = true;
      decoder->session.id = hello->session_id;
      tell_session (decoder);
    }
  decoder->missing_frames += (uint16_t)(frame->sequence - decoder->next_sequence);
  decoder->next_sequence = (uint16_t)(frame->sequence + 1u);
  return true;
}

static void
take_hello (AscDecoder *decoder, const AscFrame *frame)
{
  AscHello hello;
  if (asc_unpack_hello (frame, &hello) < 0)
    {
      skip_frame (decoder,
                  follow (decoder, frame, NULL) ? ASC_SKIP_MALFORMED : ASC_SKIP_DUPLICATE,
                  frame);
      return;
    }
  if (!follow (decoder, frame, &hello))
    {
      skip_frame (decoder, ASC_SKIP_DUPLICATE, frame);
      return;
    }
  hello.ticks = extend (decoder, hello.ticks);
  check_count (decoder, hello.events, 48, frame->offset, hello.ticks);
  set_clock (decoder, hello.ticks);
  if (!decoder->start_known)
    {
      uint64_t age = (hello.ticks - hello.start_ticks) & ASC_TICKS_MASK;
      decoder->start = age < hello.ticks ? hello.ticks - age : 0;
      decoder->start_known = true;
    }
  hello.start_ticks = decoder->start;
  if (decoder->sink->hello != NULL)
    decoder->sink->hello (decoder->user, frame, &hello);
}

/* Whether the context's run stack goes on, and is what the frame tells. */
static void
check_stack (const AscDecoder *decoder, unsigned context, AscBatch *batch)
{
  const AscEventsInfo *info = &batch->info;
  batch->continues = decoder->context_known[context];
  if (!batch->continues)
    return;
  batch->stack_differs = info->depth != decoder->context_depth[context];
  for (unsigned i = 0; i < info->depth && !batch->stack_differs; i++)
    batch->stack_differs = info->stack[i] != decoder->context_stack[context][i];
}

/* Compares the STARTs that a frame tells, before it and in it. False: no slot is known.
 */
static bool
check_starts (AscDecoder *decoder, uint16_t starts, uint16_t n_starts)
{
  bool known = decoder->doubtful < SLOTS_DOUBT
               && (!decoder->starts_known || starts == decoder->next_starts);
  decoder->starts_known = true;
  decoder->next_starts = (uint16_t)(starts + n_starts);
  decoder->doubtful = 0;
  return known;
}

static void
take_events (AscDecoder *decoder, const AscFrame *frame)
{
  AscBatch batch = { .continues = false };
  AscEventsInfo *info = &batch.info;
  int n = asc_unpack_events (frame, info, decoder->events);
  if (!follow (decoder, frame, NULL))
    {
      skip_frame (decoder, ASC_SKIP_DUPLICATE, frame);
      return;
    }
  if (n < 0)
    {
      skip_frame (decoder, ASC_SKIP_MALFORMED, frame);
      return;
    }
  uint64_t shift = extend (decoder, info->base) - info->base;
  if (shift != 0)
    for (int i = 0; i < n; i++)
      decoder->events[i].ticks += shift;
  info->base += shift;
  info->end += shift;
  check_count (decoder, info->count, 32, frame->offset, info->end);
  batch.slots_known = check_starts (decoder, info->starts, info->n_starts);
  decoder->doubtful = info->n_dropped;
  check_stack (decoder, frame->context, &batch);
  set_clock (decoder, info->end);
  decoder->total_events += info->n_counted;
  decoder->totals.events += (unsigned)n;
  decoder->totals.dropped_events += info->n_dropped;
  decoder->totals.unknown_kinds += info->n_unknown;
  bool lost = n > 0 && decoder->events[n - 1].kind == ASC_EVENT_LOST;
  if (lost)
    memset (decoder->context_known, 0, sizeof decoder->context_known);
  decoder->context_known[frame->context] = !lost;
  decoder->context_depth[frame->context] = info->end_depth;
  memcpy (decoder->context_stack[frame->context], info->end_stack,
          sizeof info->end_stack);
  if (decoder->sink->events != NULL)
    decoder->sink->events (decoder->user, frame, &batch, decoder->events, (size_t)n);
}

static void
take_names (AscDecoder *decoder, const AscFrame *frame)
{
  AscName names[ASC_NAMES_MAX];
  int n = asc_unpack_names (frame, names);
  if (!follow (decoder, frame, NULL))
    skip_frame (decoder, ASC_SKIP_DUPLICATE, frame);
  else if (n < 0)
    skip_frame (decoder, ASC_SKIP_MALFORMED, frame);
  else if (decoder->sink->names != NULL)
    decoder->sink->names (decoder->user, frame, names, (size_t)n);
}

static void
take_tasks (AscDecoder *decoder, const AscFrame *frame)
{
  AscTaskRecord records[ASC_TASKS_MAX];
  uint64_t ticks = 0;
  uint16_t starts;
  int n = asc_unpack_tasks (frame, &ticks, &starts, records);
  if (!follow (decoder, frame, NULL))
    {
      skip_frame (decoder, ASC_SKIP_DUPLICATE, frame);
      return;
    }
  if (n < 0)
    {
      skip_frame (decoder, ASC_SKIP_MALFORMED, frame);
      return;
    }
  ticks = extend (decoder, ticks);
  set_clock (decoder, ticks);
  if (!check_starts (decoder, starts, 0) && decoder->sink->slots_unknown != NULL)
    decoder->sink->slots_unknown (decoder->user);
  if (decoder->sink->tasks != NULL)
    decoder->sink->tasks (decoder->user, frame, ticks, records, (size_t)n);
}

static bool
host_payload_right (const AscFrame *frame)
{
  union
  {
    AscFileHead head;
    AscAnchor anchor;
    AscLink link;
    AscCut cut;
    AscUserMark mark;
  } any;
  switch (frame->type)
    {
    case ASC_FRAME_FILE:
      return asc_unpack_file_head (frame, &any.head) >= 0;
    case ASC_FRAME_ANCHOR:
      return asc_unpack_anchor (frame, &any.anchor) >= 0;
    case ASC_FRAME_LINK:
      return asc_unpack_link (frame, &any.link) >= 0;
    case ASC_FRAME_CUT:
      return asc_unpack_cut (frame, &any.cut) >= 0;
    default:
      return asc_unpack_user_mark (frame, &any.mark) >= 0;
    }
}

static void
take_host (AscDecoder *decoder, const AscFrame *frame)
{
  uint64_t nonce = 0;
  bool first = !decoder->nonce_known && frame->type == ASC_FRAME_FILE
               && host_payload_right (frame);
  bool ours = asc_host_nonce (frame, &nonce) >= 0
              && (first || (decoder->nonce_known && nonce == decoder->nonce));
  if (decoder->origin != ASC_FROM_FILE || !ours)
    skip_frame (decoder, ASC_SKIP_FOREIGN, frame);
  else if (frame->type > ASC_FRAME_MARK)
    skip_frame (decoder, ASC_SKIP_UNKNOWN_TYPE, frame);
  else if (!host_payload_right (frame))
    skip_frame (decoder, ASC_SKIP_MALFORMED, frame);
  else
    {
      decoder->nonce = nonce;
      decoder->nonce_known = true;
      if (frame->type == ASC_FRAME_CUT)
        {
          decoder->cut = true;
          memset (decoder->context_known, 0, sizeof decoder->context_known);
        }
      if (decoder->sink->host != NULL)
        decoder->sink->host (decoder->user, frame);
    }
}

static void
tell_frame (void *user, const AscFrame *frame)
{
  AscDecoder *decoder = user;
  decoder->totals.frames++;
  decoder->totals.host_frames += frame->type >= ASC_FRAME_HOST;
  if (frame->type == ASC_FRAME_EVENTS)
    take_events (decoder, frame);
  else if (frame->type == ASC_FRAME_HELLO)
    take_hello (decoder, frame);
  else if (frame->type == ASC_FRAME_NAMES)
    take_names (decoder, frame);
  else if (frame->type == ASC_FRAME_TASKS)
    take_tasks (decoder, frame);
  else if (frame->type >= ASC_FRAME_HOST)
    take_host (decoder, frame);
  else
    skip_frame (decoder,
                follow (decoder, frame, NULL) ? ASC_SKIP_UNKNOWN_TYPE
                                              : ASC_SKIP_DUPLICATE,
                frame);
}

static void
tell_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  AscDecoder *decoder = user;
  if (decoder->sink->text != NULL)
    decoder->sink->text (decoder->user, bytes, n, offset);
}

static void
tell_mangled (void *user, unsigned how, uint64_t offset)
{
  AscDecoder *decoder = user;
  if (decoder->sink->mangled != NULL)
    decoder->sink->mangled (decoder->user, how, offset);
}

void
asc_decoder_init (AscDecoder *decoder,
                  AscOrigin origin,
                  const AscDecoderSink *sink,
                  void *user)
{
  static const AscDeframerSink deframer_sink = {
    .frame = tell_frame, .text = tell_text, .skip = tell_skip, .mangled = tell_mangled
  };
  memset (decoder, 0, sizeof *decoder);
  decoder->sink = sink;
  decoder->user = user;
  decoder->origin = origin;
  asc_deframer_init (&decoder->deframer, &deframer_sink, decoder, 0);
}

void
asc_decoder_feed (AscDecoder *decoder, const void *bytes, size_t n)
{
  decoder->totals.bytes += n;
  asc_deframer_feed (&decoder->deframer, bytes, n);
}

void
asc_decoder_finish (AscDecoder *decoder)
{
  asc_deframer_finish (&decoder->deframer);
  end_session (decoder, decoder->totals.bytes);
}

size_t
asc_decoder_pending (const AscDecoder *decoder, const uint8_t **bytes)
{
  return asc_deframer_pending (&decoder->deframer, bytes);
}

const AscDecoderTotals *
asc_decoder_totals (const AscDecoder *decoder)
{
  return &decoder->totals;
}
