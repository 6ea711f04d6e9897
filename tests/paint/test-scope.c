/* The scope drawn into surfaces in memory, over streams made by hand. */
#include "asc-test.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>

#include "../model/asc-board.h"
#include "asc-scope.h"
#include "asc-trace.h"

#define W 1000
#define H 400
#define MS G_GINT64_CONSTANT (1000000)

typedef struct
{
  AscTrace *trace;
  AscSession *session;
  AscView view;
  AscRows *rows;
  AscText *text;
  AscScope scope;
  cairo_surface_t *surface;
  double scale;
} Picture;

/* Two tasks: "one" runs 100-200 ms and, 50 ms late, 600-650 ms; "two" hogs from 300 to
 * 400 ms. The session begins at 0 and lasts 1 s. */
static void
three_runs (AscBoard *board)
{
  asc_board_init (board, 1);
  asc_board_hello (board, 0);
  asc_board_name (board, 1, ASC_NAME_TASK, "", "one");
  asc_board_name (board, 2, ASC_NAME_TASK, "", "two");
  asc_board_start (board, 0, 0, 0, 1, 1);
  asc_board_start (board, 0, 0, 1, 2, 2);
  asc_board_enter (board, 0, 100000, 0, -1);
  asc_board_exit (board, 0, 110000, ASC_EXIT_YIELD);
  asc_board_enter (board, 0, 300000, 1, -1);
  asc_board_exit (board, 0, 400000, ASC_EXIT_YIELD);
  asc_board_enter (board, 0, 600000, 0, 50);
  asc_board_exit (board, 0, 615000, ASC_EXIT_YIELD);
  asc_board_simple (board, 0, ASC_EVENT_IDLE, 900000, ASC_IDLE_TIMER, 100000);
  asc_board_seal_all (board);
}

static void
picture_init (Picture *picture, AscBoard *board, double scale)
{
  *picture = (Picture){ .scale = scale };
  if (board != NULL)
    {
      picture->trace = asc_trace_new (ASC_FROM_WIRE);
      asc_trace_feed (picture->trace, board->out->data, board->out->len);
      asc_trace_finish (picture->trace);
      if (asc_trace_n_sessions (picture->trace) > 0)
        picture->session = asc_trace_session (picture->trace, 0);
      asc_board_clear (board);
    }
  asc_view_init (&picture->view, 0, 1000 * MS, 1000, false);
  asc_view_show (&picture->view, 0, 1000 * MS);
  picture->rows = asc_rows_new ();
  picture->text = asc_text_new ();
  asc_rows_update (picture->rows, picture->session, H - ASC_RULER_HEIGHT, "");
  picture->surface = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, (int)ceil (W * scale), (int)ceil (H * scale));
  cairo_surface_set_device_scale (picture->surface, scale, scale);
  picture->scope = (AscScope){ .session = picture->session,
                               .view = &picture->view,
                               .theme = asc_theme_light (),
                               .text = picture->text,
                               .rows = picture->rows,
                               .names_width = 200,
                               .hog_ns = 20 * MS,
                               .precision = ASC_EXACT };
}

static void
picture_clear (Picture *picture)
{
  cairo_surface_destroy (picture->surface);
  asc_rows_free (picture->rows);
  asc_text_free (picture->text);
  if (picture->trace != NULL)
    asc_trace_free (picture->trace);
}

