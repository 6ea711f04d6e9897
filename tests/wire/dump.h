/* The dump of a stream that ../golden/README.md describes. */
#ifndef DUMP_H
#define DUMP_H

#include "asc-decoder.h"

/* How the stream is fed: 0 at once, 1 byte by byte, else in pieces of random sizes drawn
 * from this seed. Returns text to be freed; pieces of text and skips are joined in it. */
char *dump_stream (const uint8_t *bytes, size_t n, AscOrigin origin, uint32_t pieces);

#endif
