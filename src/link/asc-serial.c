/* Serial ports by libserialport: it opens and sets them; reading and waiting is ours,
 * because its own waits spin on an unplugged port and cannot be woken. */
#include "asc-baud.h"
#include "asc-holder.h"
#include "asc-ports.h"
#include "asc-source-private.h"

#include <errno.h>
#include <libserialport.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* Nobody minds on USB, where the speed is only a number; and most UART boards use it. */
#define BAUD_USUAL 115200

/* libserialport 0.1.1 looks a link's own name up in sysfs, where it is not. */
static char *
port_path (const char *path)
{
  char *real = realpath (path, NULL);
  char *result
      = real && g_str_has_prefix (real, "/dev/") && !g_str_has_prefix (real, "/dev/pts/")
            ? g_strdup (real)
            : g_strdup (path);
  free (real);
  return result;
}

static gboolean
set_speed (int fd, struct sp_port *port, int baud, const char *path, GError **error)
{
  if (sp_set_baudrate (port, baud) != SP_OK && !asc_baud_set (fd, baud))
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "%s does not take %d baud: %s.", path, baud, g_strerror (errno));
      return FALSE;
    }
  /* A UART tolerates a few percent; more, and all bytes would be rubbish. */
  int real = asc_baud_get (fd);
  if (real > 0 && llabs ((long long)real - baud) * 20 > baud)
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "%s does not take %d baud; the nearest that it has is %d.", path, baud,
                   real);
      return FALSE;
    }
  return TRUE;
}

/* 8N1 and no flow control of any sort. DTR and RTS are not among these settings: what is
 * not set in the configuration stays as it is. */
static gboolean
set_format (int fd, struct sp_port *port)
{
  struct sp_port_config *config;
  if (sp_new_config (&config) != SP_OK)
    return FALSE;
  sp_set_config_bits (config, 8);
  sp_set_config_parity (config, SP_PARITY_NONE);
  sp_set_config_stopbits (config, 1);
  /* sp_open() leaves it on, and then the bytes 0x11 and 0x13 vanish. */
  sp_set_config_xon_xoff (config, SP_XONXOFF_DISABLED);
  gboolean good = sp_set_config (port, config) == SP_OK;
  sp_free_config (config);
  /* 0.1.1 turns hardware flow control off only together with setting RTS. */
  struct termios settings;
  if (!good || tcgetattr (fd, &settings))
    return FALSE;
  settings.c_cflag &= ~(tcflag_t)CRTSCTS;
  return tcsetattr (fd, TCSANOW, &settings) == 0;
}

static gboolean
set_up (int fd, struct sp_port *port, const AscSourceSpec *spec, GError **error)
{
  if (!set_format (fd, port)
      || (spec->dtr >= 0
          && sp_set_dtr (port, spec->dtr ? SP_DTR_ON : SP_DTR_OFF) != SP_OK)
      || (spec->rts >= 0
          && sp_set_rts (port, spec->rts ? SP_RTS_ON : SP_RTS_OFF) != SP_OK))
    {
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_FAILED,
                   "%s cannot be set up: %s.", spec->path,
                   g_strerror (sp_last_error_code ()));
      return FALSE;
    }
  return set_speed (fd, port, spec->baud ? spec->baud : BAUD_USUAL, spec->path, error);
}

static void
close_port (struct sp_port *port, int fd)
{
  /* Instead of sp_close(), which may wait; the rest of the port is memory. */
  asc_tty_close (fd);
  sp_free_port (port);
}

/* The port, opened and set up, or NULL. *@plain: libserialport does not know this
 * terminal, and it is worth a try without. */
static struct sp_port *
open_port (const AscSourceSpec *spec,
           const char *path,
           int *fd,
           gboolean *plain,
           GError **error)
{
  struct sp_port *port;
  *plain = FALSE;
  if (sp_get_port_by_name (path, &port) != SP_OK)
    {
      *plain = TRUE;
      return NULL;
    }
  /* Before opening: many tools do not open exclusively, and two readers would each get
   * some of the bytes. */
  g_autofree char *holder = asc_holder_find (path);
  if (holder)
    {
      asc_link_error_set_open (error, path, EBUSY);
      sp_free_port (port);
      return NULL;
    }
  if (sp_open (port, SP_MODE_READ_WRITE) != SP_OK)
    {
      int number = sp_last_error_code ();
      *plain = number == ENOTTY || number == EINVAL;
      if (!*plain)
        asc_link_error_set_open (error, path, number == EIO ? ENOENT : number);
      sp_free_port (port);
      return NULL;
    }
  if (sp_get_port_handle (port, fd) != SP_OK || !asc_tty_claim (*fd, path, error))
    {
      sp_close (port);
      sp_free_port (port);
      return NULL;
    }
  if (!set_up (*fd, port, spec, error))
    {
      close_port (port, *fd);
      return NULL;
    }
  return port;
}

/* Where the device is now: under another name perhaps, once it was seen. */
static char *
find_path (AscSource *source, GError **error)
{
  const char *given = source->spec->path;
  if (source->identity && g_str_has_prefix (source->identity, "usb:"))
    {
      g_autoptr (AscPort) port = asc_ports_find (source->identity);
      if (port)
        return g_strdup (port->path);
      g_set_error (error, ASC_LINK_ERROR, ASC_LINK_ERROR_NOT_FOUND,
                   "%s is not plugged in.", source->description);
      return NULL;
    }
  struct stat info;
  if (stat (given, &info))
    {
      asc_link_error_set_open (error, given, errno);
      return NULL;
    }
  return port_path (given);
}

static gboolean
serial_open (AscSource *source, GError **error)
{
  g_autofree char *path = find_path (source, error);
  if (!path || !asc_tty_check_name (source, error))
    return FALSE;
  gboolean plain;
  struct sp_port *port = open_port (source->spec, path, &source->fd, &plain, error);
  if (!port && plain)
    source->fd = asc_tty_open (path, source->spec->baud, error);
  else if (!port)
    source->fd = -1;
  if (source->fd < 0)
    return FALSE;
  source->data = port;
  g_autoptr (AscPort) details = asc_port_new (path);
  asc_source_set_names (source, asc_port_label (details), asc_port_identity (details));
  return TRUE;
}

static void
serial_close (AscSource *source)
{
  if (source->fd >= 0 && source->data)
    close_port (source->data, source->fd);
  else if (source->fd >= 0)
    asc_tty_close (source->fd);
  source->data = NULL;
  source->fd = -1;
}

const AscBackend asc_backend_serial = {
  .open = serial_open,
  .close = serial_close,
  .reconnects = TRUE,
  .is_tty = TRUE,
  .writable = TRUE,
};
