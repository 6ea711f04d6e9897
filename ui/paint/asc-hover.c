#include "asc-hover.h"

#include "asc-format.h"
#include "asc-waits.h"

#include <math.h>

#define NEAR_PX 3
#define NEAR_FOLLOWING_PX 12 /* a moving pointer meets moving runs */
#define CANDIDATES 64
#define READ_NS G_GINT64_CONSTANT (5000000000) /* a card is there at least so long */
#define LISTED 4         /* tasks that ran meanwhile, or were held up */
#define WORTH_NS 1000000 /* lateness is told in ms */
#define DOUBTFUL (ASC_RUN_CENSORED | ASC_RUN_HEADLESS | ASC_RUN_TOUCHED)

/* --- what it is on --- */

static bool
has_runs (const AscRow *row)
{
  return row->kind == ASC_ROW_LANE && row->info.kind != ASC_LANE_PIN
         && row->info.kind != ASC_LANE_COUNTER && row->info.kind != ASC_LANE_MARK;
}

/* The lane under the pointer, where it is on the time and the lane has runs. */
static const AscRow *
row_at (const AscScope *scope)
{
  const AscRow *row = asc_scope_row_at (scope, scope->pointer_y);
  if (scope->session == NULL || scope->pointer_x < scope->names_width || row == NULL
      || !has_runs (row))
    return NULL;
  return row;
}

static gint64
time_at (const AscScope *scope, double width, double x)
{
  return asc_view_ns (scope->view, x - scope->names_width,
                      asc_scope_time_width (scope, width));
}

/* The run of [from, to] nearest to a time. */
static bool
nearest (const AscLane *lane, gint64 from, gint64 to, gint64 ns, AscRun *out)
{
  AscRun runs[CANDIDATES];
  gsize n = asc_lane_runs (lane, from, to + 1, runs, CANDIDATES);
  gint64 best = G_MAXINT64;
  for (gsize i = 0; i < MIN (n, CANDIDATES); i++)
    {
      gint64 away = ns < runs[i].start_ns ? runs[i].start_ns - ns
                    : ns > runs[i].end_ns ? ns - runs[i].end_ns
                                          : 0;
      if (away < best)
        *out = runs[i];
      best = MIN (best, away);
    }
  return n > 0;
}

bool
asc_hover_find (const AscScope *scope, double width, double near_px, AscHover *out)
{
  const AscRow *row = row_at (scope);
  AscHover found = { .kind = ASC_HOVER_RUN };
  if (row == NULL)
    return false;
  found.lane = row->lane;
  gint64 ns = time_at (scope, width, scope->pointer_x);
  gint64 from = time_at (scope, width, scope->pointer_x - near_px);
  gint64 to = time_at (scope, width, scope->pointer_x + near_px);
  if (!asc_lane_run_at (row->lane, ns, &found.run)
      && !nearest (row->lane, from, to, ns, &found.run))
    {
      found.kind = ASC_HOVER_WAIT;
      if (row->info.kind != ASC_LANE_TASK
          || !asc_lane_wait_at (row->lane, ns, &found.run))
        return false;
    }
  *out = found;
  return true;
}

/* --- keeping it --- */

static void
take (AscHover *hover, const AscHover *found, bool keep)
{
  hover->kind = found->kind;
  hover->lane = found->lane;
  hover->run = found->run;
  hover->kept = keep;
}

/* The last run that went by since the last look. */
static bool
passed (const AscHover *hover, const AscScope *scope, double width, AscHover *out)
{
  const AscRow *row = row_at (scope);
  AscHover found = { .kind = ASC_HOVER_RUN };
  if (row == NULL || !hover->looked)
    return false;
  gint64 from = MIN (hover->passed_ns, time_at (scope, width, scope->pointer_x));
  gint64 to = time_at (scope, width, scope->pointer_x);
  if (!nearest (row->lane, from, to, to, &found.run))
    return false;
  found.lane = row->lane;
  *out = found;
  return true;
}

/* A run that went on when it was found may be over by now. */
static void
renew (AscHover *hover)
{
  AscRun run;
  if (hover->kind == ASC_HOVER_NOTHING || !(hover->run.flags & ASC_RUN_OPEN))
    return;
  if (asc_lane_run_before (hover->lane, hover->run.start_ns + 1, &run)
      && run.start_ns == hover->run.start_ns)
    hover->run = run;
}

