#include "asc-view.h"

#include <math.h>

/* Room beyond the data, so that its edges can be seen: a share of the seen length. */
#define MARGIN 0.02
#define LONGEST_NS (G_MAXINT64 / 2) /* times end at half of it */

static gint64
length_of (const AscView *view)
{
  return view->to_ns - view->from_ns;
}

/* A view of nothing has a length as well: shares of it are asked for. */
static gint64
least_of (const AscView *view)
{
  return MAX (view->least_ns, 1);
}

static gint64
data_length (const AscView *view)
{
  return MAX (view->data_to_ns - view->data_from_ns, least_of (view));
}

/* Sets the seen stretch and keeps it near the data: at most the whole session with its
 * margins, never away from it. */
static void
set_range (AscView *view, double from, double length)
{
  double whole = (double)data_length (view) * (1 + 2 * MARGIN);
  double longest = MIN (MAX (whole, (double)least_of (view)), (double)LONGEST_NS);
  length = CLAMP (length, (double)least_of (view), longest);
  double low = (double)view->data_from_ns - length * MARGIN;
  double high = (double)view->data_to_ns + length * MARGIN - length;
  if (high < low)
    low = high = (double)view->data_from_ns - (length - (double)data_length (view)) / 2;
  from = CLAMP (from, low, high);
  view->from_ns = (gint64)llround (from);
  view->to_ns = view->from_ns + (gint64)llround (length);
}

static void
stick_to_end (AscView *view, gint64 length)
{
  length = CLAMP (length, least_of (view), LONGEST_NS);
  view->to_ns = view->data_to_ns;
  view->from_ns = view->to_ns - length;
}

void
asc_view_init (AscView *view, gint64 from_ns, gint64 to_ns, gint64 tick_ns, bool follow)
{
  *view = (AscView){ .data_from_ns = from_ns,
                     .data_to_ns = MAX (to_ns, from_ns),
                     .least_ns = MAX (10 * tick_ns, 10),
                     .following = follow };
  if (follow)
    stick_to_end (view, ASC_VIEW_LIVE_NS);
  else
    set_range (view, (double)from_ns - (double)data_length (view) * MARGIN,
               (double)data_length (view) * (1 + 2 * MARGIN));
}

void
asc_view_grow (AscView *view, gint64 from_ns, gint64 to_ns)
{
  gint64 length = length_of (view);
  view->data_from_ns = from_ns;
  view->data_to_ns = MAX (to_ns, from_ns);
  if (view->following)
    stick_to_end (view, length);
}

void
asc_view_zoom (AscView *view, double factor, gint64 anchor_ns)
{
  double length = (double)length_of (view) * factor;
  if (view->following)
    {
      double longest
          = MAX ((double)data_length (view) * (1 + 2 * MARGIN), (double)ASC_VIEW_LIVE_NS);
      stick_to_end (view, (gint64)llround (MIN (length, longest)));
      return;
    }
  double share = (double)(anchor_ns - view->from_ns) / (double)length_of (view);
  double whole = (double)data_length (view) * (1 + 2 * MARGIN);
  length = CLAMP (length, (double)least_of (view), MAX (whole, (double)least_of (view)));
  set_range (view, (double)anchor_ns - share * length, length);
}

void
asc_view_pan_ns (AscView *view, gint64 by_ns)
{
  view->following = false;
  set_range (view, (double)view->from_ns + (double)by_ns, (double)length_of (view));
}

void
asc_view_pan (AscView *view, double share)
{
  asc_view_pan_ns (view, (gint64)llround (share * (double)length_of (view)));
}

void
asc_view_show (AscView *view, gint64 from_ns, gint64 to_ns)
{
  view->following = false;
  set_range (view, (double)MIN (from_ns, to_ns), fabs ((double)to_ns - (double)from_ns));
}

void
asc_view_reveal (AscView *view, gint64 from_ns, gint64 to_ns)
{
  gint64 length = length_of (view);
  if (from_ns >= view->from_ns && to_ns <= view->to_ns)
    return;
  if (to_ns - from_ns > length * 8 / 10)
    asc_view_show (view, from_ns - (to_ns - from_ns) / 8, to_ns + (to_ns - from_ns) / 8);
  else
    {
      gint64 middle = from_ns + (to_ns - from_ns) / 2;
      asc_view_show (view, middle - length / 2, middle - length / 2 + length);
    }
}

void
asc_view_frame (AscView *view)
{
  bool seen
      = view->from_ns == view->selection_from_ns && view->to_ns == view->selection_to_ns;
  if (view->has_selection && !seen)
    asc_view_show (view, view->selection_from_ns, view->selection_to_ns);
  else
    {
      double length = (double)data_length (view);
      view->following = false;
      set_range (view, (double)view->data_from_ns - length * MARGIN,
                 length * (1 + 2 * MARGIN));
    }
}

void
asc_view_follow (AscView *view, bool follow)
{
  view->following = follow;
  if (follow)
    stick_to_end (view, length_of (view));
}

void
asc_view_select (AscView *view, gint64 a_ns, gint64 b_ns)
{
  view->has_selection = a_ns != b_ns;
  view->selection_from_ns = MIN (a_ns, b_ns);
  view->selection_to_ns = MAX (a_ns, b_ns);
}

void
asc_view_set_cursor (AscView *view, int which, gint64 ns)
{
  view->has_cursor[which] = true;
  view->cursor_ns[which] = ns;
}

bool
asc_view_clear (AscView *view)
{
  if (view->has_selection)
    {
      view->has_selection = false;
      return true;
    }
  bool any = view->has_cursor[0] || view->has_cursor[1];
  view->has_cursor[0] = view->has_cursor[1] = false;
  return any;
}

bool
asc_view_between_cursors (const AscView *view, gint64 *from_ns, gint64 *to_ns)
{
  *from_ns = MIN (view->cursor_ns[0], view->cursor_ns[1]);
  *to_ns = MAX (view->cursor_ns[0], view->cursor_ns[1]);
  return view->has_cursor[0] && view->has_cursor[1];
}

double
asc_view_x (const AscView *view, gint64 ns, double width)
{
  double x = ((double)ns - (double)view->from_ns) / (double)length_of (view) * width;
  return CLAMP (x, -1e6, 1e6);
}

gint64
asc_view_ns (const AscView *view, double x, double width)
{
  double share = x / MAX (width, 1);
  return view->from_ns + (gint64)llround (share * (double)length_of (view));
}
