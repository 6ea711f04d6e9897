/* Random programs against a plain list of what they did: what arrives is that list, but
 * for what a LOST counts. */
#include "asc-test.h"

#include "board.h"

#include <string.h>

#define TASKS_MAX 40

/* What happened, as it should be heard. */
typedef struct
{
  uint64_t ticks;
  int64_t value;
  uint32_t id;
  uint32_t instance;
  uint8_t kind, context;
} Done;

typedef struct
{
  unsigned slot;
  uint32_t instance;
  int running; /* in so many stacks */
  bool alive;
} Task;

typedef struct
{
  Board *board;
  uint32_t random;
  Done *done;
  size_t n_done, room_done;
  Task tasks[TASKS_MAX];
  uint32_t instances;
  struct
  {
    Task *stack[ASC_STACK_MAX];
    unsigned depth;
    bool idle;
    uint64_t idle_from;
    unsigned idle_reason;
  } contexts[BOARD_CONTEXTS];
  bool idles; /* the program idles */
} Twin;

static unsigned
draw (Twin *twin, unsigned below)
{
  return asc_test_random (&twin->random) % below;
}

static void
note (Twin *twin,
      unsigned context,
      unsigned kind,
      uint64_t ticks,
      uint32_t id,
      int64_t value,
      uint32_t instance)
{
  if (twin->n_done == twin->room_done)
    {
      twin->room_done = twin->room_done ? 2 * twin->room_done : 1024;
      twin->done = realloc (twin->done, twin->room_done * sizeof *twin->done);
      assert_non_null (twin->done);
    }
  twin->done[twin->n_done++]
      = (Done){ ticks,    value,         id,
                instance, (uint8_t)kind, twin->board->config.contexts[context] };
}

static Task *
any_task (Twin *twin, bool alive)
{
  for (int i = 0; i < 20; i++)
    {
      Task *task = &twin->tasks[draw (twin, TASKS_MAX)];
      if (task->alive == alive)
        return task;
    }
  return NULL;
}

static void
start_or_end (Twin *twin, unsigned context)
{
  AscRecorder *rec = &twin->board->rec;
  uint64_t now = twin->board->clock;
  Task *task = any_task (twin, draw (twin, 3) == 0);
  if (!task || task->running > 0)
    return;
  if (task->alive)
    {
      asc_recorder_task_end (rec, context, task->slot, ASC_END_OTHER);
      task->alive = false;
      note (twin, context, ASC_EVENT_END, now, task->slot, ASC_END_OTHER, task->instance);
      return;
    }
  task->slot = asc_recorder_task_start (rec, context, 1, ASC_RECORDER_NO_SLOT);
  task->instance = ++twin->instances;
  task->alive = true;
  assert_true (task->slot < BOARD_SLOTS - 1);
  note (twin, context, ASC_EVENT_START, now, task->slot, 0, task->instance);
}

static void
enter_or_exit (Twin *twin, unsigned context)
{
  AscRecorder *rec = &twin->board->rec;
  uint64_t now = twin->board->clock;
  unsigned depth = twin->contexts[context].depth;
  if (depth > 0 && (depth == ASC_STACK_MAX || draw (twin, 4) > 0))
    {
      Task *task = twin->contexts[context].stack[depth - 1];
      unsigned how = draw (twin, 5) == 0 && task->running == 1 ? 1 + draw (twin, 3) : 0;
      asc_recorder_exit (rec, context, (AscExit)how);
      twin->contexts[context].depth--;
      task->running--;
      task->alive = how == ASC_EXIT_YIELD;
      note (twin, context, ASC_EVENT_EXIT, now, how, 0, task->instance);
      return;
    }
  Task *task = any_task (twin, true);
  if (!task)
    return;
  if (draw (twin, 2) == 0)
    asc_recorder_enter (rec, context, task->slot);
  else
    asc_recorder_enter_late (rec, context, task->slot, draw (twin, 9000));
  twin->contexts[context].stack[twin->contexts[context].depth++] = task;
  task->running++;
  note (twin, context, ASC_EVENT_ENTER, now, task->slot, 0, task->instance);
}

