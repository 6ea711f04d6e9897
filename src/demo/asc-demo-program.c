#include "asc-demo-private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The program on the board: a greenhouse controller in about a dozen tasks, and its loop.
 *
 * A run of a task is simulated whole; interrupts come in it at their own times. All draws
 * are integers, so that a seed gives the same program on every machine. */

#define MS (DEMO_TICK_HZ / 1000)
#define SECOND ((int64_t)DEMO_TICK_HZ)
#define CLIENTS 8
#define SPINNERS 4
#define SPINS_PER_DRAIN 64u
#define HEAP_FULL 98304 /* bytes free after a collection */
#define HEAP_LOW 16384
#define SEAL (5 * MS) /* of a fast link: a longer sleep flushes */
#define SLOW_BAUD 500000u
/* Bytes that the board sends in a tick of idle time, about (Full Speed USB). */
#define BYTES_PER_TICK 1

static AscExit run_plain (AscDemo *demo, DemoTask *task);
static AscExit run_main (AscDemo *demo, DemoTask *task);
static AscExit run_serve (AscDemo *demo, DemoTask *task);
static AscExit run_client (AscDemo *demo, DemoTask *task);
static AscExit run_log (AscDemo *demo, DemoTask *task);
static AscExit run_ntp (AscDemo *demo, DemoTask *task);
static AscExit run_valve (AscDemo *demo, DemoTask *task);
static AscExit run_console (AscDemo *demo, DemoTask *task);

static const DemoKind dozen[] = {
  { "main", "main", 12, 250 * MS, 230, run_main },
  { "sensor", "poll", 31, 10 * MS, 560, run_plain },
  { "motor", "pid", 58, 5 * MS, 225, run_plain },
  { "display", "refresh", 17, 33333, 2500, run_plain },
  { "http", "serve", 44, 0, 820, run_serve },
  { "mqtt", "keepalive", 23, 90 * MS, 245, run_plain },
  { "sd", "log", 39, 50 * MS, 950, run_log },
  { "ntp", "sync", 9, 2000 * MS, 600, run_ntp },
  { "wdt", "feed", 5, 500 * MS, 60, run_plain },
  { "valve", "control", 27, 200 * MS, 300, run_valve },
  { "console", "repl", 14, 1000 * MS, 400, run_console },
};
#define N_DOZEN (sizeof dozen / sizeof *dozen)
static const DemoKind client_kind = { "http", "client", 71, 0, 1300, run_client };
static const DemoKind worker_kind = { "worker", "job", 3, 0, 0, run_plain };
static const DemoKind spinner_kind = { "burst", "spin", 3, 0, 0, run_plain };

/* Times of one run: mostly 0.4 to 1.6 of the mean, one in fifty up to twice as long. */
static int64_t
draw (AscDemo *demo, int64_t mean)
{
  int64_t sum = 0;
  for (int i = 0; i < 4; i++)
    sum += (int64_t)(demo_random (&demo->random) & 0xFF);
  int64_t ticks = mean * (400 + sum * 1200 / 1020) / 1000;
  if (demo_random (&demo->random) % 50 == 0)
    ticks += mean * 4 / 5;
  return ticks > 0 ? ticks : 1;
}

static AscString
string_of (const char *text)
{
  AscString string = { text, (uint8_t)strlen (text) };
  return string;
}

static void
name_task (AscDemo *demo, DemoTask *task, const char *function, const char *file)
{
  AscName name = { .kind = ASC_NAME_TASK,
                   .line = task->kind->line,
                   .code = (uint32_t)(task - demo->tasks) + 0x20001000u,
                   .module = string_of (task->kind->module),
                   .function = string_of (function),
                   .file = string_of (file) };
  task->name = asc_recorder_name (&demo->recorder, &name);
}

static void
add_task (AscDemo *demo, const DemoKind *kind, const char *number)
{
  DemoTask *task = &demo->tasks[demo->n_tasks++];
  task->kind = kind;
  task->period = kind->period;
  task->mean = kind->mean;
  task->due = DEMO_NEVER;
  snprintf (task->label, sizeof task->label, "%s.%s%s", kind->module, kind->function,
            number);
}

