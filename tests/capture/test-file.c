/* Reading a .trace, the disk's side of writing one, copying, and the store. */
#include "asc-test.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "asc-copy.h"
#include "asc-disk.h"
#include "asc-file.h"
#include "asc-host-frames.h"
#include "asc-store.h"
#include "asc-test-board.h"

static char *directory;

static char *
in_directory (const char *name)
{
  return g_build_filename (directory, name, NULL);
}

static char *
file_of (const char *name, const void *bytes, gsize n)
{
  char *path = in_directory (name);
  assert_true (g_file_set_contents (path, bytes, (gssize)n, NULL));
  return path;
}

static void
drop (char *path)
{
  unlink (path);
  g_free (path);
}

static GByteArray *
read_all (const char *path, GError **error)
{
  AscFileReader *reader = asc_file_open (path, error);
  if (!reader)
    return NULL;
  GByteArray *all = g_byte_array_new ();
  const guint8 *bytes;
  gssize n;
  while ((n = asc_file_next (reader, &bytes, error)) > 0)
    g_byte_array_append (all, bytes, (guint)n);
  if (n == 0)
    {
      assert_int_equal (asc_file_position (reader), all->len);
      assert_int_equal (asc_file_size (reader), all->len);
    }
  else
    g_clear_pointer (&all, g_byte_array_unref);
  asc_file_close (reader);
  return all;
}

static void
reads_what_is_there (void **state)
{
  (void)state;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 700000);
  char *path = file_of ("a.trace", in->data, in->len);
  GByteArray *all = read_all (path, NULL);
  assert_non_null (all);
  assert_int_equal (all->len, in->len);
  assert_memory_equal (all->data, in->data, in->len);
  g_byte_array_unref (all);
  g_byte_array_unref (in);
  drop (path);
}

static void
check_refused (const char *path, GQuark domain, int code)
{
  GError *error = NULL;
  assert_null (read_all (path, &error));
  assert_true (g_error_matches (error, domain, code));
  assert_true (g_str_has_suffix (error->message, "."));
  g_error_free (error);
}

