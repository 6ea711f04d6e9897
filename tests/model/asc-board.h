/* A board for tests of the model: makes the bytes that a recorder would send, with gaps,
 * drops and resets on request. */
#ifndef ASC_BOARD_H
#define ASC_BOARD_H

#include <glib.h>
#include <string.h>

#include "asc-encoder.h"
#include "asc-host-frames.h"

#define ASC_BOARD_CONTEXTS 4

typedef struct
{
  GByteArray *out;
  AscEncoder encoders[ASC_BOARD_CONTEXTS];
  guint8 frames[ASC_BOARD_CONTEXTS][ASC_FRAME_MAX];
  guint8 ids[ASC_BOARD_CONTEXTS];
  guint n_contexts;
  guint64 count;
  guint64 dropped;
  guint16 starts, sequence, host_sequence;
  AscHello hello;
  guint64 nonce;
  gboolean lose; /* what is sealed now never arrives */
} AscBoard;

static inline void
asc_board_init (AscBoard *board, guint n_contexts)
{
  *board = (AscBoard){ .out = g_byte_array_new (), .n_contexts = n_contexts };
  for (guint i = 0; i < n_contexts; i++)
    {
      board->ids[i] = (guint8)(i == 0 ? 0 : ASC_CONTEXT (i == 1 ? 1 : 2, i == 3, i));
      asc_encoder_init (&board->encoders[i], board->frames[i], board->ids[i]);
    }
  board->hello = (AscHello){ .version = 1,
                             .readable_by = 1,
                             .counter_bits = 32,
                             .recorder = ASC_RECORDER_C,
                             .session_id = 0x11223301,
                             .tick_hz = 1000000,
                             .tick_step_ns = 1000,
                             .cost_ns = 500,
                             .capabilities = ASC_CAN_IDLE | ASC_CAN_LATE,
                             .seal_ms = 50,
                             .board = { "test", 4 },
                             .firmware = { "none", 4 },
                             .program = { "board", 5 } };
}

static inline void
asc_board_clear (AscBoard *board)
{
  g_byte_array_free (board->out, TRUE);
}

static inline void
asc_board_put (AscBoard *board, const guint8 *frame, gsize n)
{
  if (n && !board->lose)
    g_byte_array_append (board->out, frame, (guint)n);
}

/* Sends what a context has. */
static inline void
asc_board_seal (AscBoard *board, guint context)
{
  AscEncoder *encoder = &board->encoders[context];
  guint32 counted = encoder->n_events + encoder->n_lost;
  guint16 starts = encoder->n_starts;
  AscSeal seal = { (guint32)board->count, board->starts, board->sequence,
                   (guint8)board->hello.session_id };
  gsize n = asc_encoder_seal (encoder, &seal);
  if (!n)
    return;
  board->sequence++;
  board->count += counted;
  board->starts = (guint16)(board->starts + starts);
  asc_board_put (board, encoder->frame, n);
}

static inline void
asc_board_seal_all (AscBoard *board)
{
  for (guint i = 0; i < board->n_contexts; i++)
    asc_board_seal (board, i);
}

static inline void
asc_board_event (AscBoard *board, guint context, const AscEvent *event)
{
  int taken = asc_encoder_event (&board->encoders[context], event);
  if (taken == 0)
    {
      asc_board_seal (board, context);
      taken = asc_encoder_event (&board->encoders[context], event);
    }
  g_assert (taken == 1);
}

static inline void
asc_board_simple (AscBoard *board,
                  guint context,
                  AscEventKind kind,
                  guint64 ticks,
                  guint32 id,
                  gint64 value)
{
  AscEvent event = { .ticks = ticks, .value = value, .id = id, .kind = (guint8)kind };
  asc_board_event (board, context, &event);
}

static inline void
asc_board_enter (AscBoard *board, guint context, guint64 ticks, guint32 slot, int late_ms)
{
  AscEvent event = { .ticks = ticks, .id = slot, .kind = ASC_EVENT_ENTER };
  if (late_ms >= 0)
    {
      event.late_ms = (guint16)late_ms;
      event.flags = ASC_EVENT_LATE;
    }
  asc_board_event (board, context, &event);
}

static inline void
asc_board_exit (AscBoard *board, guint context, guint64 ticks, AscExit how)
{
  asc_board_simple (board, context, ASC_EVENT_EXIT, ticks, how, 0);
}

static inline void
asc_board_start (AscBoard *board,
                 guint context,
                 guint64 ticks,
                 guint32 slot,
                 guint32 instance,
                 guint32 name)
{
  AscTaskRecord record = { slot, instance, name, -1, 0 };
  if (asc_encoder_start (&board->encoders[context], ticks, &record) == 0)
    {
      asc_board_seal (board, context);
      g_assert (asc_encoder_start (&board->encoders[context], ticks, &record) == 1);
    }
}

static inline void
asc_board_hello (AscBoard *board, guint64 ticks)
{
  guint8 frame[ASC_FRAME_MAX];
  board->hello.ticks = ticks;
  board->hello.events = board->count;
  asc_board_put (board, frame,
                 asc_encode_hello (frame, &board->hello, board->sequence++));
}

static inline void
asc_board_name_at (AscBoard *board,
                   guint32 id,
                   AscNameKind kind,
                   const char *module,
                   const char *function,
                   guint32 line,
                   guint32 code)
{
  guint8 frame[ASC_FRAME_MAX];
  size_t taken;
  AscName name = { .id = id,
                   .line = line,
                   .code = code,
                   .kind = (guint8)kind,
                   .module = { module, (guint8)strlen (module) },
                   .function = { function, (guint8)strlen (function) },
                   .file = { "main.py", 7 } };
  asc_board_put (board, frame,
                 asc_encode_names (frame, &name, 1, &taken, board->sequence++,
                                   (guint8)board->hello.session_id));
}

static inline void
asc_board_name (AscBoard *board,
                guint32 id,
                AscNameKind kind,
                const char *module,
                const char *function)
{
  asc_board_name_at (board, id, kind, module, function, 0, 0);
}

static inline void
asc_board_tasks (AscBoard *board, guint64 ticks, const AscTaskRecord *records, gsize n)
{
  guint8 frame[ASC_FRAME_MAX];
  while (n > 0)
    {
      size_t taken;
      AscSeal seal = { (guint32)board->count, board->starts, board->sequence++,
                       (guint8)board->hello.session_id };
      asc_board_put (board, frame,
                     asc_encode_tasks (frame, ticks, records, n, &taken, &seal));
      records += taken;
      n -= taken;
    }
}

/* A new session with its HELLO. */
static inline void
asc_board_reset (AscBoard *board, guint64 ticks)
{
  board->hello.session_id += 0x101;
  board->hello.start_ticks = ticks;
  board->count = board->sequence = board->starts = 0;
  for (guint i = 0; i < board->n_contexts; i++)
    asc_encoder_init (&board->encoders[i], board->frames[i], board->ids[i]);
  asc_board_hello (board, ticks);
}

#endif
