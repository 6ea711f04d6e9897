/* Decodes a demo board's stream into lists that tests compare with the truth. */
#ifndef DEMO_SINK_H
#define DEMO_SINK_H

#include "asc-decoder.h"
#include "asc-demo.h"

#include <string.h>

#define SINK_SLOTS 4096
#define SINK_NAMES 8192

typedef struct
{
  char task[48];
  uint32_t instance;
  int64_t start_ns, end_ns;
  unsigned exit; /* AscExit */
} SinkRun;

typedef struct
{
  AscDecoder decoder;
  SinkRun *runs;
  size_t n_runs, room_runs;
  /* The run that is open in the loop's context. */
  bool open;
  SinkRun run;
  char names[SINK_NAMES][48];
  AscTaskRecord slots[SINK_SLOTS];
  uint64_t per_kind[ASC_EVENT_UNKNOWN + 1];
  uint64_t lost_stretches, dropped, gaps, skipped, unknown_slots, stack_differs, late_max;
  uint64_t first_lost_ns;
  AscHello hello;
  uint64_t hellos, bytes;
  uint8_t *text;
  size_t n_text;
  uint8_t *stream; /* kept if keep */
  size_t n_stream;
  size_t chunk; /* takes at most so many bytes a call; 0 = all */
  bool keep;
} Sink;

void sink_init (Sink *sink);
void sink_clear (Sink *sink);
/* An AscDemoWrite. */
size_t sink_write (void *sink, const uint8_t *bytes, size_t n);

/* Reads a truth file; the caller frees it. */
SinkRun *sink_read_truth (const char *path, size_t *n);

#endif