bool
demo_program_new (AscDemo *demo)
{
  unsigned n_workers = demo->config.n_tasks > N_DOZEN + 1
                           ? demo->config.n_tasks - (unsigned)N_DOZEN - 1
                           : 0;
  unsigned n_spinners = demo->config.events_hz > 0 ? SPINNERS : 0;
  demo->tasks = calloc (N_DOZEN + n_workers + n_spinners + CLIENTS, sizeof *demo->tasks);
  if (!demo->tasks)
    return false;
  for (size_t i = 0; i < N_DOZEN; i++)
    add_task (demo, &dozen[i], "");
  for (unsigned i = 0; i < n_workers; i++)
    {
      char number[16];
      snprintf (number, sizeof number, "%03u", i + 1);
      add_task (demo, &worker_kind, number);
      DemoTask *task = &demo->tasks[demo->n_tasks - 1];
      /* Together they keep the board busy for about a fifth of its time. */
      task->period = (int32_t)demo_between (&demo->random, 100 * MS, 900 * MS);
      task->mean = task->period / 5 / (int32_t)n_workers + 1;
    }
  demo->first_spinner = n_spinners ? demo->n_tasks : 0;
  for (unsigned i = 0; i < n_spinners; i++)
    {
      const char number[2] = { (char)('a' + i), '\0' };
      add_task (demo, &spinner_kind, number);
    }
  demo->n_fixed = demo->n_tasks;
  for (unsigned i = 0; i < CLIENTS; i++)
    add_task (demo, &client_kind, "");
  if (n_spinners)
    {
      double cycle = 256 * 2.0 * DEMO_TICK_HZ / demo->config.events_hz;
      demo->spin_cycle = cycle < 256 ? 256 : cycle > 1e8 ? 100000000 : (int64_t)cycle;
      demo->next_spin = demo->now << 8;
    }
  return true;
}

static void
wait_for (AscDemo *demo, DemoTask *task, int64_t due, bool timed)
{
  task->due = due;
  task->timed = timed;
  task->order = demo->order++;
}

static void
start_task (AscDemo *demo, DemoTask *task, unsigned parent)
{
  task->slot = asc_recorder_task_start (&demo->recorder, DEMO_LOOP, task->name, parent);
  task->instance = ++demo->instances;
  task->alive = true;
}

void
demo_program_start (AscDemo *demo)
{
  AscRecorder *rec = &demo->recorder;
  /* Before any time passes: the pin does not make up for what was before the start. */
  demo->next_pin = demo->now + 3 * MS;
  for (unsigned i = 0; i < demo->n_tasks; i++)
    {
      DemoTask *task = &demo->tasks[i];
      const char *function = task->label + strlen (task->kind->module) + 1;
      if (i <= demo->n_fixed)
        name_task (demo, task, function,
                   i == 0        ? "main.py"
                   : i < N_DOZEN ? "lib/greenhouse.py"
                                 : "lib/jobs.py");
      else
        task->name = demo->tasks[demo->n_fixed].name;
    }
  demo->names.heap = asc_recorder_define (rec, ASC_NAME_COUNTER, NULL, "heap free");
  demo->names.valve = asc_recorder_define (rec, ASC_NAME_MARK, NULL, "valve opened");
  demo->names.gpio = asc_recorder_define (rec, ASC_NAME_PIN, NULL, "GP15");
  demo->names.format = asc_recorder_define (rec, ASC_NAME_SPAN, NULL, "format");
  demo->names.sd_write = asc_recorder_define (rec, ASC_NAME_SPAN, NULL, "write");
  for (unsigned i = 0; i < demo->n_fixed; i++)
    {
      DemoTask *task = &demo->tasks[i];
      start_task (demo, task, i == 0 ? ASC_RECORDER_NO_SLOT : demo->tasks[0].slot);
      demo_spend (demo, 20);
      if (demo->first_spinner == 0 || task->kind != &spinner_kind)
        wait_for (demo, task, demo->now + (int64_t)i * 700, true);
    }
  demo->heap_free = HEAP_FULL;
  demo->temperature = 214;
  demo->next_hog = demo->now + demo_between (&demo->random, 3 * SECOND, 5 * SECOND);
  demo->next_valve = demo->now + 2 * SECOND;
  demo_print (demo, "\r\ngreenhouse: started\r\n");
}

