/* Fuzzes deframer and decoder: any bytes, first as from a wire, then as a file.
 *
 * Checked: every byte is told once and in order; whole, byte by byte and in pieces give
 * the same; the totals are those of the calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asc-crc.h"
#include "asc-decoder.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define CHECK(what)                                                                      \
  do                                                                                     \
    if (!(what))                                                                         \
      {                                                                                  \
        fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                      \
        abort ();                                                                        \
      }                                                                                  \
  while (0)

typedef struct
{
  uint64_t next; /* offset of the first byte that was not told yet */
  uint64_t hash; /* of all calls, pieces apart */
  uint64_t events;
  uint64_t missing_events;
  uint64_t missing_frames;
  uint64_t skipped;
  uint64_t text;
  uint64_t sessions;
  bool in_session;
} Seen;

static void
mix (Seen *seen, uint64_t value)
{
  seen->hash = (seen->hash ^ value) * 0x9E3779B97F4A7C15u;
  seen->hash ^= seen->hash >> 29;
}

static void
mix_frame (Seen *seen, const AscFrame *frame)
{
  CHECK (frame->offset == seen->next);
  seen->next += 12u + frame->length;
  mix (seen, frame->offset << 8 | frame->type);
}

static void
mix_string (Seen *seen, AscString string)
{
  for (unsigned i = 0; i < string.length; i++)
    mix (seen, (uint8_t)string.bytes[i]);
}

static void
on_session (void *user, const AscDecoderSession *session)
{
  Seen *seen = user;
  CHECK (session->index == seen->sessions || session->index + 1 == seen->sessions);
  seen->sessions = session->index + 1;
  mix (seen, session->index << 33 | session->id | (uint64_t)session->id_known << 32);
}

static void
on_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  Seen *seen = user;
  CHECK (hello->start_ticks <= hello->ticks || hello->start_ticks < (uint64_t)1 << 62);
  mix_frame (seen, frame);
  mix (seen, hello->ticks);
  mix (seen, hello->start_ticks);
  mix_string (seen, hello->board);
  mix_string (seen, hello->program);
}

static void
on_names (void *user, const AscFrame *frame, const AscName *names, size_t n)
{
  mix_frame (user, frame);
  for (size_t i = 0; i < n; i++)
    {
      mix_string (user, names[i].module);
      mix_string (user, names[i].function);
      mix_string (user, names[i].file);
    }
}

static void
on_tasks (void *user,
          const AscFrame *frame,
          uint64_t ticks,
          const AscTaskRecord *records,
          size_t n)
{
  mix_frame (user, frame);
  mix (user, ticks);
  for (size_t i = 0; i < n; i++)
    {
      CHECK (records[i].slot <= ASC_SLOT_MAX && records[i].name <= ASC_SLOT_MAX);
      mix (user, records[i].slot);
    }
}

static void
on_slots_unknown (void *user)
{
  mix (user, 77);
}

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  Seen *seen = user;
  uint64_t before = batch->info.base;
  CHECK (n <= ASC_FRAME_EVENTS_MAX);
  CHECK (batch->info.end - before <= ASC_SPAN_MAX);
  CHECK (batch->info.depth <= ASC_STACK_MAX && batch->info.end_depth <= ASC_STACK_MAX);
  CHECK (!batch->stack_differs || batch->continues);
  mix_frame (seen, frame);
  for (size_t i = 0; i < n; i++)
    {
      AscTaskRecord task;
      CHECK (events[i].ticks >= before && events[i].ticks <= batch->info.end);
      CHECK (events[i].kind >= ASC_EVENT_ENTER && events[i].kind <= ASC_EVENT_UNKNOWN);
      before = events[i].ticks;
      mix (seen, events[i].ticks ^ events[i].kind ^ (uint64_t)events[i].value);
      mix_string (seen, asc_event_bytes (frame, &events[i]));
      CHECK ((asc_event_start (frame, &events[i], &task) == 0)
             == (events[i].kind == ASC_EVENT_START));
    }
  seen->events += n;
}

