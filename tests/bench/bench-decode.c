/* How fast a stream is decoded, without a model: bench-decode [RUNS [ROUNDS]].
 *
 * CPU time of one thread, the best of the rounds: finding and checking frames; that and
 * unpacking their events; the whole decoder. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "asc-decoder.h"
#include "asc-encoder.h"
#include "workload.h"

#define PIECE ((size_t)256 * 1024)

typedef struct
{
  uint8_t *bytes;
  size_t n;
  uint64_t events;
} Stream;

static void
seal (Stream *stream, AscEncoder *encoder, AscSeal *values)
{
  size_t n = asc_encoder_seal (encoder, values);
  memcpy (stream->bytes + stream->n, encoder->frame, n);
  stream->n += n;
  stream->events += encoder->n_events;
  values->count += encoder->n_events;
  values->sequence++;
}

static void
put (Stream *stream, AscEncoder *encoder, AscSeal *values, const AscEvent *event)
{
  if (asc_encoder_event (encoder, event) == 1)
    return;
  seal (stream, encoder, values);
  if (asc_encoder_event (encoder, event) != 1)
    abort ();
}

static void
make_stream (Stream *stream, uint64_t runs, bool with_idle)
{
  uint8_t frame[ASC_FRAME_MAX];
  AscEncoder encoder;
  AscSeal values = { 0, 0, 0, 0 };
  Workload workload;
  WorkloadRun run;
  uint64_t end = 0;
  stream->n = 0;
  stream->events = 0;
  asc_encoder_init (&encoder, frame, 0);
  workload_init (&workload);
  for (uint64_t i = 0; i < runs; i++)
    {
      workload_next (&workload, &run);
      if (with_idle && end > 0 && run.start_us - end > 15)
        {
          AscEvent idle = { .ticks = end + 7,
                            .value = (int64_t)(run.start_us - end) - 14,
                            .kind = ASC_EVENT_IDLE };
          put (stream, &encoder, &values, &idle);
        }
      AscEvent enter = { .ticks = run.start_us, .id = run.task, .kind = ASC_EVENT_ENTER };
      put (stream, &encoder, &values, &enter);
      AscEvent leave = { .ticks = run.end_us, .kind = ASC_EVENT_EXIT };
      put (stream, &encoder, &values, &leave);
      end = run.end_us;
      if (encoder.base + 50000 <= end)
        seal (stream, &encoder, &values);
    }
  if (encoder.length > 0)
    seal (stream, &encoder, &values);
}

static double
cpu_seconds (void)
{
  struct timespec now;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What is kept of the events, so that no compiler leaves their unpacking out. */
static uint64_t sum;

static void
on_frame_only (void *user, const AscFrame *frame)
{
  (void)user;
  sum += frame->length;
}

static void
on_frame (void *user, const AscFrame *frame)
{
  AscEventsInfo info;
  AscEvent *events = user;
  int n = asc_unpack_events (frame, &info, events);
  if (n <= 0)
    abort ();
  sum += (unsigned)n + events[n - 1].ticks;
}

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  (void)user;
  (void)frame;
  sum += n + events[n - 1].ticks + batch->info.depth;
}

static void
feed_deframer (const Stream *stream, const AscDeframerSink *sink)
{
  static AscEvent events[ASC_FRAME_EVENTS_MAX];
  AscDeframer deframer;
  asc_deframer_init (&deframer, sink, events, 0);
  for (size_t at = 0; at < stream->n; at += PIECE)
    asc_deframer_feed (&deframer, stream->bytes + at,
                       stream->n - at < PIECE ? stream->n - at : PIECE);
  asc_deframer_finish (&deframer);
}

static void
feed_decoder (const Stream *stream)
{
  static const AscDecoderSink sink = { .events = on_events };
  static AscDecoder decoder;
  asc_decoder_init (&decoder, ASC_FROM_WIRE, &sink, NULL);
  for (size_t at = 0; at < stream->n; at += PIECE)
    asc_decoder_feed (&decoder, stream->bytes + at,
                      stream->n - at < PIECE ? stream->n - at : PIECE);
  asc_decoder_finish (&decoder);
}

static void
measure (const Stream *stream, int rounds, const char *name)
{
  static const AscDeframerSink frames = { .frame = on_frame_only };
  static const AscDeframerSink unpack = { .frame = on_frame };
  static const char *const steps[] = { "frames", "and events", "decoder" };
  for (int step = 0; step < 3; step++)
    {
      double best = 1e9;
      for (int round = 0; round < rounds; round++)
        {
          double begin = cpu_seconds ();
          if (step == 2)
            feed_decoder (stream);
          else
            feed_deframer (stream, step == 0 ? &frames : &unpack);
          double taken = cpu_seconds () - begin;
          best = taken < best ? taken : best;
        }
      printf ("%-9s %-10s %5.2f ns an event, %4.0f M events/s, %5.0f MB/s\n", name,
              steps[step], best * 1e9 / (double)stream->events,
              (double)stream->events / best / 1e6, (double)stream->n / best / 1e6);
    }
}

int
main (int argc, char **argv)
{
  uint64_t runs = argc > 1 ? strtoull (argv[1], NULL, 10) : 2000000;
  int rounds = argc > 2 ? atoi (argv[2]) : 5;
  Stream stream = { .bytes = malloc (runs * 10 + ASC_FRAME_MAX) };
  if (stream.bytes == NULL || runs == 0)
    return 1;
  make_stream (&stream, runs, false);
  measure (&stream, rounds, "no idle");
  make_stream (&stream, runs, true);
  measure (&stream, rounds, "with idle");
  free (stream.bytes);
  return sum == 0;
}