static void
idle_or_wake (Twin *twin, unsigned context)
{
  AscRecorder *rec = &twin->board->rec;
  uint64_t now = twin->board->clock;
  if (!twin->idles)
    return;
  if (!twin->contexts[context].idle)
    {
      twin->contexts[context].idle = true;
      twin->contexts[context].idle_from = now;
      twin->contexts[context].idle_reason = draw (twin, 3);
      asc_recorder_idle_begin (rec, context,
                               (AscIdle)twin->contexts[context].idle_reason);
      return;
    }
  asc_recorder_idle_end (rec, context);
  twin->contexts[context].idle = false;
  uint64_t from = twin->contexts[context].idle_from;
  /* Stretches that touch cannot be told from one. */
  for (size_t i = twin->n_done; i-- > 0;)
    if (twin->done[i].context == twin->board->config.contexts[context])
      {
        Done *last = &twin->done[i];
        if (last->kind == ASC_EVENT_IDLE && last->ticks + (uint64_t)last->value == from
            && last->id == twin->contexts[context].idle_reason)
          {
            last->value += (int64_t)(now - from);
            return;
          }
        break;
      }
  if (now > from)
    note (twin, context, ASC_EVENT_IDLE, from, twin->contexts[context].idle_reason,
          (int64_t)(now - from), 0);
}

static void
other (Twin *twin, unsigned context)
{
  AscRecorder *rec = &twin->board->rec;
  uint64_t now = twin->board->clock;
  uint32_t id = draw (twin, 3) == 0 ? draw (twin, 65536) : draw (twin, 60);
  int64_t value
      = (int64_t)((uint64_t)asc_test_random (&twin->random) << draw (twin, 32)) - 1000;
  switch (draw (twin, 7))
    {
    case 0:
      asc_recorder_mark (rec, context, id);
      note (twin, context, ASC_EVENT_MARK, now, id, 0, 0);
      break;
    case 1:
      asc_recorder_mark_value (rec, context, id, value);
      note (twin, context, ASC_EVENT_MARK, now, id, value, 0);
      break;
    case 2:
      asc_recorder_counter (rec, context, id, value);
      note (twin, context, ASC_EVENT_COUNTER, now, id, value, 0);
      break;
    case 3:
      asc_recorder_level (rec, context, id, value & 1);
      note (twin, context, ASC_EVENT_LEVEL, now, id, value & 1, 0);
      break;
    case 4:
      asc_recorder_gc_begin (rec, context);
      note (twin, context, ASC_EVENT_GC_BEGIN, now, 0, 0, 0);
      break;
    case 5:
      value = asc_recorder_span_begin (rec, context, id);
      note (twin, context, ASC_EVENT_SPAN_BEGIN, now, (uint32_t)value, id, 0);
      break;
    default:
      {
        char text[ASC_RECORDER_TEXT_MAX];
        size_t n = draw (twin, sizeof text + 1);
        memset (text, 'a' + (int)(n % 26), sizeof text);
        asc_recorder_text (rec, context, text, n);
        note (twin, context, ASC_EVENT_TEXT, now, 0, (int64_t)n, 0);
      }
    }
}

static void
step (Twin *twin)
{
  unsigned context = draw (twin, twin->board->config.n_contexts);
  twin->board->clock += draw (twin, 20) == 0 ? draw (twin, 20000) : draw (twin, 300);
  if (twin->contexts[context].idle || draw (twin, 8) == 0)
    idle_or_wake (twin, context);
  else if (draw (twin, 8) == 0)
    start_or_end (twin, context);
  else if (draw (twin, 10) == 0)
    other (twin, context);
  else
    enter_or_exit (twin, context);
}

/* Idle pieces that touch are one stretch. */
static void
merge_idle (Board *board)
{
  size_t n = 0;
  for (size_t i = 0; i < board->n_heard; i++)
    {
      Heard *now = &board->heard[i];
      Heard *before = NULL;
      for (size_t k = n; k-- > 0 && !before;)
        if (board->heard[k].context == now->context)
          before = &board->heard[k];
      if (before && now->event.kind == ASC_EVENT_IDLE
          && before->event.kind == ASC_EVENT_IDLE && before->event.id == now->event.id
          && before->event.ticks + (uint64_t)before->event.value == now->event.ticks)
        before->event.value += now->event.value;
      else
        board->heard[n++] = *now;
    }
  board->n_heard = n;
}

static bool
same (const Done *done, const Heard *heard)
{
  if (done->kind != heard->event.kind || done->ticks != heard->event.ticks)
    return false;
  switch (done->kind)
    {
    case ASC_EVENT_START:
      return done->instance == heard->instance && done->id == heard->slot;
    case ASC_EVENT_TEXT:
      return (size_t)done->value == strlen (heard->text);
    case ASC_EVENT_ENTER:
    case ASC_EVENT_END:
    case ASC_EVENT_EXIT:
      return done->id == heard->event.id && done->instance == heard->instance;
    default:
      return done->id == heard->event.id && done->value == heard->event.value;
    }
}

/* Returns how many of the context's events were not heard, and checks that all others
 * were, in order, and nothing else. */