static void
on_gap (void *user, const AscGap *gap)
{
  Seen *seen = user;
  CHECK (gap->frames > 0 || gap->events > 0 || gap->unknown);
  CHECK (!gap->unknown || gap->events == 0);
  if (!gap->cut)
    {
      seen->missing_events += gap->events;
      seen->missing_frames += gap->frames;
    }
  mix (seen, gap->events ^ gap->frames << 32 ^ gap->from ^ gap->to << 1);
}

static void
on_host (void *user, const AscFrame *frame)
{
  mix_frame (user, frame);
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  Seen *seen = user;
  CHECK (n > 0 && offset == seen->next);
  seen->next += n;
  seen->text += n;
  for (size_t i = 0; i < n; i++)
    mix (seen, bytes[i]);
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  Seen *seen = user;
  CHECK (n > 0 && offset == seen->next);
  seen->next += n;
  seen->skipped += n;
  for (size_t i = 0; i < n; i++)
    mix (seen, (uint64_t)why + 1000);
}

static const AscDecoderSink sink = { .session = on_session,
                                     .hello = on_hello,
                                     .names = on_names,
                                     .slots_unknown = on_slots_unknown,
                                     .tasks = on_tasks,
                                     .events = on_events,
                                     .gap = on_gap,
                                     .host = on_host,
                                     .text = on_text,
                                     .skip = on_skip };

/* A copy of its own for each piece, so that a step over its end is seen. */
static void
feed (AscDecoder *decoder, const uint8_t *data, size_t n)
{
  uint8_t *copy = malloc (n > 0 ? n : 1);
  CHECK (copy != NULL);
  memcpy (copy, data, n);
  asc_decoder_feed (decoder, copy, n);
  free (copy);
}

static Seen
decode (const uint8_t *data, size_t size, AscOrigin origin, size_t step)
{
  static AscDecoder decoder;
  Seen seen = { .hash = 1 };
  asc_decoder_init (&decoder, origin, &sink, &seen);
  for (size_t at = 0; at < size; at += step)
    {
      const uint8_t *held;
      feed (&decoder, data + at, step < size - at ? step : size - at);
      size_t n = asc_decoder_pending (&decoder, &held);
      CHECK (n < ASC_FRAME_MAX && memcmp (held, data + seen.next, n) == 0);
    }
  asc_decoder_finish (&decoder);
  const AscDecoderTotals *totals = asc_decoder_totals (&decoder);
  CHECK (seen.next == size && totals->bytes == size);
  CHECK (totals->events == seen.events);
  CHECK (totals->missing_events == seen.missing_events);
  CHECK (totals->missing_frames == seen.missing_frames);
  uint64_t skipped = 0;
  for (int i = 0; i < ASC_SKIP_N; i++)
    {
      CHECK ((totals->skipped[i] == 0) == (totals->skips[i] == 0));
      skipped += totals->skipped[i];
      mix (&seen, totals->skips[i]);
    }
  CHECK (skipped == seen.skipped);
  return seen;
}

static void
all_ways (const uint8_t *data, size_t size)
{
  for (int origin = 0; origin < 2; origin++)
    {
      AscOrigin from = origin == 0 ? ASC_FROM_WIRE : ASC_FROM_FILE;
      Seen whole = decode (data, size, from, size);
      CHECK (decode (data, size, from, 1).hash == whole.hash);
      CHECK (decode (data, size, from, 1 + data[size - 1]).hash == whole.hash);
    }
}

/* Gives frames the checks that they should have, which no mutation finds. */
static void
repair (uint8_t *data, size_t size)
{
  for (size_t at = 0; at + ASC_HEADER_SIZE + ASC_CHECK_SIZE <= size; at++)
    {
      size_t n = ASC_HEADER_SIZE + (size_t)data[at + 2];
      if (data[at] != ASC_MARKER || n + ASC_CHECK_SIZE > size - at)
        continue;
      data[at + 7] = asc_crc8 (data + at + 1, 6);
      uint32_t check = asc_crc32 (0, data + at, n);
      for (int i = 0; i < 4; i++)
        data[at + n + (size_t)i] = (uint8_t)(check >> (8 * i));
      at += n + ASC_CHECK_SIZE - 1;
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  all_ways (data, size);
  uint8_t *repaired = malloc (size);
  CHECK (repaired != NULL);
  memcpy (repaired, data, size);
  repair (repaired, size);
  all_ways (repaired, size);
  free (repaired);
  return 0;
}
