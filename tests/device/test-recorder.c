/* The recorder against the host's decoder: kinds, clock, losses, slots. */
#include "asc-test.h"

#include "board.h"

#include <string.h>

static void
every_kind (void **state)
{
  (void)state;
  Board *board = board_new (256);
  AscRecorder *rec = &board->rec;
  board_start (board);
  unsigned poll = asc_recorder_define (rec, ASC_NAME_TASK, "sensor", "poll");
  unsigned other = asc_recorder_define (rec, ASC_NAME_TASK, "sensor", "other");
  assert_int_equal (poll, 1);
  uint64_t t = board->clock = 5000;
  unsigned a = asc_recorder_task_start (rec, 0, poll, ASC_RECORDER_NO_SLOT);
  board->clock += 3;
  unsigned b = asc_recorder_task_start (rec, 0, poll, a);
  unsigned c = asc_recorder_task_start (rec, 0, poll, a);
  assert_int_equal (a, 0);
  assert_int_equal (c, 2);
  assert_int_equal (asc_recorder_instance (rec, c), 3);
  board->clock += 7;
  asc_recorder_enter (rec, 0, a);
  board->clock += 100;
  asc_recorder_enter_late (rec, 0, b, 0);
  board->clock += 1;
  asc_recorder_exit (rec, 0, ASC_EXIT_RETURN);
  asc_recorder_gc_begin (rec, 0);
  board->clock += 2000;
  asc_recorder_gc_end (rec, 0);
  uint32_t span = asc_recorder_span_begin (rec, 0, 33);
  asc_recorder_mark (rec, 0, 12);
  asc_recorder_mark_value (rec, 0, 12, -5000000000);
  asc_recorder_level (rec, 0, 300, true);
  asc_recorder_level (rec, 0, 300, false);
  asc_recorder_counter (rec, 0, 77, 123456);
  asc_recorder_text (rec, 0, "gr\xC3\xBC\xC3\x9F", 6);
  asc_recorder_span_end (rec, 0, span);
  asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  asc_recorder_task_end (rec, 0, c, ASC_END_CANCELLED);
  asc_recorder_rename (rec, 0, a, other);
  asc_recorder_idle_begin (rec, 0, ASC_IDLE_IO);
  board->clock += 123;
  asc_recorder_idle_end (rec, 0);
  asc_recorder_enter_late (rec, 0, a, 70000);
  asc_recorder_exit (rec, 0, ASC_EXIT_RAISE);
  board_flush (board);

  const Heard *h = board_heard (board, 0, ASC_EVENT_START, t, a, 0);
  assert_int_equal (h->instance, 1);
  board_heard (board, 1, ASC_EVENT_START, t + 3, b, 0);
  assert_int_equal (board->tasks[b].parent_instance, 1);
  assert_int_equal (board->tasks[b].parent_slot, a);
  board_heard (board, 3, ASC_EVENT_ENTER, t + 10, a, 0);
  h = board_heard (board, 4, ASC_EVENT_ENTER, t + 110, b, 0);
  assert_true (h->event.flags & ASC_EVENT_LATE);
  assert_int_equal (h->event.late_ms, 0);
  assert_false (board->heard[3].event.flags & ASC_EVENT_LATE);
  board_heard (board, 5, ASC_EVENT_EXIT, t + 111, ASC_EXIT_RETURN, 0);
  board_heard (board, 6, ASC_EVENT_GC_BEGIN, t + 111, 0, 0);
  board_heard (board, 7, ASC_EVENT_GC_END, t + 2111, 0, 0);
  board_heard (board, 8, ASC_EVENT_SPAN_BEGIN, t + 2111, span, 33);
  board_heard (board, 9, ASC_EVENT_MARK, t + 2111, 12, 0);
  board_heard (board, 10, ASC_EVENT_MARK, t + 2111, 12, -5000000000);
  board_heard (board, 11, ASC_EVENT_LEVEL, t + 2111, 300, 1);
  board_heard (board, 12, ASC_EVENT_LEVEL, t + 2111, 300, 0);
  board_heard (board, 13, ASC_EVENT_COUNTER, t + 2111, 77, 123456);
  h = board_heard (board, 14, ASC_EVENT_TEXT, t + 2111, 6, 0);
  assert_string_equal (h->text, "gr\xC3\xBC\xC3\x9F");
  board_heard (board, 15, ASC_EVENT_SPAN_END, t + 2111, span, 0);
  board_heard (board, 16, ASC_EVENT_EXIT, t + 2111, ASC_EXIT_YIELD, 0);
  board_heard (board, 17, ASC_EVENT_END, t + 2111, c, ASC_END_CANCELLED);
  board_heard (board, 18, ASC_EVENT_RENAME, t + 2111, a, other);
  board_heard (board, 19, ASC_EVENT_IDLE, t + 2111, ASC_IDLE_IO, 123);
  h = board_heard (board, 20, ASC_EVENT_ENTER, t + 2234, a, 0);
  assert_int_equal (h->event.late_ms, 65535);
  board_heard (board, 21, ASC_EVENT_EXIT, t + 2234, ASC_EXIT_RAISE, 0);
  assert_int_equal (board->n_heard, 22);
  assert_string_equal (board->names_heard[poll], "poll");
  board_assert_clean (board);
  board_free (board);
}

