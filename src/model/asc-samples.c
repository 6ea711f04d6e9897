#include "asc-samples.h"

void
asc_samples_init (AscSamples *samples)
{
  *samples = (AscSamples){ .last = 0 };
  asc_list_init (&samples->list, sizeof (AscTickSample));
  for (guint i = 0; i < ASC_SAMPLE_LEVELS; i++)
    asc_list_init (&samples->levels[i], sizeof (AscExtremes));
}

void
asc_samples_clear (AscSamples *samples)
{
  asc_list_clear (&samples->list);
  for (guint i = 0; i < ASC_SAMPLE_LEVELS; i++)
    asc_list_clear (&samples->levels[i]);
}

static AscExtremes
extremes_at (const AscSamples *samples, guint level, guint64 index)
{
  if (level > 0)
    return *(const AscExtremes *)asc_list_at (&samples->levels[level - 1], index);
  gint64 value = asc_samples_at (samples, index)->value;
  return (AscExtremes){ value, value };
}

static void
widen (AscExtremes *sum, AscExtremes more)
{
  sum->min = MIN (sum->min, more.min);
  sum->max = MAX (sum->max, more.max);
}

void
asc_samples_append (AscSamples *samples, guint64 ticks, gint64 value, bool has_value)
{
  samples->last = MAX (samples->last, ticks);
  AscTickSample *sample = asc_list_next (&samples->list);
  *sample = (AscTickSample){ samples->last << 1 | has_value, value };
  guint64 index = asc_own (&samples->list.n) + 1;
  /* A level's item is there before the count that lets readers look for it. */
  for (guint level = 0; level < ASC_SAMPLE_LEVELS && index % 32 == 0; level++)
    {
      index /= 32;
      AscExtremes *sum = asc_list_next (&samples->levels[level]);
      *sum = extremes_at (samples, level, index * 32 - 32);
      for (guint64 i = index * 32 - 31; i < index * 32; i++)
        widen (sum, extremes_at (samples, level, i));
      asc_list_publish (&samples->levels[level]);
    }
  asc_list_publish (&samples->list);
}

guint64
asc_samples_find (const AscSamples *samples, guint64 n, guint64 ticks)
{
  guint64 low = 0, high = n;
  while (low < high)
    {
      guint64 middle = low + (high - low) / 2;
      if (asc_samples_at (samples, middle)->ticks >> 1 <= ticks)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint64
asc_samples_find_on (const AscSamples *samples, guint64 from, guint64 n, guint64 ticks)
{
  guint64 step = 1;
  while (from + step <= n
         && asc_samples_at (samples, from + step - 1)->ticks >> 1 <= ticks)
    {
      from += step;
      step *= 2;
    }
  for (step /= 2; step > 0; step /= 2)
    if (from + step <= n
        && asc_samples_at (samples, from + step - 1)->ticks >> 1 <= ticks)
      from += step;
  return from;
}

AscExtremes
asc_samples_extremes (const AscSamples *samples, guint64 first, guint64 end)
{
  AscExtremes sum = extremes_at (samples, 0, first);
  guint64 at = first;
  while (at < end)
    {
      guint level = 0;
      guint64 size = 1;
      while (level < ASC_SAMPLE_LEVELS && at % (size * 32) == 0 && at + size * 32 <= end)
        {
          size *= 32;
          level++;
        }
      widen (&sum, extremes_at (samples, level, at / size));
      at += size;
    }
  return sum;
}
