/* The reader thread: owns a source, hands on what arrives, and takes the same device
 * again when it comes back, until it is stopped. */
#ifndef ASC_READER_H
#define ASC_READER_H

#include "asc-source.h"

typedef enum
{
  ASC_READER_CONNECTED, /* once, before the first byte; the message describes the source
                         */
  ASC_READER_LOST,      /* unplugged, or the peer left; BACK or ENDED follows */
  ASC_READER_BACK,      /* the same device again; the message describes it */
  ASC_READER_WAITING,   /* not there (yet) for the reason in the message: after LOST, or
                         * before CONNECTED of a listening source. Once a reason */
  ASC_READER_ENDED,     /* the last event: the end of a file or, after LOST, of a pty; or
                         * asc_reader_stop() */
  ASC_READER_FAILED,    /* the last event: it could not be opened or read */
} AscReaderEvent;

/* Both are called on the reader's thread, one at a time, with what was given as @user. A
 * sink that blocks holds up reading, and must return when the owner wants to stop. */
typedef struct
{
  void (*bytes) (void *user, const guint8 *bytes, gsize n);
  void (*event) (void *user, AscReaderEvent event, const char *message);
} AscReaderSink;

typedef struct AscReader AscReader;

/* Starts the thread, which opens the source: what is wrong with it comes as FAILED.
 * Copies
 * @spec and @sink. Stop and free with asc_reader_free(). */
AscReader *
asc_reader_start (const AscSourceSpec *spec, const AscReaderSink *sink, void *user);

/* The same for a source that is open already, which it takes over. */
AscReader *
asc_reader_start_source (AscSource *source, const AscReaderSink *sink, void *user);

/* Lets go of the device and ends the thread, in a few milliseconds and whatever it is
 * doing; no call of the sink after it returned. Not from the reader's own thread. May be
 * called again. */
void asc_reader_stop (AscReader *reader);

/* Lets go of the device so that another program can have it, tells LOST with @why, and
 * returns when the device is free, in a few milliseconds. The reader waits, and does not
 * look for the device, until asc_reader_take_back(), after which BACK or WAITING is told.
 * FALSE for sources that are not opened again: files, the demo board, listeners. Not from
 * the reader's own thread. */
gboolean asc_reader_release (AscReader *reader, const char *why);
void asc_reader_take_back (AscReader *reader);

/* Stops and frees; takes NULL. */
void asc_reader_free (AscReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AscReader, asc_reader_free)

/* From any thread: sends what the user typed, as asc_source_write(). */
gssize asc_reader_write (AscReader *reader, const void *bytes, gsize n, GError **error);

/* Only from the sink's functions: the source, for its description and identity; NULL
 * when it could not be opened. */
const AscSource *asc_reader_source (AscReader *reader);

/* From any thread: what FAILED was about, as AscLinkError; -1 when nothing failed. */
int asc_reader_error_code (AscReader *reader);

/* How many times the source was asked for bytes or to come back; for tests. */
guint64 asc_reader_turns (AscReader *reader);

#endif
