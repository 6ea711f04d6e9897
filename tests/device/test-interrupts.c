/* Interrupts between any two steps of hooks and drain. */
#include "asc-test.h"

#include "board.h"

#include <string.h>

static Board *the_board;
static bool inside; /* a critical section */
static bool interrupted;
static uint32_t state_of_random;
static unsigned per_mille;
static unsigned n_levels, n_runs;

void
interrupt_port_enter (void)
{
  assert_false (inside);
  inside = true;
}

void
interrupt_port_exit (void *user)
{
  AscRecorder *rec = user;
  assert_true (inside);
  inside = false;
  if (interrupted || !the_board || asc_test_random (&state_of_random) % 1000 >= per_mille)
    return;
  interrupted = true;
  the_board->clock += 3;
  asc_recorder_enter (rec, 1, 0);
  asc_recorder_level (rec, 1, n_levels++ & 0xFFFF, true);
  asc_recorder_text (rec, 1, "interrupted", 11);
  asc_recorder_exit (rec, 1, ASC_EXIT_YIELD);
  n_runs++;
  interrupted = false;
}

static void
run (uint32_t ring, unsigned rate, unsigned drain_every)
{
  Board *board = board_new (ring);
  unsigned n_texts = 0, texts = 0, levels = 0, lost = 0;
  board->config.n_contexts = 2;
  board->config.contexts[1] = ASC_CONTEXT (ASC_CONTEXT_INTERRUPT, 0, 0);
  n_levels = n_runs = 0;
  per_mille = rate;
  board_start (board);
  unsigned slot = asc_recorder_task_start (&board->rec, 0, 1, ASC_RECORDER_NO_SLOT);
  the_board = board;
  for (unsigned i = 0; i < 4000; i++)
    {
      char text[64];
      int n = snprintf (text, sizeof text, "text %u of the loop", i);
      board->clock += 50;
      asc_recorder_enter (&board->rec, 0, slot);
      asc_recorder_text (&board->rec, 0, text, (size_t)n);
      n_texts++;
      asc_recorder_exit (&board->rec, 0, ASC_EXIT_YIELD);
      if (i % drain_every == 0)
        board_drain (board);
    }
  the_board = NULL;
  board_flush (board);
  for (size_t i = 0; i < board->n_heard; i++)
    {
      const Heard *heard = &board->heard[i];
      if (heard->event.kind == ASC_EVENT_TEXT)
        {
          /* Whole, whoever came between. */
          if (heard->context == 0)
            assert_memory_equal (heard->text, "text ", 5);
          else
            assert_string_equal (heard->text, "interrupted");
          texts += heard->context == 0;
        }
      levels += heard->event.kind == ASC_EVENT_LEVEL;
      if (heard->event.kind == ASC_EVENT_LOST)
        lost += heard->event.id;
    }
  assert_true (n_runs > 100);
  assert_int_equal (board->n_heard - asc_decoder_totals (&board->decoder)->events, 0);
  if (ring == BOARD_RING)
    {
      assert_int_equal (lost, 0);
      assert_int_equal (texts, n_texts);
      assert_int_equal (levels, n_levels);
    }
  uint64_t done = 1 + 3ull * n_texts + 4ull * n_runs;
  uint64_t n_lost = 0;
  for (size_t i = 0; i < board->n_heard; i++)
    n_lost += board->heard[i].event.kind == ASC_EVENT_LOST;
  assert_int_equal (board->n_heard - n_lost + lost, done);
  assert_int_equal (board->too_old, 0);
  board_assert_clean (board);
  board_free (board);
}

static void
between_any_two_steps (void **state)
{
  (void)state;
  state_of_random = asc_test_seed ();
  run (BOARD_RING, 30, 50);
  run (BOARD_RING, 300, 7);
}

static void
with_a_full_ring (void **state)
{
  (void)state;
  state_of_random = asc_test_seed ();
  run (128, 100, 10);
  run (256, 500, 30);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (between_any_two_steps),
  cmocka_unit_test (with_a_full_ring),
};

ASC_TEST_MAIN (tests)
