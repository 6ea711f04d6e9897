#include "board.h"

#include "asc-test.h"

#include <string.h>

static uint32_t
clock_of (void *user)
{
  const Board *board = user;
  return (uint32_t)board->clock;
}

/* The host's side. */

static Heard *
hear (Board *board)
{
  if (board->n_heard == board->room_heard)
    {
      board->room_heard = board->room_heard ? 2 * board->room_heard : 256;
      board->heard = realloc (board->heard, board->room_heard * sizeof *board->heard);
      assert_non_null (board->heard);
    }
  Heard *heard = &board->heard[board->n_heard++];
  memset (heard, 0, sizeof *heard);
  return heard;
}

static void
learn (Board *board, const AscTaskRecord *record)
{
  assert_true (record->slot < BOARD_SLOTS);
  board->tasks[record->slot] = *record;
}

static void
on_event (Board *board, const AscFrame *frame, const AscEvent *event)
{
  Heard *heard = hear (board);
  uint8_t *depth = &board->depth[frame->context];
  uint16_t *stack = board->stack[frame->context];
  heard->event = *event;
  heard->context = frame->context;
  switch ((int)event->kind)
    {
    case ASC_EVENT_START:
      {
        AscTaskRecord record;
        assert_true (asc_event_start (frame, event, &record) >= 0);
        learn (board, &record);
        heard->slot = record.slot;
        heard->instance = record.instance;
      }
      break;
    case ASC_EVENT_ENTER:
      heard->slot = event->id;
      heard->instance = board->tasks[event->id].instance;
      assert_true (*depth < ASC_STACK_MAX);
      stack[(*depth)++] = (uint16_t)event->id;
      break;
    case ASC_EVENT_EXIT:
      assert_true (*depth > 0);
      heard->slot = stack[--*depth];
      heard->instance = board->tasks[heard->slot].instance;
      if (event->id != ASC_EXIT_YIELD)
        board->tasks[heard->slot].instance = 0;
      break;
    case ASC_EVENT_END:
      heard->slot = event->id;
      heard->instance = board->tasks[event->id].instance;
      board->tasks[event->id].instance = 0;
      break;
    case ASC_EVENT_LOST: /* STARTs too, maybe: TASKS follow at once */
      memset (board->tasks, 0, sizeof board->tasks);
      break;
    case ASC_EVENT_TEXT:
      {
        AscString text = asc_event_bytes (frame, event);
        assert_true (text.length < sizeof heard->text);
        memcpy (heard->text, text.bytes, text.length);
      }
      break;
    default:
      break;
    }
}

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  Board *board = user;
  uint64_t age = board->hello.seal_ms * (uint64_t)board->config.tick_hz / 1000;
  board->n_frames++;
  board->stack_differs += batch->stack_differs;
  if (!batch->slots_known)
    memset (board->tasks, 0, sizeof board->tasks);
  board->depth[frame->context] = batch->info.depth;
  memcpy (board->stack[frame->context], batch->info.stack, sizeof board->stack[0]);
  for (size_t i = 0; i < n; i++)
    {
      if (events[i].ticks + age < board->newest)
        board->too_old++;
      on_event (board, frame, &events[i]);
    }
  if (batch->info.end > board->newest)
    board->newest = batch->info.end;
}

static void
on_tasks (void *user,
          const AscFrame *frame,
          uint64_t ticks,
          const AscTaskRecord *records,
          size_t n)
{
  Board *board = user;
  (void)frame;
  (void)ticks;
  board->n_task_frames++;
  board->n_tasks_records += (unsigned)n;
  for (size_t i = 0; i < n; i++)
    {
      const AscTaskRecord *known = &board->tasks[records[i].slot];
      /* It never tells of another task than the host knows, if it knows one. */
      if (known->instance != 0)
        assert_int_equal (known->instance, records[i].instance);
      learn (board, &records[i]);
    }
}

static void
on_names (void *user, const AscFrame *frame, const AscName *names, size_t n)
{
  Board *board = user;
  (void)frame;
  board->n_names_records += (unsigned)n;
  for (size_t i = 0; i < n; i++)
    snprintf (board->names_heard[names[i].id], sizeof board->names_heard[0], "%.*s",
              names[i].function.length, names[i].function.bytes);
}

