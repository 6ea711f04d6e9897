#include "asc-drain.h"

/* Records out of the ring into frames. */

bool
asc_drain_event (AscDrain *drain, AscRecorderContext *c, const AscEvent *event)
{
  for (;;)
    {
      int done = asc_encoder_event (&c->encoder, event);
      if (done > 0)
        return true;
      if (done < 0)
        {
          drain->rec->misuse++;
          return true;
        }
      if (!asc_drain_send (drain, c) || !asc_drain_pump (drain))
        return false;
    }
}

bool
asc_drain_idle (AscDrain *drain, AscRecorderContext *c, uint64_t ticks)
{
  if (ticks <= c->idle_from)
    return true;
  AscEvent event = { .ticks = c->idle_from,
                     .value = (int64_t)(ticks - c->idle_from),
                     .id = c->sent_idle - 1u,
                     .kind = ASC_EVENT_IDLE };
  /* A frame of c in flight must leave before another can be built in its buffer. */
  if (!asc_drain_pump (drain))
    return false;
  for (;;)
    {
      int done = asc_encoder_event (&c->encoder, &event);
      if (done != 0)
        break;
      asc_drain_seal (drain, c);
      if (!asc_drain_pump (drain))
        return false;
    }
  c->idle_from = ticks;
  return true;
}

static bool
put_discontinuity (AscDrain *drain,
                   AscRecorderContext *c,
                   uint64_t ticks,
                   AscJump reason,
                   int64_t jump)
{
  while (asc_encoder_discontinuity (&c->encoder, ticks, reason, jump) == 0)
    if (!asc_drain_send (drain, c) || !asc_drain_pump (drain))
      return false;
  /* Nothing is in flight here, so the frame that it ends can go at once. */
  asc_drain_seal (drain, c);
  return true;
}

/* The clock did not tell the time that passed: it goes on by so much. */
static bool
put_jump (AscDrain *drain, AscRecorderContext *c, uint64_t ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  uint64_t high = rec->ring[(rec->read + 3) & rec->mask];
  uint64_t jump = high << 32 | rec->ring[(rec->read + 2) & rec->mask];
  if (!put_discontinuity (drain, c, ticks + jump, (AscJump)REC_PAYLOAD (head),
                          (int64_t)jump))
    return false;
  rec->now += jump;
  c->idle_from = ticks + jump;
  return true;
}

/* An idle stretch that is open is told up to here. Time before what was sent: a DRAIN or
 * a LOST that began while something else was recorded begins later; anything else is a
 * step back of the counter, and never a wrap. */
static bool
settle_time (AscDrain *drain, AscRecorderContext *c, uint64_t *ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  uint64_t last = c->encoder.last;
  if (c->sent_idle && c->idle_from > last)
    last = c->idle_from;
  if (*ticks >= last)
    return !c->sent_idle || asc_drain_idle (drain, c, *ticks);
  if (REC_KIND (head) == REC_DRAIN || REC_KIND (head) == REC_LOST)
    {
      *ticks = last;
      return true;
    }
  rec->now = *ticks;
  rec->now_raw = rec->ring[rec->read & rec->mask];
  c->idle_from = *ticks;
  return put_discontinuity (drain, c, *ticks, ASC_JUMP_BACK, (int64_t)(*ticks - last));
}

/* A duration that began at the record's time and is told from ticks on. */
static uint64_t
rest_of (AscRecorder *rec, uint64_t ticks, uint32_t duration)
{
  uint64_t end = asc_drain_extend (rec, rec->ring[rec->read & rec->mask]) + duration;
  return end > ticks ? end - ticks : 0;
}

/* Slots mean the same to the host in the order of the frames only. So before an event of
 * c that uses a slot, frames of other contexts that have STARTs go; before one that
 * changes who holds a slot, all that use slots go. */
static bool
order_slots (AscDrain *drain, const AscRecorderContext *c, unsigned others, bool changes)
{
  AscRecorder *rec = drain->rec;
  unsigned first = changes ? rec->tasks_open : rec->starts_open;
  return (first & others) == 0 || asc_drain_send_all (drain, c);
}

