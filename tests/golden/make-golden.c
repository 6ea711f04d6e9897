/* Writes the golden captures: make-golden DIR; or prints a dump: make-golden --dump FILE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "captures.h"
#include "dump.h"

static int
write_captures (const char *dir)
{
  Stream *stream = malloc (sizeof *stream);
  for (size_t i = 0; i < n_captures; i++)
    {
      char path[4096];
      memset (stream, 0, sizeof *stream);
      stream_init (stream, 0x5EED0042);
      captures[i].make (stream);
      snprintf (path, sizeof path, "%s/%s", dir, captures[i].name);
      FILE *file = fopen (path, "wb");
      if (file == NULL || fwrite (stream->bytes, 1, stream->n, file) != stream->n
          || fclose (file) != 0)
        {
          perror (path);
          return 1;
        }
    }
  free (stream);
  return 0;
}

static int
print_dump (const char *path)
{
  static uint8_t bytes[STREAM_MAX];
  const char *dot = strrchr (path, '.');
  bool wire = dot != NULL && strcmp (dot, ".wire") == 0;
  FILE *file = fopen (path, "rb");
  if (file == NULL)
    {
      perror (path);
      return 1;
    }
  size_t n = fread (bytes, 1, sizeof bytes, file);
  fclose (file);
  char *dump = dump_stream (bytes, n, wire ? ASC_FROM_WIRE : ASC_FROM_FILE, 0);
  fputs (dump, stdout);
  free (dump);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 2)
    return write_captures (argv[1]);
  if (argc == 3 && strcmp (argv[1], "--dump") == 0)
    return print_dump (argv[2]);
  fprintf (stderr, "usage: make-golden DIR | make-golden --dump FILE\n");
  return 2;
}
