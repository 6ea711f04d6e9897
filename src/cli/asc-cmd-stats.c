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

static void
choose (Chosen *chosen, guint index)
{
  chosen->stats[chosen->n] = asc_stats_new (asc_trace_session (chosen->trace, index),
                                            G_MININT64, G_MAXINT64, NULL);
  chosen->numbers[chosen->n++] = index + 1;
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
      g_string_printf (
          line, "%sSession %u: %s observed (%s %%), %s%s events lost\n", i ? "\n" : "",
          chosen->numbers[i],
          asc_format_duration ((double)stats->observed_ns, observed, sizeof observed),
          share, stats->lost_known ? "" : "at least ",
          asc_format_count (stats->lost_events, lost, sizeof lost));
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
put (const Chosen *chosen, bool csv, bool json, bool all)
{
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
stats_of (AscTrace *trace, const char *session, bool csv, bool json)
{
  bool all = session && strcmp (session, "all") == 0;
  int index = asc_cli_session (&asc_cmd_stats, trace, all ? NULL : session);
  guint n = asc_trace_n_sessions (trace);
  if (index < 0)
    return ASC_CLI_FAILED;
  Chosen chosen
      = { .trace = trace, .stats = g_new0 (AscStats *, n), .numbers = g_new0 (guint, n) };
  for (guint i = 0; i < n; i++)
    if (all || i == (guint)index)
      choose (&chosen, i);
  put (&chosen, csv, json, all);
  for (gsize i = 0; i < chosen.n; i++)
    asc_stats_free (chosen.stats[i]);
  g_free (chosen.stats);
  g_free (chosen.numbers);
  return ASC_CLI_OK;
}

static int
run (const char *command, int argc, char **argv)
{
  gboolean csv = FALSE;
  gboolean json = FALSE;
  char *session = NULL;
  const GOptionEntry entries[]
      = { { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, "Comma-separated values", NULL },
          { "json", 0, 0, G_OPTION_ARG_NONE, &json, "JSON", NULL },
          { "session", 0, 0, G_OPTION_ARG_STRING, &session,
            "The N-th session, from 1, or all (default: the last)", "N" },
          G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_stats, entries, &argc, &argv, 1, 1);
  if (status < 0 && csv && json)
    status = asc_cli_usage (&asc_cmd_stats, "--csv and --json exclude each other");
  if (status < 0 && g_strcmp0 (session, "all") != 0)
    status = asc_cli_check_session (&asc_cmd_stats, session);
  if (status < 0)
    {
      AscEngine *engine = asc_cli_load (&asc_cmd_stats, argv[1], NULL, NULL, &status);
      if (engine && stats_of (asc_engine_trace (engine), session, csv, json))
        status = ASC_CLI_FAILED;
      asc_engine_free (engine);
      status = asc_cli_finish (&asc_cmd_stats, status);
    }
  g_free (session);
  return status;
}

const AscCommand asc_cmd_stats = {
  "stats", "FILE", "Statistics of the tasks of a session, as a table, CSV or JSON.",
  "CSV columns: task,instances,runs,rate_hz,cpu_percent,total_ns,min_ns,median_ns,\n"
  "mean_ns,p99_ns,max_ns,stddev_ns,late_max_ns,censored; JSON has the same keys. What\n"
  "has no value is empty (null in JSON). With --session all, CSV begins with a column\n"
  "session, and JSON is {\"sessions\":[…]}. Numbers are the same in every locale.\n",
  run
};
