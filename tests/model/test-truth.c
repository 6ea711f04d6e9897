/* Runs of random programs against what they really did, and any split against the whole.
 */
#include "asc-lane.h"
#include "asc-stats.h"
#include "asc-test.h"
#include "random-board.h"

#define SEEDS 300

static AscTrace *
feed_whole (const RandomBoard *random)
{
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, random->stream->data, random->stream->len);
  asc_trace_finish (trace);
  return trace;
}

static bool
matches (const TrueRun *truth,
         const AscLaneInfo *info,
         const AscRun *run,
         AscSession *session)
{
  char unnamed[32];
  /* Its name may never have come. */
  g_snprintf (unnamed, sizeof unnamed, "(name %s)", strstr (truth->name, "task") + 4);
  bool named = strcmp (info->name, truth->name) == 0 || strcmp (info->name, unnamed) == 0;
  bool censored = run->flags & ASC_RUN_CENSORED, headless = run->flags & ASC_RUN_HEADLESS;
  if (truth->context != info->context || (!headless && truth->nested != info->nested))
    return false;
  gint64 start = asc_session_ns (session, truth->start);
  gint64 end = asc_session_ns (session, truth->end);
  if (headless ? run->start_ns < start : run->start_ns != start)
    return false;
  if (censored ? run->end_ns > end : run->end_ns != end)
    return false;
  if (run->instance != 0 && (!named || run->instance != truth->instance))
    return false;
  if (!censored && run->exit != truth->exit)
    return false;
  if (!headless && (run->flags & ASC_RUN_LATE ? run->late_ms : -1) != truth->late_ms)
    return false;
  return true;
}

/* Each reported run is one that happened; without a loss each that happened is reported.
 */
static void
check_lane (const RandomBoard *random,
            guint index,
            AscSession *session,
            AscLane *lane,
            GHashTable *seen)
{
  AscLaneInfo info;
  asc_lane_info (lane, &info);
  if (info.kind != ASC_LANE_TASK)
    return;
  AscRun *runs = g_new (AscRun, info.n_runs + 1);
  gsize n = asc_lane_runs (lane, G_MININT64, G_MAXINT64, runs, info.n_runs + 1);
  assert_int_equal (n, info.n_runs);
  for (gsize i = 0; i < n; i++)
    {
      bool found = false;
      for (guint t = 0; t < random->runs->len && !found; t++)
        {
          const TrueRun *truth = &g_array_index (random->runs, TrueRun, t);
          if (truth->session != index || !matches (truth, &info, &runs[i], session))
            continue;
          found = true;
          if (!(runs[i].flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS)))
            g_hash_table_add (seen, GUINT_TO_POINTER (t));
        }
      for (guint t = 0; t < random->runs->len && !found; t++)
        {
          const TrueRun *q = &g_array_index (random->runs, TrueRun, t);
          if (asc_session_ns (session, q->start) == runs[i].start_ns
              || asc_session_ns (session, q->end) == runs[i].end_ns)
            printf ("# truth s%u %s ctx %02x nested %d inst %u %ld-%ld exit %u late %d\n",
                    q->session, q->name, q->context, q->nested, q->instance,
                    (long)asc_session_ns (session, q->start),
                    (long)asc_session_ns (session, q->end), q->exit, q->late_ms);
        }
      if (!found)
        fail_msg ("%s context %02x nested %d: %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT
                  " instance %u flags %x exit %u late %u is no true run",
                  info.name, info.context, info.nested, runs[i].start_ns, runs[i].end_ns,
                  runs[i].instance, runs[i].flags, runs[i].exit, runs[i].late_ms);
      if (i > 0)
        assert_true (runs[i - 1].end_ns <= runs[i].start_ns);
    }
  g_free (runs);
}

static void
runs_are_true (void **state)
{
  (void)state;
  for (guint32 seed = 1; seed <= SEEDS; seed++)
    {
      RandomBoard random;
      random_board_make (&random, seed);
      AscTrace *trace = feed_whole (&random);
      GHashTable *seen = g_hash_table_new (NULL, NULL);
      assert_int_equal (asc_trace_n_sessions (trace), random.n_sessions);
      guint64 lost = 0;
      for (guint s = 0; s < random.n_sessions; s++)
        {
          AscSession *session = asc_trace_session (trace, s);
          AscSessionInfo info;
          asc_session_info (session, &info);
          lost += info.lost_events;
          for (guint i = 0; i < asc_session_n_lanes (session); i++)
            check_lane (&random, s, session, asc_session_lane (session, i), seen);
        }
      if (random.lossless && g_hash_table_size (seen) != random.runs->len)
        fail_msg ("seed %u: %u of %u runs", seed, g_hash_table_size (seen),
                  random.runs->len);
      AscDecoderTotals totals;
      asc_trace_totals (trace, &totals);
      if (lost != random.lost)
        printf ("# missing %lu dropped %lu sessions %u ctx %u\n", totals.missing_events,
                totals.dropped_events, random.n_sessions, random.n_contexts);
      if (lost != random.lost)
        fail_msg ("seed %u: %" G_GUINT64_FORMAT " lost, told %" G_GUINT64_FORMAT, seed,
                  random.lost, lost);
      g_hash_table_destroy (seen);
      asc_trace_free (trace);
      random_board_clear (&random);
    }
}

