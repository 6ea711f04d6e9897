#include "asc-cli.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "asc-plain.h"
#include "asc-proxies.h"
#include "asc-share.h"

#define TICK_MS 50
/* A stretch of dropped bytes is told when it has ended, but not later than this. */
#define TELL_US (2 * G_USEC_PER_SEC)
/* Without a file nothing of the stream is kept for long. */
#define RING_SIZE ((gsize)1 << 20)

typedef struct
{
  AscCliLoop *loop;
  AscShare *share;
  AscRecording *recording;
  const char *output; /* NULL: none */
  bool listens;       /* somebody has yet to call */
  _Atomic bool failed;
  AscShareCounts told;
  AscShareCounts seen;
  gint64 since_us; /* something dropped is not told since then; 0: nothing */

  pthread_mutex_t lock; /* the reader's thread pushes, ours looks at what waits */
  AscPlain plain;
} Proxy;

static void say (const char *format, ...) G_GNUC_PRINTF (1, 2);

static void
say (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  char *message = g_strdup_vprintf (format, args);
  va_end (args);
  asc_cli_fail (&asc_cmd_proxy, 0, "%s", message);
  g_free (message);
}

/* ---- on the recording's threads ---- */

static void
on_plain (void *user, const guint8 *bytes, gsize n)
{
  Proxy *proxy = user;
  asc_share_text (proxy->share, bytes, n);
}

static void
on_bytes (void *user, const guint8 *bytes, gsize n)
{
  Proxy *proxy = user;
  pthread_mutex_lock (&proxy->lock);
  asc_plain_push (&proxy->plain, bytes, n, g_get_monotonic_time ());
  gsize border = proxy->plain.border;
  pthread_mutex_unlock (&proxy->lock);
  asc_share_stream (proxy->share, bytes, n, border);
}

static void
on_event (void *user, AscRecordingEvent event, const char *message)
{
  Proxy *proxy = user;
  const char *word = "";
  switch (event)
    {
    case ASC_RECORDING_CONNECTED:
      /* A port is connected from the start, which is told in its turn. */
      if (!proxy->listens)
        return;
      word = "connected: ";
      break;
    case ASC_RECORDING_BACK:
      word = "back: ";
      break;
    case ASC_RECORDING_LOST:
      pthread_mutex_lock (&proxy->lock);
      asc_plain_break (&proxy->plain);
      pthread_mutex_unlock (&proxy->lock);
      break;
    case ASC_RECORDING_OVERLOAD:
      break;
    case ASC_RECORDING_DISK_FULL:
    case ASC_RECORDING_DISK_FAILED:
      /* The text goes on. */
      atomic_store (&proxy->failed, true);
      break;
    case ASC_RECORDING_FAILED:
      atomic_store (&proxy->failed, true);
      asc_cli_loop_quit (proxy->loop);
      break;
    case ASC_RECORDING_ENDED:
      asc_cli_loop_quit (proxy->loop);
      return;
    }
  say ("%s%s", word, message);
}

/* On the share's thread. */
static gssize
on_input (void *user, const guint8 *bytes, gsize n)
{
  Proxy *proxy = user;
  return asc_recording_write (proxy->recording, bytes, n, NULL);
}

/* ---- while it runs ---- */

static void
tell_dropped (Proxy *proxy)
{
  const AscShareCounts *now = &proxy->seen, *told = &proxy->told;
  if (now->text_dropped > told->text_dropped)
    say ("%" G_GUINT64_FORMAT " bytes of text were dropped: the program that has %s open "
         "does not read it.",
         now->text_dropped - told->text_dropped, asc_share_pty (proxy->share));
  if (now->stream_dropped > told->stream_dropped)
    say ("%" G_GUINT64_FORMAT " bytes were dropped for a viewer that does not read.",
         now->stream_dropped - told->stream_dropped);
  if (now->input_dropped > told->input_dropped)
    say ("%" G_GUINT64_FORMAT " bytes that were typed did not reach the board: it is not "
         "connected.",
         now->input_dropped - told->input_dropped);
  proxy->told = *now;
}

