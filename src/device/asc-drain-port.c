#include "asc-drain.h"

/* Frames to the port: one in flight, budgets, HELLO, NAMES and TASKS. */

/* Bytes written at a time when the baud rate allows no whole frame yet. */
#define PIECE 32u
/* USB drivers that send packets of so many bytes do not all end a transfer of whole ones.
 */
#define PACKET 64u
/* TASKS records collected at a time. */
#define BATCH 16
/* Names that surely fit one frame, unless they are long. */
#define NAMES_A_FRAME 4
/* Most frames of repetition in one drain. */
#define REPEATS 4

uint64_t
asc_drain_extend (AscRecorder *rec, uint32_t raw)
{
  int32_t step = (int32_t)((raw - rec->now_raw) << rec->spare_bits) >> rec->spare_bits;
  uint64_t ticks = rec->now + (uint64_t)(int64_t)step;
  if (step > 0)
    {
      rec->now = ticks;
      rec->now_raw = raw;
    }
  return ticks;
}

void
asc_drain_begin (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t raw = ASC_PORT_TICKS (rec);
  drain->head = rec->n_texts > 0 ? rec->text_position : rec->head;
  drain->n_names = rec->n_names;
  if (rec->running && rec->contexts[0].idle == 0)
    asc_record_turn_window (rec, raw);
  ASC_PORT_EXIT_CRITICAL (rec, state);
  rec->began = raw & rec->counter_mask;
  asc_drain_extend (rec, raw);
  if (rec->byte_cost > 0)
    {
      uint64_t most = (uint64_t)(2 * ASC_FRAME_MAX) * rec->byte_cost;
      if (rec->now > rec->credit_at)
        rec->credit += (rec->now - rec->credit_at) << 8;
      rec->credit_at = rec->now;
      if (rec->credit > most)
        rec->credit = most;
    }
}

/* How much of n bytes may be written now; 0: nothing. */
static size_t
allowance (const AscDrain *drain, size_t n)
{
  const AscRecorder *rec = drain->rec;
  bool whole = rec->config->whole_frames && rec->out_offset == 0;
  if (whole)
    {
      if (n > drain->left || (rec->config->room && rec->config->room (drain->user) < n)
          || rec->credit < (uint64_t)n * rec->byte_cost)
        return 0;
    }
  else
    {
      if (n > drain->left)
        n = drain->left;
      if (rec->credit < (uint64_t)n * rec->byte_cost && n > PIECE)
        n = PIECE;
      if (rec->credit < (uint64_t)n * rec->byte_cost)
        return 0;
    }
  return n > 0 && n % PACKET == 0 ? n - 1 : n;
}

bool
asc_drain_pump (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  while (rec->out_offset < rec->out_length)
    {
      size_t n = allowance (drain, (size_t)(rec->out_length - rec->out_offset));
      if (n == 0)
        return false;
      size_t taken = drain->write (drain->user, rec->out + rec->out_offset, n);
      if (taken > n)
        taken = n;
      rec->out_offset = (uint16_t)(rec->out_offset + taken);
      rec->credit -= (uint64_t)taken * rec->byte_cost;
      drain->left -= taken;
      drain->written += taken;
      if (taken < n)
        return false;
    }
  rec->out_length = rec->out_offset = 0;
  return true;
}

/* Puts a frame in flight. What the port does not take now stays there. */
static void
launch (AscDrain *drain, const uint8_t *frame, size_t length)
{
  AscRecorder *rec = drain->rec;
  rec->sequence++;
  rec->out = frame;
  rec->out_length = (uint16_t)length;
  rec->out_offset = 0;
  asc_drain_pump (drain);
}

static AscSeal
current_seal (const AscRecorder *rec)
{
  AscSeal seal
      = { (uint32_t)rec->counted, rec->starts, rec->sequence, (uint8_t)rec->session_id };
  return seal;
}

void
asc_drain_seal (AscDrain *drain, AscRecorderContext *c)
{
  AscRecorder *rec = drain->rec;
  AscEncoder *encoder = &c->encoder;
  unsigned bit = 1u << (unsigned)(c - rec->contexts);
  AscSeal seal = current_seal (rec);
  size_t length = asc_encoder_seal (encoder, &seal);
  if (length == 0)
    return;
  rec->counted += encoder->n_events + (uint64_t)encoder->n_lost;
  rec->dropped += encoder->n_lost;
  rec->starts = (uint16_t)(rec->starts + encoder->n_starts);
  rec->starts_open = (uint8_t)(rec->starts_open & ~bit);
  rec->tasks_open = (uint8_t)(rec->tasks_open & ~bit);
  launch (drain, c->frame, length);
}