static void
refuses_what_is_no_trace (void **state)
{
  (void)state;
  char *text = file_of ("text", "only text\n", 10);
  char *empty = file_of ("empty", "", 0);
  char *none = in_directory ("none");
  check_refused (text, ASC_FILE_ERROR, ASC_FILE_ERROR_NOT_A_TRACE);
  check_refused (empty, ASC_FILE_ERROR, ASC_FILE_ERROR_EMPTY);
  check_refused (none, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  check_refused (directory, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  drop (text);
  drop (empty);
  g_free (none);
}

/* One frame far inside of rubbish is enough. */
static void
takes_a_raw_capture (void **state)
{
  (void)state;
  GByteArray *in = g_byte_array_new ();
  for (int i = 0; i < 400000; i++)
    g_byte_array_append (in, (const guint8 *)"\xC3", 1);
  guint8 frame[ASC_FRAME_MAX];
  gsize n = asc_encode_frame (frame, 0x60, 0, 0, 0, "abc", 3);
  g_byte_array_append (in, frame, (guint)n);
  char *path = file_of ("raw", in->data, in->len);
  GByteArray *all = read_all (path, NULL);
  assert_non_null (all);
  g_byte_array_unref (all);
  g_byte_array_unref (in);
  drop (path);
}

/* ---- disk ---- */

static void
never_overwrites (void **state)
{
  (void)state;
  GError *error = NULL;
  char *path = file_of ("there", "precious", 8);
  assert_null (asc_disk_create (path, false, 1, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS));
  g_clear_error (&error);
  char *contents;
  assert_true (g_file_get_contents (path, &contents, NULL, NULL));
  assert_string_equal (contents, "precious");
  g_free (contents);
  AscDisk *disk = asc_disk_create (path, true, 1, NULL);
  assert_non_null (disk);
  struct stat st;
  assert_int_equal (stat (path, &st), 0);
  assert_int_equal (st.st_size, 0);
  assert_int_equal (st.st_mode & 0777, 0600);
  asc_disk_free (disk);
  drop (path);
}

typedef struct
{
  guint cuts;
  guint64 bytes;
  guint64 skipped;
  guint frames;
} Found;

static void
found_frame (void *user, const AscFrame *frame)
{
  Found *found = user;
  AscCut cut;
  found->frames++;
  if (frame->type == ASC_FRAME_CUT && asc_unpack_cut (frame, &cut) >= 0)
    {
      found->cuts++;
      found->bytes = cut.bytes;
    }
}

static void
found_skip (void *user, AscSkip why, guint64 offset, size_t n)
{
  Found *found = user;
  (void)why;
  (void)offset;
  found->skipped += n;
}

static Found
look (const char *path)
{
  static const AscDeframerSink sink = { .frame = found_frame, .skip = found_skip };
  Found found = { 0 };
  GByteArray *all = read_all (path, NULL);
  assert_non_null (all);
  AscDeframer deframer;
  asc_deframer_init (&deframer, &sink, &found, 0);
  asc_deframer_feed (&deframer, all->data, all->len);
  asc_deframer_finish (&deframer);
  g_byte_array_unref (all);
  return found;
}

static void
note_end (void *user, const AscFrame *frame)
{
  guint64 *end = user;
  if (frame->offset < 50000)
    *end = frame->offset + ASC_HEADER_SIZE + frame->length + ASC_CHECK_SIZE;
}

/* A limit on file sizes stands in for a full disk: it needs no rights. What fits ends
 * with a frame, so that there is no room for the CUT unless it is made. */
static void
ends_at_a_border_when_full (void **state)
{
  (void)state;
  static const AscDeframerSink sink = { .frame = note_end };
  struct rlimit old, limit;
  guint64 full = 0;
  GByteArray *in = asc_test_board_stream (asc_test_seed (), 100000);
  AscDeframer deframer;
  asc_deframer_init (&deframer, &sink, &full, 0);
  asc_deframer_feed (&deframer, in->data, in->len);
  char *path = in_directory ("full");
  AscDisk *disk = asc_disk_create (path, false, 1, NULL);
  assert_non_null (disk);
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = full;
  assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);
  assert_int_equal (asc_disk_write (disk, in->data, 30000), 0);
  int number = asc_disk_write (disk, in->data + 30000, in->len - 30000);
  assert_int_equal (number, EFBIG);
  assert_int_equal (asc_disk_length (disk), full);
  asc_disk_close_at_border (disk, 99, 1);
  assert_true (asc_disk_length (disk) < full);
  asc_disk_fill_cut (disk, 12345);
  setrlimit (RLIMIT_FSIZE, &old);
  Found found = look (path);
  assert_int_equal (found.skipped, 0);
  assert_int_equal (found.cuts, 1);
  assert_int_equal (found.bytes, 12345);
  assert_true (asc_disk_length (disk) > full - 2 * ASC_FRAME_MAX);
  asc_disk_free (disk);
  g_byte_array_unref (in);
  drop (path);
}

static void
stops_at_the_floor_of_free_space (void **state)
{
  (void)state;
  char *path = in_directory ("floor");
  AscDisk *disk = asc_disk_create (path, false, G_MAXINT64, NULL);
  assert_int_equal (asc_disk_write (disk, (const guint8 *)"x", 1), ENOSPC);
  assert_int_equal (asc_disk_length (disk), 0);
  asc_disk_free (disk);
  drop (path);
}

static void
devices_are_written_and_not_read (void **state)
{
  (void)state;
  AscDisk *disk = asc_disk_create ("/dev/full", false, 1, NULL);
  assert_non_null (disk);
  assert_false (asc_disk_readable (disk));
  assert_int_equal (asc_disk_write (disk, (const guint8 *)"x", 1), ENOSPC);
  asc_disk_free (disk);
}

/* ---- copies ---- */

static void
cancel (void *user, double done)
{
  (void)done;
  g_cancellable_cancel (user);
}

static void
copies_a_fixed_length (void **state)
{
  (void)state;
  gsize n = 20000000;
  guint8 *bytes = g_malloc (n);
  guint32 random = asc_test_seed ();
  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8)asc_test_random (&random);
  char *from = file_of ("from", bytes, n);
  char *to = file_of ("to", "old", 3);
  int fd = open (from, O_RDONLY);
  GError *error = NULL;
  GCancellable *cancellable = g_cancellable_new ();
  assert_false (asc_copy_file (fd, n, to, cancellable, cancel, cancellable, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
  g_clear_error (&error);
  char *contents;
  gsize length;
  assert_true (g_file_get_contents (to, &contents, &length, NULL));
  assert_int_equal (length, 3);
  g_free (contents);
  assert_true (asc_copy_file (fd, n - 5, to, NULL, NULL, NULL, NULL));
  assert_true (g_file_get_contents (to, &contents, &length, NULL));
  assert_int_equal (length, n - 5);
  assert_memory_equal (contents, bytes, n - 5);
  g_free (contents);
  char *nowhere = in_directory ("no/such");
  assert_false (asc_copy_file (fd, n, nowhere, NULL, NULL, NULL, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND));
  g_clear_error (&error);
  g_free (nowhere);
  g_object_unref (cancellable);
  close (fd);
  g_free (bytes);
  drop (from);
  drop (to);
}

/* ---- store ---- */

static char *
store_file (const char *name, gint64 created_ns, gsize size)
{
  guint8 frame[ASC_FRAME_MAX];
  AscFileHead head = { .nonce = 1,
                       .version = 1,
                       .created_ns = created_ns,
                       .source = asc_test_string ("a board"),
                       .writer = asc_test_string ("test") };
  char *path = g_build_filename (asc_store_directory (), name, NULL);
  gsize n = asc_encode_file_head (frame, &head);
  guint8 *all = g_malloc0 (size + n);
  memcpy (all, frame, n);
  assert_true (g_file_set_contents (path, (char *)all, (gssize)(size + n), NULL));
  g_free (all);
  return path;
}

static void
store_lists_trims_and_keeps (void **state)
{
  (void)state;
  char *old = store_file ("b.trace", 1000, 100000);
  char *middle = store_file ("a.trace", 2000, 100000);
  char *in_use_path = g_build_filename (asc_store_directory (), "0.trace", NULL);
  AscDisk *disk = asc_disk_create (in_use_path, false, 1, NULL);
  assert_int_equal (asc_disk_write (disk, (const guint8 *)"x", 1), 0);
  GPtrArray *list = asc_store_list ();
  assert_int_equal (list->len, 3);
  AscStoreEntry *first = list->pdata[0], *second = list->pdata[1],
                *third = list->pdata[2];
  assert_string_equal (first->path, in_use_path);
  assert_true (first->in_use);
  assert_string_equal (second->path, middle);
  assert_string_equal (second->source, "a board");
  assert_false (second->in_use);
  assert_int_equal (third->created_ns, 1000);
  g_ptr_array_unref (list);

  assert_false (asc_store_delete (in_use_path, NULL));
  assert_int_equal (asc_store_trim (150000, 1), 1);
  assert_false (g_file_test (old, G_FILE_TEST_EXISTS));
  assert_true (g_file_test (middle, G_FILE_TEST_EXISTS));
  char *kept = in_directory ("kept.trace");
  GError *error = NULL;
  assert_false (asc_store_keep (in_use_path, kept, &error));
  assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_BUSY));
  g_clear_error (&error);
  assert_true (asc_store_keep (middle, kept, NULL));
  assert_true (g_file_test (kept, G_FILE_TEST_EXISTS));
  assert_int_equal (asc_store_trim (1, 1), 0);
  asc_disk_free (disk);
  assert_int_equal (asc_store_trim (1, G_MAXINT64), 1);
  drop (kept);
  char *one = asc_store_new_path (NULL);
  assert_true (g_file_set_contents (one, "x", 1, NULL));
  char *two = asc_store_new_path (NULL);
  assert_string_not_equal (one, two);
  drop (one);
  g_free (two);
  g_free (old);
  g_free (middle);
  g_free (in_use_path);
}

