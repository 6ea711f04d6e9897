/* The two checks of a frame (PROTOCOL.md §1). */
#ifndef ASC_CRC_H
#define ASC_CRC_H

#include <stddef.h>
#include <stdint.h>

/* CRC-8, polynomial 07, initial FF. */
uint8_t asc_crc8 (const void *bytes, size_t n);
/* CRC-32 (IEEE). crc: 0 to begin, or the value so far. A board takes the table of 256
 * entries (1 KiB of flash) or, with ASC_CRC_SMALL, of 16; the host slices by eight. */
uint32_t asc_crc32 (uint32_t crc, const void *bytes, size_t n);

#endif
