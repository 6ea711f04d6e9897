/* Streams put together frame by frame, for captures and tests. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>

#include "asc-encoder.h"

#define STREAM_MAX 65536

/* A board as the captures need it: it keeps sequence, counts and STARTs of its session.
 */
typedef struct
{
  uint8_t bytes[STREAM_MAX];
  size_t n;
  bool dropping; /* frames are made, and not put into the stream */
  uint32_t session_id;
  uint16_t sequence;
  uint16_t starts;
  uint64_t events;
  uint64_t ticks; /* of HELLO */
  size_t last;    /* where the last frame begins */
  AscEncoder encoder;
  uint8_t frame[ASC_FRAME_MAX];
} Stream;

/* An empty stream of a new session. */
void stream_init (Stream *stream, uint32_t session_id);
/* A new session in the same stream. */
void stream_session (Stream *stream, uint32_t session_id);
void stream_put (Stream *stream, const void *bytes, size_t n);
void stream_text (Stream *stream, const char *text);
/* A board frame with any payload. */
void
stream_raw (Stream *stream, uint8_t type, uint8_t context, const void *payload, size_t n);
void stream_hello (Stream *stream);
void stream_names (Stream *stream);
void stream_tasks (Stream *stream, const AscTaskRecord *records, size_t n);
/* Events into the open frame; stream_seal () ends it. */
void stream_event (Stream *stream,
                   AscEventKind kind,
                   uint64_t ticks,
                   uint32_t id,
                   int64_t value);
void stream_late (Stream *stream, uint64_t ticks, uint32_t slot, uint16_t late_ms);
void stream_start (Stream *stream, uint64_t ticks, uint32_t slot, uint32_t instance);
/* n runs of slots 0 to 3, 100 ticks long and apart. Returns the ticks at the end. */
uint64_t stream_runs (Stream *stream, uint64_t ticks, unsigned n);
void stream_seal (Stream *stream);
/* An EVENTS frame whose events are given packed; they count as n_events. */
void stream_packed (Stream *stream,
                    uint64_t ticks,
                    uint8_t context,
                    const void *packed,
                    size_t n,
                    unsigned n_events);

#endif
