#include "asc-cli.h"

#include <stdio.h>
#include <string.h>

#include "asc-lane.h"

#define COLUMNS 7

/* A line that is being made; what is in it lives until it is put. */
typedef struct
{
  const AscCommand *command;
  const AscTrace *trace;
  GString *line;
} Cat;

static const char *const kinds[] = {
  [ASC_EVENT_ENTER] = "enter",
  [ASC_EVENT_EXIT] = "exit",
  [ASC_EVENT_IDLE] = "idle",
  [ASC_EVENT_GC_BEGIN] = "gc-begin",
  [ASC_EVENT_GC_END] = "gc-end",
  [ASC_EVENT_START] = "start",
  [ASC_EVENT_END] = "end",
  [ASC_EVENT_RENAME] = "rename",
  [ASC_EVENT_SPAN_BEGIN] = "span-begin",
  [ASC_EVENT_SPAN_END] = "span-end",
  [ASC_EVENT_MARK] = "mark",
  [ASC_EVENT_LEVEL] = "level",
  [ASC_EVENT_COUNTER] = "counter",
  [ASC_EVENT_TEXT] = "text",
  [ASC_EVENT_DRAIN] = "drain",
  [ASC_EVENT_LOST] = "lost",
  [ASC_EVENT_DISCONTINUITY] = "discontinuity",
  [ASC_EVENT_UNKNOWN] = "unknown",
};
static const char *const exits[] = { "yield", "return", "raise", "cancel" };
static const char *const ends[] = { "never-started", "cancelled", "collected", "other" };
static const char *const jumps[] = { "stood-still", "silence", "back" };
static const char *const changes[] = { "connected", "lost", "back", "ended" };
static const char *const cuts[] = { "range", "snippet", "overload", "disk" };
static const char *const contexts[] = { "loop", "interrupt", "thread", "other" };
static const char *const skips[] = { "noise",   "header",    "checksum", "cut",
                                     "unknown", "malformed", "foreign",  "duplicate" };

/* A word of a list; numbers that a later version sends stay numbers. */
#define WORD(list, value) ((guint64)(value) < G_N_ELEMENTS (list) ? list[value] : "later")

static void
put_escaped (GString *line, const char *text, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      guint8 c = (guint8)text[i];
      if (c == '\\')
        g_string_append (line, "\\\\");
      else if (c == '\n')
        g_string_append (line, "\\n");
      else if (c == '\t')
        g_string_append (line, "\\t");
      else if (c == '\r')
        g_string_append (line, "\\r");
      else if (c < 0x20 || c == 0x7f)
        g_string_append_printf (line, "\\x%02x", c);
      else
        g_string_append_c (line, (char)c);
    }
}

static void
put_int (GString *line, gint64 value)
{
  g_string_append_printf (line, "%" G_GINT64_FORMAT, value);
}

static gint64
duration_ns (const AscTold *told)
{
  guint64 end = told->ticks + (guint64)told->event->value;
  return asc_session_ns (told->session, end)
         - asc_session_ns (told->session, told->ticks);
}

/* "name", "name=1": what the event is about. */
static void
put_named (GString *line, const AscTold *told, bool has_value, gint64 value)
{
  if (told->text)
    put_escaped (line, told->text, strlen (told->text));
  else
    g_string_append_printf (line, "#%u", told->event->id);
  if (has_value)
    {
      g_string_append_c (line, '=');
      put_int (line, value);
    }
}

static void
put_event_value (GString *line, const AscTold *told)
{
  const AscEvent *event = told->event;
  switch ((AscEventKind)event->kind)
    {
    case ASC_EVENT_ENTER:
      if (event->flags & ASC_EVENT_LATE)
        g_string_append_printf (line, "late_ms=%u", event->late_ms);
      break;
    case ASC_EVENT_EXIT:
      g_string_append (line, WORD (exits, event->id));
      break;
    case ASC_EVENT_END:
      g_string_append (line, WORD (ends, event->value));
      break;
    case ASC_EVENT_IDLE:
    case ASC_EVENT_DRAIN:
      put_int (line, duration_ns (told));
      break;
    case ASC_EVENT_LOST:
      g_string_append_printf (line, "events=%u", event->id);
      break;
    case ASC_EVENT_DISCONTINUITY:
      g_string_append (line, WORD (jumps, event->id));
      break;
    case ASC_EVENT_SPAN_BEGIN:
    case ASC_EVENT_SPAN_END:
    case ASC_EVENT_RENAME:
      put_named (line, told, false, 0);
      break;
    case ASC_EVENT_MARK:
      put_named (line, told, event->flags & ASC_EVENT_VALUE, event->value);
      break;
    case ASC_EVENT_LEVEL:
    case ASC_EVENT_COUNTER:
      put_named (line, told, true, event->value);
      break;
    case ASC_EVENT_TEXT:
      put_escaped (line, told->text ? told->text : "", told->text_length);
      break;
    case ASC_EVENT_UNKNOWN:
      g_string_append_printf (line, "tag=%u", event->id);
      break;
    case ASC_EVENT_START:
    case ASC_EVENT_GC_BEGIN:
    case ASC_EVENT_GC_END:
      break;
    }
}

