/* Fuzzes the model: the input as bytes of a stream, and once more as a recipe for frames
 * with right checks, which reach what lies behind them. Everything is then asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asc-encoder.h"
#include "asc-load.h"
#include "asc-stats.h"
#include "asc-waits.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

#define CHECK(what)                                                                      \
  do                                                                                     \
    if (!(what))                                                                         \
      {                                                                                  \
        fprintf (stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                      \
        abort ();                                                                        \
      }                                                                                  \
  while (0)

static void
ask_lane (const AscSession *session, AscLane *lane)
{
  AscLaneInfo info;
  AscRun runs[32];
  AscColumn columns[16];
  AscSampleColumn samples[16];
  asc_lane_info (lane, &info);
  gsize n = asc_lane_runs (lane, G_MININT64, G_MAXINT64, runs, 32);
  CHECK (n <= 33);
  for (gsize i = 1; i < MIN (n, 32); i++)
    CHECK (runs[i - 1].start_ns <= runs[i].start_ns
           && runs[i - 1].end_ns <= runs[i].end_ns);
  AscGrid *all = asc_grid_new (session, 0, G_MAXINT64, 16);
  AscGrid *early = asc_grid_new (session, G_MININT64, 1000000000, 16);
  asc_lane_columns (lane, all, ASC_EXACT, 1000, columns);
  asc_lane_columns (lane, early, ASC_TOLERANT, 1000, columns);
  asc_lane_sample_columns (lane, early, samples);
  asc_grid_free (all);
  asc_grid_free (early);
  AscRun run;
  const AscLane *by;
  gint64 overlap;
  AscTaskTime times[2];
  if (asc_lane_run_before (lane, G_MAXINT64, &run))
    {
      asc_session_held_up_by (session, &run, &by, &overlap);
      asc_session_held_up (session, &run, times, 2);
      asc_lane_is_longest (lane, &run);
    }
  asc_lane_wait_at (lane, 1000000, &run);
}

static void
ask (AscTrace *trace)
{
  for (guint s = 0; s < MIN (asc_trace_n_sessions (trace), 4u); s++)
    {
      AscSession *session = asc_trace_session (trace, s);
      AscSessionInfo info;
      AscStretch stretches[8];
      AscMargin margin;
      AscHog hogs[4];
      float load[8];
      asc_session_info (session, &info);
      CHECK (info.first_ns <= info.end_ns);
      asc_session_stretches (session, G_MININT64, G_MAXINT64, stretches, 8);
      for (guint i = 0; i < MIN (asc_session_n_lanes (session), 64u); i++)
        ask_lane (session, asc_session_lane (session, i));
      gint64 span = info.end_ns - info.first_ns;
      asc_session_margin (session, MAX (span / 10, 1), 0, &margin);
      CHECK (!margin.known || (margin.worst >= 0 && margin.worst <= 1));
      AscGrid *grid = asc_grid_new (session, info.first_ns, info.end_ns, 8);
      asc_session_load (grid, ASC_EXACT, load);
      asc_grid_free (grid);
      asc_session_hogs (session, 1, G_MININT64, G_MAXINT64, hogs, 4);
      AscStats *stats = asc_stats_new (session, G_MININT64, G_MAXINT64, NULL);
      CHECK (stats->coverage >= 0 && stats->coverage <= 1);
      asc_stats_free (stats);
    }
}

static void
feed (AscOrigin origin, const uint8_t *data, size_t size)
{
  AscTrace *trace = asc_trace_new (origin);
  asc_trace_feed (trace, data, size / 2);
  ask (trace);
  asc_trace_feed (trace, data + size / 2, size - size / 2);
  asc_trace_finish (trace);
  ask (trace);
  for (gsize i = 0; i < asc_trace_n_problems (trace); i++)
    {
      AscProblem problem;
      asc_trace_problem (trace, i, &problem);
      g_free (asc_problem_text (&problem));
    }
  asc_trace_free (trace);
}

/* Four bytes of head (type, length, context, flags), then the payload. */
static void
feed_frames (const uint8_t *data, size_t size)
{
  GByteArray *stream = g_byte_array_new ();
  uint16_t sequence = 0;
  size_t at = 0;
  while (at + 4 <= size)
    {
      uint8_t frame[ASC_FRAME_MAX];
      const uint8_t *head = data + at;
      size_t length = MIN (head[1], size - at - 4);
      uint8_t type = head[0] < 0xF0 ? (uint8_t)(1 + head[0] % 5) : head[0];
      sequence = (uint16_t)(sequence + (head[3] & 0x0F ? 0 : head[3] >> 4));
      size_t n = asc_encode_frame (frame, type, sequence++, head[3] & 0x80 ? 2 : 1,
                                   head[2], head + 4, (uint8_t)length);
      g_byte_array_append (stream, frame, (guint)n);
      at += 4 + length;
    }
  feed (ASC_FROM_WIRE, stream->data, stream->len);
  g_byte_array_unref (stream);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  feed (ASC_FROM_WIRE, data, size);
  feed (ASC_FROM_FILE, data, size);
  feed_frames (data, size);
  return 0;
}
