/* What a port may define for itself, each behind #ifndef: the clock, the critical
 * section, the number of contexts. Put them into a header named by
 * -DASC_PORT_FILE='"my-port.h"' or on the compiler's command line.
 *
 * Defaults: a hosted build spins on a lock in the recorder and asks config->ticks; a
 * freestanding build for Cortex-M masks interrupts (one core: a port with two cores adds
 * its spin lock) and asks config->ticks too. */
#ifndef ASC_PORT_H
#define ASC_PORT_H

#include <stdint.h>

#ifdef ASC_PORT_FILE
#include ASC_PORT_FILE
#endif

/* Contexts (cores, threads, interrupts) that a recorder can tell apart, at most 8. Each
 * takes a frame buffer and a run stack, about 370 bytes. */
#ifndef ASC_RECORDER_CONTEXTS
#define ASC_RECORDER_CONTEXTS 4
#endif

/* Longest text of one TEXT event, bytes; a longer one is cut. */
#ifndef ASC_RECORDER_TEXT_MAX
#define ASC_RECORDER_TEXT_MAX 120
#endif

/* The raw counter, uint32_t: only its low config->counter_bits bits count. */
#ifndef ASC_PORT_TICKS
#define ASC_PORT_TICKS(rec) ((rec)->config->ticks ((rec)->config->ticks_user))
#endif

/* Begins a stretch that no other user of the recorder interrupts, on any core or from any
 * interrupt; gives a uint32_t that ends it. It nests nowhere. */
#ifndef ASC_PORT_ENTER_CRITICAL
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define ASC_PORT_ENTER_CRITICAL(rec) asc_port_lock (&(rec)->lock)
#define ASC_PORT_EXIT_CRITICAL(rec, state) asc_port_unlock (&(rec)->lock, state)
#define ASC_PORT_HOSTED 1
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define ASC_PORT_ENTER_CRITICAL(rec) asc_port_mask ()
#define ASC_PORT_EXIT_CRITICAL(rec, state) asc_port_unmask (state)
#define ASC_PORT_CORTEX_M 1
#else
#error "define ASC_PORT_ENTER_CRITICAL and ASC_PORT_EXIT_CRITICAL for this port"
#endif
#endif

#ifdef ASC_PORT_HOSTED
static inline uint32_t
asc_port_lock (volatile char *lock)
{
  while (__atomic_test_and_set (lock, __ATOMIC_ACQUIRE))
    ;
  return 0;
}

static inline void
asc_port_unlock (volatile char *lock, uint32_t state)
{
  (void)state;
  __atomic_clear (lock, __ATOMIC_RELEASE);
}
#endif

#ifdef ASC_PORT_CORTEX_M
static inline uint32_t
asc_port_mask (void)
{
  uint32_t state;
  __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
  return state;
}

static inline void
asc_port_unmask (uint32_t state)
{
  __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}
#endif

#endif
