/* The simulated board: deterministic, true to its truth, cooperative, within its line. */
#include "asc-test.h"

#include "demo-sink.h"

typedef struct
{
  AscDemoConfig config;
  Sink sink;
  SinkRun *truth;
  size_t n_truth;
  char path[128];
} Fixture;

static void
prepare (Fixture *f)
{
  const char *folder = getenv ("TMPDIR");
  memset (f, 0, sizeof *f);
  sink_init (&f->sink);
  asc_demo_config_init (&f->config);
  f->config.seed = 7;
  f->config.seconds = 20;
  snprintf (f->path, sizeof f->path, "%s/asc-truth-XXXXXX", folder ? folder : "/tmp");
  int fd = mkstemp (f->path);
  assert_true (fd >= 0);
  close (fd);
  f->config.truth_path = f->path;
}

/* Runs the program to its end, in steps of step_ns. */
static void
run (Fixture *f, int64_t step_ns)
{
  int error = 0;
  AscDemo *demo = asc_demo_new (&f->config, &error);
  assert_non_null (demo);
  while (asc_demo_run (demo, asc_demo_now_ns (demo) + step_ns, sink_write, &f->sink))
    ;
  asc_decoder_finish (&f->sink.decoder);
  asc_demo_free (demo);
  if (f->config.truth_path)
    f->truth = sink_read_truth (f->path, &f->n_truth);
}

static void
finish (Fixture *f)
{
  unlink (f->path);
  free (f->truth);
  sink_clear (&f->sink);
  free (f);
}

static Fixture *
new_fixture (void)
{
  Fixture *f = malloc (sizeof *f);
  assert_non_null (f);
  prepare (f);
  return f;
}

static bool
same_run (const SinkRun *a, const SinkRun *b)
{
  return strcmp (a->task, b->task) == 0 && a->instance == b->instance
         && a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->exit == b->exit;
}

static void
assert_no_damage (const Fixture *f)
{
  assert_int_equal (f->sink.skipped, 0);
  assert_int_equal (f->sink.gaps, 0);
  assert_int_equal (f->sink.unknown_slots, 0);
  assert_int_equal (f->sink.stack_differs, 0);
}

