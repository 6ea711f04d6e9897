#include "asc-rows.h"

#include <string.h>

#define LOAD_HEIGHT 44
#define SMALL_HEIGHT 26
#define COUNTER_HEIGHT 40

static const double task_heights[] = { 40, 28, 14 };

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

static double
height_of (AscLaneKind kind, AscDensity density)
{
  bool compact = density == ASC_DENSITY_COMPACT;
  if (kind == ASC_LANE_TASK)
    return task_heights[density];
  if (kind == ASC_LANE_COUNTER)
    return compact ? SMALL_HEIGHT : COUNTER_HEIGHT;
  return compact ? task_heights[density] : SMALL_HEIGHT;
}

static void
add_row (AscRows *rows, AscRow row)
{
  row.y = rows->height;
  rows->height += row.height;
  g_array_append_val (rows->rows, row);
}

static void
add_lanes (AscRows *rows,
           const AscSession *session,
           AscLaneKind kind,
           AscDensity density,
           const char *filter)
{
  guint n = asc_session_n_lanes (session);
  for (guint i = 0; i < n; i++)
    {
      AscRow row = { .kind = ASC_ROW_LANE, .lane = asc_session_lane (session, i) };
      asc_lane_info (row.lane, &row.info);
      if (row.info.kind != kind)
        continue;
      if (kind == ASC_LANE_TASK && !asc_name_matches (row.info.name, filter))
        continue;
      row.height = height_of (kind, density);
      add_row (rows, row);
    }
}

void
asc_rows_update (AscRows *rows,
                 const AscSession *session,
                 AscDensity density,
                 const char *filter)
{
  static const AscLaneKind order[] = { ASC_LANE_TASK, ASC_LANE_SPAN, ASC_LANE_IDLE,
                                       ASC_LANE_GC,   ASC_LANE_PIN,  ASC_LANE_COUNTER };
  g_array_set_size (rows->rows, 0);
  rows->height = 0;
  rows->task_height = task_heights[density];
  if (session == NULL)
    return;
  add_row (rows, (AscRow){ .kind = ASC_ROW_LOAD,
                           .height = density == ASC_DENSITY_COMPACT ? 28 : LOAD_HEIGHT });
  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    add_lanes (rows, session, order[i], density, filter);
}

AscDensity
asc_rows_density (const AscSession *session, double height)
{
  for (AscDensity density = ASC_DENSITY_COMFORTABLE; density < ASC_DENSITY_COMPACT;
       density++)
    {
      double sum = LOAD_HEIGHT;
      guint n = session != NULL ? asc_session_n_lanes (session) : 0;
      for (guint i = 0; i < n; i++)
        {
          AscLaneInfo info;
          asc_lane_info (asc_session_lane (session, i), &info);
          if (info.kind != ASC_LANE_MARK && info.kind != ASC_LANE_DRAIN)
            sum += height_of (info.kind, density);
        }
      if (sum <= height)
        return density;
    }
  return ASC_DENSITY_COMPACT;
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
