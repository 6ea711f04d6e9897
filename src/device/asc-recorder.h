/* The recorder for a board, in plain C: hooks append to a ring, a drain sends frames.
 *
 * C99, freestanding, no allocation: all memory is the caller's. Hooks may be called from
 * the loop, the other core, threads and interrupts: each takes its timestamp and its
 * place in one critical section, only appends, and never blocks or fails. When the ring
 * is full the newest events are dropped, counted and reported (LOST). The drain is called
 * by one context at a time, best when the loop idles; it never waits for the port.
 *
 * What a hook records and how it looks on the wire: ../wire/PROTOCOL.md. Contexts are
 * named by their index in config->contexts and each has one user at a time. */
#ifndef ASC_RECORDER_H
#define ASC_RECORDER_H

#include <stdbool.h>

#include "asc-encoder.h"
#include "asc-port.h"

#define ASC_RECORDER_NO_SLOT 0xFFFFu
#define ASC_RECORDER_SLOTS_MAX 4096u

/* One task, from its START until the drain has taken its end out of the ring; the
 * caller's array, so one entry a task that may be alive at a time and some for those that
 * ended. */
typedef struct
{
  uint32_t instance; /* 0: the slot is free */
  uint32_t parent_instance;
  uint32_t position;     /* in the ring, of its START */
  uint32_t end_position; /* where its end was dropped */
  uint32_t loss;         /* the loss that took its START, counted from 1; 0 = none */
  uint16_t name;
  uint16_t parent; /* slot */
  bool settled;    /* its START left the ring */
  bool ended;
  bool end_lost;
} AscRecorderSlot;

/* Stays valid and constant while the recorder is used. 0 stands for "unknown" or "the
 * default" unless said. */
typedef struct
{
  uint32_t *ring; /* ring_words of 32 bits; a power of two, 64 or more. ENTER and EXIT
                     take two words each */
  uint32_t ring_words;
  AscRecorderSlot *slots; /* the last one is shared by the tasks that find no other */
  uint16_t n_slots;       /* 2 or more */
  AscName *names;
  uint16_t n_names;                        /* room for so many names */
  uint8_t n_contexts;                      /* 1 to ASC_RECORDER_CONTEXTS */
  uint8_t counter_bits;                    /* of the raw counter; 0 = 32 */
  uint8_t contexts[ASC_RECORDER_CONTEXTS]; /* ASC_CONTEXT (); the first is the loop that
                                              drains */
  uint8_t recorder;                        /* AscRecorderKind */
  bool whole_frames;     /* the port carries text too: a frame begins only if it fits
                            whole, so give room () */
  uint16_t seal_ms;      /* 0: 5 on a fast link, 50 on one under 500 000 baud */
  uint32_t tick_hz;      /* not 0 */
  uint32_t tick_step_ns; /* 0: 10^9 / tick_hz */
  uint32_t cost_ns;      /* of one ENTER and EXIT */
  uint32_t cpu_hz;
  uint32_t capabilities; /* ASC_CAN_… */
  uint32_t baud;         /* bytes sent stay under it (10 bits a byte); 0 = no limit */
  uint32_t drain_ticks;  /* a drain that took so long is an event; 0 = never */
  uint32_t (*ticks) (void *user); /* unless the port defines ASC_PORT_TICKS */
  void *ticks_user;
  /* Bytes that write () would take now without waiting; NULL: as write () says. */
  size_t (*room) (void *user);
  const char *board; /* NUL-terminated, may be NULL */
  const char *firmware;
  const char *program;
} AscRecorderConfig;

/* Takes what it can of n bytes without waiting and returns how many. Never gets a
 * multiple of 64 bytes, which some USB drivers do not end. */
typedef size_t (*AscRecorderWrite) (void *user, const uint8_t *bytes, size_t n);

