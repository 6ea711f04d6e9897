/* What the recorder does with ports: pieces, budgets, text beside frames, repetition. */
#include "asc-test.h"

#include "board.h"

#include <string.h>

/* Runs of one task, 1000 us apart. */
static void
make_runs (Board *board, unsigned slot, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    {
      board->clock += 400;
      asc_recorder_enter (&board->rec, 0, slot);
      board->clock += 600;
      asc_recorder_exit (&board->rec, 0, ASC_EXIT_YIELD);
    }
}

static unsigned
start_task (Board *board)
{
  unsigned name = asc_recorder_define (&board->rec, ASC_NAME_TASK, "sensor", "poll");
  return asc_recorder_task_start (&board->rec, 0, name, ASC_RECORDER_NO_SLOT);
}

/* Whatever the port takes at a time, nothing too, the host gets the same bytes. */
static void
pieces_of_every_size (void **state)
{
  (void)state;
  uint8_t *first = NULL;
  size_t n_first = 0;
  for (size_t most = 300; most > 0; most--)
    {
      Board *board = board_new (4096);
      board->config.seal_ms = 1000;
      board_start (board);
      make_runs (board, start_task (board), 300);
      unsigned tries = 0;
      for (bool done = false; !done; tries++)
        {
          board->most = tries % 3 == 1 ? 0 : most;
          done = asc_recorder_flush (&board->rec, board_write, board);
        }
      board_assert_clean (board);
      assert_int_equal (board->n_heard, 601);
      if (!first)
        {
          n_first = board->n_bytes;
          first = board->stream;
          board->stream = NULL;
        }
      else
        {
          assert_int_equal (board->n_bytes, n_first);
          assert_memory_equal (board->stream, first, n_first);
        }
      board_free (board);
    }
  free (first);
}

static void
max_bytes_is_kept (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  uint32_t random = asc_test_seed ();
  board_start (board);
  make_runs (board, start_task (board), 300);
  for (unsigned i = 0; i < 3000; i++)
    {
      size_t before = board->n_bytes;
      size_t most = asc_test_random (&random) % 80;
      size_t n = asc_recorder_drain (&board->rec, board_write, board, most);
      assert_int_equal (n, board->n_bytes - before);
      assert_true (n <= most);
    }
  board_flush (board);
  assert_int_equal (board->n_heard, 601);
  board_assert_clean (board);
  board_free (board);
}

/* Between two calls the program prints: never inside a frame. */
static void
text_beside_frames (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  uint32_t random = asc_test_seed ();
  size_t n_text = 0;
  board->config.whole_frames = true;
  board->config.room = board_room;
  board_start (board);
  unsigned slot = start_task (board);
  for (unsigned i = 0; i < 2000; i++)
    {
      make_runs (board, slot, asc_test_random (&random) % 5);
      board->room = asc_test_random (&random) % 400;
      asc_recorder_drain (&board->rec, board_write, board, SIZE_MAX);
      asc_decoder_feed (&board->decoder, "hello\n", 6);
      n_text += 6;
    }
  board->room = SIZE_MAX;
  board_flush (board);
  board_assert_clean (board);
  assert_int_equal (asc_decoder_totals (&board->decoder)->dropped_events, 0);
  assert_int_equal (asc_decoder_totals (&board->decoder)->bytes, n_text + board->n_bytes);
  board_free (board);
}

/* Bytes stay under baud rate and time, and reach most of it. */
static void
under_the_baud_rate (void **state)
{
  static const uint32_t bauds[] = { 9600, 115200, 1000000 };
  (void)state;
  for (size_t b = 0; b < 3; b++)
    for (int whole = 0; whole < 2; whole++)
      {
        Board *board = board_new (1024);
        board->config.baud = bauds[b];
        board->config.whole_frames = whole;
        board_start (board);
        unsigned slot = start_task (board);
        uint64_t began = board->clock;
        for (unsigned i = 0; i < 4000; i++)
          {
            for (unsigned k = 0; k < 40; k++)
              {
                board->clock += 10;
                asc_recorder_enter (&board->rec, 0, slot);
                board->clock += 15;
                asc_recorder_exit (&board->rec, 0, ASC_EXIT_YIELD);
              }
            board_drain (board);
            uint64_t bits = (board->clock - began) * bauds[b] / 1000000;
            assert_true (board->n_bytes * 10 <= bits);
          }
        uint64_t bits = (board->clock - began) * bauds[b] / 1000000;
        assert_true (bits > 500000 ? true : board->n_bytes * 10 > bits * 8 / 10);
        assert_int_equal (board->hello.seal_ms, bauds[b] < 500000 ? 50 : 5);
        board_free (board);
      }
}

