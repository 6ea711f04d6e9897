/* Threads that call hooks while one drains: every event arrives once, or is counted. Run
 * under the thread sanitizer this checks the critical section as well. */
#include "asc-test.h"

#include "board.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define THREADS 3
#define RUNS 20000

typedef struct
{
  Board *board;
  atomic_uint running;
  unsigned slots[THREADS];
} Shared;

typedef struct
{
  Shared *shared;
  unsigned context;
} Worker;

static uint32_t
real_clock (void *user)
{
  struct timespec now;
  (void)user;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (uint32_t)((uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
}

static void *
work (void *user)
{
  const Worker *worker = user;
  AscRecorder *rec = &worker->shared->board->rec;
  for (unsigned i = 0; i < RUNS; i++)
    {
      asc_recorder_enter (rec, worker->context,
                          worker->shared->slots[worker->context - 1]);
      if (i % 16 == 0)
        asc_recorder_text (rec, worker->context, "a text of a thread", 18);
      if (i % 64 == 0)
        {
          unsigned slot = asc_recorder_task_start (rec, worker->context, 1, 0);
          asc_recorder_enter (rec, worker->context, slot);
          asc_recorder_exit (rec, worker->context, ASC_EXIT_RETURN);
        }
      asc_recorder_exit (rec, worker->context, ASC_EXIT_YIELD);
      if (i % 32 == 0)
        sched_yield ();
    }
  atomic_fetch_sub (&worker->shared->running, 1);
  return NULL;
}

static void
hooks_from_threads (void **state)
{
  (void)state;
  Board *board = board_new (BOARD_RING);
  Shared shared = { .board = board };
  pthread_t threads[THREADS];
  Worker workers[THREADS];
  board->config.ticks = real_clock;
  board->config.n_contexts = 1 + THREADS;
  for (unsigned i = 0; i <= THREADS; i++)
    board->config.contexts[i] = ASC_CONTEXT (i ? ASC_CONTEXT_THREAD : 0, 0, i);
  board_start (board);
  for (unsigned i = 0; i < THREADS; i++)
    shared.slots[i] = asc_recorder_task_start (&board->rec, 0, 1, ASC_RECORDER_NO_SLOT);
  atomic_init (&shared.running, THREADS);
  for (unsigned i = 0; i < THREADS; i++)
    {
      workers[i] = (Worker){ &shared, i + 1 };
      assert_int_equal (pthread_create (&threads[i], NULL, work, &workers[i]), 0);
    }
  while (atomic_load (&shared.running) > 0)
    board_drain (board);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  board_flush (board);
  uint64_t done
      = THREADS + (uint64_t)THREADS * (RUNS * 2 + RUNS / 16 + (RUNS + 63) / 64 * 3);
  const AscDecoderTotals *totals = asc_decoder_totals (&board->decoder);
  uint64_t stretches = 0;
  for (size_t i = 0; i < board->n_heard; i++)
    {
      stretches += board->heard[i].event.kind == ASC_EVENT_LOST;
      if (board->heard[i].event.kind == ASC_EVENT_TEXT)
        assert_string_equal (board->heard[i].text, "a text of a thread");
    }
  printf ("# %llu events, %llu dropped in %llu stretches\n", (unsigned long long)done,
          (unsigned long long)totals->dropped_events, (unsigned long long)stretches);
  assert_int_equal (totals->events - stretches + totals->dropped_events, done);
  board_assert_clean (board);
  board_free (board);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (hooks_from_threads),
};

ASC_TEST_MAIN (tests)
