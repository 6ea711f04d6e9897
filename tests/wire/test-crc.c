/* The checks against bit-by-bit twins and the published check values. */
#include "asc-test.h"

#include "asc-crc.h"

static uint32_t
twin32 (const uint8_t *p, size_t n)
{
  uint32_t crc = 0xFFFFFFFFu;
  while (n-- > 0)
    {
      crc ^= *p++;
      for (int i = 0; i < 8; i++)
        crc = crc & 1u ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    }
  return ~crc;
}

static uint8_t
twin8 (const uint8_t *p, size_t n)
{
  unsigned crc = 0xFF;
  while (n-- > 0)
    {
      crc ^= *p++;
      for (int i = 0; i < 8; i++)
        crc = crc & 0x80u ? (crc << 1 ^ 0x07u) & 0xFFu : crc << 1;
    }
  return (uint8_t)crc;
}

static void
published_values (void **state)
{
  (void)state;
  assert_int_equal (asc_crc8 ("123456789", 9), 0xFB);
  assert_true (asc_crc32 (0, "123456789", 9) == 0xCBF43926u);
  assert_true (asc_crc32 (0, "", 0) == 0);
  assert_int_equal (asc_crc8 ("", 0), 0xFF);
}

static void
same_as_twin (void **state)
{
  (void)state;
  uint32_t random = asc_test_seed ();
  uint8_t bytes[300];
  for (size_t n = 0; n < sizeof bytes; n++)
    {
      for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(asc_test_random (&random) >> 11);
      size_t at = n < sizeof bytes - 8 ? n % 8 : 0;
      assert_true (asc_crc32 (0, bytes + at, n) == twin32 (bytes + at, n));
      assert_int_equal (asc_crc8 (bytes + at, n), twin8 (bytes + at, n));
      size_t cut = n > 0 ? asc_test_random (&random) % n : 0;
      uint32_t first = asc_crc32 (0, bytes, cut);
      assert_true (asc_crc32 (first, bytes + cut, n - cut) == twin32 (bytes, n));
    }
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (published_values),
  cmocka_unit_test (same_as_twin),
};

ASC_TEST_MAIN (tests)