void
demo_program_interrupt (AscDemo *demo)
{
  demo->pin = !demo->pin;
  asc_recorder_level (&demo->recorder, DEMO_INTERRUPT, demo->names.gpio, demo->pin);
  demo->next_pin += demo_between (&demo->pin_random, 7200, 7800);
}

/* What tasks do. */

/* The heap is used up by what runs; the collector comes in the run that finds it low. */
static void
allocate (AscDemo *demo, int32_t bytes)
{
  demo->heap_free -= bytes;
  if (demo->heap_free >= HEAP_LOW)
    return;
  asc_recorder_gc_begin (&demo->recorder, DEMO_LOOP);
  demo_spend (demo, demo_between (&demo->random, 2 * MS, 6 * MS));
  asc_recorder_gc_end (&demo->recorder, DEMO_LOOP);
  demo->heap_free = HEAP_FULL - (int32_t)demo_between (&demo->random, 0, 4096);
}

/* The next time by the task's rhythm; beats that have passed are missed. */
static void
next_beat (AscDemo *demo, DemoTask *task)
{
  int64_t due = task->due + task->period;
  while (due <= demo->now)
    due += task->period;
  wait_for (demo, task, due, true);
}

static AscExit
run_plain (AscDemo *demo, DemoTask *task)
{
  demo_spend (demo, draw (demo, task->mean));
  allocate (demo, 32);
  next_beat (demo, task);
  return ASC_EXIT_YIELD;
}

static AscExit
run_main (AscDemo *demo, DemoTask *task)
{
  demo_spend (demo, draw (demo, task->mean));
  allocate (demo, 64);
  asc_recorder_counter (&demo->recorder, DEMO_LOOP, demo->names.heap, demo->heap_free);
  demo_spend (demo, 12);
  next_beat (demo, task);
  return ASC_EXIT_YIELD;
}

/* Waits for connections; each makes a client task, unless too many are alive. */
static AscExit
run_serve (AscDemo *demo, DemoTask *task)
{
  demo_spend (demo, draw (demo, task->mean));
  allocate (demo, 256);
  if (demo_random (&demo->random) % 8 == 0)
    for (unsigned i = demo->n_fixed; i < demo->n_tasks; i++)
      if (!demo->tasks[i].alive)
        {
          DemoTask *client = &demo->tasks[i];
          start_task (demo, client, task->slot);
          client->rest = (int)demo_between (&demo->random, 4, 22);
          wait_for (demo, client, demo->now, false);
          demo_spend (demo, 30);
          /* Now and then a connection is gone before its task runs. */
          if (demo_random (&demo->random) % 40 == 0)
            {
              asc_recorder_task_end (&demo->recorder, DEMO_LOOP, client->slot,
                                     ASC_END_CANCELLED);
              client->alive = false;
              client->due = DEMO_NEVER;
            }
          break;
        }
  wait_for (demo, task, demo->now + demo_between (&demo->random, 20 * MS, 100 * MS),
            false);
  return ASC_EXIT_YIELD;
}

static AscExit
run_client (AscDemo *demo, DemoTask *task)
{
  demo_spend (demo, draw (demo, task->mean));
  allocate (demo, 200);
  if (--task->rest > 0)
    {
      int64_t wait = demo_between (&demo->random, 30 * MS, 200 * MS);
      wait_for (demo, task, demo->now + wait, false);
      return ASC_EXIT_YIELD;
    }
  uint64_t how = demo_random (&demo->random) % 20;
  if (how == 0)
    {
      demo_print (demo, "http: OSError: [Errno 104] ECONNRESET\r\n");
      return ASC_EXIT_RAISE;
    }
  return how == 1 ? ASC_EXIT_CANCEL : ASC_EXIT_RETURN;
}