static void
draw (Picture *picture)
{
  cairo_t *cr = cairo_create (picture->surface);
  asc_scope_draw (cr, &picture->scope, W, H);
  assert_int_equal (cairo_status (cr), CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (picture->surface);
}

static AscColour
pixel (Picture *picture, double x, double y)
{
  const unsigned char *data = cairo_image_surface_get_data (picture->surface);
  const unsigned char *row
      = data
        + (int)(y * picture->scale) * cairo_image_surface_get_stride (picture->surface);
  guint32 value;
  memcpy (&value, row + (int)(x * picture->scale) * 4, 4);
  return value & 0xFFFFFF;
}

static const AscRow *
row_named (Picture *picture, const char *name)
{
  for (guint i = 0; i < picture->rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (picture->rows->rows, AscRow, i);
      if (row->kind == ASC_ROW_LANE && g_strcmp0 (row->info.name, name) == 0)
        return row;
    }
  fail_msg ("no row %s", name);
  return NULL;
}

static double
middle_of (const AscRow *row)
{
  return ASC_RULER_HEIGHT + row->y + row->height / 2;
}

/* 0.8 pixels a ms. */
static double
x_of (double ms)
{
  return 200 + ms * 0.8;
}

static int
count_colour (Picture *picture, AscColour colour, double y0, double y1)
{
  int n = 0;
  for (double y = y0; y < y1; y += 1)
    for (double x = 201; x < W; x += 1)
      n += pixel (picture, x, y) == colour;
  return n;
}

static void
check_runs (Picture *picture)
{
  const AscTheme *theme = picture->scope.theme;
  draw (picture);
  const AscRow *one = row_named (picture, "one"), *two = row_named (picture, "two");
  AscColour colour = theme->task[one->colour];
  assert_int_not_equal (one->colour, two->colour);
  assert_int_equal (pixel (picture, x_of (104), middle_of (one)), colour);
  assert_int_not_equal (pixel (picture, x_of (95), middle_of (one)), colour);
  assert_int_not_equal (pixel (picture, x_of (115), middle_of (one)), colour);
  assert_int_equal (pixel (picture, x_of (606), middle_of (one)), colour);
  assert_int_equal (pixel (picture, x_of (310), middle_of (two) + 9),
                    theme->task[two->colour]);
  /* The wait for being late stands before the run, and ends with it. */
  double base = ASC_RULER_HEIGHT + one->y + one->height;
  assert_true (count_colour (picture, theme->wait, base - 14, base) > 20);
  /* The hog's frame and badge. */
  double top = ASC_RULER_HEIGHT + two->y;
  assert_true (count_colour (picture, theme->warn, top, top + two->height) > 40);
  top = ASC_RULER_HEIGHT + one->y;
  assert_int_equal (count_colour (picture, theme->warn, top, top + one->height), 0);
}

static void
test_runs_stand_at_their_place (void **state)
{
  (void)state;
  static const double scales[] = { 1, 1.25, 2 };
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    for (int dark = 0; dark < 2; dark++)
      {
        AscBoard board;
        Picture picture;
        three_runs (&board);
        picture_init (&picture, &board, scales[i]);
        if (dark)
          picture.scope.theme = asc_theme_dark ();
        check_runs (&picture);
        picture_clear (&picture);
      }
}

static void
test_hog_is_seen_at_every_zoom (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  picture_init (&picture, &board, 1);
  for (gint64 length = 50 * MS; length < G_GINT64_CONSTANT (3000000) * MS; length *= 3)
    {
      asc_view_init (&picture.view, 350 * MS - length, 350 * MS + length, 1000, false);
      asc_view_show (&picture.view, 350 * MS - length / 2, 350 * MS + length / 2);
      draw (&picture);
      const AscRow *two = row_named (&picture, "two");
      double top = ASC_RULER_HEIGHT + two->y;
      if (count_colour (&picture, picture.scope.theme->warn, top, top + two->height) < 10)
        fail_msg ("not seen in %lld ms", (long long)(length / MS));
    }
  picture_clear (&picture);
}

static void
test_a_hog_is_named_in_low_rows (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  picture_init (&picture, &board, 1);
  static const double heights[] = { 100, 130, H - ASC_RULER_HEIGHT };
  for (gsize i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      asc_rows_update (picture.rows, picture.session, heights[i], "");
      draw (&picture);
      const AscRow *two = row_named (&picture, "two");
      int warn = 0;
      for (double x = x_of (320); x < x_of (380); x += 1)
        warn += pixel (&picture, x, middle_of (two)) == picture.scope.theme->warn;
      if (warn < 10)
        fail_msg ("rows of %g pixels: %d of the label", two->height, warn);
    }
  picture_clear (&picture);
}

/* A hundred thousand runs: the busy half is darker than the other, and none is missing.
 */
static void
test_dense_lanes_show_density (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_name (&board, 1, ASC_NAME_TASK, "", "dense");
  asc_board_start (&board, 0, 0, 0, 1, 1);
  for (guint i = 0; i < 100000; i++)
    {
      asc_board_enter (&board, 0, i * 10, 0, -1);
      asc_board_exit (&board, 0, i * 10 + (i < 50000 ? 9 : 1), ASC_EXIT_YIELD);
    }
  asc_board_seal_all (&board);
  picture_init (&picture, &board, 1);
  draw (&picture);
  const AscTheme *theme = picture.scope.theme;
  const AscRow *row = row_named (&picture, "dense");
  AscColour busy = pixel (&picture, x_of (250), middle_of (row));
  AscColour light = pixel (&picture, x_of (750), middle_of (row));
  assert_int_not_equal (busy, light);
  assert_true (asc_colour_contrast (busy, theme->base)
               > asc_colour_contrast (light, theme->base));
  for (double x = x_of (505); x < x_of (999); x += 1)
    assert_int_equal (pixel (&picture, x, middle_of (row)), light);
  picture_clear (&picture);
}

static void
many_tasks (AscBoard *board, guint n)
{
  asc_board_init (board, 1);
  asc_board_hello (board, 0);
  for (guint i = 0; i < n; i++)
    {
      char name[24];
      g_snprintf (name, sizeof name, "task%u", i);
      asc_board_name (board, i + 1, ASC_NAME_TASK, "", name);
      asc_board_start (board, 0, i * 10, i, i + 1, i + 1);
      asc_board_enter (board, 0, i * 10 + 1, i, -1);
      asc_board_exit (board, 0, i * 10 + 5, ASC_EXIT_YIELD);
    }
  asc_board_seal_all (board);
}

static void
test_twelve_tasks_have_twelve_colours (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  many_tasks (&board, 12);
  picture_init (&picture, &board, 1);
  guint seen = 0;
  for (guint i = 0; i < picture.rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (picture.rows->rows, AscRow, i);
      if (row->kind == ASC_ROW_LANE && row->info.kind == ASC_LANE_TASK)
        {
          assert_false (seen >> row->colour & 1);
          seen |= 1u << row->colour;
        }
    }
  assert_int_equal (seen, 0xFFF);
  picture_clear (&picture);
}

static void
test_rows_fit_and_scroll_past_that (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  many_tasks (&board, 12);
  picture_init (&picture, &board, 1);
  assert_true (picture.rows->height <= H - ASC_RULER_HEIGHT);
  asc_rows_update (picture.rows, picture.session, 100, "");
  assert_true (picture.rows->height > 100);
  for (guint i = 0; i < picture.rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (picture.rows->rows, AscRow, i);
      assert_true (row->height >= ASC_ROW_COMPACT);
      assert_ptr_equal (asc_rows_at (picture.rows, row->y), row);
      assert_ptr_equal (asc_rows_at (picture.rows, row->y + row->height - 0.5), row);
    }
  assert_null (asc_rows_at (picture.rows, -1));
  assert_null (asc_rows_at (picture.rows, picture.rows->height));
  picture.scope.scroll = picture.rows->height - 100;
  draw (&picture);
  asc_rows_update (picture.rows, picture.session, 1000, "TASK1");
  guint tasks = 0;
  for (guint i = 0; i < picture.rows->rows->len; i++)
    tasks += g_array_index (picture.rows->rows, AscRow, i).info.kind == ASC_LANE_TASK
             && g_array_index (picture.rows->rows, AscRow, i).kind == ASC_ROW_LANE;
  assert_int_equal (tasks, 3); /* task1, task10, task11 */
  picture_clear (&picture);
}

static void
test_lost_stretches_are_hatched (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  board.lose = TRUE;
  for (guint i = 0; i < 500; i++)
    {
      asc_board_enter (&board, 0, 1000000 + i * 1000, 0, -1);
      asc_board_exit (&board, 0, 1000400 + i * 1000, ASC_EXIT_YIELD);
    }
  asc_board_seal_all (&board);
  board.lose = FALSE;
  asc_board_enter (&board, 0, 1600000, 0, -1);
  asc_board_exit (&board, 0, 1610000, ASC_EXIT_YIELD);
  asc_board_seal_all (&board);
  picture_init (&picture, &board, 1);
  asc_view_init (&picture.view, 0, 2000 * MS, 1000, false);
  asc_view_show (&picture.view, 0, 2000 * MS);
  draw (&picture);
  const AscRow *two = row_named (&picture, "two");
  AscColour plain = pixel (&picture, x_of (225), middle_of (two));
  int changed = 0;
  for (double x = x_of (550); x < x_of (750); x += 1)
    changed += pixel (&picture, x, middle_of (two)) != plain;
  assert_true (changed > 15);
  picture_clear (&picture);
}

static void
test_cursors_and_selection (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  picture_init (&picture, &board, 1);
  asc_view_set_cursor (&picture.view, 0, 500 * MS);
  asc_view_set_cursor (&picture.view, 1, 700 * MS);
  draw (&picture);
  AscColour accent = picture.scope.theme->accent;
  int at_a = 0;
  for (double x = x_of (500) - 2; x <= x_of (500) + 2; x += 1)
    at_a += pixel (&picture, x, H - 20) == accent;
  assert_true (at_a >= 1);
  asc_view_select (&picture.view, 500 * MS, 800 * MS);
  AscColour before = pixel (&picture, x_of (750), H - 20);
  draw (&picture);
  assert_int_not_equal (pixel (&picture, x_of (750), H - 20), before);
  picture_clear (&picture);
}

/* Pixels of the accent in the rows of badges, from a time to another. */
static int
badges (Picture *picture, double from_ms, double to_ms, int row)
{
  const AscRow *load = asc_rows_at (picture->rows, 0);
  double y = ASC_RULER_HEIGHT + load->height + 2 + row * 24 + 3;
  int n = 0;
  for (double x = x_of (from_ms); x < x_of (to_ms); x += 1)
    n += pixel (picture, x, y) == picture->scope.theme->accent;
  return n;
}

static void
test_a_selection_and_cursors_tell_each_its_own_length (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  picture_init (&picture, &board, 1);
  asc_view_set_cursor (&picture.view, 0, 600 * MS);
  asc_view_set_cursor (&picture.view, 1, 900 * MS);
  draw (&picture);
  assert_true (badges (&picture, 650, 850, 0) > 60);
  asc_view_select (&picture.view, 200 * MS, 400 * MS);
  draw (&picture);
  assert_true (badges (&picture, 220, 380, 0) > 60);
  assert_int_equal (badges (&picture, 650, 850, 0), 0);
  assert_true (badges (&picture, 650, 850, 1) > 60);
  /* A run between them, framed: the distance of the cursors is not its length. */
  asc_view_clear (&picture.view);
  asc_view_show (&picture.view, 700 * MS, 800 * MS);
  draw (&picture);
  assert_int_equal (badges (&picture, 10, 990, 0), 0);
  picture_clear (&picture);
}

static void
test_nothing_and_extremes (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  picture_init (&picture, NULL, 1); /* no session */
  draw (&picture);
  picture_clear (&picture);
  asc_board_init (&board, 1); /* only HELLO */
  asc_board_hello (&board, 0);
  picture_init (&picture, &board, 1);
  draw (&picture);
  picture_clear (&picture);
  three_runs (&board);
  picture_init (&picture, &board, 1);
  static const gint64 views[][2] = {
    { 0, 10 },
    { 300 * MS, 300 * MS + 1 },
    { G_MININT64 / 4, G_MAXINT64 / 4 },
    { 4000000 * MS, 4000001 * MS },
    { -5000 * MS, -4000 * MS },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (views); i++)
    {
      picture.view.from_ns = views[i][0];
      picture.view.to_ns = views[i][1];
      draw (&picture);
      cairo_t *cr = cairo_create (picture.surface);
      asc_overview_draw (cr, &picture.scope, W, ASC_OVERVIEW_HEIGHT);
      asc_scope_draw (cr, &picture.scope, 1, 1);
      assert_int_equal (cairo_status (cr), CAIRO_STATUS_SUCCESS);
      cairo_destroy (cr);
    }
  picture_clear (&picture);
}

static cairo_status_t
swallow (void *total, const unsigned char *data, unsigned n)
{
  (void)data;
  *(gsize *)total += n;
  return CAIRO_STATUS_SUCCESS;
}

#ifdef __SANITIZE_ADDRESS__
/* cairo 1.18 reads the name of a font that it puts into a PDF one byte too far. */
const char *__asan_default_suppressions (void);
const char *
__asan_default_suppressions (void)
{
  return "interceptor_via_lib:libcairo.so";
}
#endif

static void
test_svg_and_pdf (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  picture_init (&picture, &board, 1);
  for (int pdf = 0; pdf < 2; pdf++)
    {
      gsize written = 0;
      cairo_surface_t *surface
          = pdf ? cairo_pdf_surface_create_for_stream (swallow, &written, W, H)
                : cairo_svg_surface_create_for_stream (swallow, &written, W, H);
      cairo_t *cr = cairo_create (surface);
      asc_scope_draw (cr, &picture.scope, W, H);
      assert_int_equal (cairo_status (cr), CAIRO_STATUS_SUCCESS);
      cairo_destroy (cr);
      cairo_surface_finish (surface);
      assert_int_equal (cairo_surface_status (surface), CAIRO_STATUS_SUCCESS);
      cairo_surface_destroy (surface);
      assert_true (written > 1000);
    }
  picture_clear (&picture);
}

static void
test_the_overview_frames_what_is_seen (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  three_runs (&board);
  picture_init (&picture, &board, 1);
  assert_int_equal (asc_overview_ns (&picture.scope, -50, W), 0);
  assert_int_equal (asc_overview_ns (&picture.scope, W + 50, W), 1000 * MS);
  asc_view_show (&picture.view, 400 * MS, 600 * MS);
  cairo_t *cr = cairo_create (picture.surface);
  asc_overview_draw (cr, &picture.scope, W, ASC_OVERVIEW_HEIGHT);
  cairo_destroy (cr);
  cairo_surface_flush (picture.surface);
  assert_true (
      count_colour (&picture, picture.scope.theme->accent, 0, ASC_OVERVIEW_HEIGHT) > 50);
  assert_true (count_colour (&picture, picture.scope.theme->warn, 0, 12) > 5);
  picture_clear (&picture);
}

/* 12 000 hogs, and one pixel in two has room for a flag: all over the strip. */
static void
test_the_overview_leaves_no_hog_out (void **state)
{
  (void)state;
  AscBoard board;
  Picture picture;
  asc_board_init (&board, 1);
  asc_board_hello (&board, 0);
  asc_board_name (&board, 1, ASC_NAME_TASK, "", "hog");
  asc_board_start (&board, 0, 0, 0, 1, 1);
  for (guint i = 0; i < 12000; i++)
    {
      asc_board_enter (&board, 0, i * 30000, 0, -1);
      asc_board_exit (&board, 0, i * 30000 + 20000, ASC_EXIT_YIELD);
    }
  asc_board_seal_all (&board);
  picture_init (&picture, &board, 1);
  cairo_t *cr = cairo_create (picture.surface);
  asc_overview_draw (cr, &picture.scope, W, ASC_OVERVIEW_HEIGHT);
  cairo_destroy (cr);
  cairo_surface_flush (picture.surface);
  for (double x = 210; x < 890; x += 4)
    {
      int warn = 0;
      for (int i = 0; i < 4; i++)
        warn += pixel (&picture, x + i, 3) == picture.scope.theme->warn;
      if (warn == 0)
        fail_msg ("no flag at %g", x);
    }
  picture_clear (&picture);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_runs_stand_at_their_place),
  cmocka_unit_test (test_hog_is_seen_at_every_zoom),
  cmocka_unit_test (test_a_hog_is_named_in_low_rows),
  cmocka_unit_test (test_dense_lanes_show_density),
  cmocka_unit_test (test_twelve_tasks_have_twelve_colours),
  cmocka_unit_test (test_rows_fit_and_scroll_past_that),
  cmocka_unit_test (test_lost_stretches_are_hatched),
  cmocka_unit_test (test_cursors_and_selection),
  cmocka_unit_test (test_a_selection_and_cursors_tell_each_its_own_length),
  cmocka_unit_test (test_nothing_and_extremes),
  cmocka_unit_test (test_svg_and_pdf),
  cmocka_unit_test (test_the_overview_frames_what_is_seen),
  cmocka_unit_test (test_the_overview_leaves_no_hog_out),
};

ASC_TEST_MAIN (tests)
