#include "asc-cli.h"

#include <math.h>
#include <string.h>

#include "asc-format.h"
#include "asc-load.h"
#include "asc-table.h"

/* More problems than these say nothing new to people; JSON has all. */
#define PROBLEMS_SHOWN 20
/* A board that was connected so long after its start is said to be. */
#define HEARD_LATE_NS G_GINT64_CONSTANT (1000000000)

static const char *const recorders[]
    = { "unknown", "plain C", "MicroPython C module", "loadable module", "pure Python" };
static const char *const skip_names[ASC_SKIP_N]
    = { "noise",        "header",    "checksum", "cut",
        "unknown_type", "malformed", "foreign",  "duplicate" };

typedef struct
{
  const char *path;
  AscTrace *trace;
  AscTraceHead head;
  AscDecoderTotals totals;
  guint n_sessions;
  AscSessionInfo *sessions;
  AscMargin *margins;
  GString *out;
} Info;

static const char *
recorder_name (AscRecorderKind kind)
{
  return (guint)kind < G_N_ELEMENTS (recorders) ? recorders[kind] : recorders[0];
}

static char *
time_text (gint64 wall_ns)
{
  GDateTime *time = g_date_time_new_from_unix_utc (wall_ns / 1000000000);
  char *text = time ? g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ") : NULL;
  if (time)
    g_date_time_unref (time);
  return text ? text : g_strdup ("");
}

static void
gather (Info *info, AscTrace *trace, const char *path)
{
  memset (info, 0, sizeof *info);
  info->path = path;
  info->trace = trace;
  info->out = g_string_new (NULL);
  asc_trace_head (trace, &info->head);
  asc_trace_totals (trace, &info->totals);
  info->n_sessions = asc_trace_n_sessions (trace);
  info->sessions = g_new0 (AscSessionInfo, info->n_sessions + 1);
  info->margins = g_new0 (AscMargin, info->n_sessions + 1);
  for (guint i = 0; i < info->n_sessions; i++)
    {
      AscSession *session = asc_trace_session (trace, i);
      asc_session_info (session, &info->sessions[i]);
      asc_session_margin (session, ASC_MARGIN_WINDOW_NS, ASC_MARGIN_WARM_UP_NS,
                          &info->margins[i]);
    }
}

static void
info_clear (Info *info)
{
  g_free (info->sessions);
  g_free (info->margins);
  g_string_free (info->out, TRUE);
}

/* ---- for people ---- */

static void
row (GString *out, const char *name, const char *value)
{
  if (value && *value)
    g_string_append_printf (out, "%-12s%s\n", name, value);
}

static void
row_count (GString *out, const char *name, guint64 value)
{
  char text[48];
  row (out, name, asc_format_count (value, text, sizeof text));
}

static void
row_percent (GString *out, const char *name, double share)
{
  char text[48];
  g_ascii_formatd (text, sizeof text, "%.1f", share * 100);
  strcat (text, " %");
  row (out, name, text);
}

static void
text_session (Info *info, guint i)
{
  const AscSessionInfo *s = &info->sessions[i];
  const AscMargin *margin = &info->margins[i];
  GString *out = info->out;
  char text[96], a[40], b[40];
  g_string_append_printf (out, "\nSession %u of %u\n", i + 1, info->n_sessions);
  row (out, "  board", s->board);
  row (out, "  firmware", s->firmware);
  row (out, "  program", s->program);
  if (s->hello_known)
    {
      g_snprintf (
          text, sizeof text, "%s, %s for an enter and exit", recorder_name (s->recorder),
          s->cost_ns ? asc_format_duration (s->cost_ns, a, sizeof a) : "unknown cost");
      row (out, "  recorder", text);
      g_snprintf (text, sizeof text, "%s Hz, steps of %s, %u-bit counter",
                  asc_format_count (s->tick_hz, a, sizeof a),
                  asc_format_duration (s->tick_step_ns, b, sizeof b), s->counter_bits);
      row (out, "  clock", text);
    }
  else
    row (out, "  clock", "unknown (no HELLO), taken for 1 MHz");
  if (s->wall_ns >= 0)
    {
      char *when = time_text (s->wall_ns);
      row (out, "  began", when);
      g_free (when);
    }
  row (out, "  length",
       asc_format_duration ((double)(s->end_ns - s->first_ns), text, sizeof text));
  if (s->first_ns - s->start_ns >= HEARD_LATE_NS)
    {
      asc_format_clock (s->first_ns - s->start_ns, 1000000, a, sizeof a);
      g_snprintf (text, sizeof text, "from %s of the board's session on", a);
      row (out, "  heard", text);
    }
  row_count (out, "  events", s->n_events);
  row_count (out, "  runs", s->n_runs);
  asc_format_count (s->lost_events, a, sizeof a);
  g_snprintf (text, sizeof text, "%s%s", a,
              s->tail_unknown ? " and what its last frames held" : "");
  row (out, "  lost", text);
  if (margin->known)
    {
      row_percent (out, "  load", margin->load);
      if (margin->never_idle)
        row (out, "  margin", "never idle");
      else
        row_percent (out, "  margin", margin->margin);
    }
  else if (s->end_ns >= MAX (s->start_ns + ASC_MARGIN_WARM_UP_NS, s->first_ns)
                            + ASC_MARGIN_WINDOW_NS)
    {
      row_percent (out, "  load", margin->load);
      row (out, "  margin", "not known: events were lost in every second");
    }
}

