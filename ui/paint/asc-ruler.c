#include "asc-ruler.h"

#include "asc-format.h"

#include <math.h>

#define SECOND G_GINT64_CONSTANT (1000000000)

/* Steps from a second on follow the clock, not the powers of ten. */
static const gint64 long_steps[]
    = { 1,    2,    5,    10,    15,    30,    60,    120,    300,    600,     900,
        1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000 };

static gint64
step_of_at_least (gint64 ns)
{
  for (gint64 power = 1; power < SECOND; power *= 10)
    for (gint64 m = 1; m <= 5; m += m == 1 ? 1 : 3)
      if (m * power >= ns)
        return m * power;
  for (gsize i = 0; i < G_N_ELEMENTS (long_steps); i++)
    if (long_steps[i] * SECOND >= ns)
      return long_steps[i] * SECOND;
  gint64 step = long_steps[G_N_ELEMENTS (long_steps) - 1] * SECOND;
  while (step < ns && step < G_MAXINT64 / 20)
    step *= 10;
  return step;
}

static gint64
minor_of (gint64 step)
{
  static const gint64 divisors[] = { 10, 5, 6, 4, 3, 2 };
  for (gsize i = 0; i < G_N_ELEMENTS (divisors); i++)
    if (step % divisors[i] == 0
        && step_of_at_least (step / divisors[i]) == step / divisors[i])
      return step / divisors[i];
  return step;
}

static gint64
floor_to (gint64 value, gint64 step)
{
  gint64 rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

void
asc_ruler_init (AscRuler *ruler,
                const AscView *view,
                gint64 origin_ns,
                double width,
                double min_px)
{
  double length = (double)(view->to_ns - view->from_ns);
  double least = ceil (length * min_px / MAX (width, 1));
  /* Of a time in a few pixels more than an int64 holds. */
  ruler->step_ns = step_of_at_least ((gint64)CLAMP (least, 1, 9e18));
  ruler->minor_ns = minor_of (ruler->step_ns);
  ruler->origin_ns = origin_ns;
  gint64 before = floor_to (view->from_ns - origin_ns, ruler->step_ns) + origin_ns;
  ruler->first_ns = before < view->from_ns ? before + ruler->step_ns : before;
}

/* Offsets of some seconds in ms ("+5500 ms") are no help: then labels are full times. */
bool
asc_ruler_is_clock (const AscRuler *ruler)
{
  return ruler->step_ns > SECOND / 10;
}

gint64
asc_ruler_base_ns (const AscRuler *ruler, const AscView *view)
{
  gint64 coarse = asc_ruler_is_clock (ruler) ? SECOND : ruler->step_ns * 10;
  return floor_to (view->from_ns - ruler->origin_ns, coarse) + ruler->origin_ns;
}

char *
asc_ruler_base (const AscRuler *ruler, const AscView *view, char *out, gsize n)
{
  gint64 base
      = asc_ruler_is_clock (ruler) ? view->from_ns : asc_ruler_base_ns (ruler, view);
  return asc_format_clock (base - ruler->origin_ns, MIN (ruler->step_ns, SECOND), out, n);
}

/* Places after the point that a step in this unit needs. */
static int
places (gint64 step, gint64 unit)
{
  int digits = 0;
  for (; step % unit != 0 && digits < 3; digits++)
    step *= 10;
  return digits;
}

char *
asc_ruler_label (const AscRuler *ruler,
                 const AscView *view,
                 gint64 tick_ns,
                 char *out,
                 gsize n)
{
  if (asc_ruler_is_clock (ruler))
    return asc_format_clock (tick_ns - ruler->origin_ns, ruler->step_ns, out, n);
  gint64 offset = tick_ns - asc_ruler_base_ns (ruler, view);
  static const struct
  {
    gint64 ns;
    const char *name;
  } units[] = { { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
  gsize u = 0;
  while (u + 1 < G_N_ELEMENTS (units) && ruler->step_ns * 10 < units[u].ns)
    u++;
  g_snprintf (out, (gulong)n, "%+.*f %s", places (ruler->step_ns, units[u].ns),
              (double)offset / (double)units[u].ns, units[u].name);
  return out;
}
