/* The byte buffer between threads: the last bytes of a stream, by absolute offset.
 *
 * One producer writes; up to ASC_RING_CURSORS consumers read, each through a cursor of
 * its own. A *holding* cursor keeps what it has not read (the recording's writer): the
 * producer is refused rather than let over it. A cursor that does not hold (the decoder)
 * may be overrun: it is told ASC_RING_BEHIND, reads the missing bytes elsewhere, and
 * seeks.
 *
 * Threads: asc_ring_write() and asc_ring_wait_space() belong to one producer thread; the
 * calls that take a cursor belong to that cursor's thread; asc_ring_end(),
 * asc_ring_start(), asc_ring_wake(), asc_ring_close() and asc_ring_cursor_add() may be
 * called from any. Offsets and sizes are bytes. No call blocks but the two waits. */
#ifndef ASC_RING_H
#define ASC_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASC_RING_CURSORS 4

typedef struct AscRing AscRing;

typedef enum
{
  ASC_RING_OK = 0,
  ASC_RING_BEHIND = -1,  /* the cursor's bytes were overwritten */
  ASC_RING_CLOSED = -2,  /* all is read, and no more will come */
  ASC_RING_TIMEOUT = -3, /* the wait's time is over */
  ASC_RING_WOKEN = -4,   /* asc_ring_wake() was called */
  ASC_RING_INVALID = -5, /* an offset outside of the stream, no such cursor, or a
                          * cursor of the wrong sort */
} AscRingStatus;

/* A ring of at least @size bytes (rounded up to a power of two, at least 64) whose first
 * byte has the offset @base_offset. NULL when there is no memory. Free with
 * asc_ring_free(), which takes NULL and must come after the last call of every thread. */
AscRing *asc_ring_new (size_t size, uint64_t base_offset);
void asc_ring_free (AscRing *ring);

/* The bytes the ring can hold. */
size_t asc_ring_size (const AscRing *ring);

/* Appends up to @n bytes and returns how many: fewer than @n when a holding cursor stands
 * in the way, 0 after asc_ring_close(). Never blocks for longer than a copy of 64 KiB. */
size_t asc_ring_write (AscRing *ring, const void *bytes, size_t n);

/* Waits until asc_ring_write() would take @n bytes (at most the ring's size). A negative
 * @timeout_ms waits for ever. OK, TIMEOUT, WOKEN or CLOSED. */
AscRingStatus asc_ring_wait_space (AscRing *ring, size_t n, int timeout_ms);

/* The offset after the newest byte, and that of the oldest byte still here. What lies at
 * asc_ring_start() may be gone when the call returns, unless a cursor holds it. */
uint64_t asc_ring_end (const AscRing *ring);
uint64_t asc_ring_start (AscRing *ring);

/* No more bytes will come: consumers read what is left and then get ASC_RING_CLOSED. */
void asc_ring_close (AscRing *ring);

/* Makes every cursor's current or next wait, and the producer's, return ASC_RING_WOKEN
 * once: for telling a thread to look at its own flags. */
void asc_ring_wake (AscRing *ring);

/* A new cursor at the end of what is written, or ASC_RING_INVALID when there are
 * ASC_RING_CURSORS already. */
int asc_ring_cursor_add (AscRing *ring, bool holding);
void asc_ring_cursor_remove (AscRing *ring, int cursor);

/* Turns holding on or off. Turning it on returns ASC_RING_BEHIND, and does nothing, when
 * the cursor's bytes are gone already. */
AscRingStatus asc_ring_set_holding (AscRing *ring, int cursor, bool holding);

/* The offset of the next byte that the cursor will read. */
uint64_t asc_ring_position (AscRing *ring, int cursor);

/* For a holding cursor: the longest piece that lies in one run of memory, without a copy;
 * it stays valid until the cursor advances, seeks or stops to hold. OK with *n = 0 when
 * nothing is there yet, CLOSED when nothing will be; INVALID for a cursor that does not
 * hold, whose bytes could change under the reader: it calls asc_ring_read(). */
AscRingStatus asc_ring_peek (AscRing *ring, int cursor, const uint8_t **bytes, size_t *n);

/* Goes on by @n bytes: INVALID, and nothing happens, past the end. */
AscRingStatus asc_ring_advance (AscRing *ring, int cursor, size_t n);

/* Copies up to @size bytes out and advances by *n. OK with *n = 0 when nothing is there
 * yet; BEHIND when the cursor was overrun: the copy is then what came before the overrun
 * (*n may be more than 0, those bytes are good). */
AscRingStatus
asc_ring_read (AscRing *ring, int cursor, void *buffer, size_t size, size_t *n);

/* Moves the cursor to @offset, back or forth. BEHIND when those bytes are gone: a cursor
 * that does not hold is moved all the same, a holding one stays. INVALID past the end. */
AscRingStatus asc_ring_seek (AscRing *ring, int cursor, uint64_t offset);

/* Waits until the cursor has something to do. OK: bytes to read, or BEHIND to be told.
 * A negative @timeout_ms waits for ever, 0 only asks. */
AscRingStatus asc_ring_wait (AscRing *ring, int cursor, int timeout_ms);

#endif