/* The open frame that begins first, but except's. */
static AscRecorderContext *
oldest (AscRecorder *rec, const AscRecorderContext *except)
{
  AscRecorderContext *found = NULL;
  for (unsigned i = 0; i < rec->config->n_contexts; i++)
    {
      AscRecorderContext *c = &rec->contexts[i];
      if (c != except && c->encoder.length > 0
          && (!found || c->encoder.base < found->encoder.base))
        found = c;
    }
  return found;
}

bool
asc_drain_send_all (AscDrain *drain, const AscRecorderContext *except)
{
  for (;;)
    {
      if (!asc_drain_pump (drain))
        return false;
      AscRecorderContext *c = oldest (drain->rec, except);
      if (!c)
        return true;
      asc_drain_seal (drain, c);
    }
}

bool
asc_drain_send (AscDrain *drain, AscRecorderContext *c)
{
  if (!asc_drain_pump (drain))
    return false;
  asc_drain_seal (drain, c);
  return true;
}

/* Seals open frames that would be older than the seal age when an event of c at ticks is
 * sent. So at any time no frame is that much older than what another one holds, and they
 * may be sealed in any order. */
static bool
make_way (AscDrain *drain, const AscRecorderContext *c, uint64_t ticks)
{
  AscRecorder *rec = drain->rec;
  for (;;)
    {
      AscRecorderContext *o = oldest (rec, c);
      if (!o || o->encoder.base + rec->seal_ticks >= ticks)
        return true;
      if (!asc_drain_send (drain, o))
        return false;
    }
}

/* The idle stretch that is told least far, if it would be too old for an event at ticks;
 * *to: how far it may be told before that makes another one too old. */
static AscRecorderContext *
behind (AscRecorder *rec, uint64_t ticks, uint64_t *to)
{
  AscRecorderContext *found = NULL;
  for (unsigned i = 0; i < rec->config->n_contexts; i++)
    {
      AscRecorderContext *o = &rec->contexts[i];
      if (o->sent_idle && o->idle_from + rec->seal_ticks < ticks
          && (!found || o->idle_from < found->idle_from))
        found = o;
    }
  *to = ticks;
  for (unsigned i = 0; found && i < rec->config->n_contexts; i++)
    {
      const AscRecorderContext *o = &rec->contexts[i];
      if (o != found && o->sent_idle && o->idle_from + rec->seal_ticks < *to)
        *to = o->idle_from + rec->seal_ticks;
    }
  return found;
}

bool
asc_drain_make_way (AscDrain *drain, const AscRecorderContext *c, uint64_t ticks)
{
  uint64_t to;
  AscRecorderContext *o;
  while ((o = behind (drain->rec, ticks, &to)) != NULL)
    if (!make_way (drain, o, to) || !asc_drain_idle (drain, o, to))
      return false;
  return make_way (drain, c, ticks) && asc_drain_pump (drain);
}

bool
asc_drain_hello (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  const AscRecorderConfig *config = rec->config;
  if (!asc_drain_pump (drain))
    return false;
  /* The time up to which the stream tells: what waits in the ring is not older. */
  uint64_t now = rec->now;
  if (rec->read != drain->head)
    now = asc_drain_extend (rec, rec->ring[rec->read & rec->mask]);
  AscHello hello = { .version = ASC_PROTO_VERSION,
                     .readable_by = ASC_PROTO_VERSION,
                     .counter_bits = (uint8_t)(32 - rec->spare_bits),
                     .recorder = config->recorder,
                     .session_id = rec->session_id,
                     .tick_hz = config->tick_hz,
                     .tick_step_ns = config->tick_step_ns,
                     .cost_ns = config->cost_ns,
                     .cpu_hz = config->cpu_hz,
                     .capabilities = config->capabilities,
                     .seal_ms = rec->seal_ms,
                     .ticks = now,
                     .start_ticks = rec->start,
                     .events = rec->counted,
                     .dropped = rec->dropped,
                     .board = asc_record_string (config->board),
                     .firmware = asc_record_string (config->firmware),
                     .program = asc_record_string (config->program) };
  if (hello.tick_step_ns == 0)
    hello.tick_step_ns = 1000000000u / config->tick_hz;
  launch (drain, rec->frame, asc_encode_hello (rec->frame, &hello, rec->sequence));
  rec->next_hello = rec->now + rec->second;
  return true;
}

