/* The main function of every cmocka test: TAP output, random order.
 *
 * The order comes from the seed that is printed first; ASC_TEST_SEED=N repeats it. */
#ifndef ASC_TEST_H
#define ASC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static inline uint32_t
asc_test_seed (void)
{
  static uint32_t seed;
  if (seed == 0)
    {
      const char *given = getenv ("ASC_TEST_SEED");
      seed = given ? (uint32_t)strtoul (given, NULL, 0)
                   : (uint32_t)time (NULL) * 2654435761u + (uint32_t)getpid ();
      seed |= 1u;
      printf ("# ASC_TEST_SEED=%u\n", (unsigned)seed);
      fflush (stdout);
    }
  return seed;
}

/* xorshift32: the same numbers on every machine for one seed. */
static inline uint32_t
asc_test_random (uint32_t *state)
{
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

static inline int
asc_test_run (struct CMUnitTest *tests, size_t n)
{
  uint32_t state = asc_test_seed ();
  for (size_t i = n; i > 1; i--)
    {
      size_t j = asc_test_random (&state) % i;
      struct CMUnitTest swap = tests[i - 1];
      tests[i - 1] = tests[j];
      tests[j] = swap;
    }
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return _cmocka_run_group_tests ("tests", tests, n, NULL, NULL);
}

#define ASC_TEST_MAIN(tests)                                                             \
  int main (void) { return asc_test_run (tests, sizeof tests / sizeof *tests); }

#endif
