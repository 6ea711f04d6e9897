/* The port of the emulated board: the clock is a word that the program sets, which costs
 * as many instructions to read as a timer's register. The critical section is the real
 * one for a Cortex-M. */
#ifndef M3_PORT_H
#define M3_PORT_H

#include <stdint.h>

extern volatile uint32_t m3_clock;
#define ASC_PORT_TICKS(rec) (m3_clock)
#define ASC_RECORDER_CONTEXTS 2

#endif
