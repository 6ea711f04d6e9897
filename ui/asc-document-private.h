/* The document's inside, shared by the files that make it up. */
#ifndef ASC_DOCUMENT_PRIVATE_H
#define ASC_DOCUMENT_PRIVATE_H

#include "asc-document.h"

/* The engine, kept as long as a worker reads its trace. */
typedef struct
{
  AscEngine *engine;
  GWeakRef document;
} AscHold;

struct _AscDocument
{
  GObject parent;
  AscHold *hold;
  guint serial; /* counts documents' contents: late answers of workers are dropped */
  struct AscAttempt *attempt; /* what is being opened to be shown next, or NULL */
  AscSourceSpec *source;      /* of the recording that is shown */
  char *title;
  char *saved_path;
  char *said; /* the window's own message */
  int said_severity;
  guint64 seen; /* serial of the trace */
  guint64 saved_length;
  bool placed; /* the view was set up for the session */
  bool newest; /* the newest session is chosen by itself */
  guint session;
  AscView view;
  AscLane *chosen;
  char *filter;
  gint64 hog_ns;
  bool hog_framed; /* the hog that was stepped to last */
  AscHog framed;
  gsize framed_number; /* from 1 */
  AscOver over;
  AscStats *stats;
  gsize n_hogs; /* of the whole session */
  AscMargin margin;
  double *percent;
  guint n_percent;
  GCancellable *asking; /* the running worker's, or NULL */
  bool ask_again;
  bool stats_stale;
  gint64 asked_us;
  guint timer;
};

enum
{
  ASC_DOCUMENT_STATE,
  ASC_DOCUMENT_SESSION,
  ASC_DOCUMENT_DATA,
  ASC_DOCUMENT_VIEW,
  ASC_DOCUMENT_STATS,
  ASC_DOCUMENT_N_SIGNALS
};
void asc_document_tell (AscDocument *document, guint signal);

AscHold *asc_hold_new (AscDocument *document);
void asc_hold_release (gpointer hold);
AscHold *asc_hold_acquire (AscHold *hold);
/* What an engine calls, on any thread. */
void asc_hold_changed (gpointer hold);
/* Statistics, hogs and margin, but not the percentages. */
void asc_document_forget_stats (AscDocument *document);
/* Lets go of all that is shown. */
void asc_document_let_go (AscDocument *document);
/* Ends what is being opened; what is shown stays. */
void asc_document_give_up (AscDocument *document);
/* The file or source that is being opened, for people. */
const char *asc_document_attempted (const AscDocument *document);
/* Something else is shown now. */
void asc_document_tell_new (AscDocument *document);
/* Asks a worker for statistics, now or when the running one has answered. */
void asc_document_ask (AscDocument *document);

#endif
