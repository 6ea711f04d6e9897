/* MicroPython's qemu port, with what it leaves out: time, select and asyncio. */
#include "mpconfigport.h"

#undef MICROPY_PY_SELECT
#undef MICROPY_PY_TIME
#undef MICROPY_PY_ASYNCIO
#define MICROPY_PY_SELECT 1
#define MICROPY_PY_TIME 1
#define MICROPY_PY_ASYNCIO 1

/* While the loop waits: Ctrl-C stops a program here, as on a real port. */
void emulated_wait (void);
#define MICROPY_INTERNAL_WFE(ms) emulated_wait ()

/* What a board's port has: critical sections mask interrupts. */
static inline unsigned
emulated_mask (void)
{
  unsigned state;
  __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
  return state;
}

static inline void
emulated_unmask (unsigned state)
{
  __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}
#define MICROPY_BEGIN_ATOMIC_SECTION() emulated_mask ()
#define MICROPY_END_ATOMIC_SECTION(state) emulated_unmask (state)
