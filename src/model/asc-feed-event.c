/* One event, of any kind, in any state (feeder). */
#include "asc-model.h"

#define OPEN_SPANS_MAX 1024u

static guint64
after (guint64 ticks, gint64 length)
{
  guint64 end = ticks + (guint64)MAX (length, 0);
  return MIN (end, ASC_TICKS_TOP);
}

/* Told once a session: figures of named tasks lack what this lane has. By the second, as
 * one that is still open when its task is told becomes that task's. */
static void
tell_unnamed (AscTrace *trace, guint64 ticks)
{
  AscSession *session = trace->session;
  if (session->n_unnamed >= 2)
    return;
  if (session->n_unnamed++ == 0)
    session->unnamed_from = ticks;
  else
    asc_problems_add (trace, &(AscProblem){ .kind = ASC_PROBLEM_UNNAMED,
                                            .session = session->index,
                                            .time_ns = asc_session_ns (
                                                session, session->unnamed_from) });
}

static AscLane *
enter (AscTrace *trace,
       AscContextState *context,
       guint8 id,
       const AscEvent *event,
       guint64 ticks,
       guint32 *instance)
{
  AscOpenRun *open = &context->stack[context->depth];
  bool nested = context->depth > 0;
  AscLane *lane = asc_slots_lane (trace, event->id, id, nested, ticks, instance);
  *open = (AscOpenRun){ .lane = lane,
                        .start = ticks,
                        .instance = *instance,
                        .late = event->flags & ASC_EVENT_LATE
                                    ? MIN (event->late_ms, ASC_NOT_TIMED - 1)
                                    : ASC_NOT_TIMED,
                        .slot = (guint16)event->id };
  if (lane->known_name == &trace->unknown_task)
    tell_unnamed (trace, ticks);
  lane->taken = nested;
  context->depth++;
  return lane;
}

static AscLane *
leave (AscTrace *trace,
       AscContextState *context,
       const AscEvent *event,
       guint64 ticks,
       guint32 *instance)
{
  if (context->depth == 0)
    return NULL;
  const AscOpenRun *open = &context->stack[--context->depth];
  AscSession *session = trace->session;
  if (!open->flags)
    asc_put (&session->n_runs, asc_own (&session->n_runs) + 1);
  asc_runs_append_clipped (&open->lane->runs, open->start, ticks, open->instance,
                           open->late, (guint8)(open->flags | (event->id & 3u)));
  open->lane->taken = false;
  *instance = open->instance;
  if (event->id != ASC_EXIT_YIELD)
    asc_slots_end (trace, open->slot, open->instance, ticks);
  return open->lane;
}

static void
gc (AscTrace *trace, AscContextState *context, guint8 id, guint64 ticks, bool begins)
{
  if (!context->gc)
    context->gc = asc_names_plain_lane (trace, ASC_LANE_GC, id);
  AscLane *lane = context->gc;
  if (context->gc_start != ASC_NO_TICKS)
    asc_runs_append_clipped (&lane->runs, context->gc_start, ticks, 0, ASC_NOT_TIMED,
                             begins ? ASC_RUN_CENSORED : 0);
  context->gc_start = begins ? ticks : ASC_NO_TICKS;
  asc_put (&lane->open_more, (guint64)ASC_NOT_TIMED << 32);
  asc_put (&lane->open_start, context->gc_start);
}

static AscLane *
end_span (AscTrace *trace, guint32 id, guint64 ticks, guint8 flags)
{
  for (guint i = trace->spans->len; i > 0; i--)
    {
      AscOpenSpan span = g_array_index (trace->spans, AscOpenSpan, i - 1);
      if (span.id != id)
        continue;
      g_array_remove_index (trace->spans, i - 1);
      asc_runs_append_clipped (&span.lane->runs, span.start, MAX (ticks, span.start), id,
                               ASC_NOT_TIMED, flags);
      asc_put (&span.lane->open_start, ASC_NO_TICKS);
      span.lane->taken = false;
      return span.lane;
    }
  return NULL;
}

static void
begin_span (AscTrace *trace, guint8 context, guint32 id, guint32 name, guint64 ticks)
{
  end_span (trace, id, ticks, ASC_RUN_CENSORED);
  if (trace->spans->len == OPEN_SPANS_MAX)
    end_span (trace, g_array_index (trace->spans, AscOpenSpan, 0).id, ticks,
              ASC_RUN_CENSORED);
  AscKnownName *known = asc_names_get (trace, name);
  AscLane *lane = asc_names_lane (trace, known, ASC_LANE_SPAN, context, false);
  if (lane->taken)
    lane = asc_names_lane (trace, known, ASC_LANE_SPAN, context, true);
  lane->taken = true;
  AscOpenSpan span = { id, lane, ticks };
  g_array_append_val (trace->spans, span);
  asc_put (&lane->open_more, (guint64)id | (guint64)ASC_NOT_TIMED << 32);
  asc_put (&lane->open_start, ticks);
}

/* Pins, counters and marks may be set in any context and share a lane: with several
 * contexts they wait until nothing older can come. */
static void
sample (AscTrace *trace, AscLaneKind kind, const AscEvent *event, guint64 ticks, bool has)
{
  AscLane *lane
      = asc_names_lane (trace, asc_names_get (trace, event->id), kind, 0, false);
  bool alone = trace->n_contexts <= 1
               && !(asc_own (&trace->session->capabilities) & ASC_CAN_INTERRUPTS);
  if (alone && !(lane->held && lane->held->len))
    {
      asc_samples_append (lane->samples, ticks, event->value, has);
      return;
    }
  if (!lane->held)
    {
      lane->held = g_array_new (FALSE, FALSE, sizeof (AscTickSample));
      g_ptr_array_add (trace->holders, lane);
    }
  AscTickSample one = { ticks << 1 | has, event->value };
  guint at = lane->held->len;
  while (at > 0 && g_array_index (lane->held, AscTickSample, at - 1).ticks >> 1 > ticks)
    at--;
  g_array_insert_val (lane->held, at, one);
}

