/* The module as a file _aioscope.mpy: what of MicroPython's functions its table for such
 * files lacks, by other means. Comes in place of the port's own headers. */
#ifndef MOD_AIOSCOPE_LOADABLE_H
#define MOD_AIOSCOPE_LOADABLE_H

/* So that the headers tell the structures of a firmware that loads such files. */
#define MICROPY_PERSISTENT_CODE_LOAD (1)

#include "py/dynruntime.h"

#include <stddef.h>

/* The clock: the functions behind time.ticks_us and time.ticks_ms, small integers. */
typedef struct
{
  mp_obj_t (*ticks_us) (void);
  mp_obj_t (*ticks_ms) (void);
  mp_obj_t sleep_ms;
  mp_obj_t (*ident) (void); /* of the thread, a small integer; NULL: there are none */
  /* Generators: their type, and what their method send does. */
  const mp_obj_type_t *gen_instance, *gen_wrap;
  mp_obj_t (*send) (mp_obj_t self, mp_obj_t value);
  const mp_obj_type_t *stop_iteration, *generator_exit, *memory_error;
  mp_obj_t raised; /* meant for the program; where it can be raised it is */
  int error;       /* of the last system call */
  bool linux_files;
  bool known_frames;    /* generators have the layout that is known here */
  bool known_functions; /* functions have */
} AscMpyBorrowed;
extern AscMpyBorrowed asc_mpy_borrowed;

/* What a file cannot take from the firmware when it is linked. */
void asc_mpy_borrow (void);
/* learn (function, generator, argument, globals), to be called by aioscope.py before
 * install (): a generator function of its own, called with that argument, by which the
 * layout of such objects is known or not. */
MP_DECLARE_CONST_FUN_OBJ_VAR_BETWEEN (asc_mpy_learn_obj);
/* Whether a generator's function is told by its bytecode; its name's qstr. */
qstr asc_mpy_function_name (const mp_obj_fun_bc_t *fun);
const byte *asc_mpy_skip_number (const byte *ip);
int64_t asc_mpy_large_int (mp_obj_t value);
/* What a stream in Python raised that is not its own, for asc_mpy_raise_later (). */
#define mp_sched_exception(exc) ((void)(asc_mpy_borrowed.raised = (exc)))
mp_obj_t asc_mpy_unsigned (uint64_t value);
#define mp_obj_new_int_from_ull(value) asc_mpy_unsigned (value)
/* A quotient; a percentage where there are no floats. */
mp_obj_t asc_mpy_share (uint32_t busy, uint32_t window);
/* The standard output's bytes as they are; MP_OBJ_NULL: it has none. */
mp_obj_t asc_mpy_standard_output (void);
/* Raises what a stream in Python raised that is not its own. */
void asc_mpy_raise_later (void);

#define mp_hal_ticks_us()                                                                \
  ((mp_uint_t)MP_OBJ_SMALL_INT_VALUE (asc_mpy_borrowed.ticks_us ()))
#define mp_hal_ticks_ms()                                                                \
  ((mp_uint_t)MP_OBJ_SMALL_INT_VALUE (asc_mpy_borrowed.ticks_ms ()))
static inline void
mp_hal_delay_ms (mp_uint_t ms)
{
  mp_obj_t arg = MP_OBJ_NEW_SMALL_INT (ms);
  mp_call_function_n_kw (asc_mpy_borrowed.sleep_ms, 1, 0, &arg);
}

#define mp_type_gen_instance (*asc_mpy_borrowed.gen_instance)
#define mp_type_gen_wrap (*asc_mpy_borrowed.gen_wrap)
#define mp_type_StopIteration (*asc_mpy_borrowed.stop_iteration)
#define mp_type_GeneratorExit (*asc_mpy_borrowed.generator_exit)
#define mp_type_MemoryError (*asc_mpy_borrowed.memory_error)

/* A port may keep more in it than this file was built for, or call setjmp. */
typedef struct
{
  nlr_buf_t buf;
  void *spare[16];
} AscMpyNlr;
#define nlr_buf_t AscMpyNlr
#define ret_val buf.ret_val
#define nlr_push(nlr) (mp_fun_table.nlr_push (&(nlr)->buf))
#define nlr_pop() (mp_fun_table.nlr_pop ())
#define nlr_jump(val) nlr_raise (MP_OBJ_FROM_PTR (val))