/* A card that erases a block keeps the whole board waiting now and then. */
static AscExit
run_log (AscDemo *demo, DemoTask *task)
{
  AscRecorder *rec = &demo->recorder;
  int64_t ticks = draw (demo, task->mean);
  uint32_t span = asc_recorder_span_begin (rec, DEMO_LOOP, demo->names.format);
  demo_spend (demo, ticks / 3);
  allocate (demo, 96);
  asc_recorder_span_end (rec, DEMO_LOOP, span);
  demo_spend (demo, 8);
  span = asc_recorder_span_begin (rec, DEMO_LOOP, demo->names.sd_write);
  ticks -= ticks / 3;
  if (demo->now >= demo->next_hog)
    {
      ticks = demo_between (&demo->random, 20 * MS, 80 * MS);
      demo->next_hog = demo->now + demo_between (&demo->random, 10 * SECOND, 20 * SECOND);
    }
  demo_spend (demo, ticks);
  asc_recorder_span_end (rec, DEMO_LOOP, span);
  demo_spend (demo, 5);
  next_beat (demo, task);
  return ASC_EXIT_YIELD;
}

static AscExit
run_ntp (AscDemo *demo, DemoTask *task)
{
  char text[48];
  demo_spend (demo, draw (demo, task->mean));
  snprintf (text, sizeof text, "ntp: offset %d ms",
            (int)demo_between (&demo->random, -9, 10));
  asc_recorder_text (&demo->recorder, DEMO_LOOP, text, strlen (text));
  allocate (demo, 300);
  next_beat (demo, task);
  return ASC_EXIT_YIELD;
}

static AscExit
run_valve (AscDemo *demo, DemoTask *task)
{
  demo_spend (demo, draw (demo, task->mean));
  if (demo->now >= demo->next_valve)
    {
      demo->valve_open = !demo->valve_open;
      if (demo->valve_open)
        asc_recorder_mark (&demo->recorder, DEMO_LOOP, demo->names.valve);
      demo_spend (demo, 40);
      demo->next_valve = demo->now + demo_between (&demo->random, 3 * SECOND, 6 * SECOND);
    }
  next_beat (demo, task);
  return ASC_EXIT_YIELD;
}

static AscExit
run_console (AscDemo *demo, DemoTask *task)
{
  char text[80];
  demo->temperature += (int32_t)demo_between (&demo->random, -2, 3);
  if (demo->temperature < 190 || demo->temperature > 260)
    demo->temperature = 214;
  demo_spend (demo, draw (demo, task->mean));
  snprintf (text, sizeof text,
            "%5d.%d s  %d.%d \xC2\xB0"
            "C  valve %s\r\n",
            (int)(demo->now / SECOND), (int)(demo->now / (SECOND / 10) % 10),
            demo->temperature / 10, demo->temperature % 10,
            demo->valve_open ? "open" : "shut");
  demo_print (demo, text);
  allocate (demo, 160);
  next_beat (demo, task);
  return ASC_EXIT_YIELD;
}

/* The loop. */

static void
tell_truth (AscDemo *demo, const DemoTask *task, int64_t start, AscExit how)
{
  static const char *const hows[] = { "yield", "return", "raise", "cancel" };
  if (demo->truth
      && fprintf (demo->truth, "0,%s,%" PRIu32 ",%" PRId64 ",%" PRId64 ",%s\n",
                  task->label, task->instance, start * DEMO_NS_PER_TICK,
                  demo->now * DEMO_NS_PER_TICK, hows[how])
             < 0
      && demo->truth_error == 0)
    demo->truth_error = errno;
}

