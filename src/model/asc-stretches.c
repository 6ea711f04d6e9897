#include "asc-model.h"

static AscTickStretch *
stretch_at (const AscSession *session, guint64 index)
{
  return asc_list_at (&session->stretches, index);
}

/* The list stays in order and never overlaps, though readers look at it while it grows: a
 * stretch that reaches back to the last one, or before it, joins it. So what was observed
 * is never overstated. */
void
asc_stretches_add (AscSession *session,
                   AscStretchKind kind,
                   guint64 from,
                   guint64 to,
                   guint64 count)
{
  to = MIN (MAX (from, to), ASC_TICKS_TOP);
  from = MIN (from, to);
  if (from < asc_own (&session->watermark))
    asc_put (&session->past_changes, asc_own (&session->past_changes) + 1);
  guint64 n = asc_own (&session->stretches.n);
  AscTickStretch *last = n ? stretch_at (session, n - 1) : NULL;
  if (last && from <= asc_own (&last->to))
    {
      guint64 before = n > 1 ? asc_own (&stretch_at (session, n - 2)->to) : 0;
      if (from < asc_own (&last->from))
        asc_put (&last->from, MAX (from, before));
      if (to > asc_own (&last->to))
        asc_put (&last->to, to);
      asc_put (&last->count, asc_own (&last->count) + count);
      if ((gint)kind < asc_own (&last->kind))
        asc_put (&last->kind, (gint)kind);
      return;
    }
  AscTickStretch *stretch = asc_list_next (&session->stretches);
  atomic_init (&stretch->from, from);
  atomic_init (&stretch->to, to);
  atomic_init (&stretch->count, count);
  atomic_init (&stretch->kind, (gint)kind);
  asc_list_publish (&session->stretches);
}

guint64
asc_stretches_find (const AscSession *session, guint64 ticks)
{
  guint64 low = 0, high = asc_list_length (&session->stretches);
  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;
      if (asc_get (&stretch_at (session, middle)->to) <= ticks)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* A stretch without length counts where a run goes on across it. */
bool
asc_stretches_touch (const AscSession *session, guint64 start, guint64 end)
{
  guint64 n = asc_list_length (&session->stretches);
  guint64 i = asc_stretches_find (session, start);
  return i < n && asc_get (&stretch_at (session, i)->from) < end;
}

guint64
asc_stretches_sum (const AscSession *session, guint64 from, guint64 to)
{
  guint64 n = asc_list_length (&session->stretches), sum = 0;
  for (guint64 i = asc_stretches_find (session, from); i < n; i++)
    {
      const AscTickStretch *stretch = stretch_at (session, i);
      guint64 a = MAX (asc_get (&stretch->from), from);
      guint64 b = MIN (asc_get (&stretch->to), to);
      if (a >= to)
        break;
      if (a < b)
        sum += b - a;
    }
  return sum;
}

guint64
asc_stretches_observed (const AscSession *session, guint64 *from, guint64 *to)
{
  guint64 first = asc_get (&session->first), end = asc_get (&session->end);
  *from = MAX (*from, first);
  *to = MIN (*to, end);
  if (first == ASC_NO_TICKS || *from >= *to)
    {
      *to = *from;
      return 0;
    }
  return *to - *from - asc_stretches_sum (session, *from, *to);
}

gsize
asc_session_stretches (const AscSession *session,
                       gint64 from_ns,
                       gint64 to_ns,
                       AscStretch *out,
                       gsize max)
{
  guint64 n = asc_list_length (&session->stretches), i;
  guint64 from = asc_session_ticks_down (session, from_ns);
  gsize count = 0;
  /* Those without length that stand at from touch it too. */
  for (i = asc_stretches_find (session, from > 0 ? from - 1 : 0); i < n; i++)
    {
      const AscTickStretch *stretch = stretch_at (session, i);
      AscStretch one = { .kind = (AscStretchKind)asc_get (&stretch->kind),
                         .from_ns = asc_session_ns (session, asc_get (&stretch->from)),
                         .to_ns = asc_session_ns (session, asc_get (&stretch->to)),
                         .count = asc_get (&stretch->count) };
      if (one.from_ns >= to_ns)
        break;
      if (one.to_ns < from_ns || (one.to_ns == from_ns && one.from_ns < from_ns))
        continue;
      if (count < max)
        out[count] = one;
      count++;
    }
  return count;
}

gint64
asc_session_observed_ns (const AscSession *session, gint64 from_ns, gint64 to_ns)
{
  guint64 from = asc_session_ticks_up (session, from_ns);
  guint64 to = asc_session_ticks_up (session, to_ns);
  guint64 observed = asc_stretches_observed (session, &from, &to);
  return asc_session_length_ns (session, observed);
}
