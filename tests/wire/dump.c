#include "dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum
{
  NOTHING,
  TEXT,
  SKIP
} Open;

typedef struct
{
  FILE *out;
  /* Text or a skip that may go on. */
  Open open;
  AscSkip why;
  uint64_t from;
  uint64_t end;
  uint8_t *text;
  size_t n_text;
  /* Lines that stand at the end. */
  char *mangled;
  size_t n_mangled;
} Dump;

static const char *const skip_names[ASC_SKIP_N]
    = { "noise",        "header",    "checksum", "cut",
        "unknown-type", "malformed", "foreign",  "duplicate" };

static const char *
yes (bool is)
{
  return is ? "yes" : "no";
}

static void
print_bytes (FILE *out, const void *bytes, size_t n)
{
  const uint8_t *p = bytes;
  putc ('"', out);
  for (size_t i = 0; i < n; i++)
    if (p[i] >= 0x20 && p[i] < 0x7F && p[i] != '"' && p[i] != '\\')
      putc (p[i], out);
    else
      fprintf (out, "\\x%02x", p[i]);
  putc ('"', out);
}

static void
print_string (FILE *out, const char *key, AscString string)
{
  fprintf (out, " %s=", key);
  print_bytes (out, string.bytes, string.length);
}

static void
flush (Dump *dump)
{
  if (dump->open == TEXT)
    {
      fprintf (dump->out, "text offset=%" PRIu64 " bytes=%zu text=", dump->from,
               dump->n_text);
      print_bytes (dump->out, dump->text, dump->n_text);
      putc ('\n', dump->out);
    }
  else if (dump->open == SKIP)
    fprintf (dump->out, "skip offset=%" PRIu64 " bytes=%" PRIu64 " why=%s\n", dump->from,
             dump->end - dump->from, skip_names[dump->why]);
  dump->open = NOTHING;
  dump->n_text = 0;
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  Dump *dump = user;
  if (dump->open != TEXT || dump->end != offset)
    {
      flush (dump);
      dump->open = TEXT;
      dump->from = offset;
    }
  dump->text = realloc (dump->text, dump->n_text + n);
  memcpy (dump->text + dump->n_text, bytes, n);
  dump->n_text += n;
  dump->end = offset + n;
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  Dump *dump = user;
  if (dump->open != SKIP || dump->why != why || dump->end != offset
      || why >= ASC_SKIP_UNKNOWN_TYPE)
    {
      flush (dump);
      dump->open = SKIP;
      dump->why = why;
      dump->from = offset;
    }
  dump->end = offset + n;
}

static void
on_mangled (void *user, unsigned how, uint64_t offset)
{
  static const char *const names[]
      = { "output", "input", "flow", "signals", "zeros", "parity", "seven-bit" };
  Dump *dump = user;
  char line[160];
  int n = snprintf (line, sizeof line, "mangled offset=%" PRIu64 " how=", offset);
  const char *comma = "";
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (how & 1u << i)
      {
        n += snprintf (line + n, sizeof line - (size_t)n, "%s%s", comma, names[i]);
        comma = ",";
      }
  line[n++] = '\n';
  dump->mangled = realloc (dump->mangled, dump->n_mangled + (size_t)n);
  memcpy (dump->mangled + dump->n_mangled, line, (size_t)n);
  dump->n_mangled += (size_t)n;
}

static void
on_session (void *user, const AscDecoderSession *session)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out,
           "session offset=%" PRIu64 " index=%" PRIu64 " byte=%02x id=", session->offset,
           session->index, session->low_byte);
  if (session->id_known)
    fprintf (dump->out, "%08" PRIx32 "\n", session->id);
  else
    fprintf (dump->out, "unknown\n");
}

static void
on_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out, "hello offset=%" PRIu64 " sequence=%u version=%u readable_by=%u",
           frame->offset, frame->sequence, hello->version, hello->readable_by);
  fprintf (dump->out, " id=%08" PRIx32 " tick_hz=%" PRIu32 " tick_step_ns=%" PRIu32,
           hello->session_id, hello->tick_hz, hello->tick_step_ns);
  fprintf (dump->out, " counter_bits=%u recorder=%u cost_ns=%" PRIu32 " cpu_hz=%" PRIu32,
           hello->counter_bits, hello->recorder, hello->cost_ns, hello->cpu_hz);
  fprintf (dump->out, " capabilities=%" PRIx32 " seal_ms=%u ticks=%" PRIu64,
           hello->capabilities, hello->seal_ms, hello->ticks);
  fprintf (dump->out, " start=%" PRIu64 " events=%" PRIu64 " dropped=%" PRIu64,
           hello->start_ticks, hello->events, hello->dropped);
  print_string (dump->out, "board", hello->board);
  print_string (dump->out, "firmware", hello->firmware);
  print_string (dump->out, "program", hello->program);
  putc ('\n', dump->out);
}

