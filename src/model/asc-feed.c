/* Frames to sessions: what the decoder tells, put where it belongs (feeder). */
#include "asc-model.h"

#include <string.h>

void
asc_feed_bump (AscTrace *trace)
{
  asc_put (&trace->serial, asc_own (&trace->serial) + 1);
}

void
asc_feed_tell (AscTrace *trace, const AscTold *told)
{
  if (trace->observer)
    trace->observer (trace->observer_user, told);
}

/* --- time ----------------------------------------------------------------------------
 */

static guint64
seal_ticks (const AscSession *session)
{
  /* Before a HELLO the board's seal age is a guess on the safe side. */
  guint64 ms = asc_own (&session->hello_known) ? asc_own (&session->seal_ms) : 100;
  return ms * asc_own (&session->tick_hz) / 1000;
}

/* One context tells everything in order; with several, what has not arrived may be older
 * than what has, by the age at which frames are sealed. */
static bool
in_order (const AscTrace *trace)
{
  return trace->n_contexts <= 1
         && !(asc_own (&trace->session->capabilities) & ASC_CAN_INTERRUPTS);
}

static guint64
settled (const AscTrace *trace)
{
  const AscSession *session = trace->session;
  guint64 end = asc_own (&session->end), age = seal_ticks (session);
  if (in_order (trace))
    return end;
  return end > age ? end - age : 0;
}

static guint64
shifted (const AscSession *session, guint64 ticks)
{
  return MIN (ticks + session->shift, ASC_TICKS_TOP);
}

/* --- runs that are cut off ------------------------------------------------------------
 */

void
asc_feed_censor (AscTrace *trace, AscContextState *context, guint64 seen)
{
  (void)trace;
  while (context->depth > 0)
    {
      const AscOpenRun *open = &context->stack[--context->depth];
      asc_runs_append_clipped (&open->lane->runs, open->start, MAX (seen, open->start),
                               open->instance, open->late,
                               open->flags | ASC_RUN_CENSORED);
      open->lane->taken = false;
    }
  if (context->gc_start != ASC_NO_TICKS)
    {
      asc_runs_append_clipped (&context->gc->runs, context->gc_start, seen, 0,
                               ASC_NOT_TIMED, ASC_RUN_CENSORED);
      asc_put (&context->gc->open_start, ASC_NO_TICKS);
      context->gc_start = ASC_NO_TICKS;
    }
}

/* Tells readers which runs are open now, once a frame. */
static void
show_open (AscContextState *context)
{
  for (guint i = 0; i < context->n_shown; i++)
    asc_put (&context->shown[i]->open_start, ASC_NO_TICKS);
  for (guint i = 0; i < context->depth; i++)
    {
      const AscOpenRun *open = &context->stack[i];
      asc_put (&open->lane->open_more, (guint64)open->instance | (guint64)open->late << 32
                                           | (guint64)open->flags << 48);
      asc_put (&open->lane->open_start, open->start);
      context->shown[i] = open->lane;
    }
  context->n_shown = context->depth;
}

void
asc_feed_censor_all (AscTrace *trace)
{
  for (guint i = 0; i < ASC_DECODER_CONTEXTS; i++)
    {
      AscContextState *context = &trace->contexts[i];
      if (!context->seen)
        continue;
      asc_feed_censor (trace, context, context->end);
      show_open (context);
      context->broken = true;
    }
}

static void
take_stack (AscTrace *trace,
            AscContextState *context,
            guint8 id,
            const AscBatch *batch,
            guint64 base)
{
  asc_feed_censor (trace, context, context->end);
  for (guint i = 0; i < batch->info.depth; i++)
    {
      AscOpenRun *open = &context->stack[i];
      *open = (AscOpenRun){ .start = base,
                            .late = ASC_NOT_TIMED,
                            .flags = ASC_RUN_HEADLESS };
      open->slot = batch->info.stack[i];
      open->lane = asc_slots_lane (trace, open->slot, id, i > 0, base, &open->instance);
      open->lane->taken = open->lane->nested;
      context->depth++;
    }
}

/* --- gaps -----------------------------------------------------------------------------
 */

