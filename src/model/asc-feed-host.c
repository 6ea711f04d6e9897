/* What stands between the board's frames: host frames, text, damage (feeder). */
#include "asc-model.h"

/* --- what the host put in -------------------------------------------------------------
 */

static void
take_cut (AscTrace *trace, const AscFrame *frame, const AscCut *cut)
{
  AscSession *session = trace->session;
  if (session)
    asc_feed_censor_all (trace);
  bool here = session && asc_own (&session->id_known)
              && asc_own (&session->id) == cut->session_id;
  if (cut->from < cut->to && here)
    asc_stretches_add (session, ASC_STRETCH_NOT_KEPT, cut->from, cut->to, 0);
  else if (cut->from < cut->to && trace->cuts->len < 64)
    g_array_append_val (trace->cuts, *cut);
  asc_problems_add (
      trace, &(AscProblem){ .kind = ASC_PROBLEM_NOT_KEPT,
                            .session = session ? session->index : 0,
                            .time_ns = here ? asc_session_ns (session, cut->from) : -1,
                            .offset = frame->offset,
                            .count = cut->bytes });
  asc_feed_tell (trace, &(AscTold){ .kind = ASC_TOLD_CUT,
                                    .session = session,
                                    .ticks = cut->from,
                                    .end_ticks = cut->to,
                                    .value = (gint64)MIN (cut->bytes, G_MAXINT64),
                                    .id = cut->reason,
                                    .offset = frame->offset });
}

static void
take_link (AscTrace *trace, const AscFrame *frame, const AscLink *link)
{
  AscSession *session = trace->session;
  if (link->change == ASC_LINK_LOST)
    {
      trace->link_down = true;
      asc_problems_add (
          trace,
          &(AscProblem){
              .kind = ASC_PROBLEM_LINK,
              .session = session ? session->index : 0,
              .time_ns = session ? asc_session_ns (session, asc_own (&session->end)) : -1,
              .offset = frame->offset,
              .count = 1 });
    }
  /* What was on its way when the user ended the recording is no damage. */
  if (link->change == ASC_LINK_ENDED && trace->tail_skips == 1
      && trace->tail_skip_end == frame->offset)
    trace->tail_skips = 0;
  asc_feed_tell (trace, &(AscTold){ .kind = ASC_TOLD_LINK,
                                    .session = session,
                                    .ticks = session ? asc_own (&session->end) : 0,
                                    .id = link->change,
                                    .text = link->text.bytes,
                                    .text_length = link->text.length,
                                    .offset = frame->offset });
}

static void
take_head (AscTrace *trace, const AscFileHead *told)
{
  if (asc_own (&trace->head))
    return;
  AscTraceHead *head = g_new (AscTraceHead, 1);
  char *source = g_utf8_make_valid (told->source.bytes, told->source.length);
  char *writer = g_utf8_make_valid (told->writer.bytes, told->writer.length);
  *head = (AscTraceHead){ true, told->created_ns,
                          g_string_chunk_insert (trace->strings, source),
                          g_string_chunk_insert (trace->strings, writer) };
  g_free (source);
  g_free (writer);
  asc_put (&trace->head, head);
}

void
asc_feed_host (void *user, const AscFrame *frame)
{
  AscTrace *trace = user;
  AscFileHead head;
  AscAnchor anchor;
  AscLink link;
  AscCut cut;
  if (frame->type == ASC_FRAME_FILE && asc_unpack_file_head (frame, &head) >= 0)
    take_head (trace, &head);
  else if (frame->type == ASC_FRAME_ANCHOR && asc_unpack_anchor (frame, &anchor) >= 0)
    asc_anchors_take (trace, anchor.wall_ns, anchor.boottime_ns);
  else if (frame->type == ASC_FRAME_LINK && asc_unpack_link (frame, &link) >= 0)
    take_link (trace, frame, &link);
  else if (frame->type == ASC_FRAME_CUT && asc_unpack_cut (frame, &cut) >= 0)
    take_cut (trace, frame, &cut);
  asc_feed_bump (trace);
}

/* --- what is no frame -----------------------------------------------------------------
 */

void
asc_feed_text (void *user, const uint8_t *bytes, size_t n, uint64_t offset)
{
  AscTrace *trace = user;
  asc_terminal_add (trace->terminal, bytes, n);
  asc_feed_tell (trace,
                 &(AscTold){ .kind = ASC_TOLD_TEXT,
                             .session = trace->session,
                             .ticks = trace->session ? asc_own (&trace->session->end) : 0,
                             .text = (const char *)bytes,
                             .text_length = n,
                             .offset = offset });
  asc_feed_bump (trace);
}

void
asc_feed_skip (void *user, AscSkip why, uint64_t offset, size_t n)
{
  AscTrace *trace = user;
  AscSession *session = trace->session;
  guint64 end = session ? asc_own (&session->end) : 0;
  if (why != ASC_SKIP_FOREIGN && why != ASC_SKIP_DUPLICATE)
    {
      trace->tail_skips++;
      trace->tail_skip_end = offset + n;
    }
  asc_problems_add (
      trace, &(AscProblem){ .kind = ASC_PROBLEM_SKIPPED,
                            .skip = why,
                            .session = session ? session->index : 0,
                            .time_ns = session ? asc_session_ns (session, end) : -1,
                            .offset = offset,
                            .count = n });
  asc_feed_tell (trace, &(AscTold){ .kind = ASC_TOLD_SKIP,
                                    .session = session,
                                    .ticks = end,
                                    .value = (gint64)n,
                                    .id = why,
                                    .offset = offset });
  asc_feed_bump (trace);
}

void
asc_feed_mangled (void *user, unsigned how, uint64_t offset)
{
  AscTrace *trace = user;
  asc_problems_add (trace,
                    &(AscProblem){ .kind = ASC_PROBLEM_MANGLED,
                                   .session = trace->session ? trace->session->index : 0,
                                   .time_ns = -1,
                                   .offset = offset,
                                   .count = how });
  asc_feed_bump (trace);
}
