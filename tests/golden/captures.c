#include "captures.h"

#include <string.h>

#include "asc-host-frames.h"

#define NONCE 0x1122334455667788u

static void
make_empty (Stream *stream)
{
  (void)stream;
}

/* PROTOCOL.md §9: one run of slot 5, then idle. */
static void
make_example_run (Stream *stream)
{
  stream->sequence = 1;
  stream_event (stream, ASC_EVENT_ENTER, 1000, 5, 0);
  stream_event (stream, ASC_EVENT_EXIT, 1300, ASC_EXIT_YIELD, 0);
  stream_event (stream, ASC_EVENT_IDLE, 1307, ASC_IDLE_TIMER, 2000);
  stream_seal (stream);
}

/* PROTOCOL.md §9: a board comes up, starts a task, runs it late, and it returns. */
static void
make_example_session (Stream *stream)
{
  stream_hello (stream);
  stream_start (stream, 50, 0, 1);
  stream_late (stream, 3060, 0, 2);
  stream_event (stream, ASC_EVENT_EXIT, 3160, ASC_EXIT_RETURN, 0);
  stream_seal (stream);
}

static void
every_event (Stream *stream)
{
  stream_start (stream, 20, 1, 1);
  AscTaskRecord child = { 200, 2, 300, 1, 1 };
  asc_encoder_start (&stream->encoder, 25, &child);
  stream_event (stream, ASC_EVENT_ENTER, 30, 1, 0);
  stream_event (stream, ASC_EVENT_SPAN_BEGIN, 35, 7, 3);
  stream_event (stream, ASC_EVENT_GC_BEGIN, 40, 0, 0);
  stream_event (stream, ASC_EVENT_GC_END, 50, 0, 0);
  stream_event (stream, ASC_EVENT_MARK, 51, 3, 0);
  AscEvent mark = { 52, -70000, 3, 0, ASC_EVENT_MARK, ASC_EVENT_VALUE };
  asc_encoder_event (&stream->encoder, &mark);
  stream_event (stream, ASC_EVENT_LEVEL, 53, 300, 1);
  stream_event (stream, ASC_EVENT_COUNTER, 54, 4, INT64_MIN);
  stream_event (stream, ASC_EVENT_COUNTER, 54, 4, INT64_MAX);
  size_t taken;
  asc_encoder_text (&stream->encoder, 55, "h\xC3\xA9 \"\\\n", 7, &taken);
  stream_event (stream, ASC_EVENT_IDLE, 60, ASC_IDLE_IO, 1);
  stream_event (stream, ASC_EVENT_EXIT, 70, ASC_EXIT_YIELD, 0);
  stream_seal (stream);
  stream_event (stream, ASC_EVENT_IDLE, 75, ASC_IDLE_TIMER, 300);
  stream_event (stream, ASC_EVENT_IDLE, 380, ASC_IDLE_IO, 20);
  stream_event (stream, ASC_EVENT_IDLE, 420, ASC_IDLE_TIMER, 100000);
  stream_event (stream, ASC_EVENT_IDLE, 100421, ASC_IDLE_OTHER, 5);
  stream_event (stream, ASC_EVENT_DRAIN, 100430, 0, 15);
  stream_late (stream, 100450, 1, 12);
  stream_event (stream, ASC_EVENT_EXIT, 100460, ASC_EXIT_RAISE, 0);
  stream_late (stream, 100470, 200, 65535);
  stream_event (stream, ASC_EVENT_SPAN_END, 100471, 7, 0);
  stream_event (stream, ASC_EVENT_EXIT, 100475, ASC_EXIT_CANCEL, 0);
  stream_event (stream, ASC_EVENT_ENTER, 100480, 65535, 0);
  stream_event (stream, ASC_EVENT_EXIT, 100481, ASC_EXIT_RETURN, 0);
  stream_event (stream, ASC_EVENT_END, 100490, 9, ASC_END_COLLECTED);
  stream_event (stream, ASC_EVENT_RENAME, 100495, 2, 300);
  stream_seal (stream);
}

