/* A trace with the worker thread that feeds it: a file that is loaded, or a recording
 * that is followed. What the window and the command line share.
 *
 * Made, asked and freed by one thread; the trace may be read by any. */
#ifndef ASC_ENGINE_H
#define ASC_ENGINE_H

#include "asc-recording.h"
#include "asc-trace.h"

typedef struct AscEngine AscEngine;

typedef enum
{
  ASC_ENGINE_LOADING,
  ASC_ENGINE_LIVE,
  ASC_ENGINE_WAITING, /* live, the device is gone and awaited */
  ASC_ENGINE_STOPPED, /* ended or stopped: complete */
  ASC_ENGINE_PARTIAL, /* loading was cancelled or failed: what is there is good */
  ASC_ENGINE_FAILED   /* nothing to show */
} AscEngineState;

/* Called on the worker threads when the state or a message changed; hand it to your own
 * loop. New data needs no call: look at asc_trace_serial () when you draw. */
typedef void (*AscEngineNotify) (void *user);

/* Loads path ("-": standard input) in a worker. Never fails here: see the state. observer
 * may be NULL (asc_trace_set_observer). */
AscEngine *asc_engine_open (const char *path,
                            AscTraceObserver observer,
                            void *observer_user,
                            AscEngineNotify notify,
                            void *user);
/* Records and follows. */
AscEngine *asc_engine_record (const AscSourceSpec *spec,
                              const AscRecordingOptions *options,
                              AscEngineNotify notify,
                              void *user,
                              GError **error);
void asc_engine_free (AscEngine *engine);

AscTrace *asc_engine_trace (const AscEngine *engine);
AscEngineState asc_engine_state (const AscEngine *engine);
double asc_engine_progress (const AscEngine *engine); /* loading, 0-1 */
/* The newest message for people ("" none); the caller frees. severity: 0 info, 1 warning,
 * 2 error. */
char *asc_engine_message (const AscEngine *engine, int *severity);
AscRecording *asc_engine_recording (const AscEngine *engine); /* NULL for a file */
const char *asc_engine_path (const AscEngine *engine);

/* Loading: stop, keep what is there. Live: disconnect (under 100 ms). */
void asc_engine_stop (AscEngine *engine);
/* Until the worker is done. */
void asc_engine_wait (AscEngine *engine);
/* What the worker holds back for 100 ms and longer, to be shown as text provisionally;
 * replaced by the text or frame that it becomes. Returns bytes copied, 0 for none. */
gsize asc_engine_pending (const AscEngine *engine, char *buffer, gsize n);
/* How much of what was received the trace has not seen yet, bytes. */
guint64 asc_engine_behind (const AscEngine *engine);

/* Bytes that were skipped in all (damage, noise, unknown), for tables and headers. */
guint64 asc_engine_skipped_bytes (const AscDecoderTotals *totals);

/* What a live connection shows when there is nothing on the scope (product: "Connected,
 * but nothing?"): from bytes, text, frames and seconds since connecting. */
typedef enum
{
  ASC_HEALTH_GOOD,
  ASC_HEALTH_EARLY,  /* under 2 s */
  ASC_HEALTH_SILENT, /* nothing at all: is the program running? */
  ASC_HEALTH_TEXT,   /* text, no frames: the lines to paste */
  ASC_HEALTH_NOISE   /* bytes, but not text: wrong speed? */
} AscHealth;
AscHealth
asc_health (gint64 connected_ns, const AscDecoderTotals *totals, guint64 text_bytes);

#endif
