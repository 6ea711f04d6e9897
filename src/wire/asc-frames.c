#include "asc-frames.h"

#include "asc-crc.h"
#include "asc-encoder.h"
#include "asc-varint.h"

/* HELLO has 65 bytes besides its strings, so three of 63 always fit. */
#define HELLO_STRING_MAX 63
static const uint8_t canary[8] = { 0x0A, 0x0D, 0x03, 0x04, 0x11, 0x13, 0x00, 0xFF };

size_t
asc_encode_frame (uint8_t *out,
                  uint8_t type,
                  uint16_t sequence,
                  uint8_t session,
                  uint8_t context,
                  const void *payload,
                  uint8_t length)
{
  const uint8_t *from = (const uint8_t *)payload;
  uint8_t *to = out + ASC_HEADER_SIZE;
  if (from != to)
    for (unsigned i = 0; i < length; i++)
      to[i] = from[i];
  out[0] = ASC_MARKER;
  out[1] = type;
  out[2] = length;
  asc_put_u16 (out + 3, sequence);
  out[5] = session;
  out[6] = context;
  out[7] = asc_crc8 (out + 1, 6);
  size_t n = ASC_HEADER_SIZE + (size_t)length;
  asc_put_u32 (out + n, asc_crc32 (0, out, n));
  return n + ASC_CHECK_SIZE;
}

size_t
asc_cut_utf8 (const char *text, size_t n, size_t most)
{
  if (n <= most)
    return n;
  size_t cut = most;
  for (unsigned back = 0; back < 4 && cut > 0; back++, cut--)
    if (((uint8_t)text[cut] & 0xC0u) != 0x80u)
      return cut;
  return most;
}

uint8_t *
asc_put_string (uint8_t *out, AscString string, size_t most)
{
  size_t n = asc_cut_utf8 (string.bytes, string.length, most);
  *out++ = (uint8_t)n;
  for (size_t i = 0; i < n; i++)
    *out++ = (uint8_t)string.bytes[i];
  return out;
}

bool
asc_task_record_valid (const AscTaskRecord *record)
{
  return record->slot <= ASC_SLOT_MAX && record->name <= ASC_SLOT_MAX
         && record->parent_slot >= -1 && record->parent_slot <= ASC_SLOT_MAX;
}

uint8_t *
asc_put_task_record (uint8_t *out, const AscTaskRecord *record)
{
  out = asc_varint_put (out, record->slot);
  out = asc_varint_put (out, record->instance);
  out = asc_varint_put (out, record->name);
  out = asc_varint_put (out, (uint32_t)(record->parent_slot + 1));
  return asc_varint_put (out, record->parent_instance);
}

static size_t
end_frame (uint8_t *out,
           const uint8_t *end,
           uint8_t type,
           uint16_t sequence,
           uint8_t session)
{
  uint8_t *payload = out + ASC_HEADER_SIZE;
  return asc_encode_frame (out, type, sequence, session, 0, payload,
                           (uint8_t)(end - payload));
}

size_t
asc_encode_hello (uint8_t *out, const AscHello *hello, uint16_t sequence)
{
  uint8_t *p = out + ASC_HEADER_SIZE;
  for (unsigned i = 0; i < sizeof canary; i++)
    *p++ = canary[i];
  *p++ = ASC_PROTO_VERSION;
  *p++ = 1;
  p = asc_put_u32 (p, hello->session_id);
  p = asc_put_u32 (p, hello->tick_hz);
  p = asc_put_u32 (p, hello->tick_step_ns);
  *p++ = hello->counter_bits;
  *p++ = hello->recorder;
  p = asc_put_u32 (p, hello->cost_ns);
  p = asc_put_u32 (p, hello->cpu_hz);
  p = asc_put_u32 (p, hello->capabilities);
  p = asc_put_u16 (p, hello->seal_ms);
  p = asc_put_u48 (p, hello->ticks);
  p = asc_put_u48 (p, hello->start_ticks);
  p = asc_put_u48 (p, hello->events);
  p = asc_put_u48 (p, hello->dropped);
  p = asc_put_string (p, hello->board, HELLO_STRING_MAX);
  p = asc_put_string (p, hello->firmware, HELLO_STRING_MAX);
  p = asc_put_string (p, hello->program, HELLO_STRING_MAX);
  return end_frame (out, p, ASC_FRAME_HELLO, sequence, (uint8_t)hello->session_id);
}

/* Bytes of a NAMES record whose file is cut to *file_most, so that one always fits. */
static size_t
name_size (const AscName *name, size_t *file_most)
{
  size_t module = asc_cut_utf8 (name->module.bytes, name->module.length, ASC_NAME_MAX);
  size_t function
      = asc_cut_utf8 (name->function.bytes, name->function.length, ASC_NAME_MAX);
  size_t n = asc_varint_size (name->id) + asc_varint_size (name->line)
             + asc_varint_size (name->code) + 2 + 3 + module + function;
  size_t left = ASC_PAYLOAD_MAX - n;
  *file_most = left < ASC_NAME_MAX ? left : ASC_NAME_MAX;
  return n + asc_cut_utf8 (name->file.bytes, name->file.length, *file_most);
}

size_t
asc_encode_names (uint8_t *out,
                  const AscName *names,
                  size_t n,
                  size_t *taken,
                  uint16_t sequence,
                  uint8_t session)
{
  uint8_t *p = out + ASC_HEADER_SIZE;
  size_t i;
  for (i = 0; i < n; i++)
    {
      const AscName *name = &names[i];
      size_t file_most;
      size_t size = name_size (name, &file_most);
      if (size > (size_t)(out + ASC_HEADER_SIZE + ASC_PAYLOAD_MAX - p))
        break;
      p = asc_varint_put (p, name->id);
      *p++ = name->kind;
      *p++ = name->flags;
      p = asc_varint_put (p, name->line);
      p = asc_varint_put (p, name->code);
      p = asc_put_string (p, name->module, ASC_NAME_MAX);
      p = asc_put_string (p, name->function, ASC_NAME_MAX);
      p = asc_put_string (p, name->file, file_most);
    }
  *taken = i;
  return end_frame (out, p, ASC_FRAME_NAMES, sequence, session);
}

size_t
asc_encode_tasks (uint8_t *out,
                  uint64_t ticks,
                  const AscTaskRecord *records,
                  size_t n,
                  size_t *taken,
                  const AscSeal *seal)
{
  uint8_t *p = out + ASC_HEADER_SIZE;
  p = asc_put_u16 (asc_put_u48 (p, ticks), seal->starts);
  size_t i;
  for (i = 0; i < n; i++)
    {
      uint8_t record[19];
      size_t size = (size_t)(asc_put_task_record (record, &records[i]) - record);
      if (size > (size_t)(out + ASC_HEADER_SIZE + ASC_PAYLOAD_MAX - p))
        break;
      for (size_t k = 0; k < size; k++)
        *p++ = record[k];
    }
  *taken = i;
  return end_frame (out, p, ASC_FRAME_TASKS, seal->sequence, seal->session);
}