static void
text_skipped (Info *info)
{
  char count[48];
  GString *line = g_string_new (
      asc_format_count (asc_engine_skipped_bytes (&info->totals), count, sizeof count));
  const char *before = " (";
  for (int i = 0; i < ASC_SKIP_N; i++)
    if (info->totals.skipped[i])
      {
        g_string_append_printf (
            line, "%s%s %s", before,
            asc_format_count (info->totals.skipped[i], count, sizeof count),
            skip_names[i]);
        before = ", ";
      }
  if (before[0] == ',')
    g_string_append_c (line, ')');
  row (info->out, "skipped", line->str);
  g_string_free (line, TRUE);
}

static void
text_problems (Info *info)
{
  gsize n = asc_trace_n_problems (info->trace);
  if (n)
    g_string_append (info->out, "\nProblems\n");
  for (gsize i = 0; i < n && i < PROBLEMS_SHOWN; i++)
    {
      AscProblem problem;
      asc_trace_problem (info->trace, i, &problem);
      char *text = asc_problem_text (&problem);
      char clock[40] = "";
      if (problem.time_ns >= 0 && problem.session < info->n_sessions)
        asc_format_clock (problem.time_ns - info->sessions[problem.session].start_ns,
                          1000000, clock, sizeof clock);
      g_string_append_printf (info->out, "  %s%s%s\n", clock, *clock ? "  " : "", text);
      g_free (text);
    }
  if (n > PROBLEMS_SHOWN)
    g_string_append_printf (info->out,
                            "  and %" G_GSIZE_FORMAT " more (--json has all)\n",
                            n - PROBLEMS_SHOWN);
}

static void
make_text (Info *info)
{
  GString *out = info->out;
  row (out, "file", asc_cli_file_name (info->path));
  row_count (out, "bytes", info->totals.bytes);
  if (info->head.has_head)
    {
      char *when = time_text (info->head.created_ns);
      row (out, "recorded", when);
      row (out, "from", info->head.source);
      row (out, "by", info->head.writer);
      g_free (when);
    }
  else
    row (out, "from", "a raw capture (it has no head)");
  row_count (out, "frames", info->totals.frames);
  row_count (out, "events", info->totals.events);
  row_count (out, "lost", info->totals.missing_events + info->totals.dropped_events);
  row_count (out, "text bytes", asc_trace_text_length (info->trace));
  text_skipped (info);
  for (guint i = 0; i < info->n_sessions; i++)
    text_session (info, i);
  text_problems (info);
}

/* ---- JSON ---- */

static void
json_text (GString *out, const char *key, const char *value)
{
  g_string_append_printf (out, "\"%s\":", key);
  asc_json_string (out, value ? value : "");
  g_string_append_c (out, ',');
}

static void
json_int (GString *out, const char *key, gint64 value)
{
  g_string_append_printf (out, "\"%s\":%" G_GINT64_FORMAT ",", key, value);
}

static void
json_share (GString *out, const char *key, bool known, double value)
{
  char text[40];
  g_string_append_printf (out, "\"%s\":%s,", key,
                          known ? g_ascii_formatd (text, sizeof text, "%.6f", value)
                                : "null");
}

static void
json_bool (GString *out, const char *key, bool value)
{
  g_string_append_printf (out, "\"%s\":%s,", key, value ? "true" : "false");
}

/* Ends a list or object whose last member left a comma. */
static void
json_close (GString *out, const char *end)
{
  if (out->str[out->len - 1] == ',')
    g_string_truncate (out, out->len - 1);
  g_string_append (out, end);
}