static void
on_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  Board *board = user;
  (void)frame;
  board->hello = *hello;
  board->n_hellos++;
}

static void
on_session (void *user, const AscDecoderSession *session)
{
  Board *board = user;
  if (session->index < board->n_sessions)
    return;
  board->n_sessions++;
  board->newest = 0;
  memset (board->tasks, 0, sizeof board->tasks);
}

static void
on_gap (void *user, const AscGap *gap)
{
  Board *board = user;
  (void)gap;
  board->gaps++;
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  Board *board = user;
  (void)why;
  (void)offset;
  board->skipped += n;
}

/* The board's side. */

Board *
board_new (uint32_t ring_words)
{
  static const AscDecoderSink sink = { .session = on_session,
                                       .hello = on_hello,
                                       .names = on_names,
                                       .tasks = on_tasks,
                                       .events = on_events,
                                       .gap = on_gap,
                                       .skip = on_skip };
  Board *board = calloc (1, sizeof *board);
  assert_non_null (board);
  board->clock = 1000;
  board->most = board->room = SIZE_MAX;
  board->config.ring = board->ring;
  board->config.ring_words = ring_words;
  board->config.slots = board->slots;
  board->config.n_slots = BOARD_SLOTS;
  board->config.names = board->names;
  board->config.n_names = BOARD_NAMES - 1;
  board->config.n_contexts = 1;
  board->config.recorder = ASC_RECORDER_C;
  board->config.tick_hz = 1000000;
  board->config.ticks = clock_of;
  board->config.ticks_user = board;
  asc_decoder_init (&board->decoder, ASC_FROM_WIRE, &sink, board);
  return board;
}

void
board_start (Board *board)
{
  assert_int_equal (asc_recorder_init (&board->rec, &board->config), 0);
  asc_recorder_start (&board->rec, 0x12345678);
}

void
board_free (Board *board)
{
  free (board->stream);
  free (board->heard);
  free (board);
}

size_t
board_write (void *user, const uint8_t *bytes, size_t n)
{
  Board *board = user;
  size_t taken = n;
  board->n_writes++;
  board->wrong_size |= n % 64 == 0;
  if (n > board->largest)
    board->largest = n;
  if (taken > board->most)
    taken = board->most;
  if (taken > board->room)
    taken = board->room;
  if (board->room != SIZE_MAX)
    board->room -= taken;
  board->stream = realloc (board->stream, board->n_bytes + taken + 1);
  assert_non_null (board->stream);
  memcpy (board->stream + board->n_bytes, bytes, taken);
  board->n_bytes += taken;
  asc_decoder_feed (&board->decoder, bytes, taken);
  return taken;
}

size_t
board_room (void *user)
{
  const Board *board = user;
  return board->room;
}

void
board_drain (Board *board)
{
  asc_recorder_drain (&board->rec, board_write, board, SIZE_MAX);
}

void
board_flush (Board *board)
{
  for (int i = 0; i < 100000; i++)
    if (asc_recorder_flush (&board->rec, board_write, board))
      return;
  fail ();
}

void
board_assert_clean (const Board *board)
{
  assert_int_equal (board->gaps, 0);
  assert_int_equal (board->skipped, 0);
  assert_int_equal (board->stack_differs, 0);
  assert_int_equal (board->rec.misuse, 0);
  assert_false (board->wrong_size);
}

const Heard *
board_heard (const Board *board,
             size_t i,
             unsigned kind,
             uint64_t ticks,
             uint32_t id,
             int64_t value)
{
  assert_true (i < board->n_heard);
  const Heard *heard = &board->heard[i];
  assert_int_equal (heard->event.kind, kind);
  assert_int_equal (heard->event.ticks, ticks);
  assert_int_equal (heard->event.id, id);
  if (kind != ASC_EVENT_EXIT && kind != ASC_EVENT_START && kind != ASC_EVENT_TEXT)
    assert_int_equal (heard->event.value, value);
  return heard;
}
