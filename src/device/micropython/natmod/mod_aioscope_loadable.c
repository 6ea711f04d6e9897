#include "mod_aioscope.h"

#include <string.h>

#include "py/bc.h"
#include "py/objfun.h"

/* What a file _aioscope.mpy asks the firmware for when it runs, and what a C library
 * would give. */

AscMpyBorrowed asc_mpy_borrowed;

void *
memcpy (void *restrict to, const void *restrict from, size_t n)
{
  return mp_fun_table.memmove_ (to, from, n);
}

void *
memmove (void *to, const void *from, size_t n)
{
  return mp_fun_table.memmove_ (to, from, n);
}

void *
memset (void *to, int value, size_t n)
{
  return mp_fun_table.memset_ (to, value, n);
}

int
memcmp (const void *a, const void *b, size_t n)
{
  const uint8_t *p = a;
  const uint8_t *q = b;
  for (; n > 0; n--, p++, q++)
    if (*p != *q)
      return *p < *q ? -1 : 1;
  return 0;
}

static mp_obj_t
import (qstr name)
{
  return mp_import_name (name, mp_const_none, MP_OBJ_NEW_SMALL_INT (0));
}

/* A clock of the module time: the C function itself, since it is asked in each hook. */
static mp_obj_t (*clock_function (mp_obj_t time, qstr name)) (void)
{
  mp_obj_t clock = mp_load_attr (time, name);
  if (!mp_obj_is_type (clock, &mp_type_fun_builtin_0))
    mp_raise_TypeError (MP_ERROR_TEXT ("the clock of module time is not C code"));
  return ((const mp_obj_fun_builtin_fixed_t *)MP_OBJ_TO_PTR (clock))->fun._0;
}

/* _thread.get_ident, where there are threads; it must not need the heap. */
static mp_obj_t (*thread_function (void)) (void)
{
  mp_obj_t (*found) (void) = NULL;
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      mp_obj_t ident = mp_load_attr (import (MP_QSTR__thread), MP_QSTR_get_ident);
      nlr_pop ();
      if (mp_obj_is_type (ident, &mp_type_fun_builtin_0))
        found = ((const mp_obj_fun_builtin_fixed_t *)MP_OBJ_TO_PTR (ident))->fun._0;
    }
  return found && mp_obj_is_small_int (found ()) ? found : NULL;
}

void
asc_mpy_borrow (void)
{
  AscMpyBorrowed *b = &asc_mpy_borrowed;
  mp_obj_t time = import (MP_QSTR_time);
  b->ticks_us = clock_function (time, MP_QSTR_ticks_us);
  b->ticks_ms = clock_function (time, MP_QSTR_ticks_ms);
  b->ident = thread_function ();
  b->sleep_ms = mp_load_attr (time, MP_QSTR_sleep_ms);
  b->stop_iteration = MP_OBJ_TO_PTR (mp_load_global (MP_QSTR_StopIteration));
  b->generator_exit = MP_OBJ_TO_PTR (mp_load_global (MP_QSTR_GeneratorExit));
  b->memory_error = MP_OBJ_TO_PTR (mp_load_global (MP_QSTR_MemoryError));
  mp_obj_t platform = mp_load_attr (import (MP_QSTR_sys), MP_QSTR_platform);
  size_t n;
  const char *text = mp_obj_str_get_data (platform, &n);
  b->linux_files = n == 5 && memcmp (text, "linux", n) == 0;
  b->raised = MP_OBJ_NULL;
}

void
asc_mpy_raise_later (void)
{
  mp_obj_t raised = asc_mpy_borrowed.raised;
  if (raised == MP_OBJ_NULL)
    return;
  asc_mpy_borrowed.raised = MP_OBJ_NULL;
  nlr_raise (raised);
}

/* Numbers of the prelude: seven bits a byte, the high ones first. */
static mp_uint_t
read_number (const byte **ip)
{
  mp_uint_t value = 0;
  byte z;
  do
    {
      z = *(*ip)++;
      value = value << 7 | (z & 0x7Fu);
    }
  while (z & 0x80u);
  return value;
}

const byte *
asc_mpy_skip_number (const byte *ip)
{
  read_number (&ip);
  return ip;
}

qstr
asc_mpy_function_name (const mp_obj_fun_bc_t *fun)
{
  const byte *ip = fun->bytecode;
  MP_BC_PRELUDE_SIG_DECODE (ip);
  MP_BC_PRELUDE_SIZE_DECODE (ip);
  (void)n_state;
  (void)n_exc_stack;
  (void)scope_flags;
  (void)n_pos_args;
  (void)n_kwonly_args;
  (void)n_def_pos_args;
  (void)n_info;
  (void)n_cell;
  return fun->context->constants.qstr_table[read_number (&ip)];
}

/* How a generator object begins; see mod_aioscope_names.c. */
typedef struct
{
  mp_obj_base_t base;
  mp_obj_t pend_exc;
  mp_code_state_t code_state;
} Generator;

/* For tests: as in a firmware whose objects are others. */
#ifdef AIOSCOPE_KNOW_NOTHING
#define KNOW_NOTHING true
#else
#define KNOW_NOTHING false
#endif

/* More than a small function has. */
#define STATE_MOST 16u

