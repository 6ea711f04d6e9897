#include "asc-cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include "asc-holder.h"
#include "asc-install.h"
#include "asc-mpremote.h"

#define MPREMOTE "mpremote"
#define ASK_S 15 /* that a board may take to answer, unless told */
/* Beside the folder that the program is in: where it was built, and where it is
 * installed. */
static const char *const places[]
    = { "../device/micropython", "../share/aioscope/device" };

static int
no_mpremote (const char *given)
{
  if (given)
    return asc_cli_fail (&asc_cmd_install, ASC_CLI_FAILED, "There is no program %s.",
                         given);
  return asc_cli_fail (
      &asc_cmd_install, ASC_CLI_FAILED,
      "Files are copied by mpremote, which is not installed here. Debian 13 and newer: "
      "sudo apt install micropython-mpremote. Debian 12 has no package of it: sudo apt "
      "install pipx, then pipx install mpremote. Then run this again.");
}

/* ---- what is copied from ---- */

/* The folder with the board's files, or NULL after telling where they were looked for. */
static char *
find_files (const char *given)
{
  char *program = g_file_read_link ("/proc/self/exe", NULL);
  char *here = program ? g_path_get_dirname (program) : g_strdup (".");
  GString *tried = g_string_new (NULL);
  char *found = NULL;
  for (gsize i = 0; i < 1 + G_N_ELEMENTS (places) && !found; i++)
    {
      char *folder = given ? g_strdup (given)
                     : i < G_N_ELEMENTS (places)
                         ? g_build_filename (here, places[i], NULL)
                         : g_strdup (ASC_DEVICE_DIR);
      char *front = g_build_filename (folder, "aioscope.py", NULL);
      g_string_append_printf (tried, "%s%s", tried->len ? ", " : "", folder);
      if (g_file_test (front, G_FILE_TEST_EXISTS))
        found = g_canonicalize_filename (folder, NULL);
      g_free (front);
      g_free (folder);
      if (given)
        break;
    }
  if (!found)
    asc_cli_fail (
        &asc_cmd_install, ASC_CLI_FAILED,
        "The board's files are not there (looked in %s): install aioscope again, "
        "or name their folder by --from.",
        tried->str);
  g_string_free (tried, TRUE);
  g_free (program);
  g_free (here);
  return found;
}

/* ---- the job ---- */

static void
put_board (const AscBoard *board)
{
  printf ("board   %s, MicroPython %s", board->machine, board->version);
  if (board->arch)
    printf (", .mpy %d.%d for %s", board->mpy, board->mpy_sub,
            asc_arch_name (board->arch));
  printf ("\n");
}

static void
put_plan (const AscInstallPlan *plan)
{
  printf ("choice  %s\n", plan->choice);
  for (guint i = 0; i < plan->files->len; i++)
    {
      const AscInstallFile *file = plan->files->pdata[i];
      char *size = g_format_size ((guint64)file->size);
      printf ("copy    %s to :%s (%s)\n", file->from, file->to, size);
      g_free (size);
    }
  if (*plan->warning)
    printf ("note    %s\n", plan->warning);
  fflush (stdout);
}

static void
add_words (GPtrArray *words, const char *const *list)
{
  for (; *list; list++)
    g_ptr_array_add (words, g_strdup (*list));
}

/* All in one call of mpremote, which stops at the first that fails; then the new module
 * is imported in a fresh MicroPython. */
static bool
copy (const AscMpremote *board, const AscInstallPlan *plan)
{
  const AscMpremoteStep step = { "copying", "did not take the files",
                                 asc_mpremote_copy_s (plan->size, plan->files->len) };
  GString *make = g_string_new ("import os\n");
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < plan->folders->len; i++)
    g_string_append_printf (make, "try: os.mkdir('%s')\nexcept OSError: pass\n",
                            (const char *)plan->folders->pdata[i]);
  const char *const first[] = { "exec", make->str, NULL };
  add_words (words, first);
  for (guint i = 0; i < plan->files->len; i++)
    {
      const AscInstallFile *file = plan->files->pdata[i];
      char *to = g_strconcat (":", file->to, NULL);
      const char *const each[] = { "+", "fs", "cp", file->from, to, NULL };
      add_words (words, each);
      g_free (to);
    }
  g_ptr_array_add (words, NULL);
  printf ("copying, which may take %u s at most …\n", step.limit_s);
  fflush (stdout);
  char *said = asc_mpremote_run (&asc_cmd_install, board, &step,
                                 (const char *const *)words->pdata);
  bool good = said != NULL;
  g_string_free (make, TRUE);
  g_ptr_array_unref (words);
  g_free (said);
  return good;
}

static int
check (const AscMpremote *board, guint wait_s)
{
  const char *const words[] = { "exec", asc_board_check, NULL };
  const AscMpremoteStep step
      = { "importing it", "did not import what was copied", wait_s };
  char *said = asc_mpremote_run (&asc_cmd_install, board, &step, words);
  if (!said)
    return ASC_CLI_FAILED;
  bool python = strstr (said, "aioscope-recorder: aioscope_py") != NULL;
  bool c = strstr (said, "aioscope-recorder: _aioscope") != NULL;
  g_free (said);
  if (!python && !c)
    return asc_cli_fail (&asc_cmd_install, ASC_CLI_FAILED,
                         "What was copied cannot be imported on the board.");
  printf ("done    the board imports it, and records in %s\n", c ? "C" : "Python");
  return ASC_CLI_OK;
}