static bool
on_tick (void *user)
{
  Proxy *proxy = user;
  gint64 now_us = g_get_monotonic_time ();
  pthread_mutex_lock (&proxy->lock);
  asc_plain_tick (&proxy->plain, now_us);
  pthread_mutex_unlock (&proxy->lock);

  AscShareCounts now;
  asc_share_counts (proxy->share, &now);
  if (now.viewers != proxy->seen.viewers)
    say ("%u %s", now.viewers, now.viewers == 1 ? "viewer" : "viewers");
  bool more = now.text_dropped != proxy->seen.text_dropped
              || now.stream_dropped != proxy->seen.stream_dropped
              || now.input_dropped != proxy->seen.input_dropped;
  proxy->seen = now;
  if (more && !proxy->since_us)
    proxy->since_us = now_us;
  if (proxy->since_us && (!more || now_us - proxy->since_us >= TELL_US))
    {
      tell_dropped (proxy);
      proxy->since_us = 0;
    }
  return true;
}

static void
tell_how_to_use (const Proxy *proxy, const char *address)
{
  say ("the board's REPL is at %s: mpremote connect %s, or that path as Thonny's port",
       asc_share_pty (proxy->share), asc_share_pty (proxy->share));
  if (address)
    say ("its tasks are seen by: aioscope %s (or choose it in the window's list)",
         address);
}

/* ---- start and end ---- */

/* Where viewers connect, for people; NULL without. */
static char *
listen_for_viewers (AscShare *share,
                    const AscSourceSpec *port,
                    const AscSourceSpec *address,
                    GError **error)
{
  if (address)
    {
      if (!asc_share_listen (share, address, error))
        return NULL;
      return g_strdup_printf ("tcp:%s:%u", address->host, asc_share_tcp_port (share));
    }
  char *path = asc_proxies_new_path (port->path ? port->path : port->text, error);
  char *text = path && asc_share_listen_at (share, path, error)
                   ? g_strconcat ("unix:", path, NULL)
                   : NULL;
  g_free (path);
  return text;
}

static int
finish (Proxy *proxy)
{
  asc_recording_stop (proxy->recording);
  /* Nobody pushes any more. */
  asc_plain_break (&proxy->plain);
  asc_share_counts (proxy->share, &proxy->seen);
  tell_dropped (proxy);
  if (proxy->output)
    {
      guint64 not_kept = asc_recording_not_kept (proxy->recording)
                         + asc_recording_let_go (proxy->recording);
      char *size = g_format_size (asc_recording_length (proxy->recording));
      say ("%s in %s", size, proxy->output);
      g_free (size);
      if (not_kept)
        say ("%" G_GUINT64_FORMAT " bytes are not kept.", not_kept);
    }
  if (proxy->plain.left_out)
    say ("%" G_GUINT64_FORMAT " bytes of damaged frames were kept from the REPL.",
         proxy->plain.left_out);
  if (proxy->seen.unheard)
    say ("%" G_GUINT64_FORMAT " bytes of text came while nobody had %s open.",
         proxy->seen.unheard, asc_share_pty (proxy->share));
  return atomic_load (&proxy->failed) ? ASC_CLI_FAILED : ASC_CLI_OK;
}

static int
run_proxy (Proxy *proxy, const char *address)
{
  asc_share_start (proxy->share);
  printf ("%s\n", asc_share_pty (proxy->share));
  int status = asc_cli_finish (&asc_cmd_proxy, ASC_CLI_OK);
  if (status == ASC_CLI_OK)
    {
      if (!proxy->listens)
        say ("connected: %s", asc_recording_describe (proxy->recording));
      tell_how_to_use (proxy, address);
      asc_cli_loop_run (proxy->loop, TICK_MS, on_tick, proxy);
    }
  int end = finish (proxy);
  return status == ASC_CLI_OK ? end : status;
}