static bool
knows_frames (const Generator *gen, const mp_obj_fun_bc_t *fun, mp_obj_t argument)
{
  const mp_code_state_t *state = &gen->code_state;
  return gen->pend_exc == mp_const_none && state->fun_bc == fun && state->n_state > 0
         && state->n_state <= STATE_MOST && state->state[state->n_state - 1] == argument;
}

static bool
knows_functions (const mp_obj_fun_bc_t *fun, mp_obj_t globals)
{
  size_t n;
  if (fun->context->module.globals != (mp_obj_dict_t *)MP_OBJ_TO_PTR (globals))
    return false;
  const char *name
      = mp_obj_str_get_data (MP_OBJ_NEW_QSTR (asc_mpy_function_name (fun)), &n);
  return n == 10 && memcmp (name, "_generator", n) == 0;
}

static mp_obj_t
learn (size_t n_args, const mp_obj_t *args)
{
  (void)n_args;
  AscMpyBorrowed *b = &asc_mpy_borrowed;
  const mp_obj_fun_bc_t *fun = MP_OBJ_TO_PTR (args[0]);
  mp_obj_t send[2];
  b->gen_wrap = mp_obj_get_type (args[0]);
  b->gen_instance = mp_obj_get_type (args[1]);
  mp_load_method (args[1], MP_QSTR_send, send);
  if (!mp_obj_is_type (send[0], &mp_type_fun_builtin_2))
    mp_raise_TypeError (MP_ERROR_TEXT ("generators have a send that is not C code"));
  b->send = ((const mp_obj_fun_builtin_fixed_t *)MP_OBJ_TO_PTR (send[0]))->fun._2;
  b->known_frames = !KNOW_NOTHING && knows_frames (MP_OBJ_TO_PTR (args[1]), fun, args[2]);
  b->known_functions = b->known_frames && knows_functions (fun, args[3]);
  return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (asc_mpy_learn_obj, 4, 4, learn);

mp_obj_t
asc_mpy_unsigned (uint64_t value)
{
  if (value <= (mp_uint_t)-1)
    return mp_obj_new_int_from_uint ((mp_uint_t)value);
  mp_obj_t high = mp_obj_new_int_from_uint ((mp_uint_t)(value >> 32));
  mp_obj_t low = mp_obj_new_int_from_uint ((mp_uint_t)(value & 0xFFFFFFFFu));
  high = mp_binary_op (MP_BINARY_OP_LSHIFT, high, MP_OBJ_NEW_SMALL_INT (32));
  return mp_binary_op (MP_BINARY_OP_OR, high, low);
}

/* Not a small integer: one of up to 64 bits; raises what is none. */
int64_t
asc_mpy_large_int (mp_obj_t value)
{
  int64_t number = 0;
  mp_obj_t back;
  if (mp_obj_get_type (value) != MP_OBJ_TO_PTR (mp_load_global (MP_QSTR_int)))
    return mp_obj_get_int (value);
  mp_binary_set_val_array ('q', &number, 0, value);
  back = mp_binary_get_val_array ('q', &number, 0);
  if (mp_binary_op (MP_BINARY_OP_EQUAL, back, value) != mp_const_true)
    mp_raise_msg (MP_OBJ_TO_PTR (mp_load_global (MP_QSTR_OverflowError)),
                  MP_ERROR_TEXT ("more than 64 bits"));
  return number;
}

mp_obj_t
asc_mpy_share (uint32_t busy, uint32_t window)
{
  mp_obj_t a = mp_obj_new_int_from_uint (busy), b = mp_obj_new_int_from_uint (window);
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      mp_obj_t share = mp_binary_op (MP_BINARY_OP_TRUE_DIVIDE, a, b);
      nlr_pop ();
      return share;
    }
  return MP_OBJ_NEW_SMALL_INT ((mp_int_t)((uint64_t)busy * 100 / window));
}

mp_obj_t
asc_mpy_standard_output (void)
{
  mp_obj_t stdout_stream = mp_load_attr (import (MP_QSTR_sys), MP_QSTR_stdout);
  mp_obj_t method[2];
  mp_load_method_maybe (stdout_stream, MP_QSTR_buffer, method);
  return method[0];
}

/* "MicroPython v1.25.0" of what sys.version says: "3.4.0; MicroPython v1.25.0 on ...". */
static const char *
firmware_name (mp_obj_t sys)
{
  size_t n, from = 0, to;
  const char *text = mp_obj_str_get_data (mp_load_attr (sys, MP_QSTR_version), &n);
  while (from + 2 < n && text[from] != ';')
    from++;
  from += from + 2 < n ? 2 : 0;
  for (to = from; to + 3 < n && memcmp (text + to, " on ", 4) != 0;)
    to++;
  char *name = m_new (char, to - from + 1);
  memcpy (name, text + from, to - from);
  name[to - from] = '\0';
  return name;
}

void
asc_mpy_describe_board (AscRecorderConfig *config)
{
  mp_obj_t sys = import (MP_QSTR_sys);
  mp_obj_t machine[2];
  mp_load_method_maybe (mp_load_attr (sys, MP_QSTR_implementation), MP_QSTR__machine,
                        machine);
  if (machine[0] == MP_OBJ_NULL)
    machine[0] = mp_load_attr (sys, MP_QSTR_platform);
  config->board = mp_obj_str_get_str (machine[0]);
  config->firmware = firmware_name (sys);
}
