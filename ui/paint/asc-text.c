#include "asc-text.h"

#include <math.h>

/* More strings than a window shows at once; then the cache starts again. */
#define CACHE_MAX 1000

struct AscText
{
  GHashTable *layouts; /* "f:width:string" → PangoLayout */
  PangoFontDescription *fonts[ASC_FONT_N];
  cairo_font_options_t *options; /* of the surface that the layouts were made for */
  cairo_font_options_t *asked;
  double xx, yy; /* its scale */
};

AscText *
asc_text_new (void)
{
  static const char *const names[ASC_FONT_N]
      = { "Sans 9.75", "Sans Bold 9.75", "Sans 8.25", "Monospace 9", "Monospace 8.25" };
  AscText *text = g_new0 (AscText, 1);
  text->layouts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  for (int i = 0; i < ASC_FONT_N; i++)
    text->fonts[i] = pango_font_description_from_string (names[i]);
  text->options = cairo_font_options_create ();
  text->asked = cairo_font_options_create ();
  return text;
}

void
asc_text_free (AscText *text)
{
  if (text == NULL)
    return;
  g_hash_table_unref (text->layouts);
  for (int i = 0; i < ASC_FONT_N; i++)
    pango_font_description_free (text->fonts[i]);
  cairo_font_options_destroy (text->options);
  cairo_font_options_destroy (text->asked);
  g_free (text);
}

/* Telling a layout about its context makes it shape its text anew, which costs more than
 * all the rest; so that is done only when another kind of surface or scale comes. */
static void
follow_context (AscText *text, cairo_t *cr)
{
  cairo_matrix_t matrix;
  double x = 1, y = 1;
  cairo_get_matrix (cr, &matrix);
  cairo_surface_get_font_options (cairo_get_target (cr), text->asked);
  cairo_surface_get_device_scale (cairo_get_target (cr), &x, &y);
  x *= matrix.xx;
  y *= matrix.yy;
  if (x == text->xx && y == text->yy
      && cairo_font_options_equal (text->options, text->asked))
    return;
  text->xx = x;
  text->yy = y;
  cairo_font_options_destroy (text->options);
  text->options = cairo_font_options_copy (text->asked);
  g_hash_table_remove_all (text->layouts);
}

static PangoLayout *
layout_of (AscText *text, cairo_t *cr, AscFont font, double max_width, const char *string)
{
  follow_context (text, cr);
  char *key = g_strdup_printf ("%d:%d:%s", (int)font, (int)max_width, string);
  PangoLayout *layout = g_hash_table_lookup (text->layouts, key);
  if (layout != NULL)
    {
      g_free (key);
      return layout;
    }
  if (g_hash_table_size (text->layouts) >= CACHE_MAX)
    g_hash_table_remove_all (text->layouts);
  layout = pango_cairo_create_layout (cr);
  pango_layout_set_font_description (layout, text->fonts[font]);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  pango_layout_set_text (layout, string, -1);
  if (max_width > 0)
    {
      pango_layout_set_width (layout, (int)(max_width * PANGO_SCALE));
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    }
  g_hash_table_insert (text->layouts, key, layout);
  return layout;
}

double
asc_text_draw (AscText *text,
               cairo_t *cr,
               AscFont font,
               AscAlign align,
               double x,
               double y,
               double max_width,
               const char *string)
{
  PangoLayout *layout = layout_of (text, cr, font, max_width, string);
  PangoRectangle logical;
  pango_layout_get_pixel_extents (layout, NULL, &logical);
  double width = logical.width;
  double shift = align == ASC_ALIGN_LEFT    ? 0
                 : align == ASC_ALIGN_RIGHT ? width
                                            : width / 2;
  cairo_move_to (cr, round (x - shift) - logical.x, round (y - logical.height / 2.0));
  pango_cairo_show_layout (cr, layout);
  return width;
}

double
asc_text_width (AscText *text, cairo_t *cr, AscFont font, const char *string)
{
  PangoRectangle logical;
  pango_layout_get_pixel_extents (layout_of (text, cr, font, 0, string), NULL, &logical);
  return logical.width;
}
