/* Which stretch of time is seen, and what is measured in it: pure arithmetic.
 *
 * All times are ns on the session's board clock, as in the model. */
#ifndef ASC_VIEW_H
#define ASC_VIEW_H

#include <glib.h>
#include <stdbool.h>

typedef struct
{
  gint64 from_ns; /* seen: [from, to) */
  gint64 to_ns;
  gint64 data_from_ns; /* the session so far */
  gint64 data_to_ns;
  gint64 least_ns; /* shortest stretch: a tick or 10 ns a picture, whichever is more */
  bool following;  /* the right edge is the newest event */
  bool has_selection;
  gint64 selection_from_ns;
  gint64 selection_to_ns;
  bool has_cursor[2]; /* A, B */
  gint64 cursor_ns[2];
} AscView;

#define ASC_VIEW_LIVE_NS                                                                 \
  G_GINT64_CONSTANT (500000000) /* first stretch when following                          \
                                 */

/* follow: the newest ASC_VIEW_LIVE_NS; else the whole session. */
void
asc_view_init (AscView *view, gint64 from_ns, gint64 to_ns, gint64 tick_ns, bool follow);
/* The session grew. Following, the seen stretch moves along; else it stays. */
void asc_view_grow (AscView *view, gint64 from_ns, gint64 to_ns);

/* factor > 1 sees more. The time at anchor stays where it is; following, the right edge
 * does, whatever anchor is. */
void asc_view_zoom (AscView *view, double factor, gint64 anchor_ns);
/* share of the seen length, > 0 = later. Stops following, but panning past the newest
 * event keeps its right edge there. */
void asc_view_pan (AscView *view, double share);
void asc_view_pan_ns (AscView *view, gint64 by_ns);
void asc_view_show (AscView *view, gint64 from_ns, gint64 to_ns); /* stops following */
/* Moves as little as it takes to see a place, with some room around it. */
void asc_view_reveal (AscView *view, gint64 from_ns, gint64 to_ns);
/* The selection; without one, or when it is what is seen already, the whole session. */
void asc_view_frame (AscView *view);
void asc_view_follow (AscView *view, bool follow);

void asc_view_select (AscView *view, gint64 a_ns, gint64 b_ns); /* in any order */
void asc_view_set_cursor (AscView *view, int which, gint64 ns);
/* Selection first, then cursors; false when there was nothing to clear. */
bool asc_view_clear (AscView *view);
/* From the earlier cursor to the later; false without both. */
bool asc_view_between_cursors (const AscView *view, gint64 *from_ns, gint64 *to_ns);

/* Between time and pixels of a width. Places outside are clamped to ±1e6 pixels. */
double asc_view_x (const AscView *view, gint64 ns, double width);
gint64 asc_view_ns (const AscView *view, double x, double width);

#endif
