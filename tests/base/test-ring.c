/* The ring against a plain model that keeps the whole stream, and its edges. */
#include "asc-ring.h"
#include "asc-test.h"

#include <string.h>

#define STREAM (1u << 20)

typedef struct
{
  uint64_t at;
  bool used, holding;
} Twin;

typedef struct
{
  AscRing *ring;
  uint64_t base, end;
  uint8_t *stream; /* every byte ever written */
  Twin twins[ASC_RING_CURSORS];
} World;

static uint64_t
oldest (const World *w)
{
  uint64_t size = asc_ring_size (w->ring), n = w->end - w->base;
  return w->end - (n < size ? n : size);
}

static size_t
model_space (const World *w, size_t n)
{
  for (int i = 0; i < ASC_RING_CURSORS; i++)
    if (w->twins[i].used && w->twins[i].holding)
      {
        uint64_t left = asc_ring_size (w->ring) - (w->end - w->twins[i].at);
        if (left < n)
          n = (size_t)left;
      }
  return n;
}

static void
step_write (World *w, uint32_t *seed)
{
  uint8_t bytes[700];
  size_t n = asc_test_random (seed) % sizeof bytes;
  if (w->end - w->base + n > STREAM)
    return;
  for (size_t i = 0; i < n; i++)
    bytes[i] = (uint8_t)asc_test_random (seed);
  size_t want = model_space (w, n);
  assert_int_equal (asc_ring_write (w->ring, bytes, n), want);
  memcpy (w->stream + (w->end - w->base), bytes, want);
  w->end += want;
  assert_true (asc_ring_end (w->ring) == w->end);
  assert_true (asc_ring_start (w->ring) == oldest (w));
}

static void
step_read (World *w, int c, uint32_t *seed)
{
  Twin *t = &w->twins[c];
  uint8_t bytes[900];
  size_t size = asc_test_random (seed) % sizeof bytes, n;
  AscRingStatus status = asc_ring_read (w->ring, c, bytes, size, &n);
  if (t->at < oldest (w) && size > 0)
    {
      assert_int_equal (status, ASC_RING_BEHIND);
      assert_int_equal (n, 0);
      return;
    }
  if (size == 0)
    return;
  uint64_t there = w->end - t->at;
  assert_int_equal (status, ASC_RING_OK);
  assert_int_equal (n, there < size ? there : size);
  assert_memory_equal (bytes, w->stream + (t->at - w->base), n);
  t->at += n;
}

static void
step_peek (World *w, int c, uint32_t *seed)
{
  Twin *t = &w->twins[c];
  const uint8_t *bytes;
  size_t n;
  AscRingStatus status = asc_ring_peek (w->ring, c, &bytes, &n);
  if (!t->holding)
    {
      assert_int_equal (status, ASC_RING_INVALID);
      return;
    }
  assert_int_equal (status, ASC_RING_OK);
  assert_true ((n == 0) == (t->at == w->end));
  assert_memory_equal (bytes, w->stream + (t->at - w->base), n);
  size_t by = n ? asc_test_random (seed) % (n + 1) : 0;
  assert_int_equal (asc_ring_advance (w->ring, c, by), ASC_RING_OK);
  t->at += by;
}

static void
step_move (World *w, int c, uint32_t *seed)
{
  Twin *t = &w->twins[c];
  uint64_t to = w->base + asc_test_random (seed) % (w->end - w->base + 2);
  AscRingStatus status = asc_ring_seek (w->ring, c, to);
  if (to > w->end)
    assert_int_equal (status, ASC_RING_INVALID);
  else if (to < oldest (w))
    assert_int_equal (status, ASC_RING_BEHIND);
  else
    assert_int_equal (status, ASC_RING_OK);
  if (to <= w->end && (to >= oldest (w) || !t->holding))
    t->at = to;
  assert_true (asc_ring_position (w->ring, c) == t->at);
}

static void
step_hold (World *w, int c, uint32_t *seed)
{
  Twin *t = &w->twins[c];
  bool holding = asc_test_random (seed) % 2;
  AscRingStatus status = asc_ring_set_holding (w->ring, c, holding);
  if (holding && t->at < oldest (w))
    assert_int_equal (status, ASC_RING_BEHIND);
  else
    {
      assert_int_equal (status, ASC_RING_OK);
      t->holding = holding;
    }
}

