/* The golden captures by name. */
#ifndef CAPTURES_H
#define CAPTURES_H

#include "stream.h"

typedef struct
{
  const char *name;
  void (*make) (Stream *stream); /* stream: empty, its session new */
} Capture;

extern const Capture captures[];
extern const size_t n_captures;

/* Those of captures-bad.c. */
void make_cooked_output (Stream *stream);
void make_cooked_input (Stream *stream);
void make_cooked_both (Stream *stream);
void make_cooked_flow (Stream *stream);
void make_cooked_signals (Stream *stream);
void make_cooked_zeros (Stream *stream);
void make_cooked_parity (Stream *stream);
void make_seven_bit (Stream *stream);
void make_cut_frame (Stream *stream);
void make_cut_header (Stream *stream);
void make_flipped (Stream *stream);
void make_false_starts (Stream *stream);
void make_malformed (Stream *stream);
void make_lost (Stream *stream);
void make_duplicates (Stream *stream);
void make_forged_wire (Stream *stream);
void make_forged_trace (Stream *stream);
void make_text (Stream *stream);

#endif
