#include "asc-source.h"
#include "asc-test.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

static AscSourceSpec *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  AscSourceSpec *spec = asc_source_spec_parse (text, &error);
  if (error)
    print_error ("%s\n", error->message);
  assert_non_null (spec);
  assert_string_equal (spec->text, text);
  return spec;
}

static void
ports_are_known (void **state)
{
  (void)state;
  static const struct
  {
    const char *text, *path;
    AscSourceKind kind;
    int baud, dtr, rts;
  } rows[] = {
    { "/dev/ttyACM99", "/dev/ttyACM99", ASC_SOURCE_SERIAL, 0, -1, -1 },
    { "ttyACM99", "/dev/ttyACM99", ASC_SOURCE_SERIAL, 0, -1, -1 },
    { "/dev/ttyACM99@921600", "/dev/ttyACM99", ASC_SOURCE_SERIAL, 921600, -1, -1 },
    { "ttyACM99@1500000,dtr=on,rts=off", "/dev/ttyACM99", ASC_SOURCE_SERIAL, 1500000, 1,
      0 },
    { "ttyACM99@dtr=off", "/dev/ttyACM99", ASC_SOURCE_SERIAL, 0, 0, -1 },
    { "COM3@115200", "COM3", ASC_SOURCE_SERIAL, 115200, -1, -1 },
    { "/dev/pts/999", "/dev/pts/999", ASC_SOURCE_TTY, 0, -1, -1 },
    { "serial:/dev/pts/999", "/dev/pts/999", ASC_SOURCE_SERIAL, 0, -1, -1 },
    { "tty:/dev/ttyACM99@9600", "/dev/ttyACM99", ASC_SOURCE_TTY, 9600, -1, -1 },
    { "file:/dev/ttyACM99@9600", "/dev/ttyACM99@9600", ASC_SOURCE_FILE, 0, -1, -1 },
    { "no/such.trace", "no/such.trace", ASC_SOURCE_FILE, 0, -1, -1 },
    { "nosuch.trace", "nosuch.trace", ASC_SOURCE_FILE, 0, -1, -1 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AscSourceSpec) spec = parse (rows[i].text);
      assert_int_equal (spec->kind, rows[i].kind);
      assert_string_equal (spec->path, rows[i].path);
      assert_int_equal (spec->baud, rows[i].baud);
      assert_int_equal (spec->dtr, rows[i].dtr);
      assert_int_equal (spec->rts, rows[i].rts);
    }
}

static void
hosts_are_known (void **state)
{
  (void)state;
  static const struct
  {
    const char *text, *host;
    AscSourceKind kind;
    int port;
  } rows[] = {
    { "tcp:board.local:5000", "board.local", ASC_SOURCE_TCP, 5000 },
    { "tcp:[::1]:7", "::1", ASC_SOURCE_TCP, 7 },
    { "tcp-listen:0", "127.0.0.1", ASC_SOURCE_LISTEN, 0 },
    { "tcp-listen:65535", "127.0.0.1", ASC_SOURCE_LISTEN, 65535 },
    { "tcp-listen:0.0.0.0:80", "0.0.0.0", ASC_SOURCE_LISTEN, 80 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AscSourceSpec) spec = parse (rows[i].text);
      assert_int_equal (spec->kind, rows[i].kind);
      assert_string_equal (spec->host, rows[i].host);
      assert_int_equal (spec->port, rows[i].port);
    }
  g_autoptr (AscSourceSpec) socket = parse ("unix:/run/x.sock");
  assert_int_equal (socket->kind, ASC_SOURCE_UNIX);
  assert_string_equal (socket->path, "/run/x.sock");
  assert_true (asc_source_spec_writable (socket) && asc_source_spec_reopens (socket));
  g_autoptr (AscSourceSpec) listen = parse ("tcp-listen:0");
  assert_true (asc_source_spec_writable (listen) && !asc_source_spec_reopens (listen));
  g_autoptr (AscSourceSpec) demo = parse ("demo");
  assert_true (asc_source_spec_writable (demo) && !asc_source_spec_reopens (demo));
  g_autoptr (AscSourceSpec) in = parse ("-");
  assert_int_equal (in->kind, ASC_SOURCE_STDIN);
  assert_true (!asc_source_spec_writable (in) && !asc_source_spec_reopens (in));
}

