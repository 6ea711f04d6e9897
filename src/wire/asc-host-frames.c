#include "asc-host-frames.h"

#include "asc-encoder.h"
#include "asc-frames.h"
#include "asc-varint.h"

/* Fixed bytes of each payload, the length bytes of its strings included. */
#define FILE_SIZE 19
#define ANCHOR_SIZE 32
#define LINK_SIZE 26
#define CUT_SIZE 37
#define MARK_SIZE 35
#define MARK_REMOVED 0x01u

static size_t
end_frame (uint8_t *out, const uint8_t *end, AscFrameType type, uint16_t sequence)
{
  uint8_t *payload = out + ASC_HEADER_SIZE;
  return asc_encode_frame (out, (uint8_t)type, sequence, 0, 0, payload,
                           (uint8_t)(end - payload));
}

/* Two strings into `room` bytes, length bytes apart: the longer one is cut. */
static uint8_t *
put_two_strings (uint8_t *p, AscString a, AscString b, size_t room)
{
  size_t half = room / 2;
  size_t most_a = room - (b.length < half ? b.length : half);
  uint8_t *end = asc_put_string (p, a, most_a);
  return asc_put_string (end, b, room - (size_t)(end - p - 1));
}

size_t
asc_encode_file_head (uint8_t *out, const AscFileHead *head)
{
  uint8_t *p = asc_put_u64 (out + ASC_HEADER_SIZE, head->nonce);
  *p++ = head->version;
  p = asc_put_u64 (p, (uint64_t)head->created_ns);
  p = put_two_strings (p, head->source, head->writer, ASC_PAYLOAD_MAX - FILE_SIZE);
  return end_frame (out, p, ASC_FRAME_FILE, 0);
}

size_t
asc_encode_anchor (uint8_t *out,
                   uint64_t nonce,
                   uint16_t sequence,
                   const AscAnchor *anchor)
{
  uint8_t *p = asc_put_u64 (out + ASC_HEADER_SIZE, nonce);
  p = asc_put_u64 (p, (uint64_t)anchor->wall_ns);
  p = asc_put_u64 (p, (uint64_t)anchor->boottime_ns);
  p = asc_put_u64 (p, anchor->wire_offset);
  return end_frame (out, p, ASC_FRAME_ANCHOR, sequence);
}

size_t
asc_encode_link (uint8_t *out, uint64_t nonce, uint16_t sequence, const AscLink *link)
{
  uint8_t *p = asc_put_u64 (out + ASC_HEADER_SIZE, nonce);
  *p++ = (uint8_t)link->change;
  p = asc_put_u64 (p, (uint64_t)link->wall_ns);
  p = asc_put_u64 (p, (uint64_t)link->boottime_ns);
  p = asc_put_string (p, link->text, ASC_PAYLOAD_MAX - LINK_SIZE);
  return end_frame (out, p, ASC_FRAME_LINK, sequence);
}

size_t
asc_encode_cut (uint8_t *out, uint64_t nonce, uint16_t sequence, const AscCut *cut)
{
  uint8_t *p = asc_put_u64 (out + ASC_HEADER_SIZE, nonce);
  *p++ = (uint8_t)cut->reason;
  p = asc_put_u32 (p, cut->session_id);
  p = asc_put_u64 (p, cut->from);
  p = asc_put_u64 (p, cut->to);
  p = asc_put_u64 (p, cut->bytes);
  return end_frame (out, p, ASC_FRAME_CUT, sequence);
}

size_t
asc_encode_user_mark (uint8_t *out,
                      uint64_t nonce,
                      uint16_t sequence,
                      const AscUserMark *mark)
{
  uint8_t *p = asc_put_u64 (out + ASC_HEADER_SIZE, nonce);
  p = asc_put_u32 (p, mark->id);
  p = asc_put_u32 (p, mark->session_id);
  p = asc_put_u64 (p, mark->from);
  p = asc_put_u64 (p, mark->to);
  *p++ = mark->removed ? MARK_REMOVED : 0;
  p = put_two_strings (p, mark->name, mark->note, ASC_PAYLOAD_MAX - MARK_SIZE);
  return end_frame (out, p, ASC_FRAME_MARK, sequence);
}

/* Reads the string at *p, before end; false: it does not fit. */
static bool
get_string (const uint8_t **p, const uint8_t *end, AscString *string)
{
  if (*p >= end || **p > end - *p - 1)
    return false;
  string->length = **p;
  string->bytes = (const char *)*p + 1;
  *p += 1 + string->length;
  return true;
}

int
asc_host_nonce (const AscFrame *frame, uint64_t *nonce)
{
  if (frame->type < ASC_FRAME_HOST || frame->length < 8)
    return -1;
  *nonce = asc_get_u64 (frame->payload);
  return 0;
}

int
asc_unpack_file_head (const AscFrame *frame, AscFileHead *head)
{
  const uint8_t *p = frame->payload;
  const uint8_t *end = p + frame->length;
  if (frame->type != ASC_FRAME_FILE || frame->length < FILE_SIZE)
    return -1;
  head->nonce = asc_get_u64 (p);
  head->version = p[8];
  head->created_ns = (int64_t)asc_get_u64 (p + 9);
  p += 17;
  return get_string (&p, end, &head->source) && get_string (&p, end, &head->writer) ? 0
                                                                                    : -1;
}

int
asc_unpack_anchor (const AscFrame *frame, AscAnchor *anchor)
{
  const uint8_t *p = frame->payload;
  if (frame->type != ASC_FRAME_ANCHOR || frame->length < ANCHOR_SIZE)
    return -1;
  anchor->wall_ns = (int64_t)asc_get_u64 (p + 8);
  anchor->boottime_ns = (int64_t)asc_get_u64 (p + 16);
  anchor->wire_offset = asc_get_u64 (p + 24);
  return 0;
}

int
asc_unpack_link (const AscFrame *frame, AscLink *link)
{
  const uint8_t *p = frame->payload;
  const uint8_t *end = p + frame->length;
  if (frame->type != ASC_FRAME_LINK || frame->length < LINK_SIZE)
    return -1;
  link->change = (AscLinkChange)p[8];
  link->wall_ns = (int64_t)asc_get_u64 (p + 9);
  link->boottime_ns = (int64_t)asc_get_u64 (p + 17);
  p += 25;
  return get_string (&p, end, &link->text) ? 0 : -1;
}

int
asc_unpack_cut (const AscFrame *frame, AscCut *cut)
{
  const uint8_t *p = frame->payload;
  if (frame->type != ASC_FRAME_CUT || frame->length < CUT_SIZE)
    return -1;
  cut->reason = (AscCutReason)p[8];
  cut->session_id = asc_get_u32 (p + 9);
  cut->from = asc_get_u64 (p + 13);
  cut->to = asc_get_u64 (p + 21);
  cut->bytes = asc_get_u64 (p + 29);
  return 0;
}

int
asc_unpack_user_mark (const AscFrame *frame, AscUserMark *mark)
{
  const uint8_t *p = frame->payload;
  const uint8_t *end = p + frame->length;
  if (frame->type != ASC_FRAME_MARK || frame->length < MARK_SIZE)
    return -1;
  mark->id = asc_get_u32 (p + 8);
  mark->session_id = asc_get_u32 (p + 12);
  mark->from = asc_get_u64 (p + 16);
  mark->to = asc_get_u64 (p + 24);
  mark->removed = (p[32] & MARK_REMOVED) != 0;
  p += 33;
  return get_string (&p, end, &mark->name) && get_string (&p, end, &mark->note) ? 0 : -1;
}
