/* TCP, both ways round: calling a host, and being called. */
#include "asc-source-private.h"

#include <poll.h>

#define CONNECT_SECONDS 5

/* ---- calling ---- */

static void
explain_connect (const AscSourceSpec *spec, const GError *why, GError **error)
{
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error_literal (error, ASC_LINK_ERROR, ASC_LINK_ERROR_CANCELLED, "Stopped.");
  else if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED))
    g_set_error (
        error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
        "Nobody listens at port %d of %s. Does the program that sends run there?",
        spec->port, spec->host);
  else if (why->domain == G_RESOLVER_ERROR)
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                 "There is no host '%s': check the name.", spec->host);
  else
    g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                 "Port %d of %s cannot be reached: %s.", spec->port, spec->host,
                 why->message);
}

static gboolean
tcp_open (AscSource *source, GError **error)
{
  const AscSourceSpec *spec = source->spec;
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GError) why = NULL;
  g_socket_client_set_timeout (client, CONNECT_SECONDS);
  g_socket_client_set_enable_proxy (client, FALSE);
  g_autoptr (GSocketConnectable) address = g_network_address_new (spec->host, spec->port);
  GSocketConnection *connection
      = g_socket_client_connect (client, address, source->cancellable, &why);
  if (!connection)
    {
      if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        g_cancellable_reset (source->cancellable);
      explain_connect (spec, why, error);
      return FALSE;
    }
  GSocket *socket = g_socket_connection_get_socket (connection);
  /* So that a host that vanished without a word is noticed, in the end. */
  g_socket_set_keepalive (socket, TRUE);
  source->data = connection;
  source->fd = g_socket_get_fd (socket);
  asc_source_set_names (source, g_strdup_printf ("%s port %d", spec->host, spec->port),
                        g_strdup_printf ("tcp:%s:%d", spec->host, spec->port));
  return TRUE;
}

static void
tcp_close (AscSource *source)
{
  g_clear_object (&source->data);
  source->fd = -1;
}

const AscBackend asc_backend_tcp = {
  .open = tcp_open,
  .close = tcp_close,
  .reconnects = TRUE,
  .writable = TRUE,
};

/* ---- being called ---- */

typedef struct
{
  GSocket *listener;
  GSocket *peer;
} Listening;

static GInetAddress *
listen_address (const char *host)
{
  if (!g_strcmp0 (host, "localhost"))
    return g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  if (!g_strcmp0 (host, "*"))
    return g_inet_address_new_any (G_SOCKET_FAMILY_IPV4);
  return g_inet_address_new_from_string (host);
}

GSocket *
asc_tcp_listen (const AscSourceSpec *spec, GError **error)
{
  g_autoptr (GInetAddress) host = listen_address (spec->host);
  if (!host)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BAD_SPEC,
                   "'%s' is no address of this computer: write numbers, as in "
                   "tcp-listen:0.0.0.0:%d, or * for all.",
                   spec->host, spec->port);
      return NULL;
    }
  g_autoptr (GError) why = NULL;
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (host, spec->port);
  g_autoptr (GSocket) listener
      = g_socket_new (g_inet_address_get_family (host), G_SOCKET_TYPE_STREAM,
                      G_SOCKET_PROTOCOL_TCP, &why);
  if (listener)
    g_socket_set_listen_backlog (listener, 1);
  if (listener && g_socket_bind (listener, address, TRUE, &why)
      && g_socket_listen (listener, &why))
    return g_steal_pointer (&listener);
  int code = ASC_LINK_ERROR_FAILED;
  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
    code = ASC_LINK_ERROR_BUSY;
  else if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    code = ASC_LINK_ERROR_DENIED;
  g_set_error (error, ASC_LINK_ERROR, code, "Cannot listen at port %d of %s: %s.%s",
               spec->port, spec->host, why->message,
               code == ASC_LINK_ERROR_DENIED ? " Take a port above 1023." : "");
  return NULL;
}

static gboolean
listen_open (AscSource *source, GError **error)
{
  GSocket *listener = asc_tcp_listen (source->spec, error);
  if (!listener)
    return FALSE;
  Listening *listening = g_new0 (Listening, 1);
  listening->listener = listener;
  source->data = listening;
  const char *host = source->spec->host;
  int port = asc_source_local_port (source);
  asc_source_set_names (source, g_strdup_printf ("Caller at %s port %d", host, port),
                        g_strdup_printf ("tcp-listen:%s:%d", host, port));
  return TRUE;
}

static gboolean
listen_attach (AscSource *source, int wait_ms, GError **error)
{
  Listening *listening = source->data;
  g_autoptr (GError) why = NULL;
  gint64 until = g_get_monotonic_time () + (gint64)wait_ms * 1000;
  while (listening && !listening->peer)
    {
      int left = (int)((until - g_get_monotonic_time ()) / 1000);
      int fd = g_socket_get_fd (listening->listener);
      int got
          = asc_source_poll (source, fd, POLLIN, wait_ms < 0 ? -1 : MAX (left, 0), error);
      if (got < 0)
        return FALSE;
      g_socket_set_blocking (listening->listener, FALSE);
      if (got)
        listening->peer = g_socket_accept (listening->listener, NULL, &why);
      /* A caller who hung up before being answered is no reason to stop listening. */
      g_clear_error (&why);
      if (!listening->peer && wait_ms >= 0 && left <= 0)
        break;
    }
  if (!listening || !listening->peer)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                   "Listening at port %d of %s; nobody has called yet.",
                   asc_source_local_port (source), source->spec->host);
      return FALSE;
    }
  g_socket_set_keepalive (listening->peer, TRUE);
  source->fd = g_socket_get_fd (listening->peer);
  return TRUE;
}

static void
listen_close (AscSource *source)
{
  Listening *listening = source->data;
  if (listening)
    g_clear_object (&listening->peer);
  source->fd = -1;
}

static void
listen_dispose (AscSource *source)
{
  Listening *listening = source->data;
  if (listening)
    g_clear_object (&listening->listener);
  g_clear_pointer (&source->data, g_free);
}

guint16
asc_tcp_local_port (GSocket *listener)
{
  g_autoptr (GSocketAddress) address = g_socket_get_local_address (listener, NULL);
  if (!address)
    return 0;
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
}

guint16
asc_source_local_port (const AscSource *source)
{
  if (source->backend != &asc_backend_listen || !source->data)
    return 0;
  const Listening *listening = source->data;
  return asc_tcp_local_port (listening->listener);
}

const AscBackend asc_backend_listen = {
  .open = listen_open,
  .close = listen_close,
  .attach = listen_attach,
  .dispose = listen_dispose,
  .reconnects = TRUE,
  .writable = TRUE,
};
