/* LEB128 as PROTOCOL.md uses it: at most 10 bytes and at most 2^64 - 1.
 *
 * C99, freestanding. The readers never look past end. */
#ifndef ASC_VARINT_H
#define ASC_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define ASC_VARINT_MAX 10 /* bytes of the longest */

/* Writes value at out (room for ASC_VARINT_MAX bytes); returns the byte after it. */
static inline uint8_t *
asc_varint_put (uint8_t *out, uint64_t value)
{
  /* A Cortex-M0 shifts 64 bits by a call: leave that path as soon as 32 suffice. */
  while (value >> 32)
    {
      *out++ = (uint8_t)(value | 0x80u);
      value >>= 7;
    }
  uint32_t low = (uint32_t)value;
  while (low >= 0x80u)
    {
      *out++ = (uint8_t)(low | 0x80u);
      low >>= 7;
    }
  *out++ = (uint8_t)low;
  return out;
}

/* Bytes that asc_varint_put () takes for value. */
static inline unsigned
asc_varint_size (uint64_t value)
{
  unsigned n = 1;
  while (value >= 0x80u)
    {
      value >>= 7;
      n++;
    }
  return n;
}

/* Reads a varint at p. Returns the byte after it, or NULL when it passes end, has more
 * than 10 bytes or more than 64 bits. */
static inline const uint8_t *
asc_varint_get (const uint8_t *p, const uint8_t *end, uint64_t *value)
{
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64 && p < end; shift += 7)
    {
      uint64_t b = *p++;
      if (shift == 63 && b > 1)
        return NULL;
      v |= (b & 0x7Fu) << shift;
      if (b < 0x80u)
        {
          *value = v;
          return p;
        }
    }
  return NULL;
}

static inline uint64_t
asc_zigzag (int64_t value)
{
  return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t
asc_unzigzag (uint64_t value)
{
  uint64_t v = (value >> 1) ^ (0u - (value & 1u));
  /* Not every compiler has to wrap where a cast is too large. */
  return v <= INT64_MAX ? (int64_t)v : -(int64_t)(UINT64_MAX - v) - 1;
}

static inline uint8_t *
asc_put_u16 (uint8_t *out, uint32_t value)
{
  out[0] = (uint8_t)value;
  out[1] = (uint8_t)(value >> 8);
  return out + 2;
}

static inline uint8_t *
asc_put_u32 (uint8_t *out, uint32_t value)
{
  return asc_put_u16 (asc_put_u16 (out, value), value >> 16);
}

static inline uint8_t *
asc_put_u48 (uint8_t *out, uint64_t value)
{
  return asc_put_u16 (asc_put_u32 (out, (uint32_t)value), (uint32_t)(value >> 32));
}

static inline uint8_t *
asc_put_u64 (uint8_t *out, uint64_t value)
{
  return asc_put_u32 (asc_put_u32 (out, (uint32_t)value), (uint32_t)(value >> 32));
}

static inline uint16_t
asc_get_u16 (const uint8_t *p)
{
  return (uint16_t)(p[0] | (uint32_t)p[1] << 8);
}

static inline uint32_t
asc_get_u32 (const uint8_t *p)
{
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
asc_get_u48 (const uint8_t *p)
{
  return asc_get_u32 (p) | (uint64_t)asc_get_u16 (p + 4) << 32;
}

static inline uint64_t
asc_get_u64 (const uint8_t *p)
{
  return asc_get_u32 (p) | (uint64_t)asc_get_u32 (p + 4) << 32;
}

#endif
