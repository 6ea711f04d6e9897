/* The simulated board's parts: program (asc-demo-program.c), board with clock and port
 * (asc-demo.c). Private to the demo. Board times are ticks of 1 us since power-on. */
#ifndef ASC_DEMO_PRIVATE_H
#define ASC_DEMO_PRIVATE_H

#include <stdio.h>

#include "asc-demo.h"
#include "asc-recorder.h"

#define DEMO_TICK_HZ 1000000
#define DEMO_NS_PER_TICK 1000
#define DEMO_POWER_ON 250000 /* ticks when the program starts */
#define DEMO_NEVER INT64_MAX
#define DEMO_LOOP 0 /* the recorder's contexts */
#define DEMO_INTERRUPT 1

typedef struct DemoTask DemoTask;

/* What a task does in one run; draws on the time by demo_spend (). Sets task->due for the
 * next and returns how the run ends. */
typedef AscExit (*DemoRun) (AscDemo *demo, DemoTask *task);

typedef struct
{
  const char *module;
  const char *function;
  uint32_t line;
  int32_t period; /* ticks; 0 = woken by input/output */
  int32_t mean;   /* ticks of one run */
  DemoRun run;
} DemoKind;

struct DemoTask
{
  const DemoKind *kind;
  char label[48]; /* as in the truth, module.function */
  int64_t due;    /* DEMO_NEVER: not waiting */
  uint64_t order; /* ties of due: first come, first served */
  int32_t period, mean;
  unsigned name; /* id */
  unsigned slot;
  uint32_t instance;
  int rest; /* runs that a client still has to do */
  bool alive;
  bool timed; /* lateness is known */
};

/* What stands between the recorder and the reader: the board's transmit buffer. */
typedef struct
{
  uint8_t *bytes;
  size_t size, start, n;
  int64_t since;  /* ticks up to which sending is accounted */
  int64_t credit; /* bits * DEMO_TICK_HZ */
  bool stalled;
  bool refused; /* the reader did not take it all */
  int64_t next_stall;
  int64_t resume;     /* DEMO_NEVER until something was lost */
  AscDemoWrite write; /* during asc_demo_run () */
  void *user;
} DemoPort;

typedef struct
{
  unsigned heap, valve, gpio, format, sd_write;
} DemoNames;

struct AscDemo
{
  AscDemoConfig config;
  FILE *truth;
  int truth_error; /* errno of its first write that failed */
  int64_t now;
  int64_t end; /* DEMO_NEVER: endless */
  uint64_t random, pin_random, port_random;
  uint64_t order;
  /* The program. */
  DemoTask *tasks; /* the table; clients come and go in its last part */
  unsigned n_tasks, n_fixed;
  DemoNames names;
  int64_t next_pin;
  bool pin;
  bool valve_open;
  int64_t next_hog, next_valve, next_ntp;
  int32_t heap_free;
  int32_t temperature; /* tenths of a degree */
  unsigned hog_count;
  unsigned spinner;       /* which of the short tasks is next */
  unsigned first_spinner; /* index in tasks; 0 = none */
  int64_t spin_cycle;     /* ticks << 8 from one short run to the next; 0 = none */
  int64_t next_spin;      /* ticks << 8 */
  uint32_t instances;
  /* The board. */
  DemoPort port;
  int64_t last_drain;
  bool stopping, finished;
  AscRecorder recorder;
  AscRecorderConfig recorder_config;
  uint32_t *ring;
  AscRecorderSlot *slots;
  AscName *name_table;
};

/* Board (asc-demo.c). */

/* Lets ticks pass; interrupts come when they come. */
void demo_spend (AscDemo *demo, int64_t ticks);
/* Prints on the board's port, whole or not at all. */
void demo_print (AscDemo *demo, const char *text);
void demo_drain (AscDemo *demo, size_t max_bytes);
uint64_t demo_random (uint64_t *state);
/* from to to - 1 */
int64_t demo_between (uint64_t *state, int64_t from, int64_t to);
/* Port (asc-demo-port.c). */
bool demo_port_init (DemoPort *port, const AscDemoConfig *config);
size_t demo_port_room (void *demo);
size_t demo_port_write (void *demo, const uint8_t *bytes, size_t n);
bool demo_port_put (AscDemo *demo, const void *bytes, size_t n);
/* Hands on to the reader what the line has had time for. */
void demo_port_push (AscDemo *demo);
void demo_port_script (AscDemo *demo);

/* Program (asc-demo-program.c). */

/* Makes the tasks; false: no memory. */
bool demo_program_new (AscDemo *demo);
/* Begins the recorder's tasks. */
void demo_program_start (AscDemo *demo);
/* One pass of the loop: a run, or an idle stretch. */
void demo_program_step (AscDemo *demo);
void demo_program_interrupt (AscDemo *demo);

#endif
