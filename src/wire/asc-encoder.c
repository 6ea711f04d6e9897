#include "asc-encoder.h"

#include "asc-frames.h"
#include "asc-varint.h"

/* Longest event but START and TEXT: a tag, and Δ, a and b as the longest varints. */
#define EVENT_MAX (2 + 3 * ASC_VARINT_MAX)
/* Longest START: tag, Δ, n, and its five numbers. */
#define START_MAX (2 + 7 + 1 + 3 + 5 + 3 + 3 + 5)
/* Room that TEXT takes apart from its bytes. */
#define TEXT_HEAD (2 + 7 + 2)
#define FRAME_END (ASC_HEADER_SIZE + ASC_PAYLOAD_MAX)
#define FRESH (ASC_HEADER_SIZE + ASC_EVENTS_HEAD)

void
asc_encoder_init (AscEncoder *encoder, uint8_t *frame, uint8_t context)
{
  encoder->frame = frame;
  encoder->base = 0;
  encoder->last = 0;
  encoder->length = 0;
  encoder->n_events = 0;
  encoder->n_starts = 0;
  encoder->n_lost = 0;
  encoder->depth = 0;
  encoder->context = context;
  encoder->ended = 0;
}

void
asc_encoder_set_stack (AscEncoder *encoder, const uint16_t *slots, unsigned depth)
{
  if (encoder->length > 0)
    return;
  if (depth > ASC_STACK_MAX)
    depth = ASC_STACK_MAX;
  for (unsigned i = 0; i < depth; i++)
    encoder->stack[i] = slots[i];
  encoder->depth = (uint8_t)depth;
}

static void
open_frame (AscEncoder *encoder, uint64_t ticks)
{
  uint8_t *payload = encoder->frame + ASC_HEADER_SIZE;
  uint8_t *p = encoder->frame + FRESH;
  encoder->base = ticks;
  encoder->last = ticks;
  encoder->n_events = 0;
  encoder->n_starts = 0;
  encoder->n_lost = 0;
  asc_put_u48 (payload, ticks);
  payload[ASC_EVENTS_HEAD - 1] = encoder->depth;
  for (unsigned i = 0; i < encoder->depth; i++)
    p = asc_varint_put (p, encoder->stack[i]);
  encoder->length = (uint16_t)(p - encoder->frame);
}

/* Copies an event made elsewhere, if it fits. */
static bool
append (AscEncoder *encoder, const uint8_t *bytes, size_t n)
{
  uint8_t *out = encoder->frame + encoder->length;
  if (n > (size_t)(FRAME_END - encoder->length))
    return false;
  for (size_t i = 0; i < n; i++)
    out[i] = bytes[i];
  encoder->length = (uint16_t)(encoder->length + n);
  return true;
}

/* A tag, as it looks inside and outside a run, and Δ. */
static uint8_t *
put_tag (const AscEncoder *encoder, uint8_t *p, unsigned tag, uint64_t delta)
{
  if (encoder->depth == 0)
    *p++ = (uint8_t)(ASC_OUT_TAG + tag);
  else
    p = asc_varint_put (p, tag << 1 | 1u);
  return asc_varint_put (p, delta);
}

static uint8_t *
put_enter (const AscEncoder *encoder, uint8_t *p, const AscEvent *event, uint64_t delta)
{
  bool late = (event->flags & ASC_EVENT_LATE) != 0;
  if (encoder->depth == 0 && event->id < ASC_OUT_TAG)
    {
      *p++ = (uint8_t)event->id;
      p = asc_varint_put (p, delta << 1 | (late ? 1u : 0u));
    }
  else
    {
      p = put_tag (encoder, p, late ? ASC_TAG_ENTER_LATE : ASC_TAG_ENTER, delta);
      p = asc_varint_put (p, event->id);
    }
  return late ? asc_varint_put (p, event->late_ms) : p;
}

static uint8_t *
put_idle (const AscEncoder *encoder, uint8_t *p, const AscEvent *event, uint64_t delta)
{
  if (event->id <= ASC_IDLE_IO && delta <= 0x0F)
    {
      unsigned tag = (unsigned)(event->id << 4 | (uint32_t)delta);
      if (encoder->depth == 0)
        *p++ = (uint8_t)(ASC_OUT_TAG + tag);
      else
        p = asc_varint_put (p, tag << 1 | 1u);
    }
  else
    {
      p = put_tag (encoder, p, ASC_TAG_IDLE, delta);
      p = asc_varint_put (p, event->id);
    }
  return asc_varint_put (p, (uint64_t)event->value);
}

static uint8_t *
put_two (const AscEncoder *encoder,
         uint8_t *p,
         unsigned tag,
         uint64_t delta,
         uint64_t a,
         uint64_t b)
{
  return asc_varint_put (asc_varint_put (put_tag (encoder, p, tag, delta), a), b);
}

