/* MicroPython's qemu port, with what it leaves out: time, select and asyncio. */
#include "mpconfigport.h"

#undef MICROPY_PY_SELECT
#undef MICROPY_PY_TIME
#undef MICROPY_PY_ASYNCIO
#define MICROPY_PY_SELECT 1
#define MICROPY_PY_TIME 1
#define MICROPY_PY_ASYNCIO 1
