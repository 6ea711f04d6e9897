#include "mod_aioscope.h"

#include "asc-record.h"

#include "py/bc.h"
#include "py/objfun.h"
#if !ASC_MPY_LOADABLE
#include "py/objgenerator.h"
#endif
#include "py/pairheap.h"
#include "py/smallint.h"

/* The wrapper that asyncio gets in place of each task's coroutine. It prints as the
 * coroutine, and its frames are C, so that tracebacks and messages stay as they were. */

AscMpyFixed asc_mpy_fixed;

/* How a Task of the C module _asyncio looks; private there, and checked before use. */
typedef struct
{
  mp_pairheap_t pairheap;
  mp_obj_t coro;
  mp_obj_t data;
  mp_obj_t state;
  mp_obj_t ph_key;
} Task;

/* The beginning of a generator object; see mod_aioscope_names.c. */
typedef struct
{
  mp_obj_base_t base;
  mp_obj_t pend_exc;
  mp_code_state_t code_state;
} Generator;

/* Stack that a generator may need before it has checked the limit itself. */
#define STACK_MARGIN 512

bool
asc_mpy_plain_tasks (mp_obj_t task_type)
{
#if MICROPY_PY_ASYNCIO || ASC_MPY_LOADABLE
  if (!mp_obj_is_type (task_type, &mp_type_type))
    return false;
  const mp_obj_type_t *type = MP_OBJ_TO_PTR (task_type);
  if (type->flags & MP_TYPE_FLAG_INSTANCE_TYPE)
    return false;
  mp_obj_t probe = mp_call_function_1 (task_type, mp_const_true);
  const Task *task = MP_OBJ_TO_PTR (probe);
  return task->coro == mp_const_true && task->data == mp_load_attr (probe, MP_QSTR_data)
         && task->state == mp_load_attr (probe, MP_QSTR_state)
         && task->ph_key == MP_OBJ_NEW_SMALL_INT (0)
         && mp_load_attr (probe, MP_QSTR_ph_key) == task->ph_key;
#else
  (void)task_type;
  return false;
#endif
}

/* In place of core.ticks, which the loop asks right before it takes a task: so lateness
 * needs no look at a clock. */
static mp_obj_t
ticks (void)
{
  mp_uint_t ms = mp_hal_ticks_ms ();
  asc_mpy_fixed.ms = ms;
  return MP_OBJ_NEW_SMALL_INT (ms & (MICROPY_PY_TIME_TICKS_PERIOD - 1));
}
MP_DEFINE_CONST_FUN_OBJ_0 (asc_mpy_ticks_obj, ticks);

/* Milliseconds since the task was due, or since it was made ready; -1: not known. */
static int
lateness (const AscMpyCoro *self)
{
  if (self->task == MP_OBJ_NULL)
    return -1;
  mp_obj_t key;
  if (asc_mpy_core ()->plain_tasks)
    key = ((const Task *)MP_OBJ_TO_PTR (self->task))->ph_key;
  else
    key = mp_load_attr (self->task, MP_QSTR_ph_key);
  if (!mp_obj_is_small_int (key))
    return -1;
  mp_uint_t period = MICROPY_PY_TIME_TICKS_PERIOD;
  mp_uint_t late
      = (mp_hal_ticks_ms () - (mp_uint_t)MP_OBJ_SMALL_INT_VALUE (key)) & (period - 1);
  if (late >= period / 2)
    return 0;
  return late < 0x10000 ? (int)late : 0xFFFF;
}

/* The slot of what runs in the context, as a parent. */
static unsigned
running_slot (const AscMpy *m, unsigned context)
{
  const AscRecorderContext *c = &m->rec.contexts[context];
  if (c->depth == 0 || c->depth > ASC_STACK_MAX)
    return ASC_RECORDER_NO_SLOT;
  return c->stack[c->depth - 1];
}

static void
adopt (AscMpy *m, AscMpyCoro *self, unsigned context)
{
  unsigned name = asc_mpy_name_coro (m, self->coro);
  unsigned slot
      = asc_recorder_task_start (&m->rec, context, name, running_slot (m, context));
  /* The last one is shared by all that find no other. */
  if (slot + 1u == m->config.n_slots)
    {
      if (m->more == 0)
        m->more = asc_recorder_define (&m->rec, ASC_NAME_TASK, NULL, "(more tasks)");
      if (m->config.slots[slot].name != m->more)
        asc_recorder_rename (&m->rec, context, slot, m->more);
    }
  self->slot = (uint16_t)((self->slot & ~ASC_MPY_SLOT) | slot);
  self->epoch = m->epoch;
}

