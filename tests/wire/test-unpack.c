/* Unpacking against a reader written from the text's table, on hostile payloads. */
#include "asc-test.h"

#include <string.h>

#include "asc-encoder.h"
#include "asc-unpack.h"
#include "asc-varint.h"

/* The plain reader: position, and whether a rule was broken. */
typedef struct
{
  const uint8_t *p;
  size_t n;
  size_t at;
  bool bad;
} Plain;

static uint64_t
plain_varint (Plain *plain, uint64_t most)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < 10 && plain->at < plain->n; i++)
    {
      uint8_t b = plain->p[plain->at++];
      if (i == 9 && b > 1)
        break;
      value |= (uint64_t)(b & 0x7F) << (7 * i);
      if (b & 0x80)
        continue;
      if (value > most)
        plain->bad = true;
      return (uint64_t)value;
    }
  plain->bad = true;
  return 0;
}

/* Kind, ticks and end of each event only; the fields are the round trip's matter. */
static int
plain_unpack (const uint8_t *p, size_t n, uint8_t *kinds, uint64_t *begins, uint64_t *sum)
{
  static const uint8_t delta_kinds[8]
      = { ASC_EVENT_EXIT,   ASC_EVENT_EXIT,    ASC_EVENT_EXIT,    ASC_EVENT_GC_BEGIN,
          ASC_EVENT_GC_END, ASC_EVENT_UNKNOWN, ASC_EVENT_UNKNOWN, ASC_EVENT_UNKNOWN };
  static const uint8_t one_kinds[8]
      = { ASC_EVENT_ENTER, ASC_EVENT_SPAN_END, ASC_EVENT_LEVEL,   ASC_EVENT_DRAIN,
          ASC_EVENT_MARK,  ASC_EVENT_UNKNOWN,  ASC_EVENT_UNKNOWN, ASC_EVENT_UNKNOWN };
  static const uint8_t two_kinds[8]
      = { ASC_EVENT_ENTER,   ASC_EVENT_IDLE, ASC_EVENT_SPAN_BEGIN, ASC_EVENT_MARK,
          ASC_EVENT_COUNTER, ASC_EVENT_END,  ASC_EVENT_LOST,       ASC_EVENT_RENAME };
  static const uint64_t one_most[8] = { 65535, UINT32_MAX, 131071,     ASC_TICKS_MASK,
                                        65535, UINT64_MAX, UINT64_MAX, UINT64_MAX };
  static const uint64_t two_most[8][2]
      = { { 65535, UINT64_MAX },          { UINT32_MAX, ASC_TICKS_MASK },
          { UINT32_MAX, 65535 },          { 65535, UINT64_MAX },
          { 65535, UINT64_MAX },          { 65535, UINT32_MAX },
          { ASC_TICKS_MASK, UINT32_MAX }, { 65535, 65535 } };
  static const uint64_t start_most[5] = { 65535, UINT32_MAX, 65535, 65536, UINT32_MAX };
  Plain plain = { p, n, 13, n < 13 };
  if (plain.bad || p[12] > 8)
    return -1;
  int depth = p[12];
  for (int i = 0; i < depth; i++)
    plain_varint (&plain, 65535);
  uint64_t base = asc_get_u48 (p);
  uint64_t now = base;
  int events = 0;
  bool ended = false;
  *sum = 0;
  while (plain.at < n && !plain.bad)
    {
      unsigned tag;
      uint64_t length = 0;
      uint8_t kind;
      if (ended)
        return -1;
      if (depth == 0 && p[plain.at] < 0xC0)
        {
          plain.at++;
          uint64_t w = plain_varint (&plain, UINT64_MAX);
          if (w >> 1 > ASC_TICKS_MASK)
            return -1;
          if (w & 1)
            plain_varint (&plain, UINT64_MAX);
          depth++;
          now += w >> 1;
          kinds[events] = ASC_EVENT_ENTER;
          begins[events++] = now;
          continue;
        }
      if (depth == 0)
        tag = p[plain.at++] - 0xC0u;
      else
        {
          uint64_t w = plain_varint (&plain, UINT64_MAX);
          if (w & 1)
            {
              if (w >> 1 >= 64)
                return -1;
              tag = (unsigned)(w >> 1);
            }
          else
            {
              if (w >> 1 > ASC_TICKS_MASK)
                return -1;
              depth--;
              now += w >> 1;
              kinds[events] = ASC_EVENT_EXIT;
              begins[events++] = now;
              continue;
            }
        }
      if (tag < 32)
        {
          kind = ASC_EVENT_IDLE;
          now += tag & 15;
          length = plain_varint (&plain, ASC_TICKS_MASK);
        }
      else
        {
          now += plain_varint (&plain, ASC_TICKS_MASK);
          unsigned i = tag & 7;
          uint64_t a = 0;
          if (tag < 0x28)
            kind = delta_kinds[i];
          else if (tag < 0x30)
            {
              kind = one_kinds[i];
              a = plain_varint (&plain, one_most[i]);
              length = kind == ASC_EVENT_DRAIN ? a : 0;
            }
          else if (tag < 0x38)
            {
              kind = two_kinds[i];
              a = plain_varint (&plain, two_most[i][0]);
              uint64_t b = plain_varint (&plain, two_most[i][1]);
              length = kind == ASC_EVENT_IDLE ? b : kind == ASC_EVENT_LOST ? a : 0;
              *sum += kind == ASC_EVENT_LOST ? b - 1 : 0;
            }
          else
            {
              a = plain_varint (&plain, UINT64_MAX);
              if (plain.bad || a > n - plain.at)
                return -1;
              Plain inner = { p, plain.at + a, plain.at, false };
              plain.at += a;
              kind = i == 0   ? ASC_EVENT_START
                     : i == 1 ? ASC_EVENT_TEXT
                     : i == 2 ? ASC_EVENT_DISCONTINUITY
                              : ASC_EVENT_UNKNOWN;
              if (i == 0)
                for (int k = 0; k < 5; k++)
                  plain_varint (&inner, start_most[k]);
              if (i == 2)
                {
                  plain_varint (&inner, UINT32_MAX);
                  plain_varint (&inner, UINT64_MAX);
                }
              if (inner.bad)
                return -1;
            }
          depth += kind == ASC_EVENT_ENTER ? 1 : kind == ASC_EVENT_EXIT ? -1 : 0;
        }
      if (depth < 0 || depth > 8 || plain.bad)
        return -1;
      ended = kind == ASC_EVENT_LOST || kind == ASC_EVENT_DISCONTINUITY;
      kinds[events] = kind;
      begins[events++] = now;
      now += length;
    }
  if (plain.bad || now - base >= (uint64_t)1 << 47)
    return -1;
  *sum += (unsigned)events;
  return events;
}

