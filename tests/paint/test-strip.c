/* Rows of pixels: what each line shows, straight onto an image and as one of its own. */
#include "asc-test.h"

#include <string.h>

#include "asc-strip.h"

#define WIDTH 40 /* pixels */
#define HEIGHT 20
#define X 3 /* of the strip in the image */
#define Y 2
#define ROW 12 /* its height */

#define BACK 0x101010u
#define TICK 0x202020u
#define BAR 0x303030u
#define WAIT 0x404040u
#define FOOT 0x505050u
#define EDGE 0x606060u
#define NOTHING 0x777777u

static const AscStripRow about = { .height = ROW,
                                   .top = 2,
                                   .waits = 6,
                                   .bottom = 9,
                                   .foot = FOOT,
                                   .has_foot = true,
                                   .edge = EDGE,
                                   .has_edge = true };

/* A tick at 10, a bar from 5 to 15, a wait from 12 to 20. */
static void
fill (AscStrip *strip)
{
  static const double ticks[] = { 10 };
  asc_strip_clear (strip);
  asc_strip_back (strip, BACK, ticks, 1, TICK);
  asc_strip_fill (strip, asc_strip_bars (strip), 5, 15, BAR);
  asc_strip_fill (strip, asc_strip_waits (strip), 12, 20, WAIT);
}

static AscColour
expected (double x, double y)
{
  bool bar = x >= 5 && x < 15, wait = x >= 12 && x < 20;
  if (y >= ROW - 1)
    return EDGE;
  if (y >= 9 && y < 10)
    return FOOT;
  if (y >= 2 && y < 9 && bar)
    return BAR;
  if (y >= 6 && y < 9 && wait)
    return WAIT;
  return x >= 10 && x < 11 ? TICK : BACK;
}

static cairo_surface_t *
image_new (double scale)
{
  cairo_surface_t *image = cairo_image_surface_create (
      CAIRO_FORMAT_RGB24, (int)(WIDTH * scale), (int)(HEIGHT * scale));
  cairo_surface_set_device_scale (image, scale, scale);
  return image;
}

static cairo_t *
context_of (cairo_surface_t *image)
{
  cairo_t *cr = cairo_create (image);
  asc_set_colour (cr, NOTHING);
  cairo_paint (cr);
  cairo_rectangle (cr, X, 0, WIDTH - 2 * X, HEIGHT);
  cairo_clip (cr);
  cairo_translate (cr, X, Y);
  return cr;
}

static AscColour
pixel (cairo_surface_t *image, int x, int y)
{
  const guint8 *line = cairo_image_surface_get_data (image)
                       + (gsize)y * (gsize)cairo_image_surface_get_stride (image);
  guint32 value;
  memcpy (&value, line + (gsize)x * 4, 4);
  return value & 0xFFFFFF;
}

/* Each device pixel of the image, those around the row too. */
static void
check (cairo_surface_t *image, double scale, double shift)
{
  cairo_surface_flush (image);
  for (int y = 0; y < (int)(HEIGHT * scale); y++)
    for (int x = 0; x < (int)(WIDTH * scale); x++)
      {
        double at_x = x / scale - X, at_y = y / scale - Y - shift;
        bool inside = at_x >= 0 && at_x < WIDTH - 2 * X && at_y >= 0 && at_y < ROW;
        AscColour right = inside ? expected (at_x, at_y) : NOTHING;
        if (pixel (image, x, y) != right)
          fail_msg ("scale %g: %d,%d is %06x, not %06x", scale, x, y, pixel (image, x, y),
                    right);
      }
}

static void
test_lines (void **state)
{
  (void)state;
  static const double scales[] = { 1, 2, 3 };
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      double scale = scales[i];
      cairo_surface_t *image = image_new (scale);
      cairo_t *cr = context_of (image);
      AscStrip *strip = asc_strip_new (cr, (guint)((WIDTH - 2 * X) * scale), scale);
      assert_true (asc_strip_is_direct (strip));
      fill (strip);
      asc_strip_put (strip, 1, &about);
      asc_strip_free (strip);
      cairo_destroy (cr);
      check (image, scale, 1);
      cairo_surface_destroy (image);
    }
}

/* What can not be written to directly gets the same picture. */
static void
test_by_way_of_an_image (void **state)
{
  (void)state;
  for (double scale = 1; scale < 3; scale++)
    {
      cairo_surface_t *image = image_new (scale);
      cairo_surface_t *recording
          = cairo_recording_surface_create (CAIRO_CONTENT_COLOR, NULL);
      cairo_t *cr = context_of (image), *to = cairo_create (recording);
      AscStrip *strip = asc_strip_new (to, (guint)((WIDTH - 2 * X) * scale), scale);
      assert_false (asc_strip_is_direct (strip));
      fill (strip);
      asc_strip_put (strip, 1, &about);
      asc_strip_free (strip);
      cairo_destroy (to);
      cairo_set_source_surface (cr, recording, 0, 0);
      cairo_rectangle (cr, 0, 1, WIDTH, ROW);
      cairo_fill (cr);
      cairo_destroy (cr);
      cairo_surface_destroy (recording);
      check (image, scale, 1);
      cairo_surface_destroy (image);
    }
}