static bool
put_start (AscDrain *drain, AscRecorderContext *c, uint64_t ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  uint32_t names = rec->ring[(rec->read + 3) & rec->mask];
  uint32_t parent = names >> 16;
  AscTaskRecord record
      = { .slot = REC_PAYLOAD (head),
          .instance = rec->ring[(rec->read + 2) & rec->mask],
          .name = names & 0xFFFFu,
          .parent_slot = parent == ASC_RECORDER_NO_SLOT ? -1 : (int32_t)parent,
          .parent_instance = rec->ring[(rec->read + 4) & rec->mask] };
  for (;;)
    {
      int done = asc_encoder_start (&c->encoder, ticks, &record);
      if (done != 0)
        return true;
      if (!asc_drain_send (drain, c) || !asc_drain_pump (drain))
        return false;
    }
}

static bool
put_text (AscDrain *drain, AscRecorderContext *c, uint64_t ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  char text[ASC_RECORDER_TEXT_MAX];
  uint32_t n = REC_PAYLOAD (head);
  size_t taken;
  for (uint32_t i = 0; i < n; i++)
    text[i] = (char)(rec->ring[(rec->read + 2 + i / 4) & rec->mask] >> (i % 4 * 8));
  for (;;)
    {
      int done = asc_encoder_text (&c->encoder, ticks, text, n, &taken);
      if (done != 0)
        return true;
      if (!asc_drain_send (drain, c) || !asc_drain_pump (drain))
        return false;
    }
}

/* The host knows now that the task in the slot ended. */
static void
release_slot (AscRecorder *rec, unsigned slot)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  if (slot < rec->config->n_slots && rec->config->slots[slot].ended)
    asc_record_free_slot (rec, slot);
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

/* Frees the slots of tasks whose end was dropped before the LOST that ends at position.
 */
static void
release_lost (AscRecorder *rec, uint32_t position)
{
  for (unsigned i = 0; i < rec->config->n_slots; i++)
    {
      uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
      const AscRecorderSlot *s = &rec->config->slots[i];
      if (s->instance != 0 && s->end_lost && (int32_t)(position - s->end_position) >= 0)
        asc_record_free_slot (rec, i);
      ASC_PORT_EXIT_CRITICAL (rec, state);
    }
}

/* What runs now in each context stands in the record: the next frames begin with it. */
static bool
put_lost (AscDrain *drain, AscRecorderContext *c, uint64_t ticks)
{
  AscRecorder *rec = drain->rec;
  uint32_t at = rec->read;
  uint64_t lasted = rest_of (rec, ticks,
                             (rec->ring[(at + 2) & rec->mask] - rec->ring[at & rec->mask])
                                 & rec->counter_mask);
  AscEvent event = { .ticks = ticks,
                     .value = (int64_t)lasted,
                     .id = rec->ring[(at + 3) & rec->mask],
                     .kind = ASC_EVENT_LOST };
  for (unsigned i = 0; i < rec->config->n_contexts; i++)
    {
      AscRecorderContext *o = &rec->contexts[i];
      if (o->sent_idle && !asc_drain_idle (drain, o, ticks))
        return false;
    }
  if (!asc_drain_send_all (drain, c) || !asc_drain_event (drain, c, &event))
    return false;
  /* Nothing is in flight: this seals at once and nothing below can be done twice. */
  asc_drain_seal (drain, c);
  rec->starts = (uint16_t)(rec->starts + rec->ring[(at + 4) & rec->mask]);
  at += REC_LOST_WORDS;
  for (unsigned i = 0; i < rec->config->n_contexts; i++)
    {
      AscRecorderContext *o = &rec->contexts[i];
      uint32_t word = rec->ring[at++ & rec->mask];
      unsigned depth = word & 0xFFu;
      uint16_t stack[ASC_STACK_MAX];
      o->sent_idle = (uint8_t)(word >> 8);
      o->idle_from = ticks + lasted;
      for (unsigned k = 0; k < depth; k += 2)
        {
          word = rec->ring[at++ & rec->mask];
          stack[k] = (uint16_t)word;
          if (k + 1 < depth)
            stack[k + 1] = (uint16_t)(word >> 16);
        }
      asc_encoder_set_stack (&o->encoder, stack, depth);
      if (o->encoder.last < ticks + lasted)
        o->encoder.last = ticks + lasted;
    }
  asc_drain_extend (rec, rec->ring[(rec->read + 2) & rec->mask]);
  release_lost (rec, at);
  rec->urgent = true;
  rec->repeat_slot = 0;
  return true;
}

