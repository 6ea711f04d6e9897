/* Packs events of one context into one EVENTS frame, and writes the other board frames.
 *
 * For the board: C99, freestanding, no allocation, no division. Every buffer is the
 * caller's. Nothing here is safe against a second caller at the same time: the recorder's
 * drain is the only one. */
#ifndef ASC_ENCODER_H
#define ASC_ENCODER_H

#include "asc-proto.h"

typedef struct
{
  uint8_t *frame;  /* caller's, ASC_FRAME_MAX bytes */
  uint64_t base;   /* ticks of the first event */
  uint64_t last;   /* ticks at the end of the last event */
  uint16_t length; /* bytes used, header included; 0 = no frame open */
  /* What the open frame adds; after a seal, what the sealed one added. */
  uint16_t n_events; /* as they count for the running count, but LOST */
  uint16_t n_starts;
  uint32_t n_lost; /* sum of LOST counts in the frame */
  uint16_t stack[ASC_STACK_MAX];
  uint8_t depth;
  uint8_t context;
  uint8_t ended; /* a LOST or DISCONTINUITY closed the frame: seal it */
} AscEncoder;

/* Values that a frame takes from the session when it is sealed. */
typedef struct
{
  uint32_t count;  /* running count of events before the frame */
  uint16_t starts; /* STARTs before the frame */
  uint16_t sequence;
  uint8_t session; /* low byte of the session id */
} AscSeal;

/* frame: ASC_FRAME_MAX bytes that stay valid as long as the encoder is used. */
void asc_encoder_init (AscEncoder *encoder, uint8_t *frame, uint8_t context);

/* Appends an event; opens a frame where none is open. Returns 1 when it is in the frame,
 * 0 when the frame is full or ended (seal it, send it, try again), -1 when the event can
 * not be sent at all (EXIT with an empty stack, ENTER on a full one, time before the last
 * event: send a DISCONTINUITY first). event->kind START, TEXT and DISCONTINUITY have
 * calls of their own. */
int asc_encoder_event (AscEncoder *encoder, const AscEvent *event);
int asc_encoder_start (AscEncoder *encoder, uint64_t ticks, const AscTaskRecord *record);
/* Cuts text at a UTF-8 border to what one frame holds; *taken = bytes taken. */
int asc_encoder_text (AscEncoder *encoder,
                      uint64_t ticks,
                      const char *text,
                      size_t n,
                      size_t *taken);
/* Time may step back here: ticks is the new time; the frame is then ended. */
int asc_encoder_discontinuity (AscEncoder *encoder,
                               uint64_t ticks,
                               AscJump reason,
                               int64_t jump);

/* Replaces the run stack (what runs now, after a loss). Only with no frame open. */
void asc_encoder_set_stack (AscEncoder *encoder, const uint16_t *slots, unsigned depth);

/* Closes the open frame; its n_events, n_starts and n_lost can be read until the next
 * event. Returns its length in bytes (0: none was open), ready to send from
 * encoder->frame; the next event opens a new one. */
size_t asc_encoder_seal (AscEncoder *encoder, const AscSeal *seal);

/* The other frames of a board, into out[ASC_FRAME_MAX]. Each returns the frame's length.
 * Strings are cut at ASC_NAME_MAX bytes, at a UTF-8 border. */
size_t asc_encode_hello (uint8_t *out, const AscHello *hello, uint16_t sequence);
/* Take as many records as fit; *taken = records taken (at least one). */
size_t asc_encode_names (uint8_t *out,
                         const AscName *names,
                         size_t n,
                         size_t *taken,
                         uint16_t sequence,
                         uint8_t session);
size_t asc_encode_tasks (uint8_t *out,
                         uint64_t ticks,
                         const AscTaskRecord *records,
                         size_t n,
                         size_t *taken,
                         const AscSeal *seal);

/* Frames any payload (host frames, tests). payload may stand in out + ASC_HEADER_SIZE. */
size_t asc_encode_frame (uint8_t *out,
                         uint8_t type,
                         uint16_t sequence,
                         uint8_t session,
                         uint8_t context,
                         const void *payload,
                         uint8_t length);

#endif