static void
make_every_kind (Stream *stream)
{
  static const AscTaskRecord tasks[] = { { 2, 3, 1, -1, 0 }, { 9, 4, 2, 2, 3 } };
  stream->starts = 2;
  stream_hello (stream);
  stream_names (stream);
  stream_tasks (stream, tasks, 2);
  every_event (stream);
  stream_event (stream, ASC_EVENT_ENTER, 100500, 2, 0);
  stream_event (stream, ASC_EVENT_LOST, 100600, 1000, 250);
  stream_seal (stream);
  static const uint16_t runs[] = { 9 };
  asc_encoder_set_stack (&stream->encoder, runs, 1);
  stream_event (stream, ASC_EVENT_EXIT, 101700, ASC_EXIT_YIELD, 0);
  asc_encoder_discontinuity (&stream->encoder, 200000, ASC_JUMP_STOOD_STILL, 90000);
  stream_seal (stream);
  stream_runs (stream, 200010, 1);
  asc_encoder_discontinuity (&stream->encoder, 1000, ASC_JUMP_BACK, -199210);
  stream_seal (stream);
  stream_runs (stream, 1010, 1);
  asc_encoder_discontinuity (&stream->encoder, 500000, ASC_JUMP_SILENCE, 0);
  stream_seal (stream);
  stream->ticks = 500100;
  stream_hello (stream);
}

static void
make_nested (Stream *stream)
{
  stream_hello (stream);
  for (uint32_t i = 0; i < ASC_STACK_MAX; i++)
    stream_event (stream, ASC_EVENT_ENTER, 100 + i, 190 + i, 0);
  stream_seal (stream);
  stream_event (stream, ASC_EVENT_EXIT, 200, ASC_EXIT_RETURN, 0);
  stream_event (stream, ASC_EVENT_EXIT, 201, ASC_EXIT_YIELD, 0);
  stream_late (stream, 202, 3, 4);
  stream_seal (stream);
  for (uint32_t i = 0; i < ASC_STACK_MAX - 1; i++)
    stream_event (stream, ASC_EVENT_EXIT, 300 + i, i % 4, 0);
  stream_seal (stream);
  /* Other contexts, one out of time order, and an interrupt with runs of its own. */
  AscEncoder loop = stream->encoder;
  asc_encoder_init (&stream->encoder, stream->frame,
                    ASC_CONTEXT (ASC_CONTEXT_INTERRUPT, 1, 2));
  stream_runs (stream, 250, 1);
  stream_event (stream, ASC_EVENT_ENTER, 500, 6, 0);
  stream_seal (stream);
  AscEncoder interrupt = stream->encoder;
  stream->encoder = loop;
  stream_runs (stream, 400, 1);
  stream_seal (stream);
  /* The interrupt's stack is told as another than it was. */
  stream->encoder = interrupt;
  static const uint16_t other[] = { 7, 8 };
  asc_encoder_set_stack (&stream->encoder, other, 2);
  stream_event (stream, ASC_EVENT_EXIT, 700, ASC_EXIT_YIELD, 0);
  stream_seal (stream);
}

