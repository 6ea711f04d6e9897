#include "asc-proxies.h"

#include "asc-holder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ENDING ".sock"

static char *
folder (void)
{
  return g_build_filename (g_get_user_runtime_dir (), "aioscope", NULL);
}

/* Who listens there: their process, 0 where that is not known, -1 when nobody does. Does
 * not wait: a proxy that is stopped has room for callers all the same. */
static long
listener_of (const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  if (strlen (path) >= sizeof address.sun_path)
    return -1;
  strcpy (address.sun_path, path);
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0)
    return -1;
  fcntl (fd, F_SETFL, O_NONBLOCK);
  long pid = -1;
  if (connect (fd, (const struct sockaddr *)&address, sizeof address) == 0
      || errno == EAGAIN)
    pid = 0;
#ifdef SO_PEERCRED
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (pid == 0 && getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
    pid = MAX (peer.pid, 0);
#endif
  close (fd);
  return pid;
}

static gboolean
answers (const char *path)
{
  return listener_of (path) >= 0;
}

/* "/dev/ttyACM0" is ttyACM0, "tcp:host:80" is tcp-host-80. */
static char *
plain_name (const char *port)
{
  char *name = g_strdup (g_str_has_prefix (port, "/dev/") ? port + 5 : port);
  for (char *c = name; *c; c++)
    if (!g_ascii_isalnum (*c) && !strchr ("._-", *c))
      *c = '-';
  while (*name == '-' || *name == '.')
    memmove (name, name + 1, strlen (name));
  if (strlen (name) > 32)
    memmove (name, name + strlen (name) - 32, 33);
  return name;
}

char *
asc_proxies_new_path (const char *port, GError **error)
{
  g_autofree char *place = folder ();
  g_autofree char *name = plain_name (port);
  if (g_mkdir_with_parents (place, 0700))
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "The folder %s cannot be made: %s.", place, g_strerror (errno));
      return NULL;
    }
  for (int i = 1;; i++)
    {
      g_autofree char *file = i == 1 ? g_strconcat (name, ENDING, NULL)
                                     : g_strdup_printf ("%s-%d" ENDING, name, i);
      g_autofree char *path = g_build_filename (place, file, NULL);
      if (!answers (path))
        {
          g_unlink (path);
          return g_steal_pointer (&path);
        }
    }
}

char *
asc_proxies_name (const char *path)
{
  char *name = g_path_get_basename (path);
  if (g_str_has_suffix (name, ENDING))
    name[strlen (name) - strlen (ENDING)] = 0;
  return name;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

char **
asc_proxies_list (void)
{
  g_autofree char *place = folder ();
  g_autoptr (GDir) dir = g_dir_open (place, 0, NULL);
  GPtrArray *paths = g_ptr_array_new ();
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree char *path = g_build_filename (place, name, NULL);
      if (g_str_has_suffix (name, ENDING) && answers (path))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  g_ptr_array_sort (paths, by_name);
  g_ptr_array_add (paths, NULL);
  return (char **)g_ptr_array_free (paths, FALSE);
}

char *
asc_proxies_of (const char *path)
{
  g_auto (GStrv) sockets = asc_proxies_list ();
  for (char **socket = sockets; *socket; socket++)
    {
      long pid = listener_of (*socket);
      if (pid > 0 && pid != (long)getpid () && asc_holder_has (pid, path))
        return g_strdup (*socket);
    }
  return NULL;
}