#define mp_call_function_1 asc_mpy_call_1
#define mp_call_function_2 asc_mpy_call_2
#define mp_iternext asc_mpy_next
#define mp_obj_is_subclass_fast asc_mpy_is_subclass
#define mp_map_lookup asc_mpy_lookup
#define mp_call_method_n_kw(n_args, n_kw, args)                                          \
  (mp_fun_table.call_method_n_kw ((n_args), (n_kw), (args)))
static inline mp_obj_t
asc_mpy_call_1 (mp_obj_t fun, mp_obj_t arg)
{
  return mp_call_function_n_kw (fun, 1, 0, &arg);
}
static inline mp_obj_t
asc_mpy_call_2 (mp_obj_t fun, mp_obj_t arg_1, mp_obj_t arg_2)
{
  mp_obj_t args[2] = { arg_1, arg_2 };
  return mp_call_function_n_kw (fun, 2, 0, args);
}
static inline mp_obj_t
asc_mpy_next (mp_obj_t iterator)
{
  mp_obj_iter_buf_t iter = { .base = { NULL }, .buf = { iterator } };
  return mp_fun_table.iternext (&iter);
}

/* A class and those that it is made of, as far as the first of each. */
static inline bool
asc_mpy_is_subclass (mp_const_obj_t type, mp_const_obj_t of)
{
  while (type != of)
    {
      const mp_obj_type_t *t = MP_OBJ_TO_PTR (type);
      const void *parent = MP_OBJ_TYPE_GET_SLOT_OR_NULL (t, parent);
      if (!parent)
        return false;
      type = MP_OBJ_FROM_PTR (parent);
      /* More than one: a tuple. */
      if (mp_obj_is_type (type, &mp_type_tuple))
        type = ((const mp_obj_tuple_t *)parent)->items[0];
    }
  return true;
}

static inline mp_map_elem_t *
asc_mpy_lookup (const mp_map_t *map, mp_obj_t key, mp_map_lookup_kind_t kind)
{
  (void)kind;
  for (size_t i = 0; i < map->alloc; i++)
    if (map->table[i].key == key)
      return &map->table[i];
  return NULL;
}

#define MP_OBJ_QSTR_VALUE(o) (((mp_uint_t)(o)) >> 3)
#define qstr_data(q, length)                                                             \
  ((const byte *)mp_obj_str_get_data (MP_OBJ_NEW_QSTR (q), length))
static inline void
asc_mpy_put (mp_map_elem_t *table, size_t i, qstr key, mp_obj_t value)
{
  table[i].key = MP_OBJ_NEW_QSTR (key);
  table[i].value = value;
}

static inline void *
asc_mpy_zeroed (size_t n)
{
  return mp_fun_table.memset_ (m_malloc (n), 0, n);
}
#undef m_new0
#define m_new0(type, n) ((type *)asc_mpy_zeroed (sizeof (type) * (n)))

/* The recorder. */
#if UINTPTR_MAX <= 0xFFFFFFFFu
#define ASC_MPY_COUNTER_BITS 30
#else
#define ASC_MPY_COUNTER_BITS 32
#endif
#define ASC_PORT_TICKS(rec) ((uint32_t)mp_hal_ticks_us ())
#define ASC_PORT_ENTER_CRITICAL(rec) asc_mpy_mask ()
#define ASC_PORT_EXIT_CRITICAL(rec, state) asc_mpy_unmask (state)

/* Interrupts are masked; programs in Python have one core, or a lock of MicroPython's. */
#if defined(__thumb__)
static inline uint32_t
asc_mpy_mask (void)
{
  uint32_t state;
  __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(state) : : "memory");
  return state;
}
static inline void
asc_mpy_unmask (uint32_t state)
{
  __asm__ volatile("msr primask, %0" : : "r"(state) : "memory");
}
#elif defined(__riscv)
static inline uint32_t
asc_mpy_mask (void)
{
  uint32_t state;
  __asm__ volatile(
      ".option push\n\t.option arch, +zicsr\n\tcsrrci %0, mstatus, 8\n\t.option pop"
      : "=r"(state)
      :
      : "memory");
  return state & 8u;
}
static inline void
asc_mpy_unmask (uint32_t state)
{
  __asm__ volatile(
      ".option push\n\t.option arch, +zicsr\n\tcsrs mstatus, %0\n\t.option pop"
      :
      : "r"(state)
      : "memory");
}
#elif defined(__x86_64__)
/* A program of Linux is not interrupted so. */
static inline uint32_t
asc_mpy_mask (void)
{
  return 0;
}
static inline void
asc_mpy_unmask (uint32_t state)
{
  (void)state;
}
#else
#error "how interrupts are masked on this processor is not known here"
#endif

#endif