static void
step_cursors (World *w, uint32_t *seed)
{
  int c = (int)(asc_test_random (seed) % ASC_RING_CURSORS);
  if (w->twins[c].used)
    {
      asc_ring_cursor_remove (w->ring, c);
      w->twins[c].used = false;
      return;
    }
  bool holding = asc_test_random (seed) % 2;
  c = asc_ring_cursor_add (w->ring, holding);
  assert_in_range (c, 0, ASC_RING_CURSORS - 1);
  assert_false (w->twins[c].used);
  w->twins[c] = (Twin){ w->end, true, holding };
}

static void
random_steps_agree_with_the_model (void **state)
{
  (void)state;
  uint32_t seed = asc_test_seed ();
  for (int round = 0; round < 40; round++)
    {
      World w = { .base = (uint64_t)asc_test_random (&seed) * 977 };
      w.end = w.base;
      w.ring = asc_ring_new (1 + asc_test_random (&seed) % 2000, w.base);
      w.stream = malloc (STREAM);
      assert_non_null (w.ring);
      assert_non_null (w.stream);
      for (int i = 0; i < 3000; i++)
        {
          uint32_t what = asc_test_random (&seed) % 64;
          int c = (int)(asc_test_random (&seed) % ASC_RING_CURSORS);
          if (what < 20)
            step_write (&w, &seed);
          else if (what == 20)
            step_cursors (&w, &seed);
          else if (!w.twins[c].used)
            assert_int_equal (asc_ring_advance (w.ring, c, 0), ASC_RING_INVALID);
          else if (what < 40)
            step_read (&w, c, &seed);
          else if (what < 58)
            step_peek (&w, c, &seed);
          else if (what < 60)
            step_move (&w, c, &seed);
          else
            step_hold (&w, c, &seed);
        }
      asc_ring_free (w.ring);
      free (w.stream);
    }
}

static void
size_is_rounded_up (void **state)
{
  (void)state;
  AscRing *ring = asc_ring_new (1000, 0);
  assert_int_equal (asc_ring_size (ring), 1024);
  asc_ring_free (ring);
  ring = asc_ring_new (4096, 0);
  assert_int_equal (asc_ring_size (ring), 4096);
  asc_ring_free (ring);
  ring = asc_ring_new (0, 0);
  assert_int_equal (asc_ring_size (ring), 64);
  asc_ring_free (ring);
  assert_null (asc_ring_new (SIZE_MAX, 0));
  asc_ring_free (NULL);
}

static void
a_holding_cursor_refuses_bytes (void **state)
{
  (void)state;
  uint8_t bytes[100] = { 1 };
  AscRing *ring = asc_ring_new (64, 5);
  int c = asc_ring_cursor_add (ring, true);
  assert_int_equal (asc_ring_wait_space (ring, 64, 0), ASC_RING_OK);
  assert_int_equal (asc_ring_write (ring, bytes, 100), 64);
  assert_int_equal (asc_ring_write (ring, bytes, 1), 0);
  assert_int_equal (asc_ring_wait_space (ring, 1, 0), ASC_RING_TIMEOUT);
  assert_int_equal (asc_ring_advance (ring, c, 65), ASC_RING_INVALID);
  assert_int_equal (asc_ring_advance (ring, c, 10), ASC_RING_OK);
  assert_int_equal (asc_ring_wait_space (ring, 10, 0), ASC_RING_OK);
  assert_int_equal (asc_ring_write (ring, bytes, 100), 10);
  assert_int_equal (asc_ring_seek (ring, c, 5), ASC_RING_BEHIND);
  assert_true (asc_ring_position (ring, c) == 15);
  asc_ring_free (ring);
}

