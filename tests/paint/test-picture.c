/* Pictures that are kept: whatever shows must be painted anew when it changes, and the
 * result must be that of painting all. */
#include "asc-test.h"

#include <string.h>

#include "../model/asc-board.h"
#include "asc-picture.h"
#include "asc-trace.h"

#define W 700
#define H 300
#define MS G_GINT64_CONSTANT (1000000)

typedef struct
{
  AscBoard board;
  guint fed; /* bytes of the board's that the trace has */
  AscTrace *trace;
  AscView view;
  AscRows *rows;
  AscText *text;
  AscPicture *picture;
  AscScope scope;
  double percent[8];
  double scale;
} World;

static void
feed (World *world)
{
  asc_board_seal_all (&world->board);
  asc_trace_feed (world->trace, world->board.out->data + world->fed,
                  world->board.out->len - world->fed);
  world->fed = world->board.out->len;
}

static void
lay_out (World *world, const char *filter)
{
  asc_rows_update (world->rows, world->scope.session, H - ASC_RULER_HEIGHT, filter);
}

static void
put_run (World *world, guint64 ms, guint64 length_ms, guint32 slot)
{
  asc_board_enter (&world->board, 0, ms * 1000, slot, -1);
  asc_board_exit (&world->board, 0, (ms + length_ms) * 1000, ASC_EXIT_YIELD);
}

static void
world_init (World *world)
{
  *world = (World){ .trace = asc_trace_new (ASC_FROM_WIRE), .scale = 1 };
  asc_board_init (&world->board, 1);
  asc_board_hello (&world->board, 0);
  asc_board_name (&world->board, 1, ASC_NAME_TASK, "", "one");
  asc_board_name (&world->board, 2, ASC_NAME_TASK, "", "two");
  asc_board_start (&world->board, 0, 0, 0, 1, 1);
  asc_board_start (&world->board, 0, 0, 1, 2, 2);
  put_run (world, 100, 10, 0);
  put_run (world, 200, 60, 1);
  for (guint i = 0; i < 600; i++)
    put_run (world, 300 + i, 0, 0);
  feed (world);
  asc_view_init (&world->view, 0, 1000 * MS, 1000, false);
  asc_view_show (&world->view, 0, 1000 * MS);
  world->rows = asc_rows_new ();
  world->text = asc_text_new ();
  world->picture = asc_picture_new ();
  world->percent[0] = world->percent[1] = 10;
  world->scope = (AscScope){ .session = asc_trace_session (world->trace, 0),
                             .view = &world->view,
                             .theme = asc_theme_light (),
                             .text = world->text,
                             .rows = world->rows,
                             .names_width = 160,
                             .percent = world->percent,
                             .n_percent = G_N_ELEMENTS (world->percent),
                             .hog_ns = 50 * MS };
  lay_out (world, "");
}

static void
world_clear (World *world)
{
  asc_picture_free (world->picture);
  asc_rows_free (world->rows);
  asc_text_free (world->text);
  asc_trace_free (world->trace);
  asc_board_clear (&world->board);
}

/* The picture shows what painting all of it shows. */
static cairo_surface_t *
draw (World *world)
{
  cairo_surface_t *kept
      = asc_picture_draw (world->picture, &world->scope, W, H, world->scale);
  int width = cairo_image_surface_get_width (kept);
  int height = cairo_image_surface_get_height (kept);
  AscText *text = asc_text_new (); /* of this scale alone */
  AscScope scope = world->scope;
  cairo_surface_t *fresh
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  assert_int_equal (width, (int)(W * world->scale));
  assert_int_equal (height, (int)(H * world->scale));
  cairo_surface_set_device_scale (fresh, world->scale, world->scale);
  cairo_t *cr = cairo_create (fresh);
  scope.text = text;
  asc_scope_paint (cr, &scope, W, H, NULL);
  cairo_destroy (cr);
  cairo_surface_flush (fresh);
  const guint8 *a = cairo_image_surface_get_data (kept);
  const guint8 *b = cairo_image_surface_get_data (fresh);
  gsize stride = (gsize)cairo_image_surface_get_stride (kept);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      if (memcmp (a + (gsize)y * stride + (gsize)x * 4,
                  b + (gsize)y * stride + (gsize)x * 4, 4)
          != 0)
        fail_msg ("%d,%d differs", x, y);
      else if (a[(gsize)y * stride + (gsize)x * 4 + 3] != 0xFF)
        fail_msg ("%d,%d is not opaque", x, y);
  cairo_surface_destroy (fresh);
  asc_text_free (text);
  return kept;
}

