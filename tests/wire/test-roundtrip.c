/* What the encoder packs the decoder unpacks: every kind, several contexts, lost frames.
 */
#include "asc-test.h"

#include <string.h>

#include "asc-decoder.h"
#include "asc-encoder.h"

#define CONTEXTS 3
#define FRAMES_MOST 4000
#define EVENTS_MOST 60000

/* An event as it went in, with what belongs to it elsewhere. */
typedef struct
{
  AscEvent event;
  AscTaskRecord task;
  char text[ASC_PAYLOAD_MAX];
  size_t n_text;
} Sent;

typedef struct
{
  size_t first; /* of its events in sent */
  size_t n;
  uint32_t counted;
  bool dropped;
} SentFrame;

typedef struct
{
  uint32_t random;
  AscEncoder encoders[CONTEXTS];
  uint8_t frames[CONTEXTS][ASC_FRAME_MAX];
  /* Events of the frames that are open. */
  Sent open[CONTEXTS][ASC_FRAME_EVENTS_MAX];
  size_t n_open[CONTEXTS];
  uint64_t now;
  uint64_t events;
  uint16_t starts;
  uint16_t sequence;
  Sent *sent;
  size_t n_sent;
  SentFrame *sent_frames;
  size_t n_frames;
  uint8_t *bytes;
  size_t n_bytes;
  unsigned drop; /* of 100 frames */
  /* Of the decoder. */
  size_t frame;
  uint64_t gap_events;
  uint64_t gap_frames;
  bool unknown;
} Run;

static uint32_t
draw (Run *run, uint32_t below)
{
  return (asc_test_random (&run->random) >> 5) % below;
}

static uint64_t
draw_wide (Run *run, unsigned bits)
{
  uint64_t value
      = (uint64_t)asc_test_random (&run->random) << 32 | asc_test_random (&run->random);
  return value >> (64 - 1 - draw (run, bits));
}

static void
seal (Run *run, unsigned context)
{
  AscEncoder *encoder = &run->encoders[context];
  AscSeal seal = { (uint32_t)run->events, run->starts, run->sequence, 9 };
  size_t n = asc_encoder_seal (encoder, &seal);
  if (n == 0)
    return;
  assert_true (n <= ASC_FRAME_MAX);
  run->events += encoder->n_events + (uint64_t)encoder->n_lost;
  run->starts = (uint16_t)(run->starts + encoder->n_starts);
  run->sequence++;
  SentFrame *frame = &run->sent_frames[run->n_frames++];
  *frame = (SentFrame){ run->n_sent, run->n_open[context],
                        encoder->n_events + encoder->n_lost,
                        run->n_frames > 1 && draw (run, 100) < run->drop };
  memcpy (run->sent + run->n_sent, run->open[context], frame->n * sizeof (Sent));
  run->n_sent += frame->n;
  run->n_open[context] = 0;
  if (!frame->dropped)
    {
      memcpy (run->bytes + run->n_bytes, run->frames[context], n);
      run->n_bytes += n;
    }
}

static uint64_t
duration (const AscEvent *event)
{
  bool has = event->kind == ASC_EVENT_IDLE || event->kind == ASC_EVENT_DRAIN
             || event->kind == ASC_EVENT_LOST;
  return has ? (uint64_t)event->value : 0;
}

