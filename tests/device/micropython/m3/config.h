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
