#include "asc-table.h"

#include <string.h>

#include "asc-format.h"

/* One column: its key, and how many decimals its numbers have. */
typedef enum
{
  COUNT,   /* an unsigned count */
  WHOLE,   /* ns, -1: none */
  DECIMAL, /* a double, negative: none */
} Shape;

typedef struct
{
  const char *key;
  Shape shape;
  int decimals;
  gsize offset;
} Column;

#define COLUMN(key, shape, decimals)                                                     \
  {                                                                                      \
#key, shape, decimals, G_STRUCT_OFFSET(AscTaskStats, key)                            \
  }

static const Column columns[] = {
  COLUMN (instances, COUNT, 0),   COLUMN (runs, COUNT, 0),
  COLUMN (rate_hz, DECIMAL, 3),   COLUMN (cpu_percent, DECIMAL, 4),
  COLUMN (total_ns, WHOLE, 0),    COLUMN (min_ns, WHOLE, 0),
  COLUMN (median_ns, DECIMAL, 1), COLUMN (mean_ns, DECIMAL, 3),
  COLUMN (p99_ns, WHOLE, 0),      COLUMN (max_ns, WHOLE, 0),
  COLUMN (stddev_ns, DECIMAL, 3), COLUMN (late_max_ns, WHOLE, 0),
  COLUMN (censored, COUNT, 0),
};

/* Appends the number, or `none`. */
static void
append_cell (GString *out,
             const AscTaskStats *task,
             const Column *column,
             const char *none)
{
  const void *field = (const char *)task + column->offset;
  gint64 whole;
  double decimal;
  guint64 count;
  char text[64];
  char format[8];
  switch (column->shape)
    {
    case COUNT:
      memcpy (&count, field, sizeof count);
      g_string_append_printf (out, "%" G_GUINT64_FORMAT, count);
      break;
    case WHOLE:
      memcpy (&whole, field, sizeof whole);
      if (whole < 0)
        g_string_append (out, none);
      else
        g_string_append_printf (out, "%" G_GINT64_FORMAT, whole);
      break;
    case DECIMAL:
      memcpy (&decimal, field, sizeof decimal);
      g_snprintf (format, sizeof format, "%%.%df", column->decimals);
      g_string_append (out, decimal >= 0
                                ? g_ascii_formatd (text, sizeof text, format, decimal)
                                : none);
      break;
    }
}

/* ---- order ---- */

/* "late_max", "late_max_ns" and "Late max" are the same. */
static bool
names_column (const char *key, const char *name)
{
  static const char *const units[] = { "", "_ns", "_hz", "_percent" };
  const char *rest = g_str_has_prefix (key, name) ? key + strlen (name) : NULL;
  for (gsize i = 0; rest && i < G_N_ELEMENTS (units); i++)
    if (strcmp (rest, units[i]) == 0)
      return true;
  return false;
}

static double
value_of (const AscTaskStats *task, const Column *column)
{
  const void *field = (const char *)task + column->offset;
  if (column->shape == COUNT)
    return (double)*(const guint64 *)field;
  return column->shape == WHOLE ? (double)*(const gint64 *)field : *(const double *)field;
}

static gint
largest_first (gconstpointer a, gconstpointer b, gpointer column)
{
  const AscTaskStats *x = a, *y = b;
  double left = column ? value_of (x, column) : 0;
  double right = column ? value_of (y, column) : 0;
  if (left != right)
    return left < right ? 1 : -1;
  return strcmp (x->task, y->task);
}

bool
asc_table_sort (AscStats *stats, const char *name)
{
  const Column *column = NULL;
  char *key = g_strdelimit (g_ascii_strdown (name, -1), " -", '_');
  for (gsize i = 0; i < G_N_ELEMENTS (columns) && !column; i++)
    if (names_column (columns[i].key, key))
      column = &columns[i];
  bool found = column || strcmp (key, "task") == 0;
  g_free (key);
  if (!found)
    return false;
  if (!stats || stats->n_tasks == 0)
    return true;
  /* By an array: GLib 2.84 has no place in memory sorted by the name that 2.74 knows. */
  GArray *tasks = g_array_new (FALSE, FALSE, sizeof *stats->tasks);
  g_array_append_vals (tasks, stats->tasks, (guint)stats->n_tasks);
  g_array_sort_with_data (tasks, largest_first, (gpointer)(guintptr)column);
  memcpy (stats->tasks, tasks->data, stats->n_tasks * sizeof *stats->tasks);
  g_array_free (tasks, TRUE);
  return true;
}

