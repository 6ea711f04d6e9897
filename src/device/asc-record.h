/* Records of the ring, between the hooks and the drain; private to the recorder.
 *
 * A record is some words: raw ticks; kind (5 bits), context (3), payload (24); then what
 * the kind needs. Two words for ENTER and EXIT keep the hooks short. */
#ifndef ASC_RECORD_H
#define ASC_RECORD_H

#include "asc-recorder.h"

typedef enum
{
  REC_ENTER,         /* 2 words: slot, (lateness + 1) << 12 */
  REC_ENTER_LATE,    /* 3: slot; lateness */
  REC_EXIT,          /* 2: kind */
  REC_IDLE_BEGIN,    /* 2: reason */
  REC_IDLE_END,      /* 2 */
  REC_GC_BEGIN,      /* 2 */
  REC_GC_END,        /* 2 */
  REC_START,         /* 5: slot; instance; name | parent << 16; parent instance */
  REC_END,           /* 2: slot, how << 16 */
  REC_RENAME,        /* 3: slot; name */
  REC_SPAN_BEGIN,    /* 3: name; id */
  REC_SPAN_END,      /* 3: ; id */
  REC_MARK,          /* 2: name */
  REC_MARK_VALUE,    /* 4: name; value, low word first */
  REC_LEVEL,         /* 2: name, level << 16 */
  REC_COUNTER,       /* 4: name; value */
  REC_TEXT,          /* 2 and the bytes: n */
  REC_DRAIN,         /* 3: ; duration */
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

/* In the critical section: appends a word; room was checked. */
static inline void
asc_record_put (AscRecorder *rec, uint32_t word)
{
  rec->ring[rec->head++ & rec->mask] = word;
}

/* The same for the two words that every record begins with. */
static inline void
asc_record_put_two (AscRecorder *rec, uint32_t ticks, uint32_t word)
{
  uint32_t *ring = rec->ring;
  uint32_t mask = rec->mask;
  uint32_t head = rec->head;
  ring[head & mask] = ticks;
  ring[(head + 1) & mask] = word;
  rec->head = head + 2;
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
