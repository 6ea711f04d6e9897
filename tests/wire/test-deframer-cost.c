/* Hostile input costs linear time: the bytes that the checks read are counted. */
#include "asc-test.h"

#include "asc-crc.h"

static uint64_t n_crc8;
static uint64_t n_crc32;

static uint8_t
counted_crc8 (const void *bytes, size_t n)
{
  n_crc8 += n;
  return asc_crc8 (bytes, n);
}

static uint32_t
counted_crc32 (uint32_t crc, const void *bytes, size_t n)
{
  n_crc32 += n;
  return asc_crc32 (crc, bytes, n);
}

#define asc_crc8 counted_crc8
#define asc_crc32 counted_crc32
#undef skip /* of cmocka */
#include "asc-deframer.c"

#define SIZE 200000

static uint64_t n_told;

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  (void)user;
  (void)why;
  (void)offset;
  n_told += n;
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  (void)user;
  (void)bytes;
  (void)offset;
  n_told += n;
}

/* Feeds the bytes in pieces; returns the number of calls. */
static uint64_t
run (const uint8_t *bytes, size_t piece)
{
  static const AscDeframerSink sink = { .skip = on_skip, .text = on_text };
  AscDeframer deframer;
  uint64_t calls = 0;
  n_crc8 = n_crc32 = n_told = 0;
  asc_deframer_init (&deframer, &sink, NULL, 0);
  for (size_t at = 0; at < SIZE; at += piece, calls++)
    asc_deframer_feed (&deframer, bytes + at, piece < SIZE - at ? piece : SIZE - at);
  asc_deframer_finish (&deframer);
  assert_true (n_told == SIZE);
  return calls;
}

static void
check_cost (const uint8_t *bytes)
{
  uint64_t markers = 0;
  for (size_t i = 0; i < SIZE; i++)
    markers += bytes[i] == 0xF9;
  static const size_t pieces[] = { SIZE, 4096, 263, 1 };
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
    {
      uint64_t calls = run (bytes, pieces[i]);
      /* A call looks once more at the header that it waits behind; the direct path and
       * the end too. */
      assert_true (n_crc8 <= 6 * (markers + 2 * calls + 1));
      assert_true (n_crc32 <= 263 * markers);
    }
}

/* Headers one in the other, each with a right check and the longest frame. */
static void
right_headers_everywhere (void **state)
{
  (void)state;
  uint8_t *bytes = malloc (SIZE);
  for (size_t at = 0; at < SIZE; at += 8)
    {
      uint8_t header[8] = { 0xF9, 2, 255, (uint8_t)at, (uint8_t)(at >> 8), 1, 0 };
      header[7] = asc_crc8 (header + 1, 6);
      memcpy (bytes + at, header, 8);
    }
  check_cost (bytes);
  free (bytes);
}

static void
markers_everywhere (void **state)
{
  (void)state;
  uint8_t *bytes = malloc (SIZE);
  memset (bytes, 0xF9, SIZE);
  check_cost (bytes);
  for (size_t at = 1; at < SIZE; at += 2)
    bytes[at] = 0x01; /* like a HELLO */
  check_cost (bytes);
  free (bytes);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (right_headers_everywhere),
  cmocka_unit_test (markers_everywhere),
};

ASC_TEST_MAIN (tests)