/* Who joins late knows everything within three seconds, and HELLO comes each second. */
static void
repetition (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  board_start (board);
  for (unsigned i = 0; i < 40; i++)
    asc_recorder_define (&board->rec, ASC_NAME_TASK, "module",
                         "a_function_of_some_length");
  for (unsigned i = 0; i < 200; i++)
    asc_recorder_task_start (&board->rec, 0, 1 + i % 40, ASC_RECORDER_NO_SLOT);
  board_flush (board);
  for (unsigned round = 0; round < 5; round++)
    {
      /* Forgets everything, and listens for three seconds. */
      memset (board->tasks, 0, sizeof board->tasks);
      memset (board->names_heard, 0, sizeof board->names_heard);
      unsigned hellos = board->n_hellos;
      size_t bytes = board->n_bytes;
      for (unsigned i = 0; i < 600; i++)
        {
          board->clock += 5000;
          board_drain (board);
        }
      for (unsigned i = 0; i < 200; i++)
        assert_int_equal (board->tasks[i].instance, i + 1);
      for (unsigned i = 1; i <= 40; i++)
        assert_string_equal (board->names_heard[i], "a_function_of_some_length");
      assert_in_range (board->n_hellos - hellos, 3, 4);
      /* Told once or twice, not all the time. */
      assert_in_range (board->n_bytes - bytes, 2500, 9000);
    }
  board_assert_clean (board);
  board_free (board);
}

/* On a slow line repetition takes a twentieth, so it takes longer. */
static void
repetition_on_a_slow_line (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  board->config.baud = 9600;
  board_start (board);
  for (unsigned i = 0; i < 40; i++)
    asc_recorder_define (&board->rec, ASC_NAME_TASK, "module",
                         "a_function_of_some_length");
  for (unsigned i = 0; i < 200; i++)
    asc_recorder_task_start (&board->rec, 0, 1 + i % 40, ASC_RECORDER_NO_SLOT);
  for (unsigned i = 0; i < 2000; i++)
    {
      board->clock += 5000;
      board_drain (board);
    }
  size_t bytes = board->n_bytes;
  unsigned hellos = board->n_hellos;
  for (unsigned i = 0; i < 20000; i++) /* 100 s */
    {
      board->clock += 5000;
      board_drain (board);
    }
  size_t hello_bytes = (board->n_hellos - hellos) * 80u;
  assert_in_range (board->n_hellos - hellos, 98, 102);
  assert_true (board->n_bytes - bytes - hello_bytes < 9600 / 10 * 100 / 20 + 300);
  assert_true (board->n_bytes - bytes - hello_bytes > 9600 / 10 * 100 / 40);
  board_free (board);
}

/* What is in an open frame goes when it is old, or at once before a long sleep. */
static void
seal_age (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  board->config.seal_ms = 20;
  board_start (board);
  unsigned slot = start_task (board);
  board_flush (board);
  assert_int_equal (board->n_heard, 1);
  make_runs (board, slot, 1);
  board->clock += 19000;
  board_drain (board);
  assert_int_equal (board->n_heard, 1);
  board->clock += 1000;
  board_drain (board);
  assert_int_equal (board->n_heard, 3);
  make_runs (board, slot, 1);
  board_flush (board);
  assert_int_equal (board->n_heard, 5);
  board_free (board);
}

/* A drain that takes time is an event. */
static size_t
slow_write (void *user, const uint8_t *bytes, size_t n)
{
  Board *board = user;
  board->clock += 300;
  /* An interrupt comes while the loop drains. */
  asc_recorder_level (&board->rec, 1, 3, true);
  return board_write (user, bytes, n);
}

static void
draining_costs (void **state)
{
  (void)state;
  Board *board = board_new (4096);
  unsigned drains = 0, levels = 0;
  board->config.drain_ticks = 100;
  board->config.n_contexts = 2;
  board->config.contexts[1] = ASC_CONTEXT (ASC_CONTEXT_INTERRUPT, 0, 0);
  board_start (board);
  unsigned slot = start_task (board);
  for (unsigned i = 0; i < 50; i++)
    {
      make_runs (board, slot, 3);
      asc_recorder_drain (&board->rec, slow_write, board, SIZE_MAX);
      board->clock += 10000;
    }
  board_flush (board);
  for (size_t i = 0; i < board->n_heard; i++)
    {
      levels += board->heard[i].event.kind == ASC_EVENT_LEVEL;
      if (board->heard[i].event.kind == ASC_EVENT_DRAIN)
        {
          drains++;
          assert_true (board->heard[i].event.value >= 300);
        }
    }
  assert_in_range (drains, 40, 51);
  assert_true (levels >= drains);
  assert_int_equal (board->too_old, 0);
  board_assert_clean (board);
  board_free (board);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (pieces_of_every_size),
  cmocka_unit_test (max_bytes_is_kept),
  cmocka_unit_test (text_beside_frames),
  cmocka_unit_test (under_the_baud_rate),
  cmocka_unit_test (repetition),
  cmocka_unit_test (repetition_on_a_slow_line),
  cmocka_unit_test (seal_age),
  cmocka_unit_test (draining_costs),
};

ASC_TEST_MAIN (tests)
