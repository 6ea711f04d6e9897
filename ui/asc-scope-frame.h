/* Frames of the scope for GTK, which gets the picture's own memory: nothing is copied on
 * the way, and an equal frame is not handed over again. */
#ifndef ASC_SCOPE_FRAME_H
#define ASC_SCOPE_FRAME_H

#include <gtk/gtk.h>

#include "asc-picture.h"

typedef struct
{
  AscPicture *picture;
  cairo_surface_t *shown;
  GdkTexture *texture; /* of it, where the renderer wants one */
} AscScopeFrame;

void asc_scope_frame_init (AscScopeFrame *frame);
void asc_scope_frame_clear (AscScopeFrame *frame);
/* The session is about to be another one. */
void asc_scope_frame_forget (AscScopeFrame *frame);
/* All of the widget, which shows the scope. */
void asc_scope_frame_snapshot (AscScopeFrame *frame,
                               GtkSnapshot *snapshot,
                               const AscScope *scope,
                               GtkWidget *widget);

#endif
