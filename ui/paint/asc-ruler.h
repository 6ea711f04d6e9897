/* The ladder of ticks: where they stand and what is written at them. No drawing. */
#ifndef ASC_RULER_H
#define ASC_RULER_H

#include "asc-view.h"

typedef struct
{
  gint64
      step_ns; /* between labelled ticks: 1, 2 or 5 × 10ⁿ ns, then 10 s, 30 s, 1 min … */
  gint64 minor_ns;  /* between small ticks */
  gint64 first_ns;  /* first labelled tick at or after the left edge */
  gint64 origin_ns; /* people's zero: the session's start */
} AscRuler;

/* At least min_px between labelled ticks. */
void asc_ruler_init (AscRuler *ruler,
                     const AscView *view,
                     gint64 origin_ns,
                     double width,
                     double min_px);
/* Labels are full times; else they count from the base ("+10 ms"). */
bool asc_ruler_is_clock (const AscRuler *ruler);
/* The full time at the left edge, "00:59.238", digits by the step. out ≥ 48 bytes. */
char *asc_ruler_base (const AscRuler *ruler, const AscView *view, char *out, gsize n);
/* "+10 ms" from the base, or the full time where steps are of a second and more. */
char *asc_ruler_label (const AscRuler *ruler,
                       const AscView *view,
                       gint64 tick_ns,
                       char *out,
                       gsize n);
/* The time that labels count from: the last multiple of ten steps at or before the left
 * edge. */
gint64 asc_ruler_base_ns (const AscRuler *ruler, const AscView *view);

#endif