/* Every kind but ENTER, EXIT and IDLE. NULL: not a kind for this call. */
static uint8_t *
put_other (const AscEncoder *encoder, uint8_t *p, const AscEvent *event, uint64_t delta)
{
  uint64_t value = (uint64_t)event->value;
  switch ((int)event->kind)
    {
    case ASC_EVENT_GC_BEGIN:
      return put_tag (encoder, p, ASC_TAG_GC_BEGIN, delta);
    case ASC_EVENT_GC_END:
      return put_tag (encoder, p, ASC_TAG_GC_END, delta);
    case ASC_EVENT_SPAN_END:
      return asc_varint_put (put_tag (encoder, p, ASC_TAG_SPAN_END, delta), event->id);
    case ASC_EVENT_LEVEL:
      p = put_tag (encoder, p, ASC_TAG_LEVEL, delta);
      return asc_varint_put (p, event->id << 1 | (value != 0 ? 1u : 0u));
    case ASC_EVENT_DRAIN:
      return asc_varint_put (put_tag (encoder, p, ASC_TAG_DRAIN, delta), value);
    case ASC_EVENT_MARK:
      if (event->flags & ASC_EVENT_VALUE)
        return put_two (encoder, p, ASC_TAG_MARK_VALUE, delta, event->id,
                        asc_zigzag (event->value));
      return asc_varint_put (put_tag (encoder, p, ASC_TAG_MARK, delta), event->id);
    case ASC_EVENT_SPAN_BEGIN:
      return put_two (encoder, p, ASC_TAG_SPAN_BEGIN, delta, event->id, value);
    case ASC_EVENT_COUNTER:
      return put_two (encoder, p, ASC_TAG_COUNTER, delta, event->id,
                      asc_zigzag (event->value));
    case ASC_EVENT_END:
      return put_two (encoder, p, ASC_TAG_END, delta, event->id, value);
    case ASC_EVENT_RENAME:
      return put_two (encoder, p, ASC_TAG_RENAME, delta, event->id, value);
    case ASC_EVENT_LOST:
      return put_two (encoder, p, ASC_TAG_LOST, delta, value, event->id);
    default:
      return NULL;
    }
}

/* Whether the rules let the event be sent at all, frames apart. */
static bool
allowed (const AscEncoder *encoder, const AscEvent *event)
{
  uint64_t value = (uint64_t)event->value;
  switch ((int)event->kind)
    {
    case ASC_EVENT_ENTER:
      return encoder->depth < ASC_STACK_MAX && event->id <= ASC_SLOT_MAX;
    case ASC_EVENT_EXIT:
      return encoder->depth > 0 && event->id <= ASC_EXIT_CANCEL;
    case ASC_EVENT_SPAN_BEGIN:
      return value <= ASC_SLOT_MAX;
    case ASC_EVENT_END:
      return event->id <= ASC_SLOT_MAX && value <= ASC_END_OTHER;
    case ASC_EVENT_RENAME:
      return event->id <= ASC_SLOT_MAX && value <= ASC_SLOT_MAX;
    case ASC_EVENT_LEVEL:
    case ASC_EVENT_MARK:
    case ASC_EVENT_COUNTER:
      return event->id <= ASC_SLOT_MAX;
    default:
      return true;
    }
}

/* Finds room for an event that lasts from ticks on: 1 and *delta, 0 or -1 as the calls
 * return. */
static int
make_room (AscEncoder *encoder, uint64_t ticks, uint64_t duration, uint64_t *delta)
{
  if (encoder->ended)
    return 0;
  if (ticks < encoder->last || duration > ASC_SPAN_MAX)
    return -1;
  if (encoder->length == 0)
    open_frame (encoder, ticks);
  *delta = ticks - encoder->last;
  return ticks - encoder->base <= ASC_SPAN_MAX - duration ? 1 : 0;
}

static uint64_t
duration_of (const AscEvent *event)
{
  return event->kind == ASC_EVENT_IDLE || event->kind == ASC_EVENT_DRAIN
                 || event->kind == ASC_EVENT_LOST
             ? (uint64_t)event->value
             : 0;
}

/* What an event that is in the frame changes. */
static void
account (AscEncoder *encoder, const AscEvent *event)
{
  encoder->last = event->ticks + duration_of (event);
  if (event->kind == ASC_EVENT_LOST)
    {
      encoder->n_lost += event->id;
      encoder->ended = 1;
      return;
    }
  encoder->n_events++;
  if (event->kind == ASC_EVENT_ENTER)
    encoder->stack[encoder->depth++] = (uint16_t)event->id;
  else if (event->kind == ASC_EVENT_EXIT)
    encoder->depth--;
}

