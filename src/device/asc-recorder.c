#include "asc-record.h"

/* Hooks: each takes its time and its place in one critical section, and only appends. */

static inline bool
room (const AscRecorder *rec, uint32_t words)
{
  return rec->limit - rec->head >= words;
}

/* From the first drop on everything is dropped until the drain has made room and put a
 * LOST, so that the stretch is one. */
void
asc_record_drop (AscRecorder *rec, unsigned context, uint32_t ticks, unsigned events)
{
  if (!rec->running)
    return;
  if (!rec->losing)
    {
      rec->losing = true;
      rec->lost_since = ticks;
      rec->lost_context = (uint8_t)context;
      rec->limit = rec->head;
    }
  rec->lost += events;
}

/* In the critical section: the short record, or its loss. */
static bool
put_short (AscRecorder *rec, uint32_t ticks, uint32_t head)
{
  return asc_record_short (rec, ticks, head);
}

static void
append_short (AscRecorder *rec, uint32_t head)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  put_short (rec, ASC_PORT_TICKS (rec), head);
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

static void
append_value (AscRecorder *rec, uint32_t head, int64_t value)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  if (room (rec, 4))
    {
      put_short (rec, ticks, head);
      asc_record_put (rec, (uint32_t)value);
      asc_record_put (rec, (uint32_t)((uint64_t)value >> 32));
    }
  else
    asc_record_drop (rec, REC_CONTEXT (head), ticks, 1);
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

/* In the critical section: a record of three words, and one for the even number. */
static void
put_three (AscRecorder *rec, uint32_t ticks, uint32_t head, uint32_t word)
{
  if (room (rec, 4))
    {
      put_short (rec, ticks, head);
      asc_record_put (rec, word);
      rec->head++;
    }
  else
    asc_record_drop (rec, REC_CONTEXT (head), ticks, 1);
}

/* Runs. */

void
asc_recorder_enter (AscRecorder *rec, unsigned context, unsigned slot)
{
  asc_record_enter (rec, context, slot, slot & 0xFFFu);
}

