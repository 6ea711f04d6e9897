#include "asc-store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "asc-copy.h"
#include "asc-host-frames.h"

#define MAX_BYTES (G_GUINT64_CONSTANT (10) << 30)
#define KEEP_FREE (G_GUINT64_CONSTANT (1) << 30)
#define SUFFIX ".trace"

char *
asc_store_new_path (GError **error)
{
  const char *directory = asc_store_directory ();
  GDateTime *now = g_date_time_new_now_local ();
  char *when = g_date_time_format (now, "%Y%m%d-%H%M%S");
  char *path = NULL;
  for (int i = 0; i < 1000 && g_file_test (directory, G_FILE_TEST_IS_DIR); i++)
    {
      char *name = i ? g_strdup_printf ("%s-%d" SUFFIX, when, i + 1)
                     : g_strconcat (when, SUFFIX, NULL);
      path = g_build_filename (directory, name, NULL);
      g_free (name);
      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        break;
      g_clear_pointer (&path, g_free);
    }
  if (!path && g_file_test (directory, G_FILE_TEST_IS_DIR))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "No free name is left in %s.",
                 directory);
  else if (!path)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
                 "No folder for recordings can be written: neither %s nor one for "
                 "temporary files. Make it writable, or set XDG_STATE_HOME to one that "
                 "is.",
                 directory);
  g_free (when);
  g_date_time_unref (now);
  return path;
}

/* ---- listing ---- */

static void
entry_free (gpointer data)
{
  AscStoreEntry *entry = data;
  g_free (entry->path);
  g_free (entry->source);
  g_free (entry->saved_as);
  g_free (entry);
}

static void
take_head (void *user, const AscFrame *frame)
{
  AscStoreEntry *entry = user;
  AscFileHead head;
  if (entry->source || frame->type != ASC_FRAME_FILE
      || asc_unpack_file_head (frame, &head) < 0)
    return;
  entry->created_ns = head.created_ns;
  char *source = g_strndup (head.source.bytes, head.source.length);
  entry->source = g_utf8_make_valid (source, -1);
  g_free (source);
}

/* A writer holds the exclusive lock; asking for it leaves no trace. */
static bool
is_in_use (int fd)
{
  if (flock (fd, LOCK_SH | LOCK_NB) == 0)
    {
      flock (fd, LOCK_UN);
      return false;
    }
  return errno == EWOULDBLOCK;
}

static void
judge (AscStoreEntry *entry, int fd)
{
  entry->empty = !asc_store_has_board (fd, 0);
  asc_store_read_saved (entry, fd);
}

static AscStoreEntry *
entry_new (const char *path)
{
  static const AscDeframerSink sink = { .frame = take_head };
  guint8 bytes[2 * ASC_FRAME_MAX];
  struct stat st;
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  AscStoreEntry *entry = NULL;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    {
      entry = g_new0 (AscStoreEntry, 1);
      entry->path = g_strdup (path);
      entry->bytes = (guint64)st.st_size;
      entry->created_ns = (gint64)st.st_mtime * 1000000000;
      entry->in_use = is_in_use (fd);
      gssize n = pread (fd, bytes, sizeof bytes, 0);
      AscDeframer deframer;
      asc_deframer_init (&deframer, &sink, entry, 0);
      if (n > 0)
        asc_deframer_feed (&deframer, bytes, (gsize)n);
      if (!entry->source)
        entry->source = g_strdup ("");
      judge (entry, fd);
    }
  close (fd);
  return entry;
}

static gint
newest_first (gconstpointer a, gconstpointer b)
{
  const AscStoreEntry *x = *(AscStoreEntry *const *)a;
  const AscStoreEntry *y = *(AscStoreEntry *const *)b;
  if (x->created_ns != y->created_ns)
    return x->created_ns < y->created_ns ? 1 : -1;
  return strcmp (y->path, x->path);
}

static void
list_folder (GPtrArray *entries, const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    {
      if (!g_str_has_suffix (name, SUFFIX) || name[0] == '.')
        continue;
      char *path = g_build_filename (folder, name, NULL);
      AscStoreEntry *entry = entry_new (path);
      if (entry)
        g_ptr_array_add (entries, entry);
      g_free (path);
    }
  if (dir)
    g_dir_close (dir);
}

GPtrArray *
asc_store_list (void)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);
  for (guint i = 0; i < ASC_STORE_PLACES; i++)
    if (asc_store_place (i))
      list_folder (entries, asc_store_place (i));
  g_ptr_array_sort (entries, newest_first);
  return entries;
}

