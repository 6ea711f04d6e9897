/* Frame times of the scope over a recording: median and 99th percentile of drawing alone.
 *
 *   bench-paint FILE...     from: aioscope-cli simulate --tasks 200 -o FILE
 *
 * Frames are held as a window does. A display's own cost is not in it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "asc-picture.h"
#include "asc-trace.h"

#define ROUNDS 200

typedef struct
{
  AscScope scope;
  AscView view;
  AscSessionInfo info;
  AscPicture *picture;
  cairo_surface_t *shown; /* held until the next frame */
  double width, height;
  guint64 random;
} Bench;

static double
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double
chance (Bench *bench)
{
  bench->random = bench->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(bench->random >> 11) / 9007199254740992.0;
}

static int
ascending (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef void (*Move) (Bench *bench, int round);

static void
whole (Bench *bench, int round)
{
  /* An equal frame would not be painted. */
  asc_view_show (&bench->view, bench->info.first_ns, bench->info.end_ns + round % 2);
}

static void
anywhere (Bench *bench, int round)
{
  gint64 all = bench->info.end_ns - bench->info.first_ns;
  double share = 1;
  (void)round;
  for (int i = 0; i < 8; i++)
    share *= 0.2 + 0.8 * chance (bench);
  gint64 length = MAX ((gint64)((double)all * share), 10000);
  gint64 from = bench->info.first_ns + (gint64)((double)(all - length) * chance (bench));
  asc_view_show (&bench->view, from, from + length);
}

/* A sixtieth of a second a frame. */
static void
scroll (Bench *bench, int round)
{
  gint64 from = bench->info.first_ns + (gint64)round * 16666667;
  asc_view_show (&bench->view, from, from + ASC_VIEW_LIVE_NS);
}

static void
measure (Bench *bench, const char *what, Move move, AscPrecision precision)
{
  double times[ROUNDS];
  bench->scope.precision = precision;
  for (int i = -3; i < ROUNDS; i++)
    {
      move (bench, MAX (i, 0));
      double from = now_ms ();
      cairo_surface_t *image = asc_picture_draw (bench->picture, &bench->scope,
                                                 bench->width, bench->height, 1);
      cairo_surface_reference (image);
      g_clear_pointer (&bench->shown, cairo_surface_destroy);
      bench->shown = image;
      if (i >= 0)
        times[i] = now_ms () - from;
    }
  qsort (times, ROUNDS, sizeof *times, ascending);
  printf ("  %-28s %8.2f %8.2f\n", what, times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
}

static void
size (AscSession *session, int width, int height, double row)
{
  Bench bench = { .width = width, .height = height, .random = 1 };
  AscRows *rows = asc_rows_new ();
  AscText *text = asc_text_new ();
  asc_session_info (session, &bench.info);
  asc_view_init (&bench.view, bench.info.first_ns, bench.info.end_ns, 1000, false);
  asc_rows_update (rows, session, height - ASC_RULER_HEIGHT, "");
  guint seen = 0;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      AscRow *one = &g_array_index (rows->rows, AscRow, i);
      if (row > 0)
        {
          one->y = i * row;
          one->height = row;
        }
      seen += one->y < height - ASC_RULER_HEIGHT;
    }
  bench.scope = (AscScope){ .session = session,
                            .view = &bench.view,
                            .theme = asc_theme_light (),
                            .text = text,
                            .rows = rows,
                            .names_width = ASC_NAMES_WIDTH,
                            .hog_ns = ASC_HOG_NS };
  bench.picture = asc_picture_new ();
  printf ("%d × %d, %u of %u rows seen%*s median      p99 ms\n", width, height, seen,
          rows->rows->len, 2, "");
  measure (&bench, "whole, exact", whole, ASC_EXACT);
  measure (&bench, "whole, moving", whole, ASC_TOLERANT);
  measure (&bench, "random zooms, exact", anywhere, ASC_EXACT);
  measure (&bench, "random zooms, moving", anywhere, ASC_TOLERANT);
  measure (&bench, "live scroll", scroll, ASC_TOLERANT);
  g_clear_pointer (&bench.shown, cairo_surface_destroy);
  asc_picture_free (bench.picture);
  asc_rows_free (rows);
  asc_text_free (text);
}

static void
bench_file (const char *path)
{
  char *bytes;
  gsize n;
  GError *error = NULL;
  if (!g_file_get_contents (path, &bytes, &n, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      exit (1);
    }
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  asc_trace_feed (trace, bytes, n);
  asc_trace_finish (trace);
  g_free (bytes);
  if (asc_trace_n_sessions (trace) > 0)
    {
      AscSessionInfo info;
      AscSession *session = asc_trace_session (trace, 0);
      asc_session_info (session, &info);
      printf ("%s: %.1f M events\n", path, (double)info.n_events / 1e6);
      size (session, 1920, 1080, 26);
      size (session, 1920, 1080, 7.5);
      size (session, 3840, 2160, 53);
      size (session, 3840, 2160, 15);
    }
  asc_trace_free (trace);
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    bench_file (argv[i]);
  return argc > 1 ? 0 : 2;
}