static void
the_demo_has_options (void **state)
{
  (void)state;
  g_autoptr (AscSourceSpec) plain = parse ("demo");
  assert_int_equal (plain->kind, ASC_SOURCE_DEMO);
  assert_true (plain->seed == 1 && plain->speed == 1.0 && plain->baud == 0);
  assert_false (plain->no_loss);
  g_autoptr (AscSourceSpec) spec = parse ("demo:seed=7,speed=2.5,baud=115200,no-loss");
  g_autoptr (AscSourceSpec) copy = asc_source_spec_copy (spec);
  assert_int_equal (copy->kind, ASC_SOURCE_DEMO);
  assert_true (copy->seed == 7 && copy->speed == 2.5 && copy->baud == 115200);
  assert_true (copy->no_loss);
  assert_string_equal (copy->text, spec->text);
}

static void
nonsense_is_refused (void **state)
{
  (void)state;
  static const char *const texts[] = {
    "",
    "tcp:",
    "tcp:host",
    "tcp:host:0",
    "tcp:host:65536",
    "tcp::5000",
    "tcp:host:12x",
    "tcp-listen:",
    "tcp-listen:x",
    "tcp-listen::80",
    "file:",
    "serial:",
    "ttyACM99@",
    "ttyACM99@0",
    "ttyACM99@-9600",
    "ttyACM99@9600baud",
    "ttyACM99@9600,dtr=yes",
    "ttyACM99@9600,,rts=on",
    "ttyACM99@99999999999",
    "@9600",
    "demo:speed=fast",
    "demo:speed=-1",
    "demo:speed=nan",
    "demo:speed=1x",
    "demo:seed=",
    "demo:loss",
  };
  for (size_t i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      AscSourceSpec *spec = asc_source_spec_parse (texts[i], &error);
      if (spec)
        print_error ("'%s' was taken\n", texts[i]);
      assert_null (spec);
      assert_true (g_error_matches (error, ASC_LINK_ERROR, ASC_LINK_ERROR_BAD_SPEC));
    }
  asc_source_spec_free (NULL);
}

/* A file may be called anything, an @ and a port's bare name included. */
static void
files_are_told_from_ports (void **state)
{
  (void)state;
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  assert_non_null (folder);
  g_autofree char *file = g_build_filename (folder, "a@9600", NULL);
  assert_true (g_file_set_contents (file, "x", 1, NULL));
  g_autofree char *old = g_get_current_dir ();
  assert_int_equal (g_chdir (folder), 0);
  g_autoptr (AscSourceSpec) bare = parse ("a@9600");
  assert_int_equal (bare->kind, ASC_SOURCE_FILE);
  assert_string_equal (bare->path, "a@9600");
  g_autoptr (AscSourceSpec) full = parse (file);
  assert_int_equal (full->kind, ASC_SOURCE_FILE);
  g_autoptr (AscSourceSpec) dir = parse (folder);
  assert_int_equal (dir->kind, ASC_SOURCE_FILE);
  assert_int_equal (g_chdir (old), 0);
  g_remove (file);
  g_rmdir (folder);
}

/* A link to a pty stays a pty's when the link is away for a moment. */
static void
a_link_to_a_pty_is_a_terminal (void **state)
{
  (void)state;
  int master = posix_openpt (O_RDWR | O_NOCTTY);
  assert_true (master >= 0);
  assert_int_equal (grantpt (master) | unlockpt (master), 0);
  g_autofree char *folder = g_dir_make_tmp ("asc-test-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "board", NULL);
  assert_int_equal (symlink (ptsname (master), link), 0);
  g_autoptr (AscSourceSpec) spec = parse (link);
  assert_int_equal (spec->kind, ASC_SOURCE_TTY);
  assert_string_equal (spec->path, link);
  g_remove (link);
  g_rmdir (folder);
  close (master);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (ports_are_known),
  cmocka_unit_test (hosts_are_known),
  cmocka_unit_test (the_demo_has_options),
  cmocka_unit_test (nonsense_is_refused),
  cmocka_unit_test (files_are_told_from_ports),
  cmocka_unit_test (a_link_to_a_pty_is_a_terminal),
};

ASC_TEST_MAIN (tests)
