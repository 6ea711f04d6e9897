/* The reader thread on a true CDC-ACM device: it goes on over unplug and return by
 * itself, rests while there is nothing to do, and stops at once. */
#include "asc-reader.h"
#include "asc-test.h"
#include "vm-board.h"

#include <string.h>

#define STUCK_MS 30000
#define SERIAL "ASC-0001"

/* What the reader handed on. */
typedef struct
{
  GMutex mutex;
  GByteArray *bytes;
  guint events[ASC_READER_FAILED + 1]; /* how many of each */
  int64_t lost_ms;
} Heard;

static void
on_bytes (void *user, const guint8 *bytes, gsize n)
{
  Heard *h = user;
  g_mutex_lock (&h->mutex);
  g_byte_array_append (h->bytes, bytes, (guint)n);
  g_mutex_unlock (&h->mutex);
}

static void
on_event (void *user, AscReaderEvent event, const char *message)
{
  Heard *h = user;
  printf ("# event %d: %s\n", (int)event, message != NULL ? message : "");
  g_mutex_lock (&h->mutex);
  h->events[event]++;
  if (event == ASC_READER_LOST)
    h->lost_ms = vm_now_ms ();
  g_mutex_unlock (&h->mutex);
}

static guint
count (Heard *h, AscReaderEvent event)
{
  g_mutex_lock (&h->mutex);
  guint n = h->events[event];
  g_mutex_unlock (&h->mutex);
  return n;
}

static void
wait_event (Heard *h, AscReaderEvent event, guint times)
{
  int64_t end = vm_now_ms () + STUCK_MS;
  while (count (h, event) < times)
    {
      if (vm_now_ms () > end)
        fail_msg ("event %d came %u times, not %u", (int)event, count (h, event), times);
      vm_sleep_ms (2);
    }
}

/* Waits until all that is expected is there, and a little for what is not. */
static void
assert_heard (Heard *h, const char *text)
{
  int64_t end = vm_now_ms () + STUCK_MS;
  gsize n = 0;
  while (n < strlen (text) && vm_now_ms () < end)
    {
      g_mutex_lock (&h->mutex);
      n = h->bytes->len;
      g_mutex_unlock (&h->mutex);
      vm_sleep_ms (2);
    }
  g_mutex_lock (&h->mutex);
  assert_int_equal (h->bytes->len, strlen (text));
  assert_memory_equal (h->bytes->data, text, strlen (text));
  g_mutex_unlock (&h->mutex);
}

static double
cpu_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
setup (void **state)
{
  Heard *h = g_new0 (Heard, 1);
  g_mutex_init (&h->mutex);
  h->bytes = g_byte_array_new ();
  *state = h;
  return vm_board_make (SERIAL) ? 0 : -1;
}

static int
teardown (void **state)
{
  Heard *h = *state;
  vm_board_destroy ();
  g_mutex_clear (&h->mutex);
  g_byte_array_unref (h->bytes);
  g_free (h);
  return 0;
}

static AscReader *
start_reader (Heard *h)
{
  static const AscReaderSink sink = { .bytes = on_bytes, .event = on_event };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat (vm_board_port (), "@921600", NULL);
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (text, &error);
  assert_non_null (spec);
  AscReader *reader = asc_reader_start (spec, &sink, h);
  wait_event (h, ASC_READER_CONNECTED, 1);
  return reader;
}

static void
test_goes_on_after_the_return (void **state)
{
  Heard *h = *state;
  g_autoptr (GString) sent = g_string_new (NULL);
  AscReader *reader = start_reader (h);
  for (guint i = 1; i <= 3; i++)
    {
      g_autofree char *text = g_strdup_printf ("part %u\r\n", i);
      assert_true (vm_board_send (text, strlen (text), STUCK_MS));
      g_string_append (sent, text);
      assert_heard (h, sent->str);
      int64_t pulled = vm_now_ms ();
      assert_true (vm_board_unplug ());
      wait_event (h, ASC_READER_LOST, i);
      assert_in_range (h->lost_ms - pulled, 0, 1000 * vm_patience ());
      vm_sleep_ms (200);
      int64_t plugged = vm_now_ms ();
      assert_true (vm_board_plug ());
      int64_t there = vm_now_ms ();
      wait_event (h, ASC_READER_BACK, i);
      printf ("# loss noticed after %d ms; back %d ms after the plug, the port was there "
              "after "
              "%d ms\n",
              (int)(h->lost_ms - pulled), (int)(vm_now_ms () - plugged),
              (int)(there - plugged));
    }
  assert_true (vm_board_send ("the end", 7, STUCK_MS));
  g_string_append (sent, "the end");
  assert_heard (h, sent->str);
  asc_reader_stop (reader);
  assert_int_equal (count (h, ASC_READER_CONNECTED), 1);
  assert_int_equal (count (h, ASC_READER_LOST), 3);
  assert_int_equal (count (h, ASC_READER_BACK), 3);
  assert_int_equal (count (h, ASC_READER_ENDED), 1);
  asc_reader_free (reader);
}

