/* The document's engine: what it is, closing it. Opening is in asc-document-next.c. */
#include "asc-document-private.h"

static void
hold_clear (gpointer data)
{
  AscHold *hold = data;
  asc_engine_free (hold->engine);
  g_weak_ref_clear (&hold->document);
}

AscHold *
asc_hold_acquire (AscHold *hold)
{
  return g_atomic_rc_box_acquire (hold);
}

void
asc_hold_release (gpointer hold)
{
  g_atomic_rc_box_release_full (hold, hold_clear);
}

AscHold *
asc_hold_new (AscDocument *self)
{
  AscHold *hold = g_atomic_rc_box_new0 (AscHold);
  g_weak_ref_init (&hold->document, self);
  return hold;
}

static gboolean
tell_state (gpointer document)
{
  asc_document_tell (document, ASC_DOCUMENT_STATE);
  return G_SOURCE_REMOVE;
}

void
asc_hold_changed (gpointer data)
{
  AscHold *hold = data;
  AscDocument *self = g_weak_ref_get (&hold->document);
  if (self != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT, tell_state, self, g_object_unref);
}

void
asc_document_let_go (AscDocument *self)
{
  if (self->asking != NULL)
    g_cancellable_cancel (self->asking);
  g_clear_object (&self->asking);
  self->serial++;
  if (self->hold != NULL)
    {
      asc_engine_stop (self->hold->engine);
      g_clear_pointer (&self->hold, asc_hold_release);
    }
  asc_document_forget_stats (self);
  g_clear_pointer (&self->percent, g_free);
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->saved_path, g_free);
  g_clear_pointer (&self->said, g_free);
  g_clear_pointer (&self->source, asc_source_spec_free);
  self->n_percent = 0;
  self->chosen = NULL;
  self->hog_framed = false;
  self->seen = 0;
  self->saved_length = 0;
  self->session = 0;
  self->placed = false;
  self->newest = true;
  self->ask_again = false;
  self->stats_stale = true;
  self->over = ASC_OVER_SESSION;
  self->view = (AscView){ .to_ns = 1 };
}

void
asc_document_tell_new (AscDocument *self)
{
  asc_document_tell (self, ASC_DOCUMENT_SESSION);
  asc_document_tell (self, ASC_DOCUMENT_STATE);
  asc_document_tell (self, ASC_DOCUMENT_STATS);
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
}

void
asc_document_close (AscDocument *self)
{
  asc_document_give_up (self);
  asc_document_let_go (self);
  asc_document_tell_new (self);
}

void
asc_document_disconnect (AscDocument *self)
{
  if (self->attempt != NULL)
    {
      asc_document_give_up (self);
      asc_document_tell (self, ASC_DOCUMENT_STATE);
      return;
    }
  if (self->hold == NULL)
    return;
  asc_engine_stop (self->hold->engine);
  asc_view_follow (&self->view, false);
  asc_document_tell (self, ASC_DOCUMENT_STATE);
  asc_document_tell (self, ASC_DOCUMENT_VIEW);
}

AscEngine *
asc_document_engine (const AscDocument *self)
{
  return self->hold != NULL ? self->hold->engine : NULL;
}

AscTrace *
asc_document_trace (const AscDocument *self)
{
  return self->hold != NULL ? asc_engine_trace (self->hold->engine) : NULL;
}

bool
asc_document_live (const AscDocument *self)
{
  if (self->hold == NULL)
    return false;
  AscEngineState state = asc_engine_state (self->hold->engine);
  return state == ASC_ENGINE_LIVE || state == ASC_ENGINE_WAITING;
}

const char *
asc_document_title (AscDocument *self)
{
  AscSession *session = asc_document_session (self);
  if (self->title != NULL || self->hold == NULL)
    return self->title != NULL ? self->title : "";
  if (session != NULL)
    {
      AscSessionInfo info;
      asc_session_info (session, &info);
      if (*info.program != '\0')
        return info.program;
    }
  AscRecording *recording = asc_engine_recording (self->hold->engine);
  return recording != NULL ? asc_recording_describe (recording) : "";
}

char *
asc_document_message (AscDocument *self, int *severity)
{
  *severity = self->said_severity;
  if (self->said != NULL)
    return g_strdup (self->said);
  *severity = 0;
  if (self->attempt != NULL)
    return g_strdup_printf (asc_document_connecting (self) ? "Connecting to %s …"
                                                           : "Opening %s …",
                            asc_document_attempted (self));
  char *message = self->hold != NULL ? asc_engine_message (self->hold->engine, severity)
                                     : g_strdup ("");
  /* That all goes well is seen on the scope. */
  if (*severity == 0)
    *message = '\0';
  return message;
}

void
asc_document_say (AscDocument *self, int severity, const char *message)
{
  g_free (self->said);
  self->said = *message != '\0' ? g_strdup (message) : NULL;
  self->said_severity = severity;
  asc_document_tell (self, ASC_DOCUMENT_STATE);
}

const char *
asc_document_path (const AscDocument *self)
{
  return self->saved_path;
}

bool
asc_document_unsaved (const AscDocument *self)
{
  AscRecording *recording
      = self->hold != NULL ? asc_engine_recording (self->hold->engine) : NULL;
  return recording != NULL
         && (self->saved_path == NULL
             || asc_recording_length (recording) > self->saved_length);
}

void
asc_document_saved (AscDocument *self, const char *path)
{
  AscRecording *recording
      = self->hold != NULL ? asc_engine_recording (self->hold->engine) : NULL;
  g_free (self->saved_path);
  self->saved_path = g_strdup (path);
  g_free (self->title);
  self->title = g_path_get_basename (path);
  self->saved_length = recording != NULL ? asc_recording_length (recording) : 0;
  asc_document_tell (self, ASC_DOCUMENT_STATE);
}

void
asc_document_hold (AscDocument *self, GObject *object)
{
  if (self->hold != NULL)
    g_object_set_data_full (object, "asc-hold", asc_hold_acquire (self->hold),
                            asc_hold_release);
}
