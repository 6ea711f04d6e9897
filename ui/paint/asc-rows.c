#include "asc-rows.h"

#include <string.h>

#define ASC_ROWS_COLOURS 12 /* of the theme */

AscRows *
asc_rows_new (void)
{
  AscRows *rows = g_new0 (AscRows, 1);
  rows->rows = g_array_new (FALSE, TRUE, sizeof (AscRow));
  return rows;
}

void
asc_rows_free (AscRows *rows)
{
  if (rows == NULL)
    return;
  g_array_unref (rows->rows);
  g_free (rows);
}

bool
asc_name_matches (const char *name, const char *filter)
{
  bool wanted = true;
  if (filter == NULL || *filter == '\0')
    return true;
  if (*filter == '!')
    {
      wanted = false;
      filter++;
    }
  char *folded_name = g_utf8_casefold (name, -1);
  char *folded = g_utf8_casefold (filter, -1);
  char *pattern = g_strdup_printf ("*%s*", folded);
  bool matches = g_pattern_match_simple (pattern, folded_name) == wanted;
  g_free (pattern);
  g_free (folded);
  g_free (folded_name);
  return matches;
}

/* Heights of the kinds of rows when a task's row is as high as task. */
static double
height_of (AscLaneKind kind, double task)
{
  if (kind == ASC_LANE_TASK)
    return task;
  if (kind == ASC_LANE_COUNTER)
    return CLAMP (task, 22, 40);
  return CLAMP (task * 0.7, ASC_ROW_COMPACT, 26);
}

static double
load_height (double task)
{
  return CLAMP (task * 1.3, 28, 44);
}

static void
add_row (AscRows *rows, AscRow row)
{
  row.y = rows->height;
  rows->height += row.height;
  g_array_append_val (rows->rows, row);
}

static void
add_lanes (AscRows *rows, const AscSession *session, AscLaneKind kind, const char *filter)
{
  guint n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    {
      AscRow row = { .kind = ASC_ROW_LANE, .lane = asc_session_lane (session, i) };
      asc_lane_info (row.lane, &row.info);
      if (row.info.kind == kind)
        {
          bool hidden
              = kind == ASC_LANE_TASK && !asc_name_matches (row.info.name, filter);
          row.height = hidden ? 0 : 1;
          g_array_append_val (rows->rows, row);
        }
    }
}

/* Over all lanes, hidden ones too: a filter changes no colour. */
static void
choose_colours (AscRows *rows)
{
  guint used[ASC_ROWS_COLOURS] = { 0 };
  guint least = 0;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      AscRow *row = &g_array_index (rows->rows, AscRow, i);
      if (row->kind != ASC_ROW_LANE
          || (row->info.kind != ASC_LANE_TASK && row->info.kind != ASC_LANE_SPAN))
        continue;
      guint colour = row->info.colour % ASC_ROWS_COLOURS;
      for (guint step = 0; step < ASC_ROWS_COLOURS && used[colour] > least; step++)
        colour = (colour + 1) % ASC_ROWS_COLOURS;
      row->colour = colour;
      used[colour]++;
      guint n = G_MAXUINT;
      for (guint c = 0; c < ASC_ROWS_COLOURS; c++)
        n = MIN (n, used[c]);
      least = n;
    }
}

static double
total_height (const AscRows *rows, double task)
{
  double sum = 0;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (rows->rows, AscRow, i);
      if (row->height > 0)
        sum += row->kind == ASC_ROW_LOAD ? load_height (task)
                                         : height_of (row->info.kind, task);
    }
  return sum;
}

static void
place_rows (AscRows *rows, double task)
{
  GArray *all = rows->rows;
  rows->rows = g_array_new (FALSE, TRUE, sizeof (AscRow));
  rows->height = 0;
  rows->task_height = task;
  for (guint i = 0; i < all->len; i++)
    {
      AscRow row = g_array_index (all, AscRow, i);
      if (row.height <= 0)
        continue;
      row.height = row.kind == ASC_ROW_LOAD ? load_height (task)
                                            : height_of (row.info.kind, task);
      row.height = (int)row.height;
      add_row (rows, row);
    }
  g_array_unref (all);
}

void
asc_rows_update (AscRows *rows,
                 const AscSession *session,
                 double height,
                 const char *filter)
{
  static const AscLaneKind order[] = { ASC_LANE_TASK, ASC_LANE_SPAN, ASC_LANE_IDLE,
                                       ASC_LANE_GC,   ASC_LANE_PIN,  ASC_LANE_COUNTER };
  double task = ASC_ROW_COMFORTABLE;
  g_array_set_size (rows->rows, 0);
  rows->height = 0;
  if (session == NULL)
    return;
  AscRow load = { .kind = ASC_ROW_LOAD, .height = 1 };
  g_array_append_val (rows->rows, load);
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    add_lanes (rows, session, order[i], filter);
  choose_colours (rows);
  while (task > ASC_ROW_COMPACT && total_height (rows, task) > height)
    task -= 1;
  place_rows (rows, task);
}

guint
asc_rows_first (const AscRows *rows, double y)
{
  guint low = 0, high = rows->rows->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      const AscRow *row = &g_array_index (rows->rows, AscRow, middle);
      if (row->y + row->height <= y)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

const AscRow *
asc_rows_at (const AscRows *rows, double y)
{
  guint i = asc_rows_first (rows, y);
  return y >= 0 && i < rows->rows->len ? &g_array_index (rows->rows, AscRow, i) : NULL;
}

const AscRow *
asc_rows_of (const AscRows *rows, const AscLane *lane)
{
  for (guint i = 0; lane != NULL && i < rows->rows->len; i++)
    {
      const AscRow *row = &g_array_index (rows->rows, AscRow, i);
      if (row->lane == lane)
        return row;
    }
  return NULL;
}
