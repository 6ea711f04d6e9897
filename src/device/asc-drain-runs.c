#include "asc-drain.h"

#include "asc-pack.h"

/* The hot path of the drain: runs and idle stretches of one context, into its open frame.
 * Nothing that is done here needs another frame, another context or more than 32 bits of
 * time; where it would, asc-drain-records.c goes on. */

#define FRAME_END (ASC_HEADER_SIZE + ASC_PAYLOAD_MAX)
/* Words taken before the hooks get their room back. */
#define WORDS_MAX 128u

/* State of the loop, in registers. */
typedef struct
{
  uint8_t *out;
  const uint32_t *at;  /* the next record, and none behind the ring's end */
  const uint32_t *end; /* of what may be taken */
  uint32_t last;       /* raw ticks at the end of the last event */
  uint32_t left;       /* ticks that may pass from there */
  unsigned depth;
  unsigned n_less; /* events less than pairs of words */
} Loop;

/* How long the context may go on before another one's frame is too old; 0: not at all. */
static uint32_t
patience (const AscRecorder *rec, const AscRecorderContext *c)
{
  uint32_t most = rec->pack_limit;
  for (unsigned i = 0; i < rec->config->n_contexts; i++)
    {
      const AscRecorderContext *o = &rec->contexts[i];
      if (o == c || (o->encoder.length == 0 && !o->sent_idle))
        continue;
      uint64_t from = o->encoder.length > 0 ? o->encoder.base : o->idle_from;
      int64_t left = (int64_t)(from + rec->seal_ticks - c->encoder.last);
      if (left <= 0)
        return 0;
      if (left < (int64_t)most)
        most = (uint32_t)left;
    }
  return most;
}

/* Whether the context's frame can take events here. */
static bool
begin (const AscDrain *drain, const AscRecorderContext *c, unsigned bit, Loop *loop)
{
  const AscRecorder *rec = drain->rec;
  const AscEncoder *encoder = &c->encoder;
  uint64_t behind = rec->now - encoder->last;
  if (encoder->length == 0 || encoder->ended || c->sent_idle || rec->out_length > 0
      || (rec->starts_open & ~bit) != 0 || behind > rec->counter_mask / 2)
    return false;
  loop->last = (rec->now_raw - (uint32_t)behind) & rec->counter_mask;
  loop->out = encoder->frame + encoder->length;
  uint32_t place = rec->read & rec->mask;
  uint32_t words = drain->head - rec->read;
  if (words > WORDS_MAX)
    words = WORDS_MAX;
  if (words > rec->mask + 1 - place)
    words = rec->mask + 1 - place;
  loop->at = rec->ring + place;
  loop->end = loop->at + words;
  loop->depth = encoder->depth;
  loop->n_less = 0;
  loop->left = patience (rec, c);
  return loop->left > 0;
}

static void
end (AscRecorder *rec, AscRecorderContext *c, const Loop *loop, uint32_t passed)
{
  AscEncoder *encoder = &c->encoder;
  uint32_t words = (uint32_t)(loop->at - rec->ring) - (rec->read & rec->mask);
  encoder->length = (uint16_t)(loop->out - encoder->frame);
  encoder->n_events = (uint16_t)(encoder->n_events + words / 2 - loop->n_less);
  encoder->depth = (uint8_t)loop->depth;
  encoder->last += passed;
  asc_drain_extend (rec, loop->last);
  rec->told = encoder->last;
  rec->read += words;
}

/* IDLE_BEGIN with its end right behind it; false: anything else. */
static bool
pack_idle (Loop *loop, unsigned context, uint32_t period)
{
  const uint32_t *at = loop->at;
  if (loop->depth > 0 || loop->end - at < 4
      || (at[1] & 0xFFu) != REC_HEAD (REC_IDLE_BEGIN, context, 0)
      || at[3] != REC_HEAD (REC_IDLE_END, context, 0))
    return false;
  uint32_t delta = (at[0] - loop->last) & period;
  uint32_t duration = (at[2] - at[0]) & period;
  if (duration > loop->left - delta)
    return false;
  /* A stretch of no ticks is none. */
  loop->n_less += duration > 0 ? 1 : 2;
  if (duration > 0)
    {
      loop->out = asc_pack_idle (loop->out, REC_PAYLOAD (at[1]), delta, duration);
      loop->last = at[2];
      loop->left -= delta + duration;
    }
  loop->at += 4;
  return true;
}

/* A frame that has no room for every event is sent as it is: the last bytes are not worth
 * a look at each event that might fit. */
bool
asc_drain_runs (AscDrain *drain, unsigned context)
{
  AscRecorder *rec = drain->rec;
  AscRecorderContext *c = &rec->contexts[context];
  AscEncoder *encoder = &c->encoder;
  uint32_t period = rec->counter_mask;
  Loop loop;
  if (!begin (drain, c, 1u << context, &loop))
    return false;
  const uint32_t *first = loop.at;
  uint32_t most = loop.left;
  const uint8_t *full = encoder->frame + FRAME_END - ASC_PACK_MAX;
  while (loop.at != loop.end && loop.out <= full)
    {
      uint32_t raw = loop.at[0];
      uint32_t head = loop.at[1];
      uint32_t delta = (raw - loop.last) & period;
      if (delta > loop.left)
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
      else if (pack_idle (&loop, context, period))
        continue;
      else
        break;
      loop.last = raw;
      loop.left -= delta;
      loop.at += 2;
    }
  if (loop.at == first)
    return false;
  rec->tasks_open = (uint8_t)(rec->tasks_open | 1u << context);
  end (rec, c, &loop, most - loop.left);
  if (loop.out > full)
    asc_drain_seal (drain, c);
  return true;
}
