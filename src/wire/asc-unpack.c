#include "asc-unpack.h"

#include <string.h>

#include "asc-canary.h"
#include "asc-varint.h"

/* The payload is copied before a pad of zeros, so that the hot path can load eight bytes
 * wherever it is and the end is looked at once an event. A varint that runs into the pad
 * ends there, and past the end is where the event is refused. */
#define PAD 16

typedef struct
{
  const uint8_t *p;
  const uint8_t *end;
  const uint8_t *payload;
  uint64_t ticks;
  AscEvent *event;
  AscEventsInfo *info;
  unsigned depth;
  bool refused;
} Reader;

static uint64_t
get (Reader *reader)
{
  uint64_t value = 0;
  const uint8_t *next = asc_varint_get (reader->p, reader->end, &value);
  if (next == NULL)
    reader->refused = true;
  else
    reader->p = next;
  return value;
}

static uint64_t
get_up_to (Reader *reader, uint64_t most)
{
  uint64_t value = get (reader);
  if (value > most)
    reader->refused = true;
  return value;
}

static uint64_t
get_ticks (Reader *reader)
{
  return get_up_to (reader, ASC_TICKS_MASK);
}

static uint32_t
get_slot (Reader *reader)
{
  return (uint32_t)get_up_to (reader, ASC_SLOT_MAX);
}

static uint32_t
get_u32 (Reader *reader)
{
  return (uint32_t)get_up_to (reader, UINT32_MAX);
}

static void
get_task_record (Reader *reader, AscTaskRecord *record)
{
  record->slot = get_slot (reader);
  record->instance = get_u32 (reader);
  record->name = get_slot (reader);
  record->parent_slot = (int32_t)get_up_to (reader, ASC_SLOT_MAX + 1) - 1;
  record->parent_instance = get_u32 (reader);
}

static AscEvent *
put (Reader *reader, AscEventKind kind, uint32_t id, int64_t value)
{
  AscEvent *event = reader->event++;
  event->ticks = reader->ticks;
  event->value = value;
  event->id = id;
  event->late_ms = 0;
  event->kind = (uint8_t)kind;
  event->flags = 0;
  return event;
}

static void
put_enter (Reader *reader, uint32_t slot)
{
  if (reader->depth >= ASC_STACK_MAX)
    {
      reader->refused = true;
      return;
    }
  reader->info->end_stack[reader->depth++] = (uint16_t)slot;
  put (reader, ASC_EVENT_ENTER, slot, 0);
}

static void
put_late_enter (Reader *reader, uint32_t slot)
{
  uint64_t late = get (reader);
  put_enter (reader, slot);
  if (reader->refused)
    return;
  reader->event[-1].late_ms = (uint16_t)(late < UINT16_MAX ? late : UINT16_MAX);
  reader->event[-1].flags = ASC_EVENT_LATE;
}

static void
put_exit (Reader *reader, AscExit how)
{
  if (reader->depth == 0)
    {
      reader->refused = true;
      return;
    }
  put (reader, ASC_EVENT_EXIT, how, reader->info->end_stack[--reader->depth]);
}

/* An event of length: it ends after its duration. */
static void
put_long (Reader *reader, AscEventKind kind, uint32_t id, uint64_t duration)
{
  put (reader, kind, id, (int64_t)duration);
  reader->ticks += duration;
}

/* START, TEXT, DISCONTINUITY and later kinds: n bytes follow. */
static void
unpack_bytes (Reader *reader, unsigned tag)
{
  uint64_t n = get (reader);
  if (reader->refused || n > (uint64_t)(reader->end - reader->p))
    {
      reader->refused = true;
      return;
    }
  size_t at = (size_t)(reader->p - reader->payload);
  Reader inner = *reader;
  inner.end = reader->p + n;
  reader->p = inner.end;
  if (tag == ASC_TAG_START)
    {
      AscTaskRecord record;
      get_task_record (&inner, &record);
      put (reader, ASC_EVENT_START, record.slot, (int64_t)(at << 8 | n));
      reader->info->n_starts++;
    }
  else if (tag == ASC_TAG_TEXT)
    put (reader, ASC_EVENT_TEXT, (uint32_t)n, (int64_t)(at << 8 | n));
  else if (tag == ASC_TAG_DISCONTINUITY)
    {
      uint32_t reason = get_u32 (&inner);
      int64_t jump = asc_unzigzag (get (&inner));
      put (reader, ASC_EVENT_DISCONTINUITY, reason, jump);
      reader->info->ends = 1;
    }
  else
    {
      put (reader, ASC_EVENT_UNKNOWN, tag, 0);
      reader->info->n_unknown++;
    }
  reader->refused |= inner.refused;
}