/* What can change, one at a time. */

static void
zoom (World *world)
{
  asc_view_zoom (&world->view, 0.5, 500 * MS);
}
static void
pan (World *world)
{
  asc_view_pan (&world->view, 0.1);
}
static void
new_events (World *world)
{
  put_run (world, 950, 20, 1);
  feed (world);
}
static void
new_lane (World *world)
{
  asc_board_name (&world->board, 3, ASC_NAME_TASK, "", "three");
  asc_board_start (&world->board, 0, 980000, 2, 3, 3);
  put_run (world, 981, 4, 2);
  feed (world);
  lay_out (world, "");
}
static void
lose_events (World *world)
{
  world->board.lose = TRUE;
  put_run (world, 985, 1, 0);
  asc_board_seal_all (&world->board);
  world->board.lose = FALSE;
  put_run (world, 990, 1, 0);
  feed (world);
}
static void
theme (World *world)
{
  world->scope.theme = asc_theme_dark ();
}
static void
scale (World *world)
{
  world->scale = 2;
}
static void
scale_back (World *world)
{
  world->scale = 1;
}
static void
selection (World *world)
{
  asc_view_select (&world->view, 300 * MS, 500 * MS);
}
static void
other_selection (World *world)
{
  asc_view_select (&world->view, 300 * MS, 550 * MS);
}
static void
cursor (World *world)
{
  asc_view_set_cursor (&world->view, 0, 420 * MS);
}
static void
clear_measures (World *world)
{
  asc_view_clear (&world->view);
  asc_view_clear (&world->view);
}
static void
hog_threshold (World *world)
{
  world->scope.hog_ns = 100 * MS;
}
static void
filter (World *world)
{
  lay_out (world, "two");
}
static void
no_filter (World *world)
{
  lay_out (world, "");
}
static void
lane_order (World *world)
{
  AscRow *first = &g_array_index (world->rows->rows, AscRow, 1);
  AscRow *second = &g_array_index (world->rows->rows, AscRow, 2);
  AscRow swap = *first;
  first->lane = second->lane;
  first->info = second->info;
  first->colour = second->colour;
  second->lane = swap.lane;
  second->info = swap.info;
  second->colour = swap.colour;
}
static void
chosen (World *world)
{
  world->scope.chosen = asc_session_lane (world->scope.session, 0);
}
static void
shares (World *world)
{
  world->percent[1] = 12.5;
}
static void
precision (World *world)
{
  world->scope.precision = ASC_TOLERANT;
}
static void
scrolled (World *world)
{
  world->scope.scroll = 7;
}
static void
names_width (World *world)
{
  world->scope.names_width = 120;
}

static void
test_every_change_is_seen (void **state)
{
  (void)state;
  static const struct
  {
    const char *what;
    void (*change) (World *world);
  } changes[] = {
    { "zoom", zoom },
    { "pan", pan },
    { "new events", new_events },
    { "a new lane", new_lane },
    { "lost events", lose_events },
    { "selection", selection },
    { "another selection", other_selection },
    { "cursor", cursor },
    { "no measures", clear_measures },
    { "theme", theme },
    { "scale", scale },
    { "chosen lane", chosen },
    { "scale back", scale_back },
    { "hog threshold", hog_threshold },
    { "filter", filter },
    { "no filter", no_filter },
    { "lane order", lane_order },
    { "shares of time", shares },
    { "precision", precision },
    { "scrolled", scrolled },
    { "names' width", names_width },
  };
  World world;
  world_init (&world);
  cairo_surface_t *held = cairo_surface_reference (draw (&world));
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      guint64 frames = asc_picture_frames (world.picture);
      changes[i].change (&world);
      cairo_surface_t *image = draw (&world);
      if (asc_picture_frames (world.picture) != frames + 1 || image == held)
        fail_msg ("not painted after: %s", changes[i].what);
      assert_ptr_equal (draw (&world), image);
      if (asc_picture_frames (world.picture) != frames + 1)
        fail_msg ("painted twice after: %s", changes[i].what);
      cairo_surface_destroy (held);
      held = cairo_surface_reference (image);
    }
  cairo_surface_destroy (held);
  world_clear (&world);
}

