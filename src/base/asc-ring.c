#include "asc-ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One mutex guards everything, the copies included: at a link's 1-10 MB/s it is held for
 * a thousandth of the time, and there is nothing subtle to get wrong. Copies are cut into
 * pieces so that no thread waits for longer than one of them. */
#define PIECE ((size_t)64 * 1024)
#define SMALLEST ((size_t)64)

typedef struct
{
  uint64_t at;
  bool used;
  bool holding;
  bool woken;
} Cursor;

struct AscRing
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  unsigned waiters;
  uint8_t *bytes;
  size_t size;
  uint64_t base;
  _Atomic uint64_t end; /* written under the lock, read without */
  bool closed;
  bool producer_woken;
  Cursor cursors[ASC_RING_CURSORS];
};

static int
cond_init (pthread_cond_t *cond)
{
#ifdef __APPLE__
  return pthread_cond_init (cond, NULL);
#else
  pthread_condattr_t attributes;
  int failed = pthread_condattr_init (&attributes);
  if (failed)
    return failed;
  /* Monotonic: a clock that somebody sets must not stretch a wait. */
  failed = pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  if (!failed)
    failed = pthread_cond_init (cond, &attributes);
  pthread_condattr_destroy (&attributes);
  return failed;
#endif
}

AscRing *
asc_ring_new (size_t size, uint64_t base_offset)
{
  size_t rounded = SMALLEST;
  while (rounded < size)
    {
      if (rounded > SIZE_MAX / 2)
        return NULL;
      rounded *= 2;
    }
  AscRing *ring = calloc (1, sizeof *ring);
  if (!ring)
    return NULL;
  ring->bytes = malloc (rounded);
  if (!ring->bytes)
    goto no_bytes;
  if (pthread_mutex_init (&ring->lock, NULL))
    goto no_lock;
  if (cond_init (&ring->changed))
    goto no_cond;
  ring->size = rounded;
  ring->base = base_offset;
  atomic_init (&ring->end, base_offset);
  return ring;

no_cond:
  pthread_mutex_destroy (&ring->lock);
no_lock:
  free (ring->bytes);
no_bytes:
  free (ring);
  return NULL;
}

void
asc_ring_free (AscRing *ring)
{
  if (!ring)
    return;
  pthread_cond_destroy (&ring->changed);
  pthread_mutex_destroy (&ring->lock);
  free (ring->bytes);
  free (ring);
}

size_t
asc_ring_size (const AscRing *ring)
{
  return ring->size;
}

uint64_t
asc_ring_end (const AscRing *ring)
{
  return atomic_load_explicit (&ring->end, memory_order_acquire);
}

/* The functions below whose name ends in _locked want the lock held. */

static uint64_t
end_locked (const AscRing *ring)
{
  return atomic_load_explicit (&ring->end, memory_order_relaxed);
}

static uint64_t
start_locked (const AscRing *ring)
{
  uint64_t kept = end_locked (ring) - ring->base;
  return end_locked (ring) - (kept < ring->size ? kept : ring->size);
}

static Cursor *
cursor_locked (AscRing *ring, int cursor)
{
  if (cursor < 0 || cursor >= ASC_RING_CURSORS || !ring->cursors[cursor].used)
    return NULL;
  return &ring->cursors[cursor];
}

/* The bytes that may be written; a ring that nobody holds takes any number. */
static size_t
space_locked (const AscRing *ring)
{
  size_t space = SIZE_MAX;
  for (int i = 0; i < ASC_RING_CURSORS; i++)
    {
      const Cursor *c = &ring->cursors[i];
      if (!c->used || !c->holding)
        continue;
      size_t left = ring->size - (size_t)(end_locked (ring) - c->at);
      if (left < space)
        space = left;
    }
  return space;
}

static void
announce_locked (AscRing *ring)
{
  if (ring->waiters)
    pthread_cond_broadcast (&ring->changed);
}

/* The place of @offset, and how many of @n bytes lie in a row from there. */
static size_t
contiguous (const AscRing *ring, uint64_t offset, size_t n, size_t *place)
{
  *place = (size_t)(offset & (ring->size - 1));
  size_t row = ring->size - *place;
  return n < row ? n : row;
}

uint64_t
asc_ring_start (AscRing *ring)
{
  pthread_mutex_lock (&ring->lock);
  uint64_t start = start_locked (ring);
  pthread_mutex_unlock (&ring->lock);
  return start;
}

