/* The serial ports of this computer. Listing opens none of them, and takes 1-2 ms. */
#ifndef ASC_PORTS_H
#define ASC_PORTS_H

#include "asc-link-error.h"

/* Texts are NULL, and numbers -1, where they are not known. Free with asc_port_free(). */
typedef struct
{
  char *path; /* /dev/ttyACM0 */
  char *name; /* ttyACM0 */
  char *product;
  char *manufacturer;
  char *serial;
  char *location; /* the USB socket: "1-1.2" */
  int vid, pid;   /* USB ids */
  int interface;  /* which of a device's ports: the USB interface number */
  gboolean is_usb;
} AscPort;

/* What is known of the port at @path; never NULL: an unknown one has its name only. */
AscPort *asc_port_new (const char *path);
void asc_port_free (AscPort *port);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AscPort, asc_port_free)

/* AscPort, likely boards first, then by name (ttyACM2 before ttyACM10). Never NULL; free
 * with g_ptr_array_unref(). */
GPtrArray *asc_ports_list (void);

/* TRUE for USB ids of MicroPython boards and of the UART bridges that such boards have.
 */
gboolean asc_port_is_likely_board (const AscPort *port);

/* For people: "Pico · ttyACM0". Free with g_free(). */
char *asc_port_label (const AscPort *port);

/* The same text for the same device: by serial number, or by USB socket when it has none,
 * or by path when it is not on USB. Free with g_free(). */
char *asc_port_identity (const AscPort *port);

/* The port that has this identity now, or NULL. A device without a serial number is also
 * found in another socket, when it is the only one of its sort. */
AscPort *asc_ports_find (const char *identity);

#endif