/* Records of hooks, exactly counted when the ring is full. */
static void
full_ring (void **state)
{
  (void)state;
  Board *board = board_new (64);
  AscRecorder *rec = &board->rec;
  board_start (board);
  board_flush (board);
  board->clock = 2000;
  unsigned a = asc_recorder_task_start (rec, 0, 0, ASC_RECORDER_NO_SLOT); /* 5 words */
  for (int i = 0; i < 29; i++) /* 58 more: one word is left */
    asc_recorder_mark (rec, 0, 1);
  board->clock = 3000;
  asc_recorder_enter (rec, 0, a); /* dropped, as all that follows */
  unsigned b = asc_recorder_task_start (rec, 0, 0, a);
  asc_recorder_enter (rec, 0, b);
  board->clock = 3456;
  asc_recorder_mark (rec, 0, 1);
  board_flush (board);
  asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  board->clock = 3500;
  asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  board_flush (board);
  assert_int_equal (board->n_heard, 33);
  board_heard (board, 30, ASC_EVENT_LOST, 3000, 4, 456);
  /* TASKS came at once: both runs are told, and whose they are. */
  const Heard *h = board_heard (board, 31, ASC_EVENT_EXIT, 3456, ASC_EXIT_YIELD, 0);
  assert_int_equal (h->slot, b);
  assert_int_equal (h->instance, 2);
  h = board_heard (board, 32, ASC_EVENT_EXIT, 3500, ASC_EXIT_YIELD, 0);
  assert_int_equal (h->slot, a);
  assert_int_equal (h->instance, 1);
  board_assert_clean (board);
  assert_int_equal (asc_decoder_totals (&board->decoder)->dropped_events, 4);
  while (!asc_recorder_stop (rec, board_write, board))
    ;
  assert_int_equal (board->hello.dropped, 4);
  assert_int_equal (board->hello.events, 36);
  board_free (board);
}

/* An idle stretch that a loss cuts. */
static void
idle_and_loss (void **state)
{
  (void)state;
  Board *board = board_new (64);
  AscRecorder *rec = &board->rec;
  board_start (board);
  board->clock = 10000;
  for (int i = 0; i < 31; i++)
    asc_recorder_mark (rec, 0, 1);
  asc_recorder_idle_begin (rec, 0, ASC_IDLE_TIMER);
  board->clock = 20000;
  asc_recorder_idle_end (rec, 0); /* dropped: counts, for its begin was kept */
  asc_recorder_idle_begin (rec, 0, ASC_IDLE_TIMER);
  board->clock = 30000;
  asc_recorder_idle_end (rec, 0); /* one event, not two */
  asc_recorder_idle_begin (rec, 0, ASC_IDLE_TIMER);
  board->clock = 40000;
  board_flush (board); /* the loss ends in an idle stretch */
  board->clock = 50000;
  asc_recorder_idle_end (rec, 0);
  board_flush (board);
  board_heard (board, 31, ASC_EVENT_IDLE, 10000, ASC_IDLE_TIMER, 10000);
  board_heard (board, 32, ASC_EVENT_LOST, 20000, 3, 20000);
  board_heard (board, 33, ASC_EVENT_IDLE, 40000, ASC_IDLE_TIMER, 10000);
  assert_int_equal (board->n_heard, 34);
  board_assert_clean (board);
  board_free (board);
}