/* What already runs when recording starts is entered now, outermost first. */
void
asc_mpy_adopt_running (AscMpy *m)
{
  AscMpyRun *runs[ASC_STACK_MAX];
  unsigned n = 0, skip = 0;
  for (AscMpyRun *run = asc_mpy_fixed.run; run; run = run->outer)
    n++;
  skip = n > ASC_STACK_MAX ? n - ASC_STACK_MAX : 0;
  n = 0;
  for (AscMpyRun *run = asc_mpy_fixed.run; run; run = run->outer)
    if (skip > 0)
      skip--;
    else
      runs[n++] = run;
  while (n > 0)
    {
      AscMpyCoro *coro = runs[--n]->coro;
      adopt (m, coro, ASC_MPY_LOOP);
      asc_recorder_enter (&m->rec, ASC_MPY_LOOP, coro->slot & ASC_MPY_SLOT);
    }
}

/* Whether the stack's limit is so far that a generator does not find itself at it. */
ASC_RECORD_HOT bool
stack_suffices (void)
{
#if MICROPY_STACK_CHECK && !ASC_MPY_LOADABLE
  char here;
  mp_uint_t used = (mp_uint_t)((char *)MP_STATE_THREAD (stack_top) - &here);
  return used + STACK_MARGIN <= MP_STATE_THREAD (stack_limit);
#else
  return true;
#endif
}

/* Whether resuming raises nothing before the coroutine's own code runs: then its outcome
 * is a return code, and no exception has to be caught here. */
static bool
returns_code (mp_obj_t coro, mp_obj_t send)
{
  return !ASC_MPY_LOADABLE && send == mp_const_none
         && mp_obj_is_type (coro, &mp_type_gen_instance) && stack_suffices ();
}

static bool
executing (mp_obj_t coro)
{
  return ASC_MPY_KNOWN_FRAMES && mp_obj_is_type (coro, &mp_type_gen_instance)
         && ((const Generator *)MP_OBJ_TO_PTR (coro))->pend_exc == MP_OBJ_NULL;
}

/* Any coroutine, raising as it does. */
static mp_vm_return_kind_t
resume_plain (mp_obj_t coro, mp_obj_t send, mp_obj_t thrown, mp_obj_t *result)
{
#if !ASC_MPY_LOADABLE
  if (mp_obj_is_type (coro, &mp_type_gen_instance))
    return mp_obj_gen_resume (coro, send, thrown, result);
#endif
  mp_obj_t method[3];
  mp_load_method (coro, thrown == MP_OBJ_NULL ? MP_QSTR_send : MP_QSTR_throw, method);
  method[2] = thrown == MP_OBJ_NULL ? send : thrown;
  *result = mp_call_method_n_kw (1, 0, method);
  return MP_VM_RETURN_YIELD;
}

static mp_vm_return_kind_t
resume_caught (mp_obj_t coro, mp_obj_t send, mp_obj_t thrown, mp_obj_t *result)
{
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      mp_vm_return_kind_t kind = resume_plain (coro, send, thrown, result);
      nlr_pop ();
      return kind;
    }
  *result = MP_OBJ_FROM_PTR (nlr.ret_val);
  return MP_VM_RETURN_EXCEPTION;
}

/* A generator, with None; its exceptions are outcomes. */
ASC_RECORD_HOT mp_vm_return_kind_t
resume_generator (mp_obj_t coro, mp_obj_t none, mp_obj_t *result)
{
#if ASC_MPY_LOADABLE
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      *result = asc_mpy_borrowed.send (coro, none);
      nlr_pop ();
      return MP_VM_RETURN_YIELD;
    }
  *result = MP_OBJ_FROM_PTR (nlr.ret_val);
  return MP_VM_RETURN_EXCEPTION;
#else
  return mp_obj_gen_resume (coro, none, MP_OBJ_NULL, result);
#endif
}

