#include "asc-checked.h"
#include "asc-test.h"

static void
sizes_fit_or_tell (void **state)
{
  (void)state;
  size_t s;
  assert_true (asc_add_size (SIZE_MAX - 1, 1, &s));
  assert_true (s == SIZE_MAX);
  assert_false (asc_add_size (SIZE_MAX, 1, &s));
  assert_true (asc_mul_size (SIZE_MAX / 2, 2, &s));
  assert_true (s == SIZE_MAX - 1);
  assert_false (asc_mul_size (SIZE_MAX / 2 + 1, 2, &s));
}

static void
unsigned_fit_or_tell (void **state)
{
  (void)state;
  uint64_t u;
  assert_true (asc_add_u64 (UINT64_MAX - 5, 5, &u));
  assert_true (u == UINT64_MAX);
  assert_false (asc_add_u64 (UINT64_MAX, UINT64_MAX, &u));
  assert_true (asc_sub_u64 (7, 7, &u));
  assert_true (u == 0);
  assert_false (asc_sub_u64 (7, 8, &u));
  assert_true (asc_mul_u64 (UINT32_MAX, UINT32_MAX, &u));
  assert_true (u == UINT64_C (0xfffffffe00000001));
  assert_false (asc_mul_u64 (UINT64_C (1) << 32, UINT64_C (1) << 32, &u));
}

static void
signed_fit_or_tell (void **state)
{
  (void)state;
  int64_t i;
  assert_true (asc_add_i64 (INT64_MAX, INT64_MIN, &i));
  assert_true (i == -1);
  assert_false (asc_add_i64 (INT64_MAX, 1, &i));
  assert_false (asc_add_i64 (INT64_MIN, -1, &i));
  assert_true (asc_sub_i64 (-1, INT64_MAX, &i));
  assert_true (i == INT64_MIN);
  assert_false (asc_sub_i64 (0, INT64_MIN, &i));
  assert_true (asc_mul_i64 (INT64_MIN, 1, &i));
  assert_true (i == INT64_MIN);
  assert_false (asc_mul_i64 (INT64_MIN, -1, &i));
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (sizes_fit_or_tell),
  cmocka_unit_test (unsigned_fit_or_tell),
  cmocka_unit_test (signed_fit_or_tell),
};

ASC_TEST_MAIN (tests)
