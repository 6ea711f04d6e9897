/* What the pointer is on, at rest and while the picture follows; and the card about it.
 */
#include "asc-test.h"

#include <math.h>

#include "../model/asc-board.h"
#include "asc-hover.h"
#include "asc-trace.h"

#define W 1000
#define H 400
#define NAMES 200
#define MS G_GINT64_CONSTANT (1000000)

typedef struct
{
  AscTrace *trace;
  AscBoard board;
  gsize fed;
  AscSession *session;
  AscView view;
  AscRows *rows;
  AscText *text;
  AscScope scope;
  AscHover hover;
} Pointer;

static void
feed (Pointer *pointer)
{
  asc_board_seal_all (&pointer->board);
  asc_trace_feed (pointer->trace, pointer->board.out->data + pointer->fed,
                  pointer->board.out->len - pointer->fed);
  pointer->fed = pointer->board.out->len;
  pointer->session = asc_trace_session (pointer->trace, 0);
  asc_rows_update (pointer->rows, pointer->session, H - ASC_RULER_HEIGHT, "");
  pointer->scope.session = pointer->session;
}

static void
run (Pointer *pointer, guint slot, guint start_ms, guint end_ms, int late_ms)
{
  asc_board_enter (&pointer->board, 0, start_ms * 1000, slot, late_ms);
  asc_board_exit (&pointer->board, 0, end_ms * 1000, ASC_EXIT_YIELD);
}

/* "log" hogs from 300 to 400 ms while "pid" is due at 310, "net" at 350 and six more at
 * 390; they run in that order, 5 ms each, from 400 ms on. "pid" ran at 100 ms for 10.
 * A second is seen, 0.8 pixels a ms. */
static void
begin (Pointer *pointer)
{
  static const char *const names[] = { "log", "pid", "net" };
  *pointer = (Pointer){ .trace = asc_trace_new (ASC_FROM_WIRE) };
  asc_board_init (&pointer->board, 1);
  asc_board_hello (&pointer->board, 0);
  for (guint i = 0; i < 9; i++)
    {
      char name[16];
      g_snprintf (name, sizeof name, "more%u", i);
      asc_board_name (&pointer->board, i + 1, ASC_NAME_TASK, "", i < 3 ? names[i] : name);
      asc_board_start (&pointer->board, 0, 0, i, i + 1, i + 1);
    }
  run (pointer, 1, 100, 110, 0);
  run (pointer, 0, 200, 201, -1);
  run (pointer, 0, 300, 400, -1);
  for (guint i = 1; i < 9; i++)
    {
      guint start = 400 + (i - 1) * 5;
      run (pointer, i, start, start + 5,
           (int)start
               - (i == 1   ? 310
                  : i == 2 ? 350
                           : 390));
    }
  pointer->rows = asc_rows_new ();
  pointer->text = asc_text_new ();
  asc_view_init (&pointer->view, 0, 1000 * MS, 1000, false);
  asc_view_show (&pointer->view, 0, 1000 * MS);
  pointer->scope = (AscScope){ .view = &pointer->view,
                               .theme = asc_theme_light (),
                               .text = pointer->text,
                               .rows = pointer->rows,
                               .names_width = NAMES,
                               .hog_ns = 20 * MS,
                               .pointer_inside = true,
                               .hover = &pointer->hover };
  feed (pointer);
}

static void
end (Pointer *pointer)
{
  asc_rows_free (pointer->rows);
  asc_text_free (pointer->text);
  asc_trace_free (pointer->trace);
  asc_board_clear (&pointer->board);
}

static void
point (Pointer *pointer, const char *name, double x)
{
  pointer->scope.pointer_x = x;
  for (guint i = 0; i < pointer->rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (pointer->rows->rows, AscRow, i);
      if (row->kind == ASC_ROW_LANE && g_strcmp0 (row->info.name, name) == 0)
        pointer->scope.pointer_y = ASC_RULER_HEIGHT + row->y + row->height / 2;
    }
}

static double
x_of (double ms)
{
  return NAMES + ms * 0.8;
}

/* What the card tells after the pointer moved there, or stayed. */
static void
card (Pointer *pointer, bool moved, const char *want)
{
  asc_hover_update (&pointer->hover, &pointer->scope, W, moved);
  char *text = asc_hover_text (pointer->session, &pointer->hover);
  assert_string_equal (text, want);
  g_free (text);
}

#define HOG                                                                              \
  "log run 100 ms; began at 00:00.300000; length the longest of its runs; "              \
  "held up pid 90.00 ms, net 50.00 ms, more3 10.00 ms, more4 10.00 ms, and 4 more"
