#include "asc-cli.h"

#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "asc-png.h"
#include "asc-scope.h"
#include "asc-stats.h"

#define WIDTH 1280
#define LEAST_HEIGHT 200
#define MOST_HEIGHT 4000
#define NAME_MOST 80 /* letters of a name that are compared */
#define NAMES_TOLD 5
#define MOST_PIXELS 32767 /* of an image, by cairo */

typedef struct
{
  char *output;
  AscCliStretch stretch;
  char *size;
  char *session;
  char *lanes;
  double scale;
  gboolean dark;
  /* what the texts above say */
  int width;
  int height; /* 0: as the lanes need */
} Options;

typedef struct
{
  AscSession *session;
  AscSessionInfo info;
  AscView view;
  AscRows *rows;
  AscText *text;
  double *percent;
  guint n_percent;
} Picture;

/* ---- what was asked for ---- */

static bool
parse_size (const char *text, int *width, int *height)
{
  char *end;
  guint64 w = g_ascii_strtoull (text, &end, 10);
  if (end == text || *end != 'x')
    return false;
  const char *second = end + 1;
  guint64 h = g_ascii_strtoull (second, &end, 10);
  if (end == second || *end || w < 100 || h < 60 || w > 16384 || h > 16384)
    return false;
  *width = (int)w;
  *height = (int)h;
  return true;
}

static int
check (Options *o)
{
  if (!o->output)
    return asc_cli_usage (&asc_cmd_render, "-o PNG is missing");
  int status = asc_cli_check_stretch (&asc_cmd_render, &o->stretch);
  if (status >= 0)
    return status;
  if (o->size && !parse_size (o->size, &o->width, &o->height))
    return asc_cli_usage (
        &asc_cmd_render, "'%s' is no size (100x60 to 16384x16384, as 1280x720)", o->size);
  if (!(o->scale >= 0.5 && o->scale <= 4))
    return asc_cli_usage (&asc_cmd_render, "--scale goes from 0.5 to 4");
  return asc_cli_check_session (&asc_cmd_render, o->session);
}

/* ---- the picture ---- */

static void
take_percent (Picture *picture)
{
  AscStats *stats = asc_stats_new (picture->session, picture->view.from_ns,
                                   picture->view.to_ns, NULL);
  picture->n_percent = asc_session_n_lanes (picture->session);
  picture->percent = g_new (double, picture->n_percent + 1);
  for (guint i = 0; i < picture->n_percent; i++)
    picture->percent[i] = -1;
  for (gsize i = 0; stats && i < stats->n_tasks; i++)
    {
      AscLaneInfo lane;
      asc_lane_info (stats->tasks[i].lane, &lane);
      if (lane.index < picture->n_percent)
        picture->percent[lane.index] = stats->tasks[i].cpu_percent;
    }
  asc_stats_free (stats);
}

/* False when nothing of the session lies in the stretch. */
static bool
picture_init (Picture *picture, AscSession *session, const Options *o)
{
  AscSessionInfo *info = &picture->info;
  picture->session = session;
  asc_session_info (session, info);
  gint64 tick_ns = info->tick_hz ? MAX (1000000000 / info->tick_hz, 1) : 1;
  asc_view_init (&picture->view, info->first_ns, info->end_ns, tick_ns, false);
  gint64 from, to;
  if (!asc_cli_stretch (&asc_cmd_render, &o->stretch, session, &from, &to))
    return false;
  if (o->stretch.from || o->stretch.to)
    asc_view_show (&picture->view, MAX (from, info->first_ns), MIN (to, info->end_ns));
  picture->rows = asc_rows_new ();
  picture->text = asc_text_new ();
  take_percent (picture);
  return true;
}

static void
picture_clear (Picture *picture)
{
  asc_rows_free (picture->rows);
  asc_text_free (picture->text);
  g_free (picture->percent);
}

/* Lays the rows out; returns the picture's height. */
static int
lay_out (Picture *picture, const Options *o)
{
  const char *lanes = o->lanes ? o->lanes : "";
  int above = ASC_RULER_HEIGHT + ASC_OVERVIEW_HEIGHT;
  double room = o->height ? o->height - above : MOST_HEIGHT;
  asc_rows_update (picture->rows, picture->session, room, lanes);
  if (o->height)
    return o->height;
  return (int)CLAMP (ceil (picture->rows->height) + above, LEAST_HEIGHT, MOST_HEIGHT);
}

