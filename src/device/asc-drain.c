#include "asc-drain.h"

/* The calls that drain, and what gives room back to the hooks. */

/* Words taken out before their room is given back to the hooks. */
#define PUBLISH_WORDS 128u

/* In the critical section: the LOST, with what runs now, if there is room for a good
 * piece of what follows. */
static void
put_resume (AscRecorder *rec)
{
  unsigned n_contexts = rec->config->n_contexts;
  uint32_t words = REC_LOST_WORDS;
  uint32_t room = rec->mask + 1 - (rec->head - rec->freed);
  for (unsigned i = 0; i < n_contexts; i++)
    {
      unsigned depth = rec->contexts[i].depth;
      words += 1 + ((depth < ASC_STACK_MAX ? depth : ASC_STACK_MAX) + 1) / 2;
    }
  words += words & 1u;
  if (room < words || room < (rec->mask + 1) / 4)
    return;
  asc_record_put (rec, rec->lost_since);
  asc_record_put (rec, REC_HEAD (REC_LOST, rec->lost_context, words));
  asc_record_put (rec, ASC_PORT_TICKS (rec));
  asc_record_put (rec, rec->lost);
  asc_record_put (rec, rec->lost_starts);
  for (unsigned i = 0; i < n_contexts; i++)
    {
      AscRecorderContext *c = &rec->contexts[i];
      unsigned depth = c->depth < ASC_STACK_MAX ? c->depth : ASC_STACK_MAX;
      c->idle_lost = false;
      asc_record_put (rec, depth | (uint32_t)c->idle << 8);
      for (unsigned k = 0; k < depth; k += 2)
        asc_record_put (rec, (uint32_t)c->stack[k]
                                 | (k + 1 < depth ? (uint32_t)c->stack[k + 1] << 16 : 0));
    }
  rec->head += rec->head & 1u;
  rec->losing = false;
  rec->losses++;
  rec->lost = 0;
  rec->lost_starts = 0;
}

/* Gives the room of what was taken out back to the hooks. */
static void
publish (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  rec->freed = rec->read;
  if (rec->losing)
    {
      put_resume (rec);
      /* Once in a call: or interrupts that fill a small ring as fast as it is emptied
       * would keep the drain for ever. */
      if (!rec->losing && !drain->resumed)
        {
          drain->resumed = true;
          drain->head = rec->n_texts > 0 ? rec->text_position : rec->head;
        }
    }
  if (!rec->losing)
    rec->limit = rec->running ? rec->freed + rec->mask + 1 : rec->head;
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

static bool
empty_ring (AscDrain *drain)
{
  AscRecorder *rec = drain->rec;
  bool going = true;
  while (going)
    {
      if (rec->urgent && !asc_drain_tell_tasks (drain))
        going = false;
      else if (rec->read == drain->head)
        {
          publish (drain);
          if (rec->read == drain->head)
            return true;
        }
      else
        going = asc_drain_take (drain);
      if (rec->read - rec->freed >= PUBLISH_WORDS)
        publish (drain);
    }
  publish (drain);
  return false;
}

/* What the drain itself took is an event of the loop. If there is no room it is not one.
 */
static void
record_cost (AscRecorder *rec, uint32_t began)
{
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t took = (ASC_PORT_TICKS (rec) - began) & rec->counter_mask;
  if (took >= rec->config->drain_ticks && rec->running && rec->limit - rec->head >= 4)
    {
      asc_record_put (rec, began);
      asc_record_put (rec, REC_HEAD (REC_DRAIN, 0, 0));
      asc_record_put (rec, took);
      rec->head++;
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

static bool
work (AscDrain *drain)
{
  asc_drain_begin (drain);
  return asc_drain_introduce (drain) && empty_ring (drain);
}

size_t
asc_recorder_drain (AscRecorder *rec,
                    AscRecorderWrite write,
                    void *user,
                    size_t max_bytes)
{
  AscDrain drain = { .rec = rec, .write = write, .user = user, .left = max_bytes };
  if (!rec->running)
    return 0;
  asc_drain_begin (&drain);
  uint32_t began = rec->began;
  if (asc_drain_introduce (&drain) && empty_ring (&drain)
      && asc_drain_make_way (&drain, NULL, rec->now))
    asc_drain_repeat (&drain);
  if (rec->config->drain_ticks > 0)
    record_cost (rec, began);
  return drain.written;
}

bool
asc_recorder_flush (AscRecorder *rec, AscRecorderWrite write, void *user)
{
  AscDrain drain = { .rec = rec, .write = write, .user = user, .left = SIZE_MAX };
  return !rec->started
         || (work (&drain) && asc_drain_send_all (&drain, NULL)
             && asc_drain_pump (&drain));
}

bool
asc_recorder_stop (AscRecorder *rec, AscRecorderWrite write, void *user)
{
  AscDrain drain = { .rec = rec, .write = write, .user = user, .left = SIZE_MAX };
  if (!rec->started)
    return true;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  rec->running = false;
  if (!rec->losing)
    rec->limit = rec->head;
  ASC_PORT_EXIT_CRITICAL (rec, state);
  if (!work (&drain) || !asc_drain_send_all (&drain, NULL))
    return false;
  if (!rec->last_hello && !asc_drain_hello (&drain))
    return false;
  rec->last_hello = true;
  return asc_drain_pump (&drain);
}
