#include "asc-ports.h"

#include <libserialport.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Vendors of boards and bridges, the likeliest first. */
static const int likely_vendors[] = {
  0x2e8a, /* Raspberry Pi: RP2040, RP2350 */
  0xf055, /* MicroPython */
  0x303a, /* Espressif */
  0x10c4, /* Silicon Labs CP210x */
  0x1a86, /* WCH CH340 */
  0x0403, /* FTDI */
  0x0483, /* ST */
};

void
asc_port_free (AscPort *port)
{
  if (!port)
    return;
  g_free (port->path);
  g_free (port->name);
  g_free (port->product);
  g_free (port->manufacturer);
  g_free (port->serial);
  g_free (port->location);
  g_free (port);
}

/* Looks from the port's device up to the USB device, for what libserialport leaves out:
 * the socket, and which of a device's ports it is. */
static void
read_sysfs (AscPort *port)
{
  g_autofree char *device = g_strdup_printf ("/sys/class/tty/%s/device", port->name);
  char *place = realpath (device, NULL);
  for (int up = 0; place && up < 6 && strlen (place) > 1; up++)
    {
      g_autofree char *interface = g_build_filename (place, "bInterfaceNumber", NULL);
      g_autofree char *vendor = g_build_filename (place, "idVendor", NULL);
      g_autofree char *number = NULL;
      if (port->interface < 0 && g_file_get_contents (interface, &number, NULL, NULL))
        port->interface = (int)strtol (number, NULL, 16);
      if (access (vendor, F_OK) == 0)
        {
          port->location = g_path_get_basename (place);
          break;
        }
      *strrchr (place, '/') = 0;
    }
  free (place);
}

/* Makes a text from the device fit for a line of ours. */
static char *
clean_text (const char *text)
{
  if (!text || !*text)
    return NULL;
  char *clean = g_utf8_make_valid (text, -1);
  for (char *c = clean; *c; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  g_strstrip (clean);
  if (!*clean)
    g_clear_pointer (&clean, g_free);
  return clean;
}

static void
read_details (AscPort *port, struct sp_port *details)
{
  port->is_usb = sp_get_port_transport (details) == SP_TRANSPORT_USB;
  if (!port->is_usb)
    return;
  if (sp_get_port_usb_vid_pid (details, &port->vid, &port->pid) != SP_OK)
    port->vid = port->pid = -1;
  port->product = clean_text (sp_get_port_usb_product (details));
  port->manufacturer = clean_text (sp_get_port_usb_manufacturer (details));
  port->serial = clean_text (sp_get_port_usb_serial (details));
  read_sysfs (port);
}

static AscPort *
port_from (const char *path, struct sp_port *details)
{
  AscPort *port = g_new0 (AscPort, 1);
  port->path = g_strdup (path);
  port->name = g_path_get_basename (path);
  port->vid = port->pid = port->interface = -1;
  if (details)
    read_details (port, details);
  return port;
}

AscPort *
asc_port_new (const char *path)
{
  struct sp_port *details = NULL;
  if (sp_get_port_by_name (path, &details) != SP_OK)
    details = NULL;
  AscPort *port = port_from (path, details);
  if (details)
    sp_free_port (details);
  return port;
}

static size_t
rank (const AscPort *port)
{
  size_t i = 0;
  while (i < G_N_ELEMENTS (likely_vendors) && likely_vendors[i] != port->vid)
    i++;
  return i == G_N_ELEMENTS (likely_vendors) && !port->is_usb ? i + 1 : i;
}

gboolean
asc_port_is_likely_board (const AscPort *port)
{
  return rank (port) < G_N_ELEMENTS (likely_vendors);
}

/* Digits compare as numbers. */
static int
compare_names (const char *a, const char *b)
{
  while (*a && *b)
    {
      if (g_ascii_isdigit (*a) && g_ascii_isdigit (*b))
        {
          char *after_a, *after_b;
          guint64 x = g_ascii_strtoull (a, &after_a, 10);
          guint64 y = g_ascii_strtoull (b, &after_b, 10);
          if (x != y)
            return x < y ? -1 : 1;
          a = after_a;
          b = after_b;
        }
      else if (*a != *b)
        return *a < *b ? -1 : 1;
      else
        a++, b++;
    }
  return *a ? 1 : *b ? -1 : 0;
}

static int
compare_ports (gconstpointer a, gconstpointer b)
{
  const AscPort *x = *(AscPort *const *)a, *y = *(AscPort *const *)b;
  size_t rank_x = rank (x), rank_y = rank (y);
  if (rank_x != rank_y)
    return rank_x < rank_y ? -1 : 1;
  return compare_names (x->name, y->name);
}

GPtrArray *
asc_ports_list (void)
{
  GPtrArray *ports = g_ptr_array_new_with_free_func ((GDestroyNotify)asc_port_free);
  struct sp_port **list;
  if (sp_list_ports (&list) != SP_OK)
    return ports;
  for (struct sp_port **each = list; *each; each++)
    g_ptr_array_add (ports, port_from (sp_get_port_name (*each), *each));
  sp_free_port_list (list);
  g_ptr_array_sort (ports, compare_ports);
  return ports;
}

char *
asc_port_label (const AscPort *port)
{
  if (!port->product)
    return g_strdup (port->name);
  return g_strdup_printf ("%s · %s", port->product, port->name);
}

/* vid:pid, and which of the device's ports. */
static char *
sort_of (const AscPort *port)
{
  return g_strdup_printf ("usb:%04x:%04x:if%d:", (unsigned)port->vid, (unsigned)port->pid,
                          port->interface);
}

char *
asc_port_identity (const AscPort *port)
{
  if (!port->is_usb)
    return g_strconcat ("port:", port->path, NULL);
  g_autofree char *sort = sort_of (port);
  if (port->serial)
    return g_strconcat (sort, "serial=", port->serial, NULL);
  return g_strconcat (sort, "at=", port->location ? port->location : port->name, NULL);
}

AscPort *
asc_ports_find (const char *identity)
{
  g_autoptr (GPtrArray) ports = asc_ports_list ();
  int like = -1, alike = 0;
  for (guint i = 0; i < ports->len; i++)
    {
      const AscPort *port = ports->pdata[i];
      g_autofree char *own = asc_port_identity (port);
      if (!strcmp (own, identity))
        return asc_port_new (port->path);
      g_autofree char *sort = sort_of (port);
      g_autofree char *nameless = g_strconcat (sort, "at=", NULL);
      if (port->is_usb && !port->serial && g_str_has_prefix (identity, nameless))
        {
          like = (int)i;
          alike++;
        }
    }
  if (alike != 1)
    return NULL;
  return asc_port_new (((const AscPort *)ports->pdata[like])->path);
}