static uint32_t
record_words (uint32_t head)
{
  static const uint8_t words[] = {
    [REC_ENTER] = 2,      [REC_ENTER_LATE] = 4, [REC_EXIT] = 2,
    [REC_IDLE_BEGIN] = 2, [REC_IDLE_END] = 2,   [REC_GC_BEGIN] = 2,
    [REC_GC_END] = 2,     [REC_START] = 6,      [REC_END] = 2,
    [REC_RENAME] = 4,     [REC_SPAN_BEGIN] = 4, [REC_SPAN_END] = 4,
    [REC_MARK] = 2,       [REC_MARK_VALUE] = 4, [REC_LEVEL] = 2,
    [REC_COUNTER] = 4,    [REC_DRAIN] = 4,      [REC_DISCONTINUITY] = 4,
  };
  uint32_t kind = REC_KIND (head);
  if (kind == REC_TEXT)
    return 2 + (REC_PAYLOAD (head) + 7) / 8 * 2;
  if (kind == REC_LOST)
    return REC_PAYLOAD (head);
  return words[kind];
}

/* Kinds that are no part of the hot path: fills event; false: not an event of that sort.
 */
static bool
translate (const AscRecorder *rec, uint32_t head, AscEvent *event)
{
  const uint32_t *ring = rec->ring;
  uint32_t payload = REC_PAYLOAD (head);
  uint32_t low = ring[(rec->read + 2) & rec->mask];
  event->id = payload;
  switch (REC_KIND (head))
    {
    case REC_GC_BEGIN:
      event->kind = ASC_EVENT_GC_BEGIN;
      return true;
    case REC_GC_END:
      event->kind = ASC_EVENT_GC_END;
      return true;
    case REC_END:
      event->kind = ASC_EVENT_END;
      event->id = payload & 0xFFFFu;
      event->value = payload >> 16;
      return true;
    case REC_RENAME:
      event->kind = ASC_EVENT_RENAME;
      event->value = low;
      return true;
    case REC_SPAN_BEGIN:
      event->kind = ASC_EVENT_SPAN_BEGIN;
      event->id = low;
      event->value = payload;
      return true;
    case REC_SPAN_END:
      event->kind = ASC_EVENT_SPAN_END;
      event->id = low;
      return true;
    case REC_MARK:
      event->kind = ASC_EVENT_MARK;
      return true;
    case REC_LEVEL:
      event->kind = ASC_EVENT_LEVEL;
      event->id = payload & 0xFFFFu;
      event->value = payload >> 16;
      return true;
    case REC_MARK_VALUE:
    case REC_COUNTER:
      event->kind = REC_KIND (head) == REC_COUNTER ? ASC_EVENT_COUNTER : ASC_EVENT_MARK;
      event->flags = REC_KIND (head) == REC_COUNTER ? 0 : ASC_EVENT_VALUE;
      event->value = (int64_t)((uint64_t)ring[(rec->read + 3) & rec->mask] << 32 | low);
      return true;
    default:
      return false;
    }
}

