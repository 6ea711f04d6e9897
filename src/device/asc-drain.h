/* Between the parts of the drain: the calls (asc-drain.c), records out of the ring
 * (asc-drain-records.c, and by the short way asc-drain-runs.c), frames to the port
 * (asc-drain-port.c). Private to the recorder.
 *
 * Every function that returns bool returns false when the port takes no more now. It then
 * has changed nothing that a later call does not take up again. */
#ifndef ASC_DRAIN_H
#define ASC_DRAIN_H

#include "asc-record.h"

/* One call of the drain. */
typedef struct
{
  AscRecorder *rec;
  AscRecorderWrite write;
  void *user;
  size_t left; /* bytes that may still be written */
  size_t written;
  uint32_t head; /* the ring is read up to here */
  bool resumed;  /* head was moved behind a LOST */
  uint16_t n_names;
} AscDrain;

/* Reads the clock, and what there is to do. */
void asc_drain_begin (AscDrain *drain);
/* Extends a raw time by the nearest way from the newest known. */
uint64_t asc_drain_extend (AscRecorder *rec, uint32_t raw);

/* Sends what is in flight; true when the next frame can begin. */
bool asc_drain_pump (AscDrain *drain);
/* Seals and starts to send a context's frame, none being in flight. */
void asc_drain_seal (AscDrain *drain, AscRecorderContext *c);
/* Seals c's open frame. */
bool asc_drain_send (AscDrain *drain, AscRecorderContext *c);
/* Before an event of c that ends at ticks: tells and seals what the other contexts have
 * that would then come too late (PROTOCOL.md §3). c NULL: whatever is old at ticks. */
bool asc_drain_make_way (AscDrain *drain, const AscRecorderContext *c, uint64_t ticks);
/* Seals all open frames but that of except (may be NULL), the oldest first. */
bool asc_drain_send_all (AscDrain *drain, const AscRecorderContext *except);
/* HELLO and names that the host has not heard of, when due. */
bool asc_drain_introduce (AscDrain *drain);
/* TASKS of all slots, after a loss. */
bool asc_drain_tell_tasks (AscDrain *drain);
/* The part of the round of names and tasks that is due. */
bool asc_drain_repeat (AscDrain *drain);
bool asc_drain_hello (AscDrain *drain);

/* Appends an event, sealing where the frame is full. An event that cannot be sent is
 * counted as misuse. */
bool asc_drain_event (AscDrain *drain, AscRecorderContext *c, const AscEvent *event);
/* Takes one record, or by the short way some, out of the ring. */
bool asc_drain_take (AscDrain *drain);
/* Takes runs and idle stretches of the context from the ring, as far as that is simple;
 * false: not even one. */
bool asc_drain_runs (AscDrain *drain, unsigned context);
/* Sends what is known of c's idle stretch, up to ticks. */
bool asc_drain_idle (AscDrain *drain, AscRecorderContext *c, uint64_t ticks);

#endif
