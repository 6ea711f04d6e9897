#include "asc-picture.h"

#include "asc-paint-names.h"

#include <math.h>
#include <string.h>

/* The one that is seen, the one before it, which a window shows until then, and one to
 * paint on. */
#define PAGES 3

typedef struct
{
  cairo_surface_t *surface;
  double scale;
  GByteArray *shown; /* everything that it depends on; empty: nothing is painted */
  AscNames *names;
} Page;

struct AscPicture
{
  Page pages[PAGES];
  guint newest;
  GByteArray *asked;
  guint64 frames;
};

AscPicture *
asc_picture_new (void)
{
  AscPicture *picture = g_new0 (AscPicture, 1);
  for (int i = 0; i < PAGES; i++)
    {
      picture->pages[i].shown = g_byte_array_new ();
      picture->pages[i].names = asc_names_new ();
    }
  picture->asked = g_byte_array_new ();
  return picture;
}

void
asc_picture_free (AscPicture *picture)
{
  if (picture == NULL)
    return;
  for (int i = 0; i < PAGES; i++)
    {
      g_clear_pointer (&picture->pages[i].surface, cairo_surface_destroy);
      g_byte_array_unref (picture->pages[i].shown);
      asc_names_free (picture->pages[i].names);
    }
  g_byte_array_unref (picture->asked);
  g_free (picture);
}

void
asc_picture_forget (AscPicture *picture)
{
  for (int i = 0; i < PAGES; i++)
    {
      g_byte_array_set_size (picture->pages[i].shown, 0);
      asc_names_forget (picture->pages[i].names);
    }
}

guint64
asc_picture_frames (const AscPicture *picture)
{
  return picture->frames;
}

guint64
asc_picture_names (const AscPicture *picture)
{
  guint64 sum = 0;
  for (int i = 0; i < PAGES; i++)
    sum += asc_names_painted (picture->pages[i].names);
  return sum;
}

/* --- what a frame depends on -----------------------------------------------------------
 */

#define PUT(array, value)                                                                \
  g_byte_array_append ((array), (const guint8 *)&(value), sizeof (value))

static void
put_view (GByteArray *to, const AscView *view)
{
  PUT (to, view->from_ns);
  PUT (to, view->to_ns);
  PUT (to, view->has_selection);
  PUT (to, view->selection_from_ns);
  PUT (to, view->selection_to_ns);
  for (int i = 0; i < 2; i++)
    {
      PUT (to, view->has_cursor[i]);
      PUT (to, view->cursor_ns[i]);
    }
}

/* What rows say besides comes from the session, which has a serial number, and from the
 * shares of time, which come later than what they are about. */
static void
put_rows (GByteArray *to, const AscScope *scope)
{
  PUT (to, scope->rows->height);
  for (guint i = 0; i < scope->rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (scope->rows->rows, AscRow, i);
      double percent = -1;
      if (scope->percent != NULL && row->lane != NULL
          && row->info.index < scope->n_percent)
        percent = scope->percent[row->info.index];
      PUT (to, row->kind);
      PUT (to, row->lane);
      PUT (to, row->y);
      PUT (to, row->height);
      PUT (to, row->colour);
      PUT (to, percent);
    }
}

static void
put_scope (GByteArray *to,
           const AscScope *scope,
           double width,
           double height,
           double scale)
{
  g_byte_array_set_size (to, 0);
  PUT (to, width);
  PUT (to, height);
  PUT (to, scale);
  PUT (to, scope->theme);
  PUT (to, scope->names_width);
  PUT (to, scope->session);
  if (scope->session == NULL)
    return;
  guint64 serial = asc_session_serial (scope->session);
  PUT (to, serial);
  PUT (to, scope->scroll);
  PUT (to, scope->chosen);
  PUT (to, scope->hog_ns);
  PUT (to, scope->precision);
  put_view (to, scope->view);
  put_rows (to, scope);
}

static bool
shows (const Page *page, const GByteArray *asked)
{
  return page->surface != NULL && page->shown->len == asked->len
         && memcmp (page->shown->data, asked->data, asked->len) == 0;
}

/* --- pages -----------------------------------------------------------------------------
 */

static bool
is_free (const Page *page)
{
  return page->surface == NULL || cairo_surface_get_reference_count (page->surface) == 1;
}

/* Rather the one painted last, which is in the processor's cache. When all are held the
 * oldest is left to its holder. */
static Page *
page_to_paint (AscPicture *picture)
{
  guint newest = picture->newest;
  for (guint i = 0; i < PAGES; i++)
    if (is_free (&picture->pages[(newest + PAGES - i) % PAGES]))
      return &picture->pages[(newest + PAGES - i) % PAGES];
  Page *oldest = &picture->pages[(newest + 1) % PAGES];
  g_clear_pointer (&oldest->surface, cairo_surface_destroy);
  return oldest;
}

static bool
fit (Page *page, double width, double height, double scale)
{
  int w = (int)ceil (width * scale), h = (int)ceil (height * scale);
  if (page->surface == NULL || cairo_image_surface_get_width (page->surface) != w
      || cairo_image_surface_get_height (page->surface) != h || page->scale != scale)
    {
      g_clear_pointer (&page->surface, cairo_surface_destroy);
      page->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, w, h);
      cairo_surface_set_device_scale (page->surface, scale, scale);
      page->scale = scale;
      asc_names_forget (page->names);
    }
  if (cairo_surface_status (page->surface) == CAIRO_STATUS_SUCCESS)
    return true;
  g_clear_pointer (&page->surface, cairo_surface_destroy);
  return false;
}

cairo_surface_t *
asc_picture_draw (AscPicture *picture,
                  const AscScope *scope,
                  double width,
                  double height,
                  double scale)
{
  Page *page = &picture->pages[picture->newest];
  put_scope (picture->asked, scope, width, height, scale);
  if (shows (page, picture->asked))
    return page->surface;
  page = page_to_paint (picture);
  picture->newest = (guint)(page - picture->pages);
  g_byte_array_set_size (page->shown, 0);
  if (!fit (page, width, height, scale))
    return NULL;
  cairo_t *cr = cairo_create (page->surface);
  asc_scope_paint (cr, scope, width, height, page->names);
  cairo_destroy (cr);
  cairo_surface_flush (page->surface);
  picture->frames++;
  GByteArray *shown = page->shown;
  page->shown = picture->asked;
  picture->asked = shown;
  return page->surface;
}
