/* The MicroPython module _aioscope, between its files.
 *
 * Hooks (a coroutine is resumed, the loop waits, memory is collected) allocate nothing,
 * raise nothing and never wait. All memory comes from MicroPython's heap in start (). */
#ifndef MOD_AIOSCOPE_H
#define MOD_AIOSCOPE_H

#include "mod_aioscope_port.h"

#include "asc-recorder.h"
#include "py/obj.h"
#include "py/runtime.h"
#include "py/stream.h"

/* In a file that is loaded all of it lies in fixed variables, else in the heap's roots.
 */
#if ASC_MPY_LOADABLE
#define ASC_MPY_STATE asc_mpy_fixed.state
#define ASC_MPY_CORE asc_mpy_fixed.core
#else
#define ASC_MPY_STATE MP_STATE_VM (aioscope_state)
#define ASC_MPY_CORE MP_STATE_VM (aioscope_core)
#endif

/* Names that MicroPython gave these later or earlier. */
#ifndef MICROPY_PY_TIME_TICKS_PERIOD
#define MICROPY_PY_TIME_TICKS_PERIOD MICROPY_PY_UTIME_TICKS_PERIOD
#endif
#if !defined(MICROPY_PY_ASYNCIO) && defined(MICROPY_PY_UASYNCIO)
#define MICROPY_PY_ASYNCIO MICROPY_PY_UASYNCIO
#endif
#if ASC_MPY_LOADABLE
/* A function: mod_aioscope_loadable.h. */
#elif MICROPY_VERSION_MAJOR > 1 || MICROPY_VERSION_MINOR >= 28
#define asc_mpy_function_name(fun) mp_obj_fun_bc_get_name (fun)
#else
#define asc_mpy_function_name(fun) mp_obj_fun_get_name (MP_OBJ_FROM_PTR (fun))
#endif
/* Before 1.23. */
#ifndef mp_obj_malloc_with_finaliser
static inline void *
asc_mpy_typed (void *object, const mp_obj_type_t *type)
{
  ((mp_obj_base_t *)object)->type = type;
  return object;
}
#define mp_obj_malloc_with_finaliser(struct_type, obj_type)                              \
  ((struct_type *)asc_mpy_typed (m_new_obj_with_finaliser (struct_type), obj_type))
#endif

#define ASC_MPY_LOOP 0u
#define ASC_MPY_INTERRUPT 1u
#define ASC_MPY_THREAD 2u

/* One recording, from start () on; on the heap, so what it points to is kept. */
typedef struct _AscMpy
{
  AscRecorder rec;
  AscRecorderConfig config;
  char *pool; /* of names that are not interned */
  uint16_t pool_size, pool_used;
  uint16_t peak;     /* words of the ring in use */
  uint16_t failures; /* streams that were given up */
  uint16_t epoch;    /* told apart from recordings before, for what tasks keep of them */
  int16_t error;     /* errno of the last */
  int16_t fd;        /* -1: the stream is written by its protocol */
  uint16_t press_slots; /* from this one on slots are short */
  uint32_t press_words; /* less of the ring is free: it must be sent soon */
  unsigned more;        /* the name of tasks that share a slot; 0: none had to */
  bool gc;
  bool draining;
  mp_obj_t stream; /* MP_OBJ_NULL: detached; None: the REPL */
  size_t budget;   /* bytes that this drain may still write */
  uint64_t bytes;
  void *thread; /* of the loop */
} AscMpy;

/* What the hooks need of asyncio.core, from install () on; on the heap. */
typedef struct _AscMpyCore
{
  mp_obj_t task_type;
  mp_obj_t cancelled; /* CancelledError */
  mp_obj_t run_until_complete;
  mp_obj_t decorate; /* of aioscope.py */
  bool plain_tasks;  /* Task has the layout that is known here */
} AscMpyCore;

/* A coroutine that asyncio runs; 16 bytes where pointers have 4. */
typedef struct
{
  mp_obj_base_t base;
  mp_obj_t coro;
  mp_obj_t task;  /* the Task; MP_OBJ_NULL at first */
  uint16_t slot;  /* and the bits below */
  uint16_t epoch; /* of the recording that the slot belongs to */
} AscMpyCoro;
#define ASC_MPY_SLOT 0x0FFFu
#define ASC_MPY_RAN 0x1000u
#define ASC_MPY_ENDED 0x2000u
#define ASC_MPY_PLAIN 0x4000u /* a generator in a Task of known layout */

/* A run that is on the C stack. */
typedef struct _AscMpyRun
{
  struct _AscMpyRun *outer;
  AscMpyCoro *coro;
} AscMpyRun;

