/* A socket of this computer, as the proxy of a port offers one. */
#include "asc-proxies.h"
#include "asc-source-private.h"

#include <gio/gunixsocketaddress.h>

static void
explain (const char *path, const GError *why, GError **error)
{
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error_literal (error, ASC_LINK_ERROR, ASC_LINK_ERROR_CANCELLED, "Stopped.");
  else if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED)
           || g_error_matches (why, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                 "No proxy runs at %s. Start 'aioscope-cli proxy' for the port.", path);
  else
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED, "%s cannot be opened: %s.",
                 path, why->message);
}

static gboolean
unix_open (AscSource *source, GError **error)
{
  const char *path = source->spec->path;
  g_autoptr (GError) why = NULL;
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  GSocketConnection *connection = g_socket_client_connect (
      client, G_SOCKET_CONNECTABLE (address), source->cancellable, &why);
  if (!connection)
    {
      if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_cancellable_reset (source->cancellable);
      explain (path, why, error);
      return FALSE;
    }
  source->data = connection;
  source->fd = g_socket_get_fd (g_socket_connection_get_socket (connection));
  g_autofree char *name = asc_proxies_name (path);
  asc_source_set_names (source, g_strdup_printf ("%s · proxy", name),
                        g_strconcat ("unix:", path, NULL));
  return TRUE;
}

static void
unix_close (AscSource *source)
{
  g_clear_object (&source->data);
  source->fd = -1;
}

const AscBackend asc_backend_unix = {
  .open = unix_open,
  .close = unix_close,
  .reconnects = TRUE,
  .writable = TRUE,
};