/* Nothing is written past a clip, or past the image. */
static void
test_borders (void **state)
{
  (void)state;
  cairo_surface_t *image = image_new (1);
  cairo_t *cr = context_of (image);
  cairo_rectangle (cr, 4, 0, 12, 8);
  cairo_clip (cr);
  AscStrip *strip = asc_strip_new (cr, 1000, 1);
  fill (strip);
  asc_strip_put (strip, -5, &about);
  asc_strip_put (strip, 5, &about);
  asc_strip_put (strip, 500, &about);
  asc_strip_put (strip, -500, &about);
  asc_strip_free (strip);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      {
        int at_x = x - X, at_y = y - Y;
        bool inside = at_x >= 4 && at_x < 16 && at_y >= 0 && at_y < 8;
        bool second = at_y >= 5;
        AscColour right
            = !inside ? NOTHING : expected (at_x, second ? at_y - 5 : at_y + 5);
        if (inside && at_y + 5 >= ROW && !second)
          right = NOTHING; /* between the two */
        assert_int_equal (pixel (image, x, y), right);
      }
  cairo_surface_destroy (image);
}

/* Rotated, fractional or clipped to more than one rectangle: never straight. */
static void
test_what_is_not_direct (void **state)
{
  (void)state;
  for (int kind = 0; kind < 5; kind++)
    {
      cairo_surface_t *image = image_new (1);
      cairo_t *cr = context_of (image);
      if (kind == 0)
        cairo_rotate (cr, 0.1);
      else if (kind == 1)
        cairo_translate (cr, 0.5, 0);
      else if (kind == 2)
        cairo_scale (cr, 0.5, 0.5);
      else if (kind == 3)
        {
          cairo_rectangle (cr, 0, 0, 5, 5);
          cairo_rectangle (cr, 10, 10, 5, 5);
          cairo_clip (cr);
        }
      else
        {
          cairo_arc (cr, 10, 10, 5, 0, 6);
          cairo_clip (cr);
        }
      AscStrip *strip = asc_strip_new (cr, 20, 1);
      assert_false (asc_strip_is_direct (strip));
      fill (strip);
      asc_strip_put (strip, 1, &about);
      assert_int_equal (cairo_status (cr), CAIRO_STATUS_SUCCESS);
      asc_strip_free (strip);
      cairo_destroy (cr);
      cairo_surface_destroy (image);
    }
}

static void
test_area (void **state)
{
  (void)state;
  cairo_surface_t *image = image_new (1);
  cairo_t *cr = context_of (image);
  guint n = WIDTH - 2 * X;
  float *heights = g_new (float, n);
  AscStrip *strip = asc_strip_new (cr, n, 1);
  asc_strip_clear (strip);
  asc_strip_back (strip, BACK, NULL, 0, TICK);
  for (guint i = 0; i < n; i++)
    heights[i] = i < 10 ? 7 : i < 20 ? 3.5f : i < 25 ? 0 : -1;
  asc_strip_put_area (strip, 0, &about, heights, BAR);
  asc_strip_free (strip);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  for (int y = 2; y < 9; y++)
    {
      assert_int_equal (pixel (image, X + 4, Y + y), BAR);
      assert_int_equal (pixel (image, X + 14, Y + y),
                        y < 5   ? BACK
                        : y > 5 ? BAR
                                : asc_colour_mix (BACK, BAR, 0.5));
      assert_int_equal (pixel (image, X + 22, Y + y), BACK);
      assert_int_equal (pixel (image, X + 30, Y + y), BACK);
    }
  assert_int_equal (pixel (image, X + 4, Y + 1), BACK);
  assert_int_equal (pixel (image, X + 4, Y + 9), FOOT);
  g_free (heights);
  cairo_surface_destroy (image);
}

static void
test_strokes (void **state)
{
  (void)state;
  for (int pen = 1; pen < 3; pen++)
    {
      cairo_surface_t *image = image_new (1);
      cairo_t *cr = context_of (image);
      AscStroke strokes[WIDTH - 2 * X];
      AscStrip *strip = asc_strip_new (cr, G_N_ELEMENTS (strokes), 1);
      asc_strip_back (strip, BACK, NULL, 0, TICK);
      /* Low, up at 10, high, and a gap from 20 on. */
      for (int i = 0; i < (int)G_N_ELEMENTS (strokes); i++)
        strokes[i] = i < 10    ? (AscStroke){ 7, 7 }
                     : i == 10 ? (AscStroke){ 3, 7 }
                     : i < 20  ? (AscStroke){ 3, 3 }
                               : (AscStroke){ 0, -1 };
      asc_strip_put_strokes (strip, 0, &about, strokes, pen, BAR);
      asc_strip_free (strip);
      cairo_destroy (cr);
      cairo_surface_flush (image);
      for (int y = 2; y < 9; y++)
        {
          bool low = y >= 7 && y < 7 + pen, high = y >= 3 && y < 3 + pen;
          bool up = y >= 3 && y < 7 + pen;
          assert_int_equal (pixel (image, X + 5, Y + y), low ? BAR : BACK);
          assert_int_equal (pixel (image, X + 10, Y + y), up ? BAR : BACK);
          assert_int_equal (pixel (image, X + 10 + pen, Y + y), high ? BAR : BACK);
          assert_int_equal (pixel (image, X + 19 + pen, Y + y), BACK);
        }
      cairo_surface_destroy (image);
    }
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_lines),   cmocka_unit_test (test_by_way_of_an_image),
  cmocka_unit_test (test_borders), cmocka_unit_test (test_what_is_not_direct),
  cmocka_unit_test (test_area),    cmocka_unit_test (test_strokes),
};

ASC_TEST_MAIN (tests)
