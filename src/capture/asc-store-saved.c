/* Which recordings nobody needs: empty ones, and those that were saved under a name. What
 * was saved stands in a note beside the recording: its length, and where to. */
#include "asc-store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asc-deframer.h"
#include "asc-host-frames.h"

#define PIECE 4096
#define HEAD 64 /* bytes that tell two recordings apart: the nonce is in them */
#define NOTE_MOST 8192

char *
asc_store_note_path (const char *path)
{
  char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  char *hidden = g_strconcat (".", name, ".saved", NULL);
  char *note = g_build_filename (folder, hidden, NULL);
  g_free (hidden);
  g_free (name);
  g_free (folder);
  return note;
}

/* What the recorder writes by itself says nothing; what a later version writes may. */
static void
on_frame (void *user, const AscFrame *frame)
{
  AscFileHead head;
  bool by_itself
      = frame->type == ASC_FRAME_ANCHOR || frame->type == ASC_FRAME_LINK
        || frame->type == ASC_FRAME_CUT
        || (frame->type == ASC_FRAME_FILE && asc_unpack_file_head (frame, &head) >= 0
            && head.version <= ASC_FILE_VERSION);
  *(bool *)user |= !by_itself;
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  (void)bytes;
  (void)n;
  (void)offset;
  *(bool *)user = true;
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  (void)why;
  (void)offset;
  (void)n;
  *(bool *)user = true;
}

static gssize
read_at (int fd, guint8 *bytes, gsize n, guint64 offset)
{
  gssize got;
  do
    got = pread (fd, bytes, n, (off_t)offset);
  while (got < 0 && errno == EINTR);
  return got;
}

bool
asc_store_has_board (int fd, guint64 from)
{
  static const AscDeframerSink sink
      = { .frame = on_frame, .text = on_text, .skip = on_skip };
  guint8 bytes[PIECE];
  AscDeframer deframer;
  bool found = false;
  gssize n = 1;
  asc_deframer_init (&deframer, &sink, &found, from);
  while (!found && n > 0)
    {
      n = read_at (fd, bytes, sizeof bytes, from);
      if (n > 0)
        {
          asc_deframer_feed (&deframer, bytes, (gsize)n);
          from += (guint64)n;
        }
    }
  /* What was cut in the middle of a host frame is nothing of a board's. */
  const uint8_t *held;
  gsize pending = asc_deframer_pending (&deframer, &held);
  bool begun
      = pending > 0 && (held[0] != ASC_MARKER || pending < 2 || held[1] < ASC_FRAME_HOST);
  /* What can not be read is not nothing. */
  return found || begun || n < 0;
}

bool
asc_store_note_saved (const char *path, const char *saved_as, guint64 bytes)
{
  char *whole = g_canonicalize_filename (saved_as, NULL);
  char *note = asc_store_note_path (path);
  char *text = g_strdup_printf ("%" G_GUINT64_FORMAT "\n%s\n", bytes, whole);
  bool done = g_file_set_contents (note, text, -1, NULL);
  g_free (text);
  g_free (note);
  g_free (whole);
  return done;
}

static bool
equal_at (int fd, int other, gsize n, guint64 offset)
{
  guint8 ours[PIECE], theirs[PIECE];
  return read_at (fd, ours, n, offset) == (gssize)n
         && read_at (other, theirs, n, offset) == (gssize)n
         && memcmp (ours, theirs, n) == 0;
}

/* The saved file is there, is another one than the recording (not a link to it), and
 * holds that much of it, as its beginning and its end tell. */
static bool
is_copy (const char *path, int fd, guint64 bytes)
{
  struct stat st, own;
  gsize tail = (gsize)MIN (bytes, PIECE);
  int other = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool same
      = other >= 0 && fstat (other, &st) == 0 && S_ISREG (st.st_mode)
        && fstat (fd, &own) == 0 && (st.st_dev != own.st_dev || st.st_ino != own.st_ino)
        && (guint64)st.st_size >= bytes && bytes >= HEAD && equal_at (fd, other, HEAD, 0)
        && equal_at (fd, other, tail, bytes - tail);
  if (other >= 0)
    close (other);
  return same;
}

void
asc_store_read_saved (AscStoreEntry *entry, int fd)
{
  char *note = asc_store_note_path (entry->path), *text = NULL;
  struct stat st;
  if (lstat (note, &st) == 0 && S_ISREG (st.st_mode) && st.st_size <= NOTE_MOST
      && g_file_get_contents (note, &text, NULL, NULL))
    {
      char *end = NULL;
      guint64 bytes = g_ascii_strtoull (text, &end, 10);
      if (end != text && *end == '\n' && end[1] == '/')
        {
          char *saved_as = g_strchomp (g_strdup (end + 1));
          if (is_copy (saved_as, fd, bytes))
            {
              entry->saved_as = g_steal_pointer (&saved_as);
              entry->saved_bytes = bytes;
              entry->all_saved = !asc_store_has_board (fd, bytes);
            }
          g_free (saved_as);
        }
    }
  g_free (text);
  g_free (note);
}
