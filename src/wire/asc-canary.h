/* HELLO's canary and what terminal drivers make of it (PROTOCOL.md §8); not for other
 * layers. */
#ifndef ASC_CANARY_H
#define ASC_CANARY_H

#include <stddef.h>
#include <stdint.h>

#define ASC_CANARY_SIZE 8
#define ASC_CANARY_LOOK 24 /* bytes from a marker on that are looked at */

extern const uint8_t asc_canary[ASC_CANARY_SIZE];

/* p: what begins like a HELLO at its marker, n bytes. Returns ASC_MANGLED_… and where the
 * changed canary begins, or 0. Only the first ASC_CANARY_LOOK bytes matter. */
unsigned asc_canary_change (const uint8_t *p, size_t n, size_t *at);
/* Bytes of the canary of a seven-bit line that are matched after byte b, when `matched`
 * were before it; 8: all. */
unsigned asc_canary_match (unsigned matched, uint8_t b);

#endif
