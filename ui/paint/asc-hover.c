/* What the pointer is on, in words. */
#include "asc-format.h"
#include "asc-scope.h"

#include <math.h>

#define BOX_WIDTH 268
#define LINE_HEIGHT 19

static const char *
exit_name (guint8 exit)
{
  switch ((AscExit)exit)
    {
    case ASC_EXIT_YIELD:
      return "waits again";
    case ASC_EXIT_RETURN:
      return "returned";
    case ASC_EXIT_RAISE:
      return "raised";
    case ASC_EXIT_CANCEL:
      return "was cancelled";
    }
  return "";
}

static void
add (AscHoverLine *lines, guint *n, const char *label, const char *value)
{
  if (*n >= ASC_HOVER_LINES)
    return;
  g_strlcpy (lines[*n].label, label, sizeof lines->label);
  g_strlcpy (lines[*n].value, value, sizeof lines->value);
  (*n)++;
}

static void
add_late (const AscSession *session, const AscRun *run, AscHoverLine *lines, guint *n)
{
  char value[96], length[40];
  const AscLane *by = NULL;
  AscLaneInfo info;
  gint64 overlap = 0;
  if (!(run->flags & ASC_RUN_LATE))
    return;
  if (run->late_ms == 0)
    {
      add (lines, n, "woke", "on time");
      return;
    }
  g_snprintf (value, sizeof value, "%u ms late", run->late_ms);
  add (lines, n, "woke", value);
  if (!asc_session_held_up_by (session, run, &by, &overlap))
    return;
  asc_lane_info (by, &info);
  asc_format_duration ((double)overlap, length, sizeof length);
  g_snprintf (value, sizeof value, "%s %s", info.name, length);
  add (lines, n, "held up by", value);
}

guint
asc_hover_lines (const AscSession *session,
                 const AscLane *lane,
                 const AscRun *run,
                 AscHoverLine *lines)
{
  AscLaneInfo info;
  AscSessionInfo about;
  char name[96], value[96], length[40];
  guint n = 0;
  asc_lane_info (lane, &info);
  bool task = info.kind == ASC_LANE_TASK;
  if (task && info.instances > 1 && run->instance > 0)
    g_snprintf (name, sizeof name, "%s #%u", info.name, run->instance);
  else
    g_strlcpy (name, info.name, sizeof name);
  asc_format_duration ((double)(run->end_ns - run->start_ns), length, sizeof length);
  g_snprintf (value, sizeof value, "%s%s%s", task ? "run " : "",
              run->flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS) ? "≥ " : "", length);
  add (lines, &n, name, value);
  asc_session_info (session, &about);
  asc_format_clock (run->start_ns - about.start_ns, 1000, value, sizeof value);
  add (lines, &n, "began at", value);
  if (!task)
    {
      if (info.kind == ASC_LANE_IDLE)
        add (lines, &n, "waiting for",
             run->exit == ASC_IDLE_IO ? "input or output" : "a timer");
      return n;
    }
  if (run->flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED))
    add (lines, &n, "events lost here", "not counted");
  else if (run->flags & ASC_RUN_OPEN)
    add (lines, &n, "running now", "");
  else
    {
      double rank = asc_lane_rank (lane, run->end_ns - run->start_ns);
      g_snprintf (value, sizeof value, "%.0f %% of its runs", floor (rank * 100));
      add (lines, &n, "longer than", value);
    }
  add_late (session, run, lines, &n);
  if (!(run->flags & (ASC_RUN_OPEN | ASC_RUN_CENSORED)) && run->exit != ASC_EXIT_YIELD)
    add (lines, &n, "then", exit_name (run->exit));
  return n;
}

static void
draw_box (cairo_t *cr,
          const AscScope *scope,
          const AscHoverLine *lines,
          guint n,
          double width,
          double height)
{
  double h = n * LINE_HEIGHT + 14, w = BOX_WIDTH;
  double x = scope->pointer_x + 16, y = scope->pointer_y + 16;
  if (x + w > width - 4)
    x = scope->pointer_x - 16 - w;
  if (y + h > height - 4)
    y = scope->pointer_y - 16 - h;
  x = round (MAX (x, 4));
  y = round (MAX (y, 4));
  asc_set_colour (cr, scope->theme->panel);
  asc_rounded (cr, x + 0.5, y + 0.5, w, h, 8);
  cairo_fill_preserve (cr);
  asc_set_colour (cr, scope->theme->line);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  for (guint i = 0; i < n; i++)
    {
      double middle = y + 7 + (i + 0.5) * LINE_HEIGHT;
      AscFont font = i == 0 ? ASC_FONT_MONO : ASC_FONT_SMALL_MONO;
      asc_set_colour (cr, scope->theme->text);
      double used = asc_text_draw (scope->text, cr, font, ASC_ALIGN_RIGHT, x + w - 12,
                                   middle, 0, lines[i].value);
      asc_set_colour (cr, i == 0 ? scope->theme->text : scope->theme->text_dim);
      asc_text_draw (scope->text, cr, i == 0 ? ASC_FONT_BOLD : ASC_FONT_SMALL,
                     ASC_ALIGN_LEFT, x + 12, middle, MAX (w - 36 - used, 20),
                     lines[i].label);
    }
}

void
asc_paint_hover (cairo_t *cr, const AscScope *scope, double width, double height)
{
  const AscRow *row;
  AscRun run;
  AscHoverLine lines[ASC_HOVER_LINES];
  if (!asc_scope_run_at (scope, width, scope->pointer_x, scope->pointer_y, &row, &run))
    return;
  guint n = asc_hover_lines (scope->session, row->lane, &run, lines);
  draw_box (cr, scope, lines, n, width, height);
}
