/* What MicroPython gives the recorder: clock and critical section. Comes first in every
 * file, so that all of them see the same structures. */
#ifndef MOD_AIOSCOPE_PORT_H
#define MOD_AIOSCOPE_PORT_H

/* The loop; interrupts; further threads or the other core. */
#define ASC_RECORDER_CONTEXTS 3

/* A file that firmware loads, or part of it. */
#ifdef MICROPY_ENABLE_DYNRUNTIME
#define ASC_MPY_LOADABLE 1
#else
#define ASC_MPY_LOADABLE 0
#endif

#if ASC_MPY_LOADABLE
#include "mod_aioscope_loadable.h"
#else
#include "py/mpconfig.h"

#include "py/mphal.h"
#if MICROPY_PY_THREAD
#include "py/mpthread.h"
#endif

#define ASC_PORT_TICKS(rec) ((uint32_t)mp_hal_ticks_us ())
#define ASC_PORT_ENTER_CRITICAL(rec) ((uint32_t)MICROPY_BEGIN_ATOMIC_SECTION ())
#define ASC_PORT_EXIT_CRITICAL(rec, state)                                               \
  do                                                                                     \
    {                                                                                    \
      MICROPY_END_ATOMIC_SECTION (state);                                                \
    }                                                                                    \
  while (0)
#endif

#endif