static void
unpack_two (Reader *reader, unsigned tag)
{
  uint64_t a = get (reader);
  uint64_t b;
  uint64_t most_a = tag == ASC_TAG_IDLE || tag == ASC_TAG_SPAN_BEGIN ? UINT32_MAX
                    : tag == ASC_TAG_LOST                            ? ASC_TICKS_MASK
                                                                     : ASC_SLOT_MAX;
  if (a > most_a)
    {
      reader->refused = true;
      return;
    }
  uint32_t id = (uint32_t)a;
  switch (tag)
    {
    case ASC_TAG_ENTER_LATE:
      put_late_enter (reader, id);
      break;
    case ASC_TAG_IDLE:
      b = get_ticks (reader);
      put_long (reader, ASC_EVENT_IDLE, id, b);
      break;
    case ASC_TAG_SPAN_BEGIN:
      b = get_slot (reader);
      put (reader, ASC_EVENT_SPAN_BEGIN, id, (int64_t)b);
      break;
    case ASC_TAG_MARK_VALUE:
      b = get (reader);
      put (reader, ASC_EVENT_MARK, id, asc_unzigzag (b))->flags = ASC_EVENT_VALUE;
      break;
    case ASC_TAG_COUNTER:
      b = get (reader);
      put (reader, ASC_EVENT_COUNTER, id, asc_unzigzag (b));
      break;
    case ASC_TAG_END:
      b = get_u32 (reader);
      put (reader, ASC_EVENT_END, id, (int64_t)b);
      break;
    case ASC_TAG_LOST:
      b = get_u32 (reader);
      put_long (reader, ASC_EVENT_LOST, (uint32_t)b, a);
      reader->info->n_dropped += (uint32_t)b;
      reader->info->ends = 1;
      break;
    default:
      b = get_slot (reader);
      put (reader, ASC_EVENT_RENAME, id, (int64_t)b);
      break;
    }
}

static void
unpack_one (Reader *reader, unsigned tag)
{
  uint64_t a;
  switch (tag)
    {
    case ASC_TAG_ENTER:
      put_enter (reader, get_slot (reader));
      break;
    case ASC_TAG_SPAN_END:
      put (reader, ASC_EVENT_SPAN_END, get_u32 (reader), 0);
      break;
    case ASC_TAG_LEVEL:
      a = get_up_to (reader, 2u * ASC_SLOT_MAX + 1u);
      put (reader, ASC_EVENT_LEVEL, (uint32_t)(a >> 1), (int64_t)(a & 1u));
      break;
    case ASC_TAG_DRAIN:
      put_long (reader, ASC_EVENT_DRAIN, 0, get_ticks (reader));
      break;
    case ASC_TAG_MARK:
      put (reader, ASC_EVENT_MARK, get_slot (reader), 0);
      break;
    default:
      get (reader);
      put (reader, ASC_EVENT_UNKNOWN, tag, 0);
      reader->info->n_unknown++;
      break;
    }
}

/* The rest of an event whose tag has been read. */
static void
unpack_tagged (Reader *reader, unsigned tag)
{
  if (tag < ASC_TAG_EXIT_RETURN)
    {
      reader->ticks += tag & 0x0F;
      put_long (reader, ASC_EVENT_IDLE, tag >> 4, get_ticks (reader));
      return;
    }
  reader->ticks += get_ticks (reader);
  if (reader->refused)
    return;
  if (tag <= ASC_TAG_EXIT_CANCEL)
    put_exit (reader, (AscExit)(tag - ASC_TAG_EXIT_RETURN + ASC_EXIT_RETURN));
  else if (tag == ASC_TAG_GC_BEGIN)
    put (reader, ASC_EVENT_GC_BEGIN, 0, 0);
  else if (tag == ASC_TAG_GC_END)
    put (reader, ASC_EVENT_GC_END, 0, 0);
  else if (tag < ASC_TAG_ENTER)
    {
      put (reader, ASC_EVENT_UNKNOWN, tag, 0);
      reader->info->n_unknown++;
    }
  else if (tag < ASC_TAG_ENTER_LATE)
    unpack_one (reader, tag);
  else if (tag < ASC_TAG_START)
    unpack_two (reader, tag);
  else if (tag < ASC_TAG_COUNT)
    unpack_bytes (reader, tag);
  else
    reader->refused = true;
}

