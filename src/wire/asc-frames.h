/* What the writers of frames share; not for other layers. */
#ifndef ASC_FRAMES_H
#define ASC_FRAMES_H

#include <stdbool.h>

#include "asc-proto.h"

/* The longest n bytes of text, at most `most`, that do not end inside a UTF-8 sequence.
 * Bytes that are no UTF-8 are cut where they must. */
size_t asc_cut_utf8 (const char *text, size_t n, size_t most);
bool asc_task_record_valid (const AscTaskRecord *record);
/* Its five numbers; takes 19 bytes at most. */
uint8_t *asc_put_task_record (uint8_t *out, const AscTaskRecord *record);
/* Length byte and bytes, at most `most` of them. */
uint8_t *asc_put_string (uint8_t *out, AscString string, size_t most);

#endif
