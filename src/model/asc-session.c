#include "asc-model.h"

#define NS_PER_S G_GUINT64_CONSTANT (1000000000)

__extension__ typedef unsigned __int128 u128;

AscSession *
asc_session_new (AscTrace *trace, guint index)
{
  AscSession *session = g_new0 (AscSession, 1);
  session->trace = trace;
  session->index = index;
  session->gc_start = ASC_NO_TICKS;
  atomic_init (&session->tick_hz, 1000000u);
  atomic_init (&session->first, ASC_NO_TICKS);
  atomic_init (&session->start, ASC_NO_TICKS);
  atomic_init (&session->wall_offset_ns, G_MININT64);
  atomic_init (&session->board, "");
  atomic_init (&session->firmware, "");
  atomic_init (&session->program, "");
  asc_list_init (&session->lanes, sizeof (AscLane *));
  asc_list_init (&session->stretches, sizeof (AscTickStretch));
  asc_arena_init (&session->tally_arena);
  pthread_mutex_init (&session->lock, NULL);
  return session;
}

void
asc_session_free (AscSession *session)
{
  for (guint64 i = 0; i < asc_list_length (&session->lanes); i++)
    asc_lane_free (*(AscLane **)asc_list_at (&session->lanes, i));
  asc_list_clear (&session->lanes);
  asc_list_clear (&session->stretches);
  asc_load_state_free (session->load);
  asc_arena_clear (&session->tally_arena);
  pthread_mutex_destroy (&session->lock);
  g_free (session);
}

/* Round half up; what lies behind the latest time is the latest time. */
static gint64
to_ns (const AscSession *session, guint64 ticks)
{
  guint64 hz = asc_get (&session->tick_hz);
  if (hz == 1000000 && ticks < ASC_NS_TOP / 1000)
    return (gint64)(ticks * 1000);
  /* Seconds apart: what is left, below 2³² ticks, needs no 128 bits. */
  guint64 seconds = ticks / hz, rest = ticks % hz;
  if (seconds > ASC_NS_TOP / NS_PER_S)
    return ASC_NS_TOP;
  guint64 ns = seconds * NS_PER_S + (rest * 2 * NS_PER_S + hz) / (2 * hz);
  return (gint64)MIN (ns, (guint64)ASC_NS_TOP);
}

gint64
asc_session_ns (const AscSession *session, guint64 ticks)
{
  return to_ns (session, ticks);
}

gint64
asc_session_length_ns (const AscSession *session, guint64 ticks)
{
  return to_ns (session, ticks);
}

guint64
asc_session_ticks (const AscSession *session, gint64 ns)
{
  if (ns <= 0)
    return 0;
  guint64 hz = asc_get (&session->tick_hz), t = (guint64)ns;
  u128 ticks = (u128)(t / NS_PER_S) * hz + t % NS_PER_S * hz / NS_PER_S;
  return ticks < ASC_TICKS_TOP ? (guint64)ticks : ASC_TICKS_TOP;
}

guint64
asc_session_ticks_up (const AscSession *session, gint64 ns)
{
  guint64 ticks = asc_session_ticks (session, ns);
  if (ns > ASC_NS_TOP)
    return ASC_TICKS_TOP;
  /* Rounding moves by at most a tick where a tick is longer than 1 ns, else by some. */
  while (ticks > 0 && to_ns (session, ticks - 1) >= ns)
    ticks--;
  while (ticks < ASC_TICKS_TOP && to_ns (session, ticks) < ns)
    ticks++;
  return ticks;
}

guint64
asc_session_ticks_down (const AscSession *session, gint64 ns)
{
  if (ns >= ASC_NS_TOP)
    return ASC_TICKS_TOP;
  guint64 ticks = asc_session_ticks_up (session, ns + 1);
  return ticks > 0 ? ticks - 1 : 0;
}

guint64
asc_session_start (const AscSession *session)
{
  /* Both are the greatest number while they are unknown. */
  guint64 start = MIN (asc_get (&session->start), asc_get (&session->first));
  return start == ASC_NO_TICKS ? 0 : start;
}

