/* Tells text from noise (PROTOCOL.md §8); not for other layers. */
#ifndef ASC_TEXT_H
#define ASC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes at p that are whole characters of text. */
size_t asc_text_run (const uint8_t *p, size_t n);
/* Bytes at p up to the next text. whole: nothing follows these n bytes; otherwise it
 * stops at an end that may yet become a character, and may return 0 for it. */
size_t asc_noise_run (const uint8_t *p, size_t n, bool whole);

#endif
