/* A recording: a source, its reader and writer threads, and the stream on disk.
 *
 * The stream is the file's bytes (FORMAT.md): board bytes as they came, host frames
 * between board frames. Made and ended by one thread; asc_recording_read () by one other
 * thread, the decoder; events arrive on the recording's own threads. A slow disk or
 * decoder never stalls the reader. */
#ifndef ASC_RECORDING_H
#define ASC_RECORDING_H

#include <gio/gio.h>
#include <stdbool.h>

#include "asc-source.h"

typedef struct AscRecording AscRecording;

typedef enum
{
  ASC_RECORDING_CONNECTED,
  ASC_RECORDING_LOST, /* unplugged: waits for the same device, or ENDED follows */
  ASC_RECORDING_BACK,
  ASC_RECORDING_ENDED,     /* the source ended (a file, standard input, a pty) */
  ASC_RECORDING_FAILED,    /* the source can not go on; message says what to do */
  ASC_RECORDING_DISK_FULL, /* what was written stays good; the view goes on */
  ASC_RECORDING_DISK_FAILED,
  ASC_RECORDING_OVERLOAD /* bytes had to be let go: disk and ring full */
} AscRecordingEvent;

/* message: for people, "" where the event says all. */
typedef void (*AscRecordingNotify) (void *user,
                                    AscRecordingEvent event,
                                    const char *message);

typedef struct
{
  const char *path;  /* new file; NULL: unnamed, in the store; "-": standard output */
  gsize ring_size;   /* bytes; 0 = 64 MiB */
  guint sync_ms;     /* between fdatasyncs; 0 = 500 */
  bool reconnect;    /* take the same device again */
  bool replace;      /* path may exist, and is replaced */
  guint64 keep_free; /* bytes of disk to leave free; 0 = 64 MiB */
  /* May be NULL: gets the board's bytes as well, before they are recorded, on the thread
   * that CONNECTED, LOST and BACK are told on. Must not block. */
  void (*tap) (void *user, const guint8 *bytes, gsize n);
} AscRecordingOptions;

/* Opens the source (may take seconds for tcp) and the file. The file exists, with its
 * head, when this returns. */
AscRecording *asc_recording_start (const AscSourceSpec *spec,
                                   const AscRecordingOptions *options,
                                   AscRecordingNotify notify,
                                   void *user,
                                   GError **error);
/* Lets go of the port in under 100 ms, so that another program can have it; LOST is told.
 * The recording stays open and takes the same device again, which is BACK, when it is
 * told to. False where that makes no sense (a file, the demo, a listener, the end). */
bool asc_recording_release (AscRecording *recording);
void asc_recording_take_back (AscRecording *recording);
bool asc_recording_released (const AscRecording *recording);
bool asc_recording_can_release (const AscRecording *recording);
/* Whether the source takes what the user types. */
bool asc_recording_writable (const AscRecording *recording);
/* Lets go of the port in under 100 ms; what was received is still being written. */
void asc_recording_disconnect (AscRecording *recording);
/* The same, and waits until what was received is written. The stream can still be read to
 * its end. */
void asc_recording_stop (AscRecording *recording);
void asc_recording_free (AscRecording *recording); /* stops; NULL is taken */

/* The next bytes of the stream, from the ring or, behind it, from the file. Waits up to
 * timeout_ms; returns bytes, 0 on time-out, -1 at the end (stopped and all read). */
gssize
asc_recording_read (AscRecording *recording, void *buffer, gsize n, int timeout_ms);

const char *asc_recording_path (const AscRecording *recording);
const char *
asc_recording_describe (const AscRecording *recording); /* the source, for people */
guint64 asc_recording_received (const AscRecording *recording); /* board bytes */
guint64 asc_recording_length (const AscRecording *recording);   /* bytes on disk */
guint64 asc_recording_end (const AscRecording *recording);      /* bytes of the stream */
/* Bytes of the stream that a full or failed disk did not take; 0: all is on disk, or on
 * its way. */
guint64 asc_recording_not_kept (const AscRecording *recording);
/* Board bytes that were let go because disk and ring were full. */
guint64 asc_recording_let_go (const AscRecording *recording);
/* Sends what the user typed; as asc_source_write (). */
gssize
asc_recording_write (AscRecording *recording, const void *bytes, gsize n, GError **error);

/* Copies what is recorded so far to path (reflink where the file system can), replacing
 * it atomically; the recording goes on. progress may be NULL (0-1, calling thread). */
bool asc_recording_save (AscRecording *recording,
                         const char *path,
                         GCancellable *cancellable,
                         void (*progress) (void *user, double done),
                         void *user,
                         GError **error);

#endif
