/* Host frames of a .trace (../capture/FORMAT.md): pure packing and unpacking.
 *
 * nonce: 8 random bytes of the file that tell its host frames from forged ones. Writers
 * return the frame's length in bytes in out[ASC_FRAME_MAX]; readers return negative for a
 * payload against the rules. Wall clock: ns since 1970, UTC; boottime: ns of
 * CLOCK_BOOTTIME, -1 unknown. */
#ifndef ASC_HOST_FRAMES_H
#define ASC_HOST_FRAMES_H

#include "asc-deframer.h"

#define ASC_FILE_VERSION 1

typedef struct
{
  uint64_t nonce;
  uint8_t version;
  int64_t created_ns; /* wall clock */
  AscString source;   /* what it was recorded from, for people */
  AscString writer;   /* program and version */
} AscFileHead;

typedef struct
{
  int64_t wall_ns;
  int64_t boottime_ns;
  uint64_t wire_offset; /* board bytes before this place */
} AscAnchor;

typedef enum
{
  ASC_LINK_CONNECTED,
  ASC_LINK_LOST,
  ASC_LINK_BACK,
  ASC_LINK_ENDED
} AscLinkChange;

typedef struct
{
  AscLinkChange change;
  int64_t wall_ns;
  int64_t boottime_ns;
  AscString text;
} AscLink;

typedef enum
{
  ASC_CUT_RANGE,    /* a range was saved */
  ASC_CUT_SNIPPET,  /* only stretches around hogs were kept */
  ASC_CUT_OVERLOAD, /* the host could not keep up */
  ASC_CUT_DISK      /* the disk was full */
} AscCutReason;

typedef struct
{
  AscCutReason reason;
  uint32_t session_id;
  uint64_t from; /* ticks of that session; both 0 where unknown */
  uint64_t to;
  uint64_t bytes; /* not kept, 0 unknown */
} AscCut;

typedef struct
{
  uint32_t id; /* a later one with the same id replaces it */
  uint32_t session_id;
  uint64_t from; /* ticks; equal to to for a place */
  uint64_t to;
  uint8_t removed; /* bool */
  AscString name;
  AscString note;
} AscUserMark;

size_t asc_encode_file_head (uint8_t *out, const AscFileHead *head);
size_t asc_encode_anchor (uint8_t *out,
                          uint64_t nonce,
                          uint16_t sequence,
                          const AscAnchor *anchor);
size_t
asc_encode_link (uint8_t *out, uint64_t nonce, uint16_t sequence, const AscLink *link);
size_t
asc_encode_cut (uint8_t *out, uint64_t nonce, uint16_t sequence, const AscCut *cut);
size_t asc_encode_user_mark (uint8_t *out,
                             uint64_t nonce,
                             uint16_t sequence,
                             const AscUserMark *mark);

/* The nonce of any host frame. */
int asc_host_nonce (const AscFrame *frame, uint64_t *nonce);
int asc_unpack_file_head (const AscFrame *frame, AscFileHead *head);
int asc_unpack_anchor (const AscFrame *frame, AscAnchor *anchor);
int asc_unpack_link (const AscFrame *frame, AscLink *link);
int asc_unpack_cut (const AscFrame *frame, AscCut *cut);
int asc_unpack_user_mark (const AscFrame *frame, AscUserMark *mark);

#endif
