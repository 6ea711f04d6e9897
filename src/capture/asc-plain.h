/* A board's bytes without its frames: what a REPL tool on the same port wants to see.
 *
 * Everything that is no frame passes, byte for byte and at once; only what may yet become
 * a frame waits. Does no input or output. Not locked: one thread at a time. Times are
 * microseconds of the monotonic clock. */
#ifndef ASC_PLAIN_H
#define ASC_PLAIN_H

#include <glib.h>
#include <stdbool.h>

#include "asc-deframer.h"

/* A begun frame that stands still is given up after this: where no frame has come yet,
 * and where frames come. */
#define ASC_PLAIN_WAIT_US (100 * 1000)
#define ASC_PLAIN_PATIENCE_US (1000 * 1000)

typedef void (*AscPlainEmit) (void *user, const guint8 *bytes, gsize n);

typedef struct
{
  AscDeframer deframer;
  AscPlainEmit emit;
  void *user;
  guint64 frames;   /* taken out */
  guint64 left_out; /* bytes of damaged frames, taken out as well */
  gsize border;     /* in the newest push: the first place where nothing is begun, or n */

  guint64 passed;     /* offset behind what is decided: passed on or taken out */
  guint64 extent_end; /* of the newest damaged frame */
  bool believed;      /* that it was one */
  guint8 session;     /* of the newest right frame */
  /* The bytes at hand: what the deframer holds, and behind it what is being pushed. */
  guint64 base; /* offset of before[0] */
  gsize n_before;
  gsize n_piece;
  const guint8 *piece;
  guint8 before[2 * ASC_FRAME_MAX];
  gint64 pushed_us;
} AscPlain;

/* emit and user stay the caller's. */
void asc_plain_init (AscPlain *plain, AscPlainEmit emit, void *user);
void asc_plain_push (AscPlain *plain, const guint8 *bytes, gsize n, gint64 now_us);
/* Call it some times a second: passes on what has waited too long to be a frame. */
void asc_plain_tick (AscPlain *plain, gint64 now_us);
/* The connection was lost: what was begun can not go on. */
void asc_plain_break (AscPlain *plain);

#endif
