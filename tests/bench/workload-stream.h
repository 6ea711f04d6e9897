/* The reference workload as the bytes that a board would send. */
#ifndef WORKLOAD_STREAM_H
#define WORKLOAD_STREAM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "workload.h"

typedef struct
{
  uint64_t n_events; /* ENTER and EXIT, even */
  bool idle;         /* with an IDLE event between runs that are apart */
  bool late;         /* with a lateness in each ENTER */
  unsigned seal_ms;
  /* Where the runs come from; NULL: the reference workload. False: there are no more. */
  bool (*next) (void *user, WorkloadRun *run);
  void *user;
} WorkloadStream;

/* HELLO each second, frames sealed when full or seal_ms old. The caller unrefs. */
GByteArray *workload_stream (const WorkloadStream *options);

#endif