static void
lost (AscTrace *trace, const AscFrame *frame, const AscEvent *event, guint64 ticks)
{
  AscSession *session = trace->session;
  asc_stretches_add (session, ASC_STRETCH_LOST, ticks, after (ticks, event->value),
                     event->id);
  asc_put (&session->lost_events, asc_own (&session->lost_events) + event->id);
  asc_problems_add (trace, &(AscProblem){ .kind = ASC_PROBLEM_DROPPED,
                                          .session = session->index,
                                          .time_ns = asc_session_ns (session, ticks),
                                          .offset = frame->offset,
                                          .count = event->id });
  /* Every context may have lost something there; what they saw before is sure. */
  for (guint i = 0; i < ASC_DECODER_CONTEXTS; i++)
    {
      AscContextState *context = &trace->contexts[i];
      if (!context->seen)
        continue;
      guint64 seen = i == frame->context ? ticks : MIN (context->end, ticks);
      asc_feed_censor (trace, context, seen);
      context->broken = true;
    }
}

static void
jump (AscTrace *trace,
      AscContextState *context,
      const AscFrame *frame,
      const AscEvent *event,
      guint64 ticks)
{
  asc_feed_censor (trace, context, ticks);
  context->broken = true;
  context->silent = true;
  context->silent_from = ticks;
  asc_problems_add (trace,
                    &(AscProblem){ .kind = ASC_PROBLEM_CLOCK,
                                   .session = trace->session->index,
                                   .time_ns = asc_session_ns (trace->session, ticks),
                                   .offset = frame->offset,
                                   .count = event->id });
}

static AscLane *
slot_task (AscTrace *trace, guint32 slot, guint32 *instance)
{
  const AscSlot *known = &trace->slots[slot];
  if (!(known->key & ASC_SLOT_KNOWN))
    return NULL;
  *instance = known->instance;
  return known->lane;
}

static AscLane *
start (AscTrace *trace,
       const AscFrame *frame,
       const AscEvent *event,
       guint64 ticks,
       guint32 *instance)
{
  AscTaskRecord record;
  if (asc_event_start (frame, event, &record) < 0)
    return NULL;
  asc_slots_tell (trace, &record, ticks, frame->context, true);
  return slot_task (trace, record.slot, instance);
}

static void
stretch (AscTrace *trace,
         AscLane **lane,
         AscLaneKind kind,
         guint8 id,
         guint64 ticks,
         const AscEvent *event)
{
  if (!*lane)
    *lane = asc_names_plain_lane (trace, kind, id);
  guint8 reason = kind == ASC_LANE_IDLE ? (guint8)MIN (event->id, 3u) : 0;
  asc_runs_append_clipped (&(*lane)->runs, ticks, after (ticks, event->value), 0,
                           ASC_NOT_TIMED, reason);
}

AscLane *
asc_feed_event (AscTrace *trace,
                AscContextState *context,
                const AscFrame *frame,
                const AscEvent *event,
                guint64 ticks,
                guint32 *instance)
{
  guint8 id = frame->context;
  AscLane *task = NULL;
  *instance = 0;
  switch ((AscEventKind)event->kind)
    {
    case ASC_EVENT_ENTER:
      return enter (trace, context, id, event, ticks, instance);
    case ASC_EVENT_EXIT:
      return leave (trace, context, event, ticks, instance);
    case ASC_EVENT_IDLE:
      stretch (trace, &context->idle, ASC_LANE_IDLE, id, ticks, event);
      break;
    case ASC_EVENT_DRAIN:
      stretch (trace, &context->drain, ASC_LANE_DRAIN, id, ticks, event);
      break;
    case ASC_EVENT_GC_BEGIN:
    case ASC_EVENT_GC_END:
      gc (trace, context, id, ticks, event->kind == ASC_EVENT_GC_BEGIN);
      break;
    case ASC_EVENT_START:
      return start (trace, frame, event, ticks, instance);
    case ASC_EVENT_END:
      task = slot_task (trace, event->id, instance);
      asc_slots_end (trace, event->id, 0, ticks);
      break;
    case ASC_EVENT_RENAME:
      asc_slots_rename (trace, event->id, (guint32)event->value, ticks, id);
      return slot_task (trace, event->id, instance);
    case ASC_EVENT_SPAN_BEGIN:
      begin_span (trace, id, event->id, (guint32)event->value, ticks);
      break;
    case ASC_EVENT_SPAN_END:
      return end_span (trace, event->id, ticks, 0);
    case ASC_EVENT_MARK:
      sample (trace, ASC_LANE_MARK, event, ticks, event->flags & ASC_EVENT_VALUE);
      break;
    case ASC_EVENT_LEVEL:
      sample (trace, ASC_LANE_PIN, event, ticks, true);
      break;
    case ASC_EVENT_COUNTER:
      sample (trace, ASC_LANE_COUNTER, event, ticks, true);
      break;
    case ASC_EVENT_LOST:
      lost (trace, frame, event, ticks);
      break;
    case ASC_EVENT_DISCONTINUITY:
      jump (trace, context, frame, event, ticks);
      break;
    case ASC_EVENT_TEXT:
    case ASC_EVENT_UNKNOWN:
      break;
    }
  return task;
}
