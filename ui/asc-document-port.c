/* The port of a live recording: letting another tool have it, and typing at it. */
#include "asc-document-private.h"

static AscRecording *
recording_of (const AscDocument *self)
{
  return asc_document_live (self) ? asc_engine_recording (self->hold->engine) : NULL;
}

bool
asc_document_can_release (const AscDocument *self)
{
  AscRecording *recording = recording_of (self);
  return recording != NULL && asc_recording_can_release (recording);
}

bool
asc_document_released (const AscDocument *self)
{
  AscRecording *recording = recording_of (self);
  return recording != NULL && asc_recording_released (recording);
}

void
asc_document_release (AscDocument *self)
{
  AscRecording *recording = recording_of (self);
  if (recording == NULL || asc_recording_released (recording))
    return;
  asc_recording_release (recording);
  asc_document_say (self, 0, "");
}

void
asc_document_take_back (AscDocument *self)
{
  AscRecording *recording = recording_of (self);
  if (recording == NULL)
    return;
  asc_recording_take_back (recording);
  asc_document_tell (self, ASC_DOCUMENT_STATE);
}

bool
asc_document_has_speed (const AscDocument *self)
{
  /* A pty has one only if the user says so. */
  return self->source != NULL
         && (self->source->kind == ASC_SOURCE_SERIAL
             || (self->source->kind == ASC_SOURCE_TTY && self->source->baud > 0));
}

bool
asc_document_can_type (const AscDocument *self)
{
  AscRecording *recording = recording_of (self);
  return recording != NULL && asc_recording_writable (recording);
}

void
asc_document_type (AscDocument *self, const char *bytes, gsize n)
{
  AscRecording *recording = recording_of (self);
  GError *error = NULL;
  if (recording == NULL)
    return;
  gssize sent = asc_recording_write (recording, bytes, n, &error);
  if (error != NULL)
    asc_document_say (self, 1, error->message);
  else if ((gsize)sent < n)
    asc_document_say (
        self, 1, "The board does not take what is typed now: not all of it was sent.");
  g_clear_error (&error);
}
