#include "asc-demo-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The board: clock, recorder, and the calls of asc-demo.h that run it. */

#define RING_WORDS 1024u       /* the dozen fill it in a quarter of a second */
#define RING_WORDS_SAFE 65536u /* when nothing shall be lost */
#define RING_WORDS_MAX 1048576u
#define NAMES_ROOM 32u
#define SLOTS_ROOM 64u
#define DRAIN_EVENT 10 /* ticks */
#define SECOND ((int64_t)DEMO_TICK_HZ)

uint64_t
demo_random (uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

int64_t
demo_between (uint64_t *state, int64_t from, int64_t to)
{
  return from + (int64_t)(demo_random (state) % (uint64_t)(to - from));
}

static uint32_t
board_ticks (void *user)
{
  const AscDemo *demo = user;
  return (uint32_t)(uint64_t)demo->now;
}

void
demo_spend (AscDemo *demo, int64_t ticks)
{
  int64_t to = demo->now + ticks;
  while (demo->next_pin <= to)
    {
      if (demo->now < demo->next_pin)
        demo->now = demo->next_pin;
      demo_program_interrupt (demo);
    }
  if (demo->now < to)
    demo->now = to;
}

void
demo_print (AscDemo *demo, const char *text)
{
  demo_port_put (demo, text, strlen (text));
}

void
demo_drain (AscDemo *demo, size_t max_bytes)
{
  demo->last_drain = demo->now;
  asc_recorder_drain (&demo->recorder, demo_port_write, demo, max_bytes);
}

static uint32_t
ring_words (const AscDemoConfig *config)
{
  /* Two words a record; a quarter of a second of the short tasks, or four when nothing
   * shall be lost, for a reader that is kept from reading. */
  double wanted = config->events_hz * 2 * 0.25;
  uint32_t words = config->no_loss || config->speed <= 0 ? RING_WORDS_SAFE : RING_WORDS;
  if (config->no_loss)
    wanted *= 4;
  while (words < wanted && words < RING_WORDS_MAX)
    words *= 2;
  return words;
}

static bool
recorder_new (AscDemo *demo)
{
  const AscDemoConfig *config = &demo->config;
  AscRecorderConfig *r = &demo->recorder_config;
  uint32_t words = ring_words (config);
  unsigned n_slots = config->n_tasks + SLOTS_ROOM;
  if (n_slots > ASC_RECORDER_SLOTS_MAX)
    n_slots = ASC_RECORDER_SLOTS_MAX;
  demo->ring = calloc (words, sizeof *demo->ring);
  demo->slots = calloc (n_slots, sizeof *demo->slots);
  demo->name_table = calloc (config->n_tasks + NAMES_ROOM, sizeof *demo->name_table);
  if (!demo->ring || !demo->slots || !demo->name_table)
    return false;
  r->ring = demo->ring;
  r->ring_words = words;
  r->slots = demo->slots;
  r->n_slots = (uint16_t)n_slots;
  r->names = demo->name_table;
  r->n_names = (uint16_t)(config->n_tasks + NAMES_ROOM);
  r->n_contexts = 2;
  r->contexts[DEMO_LOOP] = ASC_CONTEXT (ASC_CONTEXT_LOOP, 0, 0);
  r->contexts[DEMO_INTERRUPT] = ASC_CONTEXT (ASC_CONTEXT_INTERRUPT, 0, 0);
  r->recorder = ASC_RECORDER_C;
  r->whole_frames = true;
  r->tick_hz = DEMO_TICK_HZ;
  r->cost_ns = 1100;
  r->cpu_hz = 125000000;
  r->capabilities = ASC_CAN_IDLE | ASC_CAN_LATE | ASC_CAN_GC | ASC_CAN_DRAIN
                    | ASC_CAN_EXIT_KINDS | ASC_CAN_LONG_NAMES | ASC_CAN_INTERRUPTS;
  r->baud = config->baud;
  r->drain_ticks = DRAIN_EVENT;
  r->ticks = board_ticks;
  r->ticks_user = demo;
  r->room = demo_port_room;
  r->board = "Demo board";
  r->firmware = "aioscope " ASC_VERSION;
  r->program = "greenhouse";
  return asc_recorder_init (&demo->recorder, r) == 0;
}

void
asc_demo_config_init (AscDemoConfig *config)
{
  const AscDemoConfig initial = { .seed = 1, .speed = 1.0 };
  *config = initial;
}

AscDemo *
asc_demo_new (const AscDemoConfig *config, int *error_number)
{
  AscDemo *demo = calloc (1, sizeof *demo);
  *error_number = ENOMEM;
  if (!demo)
    return NULL;
  demo->config = *config;
  demo->config.truth_path = NULL; /* the string stays the caller's */
  if (demo->config.n_tasks > ASC_DEMO_TASKS_MAX)
    demo->config.n_tasks = ASC_DEMO_TASKS_MAX;
  uint64_t seed = config->seed ? config->seed : 1;
  demo->random = seed;
  demo->pin_random = seed ^ 0x5050505050505050u;
  demo->port_random = seed ^ 0x1234567812345678u;
  demo->now = DEMO_POWER_ON;
  demo->end = DEMO_NEVER;
  if (config->seconds > 0 && config->seconds < 1e9)
    demo->end = demo->now + (int64_t)(config->seconds * DEMO_TICK_HZ);
  if (!recorder_new (demo) || !demo_program_new (demo)
      || !demo_port_init (&demo->port, config))
    {
      asc_demo_free (demo);
      return NULL;
    }
  if (config->truth_path)
    {
      demo->truth = fopen (config->truth_path, "we");
      if (!demo->truth)
        {
          *error_number = errno;
          asc_demo_free (demo);
          return NULL;
        }
      fputs ("session,task,instance,start_ns,end_ns,exit\n", demo->truth);
    }
  uint64_t identity = seed;
  asc_recorder_start (&demo->recorder, (uint32_t)demo_random (&identity));
  demo_program_start (demo);
  *error_number = 0;
  return demo;
}

int
asc_demo_end_truth (AscDemo *demo)
{
  if (!demo->truth)
    return 0;
  if (fclose (demo->truth) != 0 && demo->truth_error == 0)
    demo->truth_error = errno;
  demo->truth = NULL;
  return demo->truth_error;
}

void
asc_demo_free (AscDemo *demo)
{
  if (!demo)
    return;
  asc_demo_end_truth (demo);
  free (demo->ring);
  free (demo->slots);
  free (demo->name_table);
  free (demo->tasks);
  free (demo->port.bytes);
  free (demo);
}

int64_t
asc_demo_now_ns (const AscDemo *demo)
{
  return demo->now * DEMO_NS_PER_TICK;
}

/* The program ended: everything goes out, and then the last HELLO. A reader that does not
 * read for a second gets no more. */
static bool
stop (AscDemo *demo, int64_t until)
{
  if (!demo->stopping)
    {
      demo->stopping = true;
      demo->port.stalled = false;
      demo->port.next_stall = DEMO_NEVER;
    }
  for (;;)
    {
      bool done = asc_recorder_stop (&demo->recorder, demo_port_write, demo);
      demo_port_push (demo);
      if (done && demo->port.n == 0)
        demo->finished = true;
      else if (demo->config.speed > 0 && demo->port.refused
               && demo->now > demo->end + SECOND)
        demo->finished = true;
      if (demo->finished)
        break;
      /* The line sends while the clock goes on; what it cannot send waits for a reader.
       */
      if (demo->now >= until || (demo->config.speed <= 0 && demo->config.baud == 0))
        return true;
      demo->now += DEMO_TICK_HZ / 1000;
    }
  if (demo->truth && fflush (demo->truth) != 0 && demo->truth_error == 0)
    demo->truth_error = errno;
  return false;
}

bool
asc_demo_run (AscDemo *demo, int64_t until_ns, AscDemoWrite write, void *user)
{
  int64_t until = until_ns / DEMO_NS_PER_TICK;
  bool patient = demo->config.speed <= 0;
  bool going = !demo->finished;
  demo->port.write = write;
  demo->port.user = user;
  while (going && (demo->now < until || demo->now >= demo->end))
    {
      demo_port_push (demo);
      if (demo->now >= demo->end)
        {
          going = stop (demo, until);
          break;
        }
      /* Time stands still for a reader that has not taken it all. A baud rate is the
       * line's own: there it is the board's clock that empties the buffer. */
      if (patient && demo->port.refused)
        break;
      demo_port_script (demo);
      demo_program_step (demo);
    }
  if (going)
    demo_port_push (demo);
  demo->port.write = NULL;
  return going;
}