static void
settle_gap (AscTrace *trace, guint64 to)
{
  if (!trace->gap_pending)
    return;
  trace->gap_pending = false;
  asc_stretches_add (trace->session, trace->gap_kind, trace->gap_from, to,
                     trace->gap_count);
}

static void
feed_gap (void *user, const AscGap *gap)
{
  AscTrace *trace = user;
  AscSession *session = trace->session;
  if (!session || (gap->events == 0 && !gap->unknown))
    return;
  guint64 to = shifted (session, gap->to), end = asc_own (&session->end);
  guint64 from = trace->n_contexts == 0 ? to : settled (trace);
  AscStretchKind kind = gap->cut           ? ASC_STRETCH_NOT_KEPT
                        : trace->link_down ? ASC_STRETCH_SILENT
                                           : ASC_STRETCH_LOST;
  trace->link_down = false;
  if (!gap->cut)
    {
      asc_put (&session->lost_events, asc_own (&session->lost_events) + gap->events);
      if (gap->unknown)
        asc_put (&session->gap_unknown, true);
      asc_problems_add (trace, &(AscProblem){ .kind = ASC_PROBLEM_LOST,
                                              .session = session->index,
                                              .time_ns = asc_session_ns (session, end),
                                              .offset = gap->offset,
                                              .count = gap->events });
    }
  asc_feed_censor_all (trace);
  if (trace->gap_pending)
    from = MIN (from, trace->gap_from);
  trace->gap_count = (trace->gap_pending ? trace->gap_count : 0) + gap->events;
  trace->gap_kind = trace->gap_pending ? MIN (kind, trace->gap_kind) : kind;
  trace->gap_from = from;
  trace->gap_pending = true;
  /* With one context the next frame says where the gap ends; with several, only that what
   * is missing is not newer than this one. */
  if (!in_order (trace))
    settle_gap (trace, to);
  asc_feed_tell (trace, &(AscTold){ .kind = ASC_TOLD_GAP,
                                    .session = session,
                                    .ticks = from,
                                    .end_ticks = MAX (to, from),
                                    .value = gap->unknown ? -1 : (gint64)gap->events,
                                    .offset = gap->offset });
  asc_feed_bump (trace);
}

/* --- sessions -------------------------------------------------------------------------
 */

static void
flush_samples (AscTrace *trace, guint64 until)
{
  for (guint i = 0; i < trace->holders->len; i++)
    {
      AscLane *lane = trace->holders->pdata[i];
      guint n = 0;
      for (; n < lane->held->len; n++)
        {
          const AscTickSample *held = &g_array_index (lane->held, AscTickSample, n);
          if (held->ticks >> 1 > until)
            break;
          asc_samples_append (lane->samples, held->ticks >> 1, held->value,
                              held->ticks & 1);
        }
      g_array_remove_range (lane->held, 0, n);
    }
}

static void
close_spans (AscTrace *trace)
{
  guint64 end = asc_own (&trace->session->end);
  for (guint i = 0; i < trace->spans->len; i++)
    {
      const AscOpenSpan *span = &g_array_index (trace->spans, AscOpenSpan, i);
      asc_runs_append_clipped (&span->lane->runs, span->start, MAX (end, span->start),
                               span->id, ASC_NOT_TIMED, ASC_RUN_CENSORED);
      asc_put (&span->lane->open_start, ASC_NO_TICKS);
    }
  g_array_set_size (trace->spans, 0);
}

void
asc_feed_end_session (AscTrace *trace, bool tail_unknown)
{
  AscSession *session = trace->session;
  if (!session)
    return;
  settle_gap (trace, asc_own (&session->end));
  asc_feed_censor_all (trace);
  close_spans (trace);
  flush_samples (trace, ASC_TICKS_TOP);
  asc_put (&session->watermark, asc_own (&session->end));
  asc_put (&session->tail_unknown, tail_unknown);
  asc_put (&session->ended, true);
  trace->session = NULL;
}