/* A second of nothing, with the board silent and with the board away, takes no CPU. */
static void
test_rests_while_nothing_comes (void **state)
{
  Heard *h = *state;
  AscReader *reader = start_reader (h);
  for (int away = 0; away < 2; away++)
    {
      if (away)
        {
          assert_true (vm_board_unplug ());
          wait_event (h, ASC_READER_LOST, 1);
        }
      double cpu = cpu_ms ();
      guint64 turns = asc_reader_turns (reader);
      vm_sleep_ms (1000);
      cpu = cpu_ms () - cpu;
      turns = asc_reader_turns (reader) - turns;
      printf ("# a second with the board %s: %.1f ms of CPU, %u turns\n",
              away ? "away" : "silent", cpu, (guint)turns);
      assert_true (cpu < 300);
      assert_in_range (turns, 0, 50);
    }
  asc_reader_free (reader);
}

/* Stops, and reports how long it took; the port must be free for the next at once. */
static void
assert_stops (AscReader *reader, const char *what)
{
  vm_sleep_ms (100);
  gint64 begin = g_get_monotonic_time ();
  asc_reader_stop (reader);
  double took = (double)(g_get_monotonic_time () - begin) / 1e3;
  asc_reader_free (reader);
  printf ("# stopping with %s took %.1f ms\n", what, took);
  assert_true (took < 100 * vm_patience ());
}

static void
assert_port_is_free (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AscSourceSpec) spec = asc_source_spec_parse (vm_board_port (), NULL);
  AscSource *source = asc_source_open (spec, &error);
  if (source == NULL)
    fail_msg ("the port is not free: %s", error->message);
  asc_source_free (source);
}

static void
test_stops_while_the_board_is_silent (void **state)
{
  assert_stops (start_reader (*state), "a silent board");
  assert_port_is_free ();
}

static void
test_stops_while_the_board_is_away (void **state)
{
  AscReader *reader = start_reader (*state);
  assert_true (vm_board_unplug ());
  wait_event (*state, ASC_READER_LOST, 1);
  assert_stops (reader, "the board away");
}

static void
test_stops_while_the_board_is_deaf (void **state)
{
  static char much[65536];
  AscReader *reader = start_reader (*state);
  gssize n = 1;
  for (int i = 0; i < 10 && n > 0; i++)
    n = asc_reader_write (reader, much, sizeof much, NULL);
  assert_stops (reader, "unsent bytes for a deaf board");
  assert_port_is_free ();
}

static gpointer
flood_thread (gpointer data)
{
  static guint8 much[1 << 20];
  (void)data;
  /* Until nobody takes it any more, which it says. */
  while (vm_board_send (much, sizeof much, 1000))
    ;
  return NULL;
}

static void
test_stops_in_the_middle_of_a_flood (void **state)
{
  AscReader *reader = start_reader (*state);
  GThread *thread = g_thread_new ("flood", flood_thread, NULL);
  vm_sleep_ms (300);
  assert_stops (reader, "bytes pouring in");
  g_thread_join (thread);
  assert_port_is_free ();
}

int
main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
  struct CMUnitTest tests[] = {
    TEST (test_goes_on_after_the_return),
    TEST (test_rests_while_nothing_comes),
    TEST (test_stops_while_the_board_is_silent),
    TEST (test_stops_while_the_board_is_away),
    TEST (test_stops_while_the_board_is_deaf),
    TEST (test_stops_in_the_middle_of_a_flood),
  };
  return asc_test_run (tests, sizeof tests / sizeof *tests);
}
