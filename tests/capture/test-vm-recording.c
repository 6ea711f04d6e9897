/* A recording of a true CDC-ACM device that is unplugged in the middle and comes back:
 * the file opens, holds both parts, and says what happened between. In the virtual
 * machine of tests/link/vm. */
#include "asc-recording.h"
#include "asc-test.h"
#include "vm-board.h"

#include "asc-decoder.h"
#include "asc-file.h"
#include "asc-host-frames.h"
#include "asc-test-board.h"

#define PATH "/tmp/unplugged.trace"
#define STUCK_MS 30000

typedef struct
{
  GMutex mutex;
  guint events[ASC_RECORDING_OVERLOAD + 1]; /* how many of each */
} Heard;

static void
on_event (void *user, AscRecordingEvent event, const char *message)
{
  Heard *h = user;
  printf ("# event %d: %s\n", (int)event, message);
  g_mutex_lock (&h->mutex);
  h->events[event]++;
  g_mutex_unlock (&h->mutex);
}

static guint
count (Heard *h, AscRecordingEvent event)
{
  g_mutex_lock (&h->mutex);
  guint n = h->events[event];
  g_mutex_unlock (&h->mutex);
  return n;
}

static void
wait_event (Heard *h, AscRecordingEvent event)
{
  int64_t end = vm_now_ms () + STUCK_MS;
  while (count (h, event) == 0)
    {
      if (vm_now_ms () > end)
        fail_msg ("event %d did not come", (int)event);
      vm_sleep_ms (2);
    }
}

static void
wait_received (AscRecording *recording, guint64 bytes)
{
  int64_t end = vm_now_ms () + STUCK_MS;
  while (asc_recording_received (recording) < bytes && vm_now_ms () < end)
    vm_sleep_ms (2);
  assert_int_equal (asc_recording_received (recording), bytes);
}

static AscRecording *
start (Heard *h)
{
  GError *error = NULL;
  AscRecordingOptions options
      = { .path = PATH, .reconnect = true, .replace = true, .keep_free = 1 };
  AscSourceSpec *spec = asc_source_spec_parse (vm_board_port (), &error);
  assert_non_null (spec);
  AscRecording *recording = asc_recording_start (spec, &options, on_event, h, &error);
  if (recording == NULL)
    fail_msg ("%s", error->message);
  asc_source_spec_free (spec);
  return recording;
}

/* ---- what is in the file ---- */

typedef struct
{
  AscDecoder decoder;
  GByteArray *links; /* the change of each LINK frame, in order */
  guint64 hellos;
  guint64 before, after; /* events up to it, and from then on */
} Found;

static void
found_host (void *user, const AscFrame *frame)
{
  Found *found = user;
  AscLink link;
  if (frame->type != ASC_FRAME_LINK || asc_unpack_link (frame, &link) < 0)
    return;
  guint8 change = (guint8)link.change;
  g_byte_array_append (found->links, &change, 1);
}

static void
found_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  Found *found = user;
  (void)frame;
  (void)hello;
  found->hellos++;
}

static void
found_events (void *user,
              const AscFrame *frame,
              const AscBatch *batch,
              const AscEvent *events,
              size_t n)
{
  Found *found = user;
  (void)frame;
  (void)batch;
  (void)events;
  if (found->links->len < 2)
    found->before += n;
  else
    found->after += n;
}

static const AscDecoderSink sink
    = { .host = found_host, .hello = found_hello, .events = found_events };

static Found *
decode_new (AscOrigin origin)
{
  Found *found = g_new0 (Found, 1);
  found->links = g_byte_array_new ();
  asc_decoder_init (&found->decoder, origin, &sink, found);
  return found;
}

static void
decode_free (Found *found)
{
  g_byte_array_unref (found->links);
  g_free (found);
}

static Found *
decode_file (void)
{
  GError *error = NULL;
  Found *found = decode_new (ASC_FROM_FILE);
  AscFileReader *file = asc_file_open (PATH, &error);
  if (file == NULL)
    fail_msg ("%s", error->message);
  const guint8 *bytes;
  gssize n;
  while ((n = asc_file_next (file, &bytes, &error)) > 0)
    asc_decoder_feed (&found->decoder, bytes, (gsize)n);
  assert_int_equal (n, 0);
  asc_decoder_finish (&found->decoder);
  asc_file_close (file);
  return found;
}

static guint64
events_in (const guint8 *bytes, gsize n)
{
  Found *found = decode_new (ASC_FROM_WIRE);
  asc_decoder_feed (&found->decoder, bytes, n);
  asc_decoder_finish (&found->decoder);
  guint64 events = found->before;
  decode_free (found);
  return events;
}

/* ---- the case ---- */

/* The same session goes on after the return: a board with its own supply. */
static void
test_both_parts_are_in_the_file (void **state)
{
  (void)state;
  Heard h = { 0 };
  g_mutex_init (&h.mutex);
  assert_true (vm_board_make ("ASC-0001"));
  GByteArray *stream = g_byte_array_new ();
  AscTestBoard board;
  asc_test_board_begin (&board, stream, 0x1234567);
  while (stream->len < 200000)
    asc_test_board_run (&board, board.ticks & 1, 1 + (guint32)(board.ticks % 997));
  asc_test_board_hello (&board);
  gsize half = stream->len;
  while (stream->len < 400000)
    asc_test_board_run (&board, board.ticks & 1, 1 + (guint32)(board.ticks % 997));
  asc_test_board_hello (&board);

  AscRecording *recording = start (&h);
  wait_event (&h, ASC_RECORDING_CONNECTED);
  assert_true (vm_board_send (stream->data, half, STUCK_MS));
  wait_received (recording, half);
  assert_true (vm_board_unplug ());
  wait_event (&h, ASC_RECORDING_LOST);
  assert_true (vm_board_plug ());
  wait_event (&h, ASC_RECORDING_BACK);
  assert_true (vm_board_send (stream->data + half, stream->len - half, STUCK_MS));
  wait_received (recording, stream->len);
  gint64 begin = g_get_monotonic_time ();
  asc_recording_disconnect (recording);
  double took = (double)(g_get_monotonic_time () - begin) / 1e3;
  printf ("# disconnecting took %.1f ms\n", took);
  assert_true (took < 100 * vm_patience ());
  asc_recording_stop (recording);
  asc_recording_free (recording);

  Found *found = decode_file ();
  const AscDecoderTotals *totals = asc_decoder_totals (&found->decoder);
  printf ("# events: %u before, %u after\n", (guint)found->before, (guint)found->after);
  static const guint8 links[]
      = { ASC_LINK_CONNECTED, ASC_LINK_LOST, ASC_LINK_BACK, ASC_LINK_ENDED };
  assert_int_equal (found->links->len, sizeof links);
  assert_memory_equal (found->links->data, links, sizeof links);
  assert_int_equal (found->before, events_in (stream->data, half));
  assert_int_equal (found->before + found->after, events_in (stream->data, stream->len));
  assert_int_equal (totals->missing_events, 0);
  assert_int_equal (found->hellos, 3);
  for (guint i = 0; i < ASC_SKIP_N; i++)
    assert_int_equal (totals->skipped[i], 0);
  decode_free (found);
  g_byte_array_unref (stream);
  g_mutex_clear (&h.mutex);
}

static int
teardown (void **state)
{
  (void)state;
  vm_board_destroy ();
  return 0;
}

int
main (void)
{
  struct CMUnitTest tests[]
      = { cmocka_unit_test_teardown (test_both_parts_are_in_the_file, teardown) };
  return asc_test_run (tests, sizeof tests / sizeof *tests);
}
