/* Copies the first bytes of a file, to a name that appears when all is there. */
#ifndef ASC_COPY_H
#define ASC_COPY_H

#include <gio/gio.h>
#include <stdbool.h>

/* The first length bytes of fd (its position stays) to path, which is replaced. As a
 * reflink where the file system can. Any thread; progress (0-1) may be NULL. On an error
 * nothing is left behind and path is as it was. */
bool asc_copy_file (int fd,
                    guint64 length,
                    const char *path,
                    GCancellable *cancellable,
                    void (*progress) (void *user, double done),
                    void *user,
                    GError **error);

#endif