int
asc_encoder_event (AscEncoder *encoder, const AscEvent *event)
{
  uint8_t scratch[EVENT_MAX];
  uint64_t delta;
  if (!encoder->ended && !allowed (encoder, event))
    return -1;
  if (event->kind == 0 || event->kind >= ASC_EVENT_UNKNOWN
      || event->kind == ASC_EVENT_START || event->kind == ASC_EVENT_TEXT
      || event->kind == ASC_EVENT_DISCONTINUITY)
    return -1;
  int room = make_room (encoder, event->ticks, duration_of (event), &delta);
  if (room <= 0)
    return room;

  uint8_t *start = encoder->frame + encoder->length;
  bool direct = FRAME_END - encoder->length >= EVENT_MAX;
  uint8_t *p = direct ? start : scratch;
  uint8_t *end;
  if (event->kind == ASC_EVENT_ENTER)
    end = put_enter (encoder, p, event, delta);
  else if (event->kind == ASC_EVENT_EXIT)
    end = event->id == ASC_EXIT_YIELD
              ? asc_varint_put (p, delta << 1)
              : put_tag (encoder, p, ASC_TAG_EXIT_RETURN + event->id - 1, delta);
  else if (event->kind == ASC_EVENT_IDLE)
    end = put_idle (encoder, p, event, delta);
  else
    end = put_other (encoder, p, event, delta);
  if (end == NULL)
    return -1;
  if (direct)
    encoder->length = (uint16_t)(end - encoder->frame);
  else if (!append (encoder, scratch, (size_t)(end - scratch)))
    return 0;
  account (encoder, event);
  return 1;
}

int
asc_encoder_start (AscEncoder *encoder, uint64_t ticks, const AscTaskRecord *record)
{
  uint8_t scratch[START_MAX];
  uint8_t body[START_MAX];
  uint64_t delta;
  if (!asc_task_record_valid (record))
    return -1;
  int room = make_room (encoder, ticks, 0, &delta);
  if (room <= 0)
    return room;
  size_t n = (size_t)(asc_put_task_record (body, record) - body);
  uint8_t *p = asc_varint_put (put_tag (encoder, scratch, ASC_TAG_START, delta), n);
  for (size_t i = 0; i < n; i++)
    *p++ = body[i];
  if (!append (encoder, scratch, (size_t)(p - scratch)))
    return 0;
  encoder->last = ticks;
  encoder->n_events++;
  encoder->n_starts++;
  return 1;
}

int
asc_encoder_text (AscEncoder *encoder,
                  uint64_t ticks,
                  const char *text,
                  size_t n,
                  size_t *taken)
{
  /* What a frame with the deepest stack surely holds, so that the cut does not depend on
   * where the frame stands. */
  const size_t most = FRAME_END - FRESH - 3 * ASC_STACK_MAX - TEXT_HEAD;
  uint64_t delta;
  *taken = 0;
  int room = make_room (encoder, ticks, 0, &delta);
  if (room <= 0)
    return room;
  n = asc_cut_utf8 (text, n, most);
  if (n + TEXT_HEAD > (size_t)(FRAME_END - encoder->length))
    return 0;
  uint8_t *p = encoder->frame + encoder->length;
  p = asc_varint_put (put_tag (encoder, p, ASC_TAG_TEXT, delta), n);
  for (size_t i = 0; i < n; i++)
    *p++ = (uint8_t)text[i];
  encoder->length = (uint16_t)(p - encoder->frame);
  encoder->last = ticks;
  encoder->n_events++;
  *taken = n;
  return 1;
}

int
asc_encoder_discontinuity (AscEncoder *encoder,
                           uint64_t ticks,
                           AscJump reason,
                           int64_t jump)
{
  uint8_t scratch[EVENT_MAX];
  uint64_t delta;
  /* The event stands at the old clock's time, as well as that can be told. */
  uint64_t before = ticks - (uint64_t)jump;
  if (before < encoder->last || (jump > 0 && before > ticks))
    before = encoder->last;
  int room = make_room (encoder, before, 0, &delta);
  if (room <= 0)
    return room;
  uint64_t z = asc_zigzag (jump);
  uint8_t *p = put_tag (encoder, scratch, ASC_TAG_DISCONTINUITY, delta);
  *p++ = (uint8_t)(1 + asc_varint_size (z));
  *p++ = (uint8_t)reason;
  p = asc_varint_put (p, z);
  if (!append (encoder, scratch, (size_t)(p - scratch)))
    return 0;
  encoder->last = ticks;
  encoder->n_events++;
  encoder->ended = 1;
  return 1;
}

size_t
asc_encoder_seal (AscEncoder *encoder, const AscSeal *seal)
{
  uint8_t *payload = encoder->frame + ASC_HEADER_SIZE;
  if (encoder->length == 0)
    return 0;
  asc_put_u16 (asc_put_u32 (payload + 6, seal->count), seal->starts);
  uint8_t length = (uint8_t)(encoder->length - ASC_HEADER_SIZE);
  encoder->length = 0;
  encoder->ended = 0;
  return asc_encode_frame (encoder->frame, ASC_FRAME_EVENTS, seal->sequence,
                           seal->session, encoder->context, payload, length);
}
