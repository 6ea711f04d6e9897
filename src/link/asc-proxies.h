/* The proxies that run for this user: each offers its port's bytes at a socket in
 * $XDG_RUNTIME_DIR/aioscope, where the list of ports finds it. */
#ifndef ASC_PROXIES_H
#define ASC_PROXIES_H

#include "asc-link-error.h"

/* A path for the socket of a proxy of the port with this name or path; makes the folder,
 * which only the user can enter. What a killed proxy left there is taken away. The caller
 * frees; NULL on error. */
char *asc_proxies_new_path (const char *port, GError **error);

/* The port's name, from the path of such a socket; the caller frees. */
char *asc_proxies_name (const char *path);

/* Paths of the sockets where a proxy answers, by name. Takes less than a millisecond.
 * Never NULL; free with g_strfreev(). */
char **asc_proxies_list (void);

/* The socket of the proxy, another process, that has the device @path open; NULL when
 * there is none, or the system does not tell who listens. The caller frees. */
char *asc_proxies_of (const char *path);

#endif