/* Private; its size is public so that the caller can have it in static memory. */
typedef struct
{
  AscEncoder encoder;
  uint64_t idle_from;  /* drain: start of what is not sent yet of an idle stretch */
  uint32_t idle_since; /* hooks: raw ticks */
  uint16_t stack[ASC_STACK_MAX]; /* hooks: what runs now */
  uint16_t depth;                /* hooks; may pass ASC_STACK_MAX */
  uint8_t idle;                  /* hooks: 0, or reason + 1 */
  bool idle_lost;                /* hooks: the idle's begin was dropped and counted */
  uint8_t sent_idle;             /* drain: the same, where it is in the ring */
  uint8_t frame[ASC_FRAME_MAX];
} AscRecorderContext;

/* How busy the loop was; busy of window ticks. The window is about a second: it ends with
 * the first idle stretch after one, or when it is asked for later. */
typedef struct
{
  uint32_t busy_ticks;
  uint32_t window_ticks; /* 0: no window has ended yet */
  uint32_t worst_busy_ticks;
  uint32_t worst_window_ticks;
} AscRecorderLoad;

typedef struct
{
  const AscRecorderConfig *config;
  /* Hooks: in the critical section. */
  uint32_t *ring;
  uint32_t mask;
  uint32_t head;  /* words ever appended */
  uint32_t limit; /* head may come up to here */
  uint32_t freed; /* words that the drain gave back */
  uint32_t counter_mask;
  uint32_t pack_limit;    /* ticks that the drain's short way can tell */
  uint32_t text_position; /* of the first TEXT that is still being copied */
  uint32_t lost;          /* events dropped and not yet in the ring as LOST */
  uint32_t lost_since;    /* raw ticks of the first */
  uint16_t lost_starts;
  uint8_t lost_context;
  uint8_t n_texts; /* being copied */
  volatile char lock;
  bool running;
  bool losing;        /* dropping until the drain puts a LOST */
  uint16_t free_slot; /* no free slot is lower */
  uint16_t top_slot;  /* no slot that was ever taken is as high */
  uint16_t n_names;
  uint32_t instances;
  uint32_t losses; /* LOSTs put in the ring */
  uint32_t spans;
  uint32_t misuse; /* calls that make no sense, such as EXIT without ENTER */
  uint32_t window_since, window_idle;
  AscRecorderLoad load;
  /* Drain only. */
  uint32_t read; /* words ever taken out */
  uint32_t now_raw;
  uint32_t began; /* raw ticks of this drain */
  uint64_t now;   /* newest ticks known, extended */
  uint64_t told;  /* ticks of the last record taken out */
  uint64_t start;
  uint64_t counted, dropped;
  uint64_t next_hello, next_repeat, round_end;
  uint64_t credit; /* ticks << 8 of sending that the baud rate allows */
  uint64_t credit_at;
  uint32_t second, seal_ticks, round_ticks;
  uint32_t byte_cost; /* ticks << 8 */
  uint32_t session_id;
  const uint8_t *out; /* the frame in flight */
  uint16_t out_length, out_offset;
  uint16_t seal_ms;
  uint16_t starts;
  uint16_t sequence;
  uint16_t names_told;
  uint16_t repeat_name, repeat_slot;
  uint8_t starts_open, tasks_open; /* bits: contexts whose open frame has STARTs, runs */
  bool urgent;                     /* repeat TASKS at once */
  bool started;
  bool last_hello;    /* of stop () */
  uint8_t spare_bits; /* 32 less the counter's */
  AscRecorderContext contexts[ASC_RECORDER_CONTEXTS];
  uint8_t frame[ASC_FRAME_MAX]; /* HELLO, NAMES, TASKS */
} AscRecorder;

/* Returns 0, or -1 if the configuration makes no sense. Nothing is recorded yet. */
int asc_recorder_init (AscRecorder *rec, const AscRecorderConfig *config);
/* Begins a session with all slots free; names stay. session_id: random; its low byte is
 * made another than the last session's. To be called by the draining context. */
void asc_recorder_start (AscRecorder *rec, uint32_t session_id);

/* Defines a name and returns its id, or 0 ("no name") when the table is full. The strings
 * stay the caller's and valid; name->id is ignored. Any context. */
