/* mpremote waits as long as a board goes on talking, without a word; so it gets a time.
 */
#include "asc-mpremote.h"

#include <stdio.h>
#include <string.h>

#define TELL_MS 4000  /* between two words of ours */
#define LOOK_MS 1500  /* at a port that mpremote does not get on with */
#define SEEN_MOST 512 /* bytes of it */
#define QUOTE_MOST 40 /* characters of it that are told */
#define COPY_S 30     /* for getting there and back */
#define COPY_FILE_S 3
#define COPY_RATE 1000 /* bytes a second: a slow UART's */

typedef struct
{
  GMainLoop *loop;
  GCancellable *cancellable;
  GSubprocess *process;
  GBytes *out, *err;
  GError *error;
  const AscMpremoteStep *step;
  gint64 began_us;
  bool late;
} Talk;

guint
asc_mpremote_copy_s (gint64 bytes, guint n_files)
{
  return COPY_S + COPY_FILE_S * n_files + (guint)(bytes / COPY_RATE);
}

/* A copy, with a 0 behind it; "" for nothing. */
static char *
text_of (GBytes *bytes)
{
  gsize n = 0;
  const char *data = bytes ? g_bytes_get_data (bytes, &n) : NULL;
  return n ? g_strndup (data, n) : g_strdup ("");
}

/* ---- what a port sends ---- */

