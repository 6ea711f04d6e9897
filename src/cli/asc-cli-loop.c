/* Commands that run until they are interrupted. */
#include "asc-cli.h"

#include <glib-unix.h>
#include <signal.h>
#include <stdatomic.h>

struct AscCliLoop
{
  GMainLoop *loop;
  _Atomic bool done; /* quit came before run, or after it */
  bool interrupted;
  guint signals[3];
  bool (*tick) (void *user);
  void *user;
};

static gboolean
on_signal (gpointer data)
{
  AscCliLoop *loop = data;
  loop->interrupted = true;
  asc_cli_loop_quit (loop);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_tick (gpointer data)
{
  AscCliLoop *loop = data;
  if (loop->tick && !loop->tick (loop->user))
    asc_cli_loop_quit (loop);
  if (atomic_load (&loop->done))
    g_main_loop_quit (loop->loop);
  return G_SOURCE_CONTINUE;
}

AscCliLoop *
asc_cli_loop_new (void)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  AscCliLoop *loop = g_new0 (AscCliLoop, 1);
  loop->loop = g_main_loop_new (NULL, FALSE);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    loop->signals[i] = g_unix_signal_add (numbers[i], on_signal, loop);
  return loop;
}

void
asc_cli_loop_run (AscCliLoop *loop, guint tick_ms, bool (*tick) (void *user), void *user)
{
  loop->tick = tick;
  loop->user = user;
  guint timer = g_timeout_add (tick_ms, on_tick, loop);
  if (!atomic_load (&loop->done))
    g_main_loop_run (loop->loop);
  g_source_remove (timer);
}

void
asc_cli_loop_quit (AscCliLoop *loop)
{
  atomic_store (&loop->done, true);
  g_main_loop_quit (loop->loop);
}

bool
asc_cli_loop_interrupted (const AscCliLoop *loop)
{
  return loop->interrupted;
}

void
asc_cli_loop_free (AscCliLoop *loop)
{
  for (gsize i = 0; i < G_N_ELEMENTS (loop->signals); i++)
    g_source_remove (loop->signals[i]);
  g_main_loop_unref (loop->loop);
  g_free (loop);
}