unsigned asc_recorder_name (AscRecorder *rec, const AscName *name);
/* The same of two NUL-terminated strings; module may be NULL. */
unsigned asc_recorder_define (AscRecorder *rec,
                              AscNameKind kind,
                              const char *module,
                              const char *function);

/* Hooks: any context, any time. Names are ids, tasks are slots. */

/* A task was made. Returns its slot, good until its end. When all slots are taken the
 * last one is shared: such tasks show as one, that never ends, under the name of the
 * first. */
unsigned asc_recorder_task_start (AscRecorder *rec,
                                  unsigned context,
                                  unsigned name,
                                  unsigned parent);
/* It ended outside a run. */
void
asc_recorder_task_end (AscRecorder *rec, unsigned context, unsigned slot, AscEnd how);
void
asc_recorder_rename (AscRecorder *rec, unsigned context, unsigned slot, unsigned name);
/* The task's number in the session; 0 for a free slot. */
uint32_t asc_recorder_instance (AscRecorder *rec, unsigned slot);

void asc_recorder_enter (AscRecorder *rec, unsigned context, unsigned slot);
/* late_ms: how long after it was due; saturates at 65 535. */
void asc_recorder_enter_late (AscRecorder *rec,
                              unsigned context,
                              unsigned slot,
                              uint32_t late_ms);
/* Ends the innermost run; any kind but yield ends the task too. */
void asc_recorder_exit (AscRecorder *rec, unsigned context, AscExit kind);

void asc_recorder_idle_begin (AscRecorder *rec, unsigned context, AscIdle reason);
void asc_recorder_idle_end (AscRecorder *rec, unsigned context);
void asc_recorder_gc_begin (AscRecorder *rec, unsigned context);
void asc_recorder_gc_end (AscRecorder *rec, unsigned context);

/* Returns the span's id. */
uint32_t asc_recorder_span_begin (AscRecorder *rec, unsigned context, unsigned name);
void asc_recorder_span_end (AscRecorder *rec, unsigned context, uint32_t span);
void asc_recorder_mark (AscRecorder *rec, unsigned context, unsigned name);
void asc_recorder_mark_value (AscRecorder *rec,
                              unsigned context,
                              unsigned name,
                              int64_t value);
void asc_recorder_level (AscRecorder *rec, unsigned context, unsigned name, bool level);
void
asc_recorder_counter (AscRecorder *rec, unsigned context, unsigned name, int64_t value);
/* UTF-8, cut at ASC_RECORDER_TEXT_MAX bytes at the border of a character. Only the place
 * is reserved in the critical section; the copy is made outside it. */
void asc_recorder_text (AscRecorder *rec, unsigned context, const char *text, size_t n);
/* The counter does not tell the time that passed, for instance because a light sleep
 * stopped it. jump: ticks it missed, forward positive; 0 = unknown. */
void asc_recorder_discontinuity (AscRecorder *rec,
                                 unsigned context,
                                 AscJump reason,
                                 int64_t jump);

/* Draining: one context at a time, not from an interrupt that a hook may be in. */

/* Sends what there is, at most max_bytes, and returns how many bytes the port took.
 * Frames are sealed when full or old. To be called at least each quarter of the raw
 * counter's period, and each second while the host shall see HELLO. With whole_frames,
 * max_bytes under ASC_FRAME_MAX can be too little for any. */
size_t asc_recorder_drain (AscRecorder *rec,
                           AscRecorderWrite write,
                           void *user,
                           size_t max_bytes);
/* Before a long sleep: seals and sends everything. Returns false while the port does not
 * take it all; a later call goes on. */
bool asc_recorder_flush (AscRecorder *rec, AscRecorderWrite write, void *user);
/* Ends the session: hooks do nothing from now on; a last HELLO tells the totals. Returns
 * as asc_recorder_flush, to be called again while false. */
bool asc_recorder_stop (AscRecorder *rec, AscRecorderWrite write, void *user);

/* Any context. */
void asc_recorder_load (AscRecorder *rec, AscRecorderLoad *load);
/* Words in the ring, of config->ring_words. */
uint32_t asc_recorder_fill (AscRecorder *rec);

#endif