/* Survives a soft reset, which the heap does not: import clears it. */
typedef struct
{
  AscMpyRun *run; /* innermost */
  mp_uint_t ms;   /* what ticks () said last: just before the loop takes a task */
  uint16_t epoch; /* of the newest recording; 0: nothing was ever recorded */
#if ASC_MPY_LOADABLE
  AscMpy *state;
  AscMpyCore *core;
#endif
} AscMpyFixed;
extern AscMpyFixed asc_mpy_fixed;
#define ASC_MPY_NOT_ASKED ((mp_uint_t)-1) /* ms, while the loop does not use ticks () */

#if ASC_MPY_LOADABLE
extern mp_obj_full_type_t asc_mpy_coro, asc_mpy_poller, asc_mpy_span;
#define asc_mpy_coro_type (*(const mp_obj_type_t *)&asc_mpy_coro)
#define asc_mpy_poller_type (*(const mp_obj_type_t *)&asc_mpy_poller)
#define asc_mpy_span_type (*(const mp_obj_type_t *)&asc_mpy_span)
/* Board and firmware. */
void asc_mpy_describe_board (AscRecorderConfig *config);
/* Fill the types. */
void asc_mpy_init_coro (void);
void asc_mpy_init_poller (void);
void asc_mpy_init_span (void);
#else
extern const mp_obj_type_t asc_mpy_coro_type;
extern const mp_obj_type_t asc_mpy_poller_type;
extern const mp_obj_type_t asc_mpy_span_type;
#endif

#if ASC_MPY_LOADABLE
#define ASC_MPY_KNOWN_FRAMES asc_mpy_borrowed.known_frames
#define ASC_MPY_RAISE_LATER() asc_mpy_raise_later ()
#else
#define ASC_MPY_KNOWN_FRAMES true
#define ASC_MPY_RAISE_LATER() (void)0
#endif

static inline AscMpy *
asc_mpy (void)
{
  return ASC_MPY_STATE;
}

static inline AscMpyCore *
asc_mpy_core (void)
{
  return ASC_MPY_CORE;
}

#ifndef AIOSCOPE_IN_INTERRUPT
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
static inline bool
asc_mpy_in_interrupt (void)
{
  uint32_t ipsr;
  __asm__ volatile("mrs %0, ipsr" : "=r"(ipsr));
  return ipsr != 0;
}
#define AIOSCOPE_IN_INTERRUPT() asc_mpy_in_interrupt ()
#else
#define AIOSCOPE_IN_INTERRUPT() false
#endif
#endif

#if ASC_MPY_LOADABLE
#define ASC_MPY_THREADS 1
#define ASC_MPY_THIS_THREAD()                                                            \
  (asc_mpy_borrowed.ident ? (void *)asc_mpy_borrowed.ident () : NULL)
#elif MICROPY_PY_THREAD
#define ASC_MPY_THREADS 1
#define ASC_MPY_THIS_THREAD() ((void *)mp_thread_get_state ())
#endif

/* Who calls. */
static inline unsigned
asc_mpy_context (const AscMpy *m)
{
  if (AIOSCOPE_IN_INTERRUPT ())
    return ASC_MPY_INTERRUPT;
#if ASC_MPY_THREADS
  if (ASC_MPY_THIS_THREAD () != m->thread)
    return ASC_MPY_THREAD;
#else
  (void)m;
#endif
  return ASC_MPY_LOOP;
}

/* Names: ids, or 0 when the table or its pool is full. */
unsigned asc_mpy_name (AscMpy *m, AscNameKind kind, mp_obj_t text);
unsigned asc_mpy_name_coro (AscMpy *m, mp_obj_t coro);

/* Tasks. */
mp_obj_t asc_mpy_make_task (size_t n_args, const mp_obj_t *args);
void asc_mpy_adopt_running (AscMpy *m);
/* Whether Task is C code of the layout that lateness is read from. */
bool asc_mpy_plain_tasks (mp_obj_t task_type);

/* Streams. attach () raises what is no stream; NULL detaches. */
void asc_mpy_attach (AscMpy *m, mp_obj_t stream);
size_t asc_mpy_room (void *user);
/* Sends at most cap bytes, sealed frames or all; true when nothing is left. */
bool asc_mpy_drain (AscMpy *m, size_t cap, bool all);
/* Tries for so long to send everything; false if something is left. */
bool asc_mpy_flush (AscMpy *m, mp_uint_t ms, bool stop);

MP_DECLARE_CONST_FUN_OBJ_0 (asc_mpy_ticks_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN (asc_mpy_mark_obj);
MP_DECLARE_CONST_FUN_OBJ_2 (asc_mpy_level_obj);
MP_DECLARE_CONST_FUN_OBJ_2 (asc_mpy_counter_obj);
MP_DECLARE_CONST_FUN_OBJ_1 (asc_mpy_set_name_obj);
MP_DECLARE_CONST_FUN_OBJ_0 (asc_mpy_load_obj);
MP_DECLARE_CONST_FUN_OBJ_0 (asc_mpy_stats_obj);
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN (asc_mpy_task_obj);
MP_DECLARE_CONST_FUN_OBJ_KW (asc_mpy_runner_obj);

#endif