/* A counter of any width goes round and round. */
static void
wraps (void **state)
{
  static const uint8_t widths[] = { 24, 30, 32 };
  (void)state;
  for (size_t w = 0; w < sizeof widths; w++)
    {
      Board *board = board_new (256);
      AscRecorder *rec = &board->rec;
      uint64_t period = (uint64_t)1 << widths[w];
      board->config.counter_bits = widths[w];
      board->clock = period - 1000;
      board_start (board);
      size_t n = 0;
      for (int i = 0; i < 41; i++)
        {
          uint64_t t = board->clock;
          asc_recorder_mark (rec, 0, 1);
          board->clock += period / 8; /* older than the newest that the drain sees */
          board_drain (board);
          board_flush (board);
          assert_int_equal (board->n_heard, ++n);
          board_heard (board, n - 1, ASC_EVENT_MARK, t, 1, 0);
          board->clock += period / 8;
        }
      assert_true (board->newest > 10 * period);
      board_assert_clean (board);
      assert_int_equal (board->hello.counter_bits, widths[w]);
      board_free (board);
    }
}

/* A small step back is one, and never a wrap. */
static void
steps_back (void **state)
{
  (void)state;
  Board *board = board_new (256);
  AscRecorder *rec = &board->rec;
  board->config.n_contexts = 2;
  board->config.contexts[1] = ASC_CONTEXT (ASC_CONTEXT_THREAD, 1, 0);
  board->config.counter_bits = 30;
  board->clock = 500000;
  board_start (board);
  unsigned a = asc_recorder_task_start (rec, 0, 0, ASC_RECORDER_NO_SLOT);
  asc_recorder_enter (rec, 0, a);
  asc_recorder_mark (rec, 1, 2);
  board_drain (board);
  board->clock = 499000;
  asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  asc_recorder_mark (rec, 1, 3);
  board->clock = 499500;
  asc_recorder_idle_begin (rec, 0, ASC_IDLE_TIMER);
  board->clock = 499200;
  asc_recorder_idle_end (rec, 0);
  asc_recorder_mark (rec, 0, 4);
  board_flush (board);
  unsigned jumps = 0, marks = 0;
  for (size_t i = 0; i < board->n_heard; i++)
    {
      const AscEvent *event = &board->heard[i].event;
      jumps += event->kind == ASC_EVENT_DISCONTINUITY && event->id == ASC_JUMP_BACK;
      if (event->kind == ASC_EVENT_DISCONTINUITY)
        assert_true (event->value == -1000 || event->value == -300);
      if (event->kind == ASC_EVENT_EXIT
          || (event->kind == ASC_EVENT_MARK && event->id == 3))
        assert_int_equal (event->ticks, 499000);
      if (event->kind == ASC_EVENT_MARK && event->id == 4)
        assert_int_equal (event->ticks, 499200);
      marks += event->kind == ASC_EVENT_MARK;
    }
  assert_int_equal (jumps, 3);
  assert_int_equal (marks, 3);
  assert_int_equal (board->skipped, 0);
  assert_int_equal (board->gaps, 0);
  assert_int_equal (board->stack_differs, 0);
  board_free (board);
}

/* A light sleep that stopped the counter: the session's clock goes on by what it missed.
 */
static void
jumps (void **state)
{
  (void)state;
  Board *board = board_new (256);
  AscRecorder *rec = &board->rec;
  board->clock = 1000;
  board_start (board);
  unsigned a = asc_recorder_task_start (rec, 0, 0, ASC_RECORDER_NO_SLOT);
  asc_recorder_enter (rec, 0, a);
  board->clock = 1100;
  asc_recorder_discontinuity (rec, 0, ASC_JUMP_STOOD_STILL, 7000000000);
  board->clock = 1150;
  asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  asc_recorder_discontinuity (rec, 0, ASC_JUMP_SILENCE, 0);
  asc_recorder_mark (rec, 0, 5);
  board_flush (board);
  board_heard (board, 2, ASC_EVENT_DISCONTINUITY, 1100, ASC_JUMP_STOOD_STILL, 7000000000);
  const Heard *h = board_heard (board, 3, ASC_EVENT_EXIT, 7000001150, ASC_EXIT_YIELD, 0);
  assert_int_equal (h->instance, 1);
  board_heard (board, 4, ASC_EVENT_DISCONTINUITY, 7000001150, ASC_JUMP_SILENCE, 0);
  board_heard (board, 5, ASC_EVENT_MARK, 7000001150, 5, 0);
  assert_int_equal (board->hello.ticks, 1000);
  board_assert_clean (board);
  board_free (board);
}

