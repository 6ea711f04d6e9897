/* Unpacks one frame's payload. Pure functions of the frame: any thread.
 *
 * Each returns a negative number for a payload against the rules (PROTOCOL.md), and then
 * has written nothing that counts. Hostile payloads are the normal case here. */
#ifndef ASC_UNPACK_H
#define ASC_UNPACK_H

#include "asc-deframer.h"

typedef struct
{
  uint64_t base;      /* ticks, 48 bits as sent */
  uint64_t end;       /* ticks at the end of the last event, from the same base */
  uint32_t count;     /* running count before the frame */
  uint32_t n_counted; /* what the frame adds to it (LOST by its count) */
  uint32_t n_dropped; /* of these by LOST */
  uint32_t n_unknown; /* events of kinds of later versions */
  uint16_t starts;    /* STARTs before the frame */
  uint16_t n_starts;
  uint8_t depth; /* run stack where the frame begins */
  uint8_t end_depth;
  uint16_t stack[ASC_STACK_MAX];
  uint16_t end_stack[ASC_STACK_MAX];
  uint8_t ends; /* the last event's kind is LOST or DISCONTINUITY */
} AscEventsInfo;

/* Returns the number of events, at most ASC_FRAME_EVENTS_MAX, which events must hold.
 * Event ticks start from the 48-bit base and may pass 2^48. */
int asc_unpack_events (const AscFrame *frame, AscEventsInfo *info, AscEvent *events);
/* What a START event of that frame tells. */
int asc_event_start (const AscFrame *frame, const AscEvent *event, AscTaskRecord *record);
/* The bytes of a TEXT event of that frame. */
AscString asc_event_bytes (const AscFrame *frame, const AscEvent *event);

int asc_unpack_hello (const AscFrame *frame, AscHello *hello);
/* Return the number of records. NAMES: at most 64, TASKS: at most 96; that is what fits.
 */
#define ASC_NAMES_MAX 64
#define ASC_TASKS_MAX 96
int asc_unpack_names (const AscFrame *frame, AscName *names);
int asc_unpack_tasks (const AscFrame *frame,
                      uint64_t *ticks,
                      uint16_t *starts,
                      AscTaskRecord *records);

#endif