size_t
asc_ring_write (AscRing *ring, const void *bytes, size_t n)
{
  const uint8_t *from = bytes;
  size_t done = 0;
  while (done < n)
    {
      pthread_mutex_lock (&ring->lock);
      size_t piece = n - done < PIECE ? n - done : PIECE;
      size_t space = ring->closed ? 0 : space_locked (ring);
      if (piece > space)
        piece = space;
      size_t place;
      uint64_t end = end_locked (ring);
      piece = contiguous (ring, end, piece, &place);
      if (piece)
        {
          memcpy (ring->bytes + place, from + done, piece);
          atomic_store_explicit (&ring->end, end + piece, memory_order_release);
          announce_locked (ring);
        }
      pthread_mutex_unlock (&ring->lock);
      if (!piece)
        break;
      done += piece;
    }
  return done;
}

void
asc_ring_close (AscRing *ring)
{
  pthread_mutex_lock (&ring->lock);
  ring->closed = true;
  announce_locked (ring);
  pthread_mutex_unlock (&ring->lock);
}

void
asc_ring_wake (AscRing *ring)
{
  pthread_mutex_lock (&ring->lock);
  ring->producer_woken = true;
  for (int i = 0; i < ASC_RING_CURSORS; i++)
    ring->cursors[i].woken = true;
  announce_locked (ring);
  pthread_mutex_unlock (&ring->lock);
}

int
asc_ring_cursor_add (AscRing *ring, bool holding)
{
  int found = ASC_RING_INVALID;
  pthread_mutex_lock (&ring->lock);
  for (int i = 0; i < ASC_RING_CURSORS && found < 0; i++)
    if (!ring->cursors[i].used)
      {
        ring->cursors[i]
            = (Cursor){ .at = end_locked (ring), .used = true, .holding = holding };
        found = i;
      }
  pthread_mutex_unlock (&ring->lock);
  return found;
}

void
asc_ring_cursor_remove (AscRing *ring, int cursor)
{
  pthread_mutex_lock (&ring->lock);
  Cursor *c = cursor_locked (ring, cursor);
  if (c)
    *c = (Cursor){ 0 };
  announce_locked (ring);
  pthread_mutex_unlock (&ring->lock);
}

AscRingStatus
asc_ring_set_holding (AscRing *ring, int cursor, bool holding)
{
  AscRingStatus status = ASC_RING_OK;
  pthread_mutex_lock (&ring->lock);
  Cursor *c = cursor_locked (ring, cursor);
  if (!c)
    status = ASC_RING_INVALID;
  else if (holding && c->at < start_locked (ring))
    status = ASC_RING_BEHIND;
  else
    {
      c->holding = holding;
      announce_locked (ring);
    }
  pthread_mutex_unlock (&ring->lock);
  return status;
}

uint64_t
asc_ring_position (AscRing *ring, int cursor)
{
  pthread_mutex_lock (&ring->lock);
  const Cursor *c = cursor_locked (ring, cursor);
  uint64_t at = c ? c->at : 0;
  pthread_mutex_unlock (&ring->lock);
  return at;
}

AscRingStatus
asc_ring_peek (AscRing *ring, int cursor, const uint8_t **bytes, size_t *n)
{
  AscRingStatus status = ASC_RING_OK;
  *bytes = NULL;
  *n = 0;
  pthread_mutex_lock (&ring->lock);
  const Cursor *c = cursor_locked (ring, cursor);
  if (!c || !c->holding)
    status = ASC_RING_INVALID;
  else
    {
      size_t place;
      *n = contiguous (ring, c->at, (size_t)(end_locked (ring) - c->at), &place);
      *bytes = ring->bytes + place;
      if (!*n && ring->closed)
        status = ASC_RING_CLOSED;
    }
  pthread_mutex_unlock (&ring->lock);
  return status;
}

AscRingStatus
asc_ring_advance (AscRing *ring, int cursor, size_t n)
{
  AscRingStatus status = ASC_RING_OK;
  pthread_mutex_lock (&ring->lock);
  Cursor *c = cursor_locked (ring, cursor);
  if (!c || n > end_locked (ring) - c->at)
    status = ASC_RING_INVALID;
  else
    {
      c->at += n;
      announce_locked (ring);
    }
  pthread_mutex_unlock (&ring->lock);
  return status;
}

