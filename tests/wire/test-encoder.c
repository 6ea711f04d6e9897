/* What the encoder refuses, cuts and counts; the other frames; host frames. */
#include "asc-test.h"

#include <string.h>

#include "asc-crc.h"
#include "asc-encoder.h"
#include "asc-host-frames.h"
#include "asc-unpack.h"
#include "asc-varint.h"

static uint8_t buffer[ASC_FRAME_MAX];

static AscFrame
as_frame (const uint8_t *bytes, size_t n)
{
  AscFrame frame = { .bytes = bytes,
                     .payload = bytes + ASC_HEADER_SIZE,
                     .sequence = asc_get_u16 (bytes + 3),
                     .type = bytes[1],
                     .length = bytes[2],
                     .session = bytes[5],
                     .context = bytes[6] };
  assert_int_equal (bytes[0], ASC_MARKER);
  assert_int_equal (n, ASC_HEADER_SIZE + frame.length + ASC_CHECK_SIZE);
  assert_int_equal (bytes[7], asc_crc8 (bytes + 1, 6));
  assert_true (asc_get_u32 (bytes + n - 4) == asc_crc32 (0, bytes, n - 4));
  return frame;
}

static int
send (AscEncoder *encoder, AscEventKind kind, uint64_t ticks, uint32_t id, int64_t value)
{
  AscEvent event = { .ticks = ticks, .value = value, .id = id, .kind = (uint8_t)kind };
  return asc_encoder_event (encoder, &event);
}

static void
refuses_what_no_frame_may_hold (void **state)
{
  (void)state;
  AscEncoder encoder;
  asc_encoder_init (&encoder, buffer, 0);
  assert_int_equal (send (&encoder, ASC_EVENT_EXIT, 10, 0, 0), -1);
  assert_int_equal (encoder.length, 0);
  assert_int_equal (send (&encoder, ASC_EVENT_ENTER, 10, 65536, 0), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_IDLE, 10, 0, -1), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_IDLE, 10, 0, (int64_t)1 << 47), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_SPAN_BEGIN, 10, 1, 65536), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_END, 10, 1, 4), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_RENAME, 10, 1, -1), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_START, 10, 1, 0), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_TEXT, 10, 1, 0), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_DISCONTINUITY, 10, 0, 0), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_UNKNOWN, 10, 0x25, 0), -1);
  assert_int_equal (send (&encoder, (AscEventKind)0, 10, 0, 0), -1);
  assert_int_equal (send (&encoder, (AscEventKind)200, 10, 0, 0), -1);
  for (uint32_t i = 0; i < ASC_STACK_MAX; i++)
    assert_int_equal (send (&encoder, ASC_EVENT_ENTER, 10, i, 0), 1);
  assert_int_equal (send (&encoder, ASC_EVENT_ENTER, 10, 1, 0), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_EXIT, 9, 0, 0), -1);
  assert_int_equal (send (&encoder, ASC_EVENT_EXIT, 10, 4, 0), -1);
  AscTaskRecord task = { 65536, 1, 1, -1, 0 };
  assert_int_equal (asc_encoder_start (&encoder, 10, &task), -1);
  task = (AscTaskRecord){ 1, 1, 1, -2, 0 };
  assert_int_equal (asc_encoder_start (&encoder, 10, &task), -1);
}

static void
time_does_not_step_back_over_a_seal (void **state)
{
  (void)state;
  AscEncoder encoder;
  AscSeal seal = { 0, 0, 0, 0 };
  asc_encoder_init (&encoder, buffer, 0);
  assert_int_equal (asc_encoder_seal (&encoder, &seal), 0);
  assert_int_equal (send (&encoder, ASC_EVENT_IDLE, 1000, 0, 500), 1);
  assert_true (asc_encoder_seal (&encoder, &seal) > 0);
  assert_int_equal (encoder.n_events, 1);
  assert_int_equal (send (&encoder, ASC_EVENT_ENTER, 1499, 0, 0), -1);
  assert_int_equal (asc_encoder_discontinuity (&encoder, 700, ASC_JUMP_BACK, -800), 1);
  assert_int_equal (send (&encoder, ASC_EVENT_ENTER, 701, 0, 0), 0);
  assert_true (asc_encoder_seal (&encoder, &seal) > 0);
  assert_int_equal (send (&encoder, ASC_EVENT_ENTER, 701, 0, 0), 1);
}

