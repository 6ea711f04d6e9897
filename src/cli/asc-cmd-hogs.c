#include "asc-cli.h"

#include <math.h>

#include "asc-format.h"
#include "asc-hog-table.h"

#define MOST_MS 1e9

typedef struct
{
  double threshold_ms;
  gboolean csv, json;
  char *session;
  AscCliStretch stretch;
} Options;

static void
put_text (const AscHogTable *table, guint session)
{
  char threshold[32], count[40];
  asc_format_duration ((double)table->threshold_ns, threshold, sizeof threshold);
  asc_format_count (table->rows->len, count, sizeof count);
  char *head
      = table->rows->len
            ? g_strdup_printf ("Session %u: %s %s of %s or more, longest first\n",
                               session, count, table->rows->len == 1 ? "run" : "runs",
                               threshold)
            : g_strdup_printf ("Session %u: no run of %s or more\n", session, threshold);
  char *rows = asc_hog_table_text (table);
  asc_cli_put (head);
  asc_cli_put (rows);
  g_free (rows);
  g_free (head);
}

static int
hogs_of (AscTrace *trace, const Options *o)
{
  gint64 from, to;
  int index = asc_cli_session (&asc_cmd_hogs, trace, o->session);
  if (index < 0)
    return ASC_CLI_FAILED;
  AscSession *session = asc_trace_session (trace, (guint)index);
  if (!asc_cli_stretch (&asc_cmd_hogs, &o->stretch, session, &from, &to))
    return ASC_CLI_FAILED;
  AscHogTable *table
      = asc_hog_table_new (session, (gint64)llround (o->threshold_ms * 1e6), from, to);
  char *text = o->csv    ? asc_hog_table_csv (table)
               : o->json ? asc_hog_table_json (table)
                         : NULL;
  if (text)
    asc_cli_put (text);
  else
    put_text (table, (guint)index + 1);
  int status = ASC_CLI_OK;
  if (!table->whole)
    status = asc_cli_fail (&asc_cmd_hogs, ASC_CLI_FAILED,
                           "More than %d delays: not all of them are told. Raise "
                           "--threshold, or ask for less by --from and --to.",
                           ASC_DELAYS_MAX);
  g_free (text);
  asc_hog_table_free (table);
  return status;
}

static int
check (const Options *o)
{
  if (o->csv && o->json)
    return asc_cli_usage (&asc_cmd_hogs, "--csv and --json exclude each other");
  if (!(o->threshold_ms >= 1e-6 && o->threshold_ms <= MOST_MS))
    return asc_cli_usage (&asc_cmd_hogs,
                          "--threshold is a number of milliseconds above 0");
  return asc_cli_check_session (&asc_cmd_hogs, o->session);
}

static int
run (const char *command, int argc, char **argv)
{
  Options o = { .threshold_ms = (double)ASC_HOG_NS / 1e6 };
  const GOptionEntry entries[]
      = { { "threshold", 0, 0, G_OPTION_ARG_DOUBLE, &o.threshold_ms,
            "Runs that are at least so long (default: 20)", "MS" },
          { "csv", 0, 0, G_OPTION_ARG_NONE, &o.csv, "Comma-separated values", NULL },
          { "json", 0, 0, G_OPTION_ARG_NONE, &o.json, "JSON", NULL },
          { "session", 0, 0, G_OPTION_ARG_STRING, &o.session,
            "The N-th session, from 1 (default: the last)", "N" },
          ASC_CLI_STRETCH_ENTRIES (&o.stretch),
          G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_hogs, entries, &argc, &argv, 1, 1);
  if (status < 0)
    status = check (&o);
  if (status < 0)
    status = asc_cli_check_stretch (&asc_cmd_hogs, &o.stretch);
  if (status < 0)
    {
      AscEngine *engine = asc_cli_load (&asc_cmd_hogs, argv[1], NULL, NULL, &status);
      if (engine && hogs_of (asc_engine_trace (engine), &o))
        status = ASC_CLI_FAILED;
      asc_engine_free (engine);
      status = asc_cli_finish (&asc_cmd_hogs, status);
    }
  asc_cli_stretch_clear (&o.stretch);
  g_free (o.session);
  return status;
}

const AscCommand asc_cmd_hogs = {
  "hogs", "FILE", "Long runs, longest first, and whom each held up.",
  "A hog is a run of at least the threshold. It delayed each run that was due and "
  "waited\n"
  "meanwhile, by the time that both have in common; the longest such delay of a "
  "task is\n"
  "told, and how many of its runs waited. Lateness is known in whole milliseconds.\n"
  "TIME: 12.5 or 12.5s, 500ms, 20us, 2min, 1:02.5.\n"
  "CSV columns: start_ns (from the session's start), length_ns, at_least (1: events "
  "were\n"
  "lost in it), task, instance (numbered over all tasks), delayed_runs, delayed_most_ns, "
  "delayed "
  "(TASK=NS;TASK=NS).\n",
  run
};