#define PID_EARLY                                                                        \
  "pid run 10.00 ms; began at 00:00.100000; length the longest of its runs; woke on "    \
  "time"

static void
test_at_rest (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  point (&pointer, "log", x_of (350));
  card (&pointer, true, HOG);
  point (&pointer, "log", x_of (300) - 2);
  card (&pointer, true, HOG);
  point (&pointer, "log", x_of (300) - 6);
  card (&pointer, true, "");
  point (&pointer, "log", 100);
  card (&pointer, true, "");
  point (&pointer, "pid", x_of (402));
  card (&pointer, true,
        "pid run 5.00 ms; began at 00:00.400000; longer than 0 % of its runs; "
        "woke 90 ms late; held up by log 90.00 ms; held up net 5.00 ms, more3 5.00 ms, "
        "more4 5.00 ms, more5 5.00 ms, and 3 more");
  point (&pointer, "net", x_of (406));
  asc_hover_update (&pointer.hover, &pointer.scope, W, true);
  assert_int_equal (pointer.hover.kind, ASC_HOVER_RUN);
  pointer.scope.pointer_inside = false;
  card (&pointer, false, "");
  end (&pointer);
}

static void
test_a_grey_bar_tells_who_ran (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  point (&pointer, "net", x_of (352));
  card (&pointer, true,
        "net waited 55 ms; was due at 00:00.350000; woke 55 ms late; "
        "ran meanwhile log 50.00 ms, pid 5.00 ms");
  point (&pointer, "more8", x_of (400));
  card (&pointer, true,
        "more8 waited 45 ms; was due at 00:00.390000; woke 45 ms late; "
        "ran meanwhile log 10.00 ms, pid 5.00 ms, net 5.00 ms, more3 5.00 ms, "
        "and 4 more");
  point (&pointer, "net", x_of (340));
  card (&pointer, true, "");
  end (&pointer);
}

/* The board goes on; 0.1 s more are seen, and the picture moves with it. */
static void
later (Pointer *pointer, guint now_ms)
{
  asc_board_simple (&pointer->board, 0, ASC_EVENT_IDLE, (now_ms - 1) * 1000,
                    ASC_IDLE_TIMER, 1000);
  feed (pointer);
  asc_view_grow (&pointer->view, 0, now_ms * MS);
}

static void
test_following_it_keeps_the_card (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  later (&pointer, 1000);
  asc_view_follow (&pointer.view, true);
  point (&pointer, "log", x_of (350));
  card (&pointer, true, HOG);
  /* It moves away under the pointer, and out of the picture; the card stays. */
  for (guint now = 1100; now < 3000; now += 100)
    {
      later (&pointer, now);
      card (&pointer, false, HOG);
    }
  /* Also when the hand holds the picture to read it. */
  asc_view_follow (&pointer.view, false);
  card (&pointer, false, HOG);
  card (&pointer, true, "");
  end (&pointer);
}

static void
test_following_it_lets_go_of_what_left (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  later (&pointer, 1000);
  asc_view_follow (&pointer.view, true);
  point (&pointer, "log", x_of (350));
  card (&pointer, true, HOG);
  later (&pointer, 5400);
  card (&pointer, false, HOG);
  run (&pointer, 0, 5600, 5630, -1);
  later (&pointer, 5800);
  card (&pointer, false, "");
  later (&pointer, 6250); /* 5600 ms at the pointer */
  asc_hover_update (&pointer.hover, &pointer.scope, W, false);
  assert_int_equal (pointer.hover.run.start_ns, 5600 * MS);
  /* What is under the pointer when it is gone is taken at once. */
  run (&pointer, 0, 10950, 11000, -1);
  later (&pointer, 11630);
  asc_hover_update (&pointer.hover, &pointer.scope, W, false);
  assert_int_equal (pointer.hover.kind, ASC_HOVER_RUN);
  assert_int_equal (pointer.hover.run.start_ns, 10950 * MS);
  end (&pointer);
}

/* Every second run is longer: a sample of every second one would say so of all or none.
 */
