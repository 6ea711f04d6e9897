#include <stdint.h>

/* Arithmetic that the compiler leaves to its library, which a file that is loaded cannot
 * be linked with by Debian's tools alone. Called seldom: by no hook of a run. */

#if defined(__arm__) || (defined(__riscv) && __riscv_xlen == 32)

uint64_t asc_mpy_divide (uint64_t a, uint64_t b, uint64_t *rest);
int64_t asc_mpy_divide_signed (int64_t a, int64_t b, int64_t *rest);

/* Bit by bit; by 0 it is all ones. */
uint64_t
asc_mpy_divide (uint64_t a, uint64_t b, uint64_t *rest)
{
  uint64_t quotient = 0, left = 0;
  for (unsigned i = 0; i < 64; i++)
    {
      left = left << 1 | a >> 63;
      a <<= 1;
      quotient <<= 1;
      if (left >= b)
        {
          left -= b;
          quotient |= 1;
        }
    }
  *rest = left;
  return quotient;
}

/* Towards zero. */
int64_t
asc_mpy_divide_signed (int64_t a, int64_t b, int64_t *rest)
{
  uint64_t left;
  uint64_t quotient = asc_mpy_divide (a < 0 ? -(uint64_t)a : (uint64_t)a,
                                      b < 0 ? -(uint64_t)b : (uint64_t)b, &left);
  *rest = (int64_t)(a < 0 ? -left : left);
  return (int64_t)((a < 0) != (b < 0) ? -quotient : quotient);
}
#endif

#if defined(__riscv) && __riscv_xlen == 32

uint64_t __udivdi3 (uint64_t a, uint64_t b);
int64_t __divdi3 (int64_t a, int64_t b);

uint64_t
__udivdi3 (uint64_t a, uint64_t b)
{
  uint64_t rest;
  return asc_mpy_divide (a, b, &rest);
}

int64_t
__divdi3 (int64_t a, int64_t b)
{
  int64_t rest;
  return asc_mpy_divide_signed (a, b, &rest);
}
#endif

#if defined(__arm__)

/* Quotient and rest in four registers, which is no C. */
#define DIVIDE_BY(function)                                                              \
  __asm__ volatile("push {r4, lr}\n\t"                                                   \
                   "sub sp, #16\n\t"                                                     \
                   "add r4, sp, #8\n\t"                                                  \
                   "str r4, [sp]\n\t"                                                    \
                   "bl " function "\n\t"                                                 \
                   "ldr r2, [sp, #8]\n\t"                                                \
                   "ldr r3, [sp, #12]\n\t"                                               \
                   "add sp, #16\n\t"                                                     \
                   "pop {r4, pc}")

__attribute__ ((naked)) void __aeabi_uldivmod (void);
__attribute__ ((naked)) void __aeabi_ldivmod (void);

__attribute__ ((naked)) void
__aeabi_uldivmod (void)
{
  DIVIDE_BY ("asc_mpy_divide");
}

__attribute__ ((naked)) void
__aeabi_ldivmod (void)
{
  DIVIDE_BY ("asc_mpy_divide_signed");
}

#if !defined(__thumb2__)

uint64_t __aeabi_lmul (uint64_t a, uint64_t b);
uint32_t __aeabi_uidiv (uint32_t a, uint32_t b);

uint64_t
__aeabi_lmul (uint64_t a, uint64_t b)
{
  uint32_t al = (uint32_t)a & 0xFFFFu, ah = (uint32_t)a >> 16;
  uint32_t bl = (uint32_t)b & 0xFFFFu, bh = (uint32_t)b >> 16;
  uint32_t high
      = ah * bh + (uint32_t)(a >> 32) * (uint32_t)b + (uint32_t)(b >> 32) * (uint32_t)a;
  uint32_t low = al * bl;
  uint32_t middle = ah * bl + (low >> 16);
  uint32_t other = al * bh + (middle & 0xFFFFu);
  high += (middle >> 16) + (other >> 16);
  return (uint64_t)high << 32 | other << 16 | (low & 0xFFFFu);
}

uint32_t
__aeabi_uidiv (uint32_t a, uint32_t b)
{
  uint64_t rest;
  return (uint32_t)asc_mpy_divide (a, b, &rest);
}
#endif
#endif
