/* Records of the ring, between the hooks and the drain; private to the recorder.
 *
 * A record is some words: raw ticks; kind (5 bits), context (3), payload (24); then what
 * the kind needs. Two words for ENTER and EXIT keep the hooks short, and so does an even
 * number for all: the first two are never apart at the ring's end. */
#ifndef ASC_RECORD_H
#define ASC_RECORD_H

#include "asc-recorder.h"

typedef enum
{
  REC_ENTER,         /* 2 words: slot, (lateness + 1) << 12 */
  REC_ENTER_LATE,    /* 4: slot; lateness */
  REC_EXIT,          /* 2: kind */
  REC_IDLE_BEGIN,    /* 2: reason */
  REC_IDLE_END,      /* 2 */
  REC_GC_BEGIN,      /* 2 */
  REC_GC_END,        /* 2 */
  REC_START,         /* 6: slot; instance; name | parent << 16; parent instance */
  REC_END,           /* 2: slot, how << 16 */
  REC_RENAME,        /* 4: slot; name */
  REC_SPAN_BEGIN,    /* 4: name; id */
  REC_SPAN_END,      /* 4: ; id */
  REC_MARK,          /* 2: name */
  REC_MARK_VALUE,    /* 4: name; value, low word first */
  REC_LEVEL,         /* 2: name, level << 16 */
  REC_COUNTER,       /* 4: name; value */
  REC_TEXT,          /* 2 and the bytes: n */
  REC_DRAIN,         /* 4: ; duration */
  REC_DISCONTINUITY, /* 4: reason; jump */
  REC_LOST /* ticks of the first drop; words in all; ticks of the end; events; STARTs;
              then for each context depth | idle << 8 and its stack, two slots a word */
} AscRecord;

#define REC_LATE_MAX 4094u /* what fits REC_ENTER */
#define REC_HEAD(kind, context, payload)                                                 \
  ((uint32_t)(kind) | (uint32_t)(context) << 5 | (uint32_t)(payload) << 8)
#define REC_KIND(head) ((head)&31u)
#define REC_CONTEXT(head) ((head) >> 5 & 7u)
#define REC_PAYLOAD(head) ((head) >> 8)
#define REC_LOST_WORDS 5u

/* Small enough that a call would cost as much again, also where gcc looks at size only.
 */
#if defined(__GNUC__)
#define ASC_RECORD_HOT static inline __attribute__ ((always_inline))
#else
#define ASC_RECORD_HOT static inline
#endif

/* In the critical section: appends a word; room was checked. */
static inline void
asc_record_put (AscRecorder *rec, uint32_t word)
{
  rec->ring[rec->head++ & rec->mask] = word;
}

/* The same for the two words that every record begins with. */
ASC_RECORD_HOT void
asc_record_put_two (AscRecorder *rec, uint32_t ticks, uint32_t word)
{
  uint32_t head = rec->head;
  uint32_t *at = rec->ring + (head & rec->mask);
  rec->head = head + 2;
  at[0] = ticks;
  at[1] = word;
}

/* In the critical section: counts what finds no room. */
void
asc_record_drop (AscRecorder *rec, unsigned context, uint32_t ticks, unsigned events);

/* In the critical section: a record of two words, or its loss. */
ASC_RECORD_HOT bool
asc_record_short (AscRecorder *rec, uint32_t ticks, uint32_t head)
{
  if (rec->limit - rec->head >= 2)
    {
      asc_record_put_two (rec, ticks, head);
      return true;
    }
  asc_record_drop (rec, REC_CONTEXT (head), ticks, 1);
  return false;
}

/* The two hooks of a run: here, for a port that wants them within a function of its own.
 * The run stack is kept whatever the ring can take, so that the stream can go on with
 * what runs after a loss. payload: slot, (lateness + 1) << 12. */
ASC_RECORD_HOT void
asc_record_enter (AscRecorder *rec, unsigned context, unsigned slot, uint32_t payload)
{
  AscRecorderContext *c = &rec->contexts[context];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  unsigned depth = c->depth;
  if (depth < ASC_STACK_MAX)
    {
      c->stack[depth] = (uint16_t)slot;
      asc_record_short (rec, ticks, REC_HEAD (REC_ENTER, context, payload));
    }
  c->depth = (uint16_t)(depth + 1);
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

/* The end of a run whose task goes on. */
ASC_RECORD_HOT void
asc_record_yield (AscRecorder *rec, unsigned context)
{
  AscRecorderContext *c = &rec->contexts[context];
  uint32_t state = ASC_PORT_ENTER_CRITICAL (rec);
  uint32_t ticks = ASC_PORT_TICKS (rec);
  unsigned depth = c->depth;
  if (depth == 0)
    rec->misuse++;
  else
    {
      c->depth = (uint16_t)--depth;
      if (depth < ASC_STACK_MAX)
        asc_record_short (rec, ticks, REC_HEAD (REC_EXIT, context, ASC_EXIT_YIELD));
    }
  ASC_PORT_EXIT_CRITICAL (rec, state);
}

/* In the critical section. */
static inline void
asc_record_free_slot (AscRecorder *rec, unsigned slot)
{
  rec->config->slots[slot].instance = 0;
  if (slot < rec->free_slot)
    rec->free_slot = (uint16_t)slot;
}

/* In the critical section: ends the load's window when it is a second long. */
void asc_record_turn_window (AscRecorder *rec, uint32_t ticks);

/* Of a NUL-terminated text, or of NULL for none. */
AscString asc_record_string (const char *text);

#endif
