/* What a connection without a picture is about. */
#include "asc-engine.h"

#define EARLY_NS (2 * G_GINT64_CONSTANT (1000000000))

guint64
asc_engine_skipped_bytes (const AscDecoderTotals *totals)
{
  guint64 n = 0;
  for (int i = 0; i < ASC_SKIP_N; i++)
    n += totals->skipped[i];
  return n;
}

AscHealth
asc_health (gint64 connected_ns, const AscDecoderTotals *totals, guint64 text_bytes)
{
  guint64 noise = totals->skipped[ASC_SKIP_NOISE] + totals->skipped[ASC_SKIP_HEADER]
                  + totals->skipped[ASC_SKIP_CHECKSUM];
  /* A recording's own frames are in the stream from its beginning. */
  if (totals->frames > totals->host_frames)
    return ASC_HEALTH_GOOD;
  if (connected_ns < EARLY_NS)
    return ASC_HEALTH_EARLY;
  if (text_bytes + noise == 0)
    return ASC_HEALTH_SILENT;
  /* Bytes at random look like text for more than a third. */
  return noise >= text_bytes / 4 && noise > 0 ? ASC_HEALTH_NOISE : ASC_HEALTH_TEXT;
}