static void
run_task (AscDemo *demo, DemoTask *task)
{
  AscRecorder *rec = &demo->recorder;
  int64_t due = task->due;
  demo_spend (demo, demo_between (&demo->random, 20, 60));
  int64_t start = demo->now;
  if (task->timed)
    asc_recorder_enter_late (rec, DEMO_LOOP, task->slot,
                             (uint32_t)(start / MS - due / MS));
  else
    asc_recorder_enter (rec, DEMO_LOOP, task->slot);
  AscExit how = task->kind->run (demo, task);
  asc_recorder_exit (rec, DEMO_LOOP, how);
  tell_truth (demo, task, start, how);
  if (how != ASC_EXIT_YIELD)
    {
      task->alive = false;
      task->due = DEMO_NEVER;
    }
  demo_spend (demo, demo_between (&demo->random, 10, 21));
}

/* Who is due first; among equals who asked first. */
static DemoTask *
next_task (AscDemo *demo)
{
  DemoTask *next = NULL; /* never stays so: the dozen always wait for something */
  for (unsigned i = 0; i < demo->n_tasks; i++)
    {
      DemoTask *task = &demo->tasks[i];
      if (task->due != DEMO_NEVER
          && (!next || task->due < next->due
              || (task->due == next->due && task->order < next->order)))
        next = task;
    }
  return next;
}

/* The short tasks of events_hz, in the time that the others leave. What is late, since
 * the others ran, is made up for. */
static void
spin (AscDemo *demo, int64_t until)
{
  AscRecorder *rec = &demo->recorder;
  for (unsigned n = 0;; n++)
    {
      DemoTask *task = &demo->tasks[demo->first_spinner + demo->spinner % SPINNERS];
      if (n % SPINS_PER_DRAIN == 0)
        demo_drain (demo, SIZE_MAX);
      int64_t early = (demo->next_spin >> 8) - demo->now;
      if (demo->now + (early > 0 ? early : 0) + 2 > until)
        break;
      if (early > 0)
        demo_spend (demo, early);
      int64_t start = demo->now;
      asc_recorder_enter (rec, DEMO_LOOP, task->slot);
      demo_spend (demo, early < 0 ? 1 : 1 + demo->spin_cycle / 768);
      asc_recorder_exit (rec, DEMO_LOOP, ASC_EXIT_YIELD);
      tell_truth (demo, task, start, ASC_EXIT_YIELD);
      demo_spend (demo, 1);
      demo->next_spin += demo->spin_cycle;
      demo->spinner++;
    }
}

/* The poller's pass with time to wait: the port first, then sleep until next is due. */
static void
idle (AscDemo *demo, const DemoTask *next)
{
  AscRecorder *rec = &demo->recorder;
  int64_t wait = next->due - demo->now;
  if (wait > SEAL && (demo->config.baud == 0 || demo->config.baud >= SLOW_BAUD))
    {
      demo->last_drain = demo->now;
      asc_recorder_flush (rec, demo_port_write, demo);
    }
  demo_drain (demo, (size_t)wait * BYTES_PER_TICK + ASC_FRAME_MAX);
  if (demo->now >= next->due)
    return;
  if (demo->spin_cycle > 0)
    spin (demo, next->due);
  asc_recorder_idle_begin (rec, DEMO_LOOP, next->timed ? ASC_IDLE_TIMER : ASC_IDLE_IO);
  demo_spend (demo, next->due > demo->now ? next->due - demo->now : 1);
  asc_recorder_idle_end (rec, DEMO_LOOP);
}

void
demo_program_step (AscDemo *demo)
{
  DemoTask *next = next_task (demo);
  if (!next)
    return;
  if (next->due > demo->now + 2)
    {
      idle (demo, next);
      return;
    }
  /* No time to wait: a piece only, when the ring is filling or what is in it ages. */
  if (asc_recorder_fill (&demo->recorder) > demo->recorder_config.ring_words / 4 * 3
      || demo->now - demo->last_drain > SEAL)
    demo_drain (demo, 2 * ASC_FRAME_MAX);
  run_task (demo, next);
}