static AscExit
exit_kind (mp_vm_return_kind_t kind, mp_obj_t result)
{
  if (kind == MP_VM_RETURN_YIELD)
    return ASC_EXIT_YIELD;
  if (kind == MP_VM_RETURN_NORMAL)
    return ASC_EXIT_RETURN;
  mp_obj_t type = MP_OBJ_FROM_PTR (mp_obj_get_type (result));
  if (mp_obj_is_subclass_fast (type, MP_OBJ_FROM_PTR (&mp_type_StopIteration)))
    return ASC_EXIT_RETURN;
  if (mp_obj_is_subclass_fast (type, asc_mpy_core ()->cancelled)
      || mp_obj_is_subclass_fast (type, MP_OBJ_FROM_PTR (&mp_type_GeneratorExit)))
    return ASC_EXIT_CANCEL;
  return ASC_EXIT_RAISE;
}

/* An exception thrown into a generator that never ran: none of its code will. */
static bool
stillborn (const AscMpyCoro *self, mp_obj_t thrown)
{
  return thrown != MP_OBJ_NULL && !(self->slot & ASC_MPY_RAN)
         && mp_obj_is_type (self->coro, &mp_type_gen_instance);
}

static void
enter (AscMpy *m, AscMpyCoro *self, bool unborn)
{
  unsigned context = asc_mpy_context (m);
  if (self->epoch != asc_mpy_fixed.epoch)
    adopt (m, self, context);
  if (unborn)
    return;
  int late = lateness (self);
  if (late < 0)
    asc_recorder_enter (&m->rec, context, self->slot & ASC_MPY_SLOT);
  else
    asc_recorder_enter_late (&m->rec, context, self->slot & ASC_MPY_SLOT, (uint32_t)late);
}

static void
leave (AscMpyCoro *self, bool unborn, mp_vm_return_kind_t kind, mp_obj_t result)
{
  AscMpy *m = asc_mpy ();
  AscExit how = exit_kind (kind, result);
  if (m && self->epoch == asc_mpy_fixed.epoch)
    {
      unsigned context = asc_mpy_context (m);
      if (!unborn)
        asc_recorder_exit (&m->rec, context, how);
      else
        asc_recorder_task_end (&m->rec, context, self->slot & ASC_MPY_SLOT,
                               how == ASC_EXIT_CANCEL ? ASC_END_CANCELLED
                                                      : ASC_END_OTHER);
    }
  self->slot |= how == ASC_EXIT_YIELD ? ASC_MPY_RAN : ASC_MPY_RAN | ASC_MPY_ENDED;
}

static mp_vm_return_kind_t
resume (AscMpyCoro *self, mp_obj_t send, mp_obj_t thrown, mp_obj_t *result)
{
  AscMpy *m = asc_mpy ();
  if ((self->slot & ASC_MPY_ENDED) || executing (self->coro))
    return resume_plain (self->coro, send, thrown, result);
  bool unborn = stillborn (self, thrown);
  AscMpyRun run = { asc_mpy_fixed.run, self };
  if (m)
    enter (m, self, unborn);
  asc_mpy_fixed.run = &run;
  mp_vm_return_kind_t kind = returns_code (self->coro, send)
                                 ? resume_plain (self->coro, send, thrown, result)
                                 : resume_caught (self->coro, send, thrown, result);
  asc_mpy_fixed.run = run.outer;
  leave (self, unborn, kind, *result);
  return kind;
}

/* Hands on what a generator's own methods would. */
static mp_obj_t
deliver (mp_vm_return_kind_t kind, mp_obj_t result)
{
  if (kind == MP_VM_RETURN_YIELD)
    return result;
#if !ASC_MPY_LOADABLE
  if (kind == MP_VM_RETURN_NORMAL)
    mp_raise_StopIteration (result == mp_const_none ? MP_OBJ_NULL : result);
#endif
  nlr_raise (result);
}

static MP_NOINLINE mp_obj_t
send_at_length (AscMpyCoro *self, mp_obj_t value)
{
  mp_obj_t result = MP_OBJ_NULL;
  mp_vm_return_kind_t kind = resume (self, value, MP_OBJ_NULL, &result);
  return deliver (kind, result);
}

/* What nearly every call is: a generator that ran before is resumed, and waits again. The
 * same as resume () for it, without calls. */

ASC_RECORD_HOT bool
is_plain (const AscMpyCoro *self, mp_obj_t send)
{
  return (self->slot & (ASC_MPY_PLAIN | ASC_MPY_RAN | ASC_MPY_ENDED))
             == (ASC_MPY_PLAIN | ASC_MPY_RAN)
         && send == mp_const_none
         && ((const Generator *)MP_OBJ_TO_PTR (self->coro))->pend_exc != MP_OBJ_NULL
         && stack_suffices ();
}

