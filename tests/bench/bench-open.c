/* bench-open [EVENTS] [idle] [late] [stats|once]: bytes in memory to a trace to exact
 * statistics; CPU time and memory an event. With `print`, the figures by task as the
 * yardstick prints them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "asc-load.h"
#include "asc-stats.h"
#include "workload-stream.h"

static double
cpu (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of it, the kernel's: mostly the first touch of memory. */
static double
kernel (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
}

static double
resident (void)
{
  long pages = 0;
  FILE *file = fopen ("/proc/self/statm", "r");
  if (file)
    {
      if (fscanf (file, "%*s %ld", &pages) != 1)
        pages = 0;
      fclose (file);
    }
  return (double)pages * (double)sysconf (_SC_PAGESIZE);
}

static void
line (const char *what, double seconds, double events)
{
  fprintf (stderr, "%-28s %8.4f s CPU  %6.2f ns/event\n", what, seconds,
           seconds * 1e9 / events);
}

static void
columns_of_all (AscSession *session, AscPrecision precision, const char *what)
{
  AscSessionInfo info;
  AscColumn *out = g_new (AscColumn, 1920);
  asc_session_info (session, &info);
  double t = cpu ();
  AscGrid *grid = asc_grid_new (session, info.first_ns, info.end_ns, 1920);
  for (guint i = 0; i < asc_session_n_lanes (session); i++)
    asc_lane_columns (asc_session_lane (session, i), grid, precision, ASC_HOG_NS, out);
  asc_grid_free (grid);
  fprintf (stderr, "%-28s %8.2f ms\n", what, (cpu () - t) * 1e3);
  g_free (out);
}

int
main (int argc, char **argv)
{
  WorkloadStream options = { .n_events = 10000000, .seal_ms = 50 };
  gboolean print = FALSE;
  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "idle") == 0)
      options.idle = true;
    else if (strcmp (argv[i], "late") == 0)
      options.late = true;
    else if (strcmp (argv[i], "print") == 0)
      print = TRUE;
    else
      options.n_events = strtoull (argv[i], NULL, 0);
  GByteArray *bytes = workload_stream (&options);
  double before = resident (), t0 = cpu (), k0 = kernel ();
  AscTrace *trace = asc_trace_new (ASC_FROM_WIRE);
  for (gsize at = 0; at < bytes->len; at += 1 << 20)
    asc_trace_feed (trace, bytes->data + at, MIN (bytes->len - at, (gsize)1 << 20));
  asc_trace_finish (trace);
  double t1 = cpu (), k1 = kernel (), memory = resident () - before;
  AscSession *session = asc_trace_session (trace, 0);
  AscSessionInfo info;
  asc_session_info (session, &info);
  AscStats *stats = asc_stats_new (session, G_MININT64, G_MAXINT64, NULL);
  double t2 = cpu (), n = (double)info.n_events;
  fprintf (stderr, "%.0f events, %u bytes, %.3f bytes/event\n", n, bytes->len,
           bytes->len / n);
  line ("decode and model", t1 - t0, n);
  line ("  of it in the kernel", k1 - k0, n);
  line ("statistics", t2 - t1, n);
  line ("open in all", t2 - t0, n);
  fprintf (stderr, "%-28s %8.1f MB  %6.2f bytes/event (statistics included: %.2f)\n",
           "memory", memory / 1e6, memory / n, (resident () - before) / n);
  double t3 = cpu ();
  asc_stats_free (asc_stats_new (session, G_MININT64, G_MAXINT64, NULL));
  double t4 = cpu ();
  AscMargin margin;
  asc_session_margin (session, ASC_MARGIN_WINDOW_NS, ASC_MARGIN_WARM_UP_NS, &margin);
  double t5 = cpu ();
  asc_session_margin (session, ASC_MARGIN_WINDOW_NS, ASC_MARGIN_WARM_UP_NS, &margin);
  fprintf (stderr, "statistics again %.2f ms; margin %.2f ms, again %.3f ms\n",
           (t4 - t3) * 1e3, (t5 - t4) * 1e3, (cpu () - t5) * 1e3);
  columns_of_all (session, ASC_EXACT, "all lanes, exact, 1920");
  columns_of_all (session, ASC_TOLERANT, "all lanes, tolerant, 1920");
  for (gsize i = 0; print && i < stats->n_tasks; i++)
    printf ("%s n %" G_GUINT64_FORMAT " min %" G_GINT64_FORMAT " max %" G_GINT64_FORMAT
            " median %.1f\n",
            stats->tasks[i].task, stats->tasks[i].runs, stats->tasks[i].min_ns / 1000,
            stats->tasks[i].max_ns / 1000, stats->tasks[i].median_ns / 1000);
  asc_stats_free (stats);
  asc_trace_free (trace);
  g_byte_array_free (bytes, TRUE);
  return 0;
}