/* The ten-thousandth task costs no more than the first: slots stay small. */
static void
short_tasks (void **state)
{
  (void)state;
  Board *board = board_new (512);
  AscRecorder *rec = &board->rec;
  board_start (board);
  unsigned highest = 0;
  for (unsigned i = 0; i < 10000; i++)
    {
      unsigned slot = asc_recorder_task_start (rec, 0, 1, ASC_RECORDER_NO_SLOT);
      highest = slot > highest ? slot : highest;
      board->clock += 10;
      if (i % 3 == 0)
        asc_recorder_task_end (rec, 0, slot, ASC_END_NEVER_STARTED);
      else
        {
          asc_recorder_enter (rec, 0, slot);
          board->clock += 10;
          asc_recorder_exit (rec, 0, i % 3 == 1 ? ASC_EXIT_RETURN : ASC_EXIT_CANCEL);
        }
      if (i % 5 == 4)
        board_drain (board);
    }
  board_flush (board);
  printf ("# highest slot %u\n", highest);
  assert_true (highest < 5);
  unsigned starts = 0;
  for (size_t i = 0; i < board->n_heard; i++)
    if (board->heard[i].event.kind == ASC_EVENT_START)
      assert_int_equal (board->heard[i].instance, ++starts);
    else
      assert_int_equal (board->heard[i].instance, starts);
  assert_int_equal (starts, 10000);
  board_assert_clean (board);
  board_free (board);
}

/* Tasks that find no slot share the last one, which never ends. */
static void
full_tables (void **state)
{
  (void)state;
  Board *board = board_new (1024);
  AscRecorder *rec = &board->rec;
  board->config.n_slots = 4;
  board->config.n_names = 2;
  board_start (board);
  assert_int_equal (asc_recorder_define (rec, ASC_NAME_TASK, "m", "one"), 1);
  assert_int_equal (asc_recorder_define (rec, ASC_NAME_TASK, "m", "two"), 2);
  assert_int_equal (asc_recorder_define (rec, ASC_NAME_TASK, "m", "three"), 0);
  for (unsigned i = 0; i < 8; i++)
    {
      unsigned slot = asc_recorder_task_start (rec, 0, 1, ASC_RECORDER_NO_SLOT);
      assert_int_equal (slot, i < 3 ? i : 3);
    }
  asc_recorder_enter (rec, 0, 3);
  board->clock += 10;
  asc_recorder_exit (rec, 0, ASC_EXIT_RETURN); /* shown as yield */
  asc_recorder_task_end (rec, 0, 3, ASC_END_OTHER);
  asc_recorder_enter (rec, 0, 1);
  asc_recorder_exit (rec, 0, ASC_EXIT_RETURN);
  board_flush (board);
  assert_int_equal (asc_recorder_task_start (rec, 0, 1, 0), 1);
  board_flush (board);
  assert_int_equal (board->n_heard, 4 + 4 + 1);
  assert_int_equal (board->heard[3].instance, 4);
  const Heard *h = board_heard (board, 5, ASC_EVENT_EXIT, 1010, ASC_EXIT_YIELD, 0);
  assert_int_equal (h->instance, 4);
  assert_int_equal (board->heard[8].instance, 5);
  board_assert_clean (board);
  board_free (board);
}

/* Deeper than the protocol can tell: the eighth run stands for those in it. */
static void
deep_stack (void **state)
{
  (void)state;
  Board *board = board_new (256);
  AscRecorder *rec = &board->rec;
  board_start (board);
  for (unsigned i = 0; i < 11; i++)
    {
      asc_recorder_task_start (rec, 0, 1, ASC_RECORDER_NO_SLOT);
      asc_recorder_enter (rec, 0, i);
    }
  board_flush (board);
  for (unsigned i = 0; i < 11; i++)
    asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  board_flush (board);
  assert_int_equal (board->n_heard, 11 + 16);
  board_assert_clean (board);
  asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
  assert_int_equal (rec->misuse, 1);
  board_flush (board);
  assert_int_equal (board->n_heard, 11 + 16);
  board_free (board);
}