/* A recording with so many bytes of a board behind its head; the caller frees. */
static char *
said_file (const char *name, gint64 created_ns, gsize text)
{
  char *path = store_file (name, created_ns, 0);
  FILE *file = fopen (path, "ab");
  for (gsize i = 0; i < text; i++)
    fputc ('a', file);
  fclose (file);
  return path;
}

static gsize
size_of (const char *path)
{
  struct stat st;
  return stat (path, &st) == 0 ? (gsize)st.st_size : 0;
}

static void
store_tells_what_nobody_needs (void **state)
{
  (void)state;
  char *empty = said_file ("1.trace", 4000, 0), *full = said_file ("2.trace", 3000, 100);
  char *half = said_file ("3.trace", 2000, 100), *away = said_file ("4.trace", 1000, 100);
  char *copy = in_directory ("copy.trace"), *part = in_directory ("part.trace"), *all;
  gsize n;
  g_file_get_contents (full, &all, &n, NULL);
  assert_true (g_file_set_contents (copy, all, (gssize)n, NULL));
  g_free (all);
  g_file_get_contents (half, &all, &n, NULL);
  assert_true (g_file_set_contents (part, all, (gssize)n - 50, NULL));
  g_free (all);
  assert_true (asc_store_note_saved (full, copy, n));
  assert_true (asc_store_note_saved (half, part, n - 50));
  assert_true (asc_store_note_saved (away, "/nowhere/x.trace", n));
  GPtrArray *list = asc_store_list ();
  const AscStoreEntry *const *entries = (const AscStoreEntry *const *)list->pdata;
  assert_int_equal (list->len, 4);
  assert_true (entries[0]->empty && !entries[1]->empty && !entries[2]->empty);
  assert_null (entries[0]->saved_as);
  assert_string_equal (entries[1]->saved_as, copy);
  assert_true (entries[1]->all_saved);
  assert_string_equal (entries[2]->saved_as, part);
  assert_int_equal (entries[2]->saved_bytes, n - 50);
  assert_false (entries[2]->all_saved);
  assert_null (entries[3]->saved_as);
  g_ptr_array_unref (list);
  /* What was saved is not taken for it once the copy is another file. */
  assert_int_equal (size_of (copy), n);
  assert_true (g_file_set_contents (copy, "other", 5, NULL));
  assert_int_equal (asc_store_trim (0, 1), 1);
  assert_false (g_file_test (empty, G_FILE_TEST_EXISTS));
  g_file_get_contents (full, &all, &n, NULL);
  assert_true (g_file_set_contents (copy, all, (gssize)n, NULL));
  g_free (all);
  assert_int_equal (asc_store_trim (0, 1), 1);
  assert_false (g_file_test (full, G_FILE_TEST_EXISTS));
  assert_true (asc_store_delete (half, NULL) && asc_store_delete (away, NULL));
  g_free (empty);
  g_free (full);
  g_free (half);
  g_free (away);
  drop (copy);
  drop (part);
}

