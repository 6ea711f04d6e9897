/* The reference workload: 100 cooperative tasks on one core, 75 % busy.
 *
 * Run times are exponential with a mean of 20 µs to 5 ms by task, three tasks hog for
 * 20 ms; six of ten runs follow one another after 5-15 µs, before the others comes an
 * idle gap of 800 µs on average. The same numbers on every machine with IEEE doubles. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdint.h>

#define WORKLOAD_TASKS 100

typedef struct
{
  uint64_t state[4];
  double mean_us[WORKLOAD_TASKS];
  double cumulated[WORKLOAD_TASKS];
  double now_us;
} Workload;

typedef struct
{
  uint64_t start_us;
  uint64_t end_us;
  uint32_t task;
} WorkloadRun;

void workload_init (Workload *workload);
void workload_next (Workload *workload, WorkloadRun *run);

#endif