/* Whether it was told to this recording, and runs in the loop. */
ASC_RECORD_HOT bool
is_told (const AscMpy *m, const AscMpyCoro *self)
{
#if MICROPY_PY_THREAD
  if ((void *)mp_thread_get_state () != m->thread)
    return false;
#endif
  return self->epoch == m->epoch;
}

ASC_RECORD_HOT void
enter_plain (AscMpy *m, AscMpyCoro *self)
{
  mp_obj_t due = ((const Task *)MP_OBJ_TO_PTR (self->task))->ph_key;
  mp_uint_t late = asc_mpy_fixed.ms - (mp_uint_t)MP_OBJ_SMALL_INT_VALUE (due);
  late &= MICROPY_PY_TIME_TICKS_PERIOD - 1;
  unsigned slot = self->slot & ASC_MPY_SLOT;
  if (late < REC_LATE_MAX && mp_obj_is_small_int (due))
    asc_record_enter (&m->rec, ASC_MPY_LOOP, slot, slot | (uint32_t)(late + 1) << 12);
  else
    enter (m, self, false);
}

static mp_obj_t
coro_send (mp_obj_t self_in, mp_obj_t value)
{
  AscMpyCoro *self = MP_OBJ_TO_PTR (self_in);
  AscMpy *m = asc_mpy ();
  mp_obj_t result;
  if (!is_plain (self, value) || (m && !is_told (m, self)))
    return send_at_length (self, value);
  AscMpyRun run = { asc_mpy_fixed.run, self };
  if (m)
    enter_plain (m, self);
  asc_mpy_fixed.run = &run;
  mp_vm_return_kind_t kind = resume_generator (self->coro, value, &result);
  asc_mpy_fixed.run = run.outer;
  if (kind != MP_VM_RETURN_YIELD || asc_mpy () != m)
    {
      leave (self, false, kind, result);
      return deliver (kind, result);
    }
  if (m)
    asc_record_yield (&m->rec, ASC_MPY_LOOP);
  return result;
}
static MP_DEFINE_CONST_FUN_OBJ_2 (coro_send_obj, coro_send);

static mp_obj_t
coro_throw (size_t n_args, const mp_obj_t *args)
{
  mp_obj_t thrown = n_args > 2 && args[2] != mp_const_none ? args[2] : args[1];
  mp_obj_t result = MP_OBJ_NULL;
  mp_vm_return_kind_t kind
      = resume (MP_OBJ_TO_PTR (args[0]), mp_const_none, thrown, &result);
  return deliver (kind, result);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (coro_throw_obj, 2, 4, coro_throw);

static mp_obj_t
coro_close (mp_obj_t self_in)
{
  AscMpyCoro *self = MP_OBJ_TO_PTR (self_in);
  AscMpy *m = asc_mpy ();
  mp_obj_t method[2];
  mp_load_method (self->coro, MP_QSTR_close, method);
  mp_obj_t result = mp_call_method_n_kw (0, 0, method);
  if (m && self->epoch == asc_mpy_fixed.epoch && !(self->slot & ASC_MPY_ENDED))
    asc_recorder_task_end (&m->rec, asc_mpy_context (m), self->slot & ASC_MPY_SLOT,
                           ASC_END_OTHER);
  self->slot |= ASC_MPY_ENDED;
  return result;
}
static MP_DEFINE_CONST_FUN_OBJ_1 (coro_close_obj, coro_close);

#if !ASC_MPY_LOADABLE
/* Collected before its end: nobody can resume it any more. */
static mp_obj_t
coro_del (mp_obj_t self_in)
{
  AscMpyCoro *self = MP_OBJ_TO_PTR (self_in);
  AscMpy *m = asc_mpy ();
  if (m && self->epoch == asc_mpy_fixed.epoch && !(self->slot & ASC_MPY_ENDED))
    asc_recorder_task_end (&m->rec, asc_mpy_context (m), self->slot & ASC_MPY_SLOT,
                           self->slot & ASC_MPY_RAN ? ASC_END_COLLECTED
                                                    : ASC_END_NEVER_STARTED);
  self->slot |= ASC_MPY_ENDED;
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1 (coro_del_obj, coro_del);
#endif

static mp_obj_t
coro_iternext (mp_obj_t self_in)
{
  mp_obj_t result = MP_OBJ_NULL;
  mp_vm_return_kind_t kind
      = resume (MP_OBJ_TO_PTR (self_in), mp_const_none, MP_OBJ_NULL, &result);
#if !ASC_MPY_LOADABLE
  if (kind == MP_VM_RETURN_NORMAL)
    return mp_make_stop_iteration (result == mp_const_none ? MP_OBJ_NULL : result);
#endif
  return deliver (kind, result);
}

static void
coro_print (const mp_print_t *print, mp_obj_t self_in, mp_print_kind_t kind)
{
  mp_obj_t coro = ((AscMpyCoro *)MP_OBJ_TO_PTR (self_in))->coro;
#if ASC_MPY_LOADABLE
  const mp_obj_type_t *type = mp_obj_get_type (coro);
  if (MP_OBJ_TYPE_HAS_SLOT (type, print))
    MP_OBJ_TYPE_GET_SLOT (type, print) (print, coro, kind);
  else
    mp_printf (print, "<%q>", (qstr)type->name);
#else
  mp_obj_print_helper (print, coro, kind);
#endif
}

#if ASC_MPY_LOADABLE

mp_obj_full_type_t asc_mpy_coro;
mp_map_elem_t asc_mpy_coro_table[3];
static MP_DEFINE_CONST_DICT (coro_dict, asc_mpy_coro_table);

void
asc_mpy_init_coro (void)
{
  asc_mpy_coro.base.type = &mp_type_type;
  asc_mpy_coro.flags = MP_TYPE_FLAG_ITER_IS_ITERNEXT;
  asc_mpy_coro.name = MP_QSTR_generator;
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_coro, print, coro_print, 0);
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_coro, iter, coro_iternext, 1);
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_coro, locals_dict, (void *)&coro_dict, 2);
  asc_mpy_put (asc_mpy_coro_table, 0, MP_QSTR_send, MP_OBJ_FROM_PTR (&coro_send_obj));
  asc_mpy_put (asc_mpy_coro_table, 1, MP_QSTR_throw, MP_OBJ_FROM_PTR (&coro_throw_obj));
  asc_mpy_put (asc_mpy_coro_table, 2, MP_QSTR_close, MP_OBJ_FROM_PTR (&coro_close_obj));
}

