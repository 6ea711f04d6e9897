/* The column of names, counts and values beside the lanes. */
#include "asc-paint-names.h"

#include <math.h>
#include <string.h>

#define VALUE_MAX 48

struct AscNames
{
  GByteArray *about; /* what all rows depend on */
  GPtrArray *rows;   /* GByteArray: what is seen in each */
  GByteArray *asked;
  guint64 painted;
  bool same_layout; /* as the time before */
  bool plain_below; /* nothing was drawn below the rows */
};

AscNames *
asc_names_new (void)
{
  AscNames *names = g_new0 (AscNames, 1);
  names->about = g_byte_array_new ();
  names->asked = g_byte_array_new ();
  names->rows = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  return names;
}

void
asc_names_free (AscNames *names)
{
  g_byte_array_unref (names->about);
  g_byte_array_unref (names->asked);
  g_ptr_array_unref (names->rows);
  g_free (names);
}

void
asc_names_forget (AscNames *names)
{
  g_byte_array_set_size (names->about, 0);
  names->plain_below = false;
}

guint64
asc_names_painted (const AscNames *names)
{
  return names->painted;
}

static bool
is_bytes (const char *name)
{
  return strstr (name, "heap") != NULL || strstr (name, "bytes") != NULL
         || strstr (name, "mem") != NULL;
}

static void
format_sample (const char *name, gint64 value, char *out, gsize n)
{
  if (is_bytes (name) && value >= 10240)
    g_snprintf (out, (gulong)n, "%" G_GINT64_FORMAT " KiB", value / 1024);
  else if (is_bytes (name))
    g_snprintf (out, (gulong)n, "%" G_GINT64_FORMAT " B", value);
  else
    g_snprintf (out, (gulong)n, "%" G_GINT64_FORMAT, value);
}

static void
value_of (const AscScope *scope, const AscRow *row, char *out, gsize n)
{
  AscSample sample;
  *out = '\0';
  if (row->kind == ASC_ROW_LOAD)
    return;
  if (row->info.kind == ASC_LANE_COUNTER)
    {
      if (asc_lane_sample_at (row->lane, scope->view->to_ns, &sample))
        format_sample (row->info.name, sample.value, out, n);
    }
  else if (scope->percent != NULL && row->info.index < scope->n_percent
           && scope->percent[row->info.index] >= 0)
    g_snprintf (out, (gulong)n, "%.1f %%", scope->percent[row->info.index]);
}

static double
paint_instances (cairo_t *cr,
                 const AscScope *scope,
                 const AscRow *row,
                 double right,
                 double y)
{
  char label[24];
  if (row->info.kind != ASC_LANE_TASK || row->info.alive < 2 || row->height < 20)
    return right;
  g_snprintf (label, sizeof label, "×%u", row->info.alive);
  double w = asc_text_width (scope->text, cr, ASC_FONT_SMALL, label) + 14;
  asc_set_colour (cr, scope->theme->panel);
  asc_rounded (cr, right - w, y - 9, w, 18, 9);
  cairo_fill_preserve (cr);
  asc_set_colour (cr, scope->theme->line);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  asc_set_colour (cr, scope->theme->text_dim);
  asc_text_draw (scope->text, cr, ASC_FONT_SMALL, ASC_ALIGN_CENTRE, right - w / 2, y, 0,
                 label);
  return right - w - 6;
}

static void
paint_name (cairo_t *cr,
            const AscScope *scope,
            const AscRow *row,
            const char *value,
            double width,
            double y)
{
  const AscTheme *theme = scope->theme;
  bool compact = row->height < 20, task = row->info.kind == ASC_LANE_TASK;
  bool main_row = row->kind == ASC_ROW_LANE && (task || row->info.kind == ASC_LANE_SPAN);
  double x = 13, right = width - 8;
  if (row->kind == ASC_ROW_LANE && main_row)
    {
      double size = compact ? 7 : task ? 12 : 8;
      asc_set_colour (cr, theme->task[row->colour % ASC_THEME_COLOURS]);
      asc_rounded (cr, x, round (y - size / 2), size, compact ? 7 : size + (task ? 1 : 0),
                   3);
      cairo_fill (cr);
      x = compact ? 26 : 33;
    }
  else if (row->kind == ASC_ROW_LANE)
    x = compact ? 26 : 33;
  asc_set_colour (cr, theme->text_dim);
  if (*value != '\0')
    right
        -= asc_text_draw (scope->text, cr, compact ? ASC_FONT_SMALL_MONO : ASC_FONT_MONO,
                          ASC_ALIGN_RIGHT, right, y, 0, value)
           + 6;
  right = paint_instances (cr, scope, row, right, y);
  const char *name = row->kind == ASC_ROW_LOAD ? "CPU load" : row->info.name;
  bool chosen = row->lane != NULL && row->lane == scope->chosen;
  asc_set_colour (cr, main_row ? theme->text : theme->text_dim);
  asc_text_draw (scope->text, cr,
                 chosen && !compact                     ? ASC_FONT_BOLD
                 : compact || row->kind == ASC_ROW_LOAD ? ASC_FONT_SMALL
                                                        : ASC_FONT_BODY,
                 ASC_ALIGN_LEFT, x, y, MAX (right - x, 10), name);
}

