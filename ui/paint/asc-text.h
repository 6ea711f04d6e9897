/* Text on a cairo context: layouts are cached by font and string. One thread. */
#ifndef ASC_TEXT_H
#define ASC_TEXT_H

#include <pango/pangocairo.h>

#include "asc-theme.h"

typedef struct AscText AscText;

typedef enum
{
  ASC_FONT_BODY,
  ASC_FONT_BOLD,
  ASC_FONT_SMALL,
  ASC_FONT_MONO,
  ASC_FONT_SMALL_MONO,
  ASC_FONT_N
} AscFont;

typedef enum
{
  ASC_ALIGN_LEFT,
  ASC_ALIGN_CENTRE,
  ASC_ALIGN_RIGHT
} AscAlign;

AscText *asc_text_new (void);
void asc_text_free (AscText *text);

/* Draws in one line, its middle at y, cut with … at max_width (0 = not cut), in the
 * context's colour. Returns the width in pixels. */
double asc_text_draw (AscText *text,
                      cairo_t *cr,
                      AscFont font,
                      AscAlign align,
                      double x,
                      double y,
                      double max_width,
                      const char *string);
double asc_text_width (AscText *text, cairo_t *cr, AscFont font, const char *string);

#endif
