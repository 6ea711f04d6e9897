#include "asc-disk.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "asc-host-frames.h"

#define KEEP_FREE ((guint64)64 << 20)
/* How much may be written before the free space is asked for again. */
#define ASK_EVERY ((guint64)8 << 20)
#define ASK_EVERY_US (1000 * 1000)
/* The last border is within two frames of the end, but for a damaged stretch. */
#define TAIL_SIZE 8192

struct AscDisk
{
  int fd;
  bool regular;
  bool dirty;
  int error;
  guint64 keep_free;
  guint64 asked_at;
  gint64 asked_us;
  _Atomic guint64 length;
  guint64 cut_at; /* offset of the CUT, 0 none */
  AscCut cut;
  guint64 cut_nonce;
  guint16 cut_sequence;
};

static gssize
system_write (int fd, const void *bytes, gsize n)
{
  return write (fd, bytes, n);
}

static int
system_sync (int fd)
{
#ifdef __APPLE__
  return fsync (fd);
#else
  return fdatasync (fd);
#endif
}

static const AscDiskCalls system_calls = { system_write, system_sync };
static const AscDiskCalls *calls = &system_calls;

void
asc_disk_set_calls (const AscDiskCalls *replacement)
{
  calls = replacement ? replacement : &system_calls;
}

guint64
asc_disk_free_space (int fd)
{
  struct statvfs fs;
  if (fstatvfs (fd, &fs) != 0 || fs.f_blocks == 0)
    return G_MAXUINT64;
  return (guint64)fs.f_bavail * (fs.f_frsize ? fs.f_frsize : fs.f_bsize);
}

static int
open_new (const char *path, bool replace, GError **error)
{
  int fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat st;
  if (fd < 0 && errno == EEXIST && stat (path, &st) == 0)
    {
      if (!S_ISREG (st.st_mode) && !S_ISDIR (st.st_mode))
        fd = open (path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
      else if (S_ISREG (st.st_mode) && replace && unlink (path) == 0)
        fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      else if (S_ISREG (st.st_mode) && !replace)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
                       "%s exists already; a recording never overwrites a file.", path);
          return -1;
        }
    }
  if (fd < 0)
    {
      int number = errno;
      g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (number),
                   "%s can not be written: %s.", path, g_strerror (number));
    }
  return fd;
}

/* The lock says "in use". Who lists recordings has it for a moment, so it is waited for;
 * who tidies up may have found the file before it was locked, and deleted it: false. */
static bool
lock_new (int fd)
{
  struct stat st;
  while (flock (fd, LOCK_EX) != 0 && errno == EINTR)
    ;
  return fstat (fd, &st) != 0 || st.st_nlink > 0;
}

static int
open_locked (const char *path, bool replace, GError **error)
{
  for (int tries = 0;; tries++)
    {
      struct stat st;
      int fd = open_new (path, replace, error);
      if (fd < 0 || fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || lock_new (fd)
          || tries == 100)
        return fd;
      close (fd);
    }
}

AscDisk *
asc_disk_create (const char *path, bool replace, guint64 keep_free, GError **error)
{
  int fd = strcmp (path, "-") == 0 ? fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : open_locked (path, replace, error);
  if (fd < 0)
    {
      if (error && !*error)
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "Standard output is closed.");
      return NULL;
    }
  struct stat st;
  AscDisk *disk = g_new0 (AscDisk, 1);
  disk->fd = fd;
  /* Standard output may be a file that somebody else began: it is written, not read. */
  disk->regular = strcmp (path, "-") != 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode);
  disk->keep_free = keep_free ? keep_free : KEEP_FREE;
  atomic_init (&disk->length, 0);
  return disk;
}

void
asc_disk_free (AscDisk *disk)
{
  if (!disk)
    return;
  close (disk->fd);
  g_free (disk);
}

static bool
room (AscDisk *disk, gsize n)
{
  guint64 length = asc_disk_length (disk);
  gint64 now = g_get_monotonic_time ();
  if (!disk->regular)
    return true;
  if (disk->asked_us && length + n - disk->asked_at < ASK_EVERY
      && now - disk->asked_us < ASK_EVERY_US)
    return true;
  disk->asked_at = length;
  disk->asked_us = now;
  return asc_disk_free_space (disk->fd) >= disk->keep_free;
}