static void
on_names (void *user, const AscFrame *frame, const AscName *names, size_t n)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out, "names offset=%" PRIu64 " sequence=%u n=%zu\n", frame->offset,
           frame->sequence, n);
  for (size_t i = 0; i < n; i++)
    {
      const AscName *name = &names[i];
      fprintf (dump->out,
               "  name id=%" PRIu32 " kind=%u flags=%02x line=%" PRIu32
               " code=%08" PRIx32,
               name->id, name->kind, name->flags, name->line, name->code);
      print_string (dump->out, "module", name->module);
      print_string (dump->out, "function", name->function);
      print_string (dump->out, "file", name->file);
      putc ('\n', dump->out);
    }
}

static void
print_task (FILE *out, const AscTaskRecord *task)
{
  fprintf (out,
           " slot=%" PRIu32 " instance=%" PRIu32 " name=%" PRIu32 " parent=", task->slot,
           task->instance, task->name);
  if (task->parent_slot < 0)
    putc ('-', out);
  else
    fprintf (out, "%" PRId32, task->parent_slot);
  fprintf (out, " parent_instance=%" PRIu32 "\n", task->parent_instance);
}

static void
on_slots_unknown (void *user)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out, "slots-unknown\n");
}

static void
on_tasks (void *user,
          const AscFrame *frame,
          uint64_t ticks,
          const AscTaskRecord *records,
          size_t n)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out, "tasks offset=%" PRIu64 " sequence=%u ticks=%" PRIu64 " n=%zu\n",
           frame->offset, frame->sequence, ticks, n);
  for (size_t i = 0; i < n; i++)
    {
      fprintf (dump->out, "  task");
      print_task (dump->out, &records[i]);
    }
}

static void
print_event (FILE *out, const AscFrame *frame, const AscEvent *event)
{
  static const char *const names[]
      = { "",         "enter", "exit",          "idle",    "gc-begin",
          "gc-end",   "start", "end",           "rename",  "span-begin",
          "span-end", "mark",  "level",         "counter", "text",
          "drain",    "lost",  "discontinuity", "unknown" };
  AscTaskRecord task = { .slot = 0 };
  AscString text = asc_event_bytes (frame, event);
  fprintf (out, "  %s ticks=%" PRIu64, names[event->kind], event->ticks);
  switch ((AscEventKind)event->kind)
    {
    case ASC_EVENT_ENTER:
      fprintf (out, " slot=%" PRIu32 " late=", event->id);
      if (event->flags & ASC_EVENT_LATE)
        fprintf (out, "%u", event->late_ms);
      else
        putc ('-', out);
      break;
    case ASC_EVENT_EXIT:
      fprintf (out, " slot=%" PRId64 " how=%" PRIu32, event->value, event->id);
      break;
    case ASC_EVENT_IDLE:
      fprintf (out, " reason=%" PRIu32 " duration=%" PRId64, event->id, event->value);
      break;
    case ASC_EVENT_START:
      asc_event_start (frame, event, &task);
      print_task (out, &task);
      return;
    case ASC_EVENT_END:
      fprintf (out, " slot=%" PRIu32 " how=%" PRId64, event->id, event->value);
      break;
    case ASC_EVENT_RENAME:
      fprintf (out, " slot=%" PRIu32 " name=%" PRId64, event->id, event->value);
      break;
    case ASC_EVENT_SPAN_BEGIN:
      fprintf (out, " span=%" PRIu32 " name=%" PRId64, event->id, event->value);
      break;
    case ASC_EVENT_SPAN_END:
      fprintf (out, " span=%" PRIu32, event->id);
      break;
    case ASC_EVENT_MARK:
      fprintf (out, " name=%" PRIu32 " value=", event->id);
      if (event->flags & ASC_EVENT_VALUE)
        fprintf (out, "%" PRId64, event->value);
      else
        putc ('-', out);
      break;
    case ASC_EVENT_LEVEL:
    case ASC_EVENT_COUNTER:
      fprintf (out, " name=%" PRIu32 " value=%" PRId64, event->id, event->value);
      break;
    case ASC_EVENT_TEXT:
      print_string (out, "text", text);
      break;
    case ASC_EVENT_DRAIN:
      fprintf (out, " duration=%" PRId64, event->value);
      break;
    case ASC_EVENT_LOST:
      fprintf (out, " duration=%" PRId64 " events=%" PRIu32, event->value, event->id);
      break;
    case ASC_EVENT_DISCONTINUITY:
      fprintf (out, " reason=%" PRIu32 " jump=%" PRId64, event->id, event->value);
      break;
    case ASC_EVENT_UNKNOWN:
      fprintf (out, " tag=%02" PRIx32, event->id);
      break;
    case ASC_EVENT_GC_BEGIN:
    case ASC_EVENT_GC_END:
    default:
      break;
    }
  putc ('\n', out);
}

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  Dump *dump = user;
  const AscEventsInfo *info = &batch->info;
  flush (dump);
  fprintf (dump->out,
           "events offset=%" PRIu64 " sequence=%u context=%02x base=%" PRIu64
           " count=%" PRIu32 " starts=%u stack=",
           frame->offset, frame->sequence, frame->context, info->base, info->count,
           info->starts);
  for (unsigned i = 0; i < info->depth; i++)
    fprintf (dump->out, "%s%u", i > 0 ? "," : "", info->stack[i]);
  if (info->depth == 0)
    putc ('-', dump->out);
  fprintf (dump->out,
           " continues=%s stack_differs=%s slots_known=%s n=%zu end=%" PRIu64 "\n",
           yes (batch->continues), yes (batch->stack_differs), yes (batch->slots_known),
           n, info->end);
  for (size_t i = 0; i < n; i++)
    print_event (dump->out, frame, &events[i]);
}