/* Everything that can be asked, as text. */
static char *
describe (AscTrace *trace)
{
  GString *out = g_string_new (NULL);
  for (guint s = 0; s < asc_trace_n_sessions (trace); s++)
    {
      AscSession *session = asc_trace_session (trace, s);
      AscSessionInfo info;
      asc_session_info (session, &info);
      g_string_append_printf (out, "session %x %d %ld %ld %ld %lu %lu %lu\n", info.id,
                              info.ended, (long)info.first_ns, (long)info.end_ns,
                              (long)info.watermark_ns, (gulong)info.n_events,
                              (gulong)info.n_runs, (gulong)info.lost_events);
      AscStretch stretches[512];
      gsize n = asc_session_stretches (session, G_MININT64, G_MAXINT64, stretches, 512);
      for (gsize i = 0; i < MIN (n, 512); i++)
        g_string_append_printf (out, "  stretch %d %ld %ld %lu\n", (int)stretches[i].kind,
                                (long)stretches[i].from_ns, (long)stretches[i].to_ns,
                                (gulong)stretches[i].count);
      for (guint l = 0; l < asc_session_n_lanes (session); l++)
        {
          AscLaneInfo lane;
          asc_lane_info (asc_session_lane (session, l), &lane);
          g_string_append_printf (out, "  %s %d %u %u %u %u\n", lane.name, (int)lane.kind,
                                  lane.context, lane.instances, lane.alive, lane.most);
          for (gint64 at = G_MININT64;;)
            {
              AscRun run;
              AscSample sample;
              if (lane.kind >= ASC_LANE_PIN && lane.kind <= ASC_LANE_MARK)
                {
                  if (!asc_lane_samples (asc_session_lane (session, l), at, G_MAXINT64,
                                         &sample, 1))
                    break;
                  g_string_append_printf (out, "    %ld %ld\n", (long)sample.time_ns,
                                          (long)sample.value);
                  at = sample.time_ns + 1;
                  continue;
                }
              if (!asc_lane_run_after (asc_session_lane (session, l), at, &run))
                break;
              g_string_append_printf (out, "    %ld %ld %u %u %u\n", (long)run.start_ns,
                                      (long)run.end_ns, run.instance, run.flags,
                                      run.exit);
              at = run.start_ns;
            }
        }
    }
  for (gsize i = 0; i < asc_trace_n_problems (trace); i++)
    {
      AscProblem problem;
      asc_trace_problem (trace, i, &problem);
      char *text = asc_problem_text (&problem);
      g_string_append_printf (out, "%lu %s\n", (gulong)problem.offset, text);
      g_free (text);
    }
  return g_string_free (out, FALSE);
}

static void
splits_change_nothing (void **state)
{
  (void)state;
  guint32 dice = asc_test_seed ();
  for (guint32 seed = 1; seed <= 40; seed++)
    {
      RandomBoard random;
      random_board_make (&random, seed);
      AscTrace *whole = feed_whole (&random), *pieces = asc_trace_new (ASC_FROM_WIRE);
      for (guint at = 0; at < random.stream->len;)
        {
          guint n = seed % 4 == 0 ? 1 : 1 + asc_test_random (&dice) % 700;
          n = MIN (n, random.stream->len - at);
          asc_trace_feed (pieces, random.stream->data + at, n);
          at += n;
        }
      asc_trace_finish (pieces);
      char *a = describe (whole), *b = describe (pieces);
      assert_string_equal (a, b);
      g_free (a);
      g_free (b);
      asc_trace_free (whole);
      asc_trace_free (pieces);
      random_board_clear (&random);
    }
}

/* An observer takes the long way through every event: the same trace. */
static void
count_told (void *user, const AscTold *told)
{
  guint64 *counts = user;
  counts[told->kind]++;
}

static void
observed_is_the_same (void **state)
{
  (void)state;
  for (guint32 seed = 1; seed <= 40; seed++)
    {
      RandomBoard random;
      guint64 counts[ASC_TOLD_TEXT + 1] = { 0 };
      random_board_make (&random, seed);
      AscTrace *plain = feed_whole (&random), *observed = asc_trace_new (ASC_FROM_WIRE);
      asc_trace_set_observer (observed, count_told, counts);
      asc_trace_feed (observed, random.stream->data, random.stream->len);
      asc_trace_finish (observed);
      char *a = describe (plain), *b = describe (observed);
      assert_string_equal (a, b);
      AscDecoderTotals totals;
      asc_trace_totals (observed, &totals);
      assert_int_equal (counts[ASC_TOLD_EVENT], totals.events);
      g_free (a);
      g_free (b);
      asc_trace_free (plain);
      asc_trace_free (observed);
      random_board_clear (&random);
    }
}

int
main (void)
{
  struct CMUnitTest tests[] = {
    cmocka_unit_test (runs_are_true),
    cmocka_unit_test (splits_change_nothing),
    cmocka_unit_test (observed_is_the_same),
  };
  return asc_test_run (tests, G_N_ELEMENTS (tests));
}
