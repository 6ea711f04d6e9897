/* What the commands of aioscope-cli share. One file a command; the table is in asc-cli.c.
 *
 * Exit status: 0 well, 1 it could not be done (told on standard error in a line), 2 the
 * command line was wrong. Output does not depend on the locale. */
#ifndef ASC_CLI_H
#define ASC_CLI_H

#include "asc-engine.h"

#define ASC_CLI_OK 0
#define ASC_CLI_FAILED 1
#define ASC_CLI_USAGE 2

typedef struct
{
  const char *name;
  const char *arguments; /* "FILE", for the usage line */
  const char *summary;   /* a line */
  const char *help;      /* what else --help says */
  int (*run) (const char *command, int argc, char **argv);
} AscCommand;

extern const AscCommand asc_cmd_cat;
extern const AscCommand asc_cmd_hogs;
extern const AscCommand asc_cmd_info;
extern const AscCommand asc_cmd_install;
extern const AscCommand asc_cmd_ports;
extern const AscCommand asc_cmd_proxy;
extern const AscCommand asc_cmd_record;
extern const AscCommand asc_cmd_render;
extern const AscCommand asc_cmd_simulate;
extern const AscCommand asc_cmd_stats;

/* "aioscope-cli stats: …" on standard error; returns status. */
int asc_cli_fail (const AscCommand *command, int status, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
/* The same with ASC_CLI_USAGE and where the help is. */
int asc_cli_usage (const AscCommand *command, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Takes the options off argv (entries may be NULL) and handles --help; `least` to `most`
 * arguments must be left, argv[1] on. Returns -1 to go on, else the exit status. */
int asc_cli_parse (const AscCommand *command,
                   const GOptionEntry *entries,
                   int *argc,
                   char ***argv,
                   int least,
                   int most);

/* Loads a file ("-": standard input) to its end. NULL after telling why not; *status is
 * then the exit status. A file that could be read only in part gives an engine and
 * *status = ASC_CLI_FAILED. */
AscEngine *asc_cli_load (const AscCommand *command,
                         const char *path,
                         AscTraceObserver observer,
                         void *user,
                         int *status);
/* -1 when text is a session's number or NULL, else ASC_CLI_USAGE after telling. */
int asc_cli_check_session (const AscCommand *command, const char *text);
/* Such a text (NULL: the last): the session's index, or -1 after telling. */
int asc_cli_session (const AscCommand *command, AscTrace *trace, const char *text);
/* "12.5", "12.5s", "500ms", "3us", "2min", "1:02.5" → ns. */
bool asc_cli_parse_time (const char *text, gint64 *ns);
/* What --from and --to say: texts (NULL not given), and ns from the session's start. */
typedef struct
{
  char *from, *to;
  gint64 from_ns, to_ns;
} AscCliStretch;
/* Their entries in a table of options. */
#define ASC_CLI_STRETCH_ENTRIES(stretch)                                                 \
  { "from",                                                                              \
    0,                                                                                   \
    0,                                                                                   \
    G_OPTION_ARG_STRING,                                                                 \
    &(stretch)->from,                                                                    \
    "Begin so long after the session's start",                                           \
    "TIME" },                                                                            \
  {                                                                                      \
    "to", 0, 0, G_OPTION_ARG_STRING, &(stretch)->to, "End so long after it", "TIME"      \
  }
/* Reads the texts: -1 to go on, else ASC_CLI_USAGE after telling. */
int asc_cli_check_stretch (const AscCommand *command, AscCliStretch *stretch);
/* The same on the board's clock; what is not given is G_MININT64, G_MAXINT64. False after
 * telling when nothing of the session lies in it. */
bool asc_cli_stretch (const AscCommand *command,
                      const AscCliStretch *stretch,
                      const AscSession *session,
                      gint64 *from_ns,
                      gint64 *to_ns);
void asc_cli_stretch_clear (AscCliStretch *stretch);
/* How a file is called in messages. */
const char *asc_cli_file_name (const char *path);

/* Writes text to standard output. asc_cli_finish () tells what went wrong with that and
 * returns the exit status; a reader that closed the pipe is no news. */
void asc_cli_put (const char *text);
int asc_cli_finish (const AscCommand *command, int status);

/* Runs until SIGINT or SIGTERM; each tick_ms tick () is called and ends it by returning
 * false. Make it before what must end well on a signal. */
typedef struct AscCliLoop AscCliLoop;
AscCliLoop *asc_cli_loop_new (void);
void
asc_cli_loop_run (AscCliLoop *loop, guint tick_ms, bool (*tick) (void *user), void *user);
/* From any thread. */
void asc_cli_loop_quit (AscCliLoop *loop);
bool asc_cli_loop_interrupted (const AscCliLoop *loop);
void asc_cli_loop_free (AscCliLoop *loop);

#endif
