/* Contrast of everything that is painted, from the theme's constants (WCAG 2). */
#include "asc-test.h"

#include "asc-theme.h"

#define TEXT 4.5
#define SHAPE 3.0

static const AscTheme *
theme_of (int i)
{
  return i == 0 ? asc_theme_light () : asc_theme_dark ();
}

static void
check (int i, const char *what, AscColour front, AscColour behind, double least)
{
  double contrast = asc_colour_contrast (front, behind);
  if (contrast < least)
    fail_msg ("%s theme, %s: %06x on %06x has %.2f, needs %.1f",
              i == 0 ? "light" : "dark", what, front, behind, contrast, least);
}

static void
test_contrast_formula (void **state)
{
  (void)state;
  assert_float_equal (asc_colour_contrast (0x000000, 0xFFFFFF), 21, 1e-6);
  assert_float_equal (asc_colour_contrast (0x777777, 0x777777), 1, 1e-6);
  assert_float_equal (asc_colour_contrast (0x767676, 0xFFFFFF), 4.54, 0.01);
}

static void
test_text (void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++)
    {
      const AscTheme *t = theme_of (i);
      const AscColour behind[] = { t->base, t->band, t->panel, t->chosen };
      for (size_t b = 0; b < 4; b++)
        {
          check (i, "text", t->text, behind[b], TEXT);
          check (i, "dim text", t->text_dim, behind[b], TEXT);
        }
      check (i, "text on accent", t->on_accent, t->accent, TEXT);
      check (i, "text on warning", t->on_warn, t->warn, TEXT);
      check (i, "text on mark", t->on_mark, t->mark, TEXT);
    }
}

static void
test_shapes (void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++)
    {
      const AscTheme *t = theme_of (i);
      const AscColour shapes[] = { t->accent, t->warn,  t->mark,    t->idle, t->wait,
                                   t->gc,     t->level, t->counter, t->load, t->hatch };
      for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        {
          char name[32];
          snprintf (name, sizeof name, "shape %zu", s);
          check (i, name, shapes[s], t->base, SHAPE);
          check (i, name, shapes[s], t->band, 2.9);
        }
      for (int c = 0; c < ASC_THEME_COLOURS; c++)
        {
          char name[32];
          snprintf (name, sizeof name, "task colour %d", c);
          check (i, name, t->task[c], t->base, SHAPE);
          check (i, name, t->task[c], t->band, SHAPE);
          check (i, name, t->task[c], t->chosen, SHAPE);
        }
    }
}

static void
test_colours_differ (void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++)
    for (int a = 0; a < ASC_THEME_COLOURS; a++)
      for (int b = a + 1; b < ASC_THEME_COLOURS; b++)
        assert_int_not_equal (theme_of (i)->task[a], theme_of (i)->task[b]);
}

static void
test_mix (void **state)
{
  (void)state;
  assert_int_equal (asc_colour_mix (0x102030, 0xFFEEDD, 0), 0x102030);
  assert_int_equal (asc_colour_mix (0x102030, 0xFFEEDD, 1), 0xFFEEDD);
  assert_int_equal (asc_colour_mix (0x000000, 0xFFFFFF, 0.5), 0x808080);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (test_contrast_formula),
  cmocka_unit_test (test_text),
  cmocka_unit_test (test_shapes),
  cmocka_unit_test (test_colours_differ),
  cmocka_unit_test (test_mix),
};

ASC_TEST_MAIN (tests)
