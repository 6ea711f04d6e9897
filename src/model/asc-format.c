#include "asc-format.h"

#include <math.h>

char *
asc_format_duration (double ns, char *out, gsize n)
{
  static const struct
  {
    double ns;
    const char *unit;
  } units[] = { { 1, "ns" }, { 1e3, "µs" }, { 1e6, "ms" }, { 1e9, "s" } };
  const char *sign = ns < 0 ? "-" : "";
  double size = fabs (ns);
  if (!isfinite (ns) || size >= 9e18)
    {
      g_strlcpy (out, "?", n);
      return out;
    }
  /* A value that rounds up to a thousand belongs to the next unit. */
  guint u = 0;
  while (u + 1 < G_N_ELEMENTS (units) && size / units[u].ns >= 999.5)
    u++;
  double value = size / units[u].ns;
  if (u == 0 || value >= 99.995)
    g_snprintf (out, n, "%s%lld %s", sign, (long long)floor (value + 0.5), units[u].unit);
  else
    {
      long long hundredths = (long long)floor (value * 100 + 0.5);
      g_snprintf (out, n, "%s%lld.%02lld %s", sign, hundredths / 100, hundredths % 100,
                  units[u].unit);
    }
  return out;
}

char *
asc_format_count (guint64 count, char *out, gsize n)
{
  char digits[24], text[64];
  int length = g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, count);
  gsize at = 0;
  for (int i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        at += (gsize)g_snprintf (text + at, sizeof text - at, "\u202f");
      text[at++] = digits[i];
    }
  text[at] = 0;
  g_strlcpy (out, text, n);
  return out;
}

char *
asc_format_clock (gint64 ns, gint64 resolution_ns, char *out, gsize n)
{
  int digits = 0;
  gint64 step = G_GINT64_CONSTANT (1000000000);
  while (digits < 9 && step > MAX (resolution_ns, 1))
    {
      step /= 10;
      digits++;
    }
  /* Cut towards the past on both sides of 0. */
  gint64 rest = ns % step;
  gint64 cut = ns - (rest < 0 ? (ns < G_MININT64 + step ? rest : rest + step) : rest);
  guint64 size = cut < 0 ? 0 - (guint64)cut : (guint64)cut;
  guint64 seconds = size / 1000000000u, fraction = size % 1000000000u / (guint64)step;
  const char *sign = cut < 0 ? "-" : "";
  guint64 hours = seconds / 3600;
  guint minutes = (guint)(seconds / 60 % 60), rest_s = (guint)(seconds % 60);
  char head[32];
  if (hours)
    g_snprintf (head, sizeof head, "%s%" G_GUINT64_FORMAT ":%02u:%02u", sign, hours,
                minutes, rest_s);
  else
    g_snprintf (head, sizeof head, "%s%02u:%02u", sign, minutes, rest_s);
  if (digits)
    g_snprintf (out, n, "%s.%0*" G_GUINT64_FORMAT, head, digits, fraction);
  else
    g_strlcpy (out, head, n);
  return out;
}
