#include "asc-cli.h"

#include <string.h>

#include "asc-ports.h"
#include "asc-proxies.h"

static void
put_line (const char *path, const char *ids, const char *product, const char *serial)
{
  const char *fields[] = { path, ids, product, serial };
  GString *line = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      char *field = g_strdup (fields[i] && *fields[i] ? fields[i] : "-");
      g_strdelimit (field, "\t\r\n", ' ');
      g_string_append_printf (line, "%s%s", i ? "\t" : "", field);
      g_free (field);
    }
  g_string_append_c (line, '\n');
  asc_cli_put (line->str);
  g_string_free (line, TRUE);
}

static void
put_port (const AscPort *port)
{
  char ids[16] = "-";
  if (port->vid >= 0 && port->pid >= 0)
    g_snprintf (ids, sizeof ids, "%04x:%04x", (guint)port->vid & 0xffffu,
                (guint)port->pid & 0xffffu);
  put_line (port->path, ids, port->product, port->serial);
}

static void
put_proxy (const char *path)
{
  char *spec = g_strconcat ("unix:", path, NULL), *name = asc_proxies_name (path);
  char *what = g_strconcat ("proxy of ", name, NULL);
  put_line (spec, NULL, what, NULL);
  g_free (spec);
  g_free (name);
  g_free (what);
}

static int
run (const char *command, int argc, char **argv)
{
  (void)command;
  int status = asc_cli_parse (&asc_cmd_ports, NULL, &argc, &argv, 0, 0);
  if (status >= 0)
    return status;
  GPtrArray *ports = asc_ports_list ();
  for (guint i = 0; i < ports->len; i++)
    put_port (ports->pdata[i]);
  char **proxies = asc_proxies_list ();
  for (char **each = proxies; *each; each++)
    put_proxy (*each);
  if (ports->len == 0 && !*proxies)
    asc_cli_fail (&asc_cmd_ports, 0, "No serial port is connected.");
  g_ptr_array_unref (ports);
  g_strfreev (proxies);
  return asc_cli_finish (&asc_cmd_ports, ASC_CLI_OK);
}

const AscCommand asc_cmd_ports = {
  "ports", "", "The serial ports of this computer, likely boards first.",
  "Columns, separated by tabs: port, vid:pid, product, serial number; - where unknown.\n"
  "Proxies that run (aioscope-cli proxy) come last: unix:PATH connects to one.\n",
  run
};