static void
an_overrun_cursor_is_told_and_comes_back (void **state)
{
  (void)state;
  uint8_t bytes[100] = { 0 }, out[100];
  size_t n;
  AscRing *ring = asc_ring_new (64, 0);
  int c = asc_ring_cursor_add (ring, false);
  assert_int_equal (asc_ring_write (ring, bytes, 64), 64);
  assert_int_equal (asc_ring_read (ring, c, out, 1, &n), ASC_RING_OK);
  assert_int_equal (asc_ring_write (ring, bytes, 100), 100);
  assert_int_equal (asc_ring_wait (ring, c, 0), ASC_RING_OK);
  assert_int_equal (asc_ring_read (ring, c, out, 10, &n), ASC_RING_BEHIND);
  assert_int_equal (n, 0);
  assert_true (asc_ring_position (ring, c) == 1);
  assert_int_equal (asc_ring_set_holding (ring, c, true), ASC_RING_BEHIND);
  assert_int_equal (asc_ring_seek (ring, c, 99), ASC_RING_BEHIND);
  assert_int_equal (asc_ring_seek (ring, c, 100), ASC_RING_OK);
  assert_int_equal (asc_ring_read (ring, c, out, 100, &n), ASC_RING_OK);
  assert_int_equal (n, 64);
  asc_ring_free (ring);
}

static void
closing_lets_the_rest_be_read (void **state)
{
  (void)state;
  uint8_t out[8];
  const uint8_t *bytes;
  size_t n;
  AscRing *ring = asc_ring_new (64, 0);
  int reader = asc_ring_cursor_add (ring, false),
      holder = asc_ring_cursor_add (ring, true);
  asc_ring_write (ring, "abc", 3);
  asc_ring_close (ring);
  assert_int_equal (asc_ring_write (ring, "d", 1), 0);
  assert_int_equal (asc_ring_wait (ring, reader, -1), ASC_RING_OK);
  assert_int_equal (asc_ring_read (ring, reader, out, 8, &n), ASC_RING_OK);
  assert_int_equal (n, 3);
  assert_memory_equal (out, "abc", 3);
  assert_int_equal (asc_ring_read (ring, reader, out, 8, &n), ASC_RING_CLOSED);
  assert_int_equal (asc_ring_wait (ring, reader, -1), ASC_RING_CLOSED);
  assert_int_equal (asc_ring_peek (ring, holder, &bytes, &n), ASC_RING_OK);
  assert_int_equal (n, 3);
  asc_ring_advance (ring, holder, 3);
  assert_int_equal (asc_ring_peek (ring, holder, &bytes, &n), ASC_RING_CLOSED);
  assert_int_equal (asc_ring_wait_space (ring, 1, -1), ASC_RING_CLOSED);
  asc_ring_free (ring);
}

static void
a_wake_is_kept_until_the_next_wait (void **state)
{
  (void)state;
  AscRing *ring = asc_ring_new (64, 0);
  int a = asc_ring_cursor_add (ring, false), b = asc_ring_cursor_add (ring, true);
  asc_ring_wake (ring);
  assert_int_equal (asc_ring_wait (ring, a, -1), ASC_RING_WOKEN);
  assert_int_equal (asc_ring_wait (ring, a, 1), ASC_RING_TIMEOUT);
  assert_int_equal (asc_ring_wait (ring, b, -1), ASC_RING_WOKEN);
  assert_int_equal (asc_ring_wait (ring, b, 0), ASC_RING_TIMEOUT);
  assert_int_equal (asc_ring_wait_space (ring, 1, -1), ASC_RING_WOKEN);
  assert_int_equal (asc_ring_wait_space (ring, 1, -1), ASC_RING_OK);
  asc_ring_free (ring);
}

static void
cursors_are_few (void **state)
{
  (void)state;
  AscRing *ring = asc_ring_new (64, 0);
  for (int i = 0; i < ASC_RING_CURSORS; i++)
    assert_int_equal (asc_ring_cursor_add (ring, false), i);
  assert_int_equal (asc_ring_cursor_add (ring, false), ASC_RING_INVALID);
  asc_ring_cursor_remove (ring, 2);
  assert_int_equal (asc_ring_wait (ring, 2, 0), ASC_RING_INVALID);
  assert_int_equal (asc_ring_cursor_add (ring, false), 2);
  assert_int_equal (asc_ring_set_holding (ring, 99, true), ASC_RING_INVALID);
  asc_ring_free (ring);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (random_steps_agree_with_the_model),
  cmocka_unit_test (size_is_rounded_up),
  cmocka_unit_test (a_holding_cursor_refuses_bytes),
  cmocka_unit_test (an_overrun_cursor_is_told_and_comes_back),
  cmocka_unit_test (closing_lets_the_rest_be_read),
  cmocka_unit_test (a_wake_is_kept_until_the_next_wait),
  cmocka_unit_test (cursors_are_few),
};

ASC_TEST_MAIN (tests)