/* What it is about lies outside of what is seen; for a little while it can still be read,
 * where the picture is so short that all passes in a blink. */
static bool
gone (const AscHover *hover, const AscView *view)
{
  bool waits = hover->kind == ASC_HOVER_WAIT;
  gint64 from = waits ? asc_run_due_ns (&hover->run) : hover->run.start_ns;
  gint64 to = waits ? hover->run.start_ns : hover->run.end_ns;
  return (to < view->from_ns && view->to_ns - to > READ_NS) || from > view->to_ns;
}

bool
asc_hover_update (AscHover *hover, const AscScope *scope, double width, bool moved)
{
  AscHover before = *hover, found;
  bool following = scope->view->following;
  if (scope->session == NULL || !scope->pointer_inside)
    {
      *hover = (AscHover){ .kind = ASC_HOVER_NOTHING };
      return before.kind != ASC_HOVER_NOTHING;
    }
  renew (hover);
  bool keep = hover->kept && hover->kind != ASC_HOVER_NOTHING;
  if (keep && gone (hover, scope->view))
    {
      hover->kind = ASC_HOVER_NOTHING;
      keep = false;
      moved = true; /* what is under the pointer now */
    }
  if (moved || (!following && !keep))
    {
      const AscRow *row = row_at (scope);
      double near_px = following ? NEAR_FOLLOWING_PX : NEAR_PX;
      if (asc_hover_find (scope, width, near_px, &found))
        take (hover, &found, following);
      else if (!following || row == NULL || row->lane != hover->lane)
        hover->kind = ASC_HOVER_NOTHING;
    }
  else if (!keep && passed (hover, scope, width, &found))
    take (hover, &found, true);
  hover->passed_ns = time_at (scope, width, scope->pointer_x);
  hover->looked = true;
  return hover->kind != before.kind
         || (hover->kind != ASC_HOVER_NOTHING
             && (hover->lane != before.lane
                 || hover->run.start_ns != before.run.start_ns));
}

/* --- words --- */

typedef struct
{
  AscHoverLine *lines;
  guint n;
} Lines;

static void
add (Lines *lines, const char *label, const char *value)
{
  if (lines->n >= ASC_HOVER_LINES)
    return;
  AscHoverLine *line = &lines->lines[lines->n++];
  g_strlcpy (line->label, label, sizeof line->label);
  g_strlcpy (line->value, value, sizeof line->value);
}

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

/* "motor.pid 35.2 ms", a line each; then how many more. */
static void
add_times (Lines *lines, const char *label, const AscTaskTime *times, gsize n)
{
  for (gsize i = 0; i < MIN (n, LISTED); i++)
    {
      AscLaneInfo info;
      char length[40], value[96];
      asc_lane_info (times[i].task, &info);
      asc_format_duration ((double)times[i].ns, length, sizeof length);
      g_snprintf (value, sizeof value, "%.48s %s", info.name, length);
      add (lines, i == 0 ? label : "", value);
    }
  if (n > LISTED)
    {
      char value[40];
      g_snprintf (value, sizeof value, "and %" G_GSIZE_FORMAT " more", n - LISTED);
      add (lines, "", value);
    }
}

static void
add_who_ran (Lines *lines, const AscSession *session, const AscRun *run)
{
  AscTaskTime times[LISTED];
  gsize n
      = asc_session_who_ran (session, asc_run_due_ns (run), run->start_ns, times, LISTED);
  if (n > 0)
    add_times (lines, "ran meanwhile", times, n);
  else
    add (lines, "ran meanwhile", "no task that is seen");
}

static void
add_held_up (Lines *lines, const AscSession *session, const AscRun *run)
{
  AscTaskTime times[LISTED];
  if (run->end_ns - run->start_ns < WORTH_NS)
    return;
  gsize n = asc_session_held_up (session, run, times, LISTED);
  add_times (lines, "held up", times, n);
}

