/* Statistics of the document, asked for in a worker. */
#include "asc-document-private.h"
#include "asc-format.h"

typedef struct
{
  AscHold *hold;
  AscSession *session;
  gint64 from_ns;
  gint64 to_ns;
  bool whole;
  guint serial;
  guint index;
  gint64 hog_ns;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;
  asc_hold_release (question->hold);
  g_free (question);
}

typedef struct
{
  AscStats *stats; /* NULL: cancelled */
  AscMargin margin;
  gsize n_hogs;
} Answer;

static void
answer_free (gpointer data)
{
  Answer *answer = data;
  asc_stats_free (answer->stats);
  g_free (answer);
}

static void
ask_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Question *question = data;
  Answer *answer = g_new0 (Answer, 1);
  (void)source;
  answer->stats = asc_stats_new (question->session, question->from_ns, question->to_ns,
                                 cancellable);
  if (answer->stats != NULL)
    {
      asc_session_margin (question->session, ASC_MARGIN_WINDOW_NS, ASC_MARGIN_WARM_UP_NS,
                          &answer->margin);
      AscHog *hogs = g_new (AscHog, ASC_HOGS_MAX);
      answer->n_hogs = asc_session_hogs (question->session, question->hog_ns, G_MININT64,
                                         G_MAXINT64, hogs, ASC_HOGS_MAX);
      g_free (hogs);
    }
  g_task_return_pointer (task, answer, answer_free);
}

static guint asking; /* workers whose answer is to come, of all documents */

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
  Answer *answer = g_task_propagate_pointer (G_TASK (result), NULL);
  (void)data;
  asking--;
  if (question->serial != self->serial)
    {
      g_clear_pointer (&answer, answer_free);
      return;
    }
  g_clear_object (&self->asking);
  if (answer != NULL && answer->stats != NULL && question->index == self->session)
    {
      asc_document_forget_stats (self);
      self->stats = g_steal_pointer (&answer->stats);
      self->n_hogs = answer->n_hogs;
      self->margin = answer->margin;
      if (question->whole)
        take_percent (self, self->stats);
      asc_document_tell (self, ASC_DOCUMENT_STATS);
    }
  g_clear_pointer (&answer, answer_free);
  if (self->ask_again)
    asc_document_ask (self);
}

void
asc_document_forget_stats (AscDocument *self)
{
  g_clear_pointer (&self->stats, asc_stats_free);
  self->n_hogs = 0;
  self->margin = (AscMargin){ 0 };
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
  question->hog_ns = self->hog_ns;
  question->from_ns = G_MININT64;
  question->to_ns = G_MAXINT64;
  if (self->over == ASC_OVER_SELECTION && self->view.has_selection)
    {
      question->from_ns = self->view.selection_from_ns;
      question->to_ns = self->view.selection_to_ns;
    }
  else if (self->over == ASC_OVER_VISIBLE)
    {
      question->from_ns = self->view.from_ns;
      question->to_ns = self->view.to_ns;
    }
  question->whole = question->from_ns == G_MININT64;
  GTask *task = g_task_new (self, self->asking, answered, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, question, question_free);
  asking++;
  g_task_run_in_thread (task, ask_thread);
  g_object_unref (task);
}

AscOver
asc_document_over (const AscDocument *self)
{
  return self->over;
}

bool
asc_document_over_nothing (const AscDocument *self)
{
  return self->over == ASC_OVER_SELECTION && !self->view.has_selection;
}

void
asc_document_set_over (AscDocument *self, AscOver over)
{
  self->over = over;
  self->stats_stale = true;
  asc_document_ask (self);
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
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

const AscMargin *
asc_document_margin (const AscDocument *self)
{
  return self->stats != NULL ? &self->margin : NULL;
}

gsize
asc_document_n_hogs (const AscDocument *self)
{
  return self->n_hogs;
}

char *
asc_document_hogs_text (const AscDocument *self, char *out, gsize n)
{
  char count[40];
  asc_format_count (MIN (self->n_hogs, ASC_HOGS_MAX), count, sizeof count);
  g_snprintf (out, (gulong)n, "%s%s", self->n_hogs > ASC_HOGS_MAX ? "more than " : "",
              count);
  return out;
}

void
asc_document_settle (void)
{
  while (asking > 0)
    g_main_context_iteration (NULL, TRUE);
}