/* A gap of ticks that one frame can not tell asks for the next one. */
static void
far_events_take_a_frame_of_their_own (void **state)
{
  (void)state;
  AscEncoder encoder;
  AscSeal seal = { 0, 0, 0, 0 };
  uint64_t far = 5 + ((uint64_t)1 << 47);
  asc_encoder_init (&encoder, buffer, 0);
  assert_int_equal (send (&encoder, ASC_EVENT_GC_BEGIN, 5, 0, 0), 1);
  assert_int_equal (send (&encoder, ASC_EVENT_GC_END, far, 0, 0), 0);
  assert_int_equal (send (&encoder, ASC_EVENT_DRAIN, far - 10, 0, 10), 0);
  assert_int_equal (send (&encoder, ASC_EVENT_DRAIN, far - 10, 0, 9), 1);
  assert_true (asc_encoder_seal (&encoder, &seal) > 0);
  assert_int_equal (send (&encoder, ASC_EVENT_GC_END, far, 0, 0), 1);
}

static void
frames_are_filled_to_the_end (void **state)
{
  (void)state;
  AscEncoder encoder;
  AscSeal seal = { 7, 9, 513, 0xAB };
  AscEventsInfo info;
  AscEvent events[ASC_FRAME_EVENTS_MAX];
  int n = 0;
  asc_encoder_init (&encoder, buffer, 0x55);
  while (send (&encoder, n % 2 ? ASC_EVENT_EXIT : ASC_EVENT_ENTER, (uint64_t)n, 0, 0)
         == 1)
    n++;
  size_t size = asc_encoder_seal (&encoder, &seal);
  AscFrame frame = as_frame (buffer, size);
  assert_int_equal (frame.length, ASC_PAYLOAD_MAX);
  assert_int_equal (frame.sequence, 513);
  assert_int_equal (frame.session, 0xAB);
  assert_int_equal (frame.context, 0x55);
  assert_int_equal (asc_unpack_events (&frame, &info, events), n);
  assert_int_equal (encoder.n_events, n);
  assert_int_equal (info.count, 7);
  assert_int_equal (info.starts, 9);
  /* The next frame tells the stack that this one left. */
  assert_int_equal (n % 2, 1 - (int)(encoder.depth == 0));
  assert_int_equal (info.end_depth, encoder.depth);
}

static void
text_is_cut_at_a_character (void **state)
{
  (void)state;
  AscEncoder encoder;
  AscSeal seal = { 0, 0, 0, 0 };
  char text[400];
  size_t taken;
  for (size_t i = 0; i < sizeof text - 1; i += 3)
    memcpy (text + i, "\xE2\x82\xAC", 3);
  for (size_t shift = 0; shift < 3; shift++)
    {
      asc_encoder_init (&encoder, buffer, 0);
      memset (text, 'a', shift);
      memmove (text + shift, "\xE2\x82\xAC\xE2\x82\xAC", 6);
      for (size_t i = shift; i + 3 < sizeof text; i += 3)
        memcpy (text + i, "\xE2\x82\xAC", 3);
      assert_int_equal (asc_encoder_text (&encoder, 5, text, 390, &taken), 1);
      assert_true (taken > 190 && (taken - shift) % 3 == 0);
      assert_int_equal (asc_encoder_text (&encoder, 5, text, 390, &taken), 0);
      assert_int_equal (taken, 0);
      as_frame (buffer, asc_encoder_seal (&encoder, &seal));
    }
  asc_encoder_init (&encoder, buffer, 0);
  assert_int_equal (asc_encoder_text (&encoder, 5, "", 0, &taken), 1);
}

static AscString
long_string (char *bytes, size_t n)
{
  AscString string = { bytes, (uint8_t)n };
  memset (bytes, 'x', n);
  /* A character of two bytes over each even place. */
  for (size_t i = 1; i + 1 < n; i += 2)
    memcpy (bytes + i, "\xC3\xA9", 2);
  return string;
}

static void
strings_are_cut_to_fit (void **state)
{
  (void)state;
  char bytes[255];
  AscString string = long_string (bytes, 255);
  AscHello hello = {
    .session_id = 1, .tick_hz = 1, .board = string, .firmware = string, .program = string
  };
  AscHello back;
  AscFrame frame = as_frame (buffer, asc_encode_hello (buffer, &hello, 3));
  assert_int_equal (asc_unpack_hello (&frame, &back), 0);
  assert_int_equal (back.board.length, 63);
  assert_int_equal (back.program.length, 63);
  assert_int_equal (back.version, ASC_PROTO_VERSION);

  AscName name = { 65535, UINT32_MAX, UINT32_MAX, 0, 0, string, string, string };
  AscName names[ASC_NAMES_MAX];
  AscName two[2] = { name, name };
  size_t taken;
  frame = as_frame (buffer, asc_encode_names (buffer, two, 2, &taken, 0, 0));
  assert_int_equal (taken, 1);
  assert_int_equal (asc_unpack_names (&frame, names), 1);
  assert_int_equal (names[0].module.length, 79);
  assert_int_equal (names[0].function.length, 79);
  assert_int_equal (names[0].file.length, 79);
  assert_true (names[0].line == UINT32_MAX && names[0].code == UINT32_MAX);
}