static void
json_session (Info *info, guint i)
{
  const AscSessionInfo *s = &info->sessions[i];
  const AscMargin *margin = &info->margins[i];
  GString *out = info->out;
  g_string_append (out, "\n {");
  json_int (out, "session", i + 1);
  if (s->id_known)
    json_int (out, "id", s->id);
  json_bool (out, "hello_known", s->hello_known);
  json_text (out, "board", s->board);
  json_text (out, "firmware", s->firmware);
  json_text (out, "program", s->program);
  json_text (out, "recorder", recorder_name (s->recorder));
  json_int (out, "cost_ns", s->cost_ns);
  json_int (out, "tick_hz", s->tick_hz);
  json_int (out, "tick_step_ns", s->tick_step_ns);
  json_int (out, "counter_bits", s->counter_bits);
  json_int (out, "cpu_hz", s->cpu_hz);
  json_int (out, "start_ns", s->start_ns);
  json_int (out, "end_ns", s->end_ns);
  json_int (out, "first_ns", s->first_ns);
  json_int (out, "length_ns", s->end_ns - s->first_ns);
  if (s->wall_ns >= 0)
    json_int (out, "wall_ns", s->wall_ns);
  json_int (out, "events", (gint64)s->n_events);
  json_int (out, "runs", (gint64)s->n_runs);
  json_int (out, "lost_events", (gint64)s->lost_events);
  json_bool (out, "tail_unknown", s->tail_unknown);
  json_share (out, "load", margin->known, margin->load);
  json_share (out, "margin", margin->known, margin->margin);
  json_close (out, "},");
}

static void
json_problems (Info *info)
{
  GString *out = info->out;
  g_string_append (out, "\"problems\":[");
  for (gsize i = 0; i < asc_trace_n_problems (info->trace); i++)
    {
      AscProblem problem;
      asc_trace_problem (info->trace, i, &problem);
      char *text = asc_problem_text (&problem);
      g_string_append (out, "\n {");
      json_text (out, "text", text);
      json_int (out, "session", problem.session + 1);
      if (problem.time_ns >= 0)
        json_int (out, "time_ns", problem.time_ns);
      json_int (out, "offset", (gint64)problem.offset);
      json_int (out, "count", (gint64)problem.count);
      json_int (out, "times", (gint64)problem.times);
      json_close (out, "},");
      g_free (text);
    }
  json_close (out, "]");
}

static void
make_json (Info *info)
{
  GString *out = info->out;
  g_string_append (out, "{");
  json_text (out, "file", info->path);
  json_int (out, "bytes", (gint64)info->totals.bytes);
  json_bool (out, "has_head", info->head.has_head);
  if (info->head.has_head)
    {
      json_int (out, "created_ns", info->head.created_ns);
      json_text (out, "source", info->head.source);
      json_text (out, "writer", info->head.writer);
    }
  json_int (out, "frames", (gint64)info->totals.frames);
  json_int (out, "host_frames", (gint64)info->totals.host_frames);
  json_int (out, "events", (gint64)info->totals.events);
  json_int (out, "missing_frames", (gint64)info->totals.missing_frames);
  json_int (out, "missing_events", (gint64)info->totals.missing_events);
  json_int (out, "dropped_events", (gint64)info->totals.dropped_events);
  json_int (out, "unknown_kinds", (gint64)info->totals.unknown_kinds);
  json_int (out, "text_bytes", (gint64)asc_trace_text_length (info->trace));
  json_int (out, "skipped_bytes", (gint64)asc_engine_skipped_bytes (&info->totals));
  g_string_append (out, "\"skipped\":{");
  for (int i = 0; i < ASC_SKIP_N; i++)
    json_int (out, skip_names[i], (gint64)info->totals.skipped[i]);
  json_close (out, "},\n\"sessions\":[");
  for (guint i = 0; i < info->n_sessions; i++)
    json_session (info, i);
  json_close (out, "],\n");
  json_problems (info);
  g_string_append (out, "}\n");
}

static int
run (const char *command, int argc, char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[]
      = { { "json", 0, 0, G_OPTION_ARG_NONE, &json, "JSON", NULL }, G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_info, entries, &argc, &argv, 1, 1);
  if (status >= 0)
    return status;
  AscEngine *engine = asc_cli_load (&asc_cmd_info, argv[1], NULL, NULL, &status);
  if (engine)
    {
      Info info;
      gather (&info, asc_engine_trace (engine), argv[1]);
      if (json)
        make_json (&info);
      else
        make_text (&info);
      asc_cli_put (info.out->str);
      info_clear (&info);
    }
  asc_engine_free (engine);
  return asc_cli_finish (&asc_cmd_info, status);
}

const AscCommand asc_cmd_info = {
  "info", "FILE",
  "Board, firmware, clock, sessions, length, events, what was lost or skipped.",
  "JSON: times are ns of the board's clock (…_ns), wall_ns and created_ns since 1970\n"
  "UTC; load and margin are shares, null where they are not known.\n",
  run
};
