#include "asc-text.h"

static bool
is_plain (uint8_t b)
{
  return (b >= 0x20 && b < 0x7F) || (b >= 0x07 && b <= 0x0A) || b == 0x0D || b == 0x1B;
}

/* Bytes of the character at p: 0 none, -1 cannot be told from n bytes. */
static int
character (const uint8_t *p, size_t n)
{
  uint8_t lead = p[0];
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  int size;
  if (lead < 0x80)
    return is_plain (lead) ? 1 : 0;
  if (lead >= 0xC2 && lead <= 0xDF)
    size = 2;
  else if (lead >= 0xE0 && lead <= 0xEF)
    size = 3;
  else if (lead >= 0xF0 && lead <= 0xF4)
    size = 4;
  else
    return 0;
  /* No long forms, no surrogates, nothing past U+10FFFF, no C1 controls. */
  if (lead == 0xC2 || lead == 0xE0)
    low = 0xA0;
  else if (lead == 0xED)
    high = 0x9F;
  else if (lead == 0xF0)
    low = 0x90;
  else if (lead == 0xF4)
    high = 0x8F;
  for (int i = 1; i < size; i++)
    {
      if ((size_t)i >= n)
        return -1;
      if (p[i] < low || p[i] > high)
        return 0;
      low = 0x80;
      high = 0xBF;
    }
  return size;
}

size_t
asc_text_run (const uint8_t *p, size_t n)
{
  size_t at = 0;
  while (at < n)
    {
      int size = character (p + at, n - at);
      if (size <= 0)
        break;
      at += (size_t)size;
    }
  return at;
}

size_t
asc_noise_run (const uint8_t *p, size_t n, bool whole)
{
  size_t at = 0;
  while (at < n)
    {
      int size = character (p + at, n - at);
      if (size > 0 || (size < 0 && !whole))
        break;
      at++;
    }
  return at;
}
