/* The store deletes users' files: what it must never delete, and who may be in between.
 */
#include "asc-test.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "asc-crc.h"
#include "asc-disk.h"
#include "asc-host-frames.h"
#include "asc-recording.h"
#include "asc-store-private.h"
#include "asc-test-board.h"

static char *directory;

static char *
in_directory (const char *name)
{
  return g_build_filename (directory, name, NULL);
}

static void
drop (char *path)
{
  g_unlink (path);
  g_free (path);
}

static gsize
head (guint8 *frame, guint8 version)
{
  AscFileHead head = { .nonce = 1,
                       .version = version,
                       .created_ns = 1000,
                       .source = asc_test_string ("a board of which we tell a bit more"),
                       .writer = asc_test_string ("test") };
  return asc_encode_file_head (frame, &head);
}

/* A right frame without anything in it. */
static gsize
frame_of (guint8 *frame, guint8 type)
{
  memset (frame, 0, ASC_HEADER_SIZE);
  frame[0] = ASC_MARKER;
  frame[1] = type;
  frame[7] = asc_crc8 (frame + 1, 6);
  guint32 check = asc_crc32 (0, frame, ASC_HEADER_SIZE);
  for (guint i = 0; i < ASC_CHECK_SIZE; i++)
    frame[ASC_HEADER_SIZE + i] = (guint8)(check >> 8 * i);
  return ASC_HEADER_SIZE + ASC_CHECK_SIZE;
}

/* A recording in the folder: its head, then these bytes. The caller frees. */
static char *
recording (const char *folder,
           const char *name,
           guint8 version,
           const void *more,
           gsize n)
{
  guint8 bytes[8 * ASC_FRAME_MAX];
  gsize size = head (bytes, version);
  char *path = g_build_filename (folder, name, NULL);
  memcpy (bytes + size, more, n);
  assert_true (g_file_set_contents (path, (char *)bytes, (gssize)(size + n), NULL));
  return path;
}

static bool
is_empty (guint8 version, const void *more, gsize n)
{
  char *path = recording (asc_store_directory (), "one.trace", version, more, n);
  GPtrArray *list = asc_store_list ();
  assert_int_equal (list->len, 1);
  bool empty = ((AscStoreEntry *)list->pdata[0])->empty;
  g_ptr_array_unref (list);
  assert_int_equal (asc_store_trim (0, 1), empty);
  assert_int_equal (g_file_test (path, G_FILE_TEST_EXISTS), !empty);
  drop (path);
  return empty;
}

static void
only_what_the_recorder_writes_by_itself_is_nothing (void **state)
{
  guint8 bytes[2 * ASC_FRAME_MAX];
  gsize n;
  (void)state;
  assert_true (is_empty (1, "", 0));
  n = frame_of (bytes, ASC_FRAME_LINK);
  assert_true (is_empty (1, bytes, n));
  assert_true (is_empty (1, bytes, n - 3)); /* cut */
  n = frame_of (bytes, ASC_FRAME_HELLO);
  assert_false (is_empty (1, bytes, n));
  assert_false (is_empty (1, bytes, n - 3));
  /* A user's mark, what a later version calls something, and its whole file. */
  n = frame_of (bytes, ASC_FRAME_MARK);
  assert_false (is_empty (1, bytes, n));
  n = frame_of (bytes, 0x99);
  assert_false (is_empty (1, bytes, n));
  assert_false (is_empty (2, "", 0));
}

static void
what_cannot_be_read_is_not_empty (void **state)
{
  (void)state;
  char *path = recording (directory, "unread", 1, "", 0);
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  assert_true (fd >= 0);
  assert_true (asc_store_has_board (fd, 0));
  close (fd);
  drop (path);
}

/* A note that tells of a link to the recording, or of a file that only begins as it. */
static void
a_link_is_no_copy (void **state)
{
  static char text[300];
  (void)state;
  memset (text, 'a', sizeof text);
  char *path = recording (asc_store_directory (), "one.trace", 1, text, sizeof text);
  char *other = in_directory ("saved.trace");
  struct stat st;
  assert_int_equal (stat (path, &st), 0);
  assert_true (asc_store_note_saved (path, other, (guint64)st.st_size));
  assert_int_equal (symlink (path, other), 0);
  assert_int_equal (asc_store_trim (0, 1), 0);
  g_unlink (other);
  assert_int_equal (link (path, other), 0);
  assert_int_equal (asc_store_trim (0, 1), 0);
  g_unlink (other);
  text[sizeof text - 1] = 'b';
  g_free (recording (directory, "saved.trace", 1, text, sizeof text));
  assert_int_equal (asc_store_trim (0, 1), 0);
  text[sizeof text - 1] = 'a';
  g_free (recording (directory, "saved.trace", 1, text, sizeof text));
  assert_int_equal (asc_store_trim (0, 1), 1);
  assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_free (path);
  drop (other);
}

