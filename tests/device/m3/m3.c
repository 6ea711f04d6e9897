/* Counts the recorder's instructions on an emulated Cortex-M3 (mps2-an385).
 *
 * Under qemu's -icount shift=0 an instruction takes 1 ns, and the board's timer counts at
 * 25 MHz: 40 instructions a tick. Each figure is that of many calls less that of the
 * empty loop; it is the same in every run. Prints "name value" lines on the first UART.
 */
#include <stddef.h>
#include <stdint.h>

#include "asc-recorder.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define TIMER_CONTROL REGISTER (0x40000000)
#define TIMER_VALUE REGISTER (0x40000004)
#define TIMER_RELOAD REGISTER (0x40000008)
#define UART_DATA REGISTER (0x40004000)
#define UART_STATE REGISTER (0x40004004)
#define UART_CONTROL REGISTER (0x40004008)
#define UART_DIVIDER REGISTER (0x40004010)

#define PER_TICK 40u /* instructions */
#define CALLS 1000u
#define ROUNDS 20u
#define RUN 500u /* us of a run, and between two */
#define GAP 1500u

volatile uint32_t m3_clock;
static AscRecorder recorder;
static uint32_t ring[4096];
static AscRecorderSlot slots[16];
static AscName names[8];
static uint32_t sent;

extern uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;
void reset (void);

void *
memset (void *to, int value, size_t n)
{
  uint8_t *p = to;
  while (n-- > 0)
    *p++ = (uint8_t)value;
  return to;
}

void *
memcpy (void *restrict to, const void *restrict from, size_t n)
{
  uint8_t *p = to;
  const uint8_t *q = from;
  while (n-- > 0)
    *p++ = *q++;
  return to;
}

static void
print (const char *text)
{
  for (; *text != '\0'; text++)
    {
      while (UART_STATE & 1u)
        ;
      UART_DATA = (uint8_t)*text;
    }
}

static void
print_number (const char *name, uint32_t value)
{
  char digits[12];
  unsigned n = sizeof digits;
  digits[--n] = '\0';
  digits[--n] = '\n';
  do
    digits[--n] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  print (name);
  print (" ");
  print (digits + n);
}

static void
quit (void)
{
  register uint32_t call __asm__("r0") = 0x18; /* SYS_EXIT */
  register uint32_t why __asm__("r1") = 0x20026;
  __asm__ volatile("bkpt 0xAB" : : "r"(call), "r"(why) : "memory");
}

static size_t
take (void *user, const uint8_t *bytes, size_t n)
{
  (void)user;
  (void)bytes;
  sent += n;
  return n;
}

/* What is measured: one call each. */

static void
nothing (unsigned slot)
{
  m3_clock += RUN;
  __asm__ volatile("" : : "r"(slot));
  m3_clock += GAP;
}

static void
run (unsigned slot)
{
  m3_clock += RUN;
  asc_recorder_enter (&recorder, 0, slot);
  m3_clock += GAP;
  asc_recorder_exit (&recorder, 0, ASC_EXIT_YIELD);
}

static void
run_late (unsigned slot)
{
  m3_clock += RUN;
  asc_recorder_enter_late (&recorder, 0, slot, 1);
  m3_clock += GAP;
  asc_recorder_exit (&recorder, 0, ASC_EXIT_YIELD);
}

static void
idle (unsigned slot)
{
  (void)slot;
  m3_clock += RUN;
  asc_recorder_idle_begin (&recorder, 0, ASC_IDLE_TIMER);
  m3_clock += GAP;
  asc_recorder_idle_end (&recorder, 0);
}

static void
short_task (unsigned slot)
{
  slot = asc_recorder_task_start (&recorder, 0, 1, 0);
  m3_clock += RUN;
  asc_recorder_enter (&recorder, 0, slot);
  m3_clock += GAP;
  asc_recorder_exit (&recorder, 0, ASC_EXIT_RETURN);
}

