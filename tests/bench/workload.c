#include "workload.h"

#include <math.h>

static uint64_t
rotate (uint64_t x, int bits)
{
  return x << bits | x >> (64 - bits);
}

/* xoshiro256**: the generator that the reference figures were made with. */
static uint64_t
draw (Workload *workload)
{
  uint64_t *s = workload->state;
  uint64_t result = rotate (s[1] * 5, 7) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate (s[3], 45);
  return result;
}

static double
uniform (Workload *workload)
{
  return ((double)(draw (workload) >> 11) + 0.5) / 9007199254740992.0;
}

static double
exponential (Workload *workload, double mean)
{
  return -mean * log (uniform (workload));
}

void
workload_init (Workload *workload)
{
  static const uint64_t seed[4]
      = { 0x9E3779B97F4A7C15u, 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu, 42 };
  double total = 0;
  for (int i = 0; i < 4; i++)
    workload->state[i] = seed[i];
  for (int i = 0; i < WORKLOAD_TASKS; i++)
    {
      workload->mean_us[i] = 20 * pow (250, uniform (workload));
      total += 1 / (1 + i * 0.15);
      workload->cumulated[i] = total;
    }
  for (int i = 0; i < WORKLOAD_TASKS; i++)
    workload->cumulated[i] /= total;
  workload->mean_us[70] = workload->mean_us[85] = workload->mean_us[97] = 20000;
  workload->now_us = 100;
}

void
workload_next (Workload *workload, WorkloadRun *run)
{
  double which = uniform (workload);
  uint32_t low = 0;
  uint32_t high = WORKLOAD_TASKS - 1;
  while (low < high)
    {
      uint32_t middle = (low + high) / 2;
      if (workload->cumulated[middle] > which)
        high = middle;
      else
        low = middle + 1;
    }
  double length = exponential (workload, workload->mean_us[low]);
  if (length < 20)
    length = 20 + uniform (workload) * 8;
  run->task = low;
  run->start_us = (uint64_t)workload->now_us;
  run->end_us = (uint64_t)(workload->now_us + length);
  workload->now_us += length;
  if (uniform (workload) < 0.6)
    workload->now_us += 5 + uniform (workload) * 10;
  else
    workload->now_us += 15 + exponential (workload, 800);
}