char *
asc_table_names (void)
{
  GString *out = g_string_new ("task");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      const char *key = columns[i].key;
      gsize n = strlen (key);
      const char *unit = strrchr (key, '_');
      bool has_unit = unit
                      && (!strcmp (unit, "_ns") || !strcmp (unit, "_hz")
                          || !strcmp (unit, "_percent"));
      g_string_append (out, ", ");
      g_string_append_len (out, key, has_unit ? unit - key : (gssize)n);
    }
  return g_string_free (out, FALSE);
}

/* ---- CSV ---- */

void
asc_csv_string (GString *out, const char *text)
{
  if (!strpbrk (text, ",\"\r\n") && text[0] != ' ')
    {
      g_string_append (out, text);
      return;
    }
  g_string_append_c (out, '"');
  for (; *text; text++)
    {
      if (*text == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *text);
    }
  g_string_append_c (out, '"');
}

static void
csv_head (GString *out)
{
  g_string_append (out, "task");
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    g_string_append_printf (out, ",%s", columns[i].key);
  g_string_append_c (out, '\n');
}

/* number: of the session, 0 leaves that column out. */
static void
csv_rows (GString *out, const AscStats *stats, guint session)
{
  for (gsize i = 0; i < stats->n_tasks; i++)
    {
      if (session)
        g_string_append_printf (out, "%u,", session);
      asc_csv_string (out, stats->tasks[i].task);
      for (gsize c = 0; c < G_N_ELEMENTS (columns); c++)
        {
          g_string_append_c (out, ',');
          append_cell (out, &stats->tasks[i], &columns[c], "");
        }
      g_string_append_c (out, '\n');
    }
}

char *
asc_table_csv (const AscStats *stats)
{
  GString *out = g_string_new (NULL);
  csv_head (out);
  csv_rows (out, stats, 0);
  return g_string_free (out, FALSE);
}

char *
asc_table_csv_sessions (AscStats *const *stats, const guint *numbers, gsize n)
{
  GString *out = g_string_new ("session,");
  csv_head (out);
  for (gsize i = 0; i < n; i++)
    csv_rows (out, stats[i], numbers[i]);
  return g_string_free (out, FALSE);
}

/* ---- JSON ---- */

void
asc_json_string (GString *out, const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (out, '"');
  for (const char *c = valid; *c; c++)
    {
      if (*c == '"' || *c == '\\')
        g_string_append_printf (out, "\\%c", *c);
      else if (*c == '\n')
        g_string_append (out, "\\n");
      else if (*c == '\t')
        g_string_append (out, "\\t");
      else if ((guint8)*c < 0x20 || *c == 0x7f)
        g_string_append_printf (out, "\\u%04x", (guint)(guint8)*c);
      else
        g_string_append_c (out, *c);
    }
  g_string_append_c (out, '"');
  g_free (valid);
}

static void
json_task (GString *out, const AscTaskStats *task)
{
  g_string_append (out, "{\"task\":");
  asc_json_string (out, task->task);
  for (gsize c = 0; c < G_N_ELEMENTS (columns); c++)
    {
      g_string_append_printf (out, ",\"%s\":", columns[c].key);
      append_cell (out, task, &columns[c], "null");
    }
  g_string_append_c (out, '}');
}

/* The object without its opening brace. */
static void
json_stats (GString *out, const AscStats *stats, guint64 skipped_bytes)
{
  char coverage[32];
  g_string_append_printf (out, "\"observed_ns\":%" G_GINT64_FORMAT, stats->observed_ns);
  g_string_append_printf (
      out, ",\"coverage\":%s",
      g_ascii_formatd (coverage, sizeof coverage, "%.6f", stats->coverage));
  g_string_append_printf (out, ",\"lost_events\":%" G_GUINT64_FORMAT, stats->lost_events);
  g_string_append_printf (out, ",\"lost_known\":%s",
                          stats->lost_known ? "true" : "false");
  g_string_append_printf (out, ",\"skipped_bytes\":%" G_GUINT64_FORMAT ",\"tasks\":[",
                          skipped_bytes);
  for (gsize i = 0; i < stats->n_tasks; i++)
    {
      g_string_append (out, i ? ",\n " : "\n ");
      json_task (out, &stats->tasks[i]);
    }
  g_string_append (out, stats->n_tasks ? "\n]}" : "]}");
}

