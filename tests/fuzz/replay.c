/* Gives every file of the folders on the command line to a fuzz target, as a test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define MOST ((size_t)1 << 20)

static int
replay_file (const char *path)
{
  FILE *file = fopen (path, "rb");
  uint8_t *bytes = malloc (MOST);
  if (file == NULL || bytes == NULL)
    {
      perror (path);
      exit (1);
    }
  size_t n = fread (bytes, 1, MOST, file);
  fclose (file);
  /* The exact size, so that a step over the end is seen. */
  uint8_t *exact = malloc (n > 0 ? n : 1);
  if (exact == NULL)
    exit (1);
  memcpy (exact, bytes, n);
  LLVMFuzzerTestOneInput (exact, n);
  free (exact);
  free (bytes);
  return 1;
}

int
main (int argc, char **argv)
{
  printf ("1..%d\n", argc - 1);
  for (int i = 1; i < argc; i++)
    {
      int n = 0;
      struct dirent *entry;
      DIR *folder = opendir (argv[i]);
      if (folder == NULL)
        {
          perror (argv[i]);
          return 1;
        }
      while ((entry = readdir (folder)) != NULL)
        {
          char path[4096];
          const char *dot = strrchr (entry->d_name, '.');
          if (entry->d_name[0] == '.'
              || (dot != NULL && (strcmp (dot, ".c") == 0 || strcmp (dot, ".h") == 0)))
            continue;
          snprintf (path, sizeof path, "%s/%s", argv[i], entry->d_name);
          n += replay_file (path);
        }
      closedir (folder);
      const char *slash = strrchr (argv[i], '/');
      printf ("%sok %d - %s: %d inputs\n", n > 0 ? "" : "not ", i,
              slash != NULL ? slash + 1 : argv[i], n);
    }
  return 0;
}
