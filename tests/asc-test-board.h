/* A little board for tests: a right stream of HELLO, NAMES and EVENTS frames with text
 * between, by wire's own encoder. For tests of what lies above wire. */
#ifndef ASC_TEST_BOARD_H
#define ASC_TEST_BOARD_H

#include <glib.h>
#include <string.h>

#include "asc-encoder.h"

typedef struct
{
  GByteArray *out;
  guint32 session_id;
  guint16 sequence;
  guint64 count; /* running count */
  guint16 starts;
  guint64 ticks;  /* µs */
  guint64 n_runs; /* complete ones */
  guint8 frame[ASC_FRAME_MAX];
  AscEncoder encoder;
} AscTestBoard;

static inline void
asc_test_board_seal (AscTestBoard *board)
{
  AscSeal seal = { .count = (guint32)board->count,
                   .starts = board->starts,
                   .sequence = board->sequence,
                   .session = (guint8)board->session_id };
  gsize n = asc_encoder_seal (&board->encoder, &seal);
  if (n == 0)
    return;
  g_byte_array_append (board->out, board->frame, (guint)n);
  board->sequence++;
  board->count += board->encoder.n_events + board->encoder.n_lost;
  board->starts = (guint16)(board->starts + board->encoder.n_starts);
}

static inline void
asc_test_board_event (AscTestBoard *board, const AscEvent *event)
{
  if (asc_encoder_event (&board->encoder, event) != 0)
    return;
  asc_test_board_seal (board);
  asc_encoder_event (&board->encoder, event);
}

static inline AscString
asc_test_string (const char *text)
{
  return (AscString){ .bytes = text, .length = (guint8)strlen (text) };
}

static inline void
asc_test_board_hello (AscTestBoard *board)
{
  guint8 bytes[ASC_FRAME_MAX];
  asc_test_board_seal (board); /* its events are counted below */
  AscHello hello = { .version = ASC_PROTO_VERSION,
                     .readable_by = ASC_PROTO_VERSION,
                     .counter_bits = 64,
                     .recorder = ASC_RECORDER_C,
                     .session_id = board->session_id,
                     .tick_hz = 1000000,
                     .tick_step_ns = 1000,
                     .cost_ns = 900,
                     .cpu_hz = 125000000,
                     .capabilities = ASC_CAN_IDLE | ASC_CAN_LATE,
                     .seal_ms = 50,
                     .ticks = board->ticks,
                     .start_ticks = 0,
                     .events = board->count,
                     .board = asc_test_string ("Test Board"),
                     .firmware = asc_test_string ("Firmware 1.0"),
                     .program = asc_test_string ("test, \"quoted\"") };
  gsize n = asc_encode_hello (bytes, &hello, board->sequence++);
  g_byte_array_append (board->out, bytes, (guint)n);
}

/* Begins a session with tasks "pid" (slot 0) and "log, \"sd\"" (slot 1). */
static inline void
asc_test_board_begin (AscTestBoard *board, GByteArray *out, guint32 session_id)
{
  guint8 bytes[ASC_FRAME_MAX];
  gsize taken;
  memset (board, 0, sizeof *board);
  board->out = out;
  board->session_id = session_id;
  asc_encoder_init (&board->encoder, board->frame, 0);
  asc_test_board_hello (board);
  AscName names[] = { { .id = 1, .function = asc_test_string ("pid") },
                      { .id = 2, .function = asc_test_string ("log, \"sd\"") } };
  for (guint i = 0; i < 2; i++)
    names[i].module = names[i].file = asc_test_string ("");
  gsize n
      = asc_encode_names (bytes, names, 2, &taken, board->sequence++, (guint8)session_id);
  g_byte_array_append (out, bytes, (guint)n);
  for (guint32 i = 0; i < 2; i++)
    {
      AscTaskRecord record
          = { .slot = i, .instance = i + 1, .name = i + 1, .parent_slot = -1 };
      asc_encoder_start (&board->encoder, board->ticks, &record);
    }
}

/* A run of the slot that lasts so many µs, then idle as long. */
static inline void
asc_test_board_run (AscTestBoard *board, guint32 slot, guint32 us)
{
  AscEvent enter = { .kind = ASC_EVENT_ENTER, .ticks = board->ticks, .id = slot };
  asc_test_board_event (board, &enter);
  board->ticks += us;
  AscEvent leave
      = { .kind = ASC_EVENT_EXIT, .ticks = board->ticks, .id = ASC_EXIT_YIELD };
  asc_test_board_event (board, &leave);
  AscEvent idle = { .kind = ASC_EVENT_IDLE, .ticks = board->ticks, .value = us };
  asc_test_board_event (board, &idle);
  board->ticks += us;
  board->n_runs++;
}

static inline void
asc_test_board_text (AscTestBoard *board, const char *text)
{
  asc_test_board_seal (board);
  g_byte_array_append (board->out, (const guint8 *)text, (guint)strlen (text));
}

/* A stream of about n bytes: runs of random length, text with umlauts between. */
static inline GByteArray *
asc_test_board_stream (guint32 seed, gsize n)
{
  GByteArray *out = g_byte_array_new ();
  AscTestBoard board;
  GRand *random = g_rand_new_with_seed (seed);
  asc_test_board_begin (&board, out, seed | 1u);
  while (out->len < n)
    {
      asc_test_board_run (&board, (guint32)g_rand_int_range (random, 0, 2),
                          (guint32)g_rand_int_range (random, 1, 3000));
      if (g_rand_int_range (random, 0, 40) == 0)
        asc_test_board_text (&board, "T = 21,5 °C – größer → aus\n");
      if (g_rand_int_range (random, 0, 400) == 0)
        asc_test_board_hello (&board);
    }
  asc_test_board_hello (&board);
  g_rand_free (random);
  return out;
}

#endif
