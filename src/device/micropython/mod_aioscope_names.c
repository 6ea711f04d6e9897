#include "mod_aioscope.h"

#include <string.h>

#include "asc-record.h"

#include "py/bc.h"
#include "py/objfun.h"
#include "py/objstr.h"
#if !ASC_MPY_LOADABLE
#include "py/objgenerator.h"
#endif

/* Names of tasks, marks and so on: found again without the heap, since code that holds it
 * locked may come here. Texts that MicroPython has interned stay where they are until the
 * next reset; others are copied into a pool. */

#if ASC_MPY_LOADABLE
#define mp_decode_uint_skip asc_mpy_skip_number
#endif

/* How a generator object begins; its own declaration is private to the VM, which has kept
 * it for years. */
typedef struct
{
  mp_obj_base_t base;
  mp_obj_t pend_exc;
  mp_code_state_t code_state;
} Generator;

static AscString
interned (qstr q)
{
  size_t n;
  const char *bytes = (const char *)qstr_data (q, &n);
  /* The encoder cuts at 80 bytes, at a character's border. */
  AscString string = { bytes, (uint8_t)(n > ASC_NAME_MAX ? ASC_NAME_MAX + 1 : n) };
  return string;
}

static bool
same (AscString a, const char *bytes, size_t n)
{
  return a.length == n && (a.bytes == bytes || memcmp (a.bytes, bytes, n) == 0);
}

/* stays: the bytes do. */
static unsigned
name_text (AscMpy *m, AscNameKind kind, const char *bytes, size_t n, bool stays)
{
  if (n > ASC_NAME_MAX)
    n = ASC_NAME_MAX + 1;
  const AscName *names = m->config.names;
  for (unsigned i = 0; i < m->rec.n_names; i++)
    if (names[i].kind == kind && names[i].code == 0 && same (names[i].function, bytes, n))
      return names[i].id;

  AscName name = { .kind = (uint8_t)kind };
  name.function.length = (uint8_t)n;
  name.module.bytes = name.file.bytes = "";
  name.function.bytes = bytes;
  uint32_t state = ASC_PORT_ENTER_CRITICAL (&m->rec);
  bool fits = stays || m->pool_size - m->pool_used >= (int)n;
  if (!stays && fits && m->rec.n_names < m->config.n_names)
    {
      name.function.bytes = memcpy (m->pool + m->pool_used, bytes, n);
      m->pool_used = (uint16_t)(m->pool_used + n);
    }
  ASC_PORT_EXIT_CRITICAL (&m->rec, state);
  return fits ? asc_recorder_name (&m->rec, &name) : 0;
}

unsigned
asc_mpy_name (AscMpy *m, AscNameKind kind, mp_obj_t text)
{
  size_t n;
  const char *bytes = mp_obj_str_get_data (text, &n);
  return name_text (m, kind, bytes, n, mp_obj_is_qstr (text));
}

/* The qstr that a module's globals have as __name__, or 0. */
static qstr
module_name (const mp_obj_fun_bc_t *fun)
{
  mp_map_t *map = &fun->context->module.globals->map;
  mp_map_elem_t *elem
      = mp_map_lookup (map, MP_OBJ_NEW_QSTR (MP_QSTR___name__), MP_MAP_LOOKUP);
  return elem && mp_obj_is_qstr (elem->value) ? MP_OBJ_QSTR_VALUE (elem->value) : 0;
}

/* File and first line, of bytecode only. */
static void
locate (AscName *name, const mp_obj_fun_bc_t *fun)
{
  if (fun->base.type != &mp_type_gen_wrap)
    return;
  const byte *ip = fun->bytecode;
  MP_BC_PRELUDE_SIG_DECODE (ip);
  MP_BC_PRELUDE_SIZE_DECODE (ip);
  const byte *top = ip + n_info;
  for (size_t i = 0; i < 1 + n_pos_args + n_kwonly_args; i++)
    ip = mp_decode_uint_skip (ip);
  (void)n_state;
  (void)n_exc_stack;
  (void)scope_flags;
  (void)n_def_pos_args;
#if MICROPY_EMIT_BYTECODE_USES_QSTR_TABLE
  name->file = interned (fun->context->constants.qstr_table[0]);
#else
  name->file = interned (fun->context->constants.source_file);
#endif
#if MICROPY_ENABLE_SOURCE_LINE
  name->line = (uint32_t)mp_bytecode_get_source_line (ip, top, 0);
#else
  (void)top;
#endif
}

static bool
of_asyncio (AscString module)
{
  const char *text = module.bytes;
  size_t n = module.length;
  if (n > 0 && text[0] == 'u')
    {
      text++;
      n--;
    }
  return n >= 7 && memcmp (text, "asyncio", 7) == 0 && (n == 7 || text[7] == '.');
}

/* What wait_for's own task, a generator _run (waiter, aw), waits for: the coroutine of
 * the task aw; or MP_OBJ_NULL. */
