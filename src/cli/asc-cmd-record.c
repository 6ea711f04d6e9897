#include "asc-cli.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "asc-format.h"
#include "asc-recording.h"

#define TICK_MS 100

typedef struct
{
  AscCliLoop *loop;
  AscRecording *recording;
  double seconds;      /* 0: until interrupted */
  gint64 connected_us; /* atomic by being written before the first tick reads it */
  _Atomic bool connected;
  _Atomic bool failed;
  bool terminal;
  bool shown; /* a progress line stands on the terminal */
  gint64 last_us;
  gint64 began_us;
} Record;

/* On the recording's threads. */
static void
on_event (void *user, AscRecordingEvent event, const char *message)
{
  Record *record = user;
  bool line = record->terminal;
  switch (event)
    {
    case ASC_RECORDING_CONNECTED:
      record->connected_us = g_get_monotonic_time ();
      atomic_store (&record->connected, true);
      break;
    case ASC_RECORDING_LOST:
    case ASC_RECORDING_BACK:
    case ASC_RECORDING_OVERLOAD:
      break;
    case ASC_RECORDING_ENDED:
      asc_cli_loop_quit (record->loop);
      return;
    case ASC_RECORDING_FAILED:
    case ASC_RECORDING_DISK_FULL:
    case ASC_RECORDING_DISK_FAILED:
      atomic_store (&record->failed, true);
      asc_cli_loop_quit (record->loop);
      break;
    }
  const char *word = event == ASC_RECORDING_CONNECTED ? "connected: "
                     : event == ASC_RECORDING_BACK    ? "back: "
                                                      : "";
  fprintf (stderr, "%saioscope-cli record: %s%s\n", line ? "\r\033[K" : "", word,
           message);
}

static void
show (Record *record, const char *before, const char *after)
{
  char duration[40], seconds[24];
  gint64 now = g_get_monotonic_time ();
  double length = (double)(now - record->began_us) / 1e6;
  g_ascii_formatd (seconds, sizeof seconds, "%.1f s", length);
  g_strlcpy (duration, seconds, sizeof duration);
  char *size = g_format_size (asc_recording_received (record->recording));
  fprintf (stderr, "%s%s  %s%s", before, duration, size, after);
  fflush (stderr);
  g_free (size);
}

static bool
on_tick (void *user)
{
  Record *record = user;
  gint64 now = g_get_monotonic_time ();
  bool connected = atomic_load (&record->connected);
  if (record->terminal && connected)
    {
      show (record, "\r", "\033[K");
      record->shown = true;
    }
  else if (connected && now - record->last_us >= G_USEC_PER_SEC)
    {
      show (record, "", "\n");
      record->last_us = now;
    }
  if (record->seconds > 0 && connected)
    return (double)(now - record->connected_us) < record->seconds * 1e6;
  return true;
}

static int
finish (Record *record, const char *path)
{
  asc_recording_stop (record->recording);
  guint64 kept = asc_recording_length (record->recording);
  guint64 not_kept = asc_recording_not_kept (record->recording);
  guint64 let_go = asc_recording_let_go (record->recording);
  char *size = g_format_size (kept);
  fprintf (stderr, "%saioscope-cli record: %s in %s\n", record->shown ? "\r\033[K" : "",
           size, strcmp (path, "-") == 0 ? "standard output" : path);
  g_free (size);
  if (not_kept || let_go)
    asc_cli_fail (&asc_cmd_record, 0, "%" G_GUINT64_FORMAT " bytes are not kept.",
                  not_kept + let_go);
  return atomic_load (&record->failed) || not_kept ? ASC_CLI_FAILED : ASC_CLI_OK;
}

static int
record_source (const AscSourceSpec *spec,
               const AscRecordingOptions *options,
               double seconds)
{
  GError *error = NULL;
  Record record = { .loop = asc_cli_loop_new (),
                    .seconds = seconds,
                    .terminal = isatty (STDERR_FILENO),
                    .began_us = g_get_monotonic_time () };
  record.last_us = record.began_us;
  record.recording = asc_recording_start (spec, options, on_event, &record, &error);
  int status = ASC_CLI_OK;
  if (record.recording)
    {
      asc_cli_loop_run (record.loop, TICK_MS, on_tick, &record);
      status = finish (&record, options->path);
    }
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    status = asc_cli_fail (&asc_cmd_record, ASC_CLI_FAILED,
                           "%s exists already; --force replaces it.", options->path);
  else
    status = asc_cli_fail (&asc_cmd_record, ASC_CLI_FAILED, "%s", error->message);
  g_clear_error (&error);
  asc_recording_free (record.recording);
  asc_cli_loop_free (record.loop);
  return status;
}

static int
run (const char *command, int argc, char **argv)
{
  char *output = NULL;
  double seconds = 0;
  gboolean force = FALSE;
  gboolean once = FALSE;
  const GOptionEntry entries[] = { { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
                                     "The new .trace, or - for standard output", "FILE" },
                                   { "seconds", 's', 0, G_OPTION_ARG_DOUBLE, &seconds,
                                     "End after so many seconds of connection", "N" },
                                   { "force", 'f', 0, G_OPTION_ARG_NONE, &force,
                                     "Replace FILE if it exists", NULL },
                                   { "no-reconnect", 0, 0, G_OPTION_ARG_NONE, &once,
                                     "End when the device is unplugged", NULL },
                                   G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_record, entries, &argc, &argv, 1, 1);
  if (status < 0 && !output)
    status = asc_cli_usage (&asc_cmd_record, "-o FILE is missing");
  if (status < 0 && !(seconds >= 0 && seconds < 1e9))
    status = asc_cli_usage (&asc_cmd_record, "--seconds must be a number above 0");
  if (status < 0)
    {
      GError *error = NULL;
      AscSourceSpec *spec = asc_source_spec_parse (argv[1], &error);
      /* An own file is worth the last bytes of the disk. */
      AscRecordingOptions options = {
        .path = output, .reconnect = !once, .replace = force, .keep_free = 1 << 20
      };
      status = spec ? record_source (spec, &options, seconds)
                    : asc_cli_usage (&asc_cmd_record, "%s", error->message);
      g_clear_error (&error);
      asc_source_spec_free (spec);
    }
  g_free (output);
  return status;
}

const AscCommand asc_cmd_record = {
  "record", "SOURCE -o FILE", "Records a board until interrupted, into a .trace.",
  "SOURCE: a serial port (/dev/ttyACM0, ttyACM0@921600, with ,dtr=on ,rts=off), a pty,\n"
  "tcp:HOST:PORT, tcp-listen:PORT, unix:PATH (as 'aioscope-cli ports' lists a proxy),\n"
  "a file, - for standard input, or demo[:seed=N,speed=X,baud=N,no-loss].\n\n"
  "What is older than a second is on disk and survives a crash. An existing FILE is\n"
  "refused without --force. A device that is unplugged is awaited; a pty that is gone\n"
  "ends it. Ctrl-C ends well.\n",
  run
};
