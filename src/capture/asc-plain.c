#include "asc-plain.h"

#include "asc-crc.h"

#include <string.h>

/* What the deframer says comes in the order of the stream, and `passed` moves along with
 * it: bytes that were passed on early, while the deframer still holds them, are not
 * passed again when it decides.
 *
 * A damaged frame is taken out, or its bytes would be typed at a REPL tool, for which one
 * 04 among them ends a program's output. It must look like one of this session: so what
 * is no frame but happens to begin like one, in a binary file that the tool copies,
 * passes. */

/* A byte of the stream that is still at hand. */
static guint8
byte_at (const AscPlain *plain, guint64 offset)
{
  gsize at = (gsize)(offset - plain->base);
  return at < plain->n_before ? plain->before[at] : plain->piece[at - plain->n_before];
}

static void
pass (AscPlain *plain, guint64 from, guint64 to)
{
  from = MAX (from, plain->passed);
  if (from >= to)
    return;
  gsize first = (gsize)(from - plain->base), end = (gsize)(to - plain->base);
  plain->passed = to;
  if (first < plain->n_before)
    {
      gsize n = MIN (end, plain->n_before) - first;
      plain->emit (plain->user, plain->before + first, n);
      first += n;
    }
  if (first < end)
    plain->emit (plain->user, plain->piece + (first - plain->n_before), end - first);
}

static void
see_border (AscPlain *plain, guint64 offset)
{
  guint64 start = plain->base + plain->n_before;
  if (offset >= start)
    plain->border = MIN (plain->border, (gsize)(offset - start));
}

static void
on_frame (void *user, const AscFrame *frame)
{
  AscPlain *plain = user;
  plain->frames++;
  plain->session = frame->session;
  plain->passed = frame->offset + ASC_HEADER_SIZE + frame->length + ASC_CHECK_SIZE;
  see_border (plain, plain->passed);
}

static void
on_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  (void)bytes;
  pass (user, offset, offset + n);
  see_border (user, offset);
}

static bool
is_text (guint8 c)
{
  /* 04 ends the output of a program that a tool runs, 1B begins a colour. */
  return (c >= 0x20 && c < 0x7F) || (c >= 0x08 && c <= 0x0D) || c == 0x04 || c == 0x1B;
}

/* Bytes that follow this one in a character of UTF-8; 0 where none does. */
static gsize
followers (guint8 c)
{
  return c < 0xC2 || c >= 0xF5 ? 0 : c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
}

/* How many bytes at the end of a damaged stretch are text: what a board printed behind a
 * frame of which some bytes are missing. */
static gsize
text_at_end (const AscPlain *plain, guint64 offset, gsize n)
{
  gsize text = 0;
  gsize tail = 0; /* bytes of a character whose first one is not reached */
  while (text + tail < n)
    {
      guint8 c = byte_at (plain, offset + n - text - tail - 1);
      if (c >= 0x80 && c < 0xC0 && tail < 3)
        {
          tail++;
          continue;
        }
      /* The last character may go on behind the stretch. */
      bool cut = text == 0 && followers (c) > tail;
      if (!cut && (tail > 0 ? followers (c) != tail : !is_text (c)))
        break;
      text += tail + 1;
      tail = 0;
    }
  return text;
}

/* Where a frame begins whose header is right, its whole length, else 0. */
static gsize
frame_at (const AscPlain *plain, guint64 offset)
{
  guint8 header[ASC_HEADER_SIZE];
  if (offset + sizeof header > plain->base + plain->n_before + plain->n_piece)
    return 0;
  for (gsize i = 0; i < sizeof header; i++)
    header[i] = byte_at (plain, offset + i);
  if (header[0] != ASC_MARKER || asc_crc8 (header + 1, 6) != header[7])
    return 0;
  return ASC_HEADER_SIZE + (gsize)header[2] + ASC_CHECK_SIZE;
}

/* Whether such a header is one of this board's. */
static bool
believe (const AscPlain *plain, guint64 offset)
{
  return plain->frames > 0
         && (byte_at (plain, offset + 5) == plain->session
             || byte_at (plain, offset + 1) == ASC_FRAME_HELLO);
}

static void
leave_out (AscPlain *plain, guint64 to)
{
  if (to <= plain->passed)
    return;
  plain->left_out += to - plain->passed;
  plain->passed = to;
}

static void
on_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  AscPlain *plain = user;
  if (why == ASC_SKIP_CHECKSUM)
    {
      gsize length = frame_at (plain, offset);
      if (length && offset >= plain->extent_end)
        plain->believed = believe (plain, offset);
      if (length)
        plain->extent_end = MAX (plain->extent_end, offset + length);
      if (plain->believed)
        leave_out (plain, offset + n - text_at_end (plain, offset, n));
    }
  pass (plain, offset, offset + n);
}

static const AscDeframerSink sink
    = { .frame = on_frame, .text = on_text, .skip = on_skip };

void
asc_plain_init (AscPlain *plain, AscPlainEmit emit, void *user)
{
  memset (plain, 0, sizeof *plain);
  plain->emit = emit;
  plain->user = user;
  asc_deframer_init (&plain->deframer, &sink, plain, 0);
}

void
asc_plain_push (AscPlain *plain, const guint8 *bytes, gsize n, gint64 now_us)
{
  const guint8 *held;
  plain->piece = bytes;
  plain->n_piece = n;
  plain->pushed_us = now_us;
  plain->border = asc_deframer_at_boundary (&plain->deframer) ? 0 : n;
  asc_deframer_feed (&plain->deframer, bytes, n);
  gsize n_held = asc_deframer_pending (&plain->deframer, &held);
  guint64 held_at = plain->base + plain->n_before + n - n_held;
  /* Text waits for nothing, not even for the rest of a character. */
  const guint8 *marker = n_held ? memchr (held, ASC_MARKER, n_held) : NULL;
  pass (plain, held_at, held_at + (marker ? (gsize)(marker - held) : n_held));
  if (n_held)
    memcpy (plain->before, held, n_held);
  plain->base = held_at;
  plain->n_before = n_held;
  plain->piece = NULL;
  plain->n_piece = 0;
}

void
asc_plain_tick (AscPlain *plain, gint64 now_us)
{
  gint64 wait = plain->frames > 0 ? ASC_PLAIN_PATIENCE_US : ASC_PLAIN_WAIT_US;
  if (now_us - plain->pushed_us >= wait)
    pass (plain, plain->base, plain->base + plain->n_before);
}

void
asc_plain_break (AscPlain *plain)
{
  guint64 end = plain->base + plain->n_before;
  /* Of a header that is not whole, where frames come, it is the likelier. */
  bool begun = plain->n_before < ASC_HEADER_SIZE
                   ? plain->frames > 0 && plain->before[0] == ASC_MARKER
                   : frame_at (plain, plain->base) && believe (plain, plain->base);
  if (plain->n_before > 0 && begun)
    leave_out (plain, end);
  pass (plain, plain->base, end);
  asc_deframer_init (&plain->deframer, &sink, plain, end);
  plain->base = plain->extent_end = end;
  plain->n_before = 0;
}