static mp_obj_t
awaited (const Generator *gen)
{
  const mp_code_state_t *state = &gen->code_state;
  if (state->fun_bc->base.type != &mp_type_gen_wrap || state->n_state < 2)
    return MP_OBJ_NULL;
  mp_obj_t aw = state->state[state->n_state - 2];
  if (aw == MP_OBJ_NULL || !mp_obj_is_obj (aw)
      || mp_obj_get_type (aw) != MP_OBJ_TO_PTR (asc_mpy_core ()->task_type))
    return MP_OBJ_NULL;
  mp_obj_t coro = mp_load_attr (aw, MP_QSTR_coro);
  if (mp_obj_is_type (coro, &asc_mpy_coro_type))
    coro = ((AscMpyCoro *)MP_OBJ_TO_PTR (coro))->coro;
  return coro;
}

static uint32_t
identity (const void *pointer)
{
  uintptr_t value = (uintptr_t)pointer;
#if UINTPTR_MAX > 0xFFFFFFFFu
  value ^= value >> 32;
#endif
  return (uint32_t)value | 1u;
}

static unsigned
find_or_add (AscMpy *m, AscName *name, const mp_obj_fun_bc_t *fun)
{
  const AscName *names = m->config.names;
  for (unsigned i = 0; i < m->rec.n_names; i++)
    if (names[i].code == name->code && names[i].function.bytes == name->function.bytes
        && names[i].flags == name->flags && names[i].module.bytes == name->module.bytes)
      return names[i].id;
  if (fun)
    locate (name, fun);
  return asc_recorder_name (&m->rec, name);
}

static void
describe (AscName *name, const mp_obj_fun_bc_t *fun)
{
  qstr module = module_name (fun);
  name->function = interned (asc_mpy_function_name (fun));
  if (module)
    name->module = interned (module);
  name->code = identity (fun->bytecode);
}

#if ASC_MPY_LOADABLE
/* Whether what is wanted of it is where it is looked for. */
static bool
is_legible (const Generator *gen)
{
  return asc_mpy_borrowed.known_frames && asc_mpy_borrowed.known_functions
         && gen->code_state.fun_bc->base.type == &mp_type_gen_wrap;
}

typedef struct
{
  char bytes[64];
  size_t n;
} Printed;

static void
print_into (void *user, const char *bytes, size_t n)
{
  Printed *printed = user;
  for (size_t i = 0; i < n && printed->n < sizeof printed->bytes; i++)
    printed->bytes[printed->n++] = bytes[i];
}

/* <generator object 'name' at 0x...>: what stands between the quotes. */
static unsigned
name_by_print (AscMpy *m, mp_obj_t coro)
{
  Printed printed = { .n = 0 };
  const mp_print_t print = { &printed, print_into };
  size_t from = 0, to;
  MP_OBJ_TYPE_GET_SLOT (&mp_type_gen_instance, print) (&print, coro, PRINT_REPR);
  while (from < printed.n && printed.bytes[from] != '\'')
    from++;
  for (to = ++from; to < printed.n && printed.bytes[to] != '\'';)
    to++;
  if (from >= printed.n)
    return name_text (m, ASC_NAME_TASK, "generator", 9, true);
  return name_text (m, ASC_NAME_TASK, printed.bytes + from, to - from, false);
}
#else
static bool
is_legible (const Generator *gen)
{
  (void)gen;
  return true;
}
#endif

unsigned
asc_mpy_name_coro (AscMpy *m, mp_obj_t coro)
{
  AscName name = { .kind = ASC_NAME_TASK };
  name.module.bytes = name.function.bytes = name.file.bytes = "";
  if (!mp_obj_is_type (coro, &mp_type_gen_instance))
    {
      const mp_obj_type_t *type = mp_obj_get_type (coro);
      name.function = interned ((qstr)type->name);
      name.code = identity (type);
      return find_or_add (m, &name, NULL);
    }
  const Generator *gen = MP_OBJ_TO_PTR (coro);
  const mp_obj_fun_bc_t *fun = gen->code_state.fun_bc;
#if ASC_MPY_LOADABLE
  if (!is_legible (gen))
    return name_by_print (m, coro);
#endif
  describe (&name, fun);
  if (of_asyncio (name.module))
    {
      name.flags = ASC_NAME_INTERNAL;
      if (same (name.function, "_run", 4))
        {
          mp_obj_t inner = awaited (gen);
          if (inner != MP_OBJ_NULL && mp_obj_is_type (inner, &mp_type_gen_instance)
              && is_legible (MP_OBJ_TO_PTR (inner)))
            {
              /* Not the same task as what it waits for: "wait_for.poll". */
              fun = ((const Generator *)MP_OBJ_TO_PTR (inner))->code_state.fun_bc;
              describe (&name, fun);
              name.module = asc_record_string ("wait_for");
            }
        }
    }
  return find_or_add (m, &name, fun);
}