static void
feed_session (void *user, const AscDecoderSession *told)
{
  AscTrace *trace = user;
  if (!trace->session || told->index != trace->session->index)
    {
      asc_feed_end_session (trace, true);
      AscSession **place = asc_list_next (&trace->sessions);
      *place = asc_session_new (trace, (guint)asc_own (&trace->sessions.n));
      trace->session = *place;
      asc_slots_reset (trace);
      asc_names_reset (trace);
      for (guint i = 0; i < ASC_DECODER_CONTEXTS; i++)
        if (trace->contexts[i].seen)
          trace->contexts[i] = (AscContextState){ .gc_start = ASC_NO_TICKS };
      trace->n_contexts = 0;
      g_ptr_array_set_size (trace->holders, 0);
      asc_anchors_reset (trace);
      trace->link_down = false;
      trace->tail_skips = 0;
      asc_list_publish (&trace->sessions);
    }
  if (told->id_known)
    {
      asc_put (&trace->session->id, told->id);
      asc_put (&trace->session->id_known, true);
      for (guint i = 0; i < trace->cuts->len; i++)
        {
          const AscCut *cut = &g_array_index (trace->cuts, AscCut, i);
          if (cut->session_id == told->id)
            asc_stretches_add (trace->session, ASC_STRETCH_NOT_KEPT, cut->from, cut->to,
                               0);
        }
    }
  asc_feed_bump (trace);
}

static void
set_text (AscTrace *trace, _Atomic (const char *) *place, AscString string)
{
  char *valid = g_utf8_make_valid (string.length ? string.bytes : "", string.length);
  if (strcmp (asc_own (place), valid) != 0)
    asc_put (place, g_string_chunk_insert_const (trace->strings, valid));
  g_free (valid);
}

/* The recorder's own cost, as a share of the time, in parts of a thousand. */
static void
check_cost (AscTrace *trace, const AscFrame *frame, const AscHello *hello)
{
  AscSession *session = trace->session;
  guint64 first = asc_own (&session->first), end = asc_own (&session->end);
  if (session->cost_told || first == ASC_NO_TICKS || end <= first)
    return;
  double span_ns = (double)asc_session_length_ns (session, end - first);
  double share = (double)asc_own (&session->n_runs) * (double)hello->cost_ns / span_ns;
  if (span_ns < 2e9 || share <= 0.05)
    return;
  session->cost_told = true;
  asc_problems_add (trace, &(AscProblem){ .kind = ASC_PROBLEM_COST,
                                          .session = session->index,
                                          .time_ns = asc_session_ns (session, end),
                                          .offset = frame->offset,
                                          .count = (guint64)(share * 1000) });
}

static void
feed_hello (void *user, const AscFrame *frame, const AscHello *hello)
{
  AscTrace *trace = user;
  AscSession *session = trace->session;
  if (!asc_own (&session->hello_known))
    {
      /* A clock that changes its rate later is not believed. */
      asc_put (&session->tick_hz, hello->tick_hz);
      if (hello->version > ASC_PROTO_VERSION && hello->readable_by > ASC_PROTO_VERSION)
        asc_problems_add (trace, &(AscProblem){ .kind = ASC_PROBLEM_VERSION,
                                                .session = session->index,
                                                .time_ns = -1,
                                                .offset = frame->offset,
                                                .count = hello->version });
    }
  asc_put (&session->tick_step_ns, hello->tick_step_ns);
  asc_put (&session->cost_ns, hello->cost_ns);
  asc_put (&session->cpu_hz, hello->cpu_hz);
  asc_put (&session->capabilities, hello->capabilities);
  asc_put (&session->recorder, hello->recorder);
  asc_put (&session->counter_bits, hello->counter_bits);
  asc_put (&session->seal_ms, hello->seal_ms);
  if (asc_own (&session->start) == ASC_NO_TICKS)
    asc_put (&session->start, hello->start_ticks);
  set_text (trace, &session->board, hello->board);
  set_text (trace, &session->firmware, hello->firmware);
  set_text (trace, &session->program, hello->program);
  asc_put (&session->hello_known, true);
  session->newest_clock = MAX (session->newest_clock, shifted (session, hello->ticks));
  trace->link_down = false;
  trace->tail_skips = 0;
  check_cost (trace, frame, hello);
  asc_feed_bump (trace);
}