static void
truth_equals_stream (void **state)
{
  static const struct
  {
    double speed, events_hz;
    unsigned n_tasks;
    bool no_loss;
    size_t chunk;
  } cases[] = {
    { 1, 0, 0, true, 0 },   { 0, 0, 0, false, 0 },     { 0, 0, 0, false, 17 },
    { 0, 0, 200, true, 0 }, { 0, 100000, 0, true, 0 }, { 3, 400000, 40, true, 0 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      Fixture *f = new_fixture ();
      f->config.speed = cases[i].speed;
      f->config.events_hz = cases[i].events_hz;
      f->config.n_tasks = cases[i].n_tasks;
      f->config.no_loss = cases[i].no_loss;
      f->config.seconds = cases[i].events_hz > 0 ? 3 : 20;
      f->sink.chunk = cases[i].chunk;
      run (f, 2000000);
      assert_no_damage (f);
      assert_int_equal (f->sink.lost_stretches, 0);
      assert_true (f->n_truth > 1000);
      assert_int_equal (f->sink.n_runs, f->n_truth);
      for (size_t k = 0; k < f->n_truth; k++)
        assert_true (same_run (&f->sink.runs[k], &f->truth[k]));
      assert_int_equal (f->sink.hello.events,
                        asc_decoder_totals (&f->sink.decoder)->events);
      printf ("# case %zu: %zu runs, %.2f bytes an event, %.0f events/s\n", i, f->n_truth,
              (double)f->sink.bytes
                  / (double)asc_decoder_totals (&f->sink.decoder)->events,
              (double)asc_decoder_totals (&f->sink.decoder)->events / f->config.seconds);
      finish (f);
    }
}

/* The same seed, however time is cut, gives the same bytes; another seed does not. */
static void
seeds_decide (void **state)
{
  (void)state;
  Fixture *a = new_fixture (), *b = new_fixture (), *c = new_fixture ();
  a->config.truth_path = b->config.truth_path = c->config.truth_path = NULL;
  a->config.seconds = b->config.seconds = c->config.seconds = 30;
  a->sink.keep = b->sink.keep = c->sink.keep = true;
  c->config.seed = 8;
  run (a, 1000000);
  run (b, 777777);
  run (c, 1000000);
  assert_int_equal (a->sink.n_stream, b->sink.n_stream);
  assert_memory_equal (a->sink.stream, b->sink.stream, a->sink.n_stream);
  assert_false (a->sink.n_stream == c->sink.n_stream
                && memcmp (a->sink.stream, c->sink.stream, c->sink.n_stream) == 0);
  finish (a);
  finish (b);
  finish (c);
}

static void
loss_is_accounted (void **state)
{
  (void)state;
  Fixture *f = new_fixture ();
  f->config.seconds = 90;
  run (f, 3000000);
  assert_no_damage (f);
  assert_in_range (f->sink.lost_stretches, 2, 5);
  assert_true (f->sink.dropped > 0);
  assert_int_equal (f->sink.hello.dropped, f->sink.dropped);
  /* Everything that happened was either decoded or is in a LOST. */
  assert_int_equal (f->sink.hello.events, asc_decoder_totals (&f->sink.decoder)->events
                                              - f->sink.lost_stretches + f->sink.dropped);
  /* No run that the truth does not have. */
  size_t k = 0;
  for (size_t i = 0; i < f->sink.n_runs; i++, k++)
    {
      while (k < f->n_truth && !same_run (&f->sink.runs[i], &f->truth[k]))
        k++;
      assert_true (k < f->n_truth);
    }
  assert_true (f->sink.n_runs < f->n_truth);
  assert_true (f->n_truth - f->sink.n_runs <= f->sink.dropped + f->sink.lost_stretches);
  printf ("# %d stretches, %d events dropped, %d runs missing of %d\n",
          (int)f->sink.lost_stretches, (int)f->sink.dropped,
          (int)(f->n_truth - f->sink.n_runs), (int)f->n_truth);
  finish (f);
}

static void
tasks_take_turns (void **state)
{
  (void)state;
  Fixture *f = new_fixture ();
  int64_t busy = 0, longest = 0;
  size_t hog = 0;
  run (f, 5000000);
  for (size_t i = 0; i < f->n_truth; i++)
    {
      int64_t length = f->truth[i].end_ns - f->truth[i].start_ns;
      busy += length;
      assert_true (length > 0);
      if (i > 0)
        assert_true (f->truth[i].start_ns > f->truth[i - 1].end_ns);
      if (length > longest)
        {
          longest = length;
          hog = i;
        }
    }
  /* The hog is the logger, and who was due meanwhile runs at once after it, and late. */
  assert_string_equal (f->truth[hog].task, "sd.log");
  assert_in_range (longest, 20000000, 90000000);
  assert_true (f->truth[hog + 4].start_ns - f->truth[hog].end_ns < 10000000);
  assert_true (f->sink.late_max >= 15);
  /* About as busy as a product that has a margin. */
  assert_in_range (busy / 20000000, 200, 400);
  printf ("# busy %.1f %%, late at most %d ms\n", (double)busy / 200000000.0,
          (int)f->sink.late_max);
  finish (f);
}

static void
every_kind_comes (void **state)
{
  (void)state;
  Fixture *f = new_fixture ();
  f->config.seconds = 60;
  run (f, 5000000);
  for (unsigned kind = ASC_EVENT_ENTER; kind < ASC_EVENT_UNKNOWN; kind++)
    if (kind != ASC_EVENT_RENAME && kind != ASC_EVENT_DISCONTINUITY)
      {
        if (f->sink.per_kind[kind] == 0)
          printf ("# kind %u never came\n", kind);
        assert_true (f->sink.per_kind[kind] > 0);
      }
  unsigned how[4] = { 0 };
  for (size_t i = 0; i < f->n_truth; i++)
    how[f->truth[i].exit]++;
  for (unsigned i = 0; i < 4; i++)
    assert_true (how[i] > 0);
  /* HELLO each second. */
  assert_in_range (f->sink.hellos, 59, 63);
  finish (f);
}

static void
text_arrives_whole (void **state)
{
  (void)state;
  Fixture *f = new_fixture ();
  unsigned lines = 0;
  run (f, 5000000);
  char *text = (char *)f->sink.text;
  assert_non_null (text);
  assert_non_null (strstr (text, "greenhouse: started\r\n"));
  for (char *line = strtok (text, "\r\n"); line; line = strtok (NULL, "\r\n"))
    if (strstr (line, "valve"))
      {
        size_t n = strlen (line);
        assert_true (n > 4
                     && (strcmp (line + n - 4, "open") == 0
                         || strcmp (line + n - 4, "shut") == 0));
        lines++;
      }
  assert_in_range (lines, 15, 21);
  finish (f);
}

typedef struct
{
  Sink *sink;
  AscDemo *demo;
  double most; /* bytes over what the line had time for */
  int64_t zero_ns;
  uint32_t baud;
} Line;

static size_t
line_write (void *user, const uint8_t *bytes, size_t n)
{
  Line *line = user;
  sink_write (line->sink, bytes, n);
  double time = (double)(asc_demo_now_ns (line->demo) - line->zero_ns) / 1e9;
  double over = (double)line->sink->bytes - time * line->baud / 10;
  if (over > line->most)
    line->most = over;
  return n;
}

static void
baud_limits (void **state)
{
  static const uint32_t bauds[] = { 9600, 115200, 921600 };
  (void)state;
  for (size_t i = 0; i < sizeof bauds / sizeof *bauds; i++)
    {
      Fixture *f = new_fixture ();
      int error;
      f->config.baud = bauds[i];
      f->config.seconds = 12; /* before the first stall of its script */
      AscDemo *demo = asc_demo_new (&f->config, &error);
      assert_non_null (demo);
      Line line = { &f->sink, demo, -1e9, asc_demo_now_ns (demo), bauds[i] };
      while (asc_demo_run (demo, asc_demo_now_ns (demo) + 1000000, line_write, &line))
        ;
      asc_decoder_finish (&f->sink.decoder);
      assert_no_damage (f);
      assert_true (line.most <= 1);
      /* A slow line loses, and says so; a usual one has room. */
      assert_int_equal (f->sink.lost_stretches > 0, bauds[i] < 100000);
      assert_int_equal (f->sink.hello.dropped, f->sink.dropped);
      printf ("# %u baud: %.0f bytes/s, %d events dropped\n", (unsigned)bauds[i],
              (double)f->sink.bytes / 20, (int)f->sink.dropped);
      asc_demo_free (demo);
      finish (f);
    }
}

static void
truth_that_cannot_be_written (void **state)
{
  (void)state;
  AscDemoConfig config;
  int error = 0;
  asc_demo_config_init (&config);
  config.truth_path = "/nonexistent/truth.csv";
  assert_null (asc_demo_new (&config, &error));
  assert_int_equal (error, 2);
}

static struct CMUnitTest tests[] = {
  cmocka_unit_test (truth_equals_stream), cmocka_unit_test (seeds_decide),
  cmocka_unit_test (loss_is_accounted),   cmocka_unit_test (tasks_take_turns),
  cmocka_unit_test (every_kind_comes),    cmocka_unit_test (text_arrives_whole),
  cmocka_unit_test (baud_limits),         cmocka_unit_test (truth_that_cannot_be_written),
};

ASC_TEST_MAIN (tests)