static void
random_event (Run *run, const AscEncoder *encoder, Sent *sent)
{
  static const uint8_t kinds[]
      = { ASC_EVENT_ENTER,      ASC_EVENT_EXIT,     ASC_EVENT_ENTER,   ASC_EVENT_EXIT,
          ASC_EVENT_IDLE,       ASC_EVENT_GC_BEGIN, ASC_EVENT_GC_END,  ASC_EVENT_START,
          ASC_EVENT_END,        ASC_EVENT_RENAME,   ASC_EVENT_MARK,    ASC_EVENT_LEVEL,
          ASC_EVENT_SPAN_BEGIN, ASC_EVENT_SPAN_END, ASC_EVENT_COUNTER, ASC_EVENT_TEXT,
          ASC_EVENT_DRAIN,      ASC_EVENT_LOST,     ASC_EVENT_EXIT,    ASC_EVENT_IDLE };
  AscEvent *event = &sent->event;
  memset (sent, 0, sizeof *sent);
  event->kind = kinds[draw (run, sizeof kinds)];
  if (event->kind == ASC_EVENT_LOST && draw (run, 20) > 0)
    event->kind = ASC_EVENT_ENTER;
  if (event->kind == ASC_EVENT_ENTER && encoder->depth == ASC_STACK_MAX)
    event->kind = ASC_EVENT_EXIT;
  if (event->kind == ASC_EVENT_EXIT && encoder->depth == 0)
    event->kind = ASC_EVENT_ENTER;
  run->now += draw_wide (run, draw (run, 50) == 0 ? 46 : 14);
  event->ticks = run->now;
  event->id = (uint32_t)draw_wide (run, 16);
  event->value = (int64_t)draw_wide (run, 16);
  switch ((AscEventKind)event->kind)
    {
    case ASC_EVENT_ENTER:
      event->value = 0;
      event->flags = draw (run, 3) == 0 ? ASC_EVENT_LATE : 0;
      event->late_ms = event->flags ? (uint16_t)draw_wide (run, 16) : 0;
      break;
    case ASC_EVENT_EXIT:
      event->id = draw (run, 4);
      event->value = encoder->stack[encoder->depth - 1];
      break;
    case ASC_EVENT_IDLE:
      event->id = draw (run, 3);
      event->value = (int64_t)draw_wide (run, 30);
      break;
    case ASC_EVENT_GC_BEGIN:
    case ASC_EVENT_GC_END:
      event->id = 0;
      event->value = 0;
      break;
    case ASC_EVENT_START:
      sent->task = (AscTaskRecord){ event->id, (uint32_t)draw_wide (run, 32),
                                    (uint32_t)draw_wide (run, 16),
                                    (int32_t)draw_wide (run, 16) - 1,
                                    (uint32_t)draw_wide (run, 32) };
      break;
    case ASC_EVENT_END:
      event->value = draw (run, 4);
      break;
    case ASC_EVENT_SPAN_BEGIN:
      event->id = (uint32_t)draw_wide (run, 32);
      break;
    case ASC_EVENT_SPAN_END:
      event->id = (uint32_t)draw_wide (run, 32);
      event->value = 0;
      break;
    case ASC_EVENT_MARK:
      event->flags = draw (run, 2) ? ASC_EVENT_VALUE : 0;
      event->value = event->flags ? (int64_t)draw_wide (run, 64) : 0;
      break;
    case ASC_EVENT_LEVEL:
      event->value = draw (run, 2);
      break;
    case ASC_EVENT_COUNTER:
      event->value
          = draw (run, 2) ? -(int64_t)draw_wide (run, 63) : (int64_t)draw_wide (run, 63);
      break;
    case ASC_EVENT_TEXT:
      sent->n_text = draw (run, 2) ? draw (run, 12) : draw (run, 190);
      for (size_t i = 0; i < sent->n_text; i++)
        sent->text[i] = (char)('a' + draw (run, 26));
      break;
    case ASC_EVENT_DRAIN:
      event->id = 0;
      break;
    case ASC_EVENT_LOST:
      event->id = (uint32_t)draw_wide (run, 20);
      break;
    case ASC_EVENT_RENAME:
    case ASC_EVENT_DISCONTINUITY:
    case ASC_EVENT_UNKNOWN:
    default:
      break;
    }
}

static int
encode (Run *run, unsigned context, const Sent *sent)
{
  AscEncoder *encoder = &run->encoders[context];
  size_t taken;
  int done;
  if (sent->event.kind == ASC_EVENT_START)
    return asc_encoder_start (encoder, sent->event.ticks, &sent->task);
  if (sent->event.kind == ASC_EVENT_TEXT)
    {
      done = asc_encoder_text (encoder, sent->event.ticks, sent->text, sent->n_text,
                               &taken);
      if (done == 1)
        assert_int_equal (taken, sent->n_text);
      return done;
    }
  return asc_encoder_event (encoder, &sent->event);
}

static void
one_event (Run *run)
{
  unsigned context = draw (run, CONTEXTS);
  AscEncoder *encoder = &run->encoders[context];
  Sent sent;
  random_event (run, encoder, &sent);
  int done = encode (run, context, &sent);
  if (done == 0)
    {
      seal (run, context);
      done = encode (run, context, &sent);
    }
  assert_int_equal (done, 1);
  run->now += duration (&sent.event);
  assert_true (run->n_open[context] < ASC_FRAME_EVENTS_MAX);
  run->open[context][run->n_open[context]++] = sent;
  if (sent.event.kind == ASC_EVENT_LOST)
    {
      assert_int_equal (encode (run, context, &sent), 0);
      seal (run, context);
      uint16_t stack[ASC_STACK_MAX];
      unsigned depth = draw (run, ASC_STACK_MAX + 1);
      for (unsigned i = 0; i < depth; i++)
        stack[i] = (uint16_t)draw_wide (run, 16);
      asc_encoder_set_stack (encoder, stack, depth);
    }
  else if (draw (run, 60) == 0)
    seal (run, draw (run, CONTEXTS));
}

static void
on_gap (void *user, const AscGap *gap)
{
  Run *run = user;
  run->gap_frames += gap->frames;
  run->gap_events += gap->events;
  run->unknown |= gap->unknown;
  assert_false (gap->cut);
}

