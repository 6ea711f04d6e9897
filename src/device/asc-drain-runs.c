#include "asc-drain.h"

#include "asc-pack.h"

/* The hot path of the drain: runs and idle stretches of one context, into its open frame.
 * Nothing that is done here needs another frame, another context or more than 32 bits of
 * time; where it would, asc-drain.c goes on. */

#define FRAME_END (ASC_HEADER_SIZE + ASC_PAYLOAD_MAX)
/* Words taken before the hooks get their room back. */
#define WORDS_MAX 64u

/* State of the loop, in registers. */
typedef struct
{
  uint8_t *out;
  uint32_t last; /* raw ticks at the end of the last event */
  uint32_t read;
  unsigned depth;
  unsigned n_events;
} Loop;

/* Whether the context's frame can take events here; then *last is its end in raw ticks.
 */
static bool
begin (const AscRecorder *rec, const AscRecorderContext *c, unsigned bit, uint32_t *last)
{
  const AscEncoder *encoder = &c->encoder;
  uint64_t behind = rec->now - encoder->last;
  if (encoder->length == 0 || encoder->ended || c->sent_idle || rec->out_length > 0
      || (rec->starts_open & ~bit) != 0 || behind > rec->counter_mask / 2)
    return false;
  *last = (rec->now_raw - (uint32_t)behind) & rec->counter_mask;
  return true;
}

static void
end (AscRecorder *rec, AscRecorderContext *c, const Loop *loop, uint32_t since)
{
  AscEncoder *encoder = &c->encoder;
  encoder->length = (uint16_t)(loop->out - encoder->frame);
  encoder->n_events = (uint16_t)(encoder->n_events + loop->n_events);
  encoder->depth = (uint8_t)loop->depth;
  encoder->last += (loop->last - since) & rec->counter_mask;
  asc_drain_extend (rec, loop->last);
  rec->told = encoder->last;
  rec->read = loop->read;
}

/* IDLE_BEGIN with its end right behind it; false: anything else. */
static bool
pack_idle (const AscRecorder *rec,
           Loop *loop,
           uint32_t head,
           uint32_t delta,
           uint32_t raw)
{
  uint32_t next = rec->ring[(loop->read + 3) & rec->mask];
  uint32_t until = rec->ring[(loop->read + 2) & rec->mask];
  uint32_t duration = (until - raw) & rec->counter_mask;
  if (loop->depth > 0 || duration >= rec->pack_limit
      || next != REC_HEAD (REC_IDLE_END, REC_CONTEXT (head), 0))
    return false;
  loop->out = asc_pack_idle (loop->out, REC_PAYLOAD (head), delta, duration);
  loop->last = until;
  loop->read += 4;
  return true;
}

bool
asc_drain_runs (AscDrain *drain, unsigned context)
{
  AscRecorder *rec = drain->rec;
  AscRecorderContext *c = &rec->contexts[context];
  AscEncoder *encoder = &c->encoder;
  const uint32_t *ring = rec->ring;
  uint32_t mask = rec->mask;
  uint32_t since;
  if (!begin (rec, c, 1u << context, &since))
    return false;
  const uint8_t *full = encoder->frame + FRAME_END - ASC_PACK_MAX;
  Loop loop = { encoder->frame + encoder->length, since, rec->read, encoder->depth, 0 };
  uint32_t words = drain->head - loop.read;
  if (words > WORDS_MAX)
    words = WORDS_MAX;
  uint32_t stop = loop.read + words;
  while ((int32_t)(stop - loop.read) > 0 && loop.out <= full)
    {
      uint32_t raw = ring[loop.read & mask];
      uint32_t head = ring[(loop.read + 1) & mask];
      uint32_t delta = (raw - loop.last) & rec->counter_mask;
      if (delta >= rec->pack_limit)
        break;
      if (head == REC_HEAD (REC_EXIT, context, ASC_EXIT_YIELD) && loop.depth > 0)
        {
          loop.out = asc_pack_yield (loop.out, delta);
          loop.depth--;
        }
      else if ((head & 0xFFu) == REC_HEAD (REC_ENTER, context, 0)
               && loop.depth < ASC_STACK_MAX)
        {
          uint32_t slot = REC_PAYLOAD (head) & 0xFFFu;
          loop.out = asc_pack_enter (loop.out, loop.depth, slot, delta, head >> 20);
          encoder->stack[loop.depth++] = (uint16_t)slot;
        }
      else
        {
          if ((head & 0xFFu) != REC_HEAD (REC_IDLE_BEGIN, context, 0)
              || stop - loop.read < 4 || !pack_idle (rec, &loop, head, delta, raw))
            break;
          loop.n_events++;
          continue;
        }
      loop.n_events++;
      loop.last = raw;
      loop.read += 2;
    }
  if (loop.n_events == 0)
    return false;
  rec->tasks_open = (uint8_t)(rec->tasks_open | 1u << context);
  end (rec, c, &loop, since);
  return true;
}