/* How many letters are to be changed, added or left out to make b of a, case apart. */
static guint
distance (const char *a, const char *b)
{
  guint before[NAME_MOST + 1], now[NAME_MOST + 1];
  gsize n = MIN (strlen (b), NAME_MOST);
  for (guint j = 0; j <= n; j++)
    before[j] = j;
  for (guint i = 1; a[i - 1]; i++)
    {
      now[0] = i;
      for (gsize j = 1; j <= n; j++)
        {
          bool same = g_ascii_tolower (a[i - 1]) == g_ascii_tolower (b[j - 1]);
          guint least = MIN (before[j], now[j - 1]) + 1;
          now[j] = MIN (least, before[j - 1] + !same);
        }
      memcpy (before, now, sizeof now);
    }
  return before[n];
}

/* The whole name, or a part of it between dots, whichever is closer. */
static guint
distance_to (const char *name, const char *wanted)
{
  char **parts = g_strsplit (name, ".", -1);
  guint least = distance (name, wanted);
  for (char **part = parts; *part; part++)
    least = MIN (least, distance (*part, wanted));
  g_strfreev (parts);
  return least;
}

static gint
closest_first (gconstpointer a, gconstpointer b, gpointer wanted)
{
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  guint left = distance_to (x, wanted), right = distance_to (y, wanted);
  return left != right ? (left > right) - (left < right) : strcmp (x, y);
}

/* True when a task is left; otherwise the names that were meant, maybe, are told. */
static bool
check_lanes (AscSession *session, const char *lanes)
{
  GPtrArray *names = g_ptr_array_new ();
  bool found = false;
  for (guint i = 0; i < asc_session_n_lanes (session); i++)
    {
      AscLaneInfo info;
      asc_lane_info (asc_session_lane (session, i), &info);
      if (info.kind != ASC_LANE_TASK || info.task != info.index)
        continue;
      found |= asc_name_matches (info.name, lanes);
      g_ptr_array_add (names, (gpointer)(guintptr)info.name);
    }
  if (!found)
    {
      char *wanted = g_strdelimit (g_strdup (lanes), "*?!", ' ');
      GString *close = g_string_new (NULL);
      g_ptr_array_sort_with_data (names, closest_first, g_strstrip (wanted));
      for (guint i = 0; i < MIN (names->len, NAMES_TOLD); i++)
        g_string_append_printf (close, "%s%s", i ? ", " : "",
                                (const char *)names->pdata[i]);
      asc_cli_fail (
          &asc_cmd_render, ASC_CLI_FAILED,
          "No task of the session is left by --lanes '%s'. Of its %u the closest "
          "are: %s.",
          lanes, names->len, close->str);
      g_string_free (close, TRUE);
      g_free (wanted);
    }
  g_ptr_array_unref (names);
  return found;
}

static void
draw (cairo_t *cr, const Picture *picture, const Options *o, int height)
{
  AscScope scope = { .session = picture->session,
                     .view = &picture->view,
                     .theme = o->dark ? asc_theme_dark () : asc_theme_light (),
                     .text = picture->text,
                     .rows = picture->rows,
                     .names_width = o->width < 900 ? ASC_NAMES_NARROW : ASC_NAMES_WIDTH,
                     .percent = picture->percent,
                     .n_percent = picture->n_percent,
                     .hog_ns = ASC_HOG_NS,
                     .precision = ASC_EXACT };
  asc_set_colour (cr, scope.theme->base);
  cairo_paint (cr);
  asc_overview_draw (cr, &scope, o->width, ASC_OVERVIEW_HEIGHT);
  cairo_translate (cr, 0, ASC_OVERVIEW_HEIGHT);
  cairo_rectangle (cr, 0, 0, o->width, height - ASC_OVERVIEW_HEIGHT);
  cairo_clip (cr);
  asc_scope_draw (cr, &scope, o->width, height - ASC_OVERVIEW_HEIGHT);
}