int
asc_disk_write (AscDisk *disk, const guint8 *bytes, gsize n)
{
  if (disk->error)
    return disk->error;
  if (!room (disk, n))
    return disk->error = ENOSPC;
  while (n)
    {
      gssize done = calls->write (disk->fd, bytes, n);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return disk->error = done < 0 ? errno : EIO;
      bytes += done;
      n -= (gsize)done;
      disk->dirty = true;
      atomic_fetch_add_explicit (&disk->length, (guint64)done, memory_order_release);
    }
  return 0;
}

int
asc_disk_sync (AscDisk *disk)
{
  if (!disk->dirty || !disk->regular)
    return 0;
  disk->dirty = false;
  return calls->sync (disk->fd) == 0 ? 0 : errno;
}

typedef struct
{
  guint64 border;
  bool found;
} Border;

static void
border_frame (void *user, const AscFrame *frame)
{
  Border *border = user;
  border->border = frame->offset + ASC_HEADER_SIZE + frame->length + ASC_CHECK_SIZE;
  border->found = true;
}

/* Where the bytes of the file's end that stand at `from` have their last border. */
static guint64
last_border (const guint8 *bytes, gsize n, guint64 from)
{
  static const AscDeframerSink sink = { .frame = border_frame };
  AscDeframer deframer;
  Border border = { .border = from + n };
  const guint8 *held;
  asc_deframer_init (&deframer, &sink, &border, from);
  asc_deframer_feed (&deframer, bytes, n);
  if (asc_deframer_at_boundary (&deframer))
    return from + n;
  if (deframer.damaged == 0)
    return from + n - asc_deframer_pending (&deframer, &held);
  return border.found ? border.border : from + n;
}

guint64
asc_disk_border (const AscDisk *disk, guint64 length)
{
  guint8 bytes[TAIL_SIZE];
  gsize n = (gsize)MIN (length, sizeof bytes);
  if (pread (disk->fd, bytes, n, (off_t)(length - n)) != (gssize)n)
    return length;
  return last_border (bytes, n, length - n);
}

static gsize
encode_cut (AscDisk *disk, guint8 *frame)
{
  return asc_encode_cut (frame, disk->cut_nonce, disk->cut_sequence, &disk->cut);
}

void
asc_disk_close_at_border (AscDisk *disk, guint64 nonce, guint16 sequence)
{
  guint8 bytes[TAIL_SIZE];
  guint8 frame[ASC_FRAME_MAX];
  guint64 length = asc_disk_length (disk);
  gsize n = (gsize)MIN (length, sizeof bytes);
  if (!disk->regular || pread (disk->fd, bytes, n, (off_t)(length - n)) != (gssize)n)
    return;
  disk->cut = (AscCut){ .reason = ASC_CUT_DISK };
  disk->cut_nonce = nonce;
  disk->cut_sequence = sequence;
  gsize size = encode_cut (disk, frame);
  /* What is cut off makes room for the CUT: there may be none behind it. */
  guint64 border = last_border (bytes, n > size ? n - size : 0, length - n);
  if (border < length && ftruncate (disk->fd, (off_t)border) != 0)
    return;
  atomic_store_explicit (&disk->length, border, memory_order_release);
  if (pwrite (disk->fd, frame, size, (off_t)border) == (gssize)size)
    disk->cut_at = border;
  else if (ftruncate (disk->fd, (off_t)border) != 0)
    return; /* half a frame at the end is read as a cut, too */
  calls->sync (disk->fd);
}

void
asc_disk_fill_cut (AscDisk *disk, guint64 bytes)
{
  guint8 frame[ASC_FRAME_MAX];
  if (!disk->cut_at)
    return;
  disk->cut.bytes = bytes;
  gsize size = encode_cut (disk, frame);
  if (pwrite (disk->fd, frame, size, (off_t)disk->cut_at) == (gssize)size)
    calls->sync (disk->fd);
}

guint64
asc_disk_length (const AscDisk *disk)
{
  return atomic_load_explicit (&disk->length, memory_order_acquire);
}

gssize
asc_disk_read (const AscDisk *disk, guint64 offset, void *buffer, gsize n)
{
  guint64 length = asc_disk_length (disk);
  if (!disk->regular)
    return -1;
  if (offset >= length)
    return 0;
  gssize got;
  do
    got = pread (disk->fd, buffer, (gsize)MIN (n, length - offset), (off_t)offset);
  while (got < 0 && errno == EINTR);
  return got;
}

bool
asc_disk_readable (const AscDisk *disk)
{
  return disk->regular;
}

int
asc_disk_fd (const AscDisk *disk)
{
  return disk->fd;
}
