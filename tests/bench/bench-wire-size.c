/* Bytes an ENTER or EXIT on the reference workload: bench-wire-size [RUNS].
 *
 * Frames are sealed as a recorder does: when full, and when the loop goes idle with a
 * frame open that is as old as the seal age, or would be before the idle time is over. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "asc-encoder.h"
#include "asc-varint.h"
#include "workload.h"

typedef struct
{
  uint64_t seal_us;
  bool idle;
  bool late;
} Variant;

/* Bytes by what they are for. */
typedef struct
{
  AscEncoder encoder;
  uint8_t frame[ASC_FRAME_MAX];
  uint64_t seal_us;
  uint64_t frames;
  uint64_t headers;
  uint64_t enter;
  uint64_t exit;
  uint64_t idle;
  uint64_t late;
  uint64_t other; /* HELLO */
  uint64_t next_hello;
} Bench;

static void
seal (Bench *bench)
{
  AscSeal values = { 0, 0, 0, 0 };
  if (asc_encoder_seal (&bench->encoder, &values) > 0)
    bench->frames++;
}

static void
put (Bench *bench, const AscEvent *event, uint64_t *bytes)
{
  AscEncoder *encoder = &bench->encoder;
  for (int tries = 0; tries < 2; tries++)
    {
      unsigned before = encoder->length;
      if (before == 0)
        {
          unsigned stack = 0;
          for (unsigned i = 0; i < encoder->depth; i++)
            stack += asc_varint_size (encoder->stack[i]);
          before = ASC_HEADER_SIZE + ASC_EVENTS_HEAD + stack;
          bench->headers += before + ASC_CHECK_SIZE;
        }
      if (asc_encoder_event (encoder, event) == 1)
        {
          *bytes += encoder->length - before;
          return;
        }
      seal (bench);
    }
  abort ();
}

/* The loop goes idle until then. */
static void
drain (Bench *bench, uint64_t until)
{
  if (bench->encoder.length > 0 && bench->encoder.base + bench->seal_us <= until)
    seal (bench);
}

static void
put_hello (Bench *bench, uint64_t now)
{
  static const AscHello hello = { .board = { "Raspberry Pi Pico", 17 },
                                  .firmware = { "MicroPython 1.25.0", 18 },
                                  .program = { "greenhouse", 10 } };
  uint8_t frame[ASC_FRAME_MAX];
  if (now < bench->next_hello)
    return;
  bench->other += asc_encode_hello (frame, &hello, 0);
  bench->next_hello = now + 1000000;
}

static void
run_variant (const Variant *variant, uint64_t runs)
{
  static Bench bench;
  static const Bench empty;
  Workload workload;
  WorkloadRun run;
  uint64_t end = 0;
  uint64_t last = 0;
  bench = empty;
  bench.seal_us = variant->seal_us;
  asc_encoder_init (&bench.encoder, bench.frame, 0);
  workload_init (&workload);
  for (uint64_t i = 0; i < runs; i++)
    {
      workload_next (&workload, &run);
      uint64_t gap = run.start_us - end;
      if (gap > 15)
        {
          drain (&bench, run.start_us);
          put_hello (&bench, run.start_us);
        }
      if (variant->idle && end > 0 && gap > 15)
        {
          /* The loop idles until some µs before the next run. */
          AscEvent idle
              = { .ticks = end + 7, .value = (int64_t)gap - 14, .kind = ASC_EVENT_IDLE };
          put (&bench, &idle, &bench.idle);
        }
      /* What followed at once was due while the one before ran. */
      AscEvent enter = { .ticks = run.start_us,
                         .id = run.task,
                         .late_ms = (uint16_t)(gap > 15 ? 0 : last / 1000),
                         .kind = ASC_EVENT_ENTER,
                         .flags = variant->late ? ASC_EVENT_LATE : 0 };
      if (variant->late)
        {
          unsigned n = asc_varint_size (enter.late_ms);
          bench.late += n;
          bench.enter -= n;
        }
      put (&bench, &enter, &bench.enter);
      last = run.end_us - run.start_us;
      AscEvent leave = { .ticks = run.end_us, .kind = ASC_EVENT_EXIT };
      put (&bench, &leave, &bench.exit);
      end = run.end_us;
    }
  seal (&bench);
  double n = 2.0 * (double)runs;
  double sum = (double)(bench.headers + bench.enter + bench.exit + bench.idle + bench.late
                        + bench.other);
  printf ("seal %2u ms%s%s: %.3f bytes an event = headers %.3f + ENTER %.3f + EXIT %.3f"
          " + idle %.3f + lateness %.3f + HELLO %.3f; %.1f events a frame\n",
          (unsigned)(variant->seal_us / 1000), variant->idle ? ", idle" : "",
          variant->late ? ", lateness" : "", sum / n, (double)bench.headers / n,
          (double)bench.enter / n, (double)bench.exit / n, (double)bench.idle / n,
          (double)bench.late / n, (double)bench.other / n, n / (double)bench.frames);
}

int
main (int argc, char **argv)
{
  static const Variant variants[]
      = { { 50000, false, false }, { 50000, true, false }, { 50000, true, true },
          { 5000, false, false },  { 5000, true, false },  { 5000, true, true } };
  uint64_t runs = argc > 1 ? strtoull (argv[1], NULL, 10) : 500000;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
    run_variant (&variants[i], runs);
  return 0;
}
