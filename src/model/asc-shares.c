#include "asc-shares.h"

#define MOST 131072u /* counts at hand: twice the values that stay exact */

typedef struct
{
  guint64 value, times;
} Count;

void
asc_shares_clear (AscShares *shares)
{
  if (shares->counts)
    g_array_free (shares->counts, TRUE);
  *shares = (AscShares){ .n = 0 };
}

static gint
by_value (gconstpointer a, gconstpointer b)
{
  guint64 x = ((const Count *)a)->value, y = ((const Count *)b)->value;
  return (x > y) - (x < y);
}

/* To the middle of what is rounded to it. */
static guint64
rounded (const AscShares *shares, guint64 value)
{
  if (shares->shift == 0)
    return value;
  return (value >> shares->shift << shares->shift)
         + (G_GUINT64_CONSTANT (1) << (shares->shift - 1));
}

static void
join (AscShares *shares)
{
  Count *counts = (Count *)(gpointer)shares->counts->data;
  guint n = 0;
  for (guint i = 0; i < shares->counts->len; i++)
    {
      guint64 value = rounded (shares, counts[i].value);
      if (n > 0 && counts[n - 1].value == value)
        counts[n - 1].times += counts[i].times;
      else
        counts[n++] = (Count){ value, counts[i].times };
    }
  g_array_set_size (shares->counts, n);
}

static void
sort (AscShares *shares)
{
  if (shares->sorted == shares->counts->len)
    return;
  g_array_sort (shares->counts, by_value);
  join (shares);
  while (shares->counts->len > MOST / 2)
    {
      shares->shift++;
      join (shares);
    }
  shares->sorted = shares->counts->len;
}

void
asc_shares_add (AscShares *shares, guint64 value, guint64 times)
{
  if (!shares->counts)
    shares->counts = g_array_new (FALSE, FALSE, sizeof (Count));
  guint len = shares->counts->len;
  Count count = { rounded (shares, value), times };
  shares->n += times;
  if (len > 0 && g_array_index (shares->counts, Count, len - 1).value == count.value)
    {
      g_array_index (shares->counts, Count, len - 1).times += times;
      return;
    }
  if (len == MOST)
    sort (shares);
  g_array_append_val (shares->counts, count);
}

guint64
asc_shares_at (AscShares *shares, guint64 rank)
{
  sort (shares);
  for (guint i = 0; i < shares->counts->len; i++)
    {
      const Count *count = &g_array_index (shares->counts, Count, i);
      if (rank < count->times)
        return count->value;
      rank -= count->times;
    }
  g_return_val_if_reached (0);
}