/* One event of any kind, every byte looked at. */
static void
unpack_any (Reader *reader)
{
  uint64_t w;
  if (reader->depth > 0)
    {
      w = get (reader);
      if (w & 1u)
        {
          if (w >> 1 >= ASC_TAG_COUNT)
            reader->refused = true;
          else
            unpack_tagged (reader, (unsigned)(w >> 1));
          return;
        }
      if (w >> 1 > ASC_TICKS_MASK)
        reader->refused = true;
      reader->ticks += w >> 1;
      put_exit (reader, ASC_EXIT_YIELD);
      return;
    }
  unsigned first = *reader->p++;
  if (first >= ASC_OUT_TAG)
    {
      unpack_tagged (reader, first - ASC_OUT_TAG);
      return;
    }
  w = get (reader);
  if (w >> 1 > ASC_TICKS_MASK)
    reader->refused = true;
  reader->ticks += w >> 1;
  if (w & 1u)
    put_late_enter (reader, first);
  else
    put_enter (reader, first);
}

static inline uint64_t
load (const uint8_t *p)
{
  uint64_t word;
  memcpy (&word, p, sizeof word);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64 (word);
#endif
  return word;
}

/* The index of the lowest bit set, 63 where there is none. */
static inline unsigned
lowest (uint64_t bits)
{
  return (unsigned)__builtin_ctzll (bits | (uint64_t)1 << 63);
}

/* The value of a varint whose `bits` / 8 bytes, at most 4, are the lowest of word. */
static inline uint32_t
squeeze (uint64_t word, unsigned bits)
{
  uint32_t low = (uint32_t)(word & (((uint64_t)1 << bits) - 1));
  return (low & 0x7Fu) | (low & 0x7F00u) >> 1 | (low & 0x7F0000u) >> 2
         | (low & 0x7F000000u) >> 3;
}

/* Runs, one after the other and none within another, and idle time between them: nearly
 * all there is. Stops at anything else, and at what takes more than eight bytes.
 *
 * Both varints of a run are found from one load, by the bytes whose bit 7 is clear: what
 * limits this loop is how soon it knows where the next event begins. */
static void
unpack_runs (Reader *reader)
{
  const uint8_t *p = reader->p;
  const uint8_t *end = reader->end;
  AscEvent *event = reader->event;
  uint64_t ticks = reader->ticks;
  while (p < end)
    {
      uint64_t word = load (p);
      uint64_t stops = ~word & 0x8080808080808000u;
      unsigned first = lowest (stops);
      const uint8_t *next;
      if ((word & 0xE0u) == ASC_OUT_TAG)
        {
          next = p + (first >> 3) + 1;
          if (first >= 40 || next > end)
            break;
          uint32_t duration = squeeze (word >> 8, first - 7);
          ticks += word & 0x0Fu;
          *event++ = (AscEvent){ .ticks = ticks,
                                 .value = duration,
                                 .id = (uint32_t)(word >> 4) & 1u,
                                 .kind = ASC_EVENT_IDLE };
          ticks += duration;
          p = next;
          continue;
        }
      uint64_t rest = stops & (stops - 1);
      unsigned second = lowest (rest);
      uint32_t slot = (uint32_t)word & 0xFFu;
      uint64_t inside = word >> 8 >> (first - 7);
      next = p + (second >> 3) + 1;
      bool plain = ((word >> 8 | inside) & 1u) == 0 && rest != 0;
      if (slot >= ASC_OUT_TAG || !plain || first >= 40 || second - first > 32
          || next > end)
        break;
      ticks += squeeze (word >> 8, first - 7) >> 1;
      event[0] = (AscEvent){ .ticks = ticks, .id = slot, .kind = ASC_EVENT_ENTER };
      ticks += squeeze (inside, second - first) >> 1;
      event[1] = (AscEvent){ .ticks = ticks, .value = slot, .kind = ASC_EVENT_EXIT };
      event += 2;
      p = next;
    }
  reader->p = p;
  reader->event = event;
  reader->ticks = ticks;
}

static bool
unpack_head (Reader *reader, AscEventsInfo *info)
{
  const uint8_t *payload = reader->p;
  if (reader->end - payload < ASC_EVENTS_HEAD || payload[12] > ASC_STACK_MAX)
    return false;
  memset (info, 0, sizeof *info);
  info->base = asc_get_u48 (payload);
  info->count = asc_get_u32 (payload + 6);
  info->starts = asc_get_u16 (payload + 10);
  info->depth = payload[12];
  reader->p = payload + ASC_EVENTS_HEAD;
  reader->depth = info->depth;
  reader->ticks = info->base;
  for (unsigned i = 0; i < info->depth; i++)
    info->stack[i] = info->end_stack[i] = (uint16_t)get_slot (reader);
  return !reader->refused;
}