/* What later versions may send: types, kinds of every shape, longer payloads. */
static void
make_later_versions (Stream *stream)
{
  static const uint8_t out[] = {
    0x05, 0x00, 0x14,                         /* a run */
    0xE5, 0x01, 0xE6, 0x02, 0xE7, 0x03,       /* Δ */
    0xED, 0x01, 0x85, 0x01, 0xEE, 0x01, 0x00, /* Δ, a */
    0xEF, 0x01, 0x7F,                         /* Δ, a */
    0xFB, 0x05, 0x03, 'a',  'b',  'c',        /* Δ, n, bytes */
    0xFF, 0x05, 0x00,                         /* the last tag */
    0xF1, 0x01, 0x63, 0x0A,                   /* IDLE with a reason of its own */
    0xF5, 0x01, 0x05, 0x09,                   /* END with a how of its own */
    0xF8, 0x01, 0x07, 0x01, 0x02, 0x03, 0x00, 0x00, 0x55, 0x55, /* longer START */
    0x05, 0x02,                                                 /* ENTER, and inside: */
    0x4B, 0x01, 0x5B, 0x01, 0x09, 0x7D, 0x01, 0x02, 'x',  'y',
  };
  stream_hello (stream);
  stream_raw (stream, 0x05, 0, "later", 5);
  stream_raw (stream, 0x7F, 0x93, NULL, 0);
  stream_raw (stream, 0x00, 0, "\xF9\xF9", 2);
  stream_packed (stream, 1000, 0, out, sizeof out, 17);
  stream->starts++;
  stream_raw (stream, ASC_FRAME_NAMES, 0, "\x05\x63\xFE\x00\x00\x00\x01q\x00",
              9); /* a kind of its own */
  stream->ticks = 1100;
  /* A HELLO of version 2, longer, and one that must not be read by version 1. */
  uint8_t payload[ASC_PAYLOAD_MAX];
  uint64_t events = stream->events;
  stream_hello (stream);
  size_t n = stream->bytes[stream->last + 2];
  memcpy (payload, stream->bytes + stream->last + ASC_HEADER_SIZE, n);
  memcpy (payload + n, "more", 4);
  payload[8] = 2;
  stream_raw (stream, ASC_FRAME_HELLO, 0, payload, n + 4);
  payload[9] = 2;
  stream_raw (stream, ASC_FRAME_HELLO, 0, payload, n + 4);
  stream->events = events;
  static const uint8_t later_jump[] = { 0xFA, 0x01, 0x04, 0x09, 0x03, 0xAA, 0xBB };
  stream_packed (stream, 2000, 0x40, later_jump, sizeof later_jump, 1);
}

static void
make_sessions (Stream *stream)
{
  stream_hello (stream);
  stream_runs (stream, 100, 2);
  stream_seal (stream);
  /* A reset: the new session's HELLO is lost. */
  stream_session (stream, 0x77);
  stream->dropping = true;
  stream_hello (stream);
  stream->dropping = false;
  stream_runs (stream, 10, 1);
  stream_seal (stream);
  stream_hello (stream);
  /* Another, of which the first events are lost too. */
  stream_session (stream, 0x1278);
  stream->dropping = true;
  stream_hello (stream);
  stream_start (stream, 5, 0, 1);
  stream_runs (stream, 10, 3);
  stream_seal (stream);
  stream->dropping = false;
  stream_runs (stream, 1000, 1);
  stream_seal (stream);
  stream_hello (stream);
  /* Another id with the same low byte, and HELLO as the only sign of it. */
  stream_session (stream, 0x9978);
  stream->ticks = 3;
  stream_hello (stream);
  stream_runs (stream, 7, 1);
  stream_seal (stream);
  /* Frames missing just before the session ends. */
  stream->dropping = true;
  stream_runs (stream, 1000, 1);
  stream_seal (stream);
  stream->dropping = false;
  stream_names (stream);
  stream_session (stream, 0x01);
  stream_names (stream);
  stream_hello (stream);
  stream->dropping = true;
  stream_hello (stream);
  stream->dropping = false;
  stream_names (stream);
}

/* The decoder joins a board that runs, and its ticks and sequence pass their ends. */
static void
make_wraps (Stream *stream)
{
  stream->sequence = 65533;
  stream->events = 0x1FFFFFFFEu; /* the running count passes 2^32 as well */
  stream->starts = 65535;
  uint64_t ticks = 0xFFFFFFFFFF00u;
  stream_names (stream);
  stream_runs (stream, ticks, 1);
  stream_seal (stream);
  stream->ticks = ticks + 150;
  stream_hello (stream);
  stream_start (stream, ticks + 300, 0, 70000);
  ticks = stream_runs (stream, ticks + 310, 1);
  stream_seal (stream);
  ticks = stream_runs (stream, ticks, 1);
  stream_seal (stream);
  /* A frame that passes the end itself was above; this context is still before it. */
  asc_encoder_init (&stream->encoder, stream->frame,
                    ASC_CONTEXT (ASC_CONTEXT_THREAD, 0, 1));
  stream_runs (stream, 0xFFFFFFFFFE00u, 1);
  stream_seal (stream);
  stream->ticks = ticks + 1000;
  stream_hello (stream);
}

static void
put_host (Stream *stream, const uint8_t *frame, size_t n)
{
  stream_put (stream, frame, n);
}