/* In a folder where others may write, "recordings" may lead to the user's own traces. */
static void
what_others_link_to_is_left_alone (void **state)
{
  (void)state;
  char *home = in_directory ("traces"), *outer = in_directory ("run/aioscope");
  char *inner = in_directory ("run/aioscope/recordings");
  assert_int_equal (g_mkdir (home, 0700), 0);
  assert_int_equal (g_mkdir_with_parents (outer, 0700), 0);
  assert_int_equal (symlink (home, inner), 0);
  char *mine = recording (home, "mine.trace", 1, "", 0);
  GPtrArray *list = asc_store_list ();
  assert_int_equal (list->len, 0);
  g_ptr_array_unref (list);
  assert_int_equal (asc_store_trim (1, G_MAXINT64), 0);
  assert_true (g_file_test (mine, G_FILE_TEST_EXISTS));
  drop (mine);
  drop (inner);
  g_rmdir (home);
  g_rmdir (outer);
  g_free (home);
  g_free (outer);
}

/* ---- another viewer that begins, and tidies up, while this one makes a recording ----
 */

static atomic_bool tidied;

static gpointer
tidy (gpointer data)
{
  while (!atomic_load (&tidied))
    asc_store_trim (0, 1);
  return data;
}

static void
a_new_recording_is_not_tidied_away (void **state)
{
  (void)state;
  atomic_store (&tidied, false);
  GThread *other = g_thread_new ("tidy", tidy, NULL);
  for (int i = 0; i < 2000; i++)
    {
      char name[24];
      struct stat own, named;
      g_snprintf (name, sizeof name, "%d.trace", i);
      char *path = g_build_filename (asc_store_directory (), name, NULL);
      AscDisk *disk = asc_disk_create (path, false, 1, NULL);
      assert_non_null (disk);
      assert_int_equal (asc_disk_write (disk, (const guint8 *)"a", 1), 0);
      assert_int_equal (fstat (asc_disk_fd (disk), &own), 0);
      assert_int_equal (stat (path, &named), 0);
      assert_true (own.st_ino == named.st_ino);
      assert_false (asc_store_delete (path, NULL)); /* it is in use */
      asc_disk_free (disk);
      drop (path);
    }
  atomic_store (&tidied, true);
  g_thread_join (other);
}

static void
room_is_made_only_where_it_lacks (void **state)
{
  (void)state;
  const guint64 gib = G_GUINT64_CONSTANT (1) << 30;
  assert_true (asc_store_floor (0, 100 * gib) == gib);
  /* A folder of the session's is often smaller than that: it need not be empty. */
  assert_true (asc_store_floor (0, gib / 2) == gib / 16);
  assert_true (asc_store_floor (5, gib) == 5);
}

/* ---- saving ---- */

static void
nothing_is_saved_over_itself (void **state)
{
  (void)state;
  AscRecordingOptions options = { 0 };
  GError *error = NULL;
  struct stat before, after;
  AscSourceSpec *spec = asc_source_spec_parse ("demo", NULL);
  AscRecording *rec = asc_recording_start (spec, &options, NULL, NULL, &error);
  assert_non_null (rec);
  char *path = g_strdup (asc_recording_path (rec)),
       *link_to = in_directory ("link.trace");
  while (asc_recording_length (rec) < 1000)
    g_usleep (1000);
  assert_int_equal (stat (path, &before), 0);
  assert_false (asc_recording_save (rec, path, NULL, NULL, NULL, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED));
  g_clear_error (&error);
  assert_int_equal (link (path, link_to), 0);
  assert_false (asc_recording_save (rec, link_to, NULL, NULL, NULL, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS));
  g_clear_error (&error);
  assert_int_equal (stat (path, &after), 0);
  assert_true (before.st_ino == after.st_ino);
  asc_recording_free (rec);
  assert_int_equal (asc_store_trim (0, 1), 0);
  char *beside = g_build_filename (asc_store_directory (), "named.trace", NULL);
  assert_false (asc_store_keep (path, beside, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED));
  g_clear_error (&error);
  assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  asc_source_spec_free (spec);
  g_free (beside);
  drop (link_to);
  drop (path);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (only_what_the_recorder_writes_by_itself_is_nothing),
    cmocka_unit_test (what_cannot_be_read_is_not_empty),
    cmocka_unit_test (a_link_is_no_copy),
    cmocka_unit_test (what_others_link_to_is_left_alone),
    cmocka_unit_test (a_new_recording_is_not_tidied_away),
    cmocka_unit_test (room_is_made_only_where_it_lacks),
    cmocka_unit_test (nothing_is_saved_over_itself),
  };
  directory = g_dir_make_tmp ("asc-store-XXXXXX", NULL);
  char *state = in_directory ("state"), *run = in_directory ("run");
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_setenv ("XDG_RUNTIME_DIR", run, TRUE);
  g_setenv ("TMPDIR", directory, TRUE);
  int failed = asc_test_run (tests, sizeof tests / sizeof *tests);
  char *recordings = g_strdup (asc_store_directory ());
  char *parent = g_path_get_dirname (recordings);
  g_rmdir (recordings);
  g_rmdir (parent);
  g_rmdir (state);
  g_rmdir (run);
  g_rmdir (directory);
  g_free (recordings);
  g_free (parent);
  g_free (state);
  g_free (run);
  g_free (directory);
  return failed;
}
