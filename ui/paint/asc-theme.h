/* Colours and sizes of everything that is painted. Constants, so that a test can compute
 * their contrast; sizes are in logical pixels. */
#ifndef ASC_THEME_H
#define ASC_THEME_H

#include <cairo.h>
#include <glib.h>

#define ASC_THEME_COLOURS 12

/* 0xRRGGBB. */
typedef guint32 AscColour;

typedef struct
{
  AscColour base;  /* behind lanes */
  AscColour band;  /* behind every second lane */
  AscColour panel; /* ruler, overview, hover box */
  AscColour line;  /* between parts */
  AscColour grid;  /* ticks that run through the lanes */
  AscColour text;
  AscColour text_dim;
  AscColour tick;      /* on the ruler */
  AscColour chosen;    /* behind the chosen lane */
  AscColour accent;    /* cursors, selection, view frame */
  AscColour on_accent; /* text on it */
  AscColour warn;      /* hogs */
  AscColour on_warn;
  AscColour mark; /* marks of the board */
  AscColour on_mark;
  AscColour idle;
  AscColour wait; /* late lead-ins */
  AscColour gc;
  AscColour level; /* pins */
  AscColour counter;
  AscColour load;
  AscColour hatch; /* lost stretches */
  AscColour task[ASC_THEME_COLOURS];
} AscTheme;

const AscTheme *asc_theme_light (void);
const AscTheme *asc_theme_dark (void);

void asc_set_colour (cairo_t *cr, AscColour colour);
void asc_set_colour_alpha (cairo_t *cr, AscColour colour, double alpha);
/* Between a (0) and b (1), a channel at a time. */
AscColour asc_colour_mix (AscColour a, AscColour b, double share);
/* WCAG 2 contrast ratio, 1-21. */
double asc_colour_contrast (AscColour a, AscColour b);

#endif