guint64
asc_session_serial (const AscSession *session)
{
  return asc_trace_serial (session->trace);
}

void
asc_session_info (const AscSession *session, AscSessionInfo *info)
{
  guint64 first = asc_get (&session->first), start = asc_session_start (session);
  if (first == ASC_NO_TICKS)
    first = start;
  gint64 start_ns = to_ns (session, start);
  gint64 offset = asc_get (&session->wall_offset_ns);
  *info = (AscSessionInfo){
    .index = session->index,
    .id_known = asc_get (&session->id_known),
    .id = asc_get (&session->id),
    .hello_known = asc_get (&session->hello_known),
    .tick_hz = asc_get (&session->tick_hz),
    .tick_step_ns = asc_get (&session->tick_step_ns),
    .cost_ns = asc_get (&session->cost_ns),
    .cpu_hz = asc_get (&session->cpu_hz),
    .capabilities = asc_get (&session->capabilities),
    .recorder = (AscRecorderKind)asc_get (&session->recorder),
    .counter_bits = (guint8)asc_get (&session->counter_bits),
    .seal_ms = (guint16)asc_get (&session->seal_ms),
    .board = asc_get (&session->board),
    .firmware = asc_get (&session->firmware),
    .program = asc_get (&session->program),
    .start_ns = start_ns,
    .first_ns = to_ns (session, first),
    .end_ns = to_ns (session, MAX (asc_get (&session->end), first)),
    .watermark_ns = to_ns (session, asc_get (&session->watermark)),
    .wall_ns = offset == G_MININT64 ? -1 : start_ns + offset,
    .ended = asc_get (&session->ended),
    .n_events = asc_get (&session->n_events),
    .n_runs = asc_get (&session->n_runs),
    .lost_events = asc_get (&session->lost_events),
    .tail_unknown = asc_get (&session->tail_unknown),
  };
}

guint
asc_session_n_lanes (const AscSession *session)
{
  return (guint)asc_list_length (&session->lanes);
}

AscLane *
asc_session_lane (const AscSession *session, guint index)
{
  if (index >= asc_session_n_lanes (session))
    return NULL;
  return *(AscLane **)asc_list_at (&session->lanes, index);
}

static gsize
lane_marks (const AscLane *lane, gint64 from_ns, gint64 end_ns, GArray *found, gsize max)
{
  const AscSession *session = lane->session;
  guint64 n = asc_list_length (&lane->samples->list);
  guint64 from = asc_session_ticks_up (session, from_ns);
  guint64 i = from > 0 ? asc_samples_find (lane->samples, n, from - 1) : 0;
  gsize count = 0;
  for (; i < n && count <= max; i++)
    {
      const AscTickSample *sample = asc_samples_at (lane->samples, i);
      gint64 ns = to_ns (session, sample->ticks >> 1);
      if (ns >= end_ns)
        break;
      AscBoardMark mark = { ns, asc_get (&lane->name), sample->ticks & 1, sample->value };
      g_array_append_val (found, mark);
      count++;
    }
  return count;
}

static gint
by_time (gconstpointer a, gconstpointer b)
{
  const AscBoardMark *x = a, *y = b;
  return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

gsize
asc_session_marks (const AscSession *session,
                   gint64 from_ns,
                   gint64 to_ns,
                   AscBoardMark *out,
                   gsize max)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (AscBoardMark));
  guint n_lanes = asc_session_n_lanes (session);
  for (guint i = 0; i < n_lanes; i++)
    {
      const AscLane *lane = asc_session_lane (session, i);
      if (lane->kind == ASC_LANE_MARK)
        lane_marks (lane, from_ns, to_ns, found, max);
    }
  g_array_sort (found, by_time);
  gsize n = MIN ((gsize)found->len, max + 1);
  for (gsize i = 0; i < MIN (n, max); i++)
    out[i] = g_array_index (found, AscBoardMark, i);
  g_array_free (found, TRUE);
  return n;
}