static void
on_gap (void *user, const AscGap *gap)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out, "gap offset=%" PRIu64 " frames=%" PRIu64 " events=", gap->offset,
           gap->frames);
  if (gap->unknown)
    fprintf (dump->out, "unknown");
  else
    fprintf (dump->out, "%" PRIu64, gap->events);
  fprintf (dump->out, " from=%" PRIu64 " to=%" PRIu64 " cut=%s\n", gap->from, gap->to,
           yes (gap->cut));
}

static void
on_host (void *user, const AscFrame *frame)
{
  Dump *dump = user;
  flush (dump);
  fprintf (dump->out,
           "host offset=%" PRIu64 " sequence=%u type=%02x payload=", frame->offset,
           frame->sequence, frame->type);
  for (unsigned i = 0; i < frame->length; i++)
    fprintf (dump->out, "%02x", frame->payload[i]);
  putc ('\n', dump->out);
}

static void
print_totals (FILE *out, const AscDecoderTotals *totals)
{
  fprintf (out,
           "totals bytes=%" PRIu64 " frames=%" PRIu64 " events=%" PRIu64
           " missing_frames=%" PRIu64 " missing_events=%" PRIu64 " dropped=%" PRIu64
           " unknown_kinds=%" PRIu64,
           totals->bytes, totals->frames, totals->events, totals->missing_frames,
           totals->missing_events, totals->dropped_events, totals->unknown_kinds);
  for (int i = 0; i < ASC_SKIP_N; i++)
    fprintf (out, " %s=%" PRIu64 "/%" PRIu64, skip_names[i], totals->skips[i],
             totals->skipped[i]);
  putc ('\n', out);
}

static void
feed (AscDecoder *decoder, const uint8_t *bytes, size_t n, uint32_t pieces)
{
  size_t at = 0;
  while (at < n)
    {
      size_t piece = pieces == 0 ? n : 1;
      if (pieces > 1)
        {
          pieces ^= pieces << 13;
          pieces ^= pieces >> 17;
          pieces ^= pieces << 5;
          piece = 1 + (pieces >> 8) % (pieces & 64 ? 700 : 20);
        }
      if (piece > n - at)
        piece = n - at;
      /* A copy of just that size, so that a sanitizer sees a step over its end. */
      uint8_t *copy = malloc (piece);
      memcpy (copy, bytes + at, piece);
      asc_decoder_feed (decoder, copy, piece);
      free (copy);
      at += piece;
    }
  asc_decoder_finish (decoder);
}

char *
dump_stream (const uint8_t *bytes, size_t n, AscOrigin origin, uint32_t pieces)
{
  static const AscDecoderSink sink = { .session = on_session,
                                       .hello = on_hello,
                                       .names = on_names,
                                       .slots_unknown = on_slots_unknown,
                                       .tasks = on_tasks,
                                       .events = on_events,
                                       .gap = on_gap,
                                       .host = on_host,
                                       .text = on_text,
                                       .skip = on_skip,
                                       .mangled = on_mangled };
  char *result = NULL;
  size_t size = 0;
  Dump dump = { .out = open_memstream (&result, &size) };
  AscDecoder *decoder = malloc (sizeof *decoder);
  asc_decoder_init (decoder, origin, &sink, &dump);
  feed (decoder, bytes, n, pieces);
  flush (&dump);
  if (dump.n_mangled > 0)
    fwrite (dump.mangled, 1, dump.n_mangled, dump.out);
  print_totals (dump.out, asc_decoder_totals (decoder));
  fclose (dump.out);
  free (decoder);
  free (dump.text);
  free (dump.mangled);
  return result;
}