static void
feed_names (void *user, const AscFrame *frame, const AscName *names, size_t n)
{
  AscTrace *trace = user;
  (void)frame;
  for (size_t i = 0; i < n; i++)
    asc_names_define (trace, &names[i]);
  asc_feed_bump (trace);
}

static void
feed_slots_unknown (void *user)
{
  asc_slots_doubt (user);
}

static void
feed_tasks (void *user,
            const AscFrame *frame,
            uint64_t ticks,
            const AscTaskRecord *records,
            size_t n)
{
  AscTrace *trace = user;
  AscSession *session = trace->session;
  guint64 time = MAX (shifted (session, ticks), asc_own (&session->end));
  for (size_t i = 0; i < n; i++)
    asc_slots_tell (trace, &records[i], time, frame->context, false);
  asc_feed_bump (trace);
}

/* --- events ---------------------------------------------------------------------------
 */

/* Everything that a frame of events says before the first of them. Returns the base. */
static guint64
begin_batch (AscTrace *trace,
             AscContextState *context,
             const AscFrame *frame,
             const AscBatch *batch)
{
  AscSession *session = trace->session;
  if (!batch->slots_known)
    asc_slots_doubt (trace);
  guint64 base = shifted (session, batch->info.base);
  if (!context->seen)
    {
      context->seen = true;
      context->end = base;
      trace->n_contexts++;
    }
  if (base < context->end)
    {
      /* The clock stepped back: the timeline goes on where it was. */
      session->shift += context->end - base;
      base = context->end;
    }
  if (trace->gap_pending)
    settle_gap (trace, in_order (trace) ? base : shifted (session, batch->info.end));
  if (context->silent)
    asc_stretches_add (session, ASC_STRETCH_SILENT, context->silent_from, base, 0);
  context->silent = false;
  if (asc_own (&session->first) == ASC_NO_TICKS)
    {
      asc_put (&session->end, base);
      asc_put (&session->first, base);
    }
  if (batch->continues && batch->stack_differs && !context->broken)
    asc_problems_add (trace, &(AscProblem){ .kind = ASC_PROBLEM_STACK,
                                            .session = session->index,
                                            .time_ns = asc_session_ns (session, base),
                                            .offset = frame->offset,
                                            .count = 1 });
  if (!batch->continues || batch->stack_differs || context->broken)
    take_stack (trace, context, frame->context, batch, base);
  context->broken = false;
  return base;
}

static void
end_batch (AscTrace *trace, AscContextState *context, guint64 end, size_t n)
{
  AscSession *session = trace->session;
  context->end = MAX (context->end, end);
  show_open (context);
  if (context->idle)
    asc_put (&context->idle->known, context->end);
  if (context->end > asc_own (&session->end))
    asc_put (&session->end, context->end);
  session->newest_clock = MAX (session->newest_clock, context->end);
  asc_put (&session->n_events, asc_own (&session->n_events) + n);
  guint64 sure = settled (trace);
  if (trace->holders->len)
    flush_samples (trace, sure);
  if (sure > asc_own (&session->watermark))
    asc_put (&session->watermark, sure);
  trace->link_down = false;
  trace->tail_skips = 0;
  asc_feed_bump (trace);
}

