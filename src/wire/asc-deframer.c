#include "asc-deframer.h"

#include <string.h>

#include "asc-crc.h"
#include "asc-text.h"
#include "asc-varint.h"

/* One pass over what is there: asc_parse () takes bytes off the front as long as what
 * they are is certain, and the rest, less than a frame, is held until more comes. While
 * nothing is held the caller's bytes are parsed where they are. `recent[0]` counts how
 * much of a seven-bit canary the text ends with. */
#define SEVEN_BIT recent[0]

static const uint8_t seven_bit_canary[8]
    = { 0x0A, 0x0D, 0x03, 0x04, 0x11, 0x13, 0x00, 0x7F };

static void
skip (AscDeframer *deframer, AscSkip why, size_t n)
{
  if (deframer->sink->skip != NULL)
    deframer->sink->skip (deframer->user, why, deframer->offset, n);
  deframer->offset += n;
}

/* How the canary at the start of a HELLO was changed; 0: not by a terminal driver. */
static unsigned
canary_change (const uint8_t *p, size_t n)
{
  static const struct
  {
    uint8_t byte;
    uint8_t how;
  } may_miss[] = { { 0x03, ASC_MANGLED_SIGNALS }, { 0x04, ASC_MANGLED_SIGNALS },
                   { 0x11, ASC_MANGLED_XON },     { 0x13, ASC_MANGLED_XON },
                   { 0x00, ASC_MANGLED_NUL },     { 0xFF, ASC_MANGLED_PARMRK } };
  unsigned how = 0;
  size_t at = 0;
  if (n < 14)
    return 0;
  if (p[0] == 0x0A && p[1] == 0x0A && p[2] == 0x0A)
    {
      how = ASC_MANGLED_ONLCR | ASC_MANGLED_ICRNL;
      at = 3;
    }
  else
    {
      if (p[0] == 0x0D && p[1] == 0x0A)
        {
          how = ASC_MANGLED_ONLCR;
          at = 2;
        }
      else if (p[0] == 0x0A)
        at = 1;
      else
        return 0;
      if (p[at] == 0x0A)
        how |= ASC_MANGLED_ICRNL;
      else if (p[at] != 0x0D)
        return 0;
      at++;
    }
  for (size_t i = 0; i < sizeof may_miss / sizeof *may_miss; i++)
    if (p[at] == may_miss[i].byte)
      at++;
    else
      how |= may_miss[i].how;
  if (p[at - 1] == 0xFF && p[at] == 0xFF)
    {
      how |= ASC_MANGLED_PARMRK;
      at++;
    }
  /* One of the last two must be left, and versions must follow, or this is damage. */
  bool likely = p[at - 1] == 0xFF || p[at - 1] == 0x00;
  return likely && p[at] >= 1 && p[at] <= 0x1F && p[at + 1] >= 1 && p[at + 1] <= p[at]
             ? how
             : 0;
}

static void
name_mangling (AscDeframer *deframer, const uint8_t *frame)
{
  if (frame[1] != ASC_FRAME_HELLO || deframer->sink->mangled == NULL)
    return;
  unsigned how = canary_change (frame + ASC_HEADER_SIZE, frame[2]);
  if (how != 0)
    deframer->sink->mangled (deframer->user, how, deframer->offset + ASC_HEADER_SIZE);
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
watch_seven_bit (AscDeframer *deframer, const uint8_t *p, size_t n)
{
  unsigned matched = deframer->SEVEN_BIT;
  for (size_t i = 0; i < n; i++)
    {
      if (p[i] != seven_bit_canary[matched])
        matched = 0;
      if (p[i] == seven_bit_canary[matched])
        matched++;
      if (matched < sizeof seven_bit_canary)
        continue;
      matched = 0;
      if (deframer->sink->mangled != NULL)
        deframer->sink->mangled (deframer->user, ASC_MANGLED_7BIT,
                                 deframer->offset + i + 1 - sizeof seven_bit_canary);
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
          deframer->offset += last;
          watch_seven_bit (deframer, p + taken + last, run - last);
          deframer->offset -= last;
          if (deframer->sink->text != NULL)
            deframer->sink->text (deframer->user, p + taken, run, deframer->offset);
          deframer->offset += run;
          taken += run;
          continue;
        }
      run = asc_noise_run (p + taken, end - taken, whole);
      if (run == 0)
        break;
      watch_seven_bit (deframer, p + taken, run);
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
      size_t taken;
      size_t extent;
      if (*here != ASC_MARKER)
        {
          if (deframer->damaged > 0)
            at += take_damaged (deframer, here, left, why);
          else if ((taken = take_text (deframer, here, left, final)) > 0)
            at += taken;
          else
            break;
          continue;
        }
      deframer->SEVEN_BIT = 0;
      FrameState state = look_at (here, left);
      if (state == FRAME_MORE && !final)
        break;
      switch (state)
        {
        case FRAME_RIGHT:
          why = ASC_SKIP_CHECKSUM;
          give_frame (deframer, here);
          at += ASC_HEADER_SIZE + (size_t)here[2] + ASC_CHECK_SIZE;
          break;
        case FRAME_HEADER:
          if (deframer->damaged > 0)
            at += take_damaged (deframer, here, left, why);
          else
            {
              skip (deframer, ASC_SKIP_HEADER, 1);
              at++;
            }
          break;
        case FRAME_CHECK:
        case FRAME_MORE:
          extent = ASC_HEADER_SIZE + (size_t)here[2] + ASC_CHECK_SIZE;
          if (state == FRAME_MORE)
            extent = left;
          else
            name_mangling (deframer, here);
          if (deframer->damaged == 0)
            why = state == FRAME_MORE ? ASC_SKIP_CUT : ASC_SKIP_CHECKSUM;
          if (deframer->damaged < extent)
            deframer->damaged = extent;
          at += take_damaged (deframer, here, left, why);
          break;
        }
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