int
asc_unpack_events (const AscFrame *frame, AscEventsInfo *info, AscEvent *events)
{
  uint8_t padded[ASC_PAYLOAD_MAX + PAD];
  memcpy (padded, frame->payload, frame->length);
  memset (padded + frame->length, 0, PAD);
  Reader reader = { .p = padded,
                    .end = padded + frame->length,
                    .payload = padded,
                    .event = events,
                    .info = info };
  if (!unpack_head (&reader, info))
    return -1;
  while (reader.p < reader.end)
    {
      if (info->ends)
        return -1;
      if (reader.depth == 0)
        {
          unpack_runs (&reader);
          if (reader.p >= reader.end)
            break;
        }
      unpack_any (&reader);
      if (reader.refused)
        return -1;
    }
  if (reader.ticks - info->base > ASC_SPAN_MAX)
    return -1;
  int n = (int)(reader.event - events);
  info->end = reader.ticks;
  info->end_depth = (uint8_t)reader.depth;
  bool lost = n > 0 && events[n - 1].kind == ASC_EVENT_LOST;
  info->n_counted = (uint32_t)n - (lost ? 1u : 0u) + info->n_dropped;
  return n;
}

int
asc_event_start (const AscFrame *frame, const AscEvent *event, AscTaskRecord *record)
{
  size_t at = (size_t)((uint64_t)event->value >> 8);
  size_t n = (uint64_t)event->value & 0xFFu;
  if (event->kind != ASC_EVENT_START || at + n > frame->length)
    return -1;
  Reader reader = { .p = frame->payload + at, .end = frame->payload + at + n };
  get_task_record (&reader, record);
  return reader.refused ? -1 : 0;
}

AscString
asc_event_bytes (const AscFrame *frame, const AscEvent *event)
{
  AscString string = { "", 0 };
  size_t at = (size_t)((uint64_t)event->value >> 8);
  size_t n = (uint64_t)event->value & 0xFFu;
  if (event->kind == ASC_EVENT_TEXT && at + n <= frame->length)
    {
      string.bytes = (const char *)frame->payload + at;
      string.length = (uint8_t)n;
    }
  return string;
}

/* Reads a length byte and its bytes. */
static AscString
get_string (Reader *reader)
{
  AscString string = { "", 0 };
  if (reader->refused || reader->p >= reader->end
      || *reader->p > reader->end - reader->p - 1)
    {
      reader->refused = true;
      return string;
    }
  string.length = *reader->p;
  string.bytes = (const char *)reader->p + 1;
  reader->p += 1 + string.length;
  return string;
}

int
asc_unpack_hello (const AscFrame *frame, AscHello *hello)
{
  const uint8_t *p = frame->payload;
  if (frame->length < 65 || memcmp (p, asc_canary, sizeof asc_canary) != 0)
    return -1;
  *hello = (AscHello){ .version = p[8],
                       .readable_by = p[9],
                       .session_id = asc_get_u32 (p + 10),
                       .tick_hz = asc_get_u32 (p + 14),
                       .tick_step_ns = asc_get_u32 (p + 18),
                       .counter_bits = p[22],
                       .recorder = p[23],
                       .cost_ns = asc_get_u32 (p + 24),
                       .cpu_hz = asc_get_u32 (p + 28),
                       .capabilities = asc_get_u32 (p + 32),
                       .seal_ms = asc_get_u16 (p + 36),
                       .ticks = asc_get_u48 (p + 38),
                       .start_ticks = asc_get_u48 (p + 44),
                       .events = asc_get_u48 (p + 50),
                       .dropped = asc_get_u48 (p + 56) };
  Reader reader = { .p = p + 62, .end = p + frame->length };
  hello->board = get_string (&reader);
  hello->firmware = get_string (&reader);
  hello->program = get_string (&reader);
  return reader.refused || hello->tick_hz == 0 ? -1 : 0;
}

int
asc_unpack_names (const AscFrame *frame, AscName *names)
{
  Reader reader = { .p = frame->payload, .end = frame->payload + frame->length };
  int n = 0;
  while (reader.p < reader.end)
    {
      AscName *name = &names[n++];
      name->id = get_slot (&reader);
      if (reader.refused || name->id == 0 || reader.end - reader.p < 2)
        return -1;
      name->kind = *reader.p++;
      name->flags = *reader.p++;
      name->line = get_u32 (&reader);
      name->code = get_u32 (&reader);
      name->module = get_string (&reader);
      name->function = get_string (&reader);
      name->file = get_string (&reader);
      if (reader.refused)
        return -1;
    }
  return n;
}

int
asc_unpack_tasks (const AscFrame *frame,
                  uint64_t *ticks,
                  uint16_t *starts,
                  AscTaskRecord *records)
{
  const uint8_t *p = frame->payload;
  if (frame->length < 8)
    return -1;
  *ticks = asc_get_u48 (p);
  *starts = asc_get_u16 (p + 6);
  Reader reader = { .p = p + 8, .end = p + frame->length };
  int n = 0;
  while (reader.p < reader.end)
    {
      get_task_record (&reader, &records[n++]);
      if (reader.refused)
        return -1;
    }
  return n;
}
