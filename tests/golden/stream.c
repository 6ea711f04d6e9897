#include "stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asc-varint.h"

static void
check (bool right, const char *what)
{
  if (right)
    return;
  fprintf (stderr, "stream: %s\n", what);
  abort ();
}

void
stream_session (Stream *stream, uint32_t session_id)
{
  stream->session_id = session_id;
  stream->sequence = 0;
  stream->starts = 0;
  stream->events = 0;
  stream->ticks = 0;
  asc_encoder_init (&stream->encoder, stream->frame, 0);
}

void
stream_init (Stream *stream, uint32_t session_id)
{
  stream->n = 0;
  stream->last = 0;
  stream->dropping = false;
  stream_session (stream, session_id);
}

void
stream_put (Stream *stream, const void *bytes, size_t n)
{
  check (stream->n + n <= STREAM_MAX, "full");
  memcpy (stream->bytes + stream->n, bytes, n);
  stream->n += n;
}

void
stream_text (Stream *stream, const char *text)
{
  stream_put (stream, text, strlen (text));
}

static void
put_frame (Stream *stream, const uint8_t *frame, size_t n)
{
  stream->sequence++;
  if (stream->dropping)
    return;
  stream->last = stream->n;
  stream_put (stream, frame, n);
}

void
stream_raw (Stream *stream, uint8_t type, uint8_t context, const void *payload, size_t n)
{
  uint8_t frame[ASC_FRAME_MAX];
  put_frame (stream, frame,
             asc_encode_frame (frame, type, stream->sequence, (uint8_t)stream->session_id,
                               context, payload, (uint8_t)n));
}

void
stream_hello (Stream *stream)
{
  uint8_t frame[ASC_FRAME_MAX];
  AscHello hello = { .session_id = stream->session_id,
                     .tick_hz = 1000000,
                     .tick_step_ns = 1000,
                     .counter_bits = 30,
                     .recorder = ASC_RECORDER_C,
                     .cost_ns = 2500,
                     .cpu_hz = 125000000,
                     .capabilities = ASC_CAN_IDLE | ASC_CAN_LATE,
                     .seal_ms = 50,
                     .ticks = stream->ticks,
                     .events = stream->events,
                     .board = { "Board", 5 },
                     .firmware = { "fw 1", 4 },
                     .program = { "demo", 4 } };
  put_frame (stream, frame, asc_encode_hello (frame, &hello, stream->sequence));
}

void
stream_names (Stream *stream)
{
  static const AscName names[] = {
    { 1,
      12,
      0xA1B2C3D4,
      ASC_NAME_TASK,
      0,
      { "main", 4 },
      { "blink", 5 },
      { "main.py", 7 } },
    { 2, 0, 0, ASC_NAME_TASK, ASC_NAME_INTERNAL, { "", 0 }, { "_io", 3 }, { "", 0 } },
    { 3, 0, 0, ASC_NAME_SPAN, 0, { "", 0 }, { "write", 5 }, { "", 0 } },
    { 300, 0, 0, ASC_NAME_PIN, 0, { "", 0 }, { "LED \"\\\xC3\xA9", 8 }, { "", 0 } }
  };
  uint8_t frame[ASC_FRAME_MAX];
  size_t taken;
  size_t n = asc_encode_names (frame, names, 4, &taken, stream->sequence,
                               (uint8_t)stream->session_id);
  check (taken == 4, "names");
  put_frame (stream, frame, n);
}

void
stream_tasks (Stream *stream, const AscTaskRecord *records, size_t n)
{
  uint8_t frame[ASC_FRAME_MAX];
  size_t taken;
  AscSeal seal = { 0, stream->starts, stream->sequence, (uint8_t)stream->session_id };
  size_t size = asc_encode_tasks (frame, stream->ticks, records, n, &taken, &seal);
  check (taken == n, "tasks");
  put_frame (stream, frame, size);
}

void
stream_event (Stream *stream,
              AscEventKind kind,
              uint64_t ticks,
              uint32_t id,
              int64_t value)
{
  AscEvent event = { .ticks = ticks, .value = value, .id = id, .kind = (uint8_t)kind };
  int done = asc_encoder_event (&stream->encoder, &event);
  if (done != 1)
    fprintf (stderr, "kind %d, %d\n", (int)kind, done);
  check (done == 1, "event");
}

void
stream_late (Stream *stream, uint64_t ticks, uint32_t slot, uint16_t late_ms)
{
  AscEvent event = { .ticks = ticks,
                     .id = slot,
                     .late_ms = late_ms,
                     .kind = ASC_EVENT_ENTER,
                     .flags = ASC_EVENT_LATE };
  check (asc_encoder_event (&stream->encoder, &event) == 1, "late");
}

void
stream_start (Stream *stream, uint64_t ticks, uint32_t slot, uint32_t instance)
{
  AscTaskRecord task = { slot, instance, 1, -1, 0 };
  check (asc_encoder_start (&stream->encoder, ticks, &task) == 1, "start");
}

uint64_t
stream_runs (Stream *stream, uint64_t ticks, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    {
      stream_event (stream, ASC_EVENT_ENTER, ticks, i % 4, 0);
      stream_event (stream, ASC_EVENT_EXIT, ticks + 100, ASC_EXIT_YIELD, 0);
      ticks += 200;
    }
  return ticks;
}

void
stream_seal (Stream *stream)
{
  AscEncoder *encoder = &stream->encoder;
  AscSeal seal = { (uint32_t)stream->events, stream->starts, stream->sequence,
                   (uint8_t)stream->session_id };
  size_t n = asc_encoder_seal (encoder, &seal);
  check (n > 0, "nothing to seal");
  stream->events += encoder->n_events + encoder->n_lost;
  stream->starts = (uint16_t)(stream->starts + encoder->n_starts);
  put_frame (stream, encoder->frame, n);
}

void
stream_packed (Stream *stream,
               uint64_t ticks,
               uint8_t context,
               const void *packed,
               size_t n,
               unsigned n_events)
{
  uint8_t payload[ASC_PAYLOAD_MAX];
  uint8_t *p = asc_put_u48 (payload, ticks);
  p = asc_put_u16 (asc_put_u32 (p, (uint32_t)stream->events), stream->starts);
  *p++ = 0;
  check (n <= ASC_PAYLOAD_MAX - ASC_EVENTS_HEAD, "packed");
  if (n > 0)
    memcpy (p, packed, n);
  stream_raw (stream, ASC_FRAME_EVENTS, context, payload, ASC_EVENTS_HEAD + n);
  stream->events += n_events;
}
