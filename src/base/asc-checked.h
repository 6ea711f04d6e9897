/* Arithmetic that tells when it does not fit, for sizes and offsets out of hostile input.
 *
 * Every function puts the result into *out and returns true when it fits; otherwise it
 * returns false and *out must not be used. */
#ifndef ASC_CHECKED_H
#define ASC_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool
asc_add_size (size_t a, size_t b, size_t *out)
{
  return !__builtin_add_overflow (a, b, out);
}

static inline bool
asc_mul_size (size_t a, size_t b, size_t *out)
{
  return !__builtin_mul_overflow (a, b, out);
}

static inline bool
asc_add_u64 (uint64_t a, uint64_t b, uint64_t *out)
{
  return !__builtin_add_overflow (a, b, out);
}

static inline bool
asc_sub_u64 (uint64_t a, uint64_t b, uint64_t *out)
{
  return !__builtin_sub_overflow (a, b, out);
}

static inline bool
asc_mul_u64 (uint64_t a, uint64_t b, uint64_t *out)
{
  return !__builtin_mul_overflow (a, b, out);
}

static inline bool
asc_add_i64 (int64_t a, int64_t b, int64_t *out)
{
  return !__builtin_add_overflow (a, b, out);
}

static inline bool
asc_sub_i64 (int64_t a, int64_t b, int64_t *out)
{
  return !__builtin_sub_overflow (a, b, out);
}

static inline bool
asc_mul_i64 (int64_t a, int64_t b, int64_t *out)
{
  return !__builtin_mul_overflow (a, b, out);
}

#endif
