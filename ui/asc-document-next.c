/* Opening and connecting: what is shown next, while what is shown now stays. */
#include "asc-document-private.h"

#include "asc-store.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MS 30 /* how often a file is asked whether it has something to show */

typedef struct AscAttempt
{
  AscDocument *document;
  AscHold *hold;
  AscSourceSpec *spec; /* NULL: a file */
  char *words;         /* the path, or the source as it was given */
  guint timer;
  bool borrowed; /* the port of what is shown was released for it */
  bool given_up; /* the thread that opens a source keeps it until it is done */
} AscAttempt;

static void
attempt_clear (gpointer data)
{
  AscAttempt *attempt = data;
  asc_hold_release (attempt->hold);
  g_clear_pointer (&attempt->spec, asc_source_spec_free);
  g_free (attempt->words);
}

static void
attempt_release (gpointer attempt)
{
  g_atomic_rc_box_release_full (attempt, attempt_clear);
}

static AscAttempt *
attempt_new (AscDocument *self, const char *words)
{
  AscAttempt *attempt = g_atomic_rc_box_new0 (AscAttempt);
  asc_document_give_up (self);
  asc_document_say (self, 0, "");
  attempt->document = self;
  attempt->hold = asc_hold_new (self);
  attempt->words = g_strdup (words);
  self->attempt = attempt;
  return attempt;
}

void
asc_document_give_up (AscDocument *self)
{
  AscAttempt *attempt = g_steal_pointer (&self->attempt);
  if (attempt == NULL)
    return;
  attempt->given_up = true;
  if (attempt->timer != 0)
    g_source_remove (attempt->timer);
  if (attempt->borrowed)
    asc_document_take_back (self);
  attempt_release (attempt);
}

/* Shows it, and lets go of what was shown before. */
static void
arrive (AscDocument *self)
{
  AscAttempt *attempt = g_steal_pointer (&self->attempt);
  asc_document_let_go (self);
  self->hold = asc_hold_acquire (attempt->hold);
  self->source = g_steal_pointer (&attempt->spec);
  if (self->source == NULL)
    {
      self->title = g_path_get_basename (attempt->words);
      self->saved_path = g_canonicalize_filename (attempt->words, NULL);
    }
  attempt_release (attempt);
  asc_document_tell_new (self);
  char *trouble = self->source != NULL ? asc_store_trouble () : NULL;
  if (trouble != NULL)
    asc_document_say (self, 1, trouble);
  g_free (trouble);
}

static void
fail (AscDocument *self, const char *message)
{
  asc_document_give_up (self);
  asc_document_say (self, 2, message);
}

bool
asc_document_opening (const AscDocument *self)
{
  return self->attempt != NULL;
}

bool
asc_document_connecting (const AscDocument *self)
{
  return self->attempt != NULL && self->attempt->spec != NULL;
}

const char *
asc_document_attempted (const AscDocument *self)
{
  return self->attempt != NULL ? self->attempt->words : "";
}

/* --- a file
 * ---------------------------------------------------------------------------------- */

/* It is really open when there is a session to show, or when all was read. */
static gboolean
look (gpointer data)
{
  AscAttempt *attempt = data;
  AscEngine *engine = attempt->hold->engine;
  AscEngineState state = asc_engine_state (engine);
  if (state == ASC_ENGINE_LOADING
      && asc_trace_n_sessions (asc_engine_trace (engine)) == 0)
    return G_SOURCE_CONTINUE;
  attempt->timer = 0;
  if (state == ASC_ENGINE_FAILED)
    {
      char *message = asc_engine_message (engine, NULL);
      fail (attempt->document, message);
      g_free (message);
    }
  else
    arrive (attempt->document);
  return G_SOURCE_REMOVE;
}

void
asc_document_open (AscDocument *self, const char *path)
{
  AscAttempt *attempt = attempt_new (self, path);
  attempt->hold->engine
      = asc_engine_open (path, NULL, NULL, asc_hold_changed, attempt->hold);
  attempt->timer = g_timeout_add (LOOK_MS, look, attempt);
  asc_document_tell (self, ASC_DOCUMENT_STATE);
}

/* --- a source
 * -------------------------------------------------------------------------------- */

static void
connect_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AscAttempt *attempt = data;
  GError *error = NULL;
  AscRecordingOptions options = { .reconnect = true };
  (void)source;
  (void)cancellable;
  attempt->hold->engine = asc_engine_record (attempt->spec, &options, asc_hold_changed,
                                             attempt->hold, &error);
  if (attempt->hold->engine == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
connected (GObject *source, GAsyncResult *result, gpointer data)
{
  AscAttempt *attempt = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;
  (void)data;
  bool good = g_task_propagate_boolean (G_TASK (result), &error);
  if (!attempt->given_up && good)
    arrive (ASC_DOCUMENT (source));
  else if (!attempt->given_up)
    fail (ASC_DOCUMENT (source), error->message);
  g_clear_error (&error);
}

/* Both are the same device or the same address. */
static bool
same_place (const AscSourceSpec *a, const AscSourceSpec *b)
{
  if (a->host != NULL || b->host != NULL)
    return a->kind == b->kind && g_strcmp0 (a->host, b->host) == 0 && a->port == b->port;
  if (a->path == NULL || b->path == NULL)
    return false;
  char *x = realpath (a->path, NULL), *y = realpath (b->path, NULL);
  bool same = strcmp (x != NULL ? x : a->path, y != NULL ? y : b->path) == 0;
  free (x);
  free (y);
  return same;
}

/* What is recorded now is in the way of the new one only when it is the same port. */
static bool
make_way (AscDocument *self, const AscSourceSpec *spec, bool *borrowed)
{
  *borrowed = false;
  if (!asc_document_live (self) || self->source == NULL
      || !same_place (self->source, spec))
    return true;
  if (asc_document_can_release (self))
    {
      *borrowed = !asc_document_released (self);
      asc_document_release (self);
      return true;
    }
  if (spec->kind != ASC_SOURCE_LISTEN)
    return true;
  asc_document_say (self, 1,
                    "This address is listened at already. Disconnect first if a new "
                    "recording is to begin.");
  return false;
}

void
asc_document_connect (AscDocument *self, const char *text)
{
  GError *error = NULL;
  bool borrowed;
  AscSourceSpec *spec = asc_source_spec_parse (text, &error);
  if (spec == NULL)
    {
      asc_document_say (self, 2, error->message);
      g_error_free (error);
      return;
    }
  /* A file that somebody typed as an address is opened as one, not recorded again. */
  if (spec->kind == ASC_SOURCE_FILE && g_file_test (spec->path, G_FILE_TEST_IS_REGULAR))
    {
      asc_document_open (self, spec->path);
      asc_source_spec_free (spec);
      return;
    }
  asc_document_give_up (self);
  if (!make_way (self, spec, &borrowed))
    {
      asc_source_spec_free (spec);
      return;
    }
  AscAttempt *attempt = attempt_new (self, text);
  attempt->spec = spec;
  attempt->borrowed = borrowed;
  GTask *task = g_task_new (self, NULL, connected, NULL);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (attempt), attempt_release);
  g_task_run_in_thread (task, connect_thread);
  g_object_unref (task);
  asc_document_tell (self, ASC_DOCUMENT_STATE);
}
