#include "asc-canary.h"

#include "asc-deframer.h"

#define CANARY 0x0A, 0x0D, 0x03, 0x04, 0x11, 0x13, 0x00
const uint8_t asc_canary[ASC_CANARY_SIZE] = { CANARY, 0xFF };

/* The header before it may have lost or won some bytes as well. */
#define FIRST_PLACE 5
#define LAST_PLACE 12

/* The last six bytes of the canary, any of which may be missing. */
static const uint8_t tail_how[6]
    = { ASC_MANGLED_SIGNALS, ASC_MANGLED_SIGNALS, ASC_MANGLED_XON,
        ASC_MANGLED_XON,     ASC_MANGLED_NUL,     ASC_MANGLED_PARMRK };

/* The canary's first two bytes; returns how many bytes they have become, 0: not these. */
static size_t
match_ends_of_line (const uint8_t *p, unsigned *how)
{
  if (p[0] == 0x0A && p[1] == 0x0A && p[2] == 0x0A)
    {
      *how = ASC_MANGLED_ONLCR | ASC_MANGLED_ICRNL;
      return 3;
    }
  size_t first = p[0] == 0x0D && p[1] == 0x0A ? 2 : p[0] == 0x0A ? 1 : 0;
  if (first == 0 || (p[first] != 0x0A && p[first] != 0x0D))
    return 0;
  *how = (first == 2 ? ASC_MANGLED_ONLCR : 0u)
         | (p[first] == 0x0A ? ASC_MANGLED_ICRNL : 0u);
  return first + 1;
}

/* p holds 12 bytes. */
static bool
match (const uint8_t *p, unsigned *how)
{
  unsigned missing = 0;
  size_t at = match_ends_of_line (p, how);
  if (at == 0)
    return false;
  for (unsigned i = 0; i < sizeof tail_how; i++)
    if (p[at] == asc_canary[i + 2])
      at++;
    else
      {
        *how |= tail_how[i];
        missing++;
      }
  /* Both of the last two missing, or no versions behind them: that is damage. */
  if (missing > 4 || (p[at - 1] != 0x00 && p[at - 1] != 0xFF))
    return false;
  if (p[at - 1] == 0xFF && p[at] == 0xFF)
    {
      *how |= ASC_MANGLED_PARMRK;
      at++;
    }
  return p[at] >= 1 && p[at] <= 0x1F && p[at + 1] >= 1 && p[at + 1] <= p[at];
}

unsigned
asc_canary_change (const uint8_t *p, size_t n, size_t *at)
{
  if (n < ASC_CANARY_LOOK || p[1] != ASC_FRAME_HELLO)
    return 0;
  for (size_t place = FIRST_PLACE; place <= LAST_PLACE; place++)
    {
      unsigned how = 0;
      if (!match (p + place, &how))
        continue;
      *at = place;
      return how;
    }
  return 0;
}

unsigned
asc_canary_match (unsigned matched, uint8_t b)
{
  static const uint8_t seven_bit[ASC_CANARY_SIZE] = { CANARY, 0x7F };
  if (b != seven_bit[matched])
    matched = 0;
  return b == seven_bit[matched] ? matched + 1 : matched;
}
