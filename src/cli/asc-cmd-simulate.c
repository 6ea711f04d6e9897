#include "asc-cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "asc-demo.h"

#define NOT_GIVEN (-G_MAXDOUBLE)
#define STEP_NS (G_GINT64_CONSTANT (1000000000) / 10)

/* Where the simulated bytes go when they go into a file: all of it, at once. */
typedef struct
{
  FILE *file;
  int error; /* errno of the first write that failed */
} Sink;

static size_t
take (void *user, const uint8_t *bytes, size_t n)
{
  Sink *sink = user;
  errno = 0;
  if (!sink->error && fwrite (bytes, 1, n, sink->file) != n)
    sink->error = errno ? errno : EIO;
  return n;
}

static bool
go_on (void *user)
{
  return asc_demo_server_running (user);
}

static int
truth_failed (const AscDemoConfig *config, int number)
{
  return asc_cli_fail (&asc_cmd_simulate, ASC_CLI_FAILED, "%s can not be written: %s.",
                       config->truth_path, g_strerror (number));
}

static int
serve (const AscDemoConfig *config)
{
  int number = 0;
  AscCliLoop *loop = asc_cli_loop_new ();
  AscDemoServer *server = asc_demo_server_start (config, &number);
  int status = ASC_CLI_OK;
  if (server)
    {
      printf ("%s\n", asc_demo_server_path (server));
      status = asc_cli_finish (&asc_cmd_simulate, ASC_CLI_OK);
      if (status == ASC_CLI_OK)
        asc_cli_loop_run (loop, 50, go_on, server);
    }
  else
    status = asc_cli_fail (&asc_cmd_simulate, ASC_CLI_FAILED,
                           "The board can not be started: %s.", g_strerror (number));
  number = asc_demo_server_stop (server);
  asc_cli_loop_free (loop);
  return number && status == ASC_CLI_OK ? truth_failed (config, number) : status;
}

typedef struct
{
  AscDemo *demo;
  Sink sink;
  AscCliLoop *loop;
  double speed;
  gint64 began_us;
} Filling;

/* As far as its clock may go by now; all of it at speed 0. */
static bool
fill (void *user)
{
  Filling *filling = user;
  gint64 now_ns = asc_demo_now_ns (filling->demo);
  gint64 until_ns = now_ns + STEP_NS;
  gint64 elapsed_us = g_get_monotonic_time () - filling->began_us;
  if (filling->speed > 0)
    until_ns = (gint64)((double)elapsed_us * 1000 * filling->speed);
  if (until_ns <= now_ns)
    return true;
  return asc_demo_run (filling->demo, until_ns, take, &filling->sink)
         && !filling->sink.error;
}

static void
fill_all (Filling *filling)
{
  if (filling->speed > 0)
    asc_cli_loop_run (filling->loop, 10, fill, filling);
  else
    while (!asc_cli_loop_interrupted (filling->loop) && fill (filling))
      while (g_main_context_iteration (NULL, FALSE))
        ;
}

static int
fill_file (const AscDemoConfig *config, FILE *file, const char *path)
{
  int number = 0;
  Filling filling = { .sink = { .file = file },
                      .speed = config->speed,
                      .began_us = g_get_monotonic_time () };
  filling.demo = asc_demo_new (config, &number);
  if (!filling.demo)
    return truth_failed (config, number);
  filling.loop = asc_cli_loop_new ();
  fill_all (&filling);
  asc_cli_loop_free (filling.loop);
  int truth_number = asc_demo_end_truth (filling.demo);
  asc_demo_free (filling.demo);
  number = filling.sink.error;
  errno = 0;
  if (fflush (file) != 0 && !number)
    number = errno ? errno : EIO;
  if (number && number != EPIPE)
    asc_cli_fail (&asc_cmd_simulate, ASC_CLI_FAILED, "%s can not be written: %s.", path,
                  g_strerror (number));
  else if (truth_number)
    return truth_failed (config, truth_number);
  return number ? ASC_CLI_FAILED : ASC_CLI_OK;
}

static int
into_file (const AscDemoConfig *config, const char *path)
{
  if (strcmp (path, "-") == 0)
    return fill_file (config, stdout, "Standard output");
  FILE *file = fopen (path, "we");
  if (!file)
    return asc_cli_fail (&asc_cmd_simulate, ASC_CLI_FAILED, "%s can not be written: %s.",
                         path, g_strerror (errno));
  int status = fill_file (config, file, path);
  if (fclose (file) != 0 && status == ASC_CLI_OK)
    status = asc_cli_fail (&asc_cmd_simulate, ASC_CLI_FAILED,
                           "%s can not be written: %s.", path, g_strerror (errno));
  return status;
}