static void
test_a_rank_is_exact (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  for (guint i = 0; i < 2048; i++)
    run (&pointer, 8, 500 + i * 10, 500 + i * 10 + (i == 2047 ? 8 : i % 2 ? 6 : 7), -1);
  later (&pointer, 21000);
  asc_view_show (&pointer.view, 10000 * MS, 11000 * MS);
  for (guint i = 0; i < 2; i++)
    {
      point (&pointer, "more8", x_of (500 + i * 10 + 3));
      asc_hover_update (&pointer.hover, &pointer.scope, W, true);
      AscHoverLine lines[ASC_HOVER_LINES];
      guint n = asc_hover_lines (pointer.session, &pointer.hover, lines);
      const char *rank = "";
      for (guint j = 0; j < n; j++)
        if (g_strcmp0 (lines[j].label, "longer than") == 0)
          rank = lines[j].value;
      assert_string_equal (rank, i == 0 ? "49 % of its runs" : "0 % of its runs");
    }
  end (&pointer);
}

static void
test_following_it_takes_what_passes (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  later (&pointer, 600);
  asc_view_follow (&pointer.view, true);      /* from -400 to 600 ms */
  point (&pointer, "pid", x_of (1000 - 380)); /* 220 ms */
  card (&pointer, true, "");
  /* 80 pixels a picture: the run of 8 pixels at 400 ms is under the pointer in none. */
  later (&pointer, 700);
  card (&pointer, false, "");
  later (&pointer, 800);
  asc_hover_update (&pointer.hover, &pointer.scope, W, false);
  assert_int_equal (pointer.hover.kind, ASC_HOVER_RUN);
  assert_int_equal (pointer.hover.run.start_ns, 400 * MS);
  later (&pointer, 900);
  assert_false (asc_hover_update (&pointer.hover, &pointer.scope, W, false));
  /* In its lane a moving pointer keeps it; in another lane it does not. */
  point (&pointer, "pid", x_of (900));
  assert_false (asc_hover_update (&pointer.hover, &pointer.scope, W, true));
  point (&pointer, "net", x_of (900));
  card (&pointer, true, "");
  end (&pointer);
}

static void
test_a_run_that_goes_on_ends_on_the_card (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  asc_board_enter (&pointer.board, 0, 500000, 0, -1);
  feed (&pointer);
  asc_view_grow (&pointer.view, 0, 501 * MS);
  asc_view_follow (&pointer.view, true);
  point (&pointer, "log", W - 1);
  asc_hover_update (&pointer.hover, &pointer.scope, W, true);
  assert_int_equal (pointer.hover.kind, ASC_HOVER_RUN);
  assert_true (pointer.hover.run.flags & ASC_RUN_OPEN);
  asc_board_exit (&pointer.board, 0, 507000, ASC_EXIT_RETURN);
  later (&pointer, 600);
  card (&pointer, false,
        "log run 7.00 ms; began at 00:00.500000; longer than 33 % of its runs; "
        "then returned");
  end (&pointer);
}

static AscColour
pixel (cairo_surface_t *surface, double x, double y)
{
  guint32 value;
  memcpy (&value,
          cairo_image_surface_get_data (surface)
              + (int)y * cairo_image_surface_get_stride (surface) + (int)x * 4,
          4);
  return value & 0xFFFFFF;
}

static void
test_the_card_is_drawn (void **state)
{
  (void)state;
  Pointer pointer;
  begin (&pointer);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, W, H);
  cairo_t *cr = cairo_create (surface);
  point (&pointer, "log", x_of (350));
  asc_hover_update (&pointer.hover, &pointer.scope, W, true);
  asc_scope_draw (cr, &pointer.scope, W, H);
  cairo_surface_flush (surface);
  assert_int_equal (pixel (surface, x_of (350) + 24, pointer.scope.pointer_y + 20),
                    pointer.scope.theme->panel);
  /* In a corner, and where there is no room for it at all. */
  for (int corner = 0; corner < 4; corner++)
    {
      pointer.scope.pointer_x = corner & 1 ? W - 3 : NAMES;
      pointer.scope.pointer_y = corner & 2 ? H - 3 : 3;
      asc_scope_draw (cr, &pointer.scope, W, H);
      asc_scope_draw (cr, &pointer.scope, NAMES + 20, 60);
    }
  assert_int_equal (cairo_status (cr), CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  end (&pointer);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_at_rest),
  cmocka_unit_test (test_a_grey_bar_tells_who_ran),
  cmocka_unit_test (test_following_it_keeps_the_card),
  cmocka_unit_test (test_following_it_lets_go_of_what_left),
  cmocka_unit_test (test_following_it_takes_what_passes),
  cmocka_unit_test (test_a_rank_is_exact),
  cmocka_unit_test (test_a_run_that_goes_on_ends_on_the_card),
  cmocka_unit_test (test_the_card_is_drawn),
};

ASC_TEST_MAIN (tests)
