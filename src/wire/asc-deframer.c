#include "asc-deframer.h"

#include <string.h>

#include "asc-canary.h"
#include "asc-crc.h"
#include "asc-text.h"
#include "asc-varint.h"

/* One pass over what is there: asc_parse () takes bytes off the front as long as what
 * they are is certain, and the rest, less than a frame, is held until more comes. While
 * nothing is held the caller's bytes are parsed where they are. `recent[0]` counts how
 * much of a seven-bit canary the text ends with. */
#define SEVEN_BIT recent[0]

static void
skip (AscDeframer *deframer, AscSkip why, size_t n)
{
  if (deframer->sink->skip != NULL)
    deframer->sink->skip (deframer->user, why, deframer->offset, n);
  deframer->offset += n;
}

static void
name_mangling (AscDeframer *deframer, const uint8_t *p, size_t n)
{
  size_t at;
  unsigned how = asc_canary_change (p, n, &at);
  if (how != 0 && deframer->sink->mangled != NULL)
    deframer->sink->mangled (deframer->user, how, deframer->offset + at);
}

static void
give_frame (AscDeframer *deframer, const uint8_t *p)
{
  AscFrame frame = { .bytes = p,
                     .payload = p + ASC_HEADER_SIZE,
                     .offset = deframer->offset,
                     .sequence = asc_get_u16 (p + 3),
                     .type = p[1],
                     .length = p[2],
                     .session = p[5],
                     .context = p[6] };
  deframer->damaged = 0;
  if (deframer->sink->frame != NULL)
    deframer->sink->frame (deframer->user, &frame);
  deframer->offset += ASC_HEADER_SIZE + (size_t)frame.length + ASC_CHECK_SIZE;
}

/* A line that clears bit 7 leaves no marker; its HELLOs are known by their canary. */
static void
watch_seven_bit (AscDeframer *deframer, const uint8_t *p, size_t n, uint64_t offset)
{
  unsigned matched = deframer->SEVEN_BIT;
  for (size_t i = 0; i < n; i++)
    {
      matched = asc_canary_match (matched, p[i]);
      if (matched < 8)
        continue;
      matched = 0;
      if (deframer->sink->mangled != NULL)
        deframer->sink->mangled (deframer->user, ASC_MANGLED_7BIT, offset + i - 7);
    }
  deframer->SEVEN_BIT = (uint8_t)matched;
}

/* Takes text and noise up to the next marker; returns the bytes taken. */
static size_t
take_text (AscDeframer *deframer, const uint8_t *p, size_t n, bool final)
{
  const uint8_t *marker = memchr (p, ASC_MARKER, n);
  size_t end = marker != NULL ? (size_t)(marker - p) : n;
  bool whole = final || marker != NULL;
  size_t taken = 0;
  while (taken < end)
    {
      size_t run = asc_text_run (p + taken, end - taken);
      if (run > 0)
        {
          /* Of text, only the last two bytes can matter. */
          size_t last = run > 2 ? run - 2 : 0;
          if (last > 0)
            deframer->SEVEN_BIT = 0;
          watch_seven_bit (deframer, p + taken + last, run - last,
                           deframer->offset + last);
          if (deframer->sink->text != NULL)
            deframer->sink->text (deframer->user, p + taken, run, deframer->offset);
          deframer->offset += run;
          taken += run;
          continue;
        }
      run = asc_noise_run (p + taken, end - taken, whole);
      if (run == 0)
        break;
      watch_seven_bit (deframer, p + taken, run, deframer->offset);
      skip (deframer, ASC_SKIP_NOISE, run);
      taken += run;
    }
  return taken;
}

/* Skips a byte that is no frame's start, and what of a damaged extent follows it. */
static size_t
take_damaged (AscDeframer *deframer, const uint8_t *p, size_t n, AscSkip why)
{
  size_t most = deframer->damaged < n ? deframer->damaged : n;
  const uint8_t *marker = memchr (p + 1, ASC_MARKER, most - 1);
  size_t run = marker != NULL ? (size_t)(marker - p) : most;
  deframer->damaged -= run;
  skip (deframer, why, run);
  return run;
}

typedef enum
{
  FRAME_RIGHT,
  FRAME_HEADER, /* the header check fails */
  FRAME_CHECK,  /* the CRC-32 fails */
  FRAME_MORE    /* undecided */
} FrameState;