char *
asc_table_json (const AscStats *stats, guint64 skipped_bytes)
{
  GString *out = g_string_new ("{");
  json_stats (out, stats, skipped_bytes);
  g_string_append_c (out, '\n');
  return g_string_free (out, FALSE);
}

char *
asc_table_json_sessions (AscStats *const *stats,
                         const guint *numbers,
                         gsize n,
                         guint64 skipped_bytes)
{
  GString *out = g_string_new ("{\"sessions\":[");
  for (gsize i = 0; i < n; i++)
    {
      g_string_append_printf (out, "%s\n{\"session\":%u,", i ? "," : "", numbers[i]);
      json_stats (out, stats[i], skipped_bytes);
    }
  g_string_append (out, "\n]}\n");
  return g_string_free (out, FALSE);
}

/* ---- text ---- */

#define TEXT_COLUMNS 14

static const char *const titles[TEXT_COLUMNS]
    = { "Task",   "Inst.", "Runs", "Rate", "CPU",      "Total",    "Min",
        "Median", "Mean",  "P99",  "Max",  "\xCF\x83", "Late max", "Censored" };

static char *
text_decimal (double value, int decimals, const char *unit)
{
  char format[8];
  char digits[48];
  if (value < 0)
    return g_strdup ("-");
  g_snprintf (format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd (digits, sizeof digits, format, value);
  return g_strconcat (digits, unit, NULL);
}

static char *
text_duration (double ns)
{
  char out[32];
  return g_strdup (ns < 0 ? "-" : asc_format_duration (ns, out, sizeof out));
}

static char *
text_count (guint64 count)
{
  char out[40];
  return g_strdup (asc_format_count (count, out, sizeof out));
}

static void
text_cells (const AscTaskStats *task, char **cells)
{
  gsize i = 0;
  cells[i++] = g_strdup (task->task);
  cells[i++] = text_count (task->instances);
  cells[i++] = text_count (task->runs);
  cells[i++] = text_decimal (task->rate_hz, task->rate_hz < 100 ? 2 : 1, " Hz");
  cells[i++] = text_decimal (task->cpu_percent, 2, " %");
  cells[i++] = text_duration ((double)task->total_ns);
  cells[i++] = text_duration ((double)task->min_ns);
  cells[i++] = text_duration (task->median_ns);
  cells[i++] = text_duration (task->mean_ns);
  cells[i++] = text_duration ((double)task->p99_ns);
  cells[i++] = text_duration ((double)task->max_ns);
  cells[i++] = text_duration (task->stddev_ns);
  cells[i++] = text_duration ((double)task->late_max_ns);
  cells[i++] = text_count (task->censored);
}

static void
text_row (GString *out, char *const *cells, const gsize *widths)
{
  for (gsize i = 0; i < TEXT_COLUMNS; i++)
    {
      gsize pad = widths[i] - (gsize)g_utf8_strlen (cells[i], -1);
      if (i == 0)
        g_string_append_printf (out, "%s%*s", cells[i], (int)pad, "");
      else
        g_string_append_printf (out, "  %*s%s", (int)pad, "", cells[i]);
    }
  g_string_append_c (out, '\n');
}

char *
asc_table_text (const AscStats *stats)
{
  gsize n = stats->n_tasks;
  char **cells = g_new0 (char *, (n + 1) * TEXT_COLUMNS);
  gsize widths[TEXT_COLUMNS] = { 0 };
  for (gsize c = 0; c < TEXT_COLUMNS; c++)
    cells[c] = g_strdup (titles[c]);
  for (gsize i = 0; i < n; i++)
    text_cells (&stats->tasks[i], cells + (i + 1) * TEXT_COLUMNS);
  for (gsize i = 0; i < (n + 1) * TEXT_COLUMNS; i++)
    widths[i % TEXT_COLUMNS]
        = MAX (widths[i % TEXT_COLUMNS], (gsize)g_utf8_strlen (cells[i], -1));
  GString *out = g_string_new (NULL);
  for (gsize i = 0; i <= n; i++)
    text_row (out, cells + i * TEXT_COLUMNS, widths);
  for (gsize i = 0; i < (n + 1) * TEXT_COLUMNS; i++)
    g_free (cells[i]);
  g_free (cells);
  return g_string_free (out, FALSE);
}
