/* Random streams of frames, text, noise and damage. */
#ifndef RANDOM_STREAM_H
#define RANDOM_STREAM_H

#include "asc-deframer.h"

/* Fills out with at most `most` bytes; returns how many. */
size_t random_stream (uint32_t *random, uint8_t *out, size_t most);

#endif