static void
make_host (Stream *stream)
{
  uint8_t frame[ASC_FRAME_MAX];
  AscFileHead head
      = { NONCE, 1, 1700000000000000000, { "Board \xC2\xB7 port", 13 }, { "w 1", 3 } };
  AscAnchor anchor = { 1700000001000000000, 5000000000, 0 };
  AscLink link = { ASC_LINK_LOST, 1700000002000000000, -1, { "unplugged", 9 } };
  AscCut cut = { ASC_CUT_DISK, 0x5EED0042, 700, 900, 75 };
  AscUserMark mark = { 1, 0x5EED0042, 100, 300, 0, { "here", 4 }, { "a note", 6 } };
  put_host (stream, frame, asc_encode_file_head (frame, &head));
  stream_hello (stream);
  put_host (stream, frame, asc_encode_anchor (frame, NONCE, 1, &anchor));
  stream_runs (stream, 100, 2);
  stream_seal (stream);
  put_host (stream, frame, asc_encode_link (frame, NONCE, 2, &link));
  link.change = ASC_LINK_BACK;
  put_host (stream, frame, asc_encode_link (frame, NONCE, 3, &link));
  put_host (stream, frame, asc_encode_user_mark (frame, NONCE, 4, &mark));
  /* Not kept, so not lost. */
  stream->dropping = true;
  stream_runs (stream, 700, 1);
  stream_seal (stream);
  stream->dropping = false;
  put_host (stream, frame, asc_encode_cut (frame, NONCE, 5, &cut));
  stream_runs (stream, 900, 1);
  stream_seal (stream);
  /* Lost again. */
  stream->dropping = true;
  stream_runs (stream, 1100, 1);
  stream_seal (stream);
  stream->dropping = false;
  stream_runs (stream, 1300, 1);
  stream_seal (stream);
  /* A later version's type, and a payload that is too short. */
  uint8_t payload[40];
  for (unsigned i = 0; i < 8; i++)
    payload[i] = (uint8_t)(NONCE >> (8 * i));
  memset (payload + 8, 0, 32);
  put_host (stream, frame, asc_encode_frame (frame, 0x90, 6, 0, 0, payload, 20));
  put_host (stream, frame,
            asc_encode_frame (frame, ASC_FRAME_ANCHOR, 7, 0, 0, payload, 31));
  mark.removed = 1;
  mark.name.length = 0;
  mark.note.length = 0;
  put_host (stream, frame, asc_encode_user_mark (frame, NONCE, 8, &mark));
  link.change = ASC_LINK_ENDED;
  link.text.length = 0;
  put_host (stream, frame, asc_encode_link (frame, NONCE, 9, &link));
}

const Capture captures[] = {
  { "empty.wire", make_empty },
  { "example-run.wire", make_example_run },
  { "example-session.wire", make_example_session },
  { "every-kind.wire", make_every_kind },
  { "nested.wire", make_nested },
  { "later-versions.wire", make_later_versions },
  { "sessions.wire", make_sessions },
  { "wraps.wire", make_wraps },
  { "host.trace", make_host },
  { "text.wire", make_text },
  { "bad-cooked-output.wire", make_cooked_output },
  { "bad-cooked-input.wire", make_cooked_input },
  { "bad-cooked-both.wire", make_cooked_both },
  { "bad-cooked-flow.wire", make_cooked_flow },
  { "bad-cooked-signals.wire", make_cooked_signals },
  { "bad-cooked-zeros.wire", make_cooked_zeros },
  { "bad-cooked-parity.wire", make_cooked_parity },
  { "bad-seven-bit.wire", make_seven_bit },
  { "bad-cut-frame.wire", make_cut_frame },
  { "bad-cut-header.wire", make_cut_header },
  { "bad-flipped.wire", make_flipped },
  { "bad-false-starts.wire", make_false_starts },
  { "bad-malformed.wire", make_malformed },
  { "bad-lost.wire", make_lost },
  { "bad-duplicates.wire", make_duplicates },
  { "bad-forged.wire", make_forged_wire },
  { "bad-forged.trace", make_forged_trace },
};
const size_t n_captures = sizeof captures / sizeof *captures;