static void
put_value (GString *line, const AscTold *told)
{
  switch (told->kind)
    {
    case ASC_TOLD_EVENT:
      put_event_value (line, told);
      break;
    case ASC_TOLD_GAP:
      if (told->value < 0)
        g_string_append (line, "events=unknown");
      else
        g_string_append_printf (line, "events=%" G_GINT64_FORMAT, told->value);
      break;
    case ASC_TOLD_SKIP:
      g_string_append_printf (line, "%s bytes=%" G_GINT64_FORMAT, WORD (skips, told->id),
                              told->value);
      break;
    case ASC_TOLD_LINK:
      g_string_append (line, WORD (changes, told->id));
      if (told->text_length)
        g_string_append_c (line, ' ');
      put_escaped (line, told->text ? told->text : "", told->text_length);
      break;
    case ASC_TOLD_CUT:
      g_string_append_printf (line, "%s bytes=%" G_GINT64_FORMAT, WORD (cuts, told->id),
                              told->value);
      break;
    case ASC_TOLD_TEXT:
      put_escaped (line, told->text, told->text_length);
      break;
    }
}

static const char *
kind_word (const AscTold *told)
{
  static const char *const others[] = { "event", "gap", "skip", "link", "cut", "text" };
  if (told->kind != ASC_TOLD_EVENT)
    return others[told->kind];
  return told->event->kind < G_N_ELEMENTS (kinds) && kinds[told->event->kind]
             ? kinds[told->event->kind]
             : "unknown";
}

static void
put_told (void *user, const AscTold *told)
{
  Cat *cat = user;
  GString *line = g_string_truncate (cat->line, 0);
  AscSessionInfo info;
  if (told->session)
    {
      asc_session_info (told->session, &info);
      put_int (line, asc_session_ns (told->session, told->ticks));
      g_string_append_printf (line, "\t%u\t", info.index + 1);
    }
  else
    g_string_append (line, "\t\t");
  if (told->kind == ASC_TOLD_EVENT)
    g_string_append_printf (line, "%s%u.%u", contexts[ASC_CONTEXT_KIND (told->context)],
                            ASC_CONTEXT_CORE (told->context), told->context & 15u);
  g_string_append_printf (line, "\t%s\t", kind_word (told));
  if (told->task)
    {
      AscLaneInfo lane;
      asc_lane_info (told->task, &lane);
      put_escaped (line, lane.name, strlen (lane.name));
    }
  g_string_append_c (line, '\t');
  if (told->instance)
    g_string_append_printf (line, "%u", told->instance);
  g_string_append_c (line, '\t');
  put_value (line, told);
  g_string_append_c (line, '\n');
  fwrite (line->str, 1, line->len, stdout);
}

static int
run (const char *command, int argc, char **argv)
{
  (void)command;
  int status = asc_cli_parse (&asc_cmd_cat, NULL, &argc, &argv, 1, 1);
  if (status >= 0)
    return status;
  Cat cat = { .line = g_string_new (NULL) };
  asc_engine_free (asc_cli_load (&asc_cmd_cat, argv[1], put_told, &cat, &status));
  g_string_free (cat.line, TRUE);
  return asc_cli_finish (&asc_cmd_cat, status);
}

const AscCommand asc_cmd_cat = {
  "cat", "FILE", "Every event as a line of tab-separated columns.",
  "Columns, without a head line: time in ns of the board's clock, session (from 1),\n"
  "context (loop0.0: kind, core, index), kind, task, instance, value. What is not known\n"
  "is empty.\n\n"
  "Value: late_ms=N of enter (if timed); yield, return, raise, cancel of exit; how of\n"
  "end; ns of idle and drain; name of span-begin, span-end and rename; name or name=N "
  "of\n"
  "mark; name=N of level and counter; the text of text; events=N of lost (dropped on "
  "the\n"
  "board) and gap (missing on the way; may be unknown); reason and bytes=N of skip\n"
  "(damage) and cut (not kept); change of link. \\t, \\n, \\r, \\\\ and \\xNN stand for "
  "what\n"
  "would break a line.\n",
  run
};