static int
ask_and_copy (const AscMpremote *where, const char *from, guint wait_s, bool dry_run)
{
  const char *const question[] = { "exec", asc_board_question, NULL };
  const AscMpremoteStep step = { "waiting for its answer", "did not answer", wait_s };
  AscBoard board;
  AscInstallPlan plan;
  GError *error = NULL;
  printf ("asking the board at %s what it is …\n", where->port);
  fflush (stdout);
  char *said = asc_mpremote_run (&asc_cmd_install, where, &step, question);
  if (!said)
    return ASC_CLI_FAILED;
  bool good = asc_board_parse (&board, said);
  g_free (said);
  if (!good)
    return asc_cli_fail (&asc_cmd_install, ASC_CLI_FAILED,
                         "The board at %s answers, but not as MicroPython does.",
                         where->port);
  put_board (&board);
  int status = ASC_CLI_OK;
  if (!asc_install_plan (&plan, &board, from, &error))
    {
      status = asc_cli_fail (&asc_cmd_install, ASC_CLI_FAILED, "%s", error->message);
      g_clear_error (&error);
      asc_board_clear (&board);
      return status;
    }
  put_plan (&plan);
  if (!dry_run && plan.files->len)
    status = copy (where, &plan) ? check (where, wait_s) : ASC_CLI_FAILED;
  if (dry_run)
    printf ("dry run: nothing was copied\n");
  else if (status == ASC_CLI_OK)
    printf ("next    import aioscope; aioscope.start() before asyncio.run()\n");
  if (status == ASC_CLI_OK)
    printf ("reset   the board: what ran on it was stopped to look\n");
  asc_install_plan_clear (&plan);
  asc_board_clear (&board);
  return status;
}

/* Linux: sysfs knows another sort of thing by its numbers. Nothing is opened for that. */
static bool
is_no_terminal (const char *path)
{
  struct stat info;
  if (stat (path, &info) || !S_ISCHR (info.st_mode))
    return false;
  char *place = g_strdup_printf ("/sys/dev/char/%u:%u/subsystem", major (info.st_rdev),
                                 minor (info.st_rdev));
  char *sort = g_file_read_link (place, NULL);
  bool other = sort && !g_str_has_suffix (sort, "/tty");
  g_free (sort);
  g_free (place);
  return other;
}

/* mpremote's word for a port, or NULL after telling. */
static char *
port_of (const char *text, int *status)
{
  GError *error = NULL;
  AscSourceSpec *spec = asc_source_spec_parse (text, &error);
  char *path = NULL;
  if (!spec)
    *status = asc_cli_usage (&asc_cmd_install, "%s", error->message);
  else if (spec->kind != ASC_SOURCE_SERIAL && spec->kind != ASC_SOURCE_TTY)
    *status = asc_cli_usage (&asc_cmd_install,
                             "'%s' is no port of a board: write /dev/ttyACM0", text);
  else if (is_no_terminal (spec->path))
    *status = asc_cli_usage (&asc_cmd_install,
                             "%s is not a serial port: write /dev/ttyACM0, or what "
                             "'aioscope-cli ports' lists",
                             spec->path);
  else
    path = g_strdup (spec->path);
  char *holder = path ? asc_holder_find (path) : NULL;
  /* A proxy's pty is held by the proxy, at its other end: that one is no holder. */
  if (holder)
    {
      *status = asc_cli_fail (
          &asc_cmd_install, ASC_CLI_FAILED,
          "%s is in use by %s. Release the port there, or start 'aioscope-cli proxy' "
          "instead and install through the proxy's pty.",
          path, holder);
      g_clear_pointer (&path, g_free);
    }
  g_free (holder);
  g_clear_error (&error);
  asc_source_spec_free (spec);
  return path;
}

static int
run (const char *command, int argc, char **argv)
{
  gboolean dry_run = FALSE;
  char *given = NULL;
  char *from = NULL;
  int wait_s = ASK_S;
  const GOptionEntry entries[]
      = { { "dry-run", 'n', 0, G_OPTION_ARG_NONE, &dry_run,
            "Only say what would be copied, and why", NULL },
          { "from", 0, 0, G_OPTION_ARG_FILENAME, &from,
            "The folder with the board's files", "FOLDER" },
          { "mpremote", 0, 0, G_OPTION_ARG_FILENAME, &given, "The program to copy with",
            "PROGRAM" },
          { "wait", 0, 0, G_OPTION_ARG_INT, &wait_s,
            "How long the board may take to answer (15)", "SECONDS" },
          G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_install, entries, &argc, &argv, 1, 1);
  if (status < 0 && (wait_s < 1 || wait_s > 3600))
    status = asc_cli_usage (&asc_cmd_install, "--wait is 1 to 3600 seconds");
  char *port = status < 0 ? port_of (argv[1], &status) : NULL;
  char *program = port ? g_find_program_in_path (given ? given : MPREMOTE) : NULL;
  char *folder = program ? find_files (from) : NULL;
  if (folder)
    status
        = ask_and_copy (&(AscMpremote){ program, port }, folder, (guint)wait_s, dry_run);
  else if (program)
    status = ASC_CLI_FAILED;
  else if (port)
    status = no_mpremote (given);
  g_free (folder);
  g_free (program);
  g_free (port);
  g_free (given);
  g_free (from);
  return asc_cli_finish (&asc_cmd_install, status);
}

const AscCommand asc_cmd_install
    = { "install", "PORT", "Copies the recorder onto a MicroPython board, by mpremote.",
        "Asks the board for its version and processor, then chooses: nothing where the\n"
        "firmware has aioscope built in, the front alone where it has the C module, the "
        "loadable\n"
        "C module where there is one that the firmware loads, else the recorder in "
        "Python. Says\n"
        "what it chose and why. What runs on the board is stopped for it. A board that "
        "goes on\n"
        "talking, or says nothing, is given up with what was seen.\n",
        run };