/* ---- deleting and keeping ---- */

/* Opens the recording and takes its lock, so that nobody else deletes or moves it. */
static int
claim (const char *path, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  int number = fd < 0 ? errno : 0;
  struct stat st, named;
  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0)
    number = errno;
  /* Who had the lock before may have deleted it, and the name may be another's now. */
  else if (fd >= 0
           && (fstat (fd, &st) != 0 || lstat (path, &named) != 0
               || st.st_dev != named.st_dev || st.st_ino != named.st_ino))
    number = ENOENT;
  if (number && fd >= 0)
    {
      close (fd);
      fd = -1;
    }
  if (number == EWOULDBLOCK)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY, "%s is being recorded.", path);
  else if (number)
    g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (number),
                 "%s can not be opened: %s.", path, g_strerror (number));
  return fd;
}

static void
forget_note (const char *path)
{
  char *note = asc_store_note_path (path);
  unlink (note);
  g_free (note);
}

static bool
remove_claimed (const char *path, GError **error)
{
  bool done = unlink (path) == 0;
  if (!done)
    g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (errno),
                 "%s can not be deleted: %s.", path, g_strerror (errno));
  if (done)
    forget_note (path);
  return done;
}

bool
asc_store_delete (const char *path, GError **error)
{
  int fd = claim (path, error);
  bool done = fd >= 0 && remove_claimed (path, error);
  if (fd >= 0)
    close (fd);
  return done;
}

bool
asc_store_delete_needless (const char *path)
{
  AscStoreEntry *entry = g_new0 (AscStoreEntry, 1);
  int fd = claim (path, NULL);
  entry->path = g_strdup (path);
  if (fd >= 0)
    judge (entry, fd);
  /* Judged under the lock: since it was listed somebody may have recorded into it. */
  bool done
      = fd >= 0 && (entry->empty || entry->all_saved) && remove_claimed (path, NULL);
  if (fd >= 0)
    close (fd);
  entry_free (entry);
  return done;
}

guint64
asc_store_floor (guint64 asked, guint64 size)
{
  return asked ? asked : MIN (KEEP_FREE, size / 8);
}

/* Of the file system that the file is on: deleting elsewhere makes no room there. */
static bool
has_room (const char *path, guint64 keep_free)
{
  char *folder = g_path_get_dirname (path);
  struct statvfs fs;
  bool room = true;
  if (statvfs (folder, &fs) == 0 && fs.f_blocks != 0)
    {
      guint64 block = fs.f_frsize ? fs.f_frsize : fs.f_bsize;
      room = (guint64)fs.f_bavail * block
             >= asc_store_floor (keep_free, (guint64)fs.f_blocks * block);
    }
  g_free (folder);
  return room;
}

guint
asc_store_trim (guint64 max_bytes, guint64 keep_free)
{
  GPtrArray *entries = asc_store_list ();
  guint deleted = 0;
  guint64 total = 0;
  max_bytes = max_bytes ? max_bytes : MAX_BYTES;
  for (guint i = entries->len; i-- > 0;)
    {
      const AscStoreEntry *entry = entries->pdata[i];
      if (!entry->in_use && (entry->empty || entry->all_saved)
          && asc_store_delete_needless (entry->path))
        {
          g_ptr_array_remove_index (entries, i);
          deleted++;
        }
      else
        total += entry->bytes;
    }
  for (guint i = entries->len; i-- > 0;)
    {
      const AscStoreEntry *entry = entries->pdata[i];
      if ((total <= max_bytes && has_room (entry->path, keep_free)) || entry->in_use
          || !asc_store_delete (entry->path, NULL))
        continue;
      total -= entry->bytes;
      deleted++;
    }
  g_ptr_array_unref (entries);
  return deleted;
}

bool
asc_store_keep (const char *path, const char *destination, GError **error)
{
  if (!asc_store_may_save (destination, error))
    return false;
  int fd = claim (path, error);
  if (fd < 0)
    return false;
  struct stat st;
  bool done = rename (path, destination) == 0;
  if (!done && errno != EXDEV)
    g_set_error (error, G_IO_ERROR, (gint)g_io_error_from_errno (errno),
                 "%s can not be moved to %s: %s.", path, destination, g_strerror (errno));
  else if (!done && fstat (fd, &st) == 0)
    {
      /* Another file system: the original goes when the copy is safe. */
      done
          = asc_copy_file (fd, (guint64)st.st_size, destination, NULL, NULL, NULL, error);
      if (done)
        unlink (path);
    }
  if (done)
    forget_note (path);
  close (fd);
  return done;
}
