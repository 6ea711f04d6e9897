#include "asc-cli.h"

#include <string.h>

#include "asc-format.h"
#include "asc-table.h"

typedef struct
{
  AscTrace *trace;
  AscStats **stats;
  guint *numbers; /* from 1 */
  gsize n;
} Chosen;

typedef struct
{
  gboolean csv, json;
  char *session;
  char *sort;
  AscCliStretch stretch;
} Options;

static bool
choose (Chosen *chosen, guint index, const Options *o)
{
  AscSession *session = asc_trace_session (chosen->trace, index);
  gint64 from, to;
  if (!asc_cli_stretch (&asc_cmd_stats, &o->stretch, session, &from, &to))
    return false;
  AscStats *stats = asc_stats_new (session, from, to, NULL);
  if (o->sort)
    asc_table_sort (stats, o->sort);
  else if (!o->csv && !o->json)
    asc_table_sort (stats, "cpu");
  chosen->stats[chosen->n] = stats;
  chosen->numbers[chosen->n++] = index + 1;
  return true;
}

static void
put_text (const Chosen *chosen)
{
  for (gsize i = 0; i < chosen->n; i++)
    {
      const AscStats *stats = chosen->stats[i];
      char observed[40], lost[40], share[40];
      GString *line = g_string_new (NULL);
      char *table = asc_table_text (stats);
      g_ascii_formatd (share, sizeof share, "%.2f", stats->coverage * 100);
      asc_format_count (stats->lost_events, lost, sizeof lost);
      bool none_told = !stats->lost_known && stats->lost_events == 0;
      g_string_printf (
          line, "%sSession %u: %s observed (%s %%), %s%s events lost\n", i ? "\n" : "",
          chosen->numbers[i],
          asc_format_duration ((double)stats->observed_ns, observed, sizeof observed),
          share, none_told || stats->lost_known ? "" : "at least ",
          none_told ? "an unknown number of" : lost);
      asc_cli_put (line->str);
      asc_cli_put (table);
      g_free (table);
      g_string_free (line, TRUE);
    }
}

static void
put_made (char *text)
{
  asc_cli_put (text);
  g_free (text);
}

static void
put (const Chosen *chosen, const Options *o, bool all)
{
  bool csv = o->csv, json = o->json;
  AscDecoderTotals totals;
  asc_trace_totals (chosen->trace, &totals);
  guint64 skipped = asc_engine_skipped_bytes (&totals);
  if (csv && all)
    put_made (asc_table_csv_sessions (chosen->stats, chosen->numbers, chosen->n));
  else if (csv)
    put_made (asc_table_csv (chosen->stats[0]));
  else if (json && all)
    put_made (
        asc_table_json_sessions (chosen->stats, chosen->numbers, chosen->n, skipped));
  else if (json)
    put_made (asc_table_json (chosen->stats[0], skipped));
  else
    put_text (chosen);
}

static int
stats_of (AscTrace *trace, const Options *o)
{
  bool all = o->session && strcmp (o->session, "all") == 0, good = true;
  int index = asc_cli_session (&asc_cmd_stats, trace, all ? NULL : o->session);
  guint n = asc_trace_n_sessions (trace);
  if (index < 0)
    return ASC_CLI_FAILED;
  Chosen chosen
      = { .trace = trace, .stats = g_new0 (AscStats *, n), .numbers = g_new0 (guint, n) };
  for (guint i = 0; i < n; i++)
    if (good && (all || i == (guint)index))
      good = choose (&chosen, i, o);
  if (good)
    put (&chosen, o, all);
  for (gsize i = 0; i < chosen.n; i++)
    asc_stats_free (chosen.stats[i]);
  g_free (chosen.stats);
  g_free (chosen.numbers);
  return good ? ASC_CLI_OK : ASC_CLI_FAILED;
}

static int
check (Options *o)
{
  if (o->csv && o->json)
    return asc_cli_usage (&asc_cmd_stats, "--csv and --json exclude each other");
  if (o->sort && !asc_table_sort (NULL, o->sort))
    {
      char *names = asc_table_names ();
      int status = asc_cli_usage (&asc_cmd_stats, "there is no column '%s'; there are %s",
                                  o->sort, names);
      g_free (names);
      return status;
    }
  int status = asc_cli_check_stretch (&asc_cmd_stats, &o->stretch);
  if (status < 0 && g_strcmp0 (o->session, "all") != 0)
    status = asc_cli_check_session (&asc_cmd_stats, o->session);
  return status;
}

static int
run (const char *command, int argc, char **argv)
{
  Options o = { 0 };
  const GOptionEntry entries[]
      = { { "csv", 0, 0, G_OPTION_ARG_NONE, &o.csv, "Comma-separated values", NULL },
          { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "JSON", NULL },
          { "sort", 0, 0, G_OPTION_ARG_STRING, &o.sort,
            "Largest first by this column (table: cpu; else as they appeared)",
            "COLUMN" },
          ASC_CLI_STRETCH_ENTRIES (&o.stretch),
          { "session", 0, 0, G_OPTION_ARG_STRING, &o.session,
            "The N-th session, from 1, or all (default: the last)", "N" },
          G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_stats, entries, &argc, &argv, 1, 1);
  if (status < 0)
    status = check (&o);
  if (status < 0)
    {
      AscEngine *engine = asc_cli_load (&asc_cmd_stats, argv[1], NULL, NULL, &status);
      if (engine && stats_of (asc_engine_trace (engine), &o))
        status = ASC_CLI_FAILED;
      asc_engine_free (engine);
      status = asc_cli_finish (&asc_cmd_stats, status);
    }
  asc_cli_stretch_clear (&o.stretch);
  g_free (o.session);
  g_free (o.sort);
  return status;
}

const AscCommand asc_cmd_stats = {
  "stats", "FILE", "Statistics of the tasks of a session, as a table, CSV or JSON.",
  "CSV columns: task,instances,runs,rate_hz,cpu_percent,total_ns,min_ns,median_ns,\n"
  "mean_ns,p99_ns,max_ns,stddev_ns,late_max_ns,censored; JSON has the same keys. What\n"
  "has no value is empty (null in JSON). With --session all, CSV begins with a column\n"
  "session, and JSON is {\"sessions\":[…]}. Numbers are the same in every locale.\n"
  "COLUMN is one of these, with or without its unit, or task.\n"
  "TIME: 12.5 or 12.5s, 500ms, 20us, 2min, 1:02.5.\n",
  run
};
