/* What the parts of a recording share; private to the capture layer. */
#ifndef ASC_RECORDING_PRIVATE_H
#define ASC_RECORDING_PRIVATE_H

#include "asc-recording.h"

#include <pthread.h>
#include <stdatomic.h>

#include "asc-disk.h"
#include "asc-reader.h"
#include "asc-ring.h"
#include "asc-stream.h"

struct AscRecording
{
  AscRecordingNotify notify;
  void *user;
  char *path;
  char *description;
  guint sync_us;
  void (*tap) (void *user, const guint8 *bytes, gsize n);
  bool reconnect;
  bool can_release;
  bool writable;
  bool patient; /* the source can wait: nothing is let go */
  bool unnamed; /* in the store */
  AscReader *reader;
  GThread *writer;
  AscDisk *disk;
  AscRing *ring;
  int writer_cursor;
  int reading_cursor;

  /* Not GLib's: ThreadSanitizer knows these. */
  pthread_mutex_t lock; /* stream and what follows */
  pthread_cond_t changed;
  AscStream stream;
  GArray *host_ends; /* stream offsets of host frames that are not on disk yet */
  guint16 hosts_on_disk;
  guint64 gap; /* board bytes let go since the last CUT */
  char *end_message;

  _Atomic bool connected; /* the reader's */
  _Atomic bool released;
  _Atomic bool stopping;
  _Atomic bool ended;        /* no more board bytes come */
  _Atomic bool disk_stopped; /* no more is written */
  _Atomic bool reading;      /* somebody follows the stream */
  bool reading_holds;
  _Atomic guint64 received;
  _Atomic guint64 let_go;
};

void asc_recording_tell (AscRecording *rec, AscRecordingEvent event, const char *message);
/* The writer's thread: until the stream is closed and written. */
gpointer asc_recording_writer_main (gpointer data);

#endif