static gboolean
wake (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

static gpointer
wake_later (gpointer cancellable)
{
  g_usleep (LOOK_MS * 1000);
  wake (cancellable);
  return NULL;
}

/* Reads for a moment; the bytes that came, up to SEEN_MOST, and how many in all. */
static char *
listen_to (const char *port, gsize *n)
{
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (port, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AscSource *source = spec ? asc_source_open_cancellable (spec, cancellable, NULL) : NULL;
  GString *seen = g_string_new (NULL);
  char buffer[256];
  *n = 0;
  if (source)
    {
      GThread *waker = g_thread_new ("asc-wake", wake_later, cancellable);
      gint64 until = g_get_monotonic_time () + LOOK_MS * 1000;
      gssize got = 1;
      while (got > 0 && g_get_monotonic_time () < until)
        if ((got = asc_source_read (source, buffer, sizeof buffer, NULL)) > 0)
          {
            *n += (gsize)got;
            if (seen->len < SEEN_MOST)
              g_string_append_len (seen, buffer, got);
          }
      g_thread_join (waker);
      asc_source_free (source);
    }
  return g_string_free (seen, FALSE);
}

/* The last whole line that was seen, fit to be quoted; "" if it is no text. */
static char *
quote (char *seen)
{
  char *best = g_strdup ("");
  g_auto (GStrv) lines = g_strsplit_set (seen, "\r\n", -1);
  for (char **line = lines; *line; line++)
    {
      bool text = g_utf8_validate (g_strstrip (*line), -1, NULL);
      for (const char *c = *line; *c; c++)
        text = text && !g_ascii_iscntrl (*c);
      /* The first and the last may be cut off. */
      bool whole = line > lines && line[1];
      if (!text || !**line || (*best && !whole))
        continue;
      g_free (best);
      best = g_utf8_strlen (*line, -1) > QUOTE_MOST
                 ? g_utf8_substring (*line, 0, QUOTE_MOST)
                 : g_strdup (*line);
    }
  return best;
}

static void
tell_late (const AscCommand *command, const AscMpremote *board, const Talk *talk)
{
  gsize n;
  char *seen = listen_to (board->port, &n);
  char *line = quote (seen);
  char *what;
  if (n == 0)
    what
        = g_strdup ("It sends nothing. Is MicroPython on it, and is this its REPL port?");
  else if (*line)
    what
        = g_strdup_printf ("It goes on sending: “%s”. Its program does not let itself be "
                           "stopped by Ctrl-C, or restarts at once.",
                           line);
  else
    what = g_strdup_printf (
        "It goes on sending, %" G_GSIZE_FORMAT " bytes in a moment, but no text.", n);
  asc_cli_fail (
      command, ASC_CLI_FAILED,
      "The board at %s %s within %u s. %s Press its reset "
      "button (or unplug it and plug it in again), then run this once more. If "
      "that does not help: 'mpremote connect %s', Ctrl-C there until >>> comes, "
      "Ctrl-X.",
      board->port, talk->step->late, talk->step->limit_s, what, board->port);
  g_free (what);
  g_free (line);
  g_free (seen);
}

/* ---- mpremote ---- */

/* What it says is for people; of a traceback the last line tells the most. */
static void
tell_failed (const AscCommand *command,
             const AscMpremote *board,
             const char *out,
             char *err,
             const GError *error)
{
  char *said = g_strdup (out);
  const char *words = *g_strstrip (err) ? err : g_strstrip (said);
  const char *line = strrchr (words, '\n');
  char *valid = g_utf8_make_valid (line ? line + 1 : words, -1);
  asc_cli_fail (command, ASC_CLI_FAILED,
                "mpremote does not get on with the board at %s: %s", board->port,
                *valid  ? valid
                : error ? error->message
                        : "it ended without a word");
  g_free (valid);
  g_free (said);
}

static void
ended (GObject *process, GAsyncResult *result, gpointer data)
{
  Talk *talk = data;
  g_subprocess_communicate_finish (G_SUBPROCESS (process), result, &talk->out, &talk->err,
                                   &talk->error);
  g_main_loop_quit (talk->loop);
}

static gboolean
on_tick (gpointer data)
{
  Talk *talk = data;
  guint past = (guint)((g_get_monotonic_time () - talk->began_us) / 1000000);
  if (past < talk->step->limit_s)
    {
      printf ("        still %s: %u s of %u at most\n", talk->step->doing, past,
              talk->step->limit_s);
      fflush (stdout);
    }
  return G_SOURCE_CONTINUE;
}

static gboolean
on_late (gpointer data)
{
  Talk *talk = data;
  talk->late = true;
  g_subprocess_force_exit (talk->process);
  g_cancellable_cancel (talk->cancellable);
  return G_SOURCE_CONTINUE;
}

static void
converse (Talk *talk)
{
  talk->loop = g_main_loop_new (NULL, FALSE);
  talk->cancellable = g_cancellable_new ();
  talk->began_us = g_get_monotonic_time ();
  guint tick = g_timeout_add (TELL_MS, on_tick, talk);
  guint late = g_timeout_add (talk->step->limit_s * 1000, on_late, talk);
  g_subprocess_communicate_async (talk->process, NULL, talk->cancellable, ended, talk);
  g_main_loop_run (talk->loop);
  g_source_remove (late);
  g_source_remove (tick);
  g_object_unref (talk->cancellable);
  g_main_loop_unref (talk->loop);
}

char *
asc_mpremote_run (const AscCommand *command,
                  const AscMpremote *board,
                  const AscMpremoteStep *step,
                  const char *const *words)
{
  Talk talk = { .step = step };
  GPtrArray *argv = g_ptr_array_new ();
  const char *const head[] = { board->program, "connect", board->port };
  for (gsize i = 0; i < G_N_ELEMENTS (head); i++)
    g_ptr_array_add (argv, (gpointer)(guintptr)head[i]);
  for (; *words; words++)
    g_ptr_array_add (argv, (gpointer)(guintptr)*words);
  g_ptr_array_add (argv, NULL);
  talk.process = g_subprocess_newv (
      (const char *const *)argv->pdata,
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, &talk.error);
  if (talk.process)
    converse (&talk);
  if (talk.process && talk.late)
    g_subprocess_wait (talk.process, NULL, NULL);
  bool good = talk.process && !talk.error && g_subprocess_get_successful (talk.process);
  char *out = text_of (talk.out), *err = text_of (talk.err);
  if (talk.late)
    tell_late (command, board, &talk);
  else if (!good)
    tell_failed (command, board, out, err, talk.error);
  if (!good)
    g_clear_pointer (&out, g_free);
  g_free (err);
  g_clear_pointer (&talk.out, g_bytes_unref);
  g_clear_pointer (&talk.err, g_bytes_unref);
  g_clear_error (&talk.error);
  g_clear_object (&talk.process);
  g_ptr_array_unref (argv);
  return out;
}