static void
store_takes_another_folder_where_it_cannot_write (void **state)
{
  (void)state;
  char *home = g_strdup (asc_store_directory ());
  char *old = said_file ("old.trace", 1000, 100);
  char *other, *trouble, *path;
  assert_true (asc_store_holds (old));
  assert_null (asc_store_trouble ());
  drop (old);
  assert_int_equal (g_rmdir (home), 0);
  assert_true (g_file_set_contents (home, "", 0, NULL));
  other = g_strdup (asc_store_directory ());
  assert_string_not_equal (other, home);
  trouble = asc_store_trouble ();
  assert_non_null (strstr (trouble, home));
  assert_non_null (strstr (trouble, other));
  path = said_file ("new.trace", 2000, 100);
  assert_true (g_str_has_prefix (path, other));
  assert_true (asc_store_holds (path));
  g_unlink (home);
  /* It is not lost from sight when the first one is there again. */
  assert_string_equal (asc_store_directory (), home);
  GPtrArray *list = asc_store_list ();
  assert_int_equal (list->len, 1);
  assert_string_equal (((AscStoreEntry *)list->pdata[0])->path, path);
  g_ptr_array_unref (list);
  /* Somebody else may have made a folder of that name, with a hole in it. */
  assert_int_equal (g_rmdir (home), 0);
  assert_true (g_file_set_contents (home, "", 0, NULL));
  char *outer = g_path_get_dirname (other), *last;
  assert_true (g_str_has_prefix (other, g_getenv ("XDG_RUNTIME_DIR")));
  assert_int_equal (g_chmod (outer, 0777), 0);
  last = g_strdup (asc_store_directory ());
  assert_true (g_str_has_prefix (last, g_get_tmp_dir ()));
  assert_string_not_equal (last, other);
  g_chmod (outer, 0700);
  g_rmdir (last);
  char *temporary = g_path_get_dirname (last);
  g_rmdir (temporary);
  g_free (temporary);
  g_free (last);
  g_rmdir (home);
  g_unlink (home);
  drop (path);
  g_rmdir (other);
  g_rmdir (outer);
  g_free (outer);
  g_free (other);
  g_free (home);
  g_free (trouble);
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (reads_what_is_there),
    cmocka_unit_test (refuses_what_is_no_trace),
    cmocka_unit_test (takes_a_raw_capture),
    cmocka_unit_test (never_overwrites),
    cmocka_unit_test (ends_at_a_border_when_full),
    cmocka_unit_test (stops_at_the_floor_of_free_space),
    cmocka_unit_test (devices_are_written_and_not_read),
    cmocka_unit_test (copies_a_fixed_length),
    cmocka_unit_test (store_lists_trims_and_keeps),
    cmocka_unit_test (store_tells_what_nobody_needs),
    cmocka_unit_test (store_takes_another_folder_where_it_cannot_write),
  };
  directory = g_dir_make_tmp ("asc-file-XXXXXX", NULL);
  char *state = in_directory ("state");
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  char *run = in_directory ("run");
  g_setenv ("XDG_RUNTIME_DIR", run, TRUE);
  int failed = asc_test_run (tests, sizeof tests / sizeof *tests);
  g_rmdir (asc_store_directory ());
  char *parent = g_build_filename (state, "aioscope", NULL);
  g_rmdir (parent);
  g_rmdir (state);
  g_rmdir (run);
  g_free (run);
  g_rmdir (directory);
  g_free (parent);
  g_free (state);
  g_free (directory);
  return failed;
}