AscRingStatus
asc_ring_read (AscRing *ring, int cursor, void *buffer, size_t size, size_t *n)
{
  uint8_t *to = buffer;
  AscRingStatus status = ASC_RING_OK;
  *n = 0;
  for (bool more = true; more && *n < size;)
    {
      pthread_mutex_lock (&ring->lock);
      Cursor *c = cursor_locked (ring, cursor);
      more = false;
      if (!c)
        status = ASC_RING_INVALID;
      else if (c->at < start_locked (ring))
        status = ASC_RING_BEHIND;
      else
        {
          uint64_t there = end_locked (ring) - c->at;
          size_t piece = size - *n < PIECE ? size - *n : PIECE;
          if (piece > there)
            piece = (size_t)there;
          size_t place;
          piece = contiguous (ring, c->at, piece, &place);
          memcpy (to + *n, ring->bytes + place, piece);
          c->at += piece;
          *n += piece;
          more = piece > 0;
          if (!*n && ring->closed)
            status = ASC_RING_CLOSED;
          if (piece && c->holding)
            announce_locked (ring);
        }
      pthread_mutex_unlock (&ring->lock);
    }
  return status;
}

AscRingStatus
asc_ring_seek (AscRing *ring, int cursor, uint64_t offset)
{
  AscRingStatus status = ASC_RING_OK;
  pthread_mutex_lock (&ring->lock);
  Cursor *c = cursor_locked (ring, cursor);
  if (!c || offset > end_locked (ring))
    status = ASC_RING_INVALID;
  else
    {
      if (offset < start_locked (ring))
        status = ASC_RING_BEHIND;
      if (status == ASC_RING_OK || !c->holding)
        c->at = offset;
      announce_locked (ring);
    }
  pthread_mutex_unlock (&ring->lock);
  return status;
}

/* ---- waiting ---- */

static void
deadline_in (struct timespec *deadline, int timeout_ms)
{
#ifdef __APPLE__
  clock_gettime (CLOCK_REALTIME, deadline);
#else
  clock_gettime (CLOCK_MONOTONIC, deadline);
#endif
  deadline->tv_sec += timeout_ms / 1000;
  deadline->tv_nsec += (long)(timeout_ms % 1000) * 1000000L;
  if (deadline->tv_nsec >= 1000000000L)
    {
      deadline->tv_sec++;
      deadline->tv_nsec -= 1000000000L;
    }
}

/* Sleeps until something changes; false when the time is over. */
static bool
sleep_locked (AscRing *ring, int timeout_ms, const struct timespec *deadline)
{
  int failed;
  ring->waiters++;
  if (timeout_ms < 0)
    failed = pthread_cond_wait (&ring->changed, &ring->lock);
  else
    failed = pthread_cond_timedwait (&ring->changed, &ring->lock, deadline);
  ring->waiters--;
  return !failed;
}

AscRingStatus
asc_ring_wait (AscRing *ring, int cursor, int timeout_ms)
{
  struct timespec deadline = { 0 };
  if (timeout_ms > 0)
    deadline_in (&deadline, timeout_ms);
  bool late = timeout_ms == 0;
  AscRingStatus status;
  pthread_mutex_lock (&ring->lock);
  for (;;)
    {
      Cursor *c = cursor_locked (ring, cursor);
      status = ASC_RING_TIMEOUT;
      if (!c)
        status = ASC_RING_INVALID;
      else if (c->woken)
        {
          c->woken = false;
          status = ASC_RING_WOKEN;
        }
      else if (c->at != end_locked (ring))
        status = ASC_RING_OK;
      else if (ring->closed)
        status = ASC_RING_CLOSED;
      if (status != ASC_RING_TIMEOUT || late)
        break;
      late = !sleep_locked (ring, timeout_ms, &deadline);
    }
  pthread_mutex_unlock (&ring->lock);
  return status;
}

AscRingStatus
asc_ring_wait_space (AscRing *ring, size_t n, int timeout_ms)
{
  struct timespec deadline = { 0 };
  if (timeout_ms > 0)
    deadline_in (&deadline, timeout_ms);
  bool late = timeout_ms == 0;
  AscRingStatus status;
  if (n > ring->size)
    n = ring->size;
  pthread_mutex_lock (&ring->lock);
  for (;;)
    {
      status = ASC_RING_TIMEOUT;
      if (ring->producer_woken)
        {
          ring->producer_woken = false;
          status = ASC_RING_WOKEN;
        }
      else if (ring->closed)
        status = ASC_RING_CLOSED;
      else if (space_locked (ring) >= n)
        status = ASC_RING_OK;
      if (status != ASC_RING_TIMEOUT || late)
        break;
      late = !sleep_locked (ring, timeout_ms, &deadline);
    }
  pthread_mutex_unlock (&ring->lock);
  return status;
}