static void
compare (const uint8_t *payload, size_t n, unsigned *right)
{
  /* A copy of the frame's size, so that a sanitizer sees a step over its end. */
  uint8_t *copy = malloc (n + 12);
  AscEventsInfo info;
  AscEvent events[ASC_FRAME_EVENTS_MAX];
  uint8_t kinds[ASC_PAYLOAD_MAX];
  uint64_t begins[ASC_PAYLOAD_MAX];
  uint64_t sum;
  asc_encode_frame (copy, ASC_FRAME_EVENTS, 0, 0, 0, payload, (uint8_t)n);
  AscFrame frame = { .bytes = copy, .payload = copy + 8, .length = (uint8_t)n };
  int expected = plain_unpack (payload, n, kinds, begins, &sum);
  int got = asc_unpack_events (&frame, &info, events);
  assert_int_equal (got, expected);
  for (int i = 0; i < got; i++)
    {
      assert_int_equal (events[i].kind, kinds[i]);
      assert_true (events[i].ticks == begins[i]);
    }
  if (got >= 0)
    assert_true (info.n_counted == (uint32_t)sum);
  *right += got > 0;
  free (copy);
}

/* Bytes that often are events, so that payloads get far before they break a rule. */
static size_t
random_payload (uint32_t *random, uint8_t *out)
{
  size_t n = 13 + asc_test_random (random) % 60;
  unsigned style = asc_test_random (random) % 4;
  if (asc_test_random (random) % 8 == 0)
    n = 200 + asc_test_random (random) % 56;
  for (size_t i = 0; i < n; i++)
    {
      uint32_t r = asc_test_random (random) >> 7;
      out[i] = (uint8_t)(style == 0   ? r
                         : style == 1 ? r % 128
                         : style == 2 ? (r & 256 ? r % 64 * 2 : r % 8)
                                      : (r & 256 ? 0xC0 + r % 64 : r % 16));
    }
  out[5] &= 0x7F;
  out[12] = (uint8_t)(asc_test_random (random) % 3 ? 0 : asc_test_random (random) % 10);
  return n;
}

