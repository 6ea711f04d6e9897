#include "asc-scope-frame.h"

#include <math.h>

void
asc_scope_frame_init (AscScopeFrame *frame)
{
  *frame = (AscScopeFrame){ .picture = asc_picture_new () };
}

static void
drop_shown (AscScopeFrame *frame)
{
  g_clear_object (&frame->texture);
  g_clear_pointer (&frame->shown, cairo_surface_destroy);
}

void
asc_scope_frame_clear (AscScopeFrame *frame)
{
  drop_shown (frame);
  g_clear_pointer (&frame->picture, asc_picture_free);
}

void
asc_scope_frame_forget (AscScopeFrame *frame)
{
  drop_shown (frame);
  asc_picture_forget (frame->picture);
}

static GdkTexture *
texture_of (cairo_surface_t *image)
{
  int width = cairo_image_surface_get_width (image);
  int height = cairo_image_surface_get_height (image);
  gsize stride = (gsize)cairo_image_surface_get_stride (image);
  GBytes *bytes = g_bytes_new_with_free_func (
      cairo_image_surface_get_data (image), stride * (gsize)height,
      (GDestroyNotify)cairo_surface_destroy, cairo_surface_reference (image));
  GdkTexture *texture
      = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
  g_bytes_unref (bytes);
  return texture;
}

static void
append_texture (AscScopeFrame *frame, GtkSnapshot *snapshot, double width, double height)
{
  if (frame->texture == NULL)
    frame->texture = texture_of (frame->shown);
  gtk_snapshot_append_texture (snapshot, frame->texture,
                               &GRAPHENE_RECT_INIT (0, 0, (float)width, (float)height));
}

/* --- for a renderer that draws with cairo ----------------------------------------------
 *
 * It would copy a texture twice. A recording copies an image that is a source too, or the
 * image does before it is painted on again; but not what a raster source gives it.
 */

static cairo_surface_t *
acquire (cairo_pattern_t *pattern,
         void *image,
         cairo_surface_t *target,
         const cairo_rectangle_int_t *extents)
{
  (void)pattern;
  (void)target;
  (void)extents;
  return cairo_surface_reference (image);
}

static void
release (cairo_pattern_t *pattern, void *image, cairo_surface_t *surface)
{
  (void)pattern;
  (void)image;
  cairo_surface_destroy (surface);
}

static cairo_status_t
copy (cairo_pattern_t *pattern, void *image, const cairo_pattern_t *other)
{
  (void)pattern;
  (void)other;
  cairo_surface_reference (image);
  return CAIRO_STATUS_SUCCESS;
}

static void
finish (cairo_pattern_t *pattern, void *image)
{
  (void)pattern;
  cairo_surface_destroy (image);
}

static void
append_cairo (const AscScopeFrame *frame,
              GtkSnapshot *snapshot,
              double width,
              double height,
              int scale)
{
  cairo_surface_t *image = frame->shown;
  cairo_matrix_t matrix;
  cairo_t *cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float)width, (float)height));
  cairo_pattern_t *pattern = cairo_pattern_create_raster_source (
      cairo_surface_reference (image), CAIRO_CONTENT_COLOR,
      cairo_image_surface_get_width (image), cairo_image_surface_get_height (image));
  cairo_raster_source_pattern_set_acquire (pattern, acquire, release);
  cairo_raster_source_pattern_set_copy (pattern, copy);
  cairo_raster_source_pattern_set_finish (pattern, finish);
  cairo_matrix_init_scale (&matrix, scale, scale);
  cairo_pattern_set_matrix (pattern, &matrix);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_NEAREST);
  cairo_set_source (cr, pattern);
  cairo_rectangle (cr, 0, 0, width, height);
  cairo_fill (cr);
  cairo_pattern_destroy (pattern);
  cairo_destroy (cr);
}

/* --- both ------------------------------------------------------------------------------
 */

/* Over the picture, no larger than it is. */
static void
snapshot_hover (GtkSnapshot *snapshot, const AscScope *scope, double width, double height)
{
  cairo_surface_t *trial
      = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
  cairo_t *cr = cairo_create (trial);
  double x, y, w, h;
  asc_scope_draw_hover (cr, scope, width, height);
  cairo_destroy (cr);
  cairo_recording_surface_ink_extents (trial, &x, &y, &w, &h);
  cairo_surface_destroy (trial);
  if (w <= 0 || h <= 0)
    return;
  cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT ((float)floor (x), (float)floor (y),
                                     (float)ceil (w) + 1, (float)ceil (h) + 1));
  asc_scope_draw_hover (cr, scope, width, height);
  cairo_destroy (cr);
}

void
asc_scope_frame_snapshot (AscScopeFrame *frame,
                          GtkSnapshot *snapshot,
                          const AscScope *scope,
                          GtkWidget *widget)
{
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  int scale = gtk_widget_get_scale_factor (widget);
  cairo_surface_t *image = asc_picture_draw (frame->picture, scope, width, height, scale);
  if (image == NULL)
    return;
  /* While it is held here it stays as it is. */
  if (image != frame->shown)
    {
      drop_shown (frame);
      frame->shown = cairo_surface_reference (image);
    }
  if (GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (gtk_widget_get_native (widget))))
    append_cairo (frame, snapshot, width, height, scale);
  else
    append_texture (frame, snapshot, width, height);
  snapshot_hover (snapshot, scope, width, height);
}