static size_t
compare (const Twin *twin, uint8_t context)
{
  const Board *board = twin->board;
  size_t missing = 0, k = 0;
  for (size_t i = 0; i < board->n_heard; i++)
    {
      const Heard *heard = &board->heard[i];
      if (heard->context != context || heard->event.kind == ASC_EVENT_LOST)
        continue;
      for (; k < twin->n_done; k++)
        {
          if (twin->done[k].context != context)
            continue;
          if (same (&twin->done[k], heard))
            break;
          missing++;
        }
      if (k == twin->n_done)
        printf ("# heard kind %u at %llu, which was not done\n", heard->event.kind,
                (unsigned long long)heard->event.ticks);
      assert_true (k < twin->n_done);
      k++;
    }
  for (; k < twin->n_done; k++)
    missing += twin->done[k].context == context;
  return missing;
}

typedef struct
{
  uint32_t ring;
  unsigned contexts;
  size_t most; /* bytes that the port takes at a time */
  unsigned drain_every;
  bool idles;
  bool whole;
  uint8_t bits;
} Case;

static void
run_case (const Case *how, uint32_t seed)
{
  Board *board = board_new (how->ring);
  Twin twin = { .board = board, .random = seed, .idles = how->idles };
  static const uint8_t contexts[BOARD_CONTEXTS]
      = { 0, ASC_CONTEXT (1, 0, 0), ASC_CONTEXT (2, 1, 0), ASC_CONTEXT (0, 1, 0) };
  memcpy (board->config.contexts, contexts, sizeof contexts);
  board->config.n_contexts = (uint8_t)how->contexts;
  board->config.counter_bits = how->bits;
  board->config.whole_frames = how->whole;
  board->config.room = how->whole ? board_room : NULL;
  board->most = how->most;
  board->clock = ((uint64_t)1 << (how->bits ? how->bits : 32)) - 300000;
  board_start (board);
  asc_recorder_define (&board->rec, ASC_NAME_TASK, "m", "f");
  for (unsigned i = 0; i < 6000; i++)
    {
      step (&twin);
      if (draw (&twin, how->drain_every) == 0)
        {
          if (how->whole)
            board->room = draw (&twin, 1200);
          asc_recorder_drain (&board->rec, board_write, board,
                              draw (&twin, 4) == 0 ? draw (&twin, 600) : SIZE_MAX);
        }
    }
  for (unsigned c = 0; c < how->contexts; c++)
    if (twin.contexts[c].idle)
      idle_or_wake (&twin, c);
  board->room = SIZE_MAX;
  board_flush (board);
  while (!asc_recorder_stop (&board->rec, board_write, board))
    ;
  merge_idle (board);
  board_assert_clean (board);
  assert_int_equal (board->too_old, 0);
  size_t missing = 0;
  for (unsigned c = 0; c < how->contexts; c++)
    missing += compare (&twin, contexts[c]);
  assert_int_equal (missing, asc_decoder_totals (&board->decoder)->dropped_events);
  assert_int_equal (board->hello.dropped, missing);
  if (how->ring == BOARD_RING)
    assert_int_equal (missing, 0);
  free (twin.done);
  board_free (board);
}

static void
nothing_is_lost_in_a_large_ring (void **state)
{
  static const Case cases[] = {
    { BOARD_RING, 1, SIZE_MAX, 10, true, false, 0 },
    { BOARD_RING, 4, SIZE_MAX, 10, true, false, 30 },
    { BOARD_RING, 4, 7, 3, true, false, 32 },
    { BOARD_RING, 3, SIZE_MAX, 400, true, false, 0 },
    { BOARD_RING, 3, SIZE_MAX, 5, true, true, 0 },
    { BOARD_RING, 2, 1, 2, true, false, 30 },
  };
  (void)state;
  uint32_t seed = asc_test_seed ();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned round = 0; round < 8; round++)
      run_case (&cases[i], seed + 1000 * round);
}

static void
losses_are_exact_in_a_small_one (void **state)
{
  static const Case cases[] = {
    { 64, 1, SIZE_MAX, 20, false, false, 0 }, { 256, 4, SIZE_MAX, 100, false, false, 30 },
    { 128, 3, 11, 3, false, false, 0 },       { 1024, 2, SIZE_MAX, 300, false, true, 0 },
    { 512, 4, 100, 30, false, false, 0 },
  };
  (void)state;
  uint32_t seed = asc_test_seed ();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned round = 0; round < 8; round++)
      run_case (&cases[i], seed + 77 * round);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (nothing_is_lost_in_a_large_ring),
  cmocka_unit_test (losses_are_exact_in_a_small_one),
};

ASC_TEST_MAIN (tests)