#else

static const mp_rom_map_elem_t coro_table[] = {
  { MP_ROM_QSTR (MP_QSTR_send), MP_ROM_PTR (&coro_send_obj) },
  { MP_ROM_QSTR (MP_QSTR_throw), MP_ROM_PTR (&coro_throw_obj) },
  { MP_ROM_QSTR (MP_QSTR_close), MP_ROM_PTR (&coro_close_obj) },
  { MP_ROM_QSTR (MP_QSTR___del__), MP_ROM_PTR (&coro_del_obj) },
};
static MP_DEFINE_CONST_DICT (coro_dict, coro_table);

MP_DEFINE_CONST_OBJ_TYPE (asc_mpy_coro_type,
                          MP_QSTR_generator,
                          MP_TYPE_FLAG_ITER_IS_ITERNEXT,
                          print,
                          coro_print,
                          iter,
                          coro_iternext,
                          locals_dict,
                          &coro_dict);

#endif

/* In place of core.Task: called with a coroutine, and with asyncio's globals. */
mp_obj_t
asc_mpy_make_task (size_t n_args, const mp_obj_t *args)
{
  AscMpyCore *core = asc_mpy_core ();
  AscMpyCoro *self = mp_obj_malloc_with_finaliser (AscMpyCoro, &asc_mpy_coro_type);
  self->coro = args[0];
  self->task = MP_OBJ_NULL;
  self->slot = ASC_MPY_KNOWN_FRAMES && core->plain_tasks
                       && asc_mpy_fixed.ms != ASC_MPY_NOT_ASKED
                       && mp_obj_is_type (args[0], &mp_type_gen_instance)
                   ? ASC_MPY_PLAIN
                   : 0;
  self->epoch = 0;
  mp_obj_t wrapped[2] = { MP_OBJ_FROM_PTR (self), n_args > 1 ? args[1] : MP_OBJ_NULL };
  mp_obj_t task = mp_call_function_n_kw (core->task_type, n_args, 0, wrapped);
  self->task = task;
  AscMpy *m = asc_mpy ();
  if (m)
    adopt (m, self, asc_mpy_context (m));
  return task;
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (asc_mpy_task_obj, 1, 2, asc_mpy_make_task);
