/* Statistics of the document, asked for in a worker. */
#include "asc-document-private.h"

typedef struct
{
  AscHold *hold;
  AscSession *session;
  gint64 from_ns;
  gint64 to_ns;
  bool whole;
  guint serial;
  guint index;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;
  asc_hold_release (question->hold);
  g_free (question);
}

static void
ask_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Question *question = data;
  (void)source;
  g_task_return_pointer (
      task,
      asc_stats_new (question->session, question->from_ns, question->to_ns, cancellable),
      (GDestroyNotify)asc_stats_free);
}

static void
take_percent (AscDocument *self, const AscStats *stats)
{
  guint n = asc_session_n_lanes (asc_document_session (self));
  self->percent = g_renew (double, self->percent, MAX (n, 1));
  self->n_percent = n;
  for (guint i = 0; i < n; i++)
    self->percent[i] = -1;
  for (gsize i = 0; i < stats->n_tasks; i++)
    {
      AscLaneInfo info;
      asc_lane_info (stats->tasks[i].lane, &info);
      if (info.index < n)
        self->percent[info.index] = stats->tasks[i].cpu_percent;
    }
}

static void
answered (GObject *source, GAsyncResult *result, gpointer data)
{
  AscDocument *self = ASC_DOCUMENT (source);
  const Question *question = g_task_get_task_data (G_TASK (result));
  AscStats *stats = g_task_propagate_pointer (G_TASK (result), NULL);
  (void)data;
  if (question->serial != self->serial)
    {
      asc_stats_free (stats);
      return;
    }
  g_clear_object (&self->asking);
  if (stats != NULL && question->index == self->session)
    {
      if (question->whole)
        take_percent (self, stats);
      asc_stats_free (self->stats);
      self->stats = stats;
      asc_document_tell (self, ASC_DOCUMENT_STATS);
    }
  else
    asc_stats_free (stats);
  if (self->ask_again)
    asc_document_ask (self);
}

void
asc_document_ask (AscDocument *self)
{
  AscSession *session = asc_document_session (self);
  if (session == NULL)
    return;
  if (self->asking != NULL)
    {
      self->ask_again = true;
      return;
    }
  self->ask_again = false;
  self->stats_stale = false;
  self->asked_us = g_get_monotonic_time ();
  self->asking = g_cancellable_new ();
  Question *question = g_new0 (Question, 1);
  question->hold = asc_hold_acquire (self->hold);
  question->session = session;
  question->serial = self->serial;
  question->index = self->session;
  question->from_ns = G_MININT64;
  question->to_ns = G_MAXINT64;
  if (self->over == ASC_OVER_SELECTION && self->view.has_selection)
    {
      question->from_ns = self->view.selection_from_ns;
      question->to_ns = self->view.selection_to_ns;
    }
  else if (self->over != ASC_OVER_SESSION)
    {
      question->from_ns = self->view.from_ns;
      question->to_ns = self->view.to_ns;
    }
  question->whole = question->from_ns == G_MININT64;
  GTask *task = g_task_new (self, self->asking, answered, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, ask_thread);
  g_object_unref (task);
}

AscOver
asc_document_over (const AscDocument *self)
{
  return self->over;
}

void
asc_document_set_over (AscDocument *self, AscOver over)
{
  self->over = over;
  self->stats_stale = true;
  asc_document_ask (self);
}

const AscStats *
asc_document_stats (const AscDocument *self)
{
  return self->stats;
}

const double *
asc_document_percent (const AscDocument *self, guint *n)
{
  *n = self->n_percent;
  return self->percent;
}
