/* The text form of a source. */
#include "asc-source.h"

#include <string.h>
#include <sys/stat.h>

#define BAUD_MOST 100000000

static gboolean
bad (GError **error, const char *text, const char *why)
{
  g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BAD_SPEC, "'%s' names no source: %s",
               text, why);
  return FALSE;
}

static gboolean
read_baud (const char *text, int *baud)
{
  guint64 value;
  if (!g_ascii_string_to_unsigned (text, 10, 1, BAUD_MOST, &value, NULL))
    return FALSE;
  *baud = (int)value;
  return TRUE;
}

static gboolean
read_line_state (const char *text, int *state)
{
  if (!strcmp (text, "on"))
    *state = 1;
  else if (!strcmp (text, "off"))
    *state = 0;
  else
    return FALSE;
  return TRUE;
}

/* "921600,dtr=on,rts=off", each part may be missing. */
static gboolean
read_port_options (AscSourceSpec *spec, const char *options)
{
  g_auto (GStrv) parts = g_strsplit (options, ",", -1);
  for (char **part = parts; *part; part++)
    {
      gboolean good = FALSE;
      if (g_str_has_prefix (*part, "dtr="))
        good = read_line_state (*part + 4, &spec->dtr);
      else if (g_str_has_prefix (*part, "rts="))
        good = read_line_state (*part + 4, &spec->rts);
      else
        good = read_baud (*part, &spec->baud);
      if (!good)
        return FALSE;
    }
  return parts[0] != NULL;
}

static gboolean
read_host_port (AscSourceSpec *spec, const char *rest, gboolean listen, GError **error)
{
  const char *colon = strrchr (rest, ':');
  guint64 port;
  if (!colon && !listen)
    return bad (error, spec->text, "write tcp:HOST:PORT.");
  if (!g_ascii_string_to_unsigned (colon ? colon + 1 : rest, 10, listen ? 0 : 1, 65535,
                                   &port, NULL))
    return bad (error, spec->text, "the port is a number up to 65535.");
  spec->port = (guint16)port;
  spec->host = colon ? g_strndup (rest, (gsize)(colon - rest)) : g_strdup ("127.0.0.1");
  size_t length = strlen (spec->host);
  if (length > 2 && spec->host[0] == '[' && spec->host[length - 1] == ']')
    {
      memmove (spec->host, spec->host + 1, length - 2);
      spec->host[length - 2] = 0;
    }
  if (!*spec->host)
    return bad (error, spec->text, "the host is missing.");
  return TRUE;
}

static gboolean
read_demo (AscSourceSpec *spec, const char *rest, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (rest, ",", -1);
  for (char **part = parts; *part; part++)
    {
      char *end = NULL;
      gboolean good = FALSE;
      if (!strcmp (*part, "no-loss"))
        good = spec->no_loss = TRUE;
      else if (g_str_has_prefix (*part, "seed="))
        good = g_ascii_string_to_unsigned (*part + 5, 10, 0, G_MAXUINT64, &spec->seed,
                                           NULL);
      else if (g_str_has_prefix (*part, "baud="))
        good = read_baud (*part + 5, &spec->baud);
      else if (g_str_has_prefix (*part, "speed="))
        {
          spec->speed = g_ascii_strtod (*part + 6, &end);
          good = end != *part + 6 && !*end && spec->speed >= 0 && spec->speed <= 1e6;
        }
      if (!good)
        return bad (error, spec->text, "write demo:seed=1,speed=2,baud=115200,no-loss.");
    }
  return TRUE;
}

/* The file type of @path, or 0. */
static mode_t
type_of (const char *path)
{
  struct stat info;
  return stat (path, &info) ? 0 : (info.st_mode & S_IFMT);
}