static cairo_status_t
write_png (void *closure, const unsigned char *bytes, unsigned n)
{
  return fwrite (bytes, 1, n, closure) == n ? CAIRO_STATUS_SUCCESS
                                            : CAIRO_STATUS_WRITE_ERROR;
}

static int
save (cairo_surface_t *surface, const char *path)
{
  if (strcmp (path, "-") == 0)
    {
      errno = 0;
      if (cairo_surface_write_to_png_stream (surface, write_png, stdout)
          == CAIRO_STATUS_SUCCESS)
        return ASC_CLI_OK;
      return asc_cli_fail (&asc_cmd_render, ASC_CLI_FAILED,
                           "Standard output can not be written: %s.",
                           errno ? g_strerror (errno) : "the picture is too large");
    }
  GError *error = NULL;
  if (asc_png_write (surface, path, &error))
    return ASC_CLI_OK;
  int status = asc_cli_fail (&asc_cmd_render, ASC_CLI_FAILED,
                             "%s can not be written: %s.", path, error->message);
  g_error_free (error);
  return status;
}

static int
render (AscSession *session, const Options *o)
{
  Picture picture = { 0 };
  if (o->lanes && !check_lanes (session, o->lanes))
    return ASC_CLI_FAILED;
  if (!picture_init (&picture, session, o))
    return ASC_CLI_FAILED;
  int height = lay_out (&picture, o);
  int w = (int)ceil (o->width * o->scale);
  int h = (int)ceil (height * o->scale);
  int status;
  if (w > MOST_PIXELS || h > MOST_PIXELS)
    status = asc_cli_fail (&asc_cmd_render, ASC_CLI_FAILED, "The picture is too large.");
  else
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, w, h);
      cairo_t *cr = cairo_create (surface);
      cairo_scale (cr, o->scale, o->scale);
      draw (cr, &picture, o, height);
      cairo_destroy (cr);
      status = save (surface, o->output);
      cairo_surface_destroy (surface);
    }
  picture_clear (&picture);
  return status;
}

static int
load_and_render (const char *path, const Options *o)
{
  int status;
  AscEngine *engine = asc_cli_load (&asc_cmd_render, path, NULL, NULL, &status);
  if (!engine)
    return status;
  AscTrace *trace = asc_engine_trace (engine);
  int index = asc_cli_session (&asc_cmd_render, trace, o->session);
  if (index < 0 || render (asc_trace_session (trace, (guint)index), o))
    status = ASC_CLI_FAILED;
  asc_engine_free (engine);
  return status ? status : asc_cli_finish (&asc_cmd_render, status);
}

static int
run (const char *command, int argc, char **argv)
{
  Options o = { .scale = 1, .width = WIDTH };
  const GOptionEntry entries[]
      = { { "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
            "The picture (- for standard output)", "PNG" },
          ASC_CLI_STRETCH_ENTRIES (&o.stretch),
          { "size", 0, 0, G_OPTION_ARG_STRING, &o.size,
            "Pixels (default: 1280, and as high as the lanes need)", "WxH" },
          { "scale", 0, 0, G_OPTION_ARG_DOUBLE, &o.scale, "Enlarge text and lines", "X" },
          { "dark", 0, 0, G_OPTION_ARG_NONE, &o.dark, "Dark", NULL },
          { "lanes", 0, 0, G_OPTION_ARG_STRING, &o.lanes,
            "Only lanes that match (*, ? and a leading ! to exclude)", "GLOB" },
          { "session", 0, 0, G_OPTION_ARG_STRING, &o.session,
            "The N-th session, from 1 (default: the last)", "N" },
          G_OPTION_ENTRY_NULL };
  (void)command;
  int status = asc_cli_parse (&asc_cmd_render, entries, &argc, &argv, 1, 1);
  if (status < 0)
    status = check (&o);
  if (status < 0)
    status = load_and_render (argv[1], &o);
  g_free (o.output);
  asc_cli_stretch_clear (&o.stretch);
  g_free (o.size);
  g_free (o.session);
  g_free (o.lanes);
  return status;
}

const AscCommand asc_cmd_render
    = { "render", "FILE -o PNG", "A picture of the scope.",
        "TIME: 12.5 or 12.5s, 500ms, 20us, 2min, 1:02.5. PNG is replaced if it exists.\n",
        run };
