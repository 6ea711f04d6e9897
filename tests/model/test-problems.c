/* The list of problems: each loss with its place, and no end without saying so. */
#include "asc-board.h"
#include "asc-test.h"
#include "asc-trace.h"

#define MS G_GINT64_CONSTANT (1000000)

/* A run every 10 ms; the frame of each second one is lost, with its 2 events. */
static AscTrace *
with_losses (guint n)
{
  AscBoard board;
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_name (&board, 1, ASC_NAME_TASK, "", "one");
  asc_board_start (&board, 0, 0, 0, 1, 1);
  for (guint i = 0; i <= 2 * n; i++)
    {
      board.lose = i % 2 == 1;
      asc_board_enter (&board, 0, i * 10000, 0, -1);
      asc_board_exit (&board, 0, i * 10000 + 1000, ASC_EXIT_YIELD);
      asc_board_seal_all (&board);
    }
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, board.out->data, board.out->len);
  asc_trace_finish (trace);
  asc_board_clear (&board);
  return trace;
}

static void
each_loss_has_its_line (void **state)
{
  (void)state;
  AscTrace *trace = with_losses (10);
  assert_int_equal (asc_trace_n_problems (trace), 10);
  for (guint i = 0; i < 10; i++)
    {
      AscProblem problem;
      asc_trace_problem (trace, i, &problem);
      assert_int_equal (problem.kind, ASC_PROBLEM_LOST);
      assert_int_equal (problem.count, 2);
      assert_int_equal (problem.times, 1);
      assert_int_equal (problem.time_ns, (i * 20 + 1) * MS);
      char *text = asc_problem_text (&problem);
      assert_string_equal (text, "2 events never arrived.");
      g_free (text);
    }
  asc_trace_free (trace);
}

static void
what_is_too_much_is_counted_in_the_last (void **state)
{
  (void)state;
  AscTrace *trace = with_losses (700);
  AscProblem problem;
  guint64 count = 0, times = 0;
  assert_int_equal (asc_trace_n_problems (trace), 500);
  for (guint i = 0; i < 500; i++)
    {
      asc_trace_problem (trace, i, &problem);
      count += problem.count;
      times += problem.times;
    }
  assert_int_equal (count, 1400);
  assert_int_equal (times, 700);
  assert_int_equal (problem.times, 201);
  assert_int_equal (problem.time_ns, (499 * 20 + 1) * MS);
  char *text = asc_problem_text (&problem);
  assert_string_equal (text, "402 events never arrived. Counted together: 201 places, of "
                             "which this is the first.");
  g_free (text);
  asc_trace_free (trace);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (each_loss_has_its_line),
  cmocka_unit_test (what_is_too_much_is_counted_in_the_last),
};

ASC_TEST_MAIN (tests)