static void
lists_take_what_fits (void **state)
{
  (void)state;
  AscTaskRecord tasks[200];
  AscTaskRecord back[ASC_TASKS_MAX];
  AscSeal seal = { 0, 77, 5, 6 };
  size_t at = 0;
  uint64_t ticks;
  uint16_t starts;
  for (uint32_t i = 0; i < 200; i++)
    tasks[i] = (AscTaskRecord){ i, i * 1000, 65535, i % 2 ? -1 : 65535, i };
  while (at < 200)
    {
      size_t taken;
      AscFrame frame = as_frame (
          buffer, asc_encode_tasks (buffer, 9, tasks + at, 200 - at, &taken, &seal));
      assert_true (taken > 0);
      assert_int_equal (asc_unpack_tasks (&frame, &ticks, &starts, back), taken);
      assert_memory_equal (back, tasks + at, taken * sizeof *tasks);
      assert_true (ticks == 9 && starts == 77);
      at += taken;
    }
  /* As many as there can be. */
  for (uint32_t i = 0; i < 200; i++)
    tasks[i] = (AscTaskRecord){ 0, 0, 0, -1, 0 };
  size_t taken;
  AscFrame frame
      = as_frame (buffer, asc_encode_tasks (buffer, 9, tasks, 200, &taken, &seal));
  assert_int_equal (asc_unpack_tasks (&frame, &ticks, &starts, back), taken);
  assert_true (taken <= ASC_TASKS_MAX);
}

static void
host_frames_come_back (void **state)
{
  (void)state;
  char bytes[255];
  AscString string = long_string (bytes, 255);
  uint64_t nonce;
  AscFileHead head = { 0x1234567890ABCDEFu, 1, -5, string, string };
  AscFileHead head_back;
  AscFrame frame = as_frame (buffer, asc_encode_file_head (buffer, &head));
  assert_int_equal (asc_unpack_file_head (&frame, &head_back), 0);
  assert_int_equal (asc_host_nonce (&frame, &nonce), 0);
  assert_true (nonce == head.nonce && head_back.nonce == head.nonce);
  assert_true (head_back.created_ns == -5);
  assert_true (head_back.source.length > 110 && head_back.writer.length > 110);
  /* A short one leaves its room to the other. */
  head.source.length = 3;
  frame = as_frame (buffer, asc_encode_file_head (buffer, &head));
  assert_int_equal (asc_unpack_file_head (&frame, &head_back), 0);
  assert_int_equal (head_back.source.length, 3);
  assert_true (head_back.writer.length > 230);

  AscLink link = { ASC_LINK_BACK, 1, -1, string };
  AscLink link_back;
  frame = as_frame (buffer, asc_encode_link (buffer, 1, 2, &link));
  assert_int_equal (asc_unpack_link (&frame, &link_back), 0);
  assert_true (link_back.change == ASC_LINK_BACK && link_back.boottime_ns == -1);

  AscCut cut = { ASC_CUT_SNIPPET, 5, 6, UINT64_MAX, 7 };
  AscCut cut_back;
  frame = as_frame (buffer, asc_encode_cut (buffer, 1, 2, &cut));
  assert_int_equal (asc_unpack_cut (&frame, &cut_back), 0);
  assert_true (cut_back.from == 6 && cut_back.to == UINT64_MAX && cut_back.bytes == 7);
  assert_int_equal (cut_back.session_id, 5);
  assert_int_equal (asc_unpack_link (&frame, &link_back), -1);

  AscUserMark mark = { 1, 2, 3, 4, 1, string, string };
  AscUserMark mark_back;
  frame = as_frame (buffer, asc_encode_user_mark (buffer, 1, 2, &mark));
  assert_int_equal (asc_unpack_user_mark (&frame, &mark_back), 0);
  assert_true (mark_back.from == 3 && mark_back.to == 4 && mark_back.removed == 1);
  for (frame.length = 0; frame.length < 33; frame.length++)
    assert_int_equal (asc_unpack_user_mark (&frame, &mark_back), -1);

  AscAnchor anchor = { INT64_MAX, INT64_MIN, UINT64_MAX };
  AscAnchor anchor_back;
  frame = as_frame (buffer, asc_encode_anchor (buffer, 1, 2, &anchor));
  assert_int_equal (asc_unpack_anchor (&frame, &anchor_back), 0);
  assert_memory_equal (&anchor, &anchor_back, sizeof anchor);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (refuses_what_no_frame_may_hold),
  cmocka_unit_test (time_does_not_step_back_over_a_seal),
  cmocka_unit_test (far_events_take_a_frame_of_their_own),
  cmocka_unit_test (frames_are_filled_to_the_end),
  cmocka_unit_test (text_is_cut_at_a_character),
  cmocka_unit_test (strings_are_cut_to_fit),
  cmocka_unit_test (lists_take_what_fits),
  cmocka_unit_test (host_frames_come_back),
};

ASC_TEST_MAIN (tests)
