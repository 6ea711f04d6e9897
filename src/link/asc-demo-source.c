/* The demo board: a simulated one on a pty, so that it is read as a real one is. */
#include "asc-demo.h"
#include "asc-source-private.h"

static void
demo_close (AscSource *source)
{
  if (source->fd >= 0)
    asc_tty_close (source->fd);
  source->fd = -1;
  asc_demo_server_stop (source->data);
  source->data = NULL;
}

static gboolean
demo_open (AscSource *source, GError **error)
{
  const AscSourceSpec *spec = source->spec;
  AscDemoConfig config;
  int number = 0;
  asc_demo_config_init (&config);
  config.seed = spec->seed;
  config.speed = spec->speed;
  config.baud = (uint32_t)spec->baud;
  config.no_loss = spec->no_loss;
  AscDemoServer *server = asc_demo_server_start (&config, &number);
  if (!server)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "The demo board cannot start: %s.", g_strerror (number));
      return FALSE;
    }
  source->data = server;
  source->fd = asc_tty_open (asc_demo_server_path (server), 0, error);
  if (source->fd < 0)
    {
      demo_close (source);
      return FALSE;
    }
  asc_source_set_names (source, g_strdup ("Demo board"), g_strdup (spec->text));
  return TRUE;
}

/* Not reconnecting: its program ended, and a new one would be another board. */
const AscBackend asc_backend_demo = {
  .open = demo_open,
  .close = demo_close,
  .is_tty = TRUE,
  .writable = TRUE,
};