static void
add_late (Lines *lines, const AscSession *session, const AscRun *run)
{
  char value[96], length[40];
  const AscLane *by = NULL;
  AscLaneInfo info;
  gint64 overlap = 0;
  if (!(run->flags & ASC_RUN_LATE))
    return;
  if (run->late_ms == 0)
    {
      add (lines, "woke", "on time");
      return;
    }
  g_snprintf (value, sizeof value, "%u ms late", run->late_ms);
  add (lines, "woke", value);
  if (!asc_session_held_up_by (session, run, &by, &overlap))
    return;
  asc_lane_info (by, &info);
  asc_format_duration ((double)overlap, length, sizeof length);
  g_snprintf (value, sizeof value, "%.48s %s", info.name, length);
  add (lines, "held up by", value);
}

static void
add_rank (Lines *lines, const AscLane *lane, const AscRun *run)
{
  char value[96];
  AscLaneInfo info;
  asc_lane_info (lane, &info);
  if (run->flags & DOUBTFUL)
    add (lines, "events lost here", "not counted");
  else if (run->flags & ASC_RUN_OPEN)
    add (lines, "running now", "");
  else if (info.n_runs < 2)
    add (lines, "length", "its only run so far");
  else if (asc_lane_is_longest (lane, run))
    add (lines, "length", "the longest of its runs");
  else
    {
      double rank = asc_lane_rank (lane, run->end_ns - run->start_ns);
      g_snprintf (value, sizeof value, "%s%.0f %% of its runs",
                  info.n_runs > ASC_LANE_RANK_EXACT ? "about " : "",
                  MIN (floor (rank * 100), 99));
      add (lines, "longer than", value);
    }
}

static void
add_head (Lines *lines, const AscSession *session, const AscHover *hover)
{
  AscLaneInfo info;
  AscSessionInfo about;
  char name[96], value[96], length[40];
  const AscRun *run = &hover->run;
  bool waits = hover->kind == ASC_HOVER_WAIT;
  asc_lane_info (hover->lane, &info);
  asc_session_info (session, &about);
  bool task = info.kind == ASC_LANE_TASK;
  if (task && info.instances > 1 && run->instance > 0)
    g_snprintf (name, sizeof name, "%s #%u", info.name, run->instance);
  else
    g_strlcpy (name, info.name, sizeof name);
  asc_format_duration ((double)(run->end_ns - run->start_ns), length, sizeof length);
  if (waits)
    g_snprintf (value, sizeof value, "waited %u ms", run->late_ms);
  else
    g_snprintf (value, sizeof value, "%s%s%s", task ? "run " : "",
                run->flags & (ASC_RUN_CENSORED | ASC_RUN_HEADLESS) ? "≥ " : "", length);
  add (lines, name, value);
  gint64 began = waits ? asc_run_due_ns (run) : run->start_ns;
  asc_format_clock (began - about.start_ns, 1000, value, sizeof value);
  add (lines, waits ? "was due at" : "began at", value);
}

guint
asc_hover_lines (const AscSession *session, const AscHover *hover, AscHoverLine *out)
{
  Lines lines = { .lines = out };
  const AscRun *run = &hover->run;
  AscLaneInfo info;
  if (hover->kind == ASC_HOVER_NOTHING)
    return 0;
  asc_lane_info (hover->lane, &info);
  add_head (&lines, session, hover);
  if (hover->kind == ASC_HOVER_WAIT)
    {
      char value[48];
      g_snprintf (value, sizeof value, "%u ms late", run->late_ms);
      add (&lines, "woke", value);
      add_who_ran (&lines, session, run);
    }
  else if (info.kind == ASC_LANE_TASK)
    {
      add_rank (&lines, hover->lane, run);
      add_late (&lines, session, run);
      if (!(run->flags & (ASC_RUN_OPEN | ASC_RUN_CENSORED))
          && run->exit != ASC_EXIT_YIELD)
        add (&lines, "then", exit_name (run->exit));
      add_held_up (&lines, session, run);
    }
  else if (info.kind == ASC_LANE_IDLE)
    add (&lines, "waiting for", run->exit == ASC_IDLE_IO ? "input or output" : "a timer");
  return lines.n;
}

char *
asc_hover_text (const AscSession *session, const AscHover *hover)
{
  AscHoverLine lines[ASC_HOVER_LINES];
  GString *text = g_string_new (NULL);
  guint n = session != NULL ? asc_hover_lines (session, hover, lines) : 0;
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s%s%s",
                            i == 0              ? ""
                            : lines[i].label[0] ? "; "
                                                : ", ",
                            lines[i].label, lines[i].label[0] ? " " : "", lines[i].value);
  return g_string_free (text, FALSE);
}
