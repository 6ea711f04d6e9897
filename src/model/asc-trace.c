#include "asc-model.h"

AscTrace *
asc_trace_new (AscOrigin origin)
{
  AscTrace *trace = g_new0 (AscTrace, 1);
  asc_decoder_init (&trace->decoder, origin, &asc_feed_sink, trace);
  asc_arena_init (&trace->arena);
  trace->strings = g_string_chunk_new (4096);
  trace->totals = g_new0 (AscSharedTotals, 1);
  pthread_mutex_init (&trace->totals->lock, NULL);
  asc_list_init (&trace->sessions, sizeof (AscSession *));
  asc_list_init (&trace->problems, sizeof (AscListedProblem));
  trace->terminal = asc_terminal_new ();
  trace->slots = g_new0 (AscSlot, ASC_SLOT_MAX + 1);
  trace->previous = g_new0 (AscSlot, ASC_SLOT_MAX + 1);
  trace->names = g_new0 (AscKnownName *, ASC_SLOT_MAX + 1);
  trace->all_names = g_ptr_array_new_with_free_func (g_free);
  trace->by_identity = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  trace->displays = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  trace->contexts = g_new0 (AscContextState, ASC_DECODER_CONTEXTS);
  for (guint i = 0; i < ASC_DECODER_CONTEXTS; i++)
    trace->contexts[i].gc_start = ASC_NO_TICKS;
  trace->spans = g_array_new (FALSE, FALSE, sizeof (AscOpenSpan));
  trace->cuts = g_array_new (FALSE, FALSE, sizeof (AscCut));
  trace->holders = g_ptr_array_new ();
  asc_names_reset (trace);
  asc_anchors_reset (trace);
  return trace;
}

void
asc_trace_free (AscTrace *trace)
{
  if (!trace)
    return;
  for (guint64 i = 0; i < asc_list_length (&trace->sessions); i++)
    asc_session_free (*(AscSession **)asc_list_at (&trace->sessions, i));
  asc_list_clear (&trace->sessions);
  asc_list_clear (&trace->problems);
  asc_terminal_free (trace->terminal);
  g_free (asc_own (&trace->head));
  g_free (trace->slots);
  g_free (trace->previous);
  g_free (trace->names);
  g_ptr_array_free (trace->all_names, TRUE);
  g_hash_table_destroy (trace->by_identity);
  g_hash_table_destroy (trace->displays);
  g_free (trace->contexts);
  g_array_free (trace->spans, TRUE);
  g_array_free (trace->cuts, TRUE);
  g_ptr_array_free (trace->holders, TRUE);
  g_string_chunk_free (trace->strings);
  pthread_mutex_destroy (&trace->totals->lock);
  g_free (trace->totals);
  asc_arena_clear (&trace->arena);
  g_free (trace);
}

static void
publish_totals (AscTrace *trace)
{
  pthread_mutex_lock (&trace->totals->lock);
  trace->totals->totals = *asc_decoder_totals (&trace->decoder);
  pthread_mutex_unlock (&trace->totals->lock);
}

void
asc_trace_feed (AscTrace *trace, const void *bytes, gsize n)
{
  asc_decoder_feed (&trace->decoder, bytes, n);
  publish_totals (trace);
}

void
asc_trace_finish (AscTrace *trace)
{
  asc_decoder_finish (&trace->decoder);
  asc_feed_end_session (trace, trace->link_down || trace->tail_skips > 0);
  asc_put (&trace->serial, asc_own (&trace->serial) + 1);
  publish_totals (trace);
}

guint64
asc_trace_serial (const AscTrace *trace)
{
  return asc_get (&trace->serial);
}

void
asc_trace_totals (const AscTrace *trace, AscDecoderTotals *totals)
{
  pthread_mutex_lock (&trace->totals->lock);
  *totals = trace->totals->totals;
  pthread_mutex_unlock (&trace->totals->lock);
}

gsize
asc_trace_pending (const AscTrace *trace, const guint8 **bytes)
{
  return asc_decoder_pending (&trace->decoder, bytes);
}

guint
asc_trace_n_sessions (const AscTrace *trace)
{
  return (guint)asc_list_length (&trace->sessions);
}

AscSession *
asc_trace_session (const AscTrace *trace, guint index)
{
  if (index >= asc_trace_n_sessions (trace))
    return NULL;
  return *(AscSession **)asc_list_at (&trace->sessions, index);
}

void
asc_trace_head (const AscTrace *trace, AscTraceHead *head)
{
  const AscTraceHead *known = asc_get (&trace->head);
  *head = known ? *known : (AscTraceHead){ false, 0, "", "" };
}

void
asc_trace_set_observer (AscTrace *trace, AscTraceObserver observer, void *user)
{
  trace->observer = observer;
  trace->observer_user = user;
}