static AscSourceKind
kind_of_path (const char *path)
{
  mode_t type = type_of (path);
  if (type == S_IFSOCK)
    return ASC_SOURCE_UNIX;
  if (type && type != S_IFCHR)
    return ASC_SOURCE_FILE;
  char *real = realpath (path, NULL);
  gboolean pty = real && g_str_has_prefix (real, "/dev/pts/");
  free (real);
  if (pty || g_str_has_prefix (path, "/dev/pts/"))
    return ASC_SOURCE_TTY;
  if (type || g_str_has_prefix (path, "/dev/") || g_str_has_prefix (path, "COM"))
    return ASC_SOURCE_SERIAL;
  return ASC_SOURCE_FILE;
}

/* A bare name is a port's, unless only a file of that name exists. */
static char *
full_path (const char *name)
{
  if (strchr (name, '/') || g_str_has_prefix (name, "COM"))
    return g_strdup (name);
  char *device = g_strconcat ("/dev/", name, NULL);
  if (type_of (device) || (!type_of (name) && !strchr (name, '.')))
    return device;
  g_free (device);
  return g_strdup (name);
}

static gboolean
read_path (AscSourceSpec *spec, const char *text, GError **error)
{
  g_autofree char *name = g_strdup (text);
  char *at = strrchr (name, '@');
  /* A file may have an @ in its name. */
  if (at && !type_of (name))
    {
      *at = 0;
      if (!read_port_options (spec, at + 1))
        return bad (error, spec->text,
                    "behind the @ goes the speed in baud, then dtr=on or rts=off if "
                    "need be: /dev/ttyACM0@921600,dtr=on.");
    }
  if (!*name)
    return bad (error, spec->text, "the path is missing.");
  spec->path = full_path (name);
  spec->kind = kind_of_path (spec->path);
  return TRUE;
}

static gboolean
read_spec (AscSourceSpec *spec, const char *text, GError **error)
{
  const char *rest = strchr (text, ':');
  rest = rest ? rest + 1 : "";
  if (!strcmp (text, "-"))
    spec->kind = ASC_SOURCE_STDIN;
  else if (!strcmp (text, "demo") || g_str_has_prefix (text, "demo:"))
    {
      spec->kind = ASC_SOURCE_DEMO;
      return read_demo (spec, rest, error);
    }
  else if (g_str_has_prefix (text, "tcp:"))
    {
      spec->kind = ASC_SOURCE_TCP;
      return read_host_port (spec, rest, FALSE, error);
    }
  else if (g_str_has_prefix (text, "tcp-listen:"))
    {
      spec->kind = ASC_SOURCE_LISTEN;
      return read_host_port (spec, rest, TRUE, error);
    }
  else if (g_str_has_prefix (text, "file:") || g_str_has_prefix (text, "unix:"))
    {
      if (!*rest)
        return bad (error, text, "the path is missing.");
      spec->kind = *text == 'f' ? ASC_SOURCE_FILE : ASC_SOURCE_UNIX;
      spec->path = g_strdup (rest);
    }
  else if (g_str_has_prefix (text, "serial:") || g_str_has_prefix (text, "tty:"))
    {
      if (!read_path (spec, rest, error))
        return FALSE;
      spec->kind = *text == 's' ? ASC_SOURCE_SERIAL : ASC_SOURCE_TTY;
    }
  else
    return read_path (spec, text, error);
  return TRUE;
}

AscSourceSpec *
asc_source_spec_parse (const char *text, GError **error)
{
  AscSourceSpec *spec = g_new0 (AscSourceSpec, 1);
  spec->text = g_strdup (text);
  spec->dtr = spec->rts = -1;
  spec->seed = 1;
  spec->speed = 1.0;
  if (read_spec (spec, text, error))
    return spec;
  asc_source_spec_free (spec);
  return NULL;
}

AscSourceSpec *
asc_source_spec_copy (const AscSourceSpec *spec)
{
  AscSourceSpec *copy = g_new (AscSourceSpec, 1);
  *copy = *spec;
  copy->text = g_strdup (spec->text);
  copy->path = g_strdup (spec->path);
  copy->host = g_strdup (spec->host);
  return copy;
}

void
asc_source_spec_free (AscSourceSpec *spec)
{
  if (!spec)
    return;
  g_free (spec->text);
  g_free (spec->path);
  g_free (spec->host);
  g_free (spec);
}
