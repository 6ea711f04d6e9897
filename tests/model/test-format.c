/* Times and counts as people read them. */
#include "asc-format.h"
#include "asc-test.h"

#include <locale.h>
#include <math.h>

static void
durations (void **state)
{
  (void)state;
  static const struct
  {
    double ns;
    const char *text;
  } rows[] = {
    { 0, "0 ns" },        { 1, "1 ns" },          { 999, "999 ns" },
    { 999.4, "999 ns" },  { 999.5, "1.00 µs" },   { 1000, "1.00 µs" },
    { 1234, "1.23 µs" },  { 1235, "1.24 µs" },    { 32080000, "32.08 ms" },
    { 914000, "914 µs" }, { 99994, "99.99 µs" },  { 99995, "100 µs" },
    { 999499, "999 µs" }, { 999500, "1.00 ms" },  { 1.5e9, "1.50 s" },
    { 123.4e9, "123 s" }, { 86400e9, "86400 s" }, { -1500, "-1.50 µs" },
    { 1e300, "?" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char out[32];
      assert_string_equal (asc_format_duration (rows[i].ns, out, sizeof out),
                           rows[i].text);
    }
  char out[32];
  assert_string_equal (asc_format_duration ((double)NAN, out, sizeof out), "?");
}

static void
counts (void **state)
{
  (void)state;
  char out[32];
  assert_string_equal (asc_format_count (0, out, sizeof out), "0");
  assert_string_equal (asc_format_count (999, out, sizeof out), "999");
  assert_string_equal (asc_format_count (1204, out, sizeof out), "1\u202f204");
  assert_string_equal (asc_format_count (1234567, out, sizeof out),
                       "1\u202f234\u202f567");
  char wide[40];
  assert_string_equal (asc_format_count (G_MAXUINT64, wide, sizeof wide),
                       "18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615");
}

static void
clocks (void **state)
{
  (void)state;
  static const struct
  {
    gint64 ns, resolution;
    const char *text;
  } rows[] = {
    { 59238000000, 1000000, "00:59.238" },
    { 59238999999, 1000000, "00:59.238" },
    { 59238999999, 1, "00:59.238999999" },
    { 59238999999, 0, "00:59.238999999" },
    { 0, 1000000000, "00:00" },
    { 61500000000, 500000000, "01:01.5" },
    { 61500000000, 5000000000, "01:01" },
    { 3723500000000, 100000000, "1:02:03.5" },
    { 360000000000000, 1000000000, "100:00:00" },
    { -1, 1000, "-00:00.000001" },
    { -1500000000, 1000000000, "-00:02" },
    { -1500000000, 100000000, "-00:01.5" },
    { G_MAXINT64, 1, "2562047:47:16.854775807" },
    { G_MININT64, 1, "-2562047:47:16.854775808" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char out[32];
      assert_string_equal (
          asc_format_clock (rows[i].ns, rows[i].resolution, out, sizeof out),
          rows[i].text);
    }
}

static void
short_buffers (void **state)
{
  (void)state;
  char out[4];
  assert_string_equal (asc_format_clock (59238000000, 1, out, sizeof out), "00:");
  assert_string_equal (asc_format_count (123456, out, sizeof out), "123");
  assert_string_equal (asc_format_duration (914000, out, sizeof out), "914");
}

int
main (void)
{
  /* A locale with a decimal comma, where the system has one, must change nothing. */
  setlocale (LC_ALL, "de_DE.UTF-8");
  struct CMUnitTest tests[] = {
    cmocka_unit_test (durations),
    cmocka_unit_test (counts),
    cmocka_unit_test (clocks),
    cmocka_unit_test (short_buffers),
  };
  return asc_test_run (tests, G_N_ELEMENTS (tests));
}
