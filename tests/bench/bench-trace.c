/* bench-trace EVENTS.bin OUT.trace: a yardstick's file of ENTER and EXIT as the bytes
 * that a board would send for them.
 *
 * The file: 16 bytes of head (8: number of events), then blocks of 64 KiB: 24 bytes of
 * head (4: bytes used, 8: time before the first event, 16: number of events), then for
 * each event a byte (task, bit 7: exit) and LEB128 of the microseconds since the one
 * before. */
#include <stdio.h>
#include <string.h>

#include "workload-stream.h"

#define HEAD 16u
#define BLOCK 65536u
#define BLOCK_HEAD 24u

typedef struct
{
  const uint8_t *bytes;
  gsize size;
  gsize block; /* offset of the block at hand; 0: none yet */
  gsize at, used;
  uint64_t now;
} Events;

static uint64_t
unsigned_at (const uint8_t *bytes, unsigned size)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static bool
next_block (Events *events)
{
  events->block = events->block ? events->block + BLOCK : HEAD;
  if (events->block + BLOCK > events->size)
    return false;
  const uint8_t *head = events->bytes + events->block;
  events->used = MIN ((gsize)unsigned_at (head + 4, 4), BLOCK);
  events->now = unsigned_at (head + 8, 8);
  events->at = BLOCK_HEAD;
  return true;
}

static bool
next_event (Events *events, uint32_t *task, bool *leaves)
{
  while (!events->block || events->at >= events->used)
    if (!next_block (events))
      return false;
  const uint8_t *bytes = events->bytes + events->block;
  uint64_t delta = 0;
  *task = bytes[events->at] & 0x7Fu;
  *leaves = bytes[events->at++] >> 7;
  for (unsigned shift = 0; events->at < events->used && shift < 64; shift += 7)
    {
      uint8_t byte = bytes[events->at++];
      delta |= (uint64_t)(byte & 0x7Fu) << shift;
      if (byte < 0x80)
        break;
    }
  events->now += delta;
  return true;
}

static bool
next_run (void *user, WorkloadRun *run)
{
  Events *events = user;
  uint32_t task;
  bool leaves;
  if (!next_event (events, &run->task, &leaves) || leaves || run->task >= WORKLOAD_TASKS)
    return false;
  run->start_us = events->now;
  if (!next_event (events, &task, &leaves) || !leaves || task != run->task)
    return false;
  run->end_us = events->now;
  return true;
}

int
main (int argc, char **argv)
{
  char *bytes = NULL;
  gsize size = 0;
  GError *error = NULL;
  if (argc != 3)
    {
      fprintf (stderr, "usage: bench-trace EVENTS.bin OUT.trace\n");
      return 2;
    }
  if (!g_file_get_contents (argv[1], &bytes, &size, &error))
    {
      fprintf (stderr, "bench-trace: %s\n", error->message);
      return 1;
    }
  Events events = { .bytes = (const uint8_t *)bytes, .size = size };
  WorkloadStream options
      = { .n_events = size < HEAD ? 0 : unsigned_at (events.bytes + 8, 8),
          .seal_ms = 50,
          .next = next_run,
          .user = &events };
  GByteArray *out = workload_stream (&options);
  bool good
      = g_file_set_contents (argv[2], (const char *)out->data, (gssize)out->len, &error);
  if (!good)
    fprintf (stderr, "bench-trace: %s\n", error->message);
  g_clear_error (&error);
  g_byte_array_unref (out);
  g_free (bytes);
  return good ? 0 : 1;
}