/* Lateness that the short record cannot tell. */
static void
enter_very_late (AscRecorder *rec, unsigned context, unsigned slot, uint32_t late_ms)
{
  AscRecorderContext *c = &rec->contexts[context];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  if (c->depth < ASC_STACK_MAX)
    {
      c->stack[c->depth] = (uint16_t)slot;
      put_three (rec, ticks, REC_HEAD (REC_ENTER_LATE, context, slot), late_ms);
    }
  c->depth++;
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

void
asc_recorder_enter_late (AscRecorder *rec,
                         unsigned context,
                         unsigned slot,
                         uint32_t late_ms)
{
  slot &= 0xFFFu;
  if (late_ms <= REC_LATE_MAX)
    asc_record_enter (rec, context, slot, slot | (late_ms + 1) << 12);
  else
    enter_very_late (rec, context, slot, late_ms);
}

static bool
shared_slot (const AscRecorder *rec, unsigned slot)
{
  return slot + 1 >= rec->config->n_slots;
}

/* In the critical section: the task ended. Its slot is free when the host has been told,
 * so that what the drain repeats of it (TASKS) is true at its place in the stream; at
 * once if the host never hears of the task at all. */
static void
end_slot (AscRecorder *rec, unsigned slot, bool told)
{
  AscRecorderSlot *s = &rec->config->slots[slot];
  if (!rec->running || (!told && s->loss == rec->losses + 1))
    asc_record_free_slot (rec, slot);
  else
    {
      s->ended = true;
      if (!told)
        {
          s->end_lost = true;
          s->end_position = rec->head;
        }
    }
}

/* The end of a run and of its task. */
static void
exit_for_good (AscRecorder *rec, unsigned context, AscExit kind)
{
  AscRecorderContext *c = &rec->contexts[context];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  if (c->depth == 0)
    rec->misuse++;
  else if (--c->depth < ASC_STACK_MAX)
    {
      unsigned slot = c->stack[c->depth];
      if (!shared_slot (rec, slot))
        end_slot (rec, slot, put_short (rec, ticks, REC_HEAD (REC_EXIT, context, kind)));
      else
        put_short (rec, ticks, REC_HEAD (REC_EXIT, context, ASC_EXIT_YIELD));
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

void
asc_recorder_exit (AscRecorder *rec, unsigned context, AscExit kind)
{
  if (kind == ASC_EXIT_YIELD)
    asc_record_yield (rec, context);
  else
    exit_for_good (rec, context, kind);
}

/* Tasks. */

static bool
live_slot (const AscRecorder *rec, unsigned slot)
{
  return slot < rec->config->n_slots && rec->config->slots[slot].instance != 0
         && !rec->config->slots[slot].ended;
}

/* In the critical section: the lowest free slot, or the shared one. Each step of the
 * search raises the bound, so that it is short but for the first after a low slot's end.
 */
static unsigned
take_slot (AscRecorder *rec)
{
  unsigned slot = rec->free_slot;
  while (!shared_slot (rec, slot) && rec->config->slots[slot].instance != 0)
    slot++;
  rec->free_slot = (uint16_t)(shared_slot (rec, slot) ? slot : slot + 1);
  if (slot >= rec->top_slot)
    rec->top_slot = (uint16_t)(slot + 1);
  return slot;
}

unsigned
asc_recorder_task_start (AscRecorder *rec,
                         unsigned context,
                         unsigned name,
                         unsigned parent)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  unsigned slot = take_slot (rec);
  AscRecorderSlot *s = &rec->config->slots[slot];
  if (s->instance == 0 && rec->running)
    {
      s->instance = ++rec->instances;
      s->name = (uint16_t)name;
      s->parent = ASC_RECORDER_NO_SLOT;
      s->parent_instance = 0;
      s->settled = s->ended = s->end_lost = false;
      s->loss = 0;
      if (parent < rec->config->n_slots)
        {
          s->parent = (uint16_t)parent;
          s->parent_instance = rec->config->slots[parent].instance;
        }
      if (room (rec, 6))
        {
          put_short (rec, ticks, REC_HEAD (REC_START, context, slot));
          asc_record_put (rec, s->instance);
          asc_record_put (rec, (uint32_t)s->name | (uint32_t)s->parent << 16);
          asc_record_put (rec, s->parent_instance);
          rec->head++;
        }
      else
        {
          asc_record_drop (rec, context, ticks, 1);
          rec->lost_starts++;
          s->loss = rec->losses + 1;
        }
      s->position = rec->head;
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
  return slot;
}

void
asc_recorder_task_end (AscRecorder *rec, unsigned context, unsigned slot, AscEnd how)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  if (!live_slot (rec, slot))
    rec->misuse++;
  else if (!shared_slot (rec, slot))
    end_slot (rec, slot,
              put_short (rec, ASC_PORT_TICKS (rec),
                         REC_HEAD (REC_END, context, slot | (uint32_t)how << 16)));
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

void
asc_recorder_rename (AscRecorder *rec, unsigned context, unsigned slot, unsigned name)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  if (!live_slot (rec, slot))
    rec->misuse++;
  else
    {
      rec->config->slots[slot].name = (uint16_t)name;
      put_three (rec, ASC_PORT_TICKS (rec), REC_HEAD (REC_RENAME, context, slot), name);
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

uint32_t
asc_recorder_instance (AscRecorder *rec, unsigned slot)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t instance = live_slot (rec, slot) ? rec->config->slots[slot].instance : 0;
  ASC_PORT_EXIT_CRITICAL (rec, state);
  return instance;
}

/* Idle, also summed for the load. */

void
asc_record_turn_window (AscRecorder *rec, uint32_t ticks)
{
  AscRecorderLoad *load = &rec->load;
  uint32_t window = (ticks - rec->window_since) & rec->counter_mask;
  if (window < rec->second)
    return;
  load->window_ticks = window;
  load->busy_ticks = window - rec->window_idle;
  /* Shares compared without a division. */
  if (load->worst_window_ticks == 0
      || (uint64_t)load->busy_ticks * load->worst_window_ticks
             > (uint64_t)load->worst_busy_ticks * window)
    {
      load->worst_busy_ticks = load->busy_ticks;
      load->worst_window_ticks = window;
    }
  rec->window_since = ticks;
  rec->window_idle = 0;
}

void
asc_recorder_idle_begin (AscRecorder *rec, unsigned context, AscIdle reason)
{
  AscRecorderContext *c = &rec->contexts[context];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  c->idle = (uint8_t)(reason + 1);
  c->idle_since = ticks;
  c->idle_lost = !room (rec, 2);
  asc_record_short (rec, ticks, REC_HEAD (REC_IDLE_BEGIN, context, reason));
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

void
asc_recorder_idle_end (AscRecorder *rec, unsigned context)
{
  AscRecorderContext *c = &rec->contexts[context];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  if (c->idle == 0)
    rec->misuse++;
  else
    {
      c->idle = 0;
      if (context == 0)
        {
          rec->window_idle += (ticks - c->idle_since) & rec->counter_mask;
          asc_record_turn_window (rec, ticks);
        }
      /* An idle stretch is one event: if its begin was dropped, it is counted. */
      if (!c->idle_lost || room (rec, 2))
        asc_record_short (rec, ticks, REC_HEAD (REC_IDLE_END, context, 0));
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

/* The rest. */

void
asc_recorder_gc_begin (AscRecorder *rec, unsigned context)
{
  append_short (rec, REC_HEAD (REC_GC_BEGIN, context, 0));
}

void
asc_recorder_gc_end (AscRecorder *rec, unsigned context)
{
  append_short (rec, REC_HEAD (REC_GC_END, context, 0));
}

uint32_t
asc_recorder_span_begin (AscRecorder *rec, unsigned context, unsigned name)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t span = ++rec->spans;
  put_three (rec, ASC_PORT_TICKS (rec), REC_HEAD (REC_SPAN_BEGIN, context, name), span);
  ASC_PORT_EXIT_CRITICAL (rec, state);
  return span;
}

void
asc_recorder_span_end (AscRecorder *rec, unsigned context, uint32_t span)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  put_three (rec, ASC_PORT_TICKS (rec), REC_HEAD (REC_SPAN_END, context, 0), span);
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

void
asc_recorder_mark (AscRecorder *rec, unsigned context, unsigned name)
{
  append_short (rec, REC_HEAD (REC_MARK, context, name));
}

void
asc_recorder_mark_value (AscRecorder *rec, unsigned context, unsigned name, int64_t value)
{
  append_value (rec, REC_HEAD (REC_MARK_VALUE, context, name), value);
}

void
asc_recorder_level (AscRecorder *rec, unsigned context, unsigned name, bool level)
{
  append_short (rec, REC_HEAD (REC_LEVEL, context, name | (level ? 0x10000u : 0u)));
}

void
asc_recorder_counter (AscRecorder *rec, unsigned context, unsigned name, int64_t value)
{
  append_value (rec, REC_HEAD (REC_COUNTER, context, name), value);
}

void
asc_recorder_discontinuity (AscRecorder *rec,
                            unsigned context,
                            AscJump reason,
                            int64_t jump)
{
  append_value (rec, REC_HEAD (REC_DISCONTINUITY, context, reason), jump);
}

/* The bytes are copied outside the critical section; until all texts that are being
 * copied are whole, the drain goes no further than the first of them. */
void
asc_recorder_text (AscRecorder *rec, unsigned context, const char *text, size_t n)
{
  uint32_t position;
  bool kept;
  if (n > ASC_RECORDER_TEXT_MAX)
    {
      n = ASC_RECORDER_TEXT_MAX;
      while (n > 0 && ((uint8_t)text[n] & 0xC0u) == 0x80u)
        n--;
    }
  uint32_t words = (uint32_t)(n + 7) / 8 * 2;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  kept = room (rec, 2 + words);
  if (kept)
    {
      if (rec->n_texts++ == 0)
        rec->text_position = rec->head;
      put_short (rec, ticks, REC_HEAD (REC_TEXT, context, n));
      position = rec->head;
      rec->head += words;
    }
  else
    {
      position = 0;
      asc_record_drop (rec, context, ticks, 1);
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
  if (!kept)
    return;

  for (size_t i = 0; i < n; i += 4)
    {
      uint32_t word = 0;
      for (size_t k = 0; k < 4 && i + k < n; k++)
        word |= (uint32_t)(uint8_t)text[i + k] << (8 * k);
      rec->ring[position++ & rec->mask] = word;
    }
  state = ASC_PORT_ENTER_CRITICAL (rec);
  rec->n_texts--;
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

/* A loop that never idles ends no window: that is done here, and by the drain. */
void
asc_recorder_load (AscRecorder *rec, AscRecorderLoad *load)
{
  AscRecorderContext *c = &rec->contexts[0];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  if (rec->running && c->idle == 0)
    asc_record_turn_window (rec, ticks);
  *load = rec->load;
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

uint32_t
asc_recorder_fill (AscRecorder *rec)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t fill = rec->head - rec->freed;
  ASC_PORT_EXIT_CRITICAL (rec, state);
  return fill;
}