static void
clear (void)
{
  while (!asc_recorder_flush (&recorder, take, NULL))
    ;
}

/* Timer ticks that n calls of hooks take, and where drains is set their drain. */
static uint32_t
time_calls (void (*hooks) (unsigned slot), unsigned n, int drains)
{
  uint32_t began = TIMER_VALUE;
  for (unsigned i = 0; i < n; i++)
    hooks (i & 7u);
  if (drains)
    asc_recorder_drain (&recorder, take, NULL, SIZE_MAX);
  return began - TIMER_VALUE;
}

static uint32_t
count (void (*hooks) (unsigned slot), unsigned n, int drains)
{
  uint32_t ticks = 0, empty = 0;
  for (unsigned i = 0; i < ROUNDS; i++)
    {
      clear ();
      ticks += time_calls (hooks, n, drains);
      empty += time_calls (nothing, n, 0);
    }
  clear ();
  return ((ticks - empty) * PER_TICK + n * ROUNDS / 2) / (n * ROUNDS);
}

static void
measure (void)
{
  print_number ("run-hooks", count (run, CALLS, 0));
  print_number ("run-late-hooks", count (run_late, CALLS, 0));
  print_number ("idle-hooks", count (idle, CALLS, 0));
  print_number ("task-hooks", count (short_task, 12, 0));
  sent = 0;
  print_number ("run-all", count (run, CALLS, 1));
  print_number ("run-late-all", count (run_late, CALLS, 1));
  print_number ("idle-all", count (idle, CALLS, 1));
  print_number ("task-all", count (short_task, 12, 1));
  /* The hooks alone when the ring is full. */
  for (unsigned i = 0; i < 3000; i++)
    run (0);
  uint32_t ticks = time_calls (run, CALLS, 0) - time_calls (nothing, CALLS, 0);
  print_number ("run-full-ring", (ticks * PER_TICK + CALLS / 2) / CALLS);
  print_number ("bytes", sent);
  print_number ("ram-recorder", sizeof recorder);
  print_number ("ram-context", sizeof (AscRecorderContext));
  print_number ("ram-slot", sizeof (AscRecorderSlot));
  print_number ("ram-name", sizeof (AscName));
}

static void
start (void)
{
  static const AscRecorderConfig config = { .ring = ring,
                                            .ring_words = sizeof ring / sizeof *ring,
                                            .slots = slots,
                                            .n_slots = 16,
                                            .names = names,
                                            .n_names = 8,
                                            .n_contexts = 2,
                                            .contexts = { 0, ASC_CONTEXT (1, 0, 0) },
                                            .tick_hz = 1000000,
                                            .board = "mps2-an385" };
  unsigned name;
  if (asc_recorder_init (&recorder, &config) != 0)
    print ("init failed\n");
  asc_recorder_start (&recorder, 1);
  name = asc_recorder_define (&recorder, ASC_NAME_TASK, "sensor", "poll");
  for (unsigned i = 0; i < 8; i++)
    asc_recorder_task_start (&recorder, 0, name, ASC_RECORDER_NO_SLOT);
}

void
reset (void)
{
  uint32_t *from = &data_load;
  for (uint32_t *to = &data_start; to < &data_end; to++)
    *to = *from++;
  for (uint32_t *to = &bss_start; to < &bss_end; to++)
    *to = 0;
  UART_DIVIDER = 16;
  UART_CONTROL = 1;
  TIMER_RELOAD = 0xFFFFFFFF;
  TIMER_VALUE = 0xFFFFFFFF;
  TIMER_CONTROL = 1;
  start ();
  measure ();
  quit ();
  for (;;)
    ;
}

/* What would be an exception ends the run: the figures are then missing. */
static void
fault (void)
{
  print ("fault\n");
  quit ();
}

__attribute__ ((section (".vectors"), used)) static const struct
{
  const void *stack;
  void (*handlers[3]) (void);
} vectors = { &stack_top, { reset, fault, fault } };
