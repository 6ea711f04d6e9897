/* Any speed that a driver takes, apart from the table of standard ones. */
#ifndef ASC_BAUD_H
#define ASC_BAUD_H

#include <stdbool.h>

/* Sets the speed of a terminal's descriptor in both directions, in baud. False and errno
 * when the driver refuses, or the system has no way to say it. */
bool asc_baud_set (int fd, int baud);

/* The speed in use, or 0 when it is not known. */
int asc_baud_get (int fd);

#endif