typedef struct
{
  char *output;
  char *truth;
  double seconds;
  double speed;
  gint64 seed;
  int baud;
  int tasks;
  double events_hz;
  gboolean no_loss;
} Options;

static int
check (const Options *options)
{
  if (!(options->seconds >= 0 && options->seconds < 1e9))
    return asc_cli_usage (&asc_cmd_simulate, "--seconds must be a number above 0");
  if (!(options->speed == NOT_GIVEN || (options->speed >= 0 && options->speed <= 1e9)))
    return asc_cli_usage (&asc_cmd_simulate, "--speed must be 0 or a number above it");
  if (options->seed < 0)
    return asc_cli_usage (&asc_cmd_simulate, "--seed must be 0 or a number above it");
  if (options->baud < 0)
    return asc_cli_usage (&asc_cmd_simulate, "--baud must be 0 or a number above it");
  if (options->tasks < 0 || options->tasks > (int)ASC_DEMO_TASKS_MAX)
    return asc_cli_usage (&asc_cmd_simulate, "--tasks must be 0 to %u",
                          ASC_DEMO_TASKS_MAX);
  if (!(options->events_hz >= 0))
    return asc_cli_usage (&asc_cmd_simulate,
                          "--events-hz must be 0 or a number above it");
  if (options->output && options->seconds <= 0 && strcmp (options->output, "-") != 0)
    return asc_cli_usage (&asc_cmd_simulate, "-o FILE needs --seconds N");
  if (options->output && g_strcmp0 (options->output, options->truth) == 0)
    return asc_cli_usage (&asc_cmd_simulate, "-o and --truth name the same file");
  return -1;
}

static int
simulate (const Options *options)
{
  AscDemoConfig config;
  asc_demo_config_init (&config);
  config.seed = (guint64)options->seed;
  config.seconds = options->seconds;
  /* Without being asked for a speed a pty lives in real time, a file is made at once. */
  config.speed = options->speed >= 0 ? options->speed : options->output ? 0 : 1;
  config.baud = (guint32)options->baud;
  config.no_loss = options->no_loss;
  config.truth_path = options->truth;
  config.n_tasks = (guint)options->tasks;
  config.events_hz = options->events_hz;
  return options->output ? into_file (&config, options->output) : serve (&config);
}

static int
run (const char *command, int argc, char **argv)
{
  Options o = { .speed = NOT_GIVEN };
  const GOptionEntry entries[]
      = { { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
            "Write the board's bytes into FILE (- for standard output)", "FILE" },
          { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &o.seconds,
            "End after so many seconds of the board's time", "N" },
          { "seed", 0, 0, G_OPTION_ARG_INT64, &o.seed,
            "The same seed gives the same program (default 1)", "N" },
          { "speed", 0, 0, G_OPTION_ARG_DOUBLE, &o.speed,
            "1 is real time, 0 as fast as the reader takes it", "X" },
          { "baud", 0, 0, G_OPTION_ARG_INT, &o.baud, "Limit the link", "N" },
          { "no-loss", 0, 0, G_OPTION_ARG_NONE, &o.no_loss, "No LOST of its own making",
            NULL },
          { "truth", 0, 0, G_OPTION_ARG_FILENAME, &o.truth,
            "Write what the program really did as CSV", "FILE" },
          { "tasks", 0, 0, G_OPTION_ARG_INT, &o.tasks, "So many tasks", "N" },
          { "events-hz", 0, 0, G_OPTION_ARG_DOUBLE, &o.events_hz,
            "Extra load to about so many events a second", "N" },
          G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_simulate, entries, &argc, &argv, 0, 0);
  if (status < 0)
    status = check (&o);
  if (status < 0)
    status = simulate (&o);
  g_free (o.output);
  g_free (o.truth);
  return status;
}

const AscCommand asc_cmd_simulate = {
  "simulate", "", "A simulated board, through a pty or into a file.",
  "Without -o it serves a pty until interrupted, or until --seconds are over; the first\n"
  "line of output is the pty's path. With -o it is as fast as it can be, unless --speed\n"
  "says otherwise; FILE is what a port would give, and is replaced.\n\n"
  "Truth: session,task,instance,start_ns,end_ns,exit.\n",
  run
};
