/* bench-live SOURCE SECONDS [WIDTHxHEIGHT]: records and follows a live board as the
 * window does, paints the scope 60 times a second, and tells what each
 * thread took of one processor, and what was lost. */
#include <dirent.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asc-engine.h"
#include "asc-picture.h"

#define FRAME_US (G_USEC_PER_SEC / 60)

static double
thread_cpu (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct
{
  AscPicture *picture;
  cairo_surface_t *shown; /* held until the next frame, as by a window */
  int width, height;
  AscText *text;
  AscRows *rows;
  AscView view;
  bool begun;
  GArray *times; /* CPU ms of each picture */
} Window;

static int
ascending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
paint (Window *window, AscTrace *trace)
{
  if (asc_trace_n_sessions (trace) == 0)
    return;
  AscSession *session = asc_trace_session (trace, 0);
  AscSessionInfo info;
  asc_session_info (session, &info);
  double began = thread_cpu ();
  if (!window->begun)
    asc_view_init (&window->view, info.start_ns, info.end_ns, 1000, true);
  window->begun = true;
  asc_view_grow (&window->view, info.start_ns, info.end_ns);
  asc_rows_update (window->rows, session, window->height - ASC_RULER_HEIGHT, "");
  AscScope scope = { .session = session,
                     .view = &window->view,
                     .theme = asc_theme_light (),
                     .text = window->text,
                     .rows = window->rows,
                     .names_width = ASC_NAMES_WIDTH,
                     .hog_ns = ASC_HOG_NS,
                     .precision = ASC_TOLERANT };
  cairo_surface_t *image
      = asc_picture_draw (window->picture, &scope, window->width, window->height, 1);
  cairo_surface_reference (image);
  g_clear_pointer (&window->shown, cairo_surface_destroy);
  window->shown = image;
  double ms = (thread_cpu () - began) * 1e3;
  g_array_append_val (window->times, ms);
}

/* The CPU time of this process's threads since they began. */
static void
print_threads (double seconds)
{
  DIR *folder = opendir ("/proc/self/task");
  struct dirent *entry;
  while (folder && (entry = readdir (folder)))
    {
      char path[320], *stat = NULL;
      unsigned long user = 0, kernel = 0;
      snprintf (path, sizeof path, "/proc/self/task/%s/stat", entry->d_name);
      if (entry->d_name[0] == '.' || !g_file_get_contents (path, &stat, NULL, NULL))
        continue;
      char *name = strchr (stat, '('), *end = strrchr (stat, ')');
      if (name && end
          && sscanf (end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                     &user, &kernel)
                 == 2)
        {
          *end = 0;
          printf ("%-20s %6.2f %% of a processor\n", name + 1,
                  (double)(user + kernel) / (double)sysconf (_SC_CLK_TCK) / seconds
                      * 100);
        }
      g_free (stat);
    }
  if (folder)
    closedir (folder);
}

static void
print_totals (AscEngine *engine, const Window *window, guint64 behind, double seconds)
{
  AscDecoderTotals totals;
  asc_trace_totals (asc_engine_trace (engine), &totals);
  AscRecording *recording = asc_engine_recording (engine);
  printf ("%-20s %.1f s, %.0f events/s, %.0f bytes/s\n", "live", seconds,
          (double)totals.events / seconds,
          (double)asc_recording_received (recording) / seconds);
  printf (
      "%-20s %" G_GUINT64_FORMAT " events on the way, %" G_GUINT64_FORMAT
      " on the board, %" G_GUINT64_FORMAT " bytes not kept\n",
      "lost", (guint64)totals.missing_events, (guint64)totals.dropped_events,
      (guint64)(asc_recording_not_kept (recording) + asc_recording_let_go (recording)));
  printf ("%-20s %" G_GUINT64_FORMAT " bytes behind at most\n", "decoder", behind);
  guint n = window->times->len;
  double *times = (double *)(void *)window->times->data;
  qsort (times, n, sizeof *times, ascending);
  if (n > 0)
    printf ("%-20s %u of %dx%d; CPU median %.2f, p99 %.2f, longest %.2f ms\n", "pictures",
            n, window->width, window->height, times[n / 2], times[n * 99 / 100],
            times[n - 1]);
}

static int
follow (const AscSourceSpec *spec, double seconds, Window *window)
{
  GError *error = NULL;
  char *folder = g_dir_make_tmp ("asc-bench-XXXXXX", &error);
  if (!folder)
    return 1;
  char *path = g_build_filename (folder, "live.trace", NULL);
  AscRecordingOptions options = { .path = path, .keep_free = 1 << 20 };
  AscEngine *engine = asc_engine_record (spec, &options, NULL, NULL, &error);
  guint64 behind = 0;
  if (!engine)
    fprintf (stderr, "bench-live: %s\n", error->message);
  else
    {
      gint64 began = g_get_monotonic_time (), next = began, now;
      while ((now = g_get_monotonic_time ()) - began < (gint64)(seconds * G_USEC_PER_SEC)
             && asc_engine_state (engine) == ASC_ENGINE_LIVE)
        {
          paint (window, asc_engine_trace (engine));
          behind = MAX (behind, asc_engine_behind (engine));
          next = MAX (next + FRAME_US, now - FRAME_US);
          g_usleep ((gulong)MAX (next - g_get_monotonic_time (), 0));
        }
      seconds = (double)(now - began) / G_USEC_PER_SEC;
      print_threads (seconds);
      asc_engine_stop (engine);
      asc_engine_wait (engine);
      print_totals (engine, window, behind, seconds);
    }
  asc_engine_free (engine);
  g_clear_error (&error);
  g_remove (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
  return engine ? 0 : 1;
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  Window window = { .width = 1920, .height = 1080 };
  if (argc < 3 || argc > 4
      || (argc == 4 && sscanf (argv[3], "%dx%d", &window.width, &window.height) != 2))
    {
      fprintf (stderr, "usage: bench-live SOURCE SECONDS [WIDTHxHEIGHT]\n");
      return 2;
    }
  AscSourceSpec *spec = asc_source_spec_parse (argv[1], &error);
  if (!spec)
    {
      fprintf (stderr, "bench-live: %s\n", error->message);
      g_clear_error (&error);
      return 2;
    }
  window.picture = asc_picture_new ();
  window.text = asc_text_new ();
  window.times = g_array_new (FALSE, FALSE, sizeof (double));
  window.rows = asc_rows_new ();
  int status = follow (spec, g_ascii_strtod (argv[2], NULL), &window);
  asc_rows_free (window.rows);
  asc_text_free (window.text);
  g_array_unref (window.times);
  g_clear_pointer (&window.shown, cairo_surface_destroy);
  asc_picture_free (window.picture);
  asc_source_spec_free (spec);
  return status;
}
