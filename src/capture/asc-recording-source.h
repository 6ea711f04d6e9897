/* Between a recording and its reader thread; private to the capture layer.
 *
 * Apart from the rest since link's reader and wire's host frames both have names for what
 * a connection does. */
#ifndef ASC_RECORDING_SOURCE_H
#define ASC_RECORDING_SOURCE_H

#include "asc-recording.h"

typedef struct AscReader AscReader;

/* Takes over the source. */
AscReader *asc_recording_reader_start (AscRecording *rec, AscSource *source);
void asc_recording_reader_stop (AscReader *reader);
void asc_recording_reader_free (AscReader *reader);
gssize asc_recording_reader_write (AscReader *reader,
                                   const void *bytes,
                                   gsize n,
                                   GError **error);

/* What the reader's thread calls. A source that is not there (yet) is LOST. */
void asc_recording_take_bytes (AscRecording *rec, const guint8 *bytes, gsize n);
void asc_recording_take_event (AscRecording *rec,
                               AscRecordingEvent event,
                               const char *message);

#endif
