/* One producer, a holding and an overrun-able consumer at once: every byte that a
 * consumer gets is the right one for its offset. Meant for ThreadSanitizer. */
#include "asc-ring.h"
#include "asc-test.h"

#include <pthread.h>
#include <stdatomic.h>

#define TOTAL ((uint64_t)4 << 20)

typedef struct
{
  AscRing *ring;
  int cursor;
  uint64_t got, skipped, wrong;
} Consumer;

/* A byte that differs from lap to lap, so that a stale one is noticed. */
static uint8_t
byte_at (uint64_t offset)
{
  return (uint8_t)((offset * 0x9e3779b97f4a7c15u) >> 56);
}

static uint64_t
wrong_bytes (const uint8_t *bytes, size_t n, uint64_t offset)
{
  uint64_t wrong = 0;
  for (size_t i = 0; i < n; i++)
    wrong += bytes[i] != byte_at (offset + i);
  return wrong;
}

static void *
hold (void *data)
{
  Consumer *me = data;
  for (;;)
    {
      const uint8_t *bytes;
      size_t n;
      AscRingStatus status = asc_ring_wait (me->ring, me->cursor, -1);
      if (status == ASC_RING_WOKEN)
        continue;
      if (status != ASC_RING_OK
          || asc_ring_peek (me->ring, me->cursor, &bytes, &n) != ASC_RING_OK)
        return NULL;
      me->wrong += wrong_bytes (bytes, n, asc_ring_position (me->ring, me->cursor));
      me->got += n;
      asc_ring_advance (me->ring, me->cursor, n);
    }
}

static void *
lag (void *data)
{
  Consumer *me = data;
  uint8_t bytes[3000];
  for (unsigned turn = 0;; turn++)
    {
      size_t n;
      uint64_t at = asc_ring_position (me->ring, me->cursor);
      AscRingStatus status
          = asc_ring_read (me->ring, me->cursor, bytes, 1 + turn % sizeof bytes, &n);
      me->wrong += wrong_bytes (bytes, n, at);
      me->got += n;
      at += n;
      if (status == ASC_RING_CLOSED)
        return NULL;
      if (status == ASC_RING_BEHIND)
        {
          uint64_t start = asc_ring_start (me->ring);
          me->skipped += start - at;
          asc_ring_seek (me->ring, me->cursor, start);
        }
      else if (n == 0)
        asc_ring_wait (me->ring, me->cursor, 10);
    }
}

static void *
wake_often (void *data)
{
  Consumer *me = data;
  for (int i = 0; i < 200; i++)
    {
      asc_ring_wake (me->ring);
      me->wrong += asc_ring_start (me->ring) > asc_ring_end (me->ring);
      sched_yield ();
    }
  return NULL;
}

static void
produce (AscRing *ring, uint32_t *seed)
{
  uint8_t bytes[5000];
  uint64_t at = asc_ring_end (ring), stop = at + TOTAL;
  while (at < stop)
    {
      size_t n = 1 + asc_test_random (seed) % sizeof bytes, done = 0;
      if (n > stop - at)
        n = (size_t)(stop - at);
      for (size_t i = 0; i < n; i++)
        bytes[i] = byte_at (at + i);
      while (done < n)
        {
          size_t took = asc_ring_write (ring, bytes + done, n - done);
          done += took;
          if (!took)
            asc_ring_wait_space (ring, 1, -1);
        }
      at += n;
    }
}

static void
every_byte_is_right (void **state)
{
  (void)state;
  uint32_t seed = asc_test_seed ();
  AscRing *ring = asc_ring_new (1 << 14, 12345);
  Consumer holder = { .ring = ring, .cursor = asc_ring_cursor_add (ring, true) };
  Consumer lagger = { .ring = ring, .cursor = asc_ring_cursor_add (ring, false) };
  Consumer waker = { .ring = ring };
  pthread_t threads[3];
  assert_int_equal (pthread_create (&threads[0], NULL, hold, &holder), 0);
  assert_int_equal (pthread_create (&threads[1], NULL, lag, &lagger), 0);
  assert_int_equal (pthread_create (&threads[2], NULL, wake_often, &waker), 0);
  produce (ring, &seed);
  asc_ring_close (ring);
  for (int i = 0; i < 3; i++)
    pthread_join (threads[i], NULL);
  assert_true (holder.got == TOTAL);
  assert_true (lagger.got + lagger.skipped == TOTAL);
  assert_true (holder.wrong == 0);
  assert_true (lagger.wrong == 0);
  assert_true (waker.wrong == 0);
  asc_ring_free (ring);
}

static void *
wait_once (void *data)
{
  Consumer *me = data;
  me->got = asc_ring_wait (me->ring, me->cursor, -1) == ASC_RING_CLOSED;
  return NULL;
}

static void
closing_ends_a_wait (void **state)
{
  (void)state;
  AscRing *ring = asc_ring_new (64, 0);
  Consumer me = { .ring = ring, .cursor = asc_ring_cursor_add (ring, false) };
  pthread_t thread;
  assert_int_equal (pthread_create (&thread, NULL, wait_once, &me), 0);
  asc_ring_close (ring);
  pthread_join (thread, NULL);
  assert_true (me.got);
  asc_ring_free (ring);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (every_byte_is_right),
  cmocka_unit_test (closing_ends_a_wait),
};

ASC_TEST_MAIN (tests)
