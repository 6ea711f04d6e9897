/* Options, messages, loading and output for all commands. */
#include "asc-cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "aioscope-cli"

static void
tell (const AscCommand *command, const char *message)
{
  fprintf (stderr, "%s%s%s: %s\n", TOOL, command->name[0] ? " " : "", command->name,
           message);
}

int
asc_cli_fail (const AscCommand *command, int status, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  char *message = g_strdup_vprintf (format, args);
  va_end (args);
  tell (command, message);
  g_free (message);
  return status;
}

int
asc_cli_usage (const AscCommand *command, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  char *what = g_strdup_vprintf (format, args);
  va_end (args);
  /* A whole sentence may be what is wrong; ours goes on. */
  if (g_str_has_suffix (what, "."))
    what[strlen (what) - 1] = 0;
  int status = asc_cli_fail (command, ASC_CLI_USAGE, "%s; see %s%s%s --help", what, TOOL,
                             command->name[0] ? " " : "", command->name);
  g_free (what);
  return status;
}

static void
put_help (const AscCommand *command, GOptionContext *context)
{
  /* GLib's own way of printing it turns what is not ASCII into question marks. */
  char *help = g_option_context_get_help (context, TRUE, NULL);
  const char *options = strstr (help, "\n\n");
  printf ("Usage: %s %s [OPTION…]%s%s\n\n%s%s", TOOL, command->name,
          command->arguments[0] ? " " : "", command->arguments, command->summary,
          options ? options : "\n");
  if (command->help)
    printf ("%s", command->help);
  g_free (help);
}

/* GLib's messages begin with a capital, ours go on in a line. */
static int
option_error (const AscCommand *command, const GError *error)
{
  char *text = g_strdup (error->message);
  if (text[0] && g_ascii_islower (text[1]))
    text[0] = g_ascii_tolower (text[0]);
  int status = asc_cli_usage (command, "%s", text);
  g_free (text);
  return status;
}

/* GLib's own words for a wrong number name a type of C; these name what to write. */
static int
read_number (const AscCommand *command, const GOptionEntry *entry, const char *text)
{
  char *end;
  errno = 0;
  if (entry->arg == G_OPTION_ARG_DOUBLE)
    {
      double value = g_ascii_strtod (text, &end);
      if (end == text || *end || !isfinite (value))
        return asc_cli_usage (command, "--%s takes a number, as 2 or 0.5, not '%s'",
                              entry->long_name, text);
      *(double *)entry->arg_data = value;
      return -1;
    }
  bool wide = entry->arg == G_OPTION_ARG_INT64;
  gint64 value = g_ascii_strtoll (text, &end, 0);
  if (end == text || *end)
    return asc_cli_usage (command, "--%s takes a whole number, not '%s'",
                          entry->long_name, text);
  if (errno || (!wide && (value < G_MININT || value > G_MAXINT)))
    return asc_cli_usage (command, "--%s %s is too large a number", entry->long_name,
                          text);
  if (wide)
    *(gint64 *)entry->arg_data = value;
  else
    *(int *)entry->arg_data = (int)value;
  return -1;
}

static bool
is_number (const GOptionEntry *entry)
{
  return entry->arg == G_OPTION_ARG_DOUBLE || entry->arg == G_OPTION_ARG_INT
         || entry->arg == G_OPTION_ARG_INT64;
}

/* As g_option_context_parse () with these entries: -1, or the exit status. */
static int
parse (const AscCommand *command,
       GOptionContext *context,
       const GOptionEntry *entries,
       int *argc,
       char ***argv)
{
  gsize n = 0;
  while (entries && entries[n].long_name)
    n++;
  GOptionEntry *own = g_new0 (GOptionEntry, n + 1);
  char **texts = g_new0 (char *, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      own[i] = entries[i];
      if (!is_number (&entries[i]))
        continue;
      own[i].arg = G_OPTION_ARG_FILENAME;
      own[i].arg_data = &texts[i];
    }
  g_option_context_add_main_entries (context, own, NULL);
  GError *error = NULL;
  int status = g_option_context_parse (context, argc, argv, &error)
                   ? -1
                   : option_error (command, error);
  for (gsize i = 0; i < n && status < 0; i++)
    if (texts[i])
      status = read_number (command, &entries[i], texts[i]);
  for (gsize i = 0; i < n; i++)
    g_free (texts[i]);
  g_free (texts);
  g_free (own);
  g_clear_error (&error);
  return status;
}