/* The hover is drawn over it: a pointer that moves costs no picture. */
static void
test_the_pointer_changes_nothing (void **state)
{
  (void)state;
  World world;
  world_init (&world);
  cairo_surface_t *image = draw (&world);
  world.scope.pointer_inside = true;
  for (double x = 0; x < W; x += 50)
    {
      world.scope.pointer_x = x;
      world.scope.pointer_y = 80;
      assert_ptr_equal (draw (&world), image);
    }
  assert_int_equal (asc_picture_frames (world.picture), 1);
  world_clear (&world);
}

/* Only the row whose value changed, once for each of the images that go in turn. */
static void
test_names_are_written_once (void **state)
{
  (void)state;
  World world;
  world_init (&world);
  guint n = world.rows->rows->len;
  cairo_surface_t *held = NULL;
  for (guint i = 0; i < 20; i++)
    {
      asc_view_pan_ns (&world.view, MS);
      cairo_surface_t *image = cairo_surface_reference (draw (&world));
      g_clear_pointer (&held, cairo_surface_destroy);
      held = image;
    }
  assert_in_range (asc_picture_names (world.picture), n, 3 * n);
  guint64 before = asc_picture_names (world.picture);
  world.percent[0] = 99;
  for (guint i = 0; i < 20; i++)
    {
      asc_view_pan_ns (&world.view, MS);
      cairo_surface_t *image = cairo_surface_reference (draw (&world));
      g_clear_pointer (&held, cairo_surface_destroy);
      held = image;
    }
  assert_in_range (asc_picture_names (world.picture) - before, 1, 3);
  g_clear_pointer (&held, cairo_surface_destroy);
  world_clear (&world);
}

/* An image that somebody holds stays as it is, however many frames follow. */
static void
test_held_images_stay (void **state)
{
  (void)state;
  World world;
  cairo_surface_t *held[6];
  guint sums[G_N_ELEMENTS (held)];
  world_init (&world);
  for (int again = 0; again < 2; again++)
    for (gsize i = 0; i < G_N_ELEMENTS (held); i++)
      {
        guint sum = 0;
        if (again == 0)
          {
            asc_view_pan_ns (&world.view, 37 * MS);
            held[i] = cairo_surface_reference (draw (&world));
          }
        const guint8 *data = cairo_image_surface_get_data (held[i]);
        gsize n = (gsize)cairo_image_surface_get_stride (held[i]) * H;
        for (gsize k = 0; k < n; k++)
          sum = sum * 31 + data[k];
        if (again == 0)
          sums[i] = sum;
        assert_int_equal (sums[i], sum);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (held); i++)
    cairo_surface_destroy (held[i]);
  world_clear (&world);
}

static void
test_another_session_in_its_place (void **state)
{
  (void)state;
  World world;
  world_init (&world);
  draw (&world);
  asc_picture_forget (world.picture);
  draw (&world);
  assert_int_equal (asc_picture_frames (world.picture), 2);
  /* Nothing shown for a while, on each of the images. */
  const AscSession *session = world.scope.session;
  cairo_surface_t *held = NULL;
  for (int i = 0; i < 8; i++)
    {
      world.scope.session = i % 3 == 1 ? NULL : session;
      asc_view_pan_ns (&world.view, MS);
      cairo_surface_t *image = cairo_surface_reference (draw (&world));
      g_clear_pointer (&held, cairo_surface_destroy);
      held = image;
    }
  g_clear_pointer (&held, cairo_surface_destroy);
  assert_int_equal (asc_picture_frames (world.picture), 10);
  world_clear (&world);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_every_change_is_seen),
  cmocka_unit_test (test_the_pointer_changes_nothing),
  cmocka_unit_test (test_names_are_written_once),
  cmocka_unit_test (test_held_images_stay),
  cmocka_unit_test (test_another_session_in_its_place),
};

ASC_TEST_MAIN (tests)
