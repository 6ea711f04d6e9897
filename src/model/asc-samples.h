/* A column of samples (pin, counter, mark) in order of time, with smallest and largest
 * value of every 32, and of every 32 of those. One appends, any reads, without locks. */
#ifndef ASC_SAMPLES_H
#define ASC_SAMPLES_H

#include <stdbool.h>

#include "asc-list.h"

#define ASC_SAMPLE_LEVELS 4u

typedef struct
{
  guint64 ticks; /* shifted left by one; bit 0: it has a value */
  gint64 value;
} AscTickSample;

typedef struct
{
  gint64 min, max;
} AscExtremes;

typedef struct
{
  AscList list;
  AscList levels[ASC_SAMPLE_LEVELS];
  guint64 last;
} AscSamples;

void asc_samples_init (AscSamples *samples);
void asc_samples_clear (AscSamples *samples);
/* A time before the last one counts as that. */
void
asc_samples_append (AscSamples *samples, guint64 ticks, gint64 value, bool has_value);
/* How many of the first n are not after a time. */
guint64 asc_samples_find (const AscSamples *samples, guint64 n, guint64 ticks);
/* The same, when at least `from` are not. */
guint64
asc_samples_find_on (const AscSamples *samples, guint64 from, guint64 n, guint64 ticks);
/* Of [first, end), which is not empty. */
AscExtremes asc_samples_extremes (const AscSamples *samples, guint64 first, guint64 end);

static inline const AscTickSample *
asc_samples_at (const AscSamples *samples, guint64 index)
{
  return asc_list_at (&samples->list, index);
}

#endif
