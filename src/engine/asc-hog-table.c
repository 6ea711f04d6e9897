#include "asc-hog-table.h"

#include "asc-format.h"
#include "asc-table.h"

#define TEXT_VICTIMS 3 /* named in a line; the others are counted */
#define LOST (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_OPEN)

static void
row_free (gpointer data)
{
  AscHogRow *row = data;
  g_array_unref (row->victims);
  g_free (row);
}

static AscHogRow *
row_new (const AscSessionInfo *session, const AscHog *hog)
{
  AscHogRow *row = g_new0 (AscHogRow, 1);
  AscLaneInfo lane;
  AscRun run;
  asc_lane_info (hog->lane, &lane);
  row->task = lane.name;
  row->several = lane.instances > 1;
  row->start_ns = hog->start_ns - session->start_ns;
  row->length_ns = hog->end_ns - hog->start_ns;
  row->victims = g_array_new (FALSE, FALSE, sizeof (AscHogVictim));
  if (asc_lane_run_at (hog->lane, hog->start_ns, &run) && run.start_ns == hog->start_ns)
    {
      row->instance = run.instance;
      row->at_least = (run.flags & LOST) != 0;
    }
  return row;
}

/* Delays come with the longest first, so a task's first one is its longest. */
static void
add_delay (AscHogRow *row, const AscDelay *delay)
{
  AscLaneInfo lane;
  asc_lane_info (delay->lane, &lane);
  row->n_delayed++;
  row->most_ns = MAX (row->most_ns, delay->delay_ns);
  for (guint i = 0; i < row->victims->len; i++)
    {
      AscHogVictim *victim = &g_array_index (row->victims, AscHogVictim, i);
      if (victim->task == lane.name)
        {
          victim->runs++;
          return;
        }
    }
  AscHogVictim victim = { lane.name, 1, delay->delay_ns };
  g_array_append_val (row->victims, victim);
}

