/* The scope as pixels that are kept from one frame to the next: a frame that shows the
 * same is not painted again, and of the names only those that read differently.
 *
 * One thread. */
#ifndef ASC_PICTURE_H
#define ASC_PICTURE_H

#include "asc-scope.h"

typedef struct AscPicture AscPicture;

AscPicture *asc_picture_new (void);
void asc_picture_free (AscPicture *picture);

/* What asc_scope_paint () paints, as an opaque image of ARGB32 with scale device pixels a
 * pixel. It belongs to the picture; who takes a reference keeps the image as it is. The
 * same image comes again while it would be the same. Returns NULL where there is no
 * memory. */
cairo_surface_t *asc_picture_draw (AscPicture *picture,
                                   const AscScope *scope,
                                   double width,
                                   double height,
                                   double scale);
/* Before the session that was shown is freed: another may come to its place. */
void asc_picture_forget (AscPicture *picture);

/* For tests of cost: frames, and rows of the names' column, painted since the start. */
guint64 asc_picture_frames (const AscPicture *picture);
guint64 asc_picture_names (const AscPicture *picture);

#endif
