#include "asc-crc.h"

#include "asc-varint.h"

/* A CRC is linear: an entry of a table is the sum of the entries of its index's bits. So
 * the compiler makes the tables from eight constants each, and nothing has to be filled
 * in at run time or kept in step by hand. */
#define BIT(i, n, value) ((((i) >> (n)) & 1u) * (value))
#define ENTRY(i, a, b, c, d, e, f, g, h)                                                 \
  (BIT (i, 0, a) ^ BIT (i, 1, b) ^ BIT (i, 2, c) ^ BIT (i, 3, d) ^ BIT (i, 4, e)         \
   ^ BIT (i, 5, f) ^ BIT (i, 6, g) ^ BIT (i, 7, h))
#define ROW_4(i, ...)                                                                    \
  ENTRY (i, __VA_ARGS__), ENTRY (i + 1u, __VA_ARGS__), ENTRY (i + 2u, __VA_ARGS__),      \
      ENTRY (i + 3u, __VA_ARGS__)
#define ROW_16(i, ...)                                                                   \
  ROW_4 (i, __VA_ARGS__), ROW_4 (i + 4u, __VA_ARGS__), ROW_4 (i + 8u, __VA_ARGS__),      \
      ROW_4 (i + 12u, __VA_ARGS__)
#define ROW_64(i, ...)                                                                   \
  ROW_16 (i, __VA_ARGS__), ROW_16 (i + 16u, __VA_ARGS__), ROW_16 (i + 32u, __VA_ARGS__), \
      ROW_16 (i + 48u, __VA_ARGS__)
#define TABLE(...)                                                                       \
  {                                                                                      \
    ROW_64 (0u, __VA_ARGS__), ROW_64 (64u, __VA_ARGS__), ROW_64 (128u, __VA_ARGS__),     \
        ROW_64 (192u, __VA_ARGS__)                                                       \
  }

/* By the nibble: 14 steps for a header are little, and a board has better use for 240
 * bytes of flash. */
static const uint8_t crc8_table[16] = { 0x00, 0x07, 0x0E, 0x09, 0x1C, 0x1B, 0x12, 0x15,
                                        0x38, 0x3F, 0x36, 0x31, 0x24, 0x23, 0x2A, 0x2D };

uint8_t
asc_crc8 (const void *bytes, size_t n)
{
  const uint8_t *p = (const uint8_t *)bytes;
  unsigned crc = 0xFF;
  for (; n > 0; n--, p++)
    {
      crc ^= *p;
      crc = ((crc << 4) & 0xFFu) ^ crc8_table[crc >> 4];
      crc = ((crc << 4) & 0xFFu) ^ crc8_table[crc >> 4];
    }
  return (uint8_t)crc;
}

/* ASC_CRC_SMALL: 16 entries; ASC_CRC_BOARD, or a machine of less than 64 bits: 256. */
#if defined ASC_CRC_SMALL

static const uint32_t crc32_table[16]
    = { ROW_16 (0u, 0x1DB71064u, 0x3B6E20C8u, 0x76DC4190u, 0xEDB88320u, 0u, 0u, 0u, 0u) };

uint32_t
asc_crc32 (uint32_t crc, const void *bytes, size_t n)
{
  const uint8_t *p = (const uint8_t *)bytes;
  crc = ~crc;
  for (; n > 0; n--)
    {
      crc ^= *p++;
      crc = (crc >> 4) ^ crc32_table[crc & 15u];
      crc = (crc >> 4) ^ crc32_table[crc & 15u];
    }
  return ~crc;
}

#else

#define SLICE_0                                                                          \
  TABLE (0x77073096u, 0xEE0E612Cu, 0x076DC419u, 0x0EDB8832u, 0x1DB71064u, 0x3B6E20C8u,   \
         0x76DC4190u, 0xEDB88320u)

#if defined ASC_CRC_BOARD || SIZE_MAX <= 0xFFFFFFFFu

static const uint32_t crc32_table[256] = SLICE_0;

uint32_t
asc_crc32 (uint32_t crc, const void *bytes, size_t n)
{
  const uint8_t *p = (const uint8_t *)bytes;
  crc = ~crc;
  for (; n > 0; n--)
    crc = (crc >> 8) ^ crc32_table[(crc ^ *p++) & 0xFFu];
  return ~crc;
}

#else

/* Slices k: what an entry of slice 0 becomes after k more bytes of zero. */
static const uint32_t crc32_table[8][256] = { SLICE_0,
                                              TABLE (0x191B3141u,
                                                     0x32366282u,
                                                     0x646CC504u,
                                                     0xC8D98A08u,
                                                     0x4AC21251u,
                                                     0x958424A2u,
                                                     0xF0794F05u,
                                                     0x3B83984Bu),
                                              TABLE (0x01C26A37u,
                                                     0x0384D46Eu,
                                                     0x0709A8DCu,
                                                     0x0E1351B8u,
                                                     0x1C26A370u,
                                                     0x384D46E0u,
                                                     0x709A8DC0u,
                                                     0xE1351B80u),
                                              TABLE (0xB8BC6765u,
                                                     0xAA09C88Bu,
                                                     0x8F629757u,
                                                     0xC5B428EFu,
                                                     0x5019579Fu,
                                                     0xA032AF3Eu,
                                                     0x9B14583Du,
                                                     0xED59B63Bu),
                                              TABLE (0x3D6029B0u,
                                                     0x7AC05360u,
                                                     0xF580A6C0u,
                                                     0x30704BC1u,
                                                     0x60E09782u,
                                                     0xC1C12F04u,
                                                     0x58F35849u,
                                                     0xB1E6B092u),
                                              TABLE (0xCB5CD3A5u,
                                                     0x4DC8A10Bu,
                                                     0x9B914216u,
                                                     0xEC53826Du,
                                                     0x03D6029Bu,
                                                     0x07AC0536u,
                                                     0x0F580A6Cu,
                                                     0x1EB014D8u),
                                              TABLE (0xA6770BB4u,
                                                     0x979F1129u,
                                                     0xF44F2413u,
                                                     0x33EF4E67u,
                                                     0x67DE9CCEu,
                                                     0xCFBD399Cu,
                                                     0x440B7579u,
                                                     0x8816EAF2u),
                                              TABLE (0xCCAA009Eu,
                                                     0x4225077Du,
                                                     0x844A0EFAu,
                                                     0xD3E51BB5u,
                                                     0x7CBB312Bu,
                                                     0xF9766256u,
                                                     0x299DC2EDu,
                                                     0x533B85DAu) };

uint32_t
asc_crc32 (uint32_t crc, const void *bytes, size_t n)
{
  const uint8_t *p = (const uint8_t *)bytes;
  crc = ~crc;
  for (; n >= 8; n -= 8, p += 8)
    {
      uint32_t low = crc ^ asc_get_u32 (p);
      uint32_t high = asc_get_u32 (p + 4);
      crc = crc32_table[7][low & 0xFFu] ^ crc32_table[6][(low >> 8) & 0xFFu]
            ^ crc32_table[5][(low >> 16) & 0xFFu] ^ crc32_table[4][low >> 24]
            ^ crc32_table[3][high & 0xFFu] ^ crc32_table[2][(high >> 8) & 0xFFu]
            ^ crc32_table[1][(high >> 16) & 0xFFu] ^ crc32_table[0][high >> 24];
    }
  for (; n > 0; n--)
    crc = (crc >> 8) ^ crc32_table[0][(crc ^ *p++) & 0xFFu];
  return ~crc;
}

#endif
#endif