static int
proxy_port (const AscSourceSpec *port,
            const AscSourceSpec *address,
            const AscRecordingOptions *options)
{
  GError *error = NULL;
  Proxy proxy = { .loop = asc_cli_loop_new (),
                  .output = options->path,
                  .listens = port->kind == ASC_SOURCE_LISTEN };
  AscRecordingOptions with_tap = *options;
  with_tap.tap = on_bytes;
  if (!options->path)
    {
      with_tap.path = "/dev/null";
      with_tap.ring_size = RING_SIZE;
    }
  pthread_mutex_init (&proxy.lock, NULL);
  asc_plain_init (&proxy.plain, on_plain, &proxy);
  proxy.share = asc_share_new (on_input, &proxy, &error);
  char *viewers
      = proxy.share ? listen_for_viewers (proxy.share, port, address, &error) : NULL;
  /* An address that was asked for must be had; without a place for its socket the proxy
   * is of use all the same. */
  if (proxy.share && !viewers && !address)
    {
      say ("viewers cannot connect: %s", error->message);
      g_clear_error (&error);
    }
  if (!error)
    proxy.recording = asc_recording_start (port, &with_tap, on_event, &proxy, &error);
  int status = ASC_CLI_FAILED;
  if (proxy.recording)
    status = run_proxy (&proxy, viewers);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS))
    asc_cli_fail (&asc_cmd_proxy, 0, "%s exists already; --force replaces it.",
                  options->path);
  else
    asc_cli_fail (&asc_cmd_proxy, 0, "%s", error->message);
  g_clear_error (&error);
  /* In this order: each is used by the one before. */
  asc_share_free (proxy.share);
  asc_recording_free (proxy.recording);
  asc_cli_loop_free (proxy.loop);
  pthread_mutex_destroy (&proxy.lock);
  g_free (viewers);
  return status;
}

static int
run (const char *command, int argc, char **argv)
{
  char *output = NULL;
  char *serve = NULL;
  gboolean force = FALSE;
  gboolean once = FALSE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
      "Record everything into a new .trace as well", "FILE" },
    { "force", 'f', 0, G_OPTION_ARG_NONE, &force, "Replace FILE if it exists", NULL },
    { "serve", 0, 0, G_OPTION_ARG_STRING, &serve,
      "Let viewers connect at tcp-listen:[HOST:]PORT in place of a socket", "ADDRESS" },
    { "no-reconnect", 0, 0, G_OPTION_ARG_NONE, &once, "End when the device is unplugged",
      NULL },
    G_OPTION_ENTRY_NULL
  };
  (void)command;
  GError *error = NULL;
  AscSourceSpec *port = NULL, *address = NULL;
  int status = asc_cli_parse (&asc_cmd_proxy, entries, &argc, &argv, 1, 1);
  if (status < 0 && !(port = asc_source_spec_parse (argv[1], &error)))
    status = asc_cli_usage (&asc_cmd_proxy, "%s", error->message);
  if (status < 0 && !asc_source_spec_writable (port))
    status = asc_cli_usage (&asc_cmd_proxy,
                            "'%s' is nothing to type at; a proxy is for a port, a pty or "
                            "tcp",
                            argv[1]);
  if (status < 0 && serve
      && (!(address = asc_source_spec_parse (serve, NULL))
          || address->kind != ASC_SOURCE_LISTEN))
    status = asc_cli_usage (&asc_cmd_proxy,
                            "--serve takes tcp-listen:PORT or tcp-listen:HOST:PORT");
  if (status < 0 && g_strcmp0 (output, "-") == 0)
    status = asc_cli_usage (&asc_cmd_proxy,
                            "-o needs a file: standard output tells the pty's path");
  if (status < 0)
    {
      AscRecordingOptions options = {
        .path = output, .reconnect = !once, .replace = force, .keep_free = 1 << 20
      };
      status = proxy_port (port, address, &options);
    }
  g_clear_error (&error);
  asc_source_spec_free (port);
  asc_source_spec_free (address);
  g_free (output);
  g_free (serve);
  return status;
}

const AscCommand asc_cmd_proxy = {
  "proxy", "PORT", "One port for a REPL tool and the scope at the same time.",
  "Offers a pty with the board's text alone, the frames taken out; the first line of\n"
  "output is its path. What is typed there goes to the board, Ctrl-C and Ctrl-D "
  "included.\n"
  "Everything, frames and text, goes to viewers, which find the proxy in their list of\n"
  "ports, and into FILE with -o.\n\n"
  "  aioscope-cli proxy /dev/ttyACM0\n"
  "  mpremote connect /dev/pts/5 run main.py\n\n"
  "Whoever does not read holds nothing up: what does not fit into a buffer (256 KiB of\n"
  "text, 8 MiB for a viewer) is dropped, and told. A board that is unplugged is "
  "awaited.\n"
  "Ctrl-C here ends the proxy.\n",
  run
};