static void
sessions (void **state)
{
  (void)state;
  Board *board = board_new (256);
  AscRecorder *rec = &board->rec;
  board->config.board = "Test board";
  board_start (board);
  unsigned name = asc_recorder_define (rec, ASC_NAME_TASK, "m", "f");
  asc_recorder_task_start (rec, 0, name, ASC_RECORDER_NO_SLOT);
  while (!asc_recorder_stop (rec, board_write, board))
    ;
  assert_int_equal (board->n_heard, 1);
  assert_int_equal (board->hello.events, 1);
  asc_recorder_mark (rec, 0, 1);
  board_drain (board);
  board_flush (board);
  assert_int_equal (board->n_heard, 1);
  board->clock += 5000000;
  asc_recorder_start (rec, 0x99999978); /* the same low byte */
  assert_int_equal (asc_recorder_task_start (rec, 0, name, ASC_RECORDER_NO_SLOT), 0);
  memset (board->names_heard, 0, sizeof board->names_heard);
  board_flush (board);
  assert_int_equal (board->n_sessions, 2);
  assert_int_equal (board->hello.session_id, 0x99999979);
  assert_int_equal (board->hello.start_ticks, 5001000);
  assert_string_equal (board->names_heard[name], "f");
  board_heard (board, 1, ASC_EVENT_START, 5001000, 0, 0);
  assert_int_equal (board->heard[1].instance, 1);
  board_assert_clean (board);
  board_free (board);
}

static void
bad_configurations (void **state)
{
  (void)state;
  Board *board = board_new (256);
  AscRecorderConfig good = board->config, bad;
  assert_int_equal (asc_recorder_init (&board->rec, &good), 0);
#define REFUSED(field, value)                                                            \
  bad = good;                                                                            \
  bad.field = value;                                                                     \
  assert_int_equal (asc_recorder_init (&board->rec, &bad), -1)
  REFUSED (ring, NULL);
  REFUSED (ring_words, 32);
  REFUSED (ring_words, 100);
  REFUSED (slots, NULL);
  REFUSED (n_slots, 1);
  REFUSED (n_slots, 5000);
  REFUSED (names, NULL);
  REFUSED (n_contexts, 0);
  REFUSED (n_contexts, 9);
  REFUSED (counter_bits, 33);
  REFUSED (tick_hz, 0);
  board_free (board);
}

static void
load_without_a_host (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  AscRecorder *rec = &board->rec;
  AscRecorderLoad load;
  board_start (board);
  asc_recorder_load (rec, &load);
  assert_int_equal (load.window_ticks, 0);
  for (unsigned i = 0; i < 300; i++) /* 10 ms: 3 busy, but 8 in the second second */
    {
      unsigned busy = i >= 100 && i < 200 ? 8000 : 3000;
      board->clock += busy;
      asc_recorder_idle_begin (rec, 0, ASC_IDLE_TIMER);
      board->clock += 10000 - busy;
      asc_recorder_idle_end (rec, 0);
    }
  asc_recorder_load (rec, &load);
  assert_int_equal (load.window_ticks, 1000000);
  assert_int_equal (load.busy_ticks, 300000);
  assert_int_equal (load.worst_window_ticks, 1000000);
  assert_int_equal (load.worst_busy_ticks, 800000);

  /* From here on the loop never idles. */
  board->clock += 900000;
  asc_recorder_load (rec, &load);
  assert_int_equal (load.busy_ticks, 300000);
  board->clock += 100000;
  asc_recorder_load (rec, &load);
  assert_int_equal (load.window_ticks, 1000000);
  assert_int_equal (load.busy_ticks, 1000000);
  assert_int_equal (load.worst_busy_ticks, 1000000);
  board_free (board);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (every_kind),         cmocka_unit_test (full_ring),
  cmocka_unit_test (idle_and_loss),      cmocka_unit_test (wraps),
  cmocka_unit_test (steps_back),         cmocka_unit_test (jumps),
  cmocka_unit_test (short_tasks),        cmocka_unit_test (full_tables),
  cmocka_unit_test (deep_stack),         cmocka_unit_test (sessions),
  cmocka_unit_test (bad_configurations), cmocka_unit_test (load_without_a_host),
};

ASC_TEST_MAIN (tests)
