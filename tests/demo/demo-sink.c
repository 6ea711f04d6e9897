#include "demo-sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
on_names (void *user, const AscFrame *frame, const AscName *names, size_t n)
{
  Sink *sink = user;
  (void)frame;
  for (size_t i = 0; i < n; i++)
    if (names[i].id < SINK_NAMES)
      snprintf (sink->names[names[i].id], sizeof sink->names[0], "%.*s%s%.*s",
                names[i].module.length, names[i].module.bytes,
                names[i].module.length ? "." : "", names[i].function.length,
                names[i].function.bytes);
}

static void
learn (Sink *sink, const AscTaskRecord *record)
{
  if (record->slot < SINK_SLOTS)
    sink->slots[record->slot] = *record;
}

static void
on_tasks (void *user,
          const AscFrame *frame,
          uint64_t ticks,
          const AscTaskRecord *records,
          size_t n)
{
  (void)frame;
  (void)ticks;
  for (size_t i = 0; i < n; i++)
    learn (user, &records[i]);
}

static void
enter (Sink *sink, const AscEvent *event)
{
  const AscTaskRecord *slot = &sink->slots[event->id % SINK_SLOTS];
  sink->open = true;
  sink->run.instance = slot->instance;
  sink->run.start_ns = (int64_t)event->ticks * 1000;
  if (slot->instance == 0)
    sink->unknown_slots++;
  snprintf (sink->run.task, sizeof sink->run.task, "%s",
            sink->names[slot->name % SINK_NAMES]);
}

static void
leave (Sink *sink, const AscEvent *event)
{
  if (!sink->open)
    return;
  if (sink->n_runs == sink->room_runs)
    {
      sink->room_runs = sink->room_runs ? sink->room_runs * 2 : 1024;
      sink->runs = realloc (sink->runs, sink->room_runs * sizeof *sink->runs);
    }
  sink->open = false;
  sink->run.end_ns = (int64_t)event->ticks * 1000;
  sink->run.exit = event->id;
  sink->runs[sink->n_runs++] = sink->run;
}

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  Sink *sink = user;
  sink->stack_differs += batch->stack_differs;
  if (!batch->slots_known)
    memset (sink->slots, 0, sizeof sink->slots);
  for (size_t i = 0; i < n; i++)
    {
      AscTaskRecord record;
      sink->per_kind[events[i].kind]++;
      if (events[i].kind == ASC_EVENT_START
          && asc_event_start (frame, &events[i], &record) >= 0)
        learn (sink, &record);
      if (events[i].kind == ASC_EVENT_ENTER && frame->context == 0)
        enter (sink, &events[i]);
      if (events[i].kind == ASC_EVENT_ENTER && events[i].late_ms > sink->late_max)
        sink->late_max = events[i].late_ms;
      if (events[i].kind == ASC_EVENT_EXIT && frame->context == 0)
        leave (sink, &events[i]);
      if (events[i].kind == ASC_EVENT_LOST)
        {
          sink->open = false;
          sink->dropped += events[i].id;
          if (sink->lost_stretches++ == 0)
            sink->first_lost_ns = events[i].ticks * 1000;
        }
    }
}

static void
on_slots_unknown (void *user)
{
  Sink *sink = user;
  memset (sink->slots, 0, sizeof sink->slots);
}

static void
on_gap (void *user, const AscGap *gap)
{
  Sink *sink = user;
  (void)gap;
  sink->gaps++;
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  Sink *sink = user;
  (void)offset;
  sink->text = realloc (sink->text, sink->n_text + n + 1);
  memcpy (sink->text + sink->n_text, bytes, n);
  sink->n_text += n;
  sink->text[sink->n_text] = '\0';
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  Sink *sink = user;
  (void)why;
  (void)offset;
  sink->skipped += n;
}

static void
on_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  Sink *sink = user;
  (void)frame;
  sink->hello = *hello;
  sink->hellos++;
}

void
sink_init (Sink *sink)
{
  static const AscDecoderSink calls = { .hello = on_hello,
                                        .names = on_names,
                                        .tasks = on_tasks,
                                        .events = on_events,
                                        .slots_unknown = on_slots_unknown,
                                        .gap = on_gap,
                                        .text = on_text,
                                        .skip = on_skip };
  memset (sink, 0, sizeof *sink);
  asc_decoder_init (&sink->decoder, ASC_FROM_WIRE, &calls, sink);
}

void
sink_clear (Sink *sink)
{
  free (sink->runs);
  free (sink->text);
  free (sink->stream);
}

size_t
sink_write (void *user, const uint8_t *bytes, size_t n)
{
  Sink *sink = user;
  if (sink->chunk > 0 && n > sink->chunk)
    n = sink->chunk;
  sink->bytes += n;
  if (sink->keep)
    {
      sink->stream = realloc (sink->stream, sink->n_stream + n);
      memcpy (sink->stream + sink->n_stream, bytes, n);
      sink->n_stream += n;
    }
  asc_decoder_feed (&sink->decoder, bytes, n);
  return n;
}

SinkRun *
sink_read_truth (const char *path, size_t *n)
{
  static const char *const hows[] = { "yield", "return", "raise", "cancel" };
  SinkRun *runs = NULL;
  size_t room = 0;
  char line[160], how[16];
  FILE *file = fopen (path, "re");
  *n = 0;
  if (!file || !fgets (line, sizeof line, file)
      || strcmp (line, "session,task,instance,start_ns,end_ns,exit\n") != 0)
    abort ();
  while (fgets (line, sizeof line, file))
    {
      SinkRun run = { .exit = 4 };
      if (*n == room)
        {
          room = room ? room * 2 : 1024;
          runs = realloc (runs, room * sizeof *runs);
        }
      if (sscanf (line, "0,%47[^,],%" SCNu32 ",%" SCNd64 ",%" SCNd64 ",%15s", run.task,
                  &run.instance, &run.start_ns, &run.end_ns, how)
          != 5)
        abort ();
      for (unsigned i = 0; i < 4; i++)
        if (strcmp (how, hows[i]) == 0)
          run.exit = i;
      runs[(*n)++] = run;
    }
  fclose (file);
  return runs;
}