/* --- what stays ------------------------------------------------------------------------
 */

static void
put (GByteArray *to, gconstpointer bytes, gsize n)
{
  g_byte_array_append (to, bytes, (guint)n);
}

/* Returns whether both are the same, and keeps what is asked. */
static bool
same (GByteArray *seen, const GByteArray *asked)
{
  if (seen->len == asked->len && memcmp (seen->data, asked->data, asked->len) == 0)
    return true;
  g_byte_array_set_size (seen, 0);
  put (seen, asked->data, asked->len);
  return false;
}

/* When it changes, all rows are painted. */
static bool
same_layout (AscNames *seen, const AscScope *scope, double width, double height)
{
  GByteArray *asked = seen->asked;
  const double places[] = { width, height, scope->scroll, scope->rows->height };
  g_byte_array_set_size (asked, 0);
  put (asked, places, sizeof places);
  put (asked, &scope->theme, sizeof scope->theme);
  put (asked, &scope->rows->rows->len, sizeof scope->rows->rows->len);
  return same (seen->about, asked);
}

static bool
same_row (AscNames *seen, const AscScope *scope, guint i, const char *value)
{
  const AscRow *row = &g_array_index (scope->rows->rows, AscRow, i);
  GByteArray *asked = seen->asked;
  const double places[] = { row->y, row->height };
  const guint look[] = { row->kind,
                         row->info.kind,
                         row->colour,
                         row->info.alive,
                         asc_row_colour (scope, i),
                         row->lane != NULL && row->lane == scope->chosen };
  const char *name = row->kind == ASC_ROW_LANE ? row->info.name : "";
  g_byte_array_set_size (asked, 0);
  put (asked, places, sizeof places);
  put (asked, look, sizeof look);
  put (asked, value, strlen (value) + 1);
  put (asked, name, strlen (name) + 1);
  while (seen->rows->len <= i)
    g_ptr_array_add (seen->rows, g_byte_array_new ());
  return same (g_ptr_array_index (seen->rows, i), asked);
}

bool
asc_names_keep_below (AscNames *names, const AscScope *scope)
{
  const AscView *view = scope->view;
  bool plain = !view->has_selection && !view->has_cursor[0] && !view->has_cursor[1];
  bool keep = names->same_layout && names->plain_below && plain;
  names->plain_below = plain;
  return keep;
}

void
asc_paint_names (cairo_t *cr,
                 const AscScope *scope,
                 double width,
                 double height,
                 AscNames *seen)
{
  GArray *rows = scope->rows->rows;
  bool all = seen == NULL || !same_layout (seen, scope, width, height);
  if (seen != NULL)
    seen->same_layout = !all;
  if (all)
    asc_paint_backs (cr, scope, width, height);
  for (guint i = asc_rows_first (scope->rows, scope->scroll); i < rows->len; i++)
    {
      const AscRow *row = &g_array_index (rows, AscRow, i);
      char value[VALUE_MAX];
      double y = row->y - scope->scroll;
      if (y >= height)
        break;
      value_of (scope, row, value, sizeof value);
      if (seen != NULL && same_row (seen, scope, i, value) && !all)
        continue;
      if (seen != NULL)
        seen->painted++;
      cairo_save (cr);
      if (!all)
        {
          cairo_rectangle (cr, 0, y, width, row->height);
          cairo_clip (cr);
          asc_paint_back (cr, scope, i, width);
        }
      paint_name (cr, scope, row, value, width, y + row->height / 2);
      cairo_restore (cr);
    }
}
