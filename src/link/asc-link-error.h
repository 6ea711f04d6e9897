/* The error domain of the link layer. Messages are whole sentences for people: they say
 * what is the matter and what to do about it. */
#ifndef ASC_LINK_ERROR_H
#define ASC_LINK_ERROR_H

#include <glib.h>

typedef enum
{
  ASC_LINK_ERROR_BAD_SPEC,  /* the text names no source */
  ASC_LINK_ERROR_NOT_FOUND, /* no such device, file, host, or nobody listens there */
  ASC_LINK_ERROR_BUSY,      /* another program holds it */
  ASC_LINK_ERROR_DENIED,    /* the user may not open it */
  ASC_LINK_ERROR_GONE,      /* it was unplugged, or the other side left */
  ASC_LINK_ERROR_CANCELLED, /* asc_source_wake() was called */
  ASC_LINK_ERROR_FAILED,    /* anything else */
} AscLinkError;

#define ASC_LINK_ERROR (asc_link_error_quark ())
GQuark asc_link_error_quark (void);

/* Sets *error for the errno value @number, met on opening the device or file @path: a
 * taken port is told with its holder, a forbidden one with the group that may. */
void asc_link_error_set_open (GError **error, const char *path, int number);

#endif