/* What is not ENTER or EXIT. */
static bool
put_other (AscDrain *drain, AscRecorderContext *c, uint64_t ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  unsigned others = ~(1u << REC_CONTEXT (head));
  AscEvent event = { .ticks = ticks };
  switch (REC_KIND (head))
    {
    case REC_IDLE_BEGIN:
      c->sent_idle = (uint8_t)(REC_PAYLOAD (head) + 1);
      c->idle_from = ticks;
      return true;
    case REC_IDLE_END: /* the stretch was sent before */
      c->sent_idle = 0;
      return true;
    case REC_DRAIN:
      event.kind = ASC_EVENT_DRAIN;
      event.value = (int64_t)rest_of (rec, ticks, rec->ring[(rec->read + 2) & rec->mask]);
      if (!asc_drain_make_way (drain, c, ticks + (uint64_t)event.value)
          || !asc_drain_event (drain, c, &event))
        return false;
      c->idle_from = c->encoder.last;
      return true;
    case REC_START:
      if (!order_slots (drain, c, others, true) || !put_start (drain, c, ticks, head))
        return false;
      rec->starts_open = (uint8_t)(rec->starts_open | 1u << REC_CONTEXT (head));
      rec->tasks_open = (uint8_t)(rec->tasks_open | 1u << REC_CONTEXT (head));
      return true;
    case REC_TEXT:
      return put_text (drain, c, ticks, head);
    case REC_DISCONTINUITY:
      return put_jump (drain, c, ticks, head);
    case REC_LOST:
      return put_lost (drain, c, ticks);
    case REC_END:
      if (!order_slots (drain, c, others, true))
        return false;
      if (!translate (rec, head, &event) || !asc_drain_event (drain, c, &event))
        return false;
      rec->tasks_open = (uint8_t)(rec->tasks_open | 1u << REC_CONTEXT (head));
      release_slot (rec, event.id);
      return true;
    default:
      break;
    }
  return translate (rec, head, &event) ? asc_drain_event (drain, c, &event) : true;
}

static bool
put_exit (AscDrain *drain, AscRecorderContext *c, uint64_t ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  unsigned bit = 1u << REC_CONTEXT (head);
  AscEvent event = { .ticks = ticks, .id = REC_PAYLOAD (head), .kind = ASC_EVENT_EXIT };
  unsigned depth = c->encoder.depth;
  unsigned slot = depth > 0 ? c->encoder.stack[depth - 1] : ASC_RECORDER_NO_SLOT;
  bool ends = event.id != ASC_EXIT_YIELD;
  if (!order_slots (drain, c, ~bit, ends) || !asc_drain_event (drain, c, &event))
    return false;
  rec->tasks_open = (uint8_t)(rec->tasks_open | bit);
  if (ends)
    release_slot (rec, slot);
  return true;
}

static bool
put_enter (AscDrain *drain, AscRecorderContext *c, uint64_t ticks, uint32_t head)
{
  AscRecorder *rec = drain->rec;
  unsigned bit = 1u << REC_CONTEXT (head);
  AscEvent event
      = { .ticks = ticks, .id = REC_PAYLOAD (head) & 0xFFFu, .kind = ASC_EVENT_ENTER };
  uint32_t late = REC_PAYLOAD (head) >> 12;
  if (REC_KIND (head) == REC_ENTER_LATE)
    late = rec->ring[(rec->read + 2) & rec->mask] + 1;
  if (late > 0)
    {
      event.flags = ASC_EVENT_LATE;
      event.late_ms = (uint16_t)(late - 1 < 0xFFFFu ? late - 1 : 0xFFFFu);
    }
  if (!order_slots (drain, c, ~bit, false))
    return false;
  if (!asc_drain_event (drain, c, &event))
    return false;
  rec->tasks_open = (uint8_t)(rec->tasks_open | bit);
  return true;
}

bool
asc_drain_take (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  uint32_t head = rec->ring[(rec->read + 1) & rec->mask];
  uint32_t kind = REC_KIND (head);
  AscRecorderContext *c = &rec->contexts[REC_CONTEXT (head)];
  bool done;
  if (kind <= REC_IDLE_BEGIN && asc_drain_runs (drain, REC_CONTEXT (head)))
    return true;
  if (rec->out_length > 0 && !asc_drain_pump (drain))
    return false;
  uint64_t ticks = asc_drain_extend (rec, rec->ring[rec->read & rec->mask]);
  if (rec->config->n_contexts > 1 && !asc_drain_make_way (drain, c, ticks))
    return false;
  if ((ticks < c->encoder.last || c->sent_idle)
      && (!settle_time (drain, c, &ticks, head) || !asc_drain_pump (drain)))
    return false;
  if (kind == REC_EXIT)
    done = put_exit (drain, c, ticks, head);
  else if (kind == REC_ENTER || kind == REC_ENTER_LATE)
    done = put_enter (drain, c, ticks, head);
  else
    done = put_other (drain, c, ticks, head);
  if (!done)
    return false;
  rec->told = ticks;
  rec->read += kind == REC_EXIT || kind == REC_ENTER ? 2 : record_words (head);
  return true;
}
