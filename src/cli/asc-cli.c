/* The table of commands, and what stands before them. */
#include "asc-cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const AscCommand *const commands[] = {
  &asc_cmd_ports, &asc_cmd_record, &asc_cmd_info,     &asc_cmd_stats, &asc_cmd_hogs,
  &asc_cmd_cat,   &asc_cmd_render, &asc_cmd_simulate, &asc_cmd_proxy, &asc_cmd_install,
};

static void
put_help (FILE *to)
{
  fputs ("Usage: aioscope-cli COMMAND [OPTION…] [ARGUMENT…]\n\n"
         "Records MicroPython asyncio traces and tells what is in them.\n\n"
         "Commands:\n",
         to);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (to, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  fputs ("\n"
         "Options:\n"
         "  --help     this text; after a command: what it takes\n"
         "  --version  the version\n\n"
         "FILE may be - for standard input. Results go to standard output, messages to\n"
         "standard error. Exit status: 0 well, 1 it could not be done, 2 wrong usage.\n",
         to);
}

static const AscCommand *
find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (commands[i]->name, name) == 0)
      return commands[i];
  return NULL;
}

static int
run_plain (const char *word, int argc, char **argv)
{
  static const AscCommand self = { .name = "" };
  const AscCommand *about = argc > 2 ? find (argv[2]) : NULL;
  if (strcmp (word, "--version") == 0)
    asc_cli_put ("aioscope-cli " ASC_VERSION "\n");
  else if (strcmp (word, "help") == 0 && about)
    {
      char help[] = "--help";
      char *ask[] = { argv[0], help, NULL };
      return about->run (about->name, 2, ask);
    }
  else if (strcmp (word, "--help") == 0 || strcmp (word, "-h") == 0
           || (strcmp (word, "help") == 0 && argc == 2))
    put_help (stdout);
  else if (word[0] == '-')
    return asc_cli_usage (&self, "unknown option %s", word);
  else
    return asc_cli_usage (&self, "unknown command '%s'",
                          strcmp (word, "help") == 0 ? argv[2] : word);
  return asc_cli_finish (&self, ASC_CLI_OK);
}

/* Where output or messages were closed, the next thing that is opened would get their
 * number, and their text: a port, or a recording. This takes it, and nothing else. */
static void
take_number (int number)
{
  if (fcntl (number, F_GETFD) >= 0 || errno != EBADF)
    return;
  int fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fd == number)
    return;
  dup2 (fd, number);
  close (fd);
}

int
main (int argc, char **argv)
{
  static const AscCommand self = { .name = "" };
  take_number (STDOUT_FILENO);
  take_number (STDERR_FILENO);
  /* A reader that leaves (head, less) ends a command quietly, whoever started it. */
  signal (SIGPIPE, SIG_DFL);
  /* A file that may not grow is an error to be told, as a full disk is. */
  signal (SIGXFSZ, SIG_IGN);
  if (argc < 2)
    return asc_cli_usage (&self, "a command is missing");
  const AscCommand *command = find (argv[1]);
  if (!command)
    return run_plain (argv[1], argc, argv);
  argv[1] = argv[0];
  return command->run (command->name, argc - 1, argv + 1);
}
