/* A board for tests of the recorder: memory, a clock that is set by hand, a port that
 * takes pieces, and a decoder that makes a list of what arrives. */
#ifndef BOARD_H
#define BOARD_H

#include "asc-decoder.h"
#include "asc-recorder.h"

#define BOARD_RING 65536
#define BOARD_SLOTS 600
#define BOARD_NAMES 64
#define BOARD_CONTEXTS ASC_RECORDER_CONTEXTS

typedef struct
{
  AscEvent event;
  uint8_t context;
  uint32_t
      instance;   /* of START, ENTER, EXIT, END as the host knows the slot; 0 unknown */
  uint32_t slot;  /* of EXIT too */
  char text[136]; /* of TEXT */
} Heard;

typedef struct
{
  AscRecorder rec;
  AscRecorderConfig config;
  uint32_t ring[BOARD_RING];
  AscRecorderSlot slots[BOARD_SLOTS];
  AscName names[BOARD_NAMES];
  uint64_t clock;
  /* The port. */
  size_t most; /* bytes it takes in one call; SIZE_MAX = all */
  size_t room; /* bytes it takes until it is given more; SIZE_MAX = endless */
  size_t n_bytes, n_writes, largest;
  bool wrong_size; /* got a multiple of 64 */
  uint8_t *stream;
  /* The host. */
  AscDecoder decoder;
  Heard *heard;
  size_t n_heard, room_heard;
  AscTaskRecord tasks[BOARD_SLOTS];
  uint16_t stack[256][ASC_STACK_MAX];
  uint8_t depth[256];
  AscHello hello;
  unsigned n_hellos, n_sessions, n_names_records, n_tasks_records, n_task_frames;
  unsigned n_frames; /* EVENTS */
  uint64_t gaps, skipped, stack_differs;
  uint64_t newest;  /* end of any event heard */
  uint64_t too_old; /* events that came later than the seal age allows */
  char names_heard[BOARD_NAMES][40];
} Board;

/* A recorder with one context, ring_words of ring, a clock of 1 MHz and a session. The
 * config may be changed before board_start (). */
Board *board_new (uint32_t ring_words);
void board_start (Board *board);
void board_free (Board *board);

size_t board_write (void *board, const uint8_t *bytes, size_t n);
size_t board_room (void *board);
/* Drains once without a limit. */
void board_drain (Board *board);
/* Flushes until everything is out. */
void board_flush (Board *board);
/* Fails the test if the host had to doubt anything. */
void board_assert_clean (const Board *board);
/* Asserts the i-th event heard. */
const Heard *board_heard (const Board *board,
                          size_t i,
                          unsigned kind,
                          uint64_t ticks,
                          uint32_t id,
                          int64_t value);

#endif