int
asc_cli_parse (const AscCommand *command,
               const GOptionEntry *entries,
               int *argc,
               char ***argv,
               int least,
               int most)
{
  gboolean wants_help = FALSE;
  const GOptionEntry help[]
      = { { "help", 'h', 0, G_OPTION_ARG_NONE, &wants_help, "This text", NULL },
          G_OPTION_ENTRY_NULL };
  GOptionContext *context = g_option_context_new (NULL);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_add_main_entries (context, help, NULL);
  int status = parse (command, context, entries, argc, argv);
  if (status < 0 && wants_help)
    {
      put_help (command, context);
      status = asc_cli_finish (command, ASC_CLI_OK);
    }
  g_option_context_free (context);
  /* "--" ends the options and is left in place. */
  if (status < 0 && *argc > 1 && strcmp ((*argv)[1], "--") == 0)
    {
      (*argv)[1] = (*argv)[0];
      (*argc)--;
      (*argv)++;
    }
  if (status < 0 && *argc - 1 < least)
    status = asc_cli_usage (command, "%s is missing", command->arguments);
  if (status < 0 && *argc - 1 > most)
    status = asc_cli_usage (command, "'%s' is one argument too many", (*argv)[most + 1]);
  return status;
}

const char *
asc_cli_file_name (const char *path)
{
  return strcmp (path, "-") == 0 ? "standard input" : path;
}

AscEngine *
asc_cli_load (const AscCommand *command,
              const char *path,
              AscTraceObserver observer,
              void *user,
              int *status)
{
  AscEngine *engine = asc_engine_open (path, observer, user, NULL, NULL);
  asc_engine_wait (engine);
  AscEngineState state = asc_engine_state (engine);
  *status = ASC_CLI_OK;
  if (state == ASC_ENGINE_STOPPED)
    return engine;
  char *message = asc_engine_message (engine, NULL);
  *status = asc_cli_fail (command, ASC_CLI_FAILED, "%s", message);
  g_free (message);
  if (state == ASC_ENGINE_FAILED)
    {
      asc_engine_free (engine);
      return NULL;
    }
  return engine;
}

int
asc_cli_check_session (const AscCommand *command, const char *text)
{
  guint64 number;
  if (!text || g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT, &number, NULL))
    return -1;
  return asc_cli_usage (command, "'%s' is no session: they count from 1", text);
}

int
asc_cli_session (const AscCommand *command, AscTrace *trace, const char *text)
{
  guint n = asc_trace_n_sessions (trace);
  guint64 number = text ? g_ascii_strtoull (text, NULL, 10) : n;
  if (n == 0)
    asc_cli_fail (command, ASC_CLI_FAILED, "No board has said anything in it.");
  else if (number > n)
    asc_cli_fail (command, ASC_CLI_FAILED,
                  "There is no session %" G_GUINT64_FORMAT " in it, only %u.", number, n);
  else
    return (int)number - 1;
  return -1;
}

void
asc_cli_put (const char *text)
{
  fputs (text, stdout);
}

int
asc_cli_finish (const AscCommand *command, int status)
{
  errno = 0;
  bool bad = fflush (stdout) != 0;
  int number = errno;
  bad |= ferror (stdout) != 0;
  if (!bad)
    return status;
  if (number != EPIPE)
    asc_cli_fail (command, ASC_CLI_FAILED, "Writing the output failed%s%s.",
                  number ? ": " : "", number ? g_strerror (number) : "");
  return ASC_CLI_FAILED;
}