/* One NAMES frame from *from on; the pump is clear. */
static size_t
tell_names (AscDrain *drain, uint16_t *from)
{
  AscRecorder *rec = drain->rec;
  size_t taken = 0;
  size_t length = asc_encode_names (rec->frame, rec->config->names + *from,
                                    (size_t)(drain->n_names - *from), &taken,
                                    rec->sequence, (uint8_t)rec->session_id);
  *from = (uint16_t)(*from + (taken > 0 ? taken : 1));
  launch (drain, rec->frame, length);
  return length;
}

bool
asc_drain_introduce (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  if (rec->now >= rec->next_hello && !asc_drain_hello (drain))
    return false;
  while (rec->names_told < drain->n_names)
    {
      if (!asc_drain_pump (drain))
        return false;
      tell_names (drain, &rec->names_told);
    }
  return asc_drain_pump (drain);
}

/* Collects up to BATCH live tasks from rec->repeat_slot on, and moves it. A task whose
 * START is still in the ring is not there yet for the host. */
static unsigned
collect (AscRecorder *rec, AscTaskRecord *records)
{
  unsigned n = 0;
  while (n < BATCH && rec->repeat_slot < rec->config->n_slots)
    {
      uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
      AscRecorderSlot *s = &rec->config->slots[rec->repeat_slot];
      if (s->instance != 0 && (s->settled || (int32_t)(rec->read - s->position) >= 0))
        {
          AscTaskRecord *r = &records[n++];
          s->settled = true;
          r->slot = rec->repeat_slot;
          r->instance = s->instance;
          r->name = s->name;
          r->parent_slot = s->parent == ASC_RECORDER_NO_SLOT ? -1 : (int32_t)s->parent;
          r->parent_instance = s->parent_instance;
        }
      ASC_PORT_EXIT_CRITICAL (rec, state);
      rec->repeat_slot++;
    }
  return n;
}

/* One TASKS frame from rec->repeat_slot on; *length is 0 after the last. All events
 * before it are sent first: it holds for its place in the stream. */
static bool
tell_tasks (AscDrain *drain, size_t *length)
{
  AscRecorder *rec = drain->rec;
  AscTaskRecord records[BATCH];
  size_t taken = 0;
  *length = 0;
  if (!asc_drain_send_all (drain, NULL))
    return false;
  unsigned n = collect (rec, records);
  if (n == 0)
    return true;
  AscSeal seal = current_seal (rec);
  *length = asc_encode_tasks (rec->frame, rec->told, records, n, &taken, &seal);
  if (taken < n && taken > 0)
    rec->repeat_slot = (uint16_t)(records[taken - 1].slot + 1);
  launch (drain, rec->frame, *length);
  return true;
}

bool
asc_drain_tell_tasks (AscDrain *drain)
{
  size_t length;
  do
    if (!tell_tasks (drain, &length))
      return false;
  while (length > 0);
  drain->rec->urgent = false;
  drain->rec->repeat_slot = 0;
  return true;
}

/* Ticks until the next frame of the round, so that it ends in time. */
static uint32_t
until_next (const AscRecorder *rec, uint16_t n_names)
{
  uint32_t names = (uint32_t)n_names - rec->repeat_name;
  uint32_t slots = rec->top_slot > rec->repeat_slot
                       ? (uint32_t)rec->top_slot - rec->repeat_slot
                       : 0u;
  uint32_t frames = names / NAMES_A_FRAME + slots / BATCH + 2;
  uint64_t left
      = rec->round_end > rec->next_repeat ? rec->round_end - rec->next_repeat : 0;
  return (uint32_t)left / frames;
}

bool
asc_drain_repeat (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  for (unsigned i = 0; i < REPEATS && rec->now >= rec->next_repeat; i++)
    {
      size_t length = 0;
      if (!asc_drain_pump (drain))
        return false;
      if (rec->repeat_name < drain->n_names)
        length = tell_names (drain, &rec->repeat_name);
      else if (!tell_tasks (drain, &length))
        return false;
      if (length == 0)
        {
          rec->repeat_name = rec->repeat_slot = 0;
          rec->round_end = rec->next_repeat + rec->round_ticks;
        }
      /* At most a twentieth of the link. */
      uint32_t interval = until_next (rec, drain->n_names);
      uint64_t slow = (uint64_t)length * rec->byte_cost * 20 >> 8;
      rec->next_repeat += interval > slow ? interval : slow;
      if (rec->next_repeat + rec->second < rec->now)
        rec->next_repeat = rec->now;
    }
  return true;
}
