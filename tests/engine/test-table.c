/* Statistics as CSV, JSON and text: exact characters. */
#include "asc-test.h"

#include <locale.h>

#include "asc-table.h"

#define NO_RUN                                                                           \
  .min_ns = -1, .median_ns = -1, .mean_ns = -1, .p99_ns = -1, .max_ns = -1,              \
  .stddev_ns = -1, .late_max_ns = -1

static AscTaskStats tasks[] = {
  { .task = "pid",
    .instances = 1,
    .runs = 1200,
    .rate_hz = 199.8765,
    .cpu_percent = 12.34567,
    .total_ns = 1234567890123,
    .min_ns = 640,
    .median_ns = 914500.5,
    .mean_ns = 1000000.0625,
    .p99_ns = 1230000,
    .max_ns = 32080000,
    .stddev_ns = 0,
    .late_max_ns = 0,
    .censored = 2 },
  { .task = "log, \"sd\"", .cpu_percent = 50, NO_RUN },
  { .task = "über\nline", .cpu_percent = 1, NO_RUN },
};

static AscStats stats = { .observed_ns = 5000000000,
                          .coverage = 0.98765432,
                          .lost_events = 17,
                          .lost_known = true,
                          .n_tasks = 3,
                          .tasks = tasks };

static const char head[] = "task,instances,runs,rate_hz,cpu_percent,total_ns,min_ns,"
                           "median_ns,mean_ns,p99_ns,max_ns,stddev_ns,late_max_ns,"
                           "censored\n";

static void
csv_is_exact (void **state)
{
  (void)state;
  /* A locale with a decimal comma, where the system has one. */
  setlocale (LC_ALL, "de_DE.UTF-8");
  char *csv = asc_table_csv (&stats);
  assert_true (g_str_has_prefix (csv, head));
  assert_string_equal (
      csv + strlen (head),
      "pid,1,1200,199.876,12.3457,1234567890123,640,914500.5,1000000.062,1230000,"
      "32080000,0.000,0,2\n"
      "\"log, \"\"sd\"\"\",0,0,0.000,50.0000,0,,,,,,,,0\n"
      "\"über\nline\",0,0,0.000,1.0000,0,,,,,,,,0\n");
  g_free (csv);
  AscStats *both[] = { &stats, &stats };
  guint numbers[] = { 1, 3 };
  stats.n_tasks = 1;
  csv = asc_table_csv_sessions (both, numbers, 2);
  assert_true (g_str_has_prefix (csv, "session,task,"));
  assert_non_null (strstr (csv, "\n1,pid,1,"));
  assert_non_null (strstr (csv, "\n3,pid,1,"));
  g_free (csv);
  stats.n_tasks = 3;
  setlocale (LC_ALL, "C");
}

static void
json_is_exact (void **state)
{
  (void)state;
  stats.n_tasks = 2;
  char *json = asc_table_json (&stats, 99);
  assert_string_equal (
      json, "{\"observed_ns\":5000000000,\"coverage\":0.987654,\"lost_events\":17,"
            "\"lost_known\":true,\"skipped_bytes\":99,\"tasks\":[\n"
            " {\"task\":\"pid\",\"instances\":1,\"runs\":1200,\"rate_hz\":199.876,"
            "\"cpu_percent\":12.3457,\"total_ns\":1234567890123,\"min_ns\":640,"
            "\"median_ns\":914500.5,\"mean_ns\":1000000.062,\"p99_ns\":1230000,"
            "\"max_ns\":32080000,\"stddev_ns\":0.000,\"late_max_ns\":0,\"censored\":2},\n"
            " {\"task\":\"log, \\\"sd\\\"\",\"instances\":0,\"runs\":0,\"rate_hz\":0.000,"
            "\"cpu_percent\":50.0000,\"total_ns\":0,\"min_ns\":null,\"median_ns\":null,"
            "\"mean_ns\":null,\"p99_ns\":null,\"max_ns\":null,\"stddev_ns\":null,"
            "\"late_max_ns\":null,\"censored\":0}\n]}\n");
  g_free (json);
  stats.n_tasks = 0;
  json = asc_table_json (&stats, 0);
  assert_true (g_str_has_suffix (json, "\"tasks\":[]}\n"));
  g_free (json);
  stats.n_tasks = 3;
}

static void
json_strings_are_escaped (void **state)
{
  (void)state;
  GString *out = g_string_new (NULL);
  asc_json_string (out, "a\"b\\c\n\t\x01\x7f\xff ü");
  assert_string_equal (out->str, "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\xEF\xBF\xBD ü\"");
  g_string_free (out, TRUE);
}

static void
text_is_aligned_and_sorted (void **state)
{
  (void)state;
  AscTaskStats before[3];
  memcpy (before, stats.tasks, sizeof before);
  stats.n_tasks = 2;
  assert_false (asc_table_sort (NULL, "ma"));
  assert_false (asc_table_sort (&stats, "nothing"));
  assert_true (asc_table_sort (&stats, "task"));
  assert_string_equal (stats.tasks[0].task, "log, \"sd\"");
  assert_true (asc_table_sort (&stats, "runs"));
  assert_string_equal (stats.tasks[0].task, "pid");
  assert_true (asc_table_sort (&stats, "late_max"));
  assert_true (stats.tasks[0].late_max_ns >= stats.tasks[1].late_max_ns);
  assert_true (asc_table_sort (&stats, "median"));
  assert_true (stats.tasks[0].median_ns >= stats.tasks[1].median_ns);
  assert_true (asc_table_sort (&stats, "cpu"));
  char *names = asc_table_names ();
  assert_string_equal (names,
                       "task, instances, runs, rate, cpu, total, min, median, mean, "
                       "p99, max, stddev, late_max, censored");
  g_free (names);
  char *text = asc_table_text (&stats);
  char **lines = g_strsplit (text, "\n", -1);
  assert_int_equal (g_strv_length (lines), 4);
  assert_true (g_str_has_prefix (lines[0], "Task "));
  assert_true (g_str_has_prefix (lines[1], "log, \"sd\" "));
  assert_true (g_str_has_prefix (lines[2], "pid "));
  assert_int_equal (g_utf8_strlen (lines[0], -1), g_utf8_strlen (lines[1], -1));
  assert_int_equal (g_utf8_strlen (lines[0], -1), g_utf8_strlen (lines[2], -1));
  assert_non_null (strstr (lines[2], "12.35 %"));
  assert_non_null (strstr (lines[2], "32.08 ms"));
  g_strfreev (lines);
  g_free (text);
  memcpy (stats.tasks, before, sizeof before);
  stats.n_tasks = 3;
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (csv_is_exact),
    cmocka_unit_test (json_is_exact),
    cmocka_unit_test (json_strings_are_escaped),
    cmocka_unit_test (text_is_aligned_and_sorted),
  };
  return asc_test_run (tests, sizeof tests / sizeof *tests);
}
