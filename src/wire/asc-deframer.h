/* Finds the frames in a stream of bytes and tells everything else apart (PROTOCOL.md §1,
 * §8).
 *
 * Any split of the input gives the same calls, except that text and skips may come in
 * more pieces. Bounded memory, linear time. One thread at a time for one deframer. */
#ifndef ASC_DEFRAMER_H
#define ASC_DEFRAMER_H

#include <stdbool.h>

#include "asc-proto.h"

/* A right frame. The pointers hold until the call returns. */
typedef struct
{
  const uint8_t *bytes;   /* from the marker: ASC_HEADER_SIZE + length + ASC_CHECK_SIZE */
  const uint8_t *payload; /* length bytes */
  uint64_t offset;        /* of the marker in the stream */
  uint16_t sequence;
  uint8_t type;
  uint8_t length;
  uint8_t session;
  uint8_t context;
} AscFrame;

/* Why bytes were passed over. */
typedef enum
{
  ASC_SKIP_NOISE,        /* neither frame nor text */
  ASC_SKIP_HEADER,       /* a marker whose header check failed */
  ASC_SKIP_CHECKSUM,     /* a frame whose CRC-32 failed */
  ASC_SKIP_CUT,          /* the stream ended inside a frame */
  ASC_SKIP_UNKNOWN_TYPE, /* the rest are right frames that are not used */
  ASC_SKIP_MALFORMED,
  ASC_SKIP_FOREIGN,
  ASC_SKIP_DUPLICATE,
  ASC_SKIP_N
} AscSkip;

/* How a cooked terminal changed a HELLO's canary; bits. */
#define ASC_MANGLED_ONLCR 0x01u
#define ASC_MANGLED_ICRNL 0x02u
#define ASC_MANGLED_XON 0x04u
#define ASC_MANGLED_SIGNALS 0x08u
#define ASC_MANGLED_NUL 0x10u
#define ASC_MANGLED_PARMRK 0x20u
#define ASC_MANGLED_7BIT 0x40u

typedef struct
{
  void (*frame) (void *user, const AscFrame *frame);
  void (*text) (void *user, const uint8_t *bytes, size_t n, uint64_t offset);
  void (*skip) (void *user, AscSkip why, uint64_t offset, size_t n);
  void (*mangled) (void *user, unsigned how, uint64_t offset);
} AscDeframerSink;

typedef struct
{
  const AscDeframerSink *sink;
  void *user;
  uint64_t offset; /* of held[0] in the stream */
  size_t n_held;   /* bytes held back */
  size_t damaged;  /* of the next bytes, in the extent of a damaged frame */
  uint8_t held[2 * ASC_FRAME_MAX]; /* a frame that may be incomplete */
  uint8_t recent[ASC_HEADER_SIZE]; /* state of the search, see the source */
} AscDeframer;

/* sink and user stay the caller's; any call of the sink may be NULL. offset: where the
 * stream starts (a piece of a file). */
void asc_deframer_init (AscDeframer *deframer,
                        const AscDeframerSink *sink,
                        void *user,
                        uint64_t offset);
void asc_deframer_feed (AscDeframer *deframer, const void *bytes, size_t n);
/* The stream ended: what is held back becomes text or a skip. */
void asc_deframer_finish (AscDeframer *deframer);
/* Bytes held back, to be shown provisionally; they stay held. */
size_t asc_deframer_pending (const AscDeframer *deframer, const uint8_t **bytes);
/* True when nothing is held back and no damaged extent is open: host frames can be put
 * here. */
bool asc_deframer_at_boundary (const AscDeframer *deframer);

#endif