static gint
longest_first (gconstpointer a, gconstpointer b)
{
  const AscHogRow *x = *(AscHogRow *const *)a, *y = *(AscHogRow *const *)b;
  if (x->length_ns != y->length_ns)
    return x->length_ns > y->length_ns ? -1 : 1;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

AscHogTable *
asc_hog_table_new (const AscSession *session,
                   gint64 threshold_ns,
                   gint64 from_ns,
                   gint64 to_ns)
{
  AscHogTable *table = g_new0 (AscHogTable, 1);
  AscSessionInfo info;
  asc_session_info (session, &info);
  AscHog *hogs = NULL;
  gsize n = 1, room = 512;
  while (hogs == NULL || n > room)
    {
      room *= 2;
      hogs = g_renew (AscHog, hogs, room);
      n = asc_session_hogs (session, threshold_ns, from_ns, to_ns, hogs, room);
    }
  GArray *delays = asc_session_delays (session, hogs, n, &table->whole);
  table->threshold_ns = threshold_ns;
  table->rows = g_ptr_array_new_with_free_func (row_free);
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (table->rows, row_new (&info, &hogs[i]));
  for (guint i = 0; i < delays->len; i++)
    {
      const AscDelay *delay = &g_array_index (delays, AscDelay, i);
      add_delay (table->rows->pdata[delay->hog], delay);
    }
  g_ptr_array_sort (table->rows, longest_first);
  g_array_unref (delays);
  g_free (hogs);
  return table;
}

void
asc_hog_table_free (AscHogTable *table)
{
  if (table == NULL)
    return;
  g_ptr_array_unref (table->rows);
  g_free (table);
}

/* ---- text ---- */

static void
text_delayed (GString *out, const AscHogRow *row)
{
  char length[32];
  if (row->victims->len == 0)
    g_string_append (out, "nobody that told its lateness");
  for (guint i = 0; i < MIN (row->victims->len, TEXT_VICTIMS); i++)
    {
      const AscHogVictim *victim = &g_array_index (row->victims, AscHogVictim, i);
      g_string_append_printf (
          out, "%s%s %s", i ? ", " : "", victim->task,
          asc_format_duration ((double)victim->most_ns, length, sizeof length));
      if (victim->runs > 1)
        g_string_append_printf (out, " (%" G_GUINT64_FORMAT " runs)", victim->runs);
    }
  if (row->victims->len > TEXT_VICTIMS)
    g_string_append_printf (out, " and %u more", row->victims->len - TEXT_VICTIMS);
}

static char *
text_task (const AscHogRow *row)
{
  return row->several && row->instance > 0
             ? g_strdup_printf ("%s #%u", row->task, row->instance)
             : g_strdup (row->task);
}

char *
asc_hog_table_text (const AscHogTable *table)
{
  GString *out = g_string_new (NULL);
  int width = 4;
  if (table->rows->len == 0)
    return g_string_free (out, FALSE);
  for (guint i = 0; i < table->rows->len; i++)
    {
      char *task = text_task (table->rows->pdata[i]);
      width = MAX (width, (int)g_utf8_strlen (task, -1));
      g_free (task);
    }
  g_string_append_printf (out, "%14s  %11s  Task%*s  Delayed\n", "At", "Length",
                          width - 4, "");
  for (guint i = 0; i < table->rows->len; i++)
    {
      const AscHogRow *row = table->rows->pdata[i];
      char at[48], length[32], shown[48];
      char *task = text_task (row);
      asc_format_clock (row->start_ns, 1000, at, sizeof at);
      asc_format_duration ((double)row->length_ns, length, sizeof length);
      g_snprintf (shown, sizeof shown, "%s%s", row->at_least ? "≥ " : "", length);
      g_string_append_printf (out, "%14s  %*s%s  %s%*s  ", at,
                              11 - (int)g_utf8_strlen (shown, -1), "", shown, task,
                              width - (int)g_utf8_strlen (task, -1), "");
      text_delayed (out, row);
      g_string_append_c (out, '\n');
      g_free (task);
    }
  return g_string_free (out, FALSE);
}

/* ---- for programs ---- */

char *
asc_hog_table_csv (const AscHogTable *table)
{
  GString *out = g_string_new (
      "start_ns,length_ns,at_least,task,instance,delayed_runs,delayed_most_ns,delayed\n");
  for (guint i = 0; i < table->rows->len; i++)
    {
      const AscHogRow *row = table->rows->pdata[i];
      GString *delayed = g_string_new (NULL);
      for (guint v = 0; v < row->victims->len; v++)
        {
          const AscHogVictim *victim = &g_array_index (row->victims, AscHogVictim, v);
          g_string_append_printf (delayed, "%s%s=%" G_GINT64_FORMAT, v ? ";" : "",
                                  victim->task, victim->most_ns);
        }
      g_string_append_printf (out, "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%d,",
                              row->start_ns, row->length_ns, row->at_least);
      asc_csv_string (out, row->task);
      g_string_append_c (out, ',');
      if (row->instance > 0)
        g_string_append_printf (out, "%u", row->instance);
      g_string_append_printf (out, ",%" G_GUINT64_FORMAT ",%" G_GINT64_FORMAT ",",
                              row->n_delayed, row->most_ns);
      asc_csv_string (out, delayed->str);
      g_string_append_c (out, '\n');
      g_string_free (delayed, TRUE);
    }
  return g_string_free (out, FALSE);
}

static void
json_row (GString *out, const AscHogRow *row)
{
  g_string_append_printf (out,
                          "{\"start_ns\":%" G_GINT64_FORMAT
                          ",\"length_ns\":%" G_GINT64_FORMAT ",\"at_least\":%s,\"task\":",
                          row->start_ns, row->length_ns,
                          row->at_least ? "true" : "false");
  asc_json_string (out, row->task);
  if (row->instance > 0)
    g_string_append_printf (out, ",\"instance\":%u", row->instance);
  else
    g_string_append (out, ",\"instance\":null");
  g_string_append_printf (out,
                          ",\"delayed_runs\":%" G_GUINT64_FORMAT
                          ",\"delayed_most_ns\":%" G_GINT64_FORMAT,
                          row->n_delayed, row->most_ns);
  g_string_append (out, ",\"delayed\":[");
  for (guint i = 0; i < row->victims->len; i++)
    {
      const AscHogVictim *victim = &g_array_index (row->victims, AscHogVictim, i);
      g_string_append (out, i ? ",{\"task\":" : "{\"task\":");
      asc_json_string (out, victim->task);
      g_string_append_printf (
          out, ",\"runs\":%" G_GUINT64_FORMAT ",\"most_ns\":%" G_GINT64_FORMAT "}",
          victim->runs, victim->most_ns);
    }
  g_string_append (out, "]}");
}

char *
asc_hog_table_json (const AscHogTable *table)
{
  GString *out = g_string_new (NULL);
  g_string_append_printf (
      out, "{\"threshold_ns\":%" G_GINT64_FORMAT ",\"delays_whole\":%s,\"hogs\":[",
      table->threshold_ns, table->whole ? "true" : "false");
  for (guint i = 0; i < table->rows->len; i++)
    {
      g_string_append (out, i ? ",\n " : "\n ");
      json_row (out, table->rows->pdata[i]);
    }
  g_string_append (out, table->rows->len ? "\n]}\n" : "]}\n");
  return g_string_free (out, FALSE);
}
