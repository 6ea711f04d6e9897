/* Every golden capture: made again it is the same, and its dump is the one beside it,
 * however the bytes are cut. */
#include "asc-test.h"

#include <string.h>

#include "captures.h"
#include "dump.h"

static char *
read_file (const char *name, size_t *n)
{
  char path[4096];
  snprintf (path, sizeof path, "%s/%s", getenv ("ASC_GOLDEN"), name);
  FILE *file = fopen (path, "rb");
  if (file == NULL)
    fail_msg ("%s is missing", path);
  char *bytes = calloc (1, 1 << 20);
  *n = fread (bytes, 1, (1 << 20) - 1, file);
  fclose (file);
  return bytes;
}

static void
made_again_is_the_same (void **state)
{
  (void)state;
  Stream *stream = calloc (1, sizeof *stream);
  for (size_t i = 0; i < n_captures; i++)
    {
      size_t n;
      char *bytes = read_file (captures[i].name, &n);
      stream_init (stream, 0x5EED0042);
      captures[i].make (stream);
      if (stream->n != n || memcmp (stream->bytes, bytes, n) != 0)
        fail_msg ("%s is another now", captures[i].name);
      free (bytes);
    }
  free (stream);
}

static void
compare (const char *name, const char *expected, char *dump, const char *how)
{
  size_t line = 1;
  size_t i = 0;
  for (; expected[i] != '\0' && expected[i] == dump[i]; i++)
    line += expected[i] == '\n';
  if (expected[i] != dump[i])
    fail_msg ("%s, %s: line %zu differs:\n%.300s", name, how, line, dump + i);
  free (dump);
}

static void
dumps_agree (void **state)
{
  (void)state;
  uint32_t random = asc_test_seed ();
  for (size_t i = 0; i < n_captures; i++)
    {
      const char *name = captures[i].name;
      char text_name[256];
      size_t n;
      size_t n_text;
      bool wire = strstr (name, ".wire") != NULL;
      AscOrigin origin = wire ? ASC_FROM_WIRE : ASC_FROM_FILE;
      snprintf (text_name, sizeof text_name, "%s.txt", name);
      char *text = read_file (text_name, &n_text);
      char *raw = read_file (name, &n);
      const uint8_t *bytes = (const uint8_t *)raw;
      compare (name, text, dump_stream (bytes, n, origin, 0), "whole");
      compare (name, text, dump_stream (bytes, n, origin, 1), "byte by byte");
      for (int round = 0; round < 20; round++)
        compare (name, text,
                 dump_stream (bytes, n, origin, asc_test_random (&random) | 2u),
                 "in pieces");
      free (raw);
      free (text);
    }
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (made_again_is_the_same),
  cmocka_unit_test (dumps_agree),
};

ASC_TEST_MAIN (tests)