/* For an observer, or with ticks that need care: every event by the long way. */
static void
run_slow (AscTrace *trace,
          AscContextState *context,
          const AscFrame *frame,
          const AscEvent *events,
          size_t n,
          guint64 base)
{
  for (size_t i = 0; i < n; i++)
    {
      guint64 ticks = MAX (shifted (trace->session, events[i].ticks), base);
      guint32 instance = 0;
      AscLane *task
          = asc_feed_event (trace, context, frame, &events[i], ticks, &instance);
      if (!trace->observer)
        continue;
      AscTold told = { .kind = ASC_TOLD_EVENT,
                       .event = &events[i],
                       .session = trace->session,
                       .task = task,
                       .instance = instance,
                       .context = frame->context,
                       .ticks = ticks,
                       .end_ticks = ticks,
                       .value = events[i].value,
                       .id = events[i].id,
                       .offset = frame->offset };
      AscEventKind kind = (AscEventKind)events[i].kind;
      if (kind == ASC_EVENT_TEXT)
        {
          AscString text = asc_event_bytes (frame, &events[i]);
          told.text = text.bytes;
          told.text_length = text.length;
        }
      else if (kind == ASC_EVENT_MARK || kind == ASC_EVENT_LEVEL
               || kind == ASC_EVENT_COUNTER)
        told.text = asc_names_get (trace, events[i].id)->display;
      else if (kind == ASC_EVENT_SPAN_BEGIN || kind == ASC_EVENT_RENAME)
        told.text = asc_names_get (trace, (guint32)events[i].value)->display;
      else if (kind == ASC_EVENT_SPAN_END && task)
        told.text = asc_own (&task->name);
      if (kind == ASC_EVENT_SPAN_BEGIN || kind == ASC_EVENT_SPAN_END)
        told.task = NULL;
      if (told.text && kind != ASC_EVENT_TEXT)
        told.text_length = strlen (told.text);
      if (kind == ASC_EVENT_IDLE || kind == ASC_EVENT_DRAIN || kind == ASC_EVENT_LOST)
        told.end_ticks = MIN (ticks + (guint64)events[i].value, ASC_TICKS_TOP);
      asc_feed_tell (trace, &told);
    }
}

/* Plain runs outside of others make nearly all events: they stay in this loop. */
static void
run_fast (AscTrace *trace,
          AscContextState *context,
          const AscFrame *frame,
          const AscEvent *events,
          size_t n)
{
  const AscSlot *slots = trace->slots;
  guint16 key = frame->context | ASC_SLOT_KNOWN;
  guint depth = context->depth;
  _Atomic guint64 *n_runs = &trace->session->n_runs;
  for (const AscEvent *event = events; event < events + n; event++)
    {
      if (event->kind == ASC_EVENT_ENTER && depth == 0)
        {
          const AscSlot *slot = &slots[event->id];
          if (G_LIKELY (slot->key == key && event->ticks >= slot->since))
            {
              context->stack[0]
                  = (AscOpenRun){ .lane = slot->lane,
                                  .start = event->ticks,
                                  .instance = slot->instance,
                                  .late = event->flags & ASC_EVENT_LATE
                                              ? MIN (event->late_ms, ASC_NOT_TIMED - 1)
                                              : ASC_NOT_TIMED,
                                  .slot = (guint16)event->id };
              depth = context->depth = 1;
              continue;
            }
        }
      else if (event->kind == ASC_EVENT_EXIT && event->id == ASC_EXIT_YIELD && depth == 1)
        {
          const AscOpenRun *open = &context->stack[0];
          /* Counted first: nobody may find more runs in the lanes than the session has.
           */
          asc_put (n_runs, asc_own (n_runs) + !open->flags);
          asc_runs_append (&open->lane->runs, open->start, event->ticks, open->instance,
                           open->late, open->flags);
          depth = context->depth = 0;
          continue;
        }
      guint32 instance;
      asc_feed_event (trace, context, frame, event, event->ticks, &instance);
      depth = context->depth;
    }
}

static void
feed_events (void *user,
             const AscFrame *frame,
             const AscBatch *batch,
             const AscEvent *events,
             size_t n)
{
  AscTrace *trace = user;
  AscSession *session = trace->session;
  AscContextState *context = &trace->contexts[frame->context];
  guint64 base = begin_batch (trace, context, frame, batch);
  if (G_UNLIKELY (trace->observer || session->shift || batch->info.end > ASC_TICKS_TOP))
    run_slow (trace, context, frame, events, n, base);
  else
    run_fast (trace, context, frame, events, n);
  end_batch (trace, context, MAX (shifted (session, batch->info.end), base), n);
}

const AscDecoderSink asc_feed_sink = {
  .session = feed_session,
  .hello = feed_hello,
  .names = feed_names,
  .tasks = feed_tasks,
  .slots_unknown = feed_slots_unknown,
  .events = feed_events,
  .gap = feed_gap,
  .host = asc_feed_host,
  .text = asc_feed_text,
  .skip = asc_feed_skip,
  .mangled = asc_feed_mangled,
};
