/* The file that a recording writes: made, written, synced, and closed well when the disk
 * is full. The writer's thread only, but asc_disk_length () and asc_disk_read (). */
#ifndef ASC_DISK_H
#define ASC_DISK_H

#include <gio/gio.h>
#include <stdbool.h>

typedef struct AscDisk AscDisk;

/* A new file (0600; never one that exists, unless replace), locked as "in use". Devices,
 * FIFOs and "-" (standard output) are written too; they can not be read again. Errors:
 * G_IO_ERROR. */
AscDisk *
asc_disk_create (const char *path, bool replace, guint64 keep_free, GError **error);
/* Closes; NULL is taken. */
void asc_disk_free (AscDisk *disk);

/* Writes all n bytes; or returns an errno (ENOSPC also when the floor of free space is
 * reached) and has written part of them. No more is written after that. */
int asc_disk_write (AscDisk *disk, const guint8 *bytes, gsize n);
/* fdatasync when something was written since the last one; 0 or an errno. */
int asc_disk_sync (AscDisk *disk);

/* After an error: cuts the file back to its last border that leaves room for a CUT (disk)
 * and puts that there, as far as the disk lets. sequence: of the CUT. */
void asc_disk_close_at_border (AscDisk *disk, guint64 nonce, guint16 sequence);
/* Fills in how many bytes that CUT stands for. */
void asc_disk_fill_cut (AscDisk *disk, guint64 bytes);

/* Bytes of the stream on disk, without that CUT. Any thread. */
guint64 asc_disk_length (const AscDisk *disk);
/* Any thread: bytes of the stream, at most what asc_disk_length () says; 0 past it, -1 on
 * an error or where the file can not be read again. */
gssize asc_disk_read (const AscDisk *disk, guint64 offset, void *buffer, gsize n);
bool asc_disk_readable (const AscDisk *disk);
/* The last border at or before length; any thread. */
guint64 asc_disk_border (const AscDisk *disk, guint64 length);
int asc_disk_fd (const AscDisk *disk);

/* For tests: what stands in for the system's calls, before any disk is made. */
typedef struct
{
  gssize (*write) (int fd, const void *bytes, gsize n); /* -1 and errno */
  int (*sync) (int fd);
} AscDiskCalls;
void asc_disk_set_calls (const AscDiskCalls *calls); /* NULL: the system's */

/* Free bytes for the user on the file system of fd; G_MAXUINT64 unknown. */
guint64 asc_disk_free_space (int fd);

#endif