static FrameState
look_at (const uint8_t *p, size_t n)
{
  if (n < ASC_HEADER_SIZE)
    return FRAME_MORE;
  if (asc_crc8 (p + 1, 6) != p[7])
    return FRAME_HEADER;
  size_t check_at = ASC_HEADER_SIZE + (size_t)p[2];
  if (n < check_at + ASC_CHECK_SIZE)
    return FRAME_MORE;
  return asc_crc32 (0, p, check_at) == asc_get_u32 (p + check_at) ? FRAME_RIGHT
                                                                  : FRAME_CHECK;
}

/* A marker where no right frame begins. Returns the bytes taken. */
static size_t
take_false_start (AscDeframer *deframer,
                  const uint8_t *p,
                  size_t n,
                  FrameState state,
                  AscSkip *why)
{
  size_t extent = 1;
  name_mangling (deframer, p, n);
  if (state == FRAME_HEADER && deframer->damaged == 0)
    {
      skip (deframer, ASC_SKIP_HEADER, 1);
      return 1;
    }
  if (state == FRAME_CHECK)
    extent = ASC_HEADER_SIZE + (size_t)p[2] + ASC_CHECK_SIZE;
  else if (state == FRAME_MORE)
    extent = n;
  if (deframer->damaged == 0)
    *why = state == FRAME_MORE ? ASC_SKIP_CUT : ASC_SKIP_CHECKSUM;
  if (deframer->damaged < extent)
    deframer->damaged = extent;
  return take_damaged (deframer, p, n, *why);
}

/* Takes what is certain off the front of p; with final, everything. Returns bytes taken.
 */
static size_t
parse (AscDeframer *deframer, const uint8_t *p, size_t n, bool final)
{
  size_t at = 0;
  AscSkip why = ASC_SKIP_CHECKSUM; /* of the extent that is open */
  while (at < n)
    {
      const uint8_t *here = p + at;
      size_t left = n - at;
      if (*here != ASC_MARKER)
        {
          size_t taken = deframer->damaged > 0 ? take_damaged (deframer, here, left, why)
                                               : take_text (deframer, here, left, final);
          if (taken == 0)
            break;
          at += taken;
          continue;
        }
      deframer->SEVEN_BIT = 0;
      FrameState state = look_at (here, left);
      if (state == FRAME_RIGHT)
        {
          give_frame (deframer, here);
          at += ASC_HEADER_SIZE + (size_t)here[2] + ASC_CHECK_SIZE;
          continue;
        }
      /* What begins like a HELLO is looked at for a changed canary. */
      bool more
          = state == FRAME_MORE || (left < ASC_CANARY_LOOK && here[1] == ASC_FRAME_HELLO);
      if (more && !final)
        break;
      at += take_false_start (deframer, here, left, state, &why);
    }
  return at;
}

void
asc_deframer_init (AscDeframer *deframer,
                   const AscDeframerSink *sink,
                   void *user,
                   uint64_t offset)
{
  memset (deframer, 0, sizeof *deframer);
  deframer->sink = sink;
  deframer->user = user;
  deframer->offset = offset;
}

void
asc_deframer_feed (AscDeframer *deframer, const void *bytes, size_t n)
{
  const uint8_t *p = bytes;
  size_t old = deframer->n_held;
  if (n == 0)
    return;
  if (old > 0)
    {
      /* A frame's worth settles whatever the held bytes can be. */
      size_t more = n < ASC_FRAME_MAX ? n : ASC_FRAME_MAX;
      memcpy (deframer->held + old, p, more);
      size_t taken = parse (deframer, deframer->held, old + more, false);
      if (taken < old)
        {
          deframer->n_held = old + more - taken;
          if (taken > 0)
            memmove (deframer->held, deframer->held + taken, deframer->n_held);
          return;
        }
      deframer->n_held = 0;
      p += taken - old;
      n -= taken - old;
    }
  size_t taken = parse (deframer, p, n, false);
  deframer->n_held = n - taken;
  memcpy (deframer->held, p + taken, deframer->n_held);
}

void
asc_deframer_finish (AscDeframer *deframer)
{
  size_t n = deframer->n_held;
  deframer->n_held = 0;
  parse (deframer, deframer->held, n, true);
  deframer->damaged = 0;
}

size_t
asc_deframer_pending (const AscDeframer *deframer, const uint8_t **bytes)
{
  *bytes = deframer->held;
  return deframer->n_held;
}

bool
asc_deframer_at_boundary (const AscDeframer *deframer)
{
  return deframer->n_held == 0 && deframer->damaged == 0;
}
