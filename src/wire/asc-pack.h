/* The packing of the commonest events (PROTOCOL.md §5), inline for loops that count
 * instructions: a recorder's drain. asc_encoder_event () packs the same, and everything
 * else.
 *
 * Δ and durations are under ASC_PACK_LIMIT ticks. Each call writes at most ASC_PACK_MAX
 * bytes at out and returns the byte after them; the caller keeps the frame's length, its
 * event count and the run stack. */
#ifndef ASC_PACK_H
#define ASC_PACK_H

#include "asc-proto.h"

#define ASC_PACK_LIMIT 0x1000000u
#define ASC_PACK_MAX 16

/* Inline also where the compiler saves space: a call takes as long as the varint. */
#ifdef __GNUC__
__attribute__ ((always_inline))
#endif
static inline uint8_t *
asc_pack_varint (uint8_t *out, uint32_t value)
{
  while (value >= 0x80u)
    {
      *out++ = (uint8_t)(value | 0x80u);
      value >>= 7;
    }
  *out++ = (uint8_t)value;
  return out;
}

/* depth: of the run stack before. late: milliseconds + 1, or 0 = not timed. */
static inline uint8_t *
asc_pack_enter (uint8_t *out,
                unsigned depth,
                uint32_t slot,
                uint32_t delta,
                uint32_t late)
{
  if (depth == 0 && slot < ASC_OUT_TAG)
    {
      *out++ = (uint8_t)slot;
      out = asc_pack_varint (out, delta << 1 | (late > 0 ? 1u : 0u));
    }
  else
    {
      unsigned tag = late > 0 ? ASC_TAG_ENTER_LATE : ASC_TAG_ENTER;
      *out++ = (uint8_t)(depth == 0 ? ASC_OUT_TAG + tag : tag << 1 | 1u);
      out = asc_pack_varint (asc_pack_varint (out, delta), slot);
    }
  return late > 0 ? asc_pack_varint (out, late - 1) : out;
}

static inline uint8_t *
asc_pack_yield (uint8_t *out, uint32_t delta)
{
  return asc_pack_varint (out, delta << 1);
}

/* Outside any run. */
static inline uint8_t *
asc_pack_idle (uint8_t *out, uint32_t reason, uint32_t delta, uint32_t duration)
{
  if (reason <= ASC_IDLE_IO && delta <= 0x0Fu)
    *out++ = (uint8_t)(ASC_OUT_TAG + (reason << 4 | delta));
  else
    {
      *out++ = (uint8_t)(ASC_OUT_TAG + ASC_TAG_IDLE);
      out = asc_pack_varint (asc_pack_varint (out, delta), reason);
    }
  return asc_pack_varint (out, duration);
}

#endif
