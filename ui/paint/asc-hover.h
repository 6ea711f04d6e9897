/* What the pointer is on: a run, or a wait for one. Pure decisions and words; the card is
 * drawn by asc_paint_hover ().
 *
 * While the picture follows a live board no run stays under the pointer for longer than
 * a frame. So the card, once there, keeps the run that it is about until the pointer
 * moves, or the run has left the picture and can have been read: 5 s after its end. */
#ifndef ASC_HOVER_H
#define ASC_HOVER_H

#include "asc-scope.h"

typedef enum
{
  ASC_HOVER_NOTHING,
  ASC_HOVER_RUN,
  ASC_HOVER_WAIT /* the grey bar before a late run: due, and not begun */
} AscHoverKind;

struct AscHover
{
  AscHoverKind kind;
  const AscLane *lane;
  AscRun run;
  /* Of asc_hover_update (). */
  gint64 passed_ns; /* the pointer's place in time when it was looked at last */
  bool looked;
  bool kept; /* taken while following: until it moves, or the run is gone */
};

/* The run at the pointer or nearest to it within near_px, else the wait at it. */
bool asc_hover_find (const AscScope *scope, double width, double near_px, AscHover *out);

/* Once a picture, and with moved when the pointer did. A card that came while following
 * is kept that long, also when the view is held then; a pointer that rests on
 * a lane takes the first run that passes under it. Returns whether it is about something
 * else now. */
bool asc_hover_update (AscHover *hover, const AscScope *scope, double width, bool moved);

/* The card's lines: a label and a value each; where the label is empty the value belongs
 * to the one before it. Also for screen readers and tests. */
typedef struct
{
  char label[96];
  char value[96];
} AscHoverLine;
#define ASC_HOVER_LINES 14
guint
asc_hover_lines (const AscSession *session, const AscHover *hover, AscHoverLine *lines);
/* All of them in one line; "" where there is nothing. The caller frees. */
char *asc_hover_text (const AscSession *session, const AscHover *hover);

#endif
