/* What the window shows: an engine with its trace, the chosen session, the seen stretch,
 * the chosen lane and the statistics. Widgets read it and redraw on its signals.
 *
 * Main thread only. Signals:
 *   state    the engine's state or message changed
 *   session  another session or trace is shown
 *   data     new events arrived (at most once a frame, by asc_document_tick ())
 *   view     the seen stretch, selection, cursors or chosen lane changed
 *   stats    new statistics are there */
#ifndef ASC_DOCUMENT_H
#define ASC_DOCUMENT_H

#include <gio/gio.h>

#include "asc-engine.h"
#include "asc-load.h"
#include "asc-rows.h"
#include "asc-stats.h"
#include "asc-view.h"

#define ASC_TYPE_DOCUMENT (asc_document_get_type ())
G_DECLARE_FINAL_TYPE (AscDocument, asc_document, ASC, DOCUMENT, GObject)

AscDocument *asc_document_new (void);

/* What is shown before stays, and a live recording goes on, until the new one is really
 * there; when that fails it is said, and nothing else changes. */
void asc_document_open (AscDocument *document, const char *path);
/* spec as on the command line ("demo", "/dev/ttyACM0@115200", "tcp:host:port"). A port
 * that is recorded already is released for it, and taken back if it fails. */
void asc_document_connect (AscDocument *document, const char *spec);
/* Ends what is being opened; else disconnects, or stops loading. */
void asc_document_disconnect (AscDocument *document);
void asc_document_close (AscDocument *document);

/* Lets another tool have the port of a live recording, which stays open, and takes it
 * back into the same recording. */
bool asc_document_can_release (const AscDocument *document);
bool asc_document_released (const AscDocument *document);
void asc_document_release (AscDocument *document);
void asc_document_take_back (AscDocument *document);
/* What is shown comes from a source whose speed may be wrong: a serial port. */
bool asc_document_has_speed (const AscDocument *document);
/* Sends what the user typed; what goes wrong is said. */
bool asc_document_can_type (const AscDocument *document);
void asc_document_type (AscDocument *document, const char *bytes, gsize n);

bool asc_document_connecting (const AscDocument *document);   /* to a source */
bool asc_document_opening (const AscDocument *document);      /* a file or a source */
AscEngine *asc_document_engine (const AscDocument *document); /* NULL: empty */
AscTrace *asc_document_trace (const AscDocument *document);   /* NULL: empty */
bool asc_document_live (const AscDocument *document);         /* a recording runs */
/* "greenhouse", "run.trace"; "" for an empty one. Valid until the next call. */
const char *asc_document_title (AscDocument *document);
/* A message for people ("" none) and its severity, 0-2. The caller frees. */
char *asc_document_message (AscDocument *document, int *severity);
/* Shows a message of the window's own (saved, could not open …). */
void asc_document_say (AscDocument *document, int severity, const char *message);
/* Of the file that is shown or was saved last, absolute; NULL: none. */
const char *asc_document_path (const AscDocument *document);
/* The recording is not yet named or saved since the last event. */
bool asc_document_unsaved (const AscDocument *document);
void asc_document_saved (AscDocument *document, const char *path);

/* The engine stays alive at least as long as this object (a running task). */
void asc_document_hold (AscDocument *document, GObject *object);

/* Once a frame: takes over what the trace has published. */
void asc_document_tick (AscDocument *document);

AscSession *
asc_document_session (const AscDocument *document); /* NULL before the first */
guint asc_document_session_index (const AscDocument *document);
void asc_document_choose_session (AscDocument *document, guint index);

/* Change it through these, or call asc_document_view_changed () after. */
AscView *asc_document_view (AscDocument *document);
void asc_document_view_changed (AscDocument *document);
AscLane *asc_document_chosen (const AscDocument *document);
void asc_document_choose_lane (AscDocument *document, AscLane *lane);
const char *asc_document_filter (const AscDocument *document);
void asc_document_set_filter (AscDocument *document, const char *filter);
gint64 asc_document_hog_ns (const AscDocument *document);

/* Moves to the next (+1) or previous (-1) hog from the one it moved to last, as long as
 * that is seen; else to the first (last) of what is seen or after (before) it; while
 * following to the latest. Past the last one it begins again. False: there is none. */
bool asc_document_step_hog (AscDocument *document, int direction);
/* Which hog it moved to, from 1; 0 when that is not seen any more, or beyond counting. */
gsize asc_document_framed_hog (const AscDocument *document);
/* Hogs of the session, counted up to ASC_HOGS_MAX and one more; as old as the statistics.
 */
#define ASC_HOGS_MAX 10000
gsize asc_document_n_hogs (const AscDocument *document);
/* "3", "more than 10 000". Returns out. */
char *asc_document_hogs_text (const AscDocument *document, char *out, gsize n);
/* The next or previous run of the chosen lane. */
bool asc_document_step_run (AscDocument *document, int direction);

typedef enum
{
  ASC_OVER_SESSION,
  ASC_OVER_VISIBLE,
  ASC_OVER_SELECTION
} AscOver;

AscOver asc_document_over (const AscDocument *document);
/* Statistics shall be over the selection, and nothing is selected: those at hand are of
 * the session, and no answer. */
bool asc_document_over_nothing (const AscDocument *document);
void asc_document_set_over (AscDocument *document, AscOver over);
/* Newest statistics, NULL before the first; valid until the next "stats". */
const AscStats *asc_document_stats (const AscDocument *document);
/* At the program's end: waits for workers, which were cancelled by closing. */
void asc_document_settle (void);
/* As old as the statistics; NULL before the first. */
const AscMargin *asc_document_margin (const AscDocument *document);
/* CPU % by lane index over the session, for the names' column. */
const double *asc_document_percent (const AscDocument *document, guint *n);

#endif