static void
hostile_payloads (void **state)
{
  (void)state;
  uint32_t random = asc_test_seed ();
  uint8_t payload[ASC_PAYLOAD_MAX];
  unsigned right = 0;
  for (int i = 0; i < 60000; i++)
    {
      size_t n = random_payload (&random, payload);
      compare (payload, n, &right);
    }
  assert_true (right > 1000);
}

/* Good frames of runs, with one byte changed, or cut: the fast path's edges. */
static void
damaged_runs (void **state)
{
  (void)state;
  uint32_t random = asc_test_seed () * 7;
  unsigned right = 0;
  for (int round = 0; round < 20000; round++)
    {
      uint8_t frame[ASC_FRAME_MAX];
      AscEncoder encoder;
      AscEvent event = { .ticks = 1000 };
      asc_encoder_init (&encoder, frame, 0);
      do
        {
          event.kind = encoder.depth == 0 ? ASC_EVENT_ENTER : ASC_EVENT_EXIT;
          event.id = encoder.depth == 0 ? asc_test_random (&random) % 190 : 0;
          event.ticks += asc_test_random (&random) >> (asc_test_random (&random) % 32);
        }
      while (asc_encoder_event (&encoder, &event) == 1);
      size_t n = encoder.length - ASC_HEADER_SIZE;
      uint8_t *payload = frame + ASC_HEADER_SIZE;
      memset (payload + 6, 0, 6);
      if (round % 3 == 1)
        payload[12 + asc_test_random (&random) % (n - 12)] ^= (uint8_t)(1u << round % 8);
      else if (round % 3 == 2)
        n = 13 + asc_test_random (&random) % (n - 13);
      compare (payload, n, &right);
    }
  assert_true (right > 5000);
}

static void
varints (void **state)
{
  (void)state;
  static const uint64_t values[] = {
    0,         1, 127, 128, 16383, 16384, UINT32_MAX, (uint64_t)1 << 32, UINT64_MAX >> 1,
    UINT64_MAX
  };
  uint8_t bytes[ASC_VARINT_MAX];
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    {
      uint64_t got;
      const uint8_t *end = asc_varint_put (bytes, values[i]);
      assert_int_equal (end - bytes, asc_varint_size (values[i]));
      assert_ptr_equal (asc_varint_get (bytes, end, &got), end);
      assert_true (got == values[i]);
      assert_null (asc_varint_get (bytes, end - 1, &got));
      int64_t v = (int64_t)(values[i] / 2);
      assert_true (asc_unzigzag (asc_zigzag (v)) == v);
      assert_true (asc_unzigzag (asc_zigzag (-v - 1)) == -v - 1);
    }
  assert_true (asc_zigzag (0) == 0 && asc_zigzag (-1) == 1 && asc_zigzag (1) == 2);
  static const uint8_t large[10] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 };
  static const uint8_t wide[11] = { 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0 };
  static const uint8_t loose[3] = { 128, 128, 0 };
  uint64_t got;
  assert_null (asc_varint_get (large, large + 10, &got));
  assert_null (asc_varint_get (wide, wide + 11, &got));
  assert_ptr_equal (asc_varint_get (loose, loose + 3, &got), loose + 3);
  assert_true (got == 0);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (hostile_payloads),
  cmocka_unit_test (damaged_runs),
  cmocka_unit_test (varints),
};

ASC_TEST_MAIN (tests)
