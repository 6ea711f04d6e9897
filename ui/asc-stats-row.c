#include "asc-stats-row.h"

#include "asc-format.h"

struct _AscStatsRow
{
  GObject parent;
  AscTaskStats stats;
};

G_DEFINE_TYPE (AscStatsRow, asc_stats_row, G_TYPE_OBJECT)

static guint changed;

static const struct
{
  const char *title;
  const char *help;
} columns[ASC_COLUMN_N] = {
  [ASC_COLUMN_TASK] = { "Task", "The coroutine function; its instances share the row" },
  [ASC_COLUMN_INSTANCES]
  = { "Instances", "Task objects that lived in the stretch, all of it or a part" },
  [ASC_COLUMN_RUNS]
  = { "Runs", "Resumes, from ENTER to EXIT; those that touch lost events are left out" },
  [ASC_COLUMN_RATE] = { "Rate /s", "Runs a second of observed time" },
  [ASC_COLUMN_CPU]
  = { "CPU %", "Share of observed time, runs cut at the stretch's borders" },
  [ASC_COLUMN_TOTAL] = { "Total", "Time of all runs together" },
  [ASC_COLUMN_MIN] = { "Min", "Shortest run" },
  [ASC_COLUMN_MEDIAN] = { "Median", "Half of the runs are shorter" },
  [ASC_COLUMN_MEAN] = { "Mean", "Average run" },
  [ASC_COLUMN_P99] = { "P99", "99 of 100 runs are not longer" },
  [ASC_COLUMN_MAX] = { "Max", "Longest run; double-click the row to see it" },
  [ASC_COLUMN_STDDEV] = { "σ", "Standard deviation of the runs" },
  [ASC_COLUMN_LATE_MAX]
  = { "Late max", "Longest wait after it was due, of runs that were timed" },
  [ASC_COLUMN_CENSORED] = { "Censored", "Runs whose end was lost: in no other figure" },
};

const char *
asc_stats_column_title (AscStatsColumn column)
{
  return columns[column].title;
}

const char *
asc_stats_column_help (AscStatsColumn column)
{
  return columns[column].help;
}

const AscTaskStats *
asc_stats_row_stats (const AscStatsRow *row)
{
  return &row->stats;
}

void
asc_stats_row_update (AscStatsRow *row, const AscTaskStats *stats)
{
  row->stats = *stats;
  g_signal_emit (row, changed, 0);
}

AscStatsRow *
asc_stats_row_new (const AscTaskStats *stats)
{
  AscStatsRow *row = g_object_new (ASC_TYPE_STATS_ROW, NULL);
  row->stats = *stats;
  return row;
}

static double
number (const AscTaskStats *s, AscStatsColumn column)
{
  switch (column)
    {
    case ASC_COLUMN_INSTANCES:
      return (double)s->instances;
    case ASC_COLUMN_RUNS:
      return (double)s->runs;
    case ASC_COLUMN_RATE:
      return s->rate_hz;
    case ASC_COLUMN_CPU:
      return s->cpu_percent;
    case ASC_COLUMN_TOTAL:
      return (double)s->total_ns;
    case ASC_COLUMN_MIN:
      return (double)s->min_ns;
    case ASC_COLUMN_MEDIAN:
      return s->median_ns;
    case ASC_COLUMN_MEAN:
      return s->mean_ns;
    case ASC_COLUMN_P99:
      return (double)s->p99_ns;
    case ASC_COLUMN_MAX:
      return (double)s->max_ns;
    case ASC_COLUMN_STDDEV:
      return s->stddev_ns;
    case ASC_COLUMN_LATE_MAX:
      return (double)s->late_max_ns;
    case ASC_COLUMN_CENSORED:
      return (double)s->censored;
    case ASC_COLUMN_TASK:
    case ASC_COLUMN_N:
      break;
    }
  return 0;
}

char *
asc_stats_row_text (const AscStatsRow *row, AscStatsColumn column, char *out, gsize n)
{
  const AscTaskStats *s = &row->stats;
  double value = number (s, column);
  *out = '\0';
  switch (column)
    {
    case ASC_COLUMN_TASK:
      g_strlcpy (out, s->task, n);
      break;
    case ASC_COLUMN_INSTANCES:
    case ASC_COLUMN_RUNS:
    case ASC_COLUMN_CENSORED:
      asc_format_count ((guint64)value, out, n);
      break;
    case ASC_COLUMN_RATE:
    case ASC_COLUMN_CPU:
      g_snprintf (out, (gulong)n, "%.1f", value);
      break;
    case ASC_COLUMN_TOTAL:
      asc_format_duration (value, out, n);
      break;
    case ASC_COLUMN_LATE_MAX:
      if (value >= 0)
        g_snprintf (out, (gulong)n, "%.0f ms", value / 1e6);
      break;
    case ASC_COLUMN_MIN:
    case ASC_COLUMN_MEDIAN:
    case ASC_COLUMN_MEAN:
    case ASC_COLUMN_P99:
    case ASC_COLUMN_MAX:
    case ASC_COLUMN_STDDEV:
      if (s->runs > 0)
        asc_format_duration (value, out, n);
      break;
    case ASC_COLUMN_N:
      break;
    }
  return out;
}

int
asc_stats_row_compare (const AscStatsRow *a, const AscStatsRow *b, AscStatsColumn column)
{
  if (column == ASC_COLUMN_TASK)
    return g_utf8_collate (a->stats.task, b->stats.task);
  double x = number (&a->stats, column), y = number (&b->stats, column);
  return x < y ? -1 : x > y;
}

static void
asc_stats_row_class_init (AscStatsRowClass *class)
{
  (void)class;
  changed = g_signal_new ("changed", ASC_TYPE_STATS_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                          NULL, G_TYPE_NONE, 0);
}

static void
asc_stats_row_init (AscStatsRow *row)
{
  (void)row;
}
