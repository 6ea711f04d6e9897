/* Where columns of pixels begin. */
#include "asc-model.h"

AscGrid *
asc_grid_new (const AscSession *session, gint64 from_ns, gint64 to_ns, guint n)
{
  AscGrid *grid = g_new (AscGrid, 1);
  guint64 length = to_ns > from_ns ? (guint64)to_ns - (guint64)from_ns : 0;
  guint64 whole = n ? length / n : 0, rest = n ? length % n : 0, carry = 0;
  guint64 at = (guint64)from_ns;
  *grid = (AscGrid){ .session = session,
                     .n = n,
                     .ns = g_new (gint64, (gsize)n + 1),
                     .ticks = g_new (guint64, (gsize)n + 1) };
  for (guint i = 0; i <= n; i++)
    {
      grid->ns[i] = (gint64)at;
      grid->ticks[i] = asc_session_ticks_up (session, (gint64)at);
      carry += rest;
      at += whole + (carry >= n);
      carry -= carry >= n ? n : 0;
    }
  return grid;
}

void
asc_grid_free (AscGrid *grid)
{
  if (!grid)
    return;
  g_free (grid->ns);
  g_free (grid->ticks);
  g_free (grid);
}

guint
asc_grid_column (const AscGrid *grid, gint64 ns)
{
  double length = (double)grid->ns[grid->n] - (double)grid->ns[0];
  double guess = ((double)ns - (double)grid->ns[0]) * (grid->n / MAX (length, 1));
  guint i = guess <= 0 ? 0 : guess >= grid->n ? grid->n - 1 : (guint)guess;
  while (i > 0 && ns < grid->ns[i])
    i--;
  while (i + 1 < grid->n && ns >= grid->ns[i + 1])
    i++;
  return i;
}