static void
compare (const AscFrame *frame, const AscEvent *got, const Sent *sent)
{
  assert_int_equal (got->kind, sent->event.kind);
  assert_true (got->ticks == sent->event.ticks);
  if (got->kind == ASC_EVENT_START)
    {
      AscTaskRecord task;
      assert_int_equal (asc_event_start (frame, got, &task), 0);
      assert_memory_equal (&task, &sent->task, sizeof task);
      assert_int_equal (got->id, sent->task.slot);
      return;
    }
  if (got->kind == ASC_EVENT_TEXT)
    {
      AscString text = asc_event_bytes (frame, got);
      assert_int_equal (text.length, sent->n_text);
      assert_memory_equal (text.bytes, sent->text, text.length);
      return;
    }
  assert_int_equal (got->id, sent->event.id);
  assert_true (got->value == sent->event.value);
  assert_int_equal (got->flags, sent->event.flags);
  assert_int_equal (got->late_ms, sent->event.late_ms);
}

static void
on_events (void *user,
           const AscFrame *frame,
           const AscBatch *batch,
           const AscEvent *events,
           size_t n)
{
  Run *run = user;
  uint64_t missing = 0;
  for (; run->sent_frames[run->frame].dropped; run->frame++)
    missing += run->sent_frames[run->frame].counted;
  const SentFrame *sent = &run->sent_frames[run->frame++];
  assert_false (run->unknown);
  assert_true (run->gap_events == missing);
  run->gap_events = 0;
  assert_false (batch->stack_differs);
  assert_false (missing > 0 && batch->continues);
  assert_int_equal (n, sent->n);
  for (size_t i = 0; i < n; i++)
    compare (frame, &events[i], &run->sent[sent->first + i]);
}

static void
round_trip (uint32_t seed, unsigned drop)
{
  static const AscDecoderSink sink = { .events = on_events, .gap = on_gap };
  Run *run = calloc (1, sizeof *run);
  run->random = seed;
  run->drop = drop;
  run->sent = malloc (EVENTS_MOST * sizeof (Sent));
  run->sent_frames = malloc (FRAMES_MOST * sizeof (SentFrame));
  run->bytes = malloc (FRAMES_MOST * ASC_FRAME_MAX);
  for (unsigned i = 0; i < CONTEXTS; i++)
    asc_encoder_init (&run->encoders[i], run->frames[i], (uint8_t)(i * 17));
  for (unsigned i = 0; i < 5000; i++)
    one_event (run);
  run->drop = 0; /* the last frames tell what was lost before them */
  for (unsigned i = 0; i < CONTEXTS; i++)
    {
      AscEvent last = { .ticks = run->now, .kind = ASC_EVENT_GC_BEGIN };
      seal (run, i);
      run->open[i][run->n_open[i]++] = (Sent){ .event = last };
      assert_int_equal (asc_encoder_event (&run->encoders[i], &last), 1);
      seal (run, i);
    }
  AscDecoder *decoder = malloc (sizeof *decoder);
  asc_decoder_init (decoder, ASC_FROM_WIRE, &sink, run);
  for (size_t at = 0; at < run->n_bytes;)
    {
      size_t piece = 1 + draw (run, 900);
      if (piece > run->n_bytes - at)
        piece = run->n_bytes - at;
      asc_decoder_feed (decoder, run->bytes + at, piece);
      at += piece;
    }
  asc_decoder_finish (decoder);
  assert_int_equal (run->frame, run->n_frames);
  const AscDecoderTotals *totals = asc_decoder_totals (decoder);
  size_t dropped = 0;
  for (size_t i = 0; i < run->n_frames; i++)
    dropped += run->sent_frames[i].dropped;
  assert_true (totals->missing_frames == dropped && run->gap_frames == dropped);
  assert_true (totals->frames == run->n_frames - dropped);
  for (int i = 0; i < ASC_SKIP_N; i++)
    assert_true (totals->skipped[i] == 0);
  free (decoder);
  free (run->bytes);
  free (run->sent_frames);
  free (run->sent);
  free (run);
}

static void
all_events_come_back (void **state)
{
  (void)state;
  uint32_t random = asc_test_seed ();
  for (int i = 0; i < 20; i++)
    round_trip (asc_test_random (&random), 0);
}

static void
lost_frames_cost_only_themselves (void **state)
{
  (void)state;
  uint32_t random = asc_test_seed () * 3;
  for (int i = 0; i < 20; i++)
    round_trip (asc_test_random (&random), 5 + (unsigned)i * 3);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (all_events_come_back),
  cmocka_unit_test (lost_frames_cost_only_themselves),
};

ASC_TEST_MAIN (tests)
