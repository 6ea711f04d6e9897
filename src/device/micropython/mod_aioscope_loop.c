#include "mod_aioscope.h"

#include "asc-record.h"

/* The event loop's waiting: idle time, and the time to send what was recorded. */

typedef struct
{
  mp_obj_base_t base;
  mp_obj_t poller;
  mp_fun_var_t ipoll; /* of the poller */
  mp_obj_t first;     /* found while waiting without a limit; handed on by the iterator */
} Poller;

/* A wait is cut into pieces: the host is told once a second that we live, and what the
 * port did not take is tried again. */
#define LONG_WAIT_MS 1000
#define RETRY_MS 10
#define STALLED_MS 100

/* Bytes that may be sent before a wait of so many milliseconds. A port that sends slowly
 * is told by its baud rate; this bounds the others. */
static size_t
wait_cap (mp_int_t ms)
{
  if (ms < 0 || ms > 64)
    return 8192;
  size_t cap = (size_t)ms * 128;
  return cap > ASC_FRAME_MAX ? cap : ASC_FRAME_MAX;
}

/* Returns how long to wait before the next try, at most. */
static mp_int_t
send_before_wait (AscMpy *m, mp_int_t ms)
{
  uint64_t before = m->bytes;
  unsigned seal_ms = m->rec.seal_ms;
  bool all = ms < 0 || ms >= (mp_int_t)seal_ms;
  bool done = asc_mpy_drain (m, wait_cap (ms), all);
  ASC_MPY_RAISE_LATER ();
  if (done || !all)
    return LONG_WAIT_MS;
  return m->bytes > before ? RETRY_MS : STALLED_MS;
}

/* Calls a method of args[0] with the others. */
static mp_obj_t
call_method (qstr name, size_t n_args, const mp_obj_t *args)
{
  mp_obj_t method[5];
  mp_load_method (args[0], name, method);
  for (size_t i = 1; i < n_args; i++)
    method[1 + i] = args[i];
  return mp_call_method_n_kw (n_args - 1, 0, method);
}

/* ipoll of a poller that is not MicroPython's own. */
static mp_obj_t
foreign_ipoll (size_t n_args, const mp_obj_t *args)
{
  return call_method (MP_QSTR_ipoll, n_args, args);
}

/* The real poller's ipoll. */
static mp_obj_t
ipoll (const Poller *self, size_t n_args, const mp_obj_t *args)
{
  mp_obj_t real[3] = { self->poller };
  for (size_t i = 1; i < n_args; i++)
    real[i] = args[i];
  return self->ipoll (n_args, real);
}

/* The same, as an idle stretch. */
static mp_obj_t
wait (AscMpy *m, const Poller *self, size_t n_args, const mp_obj_t *args, mp_int_t ms)
{
  mp_obj_t limited[3];
  for (size_t i = 1; i < n_args; i++)
    limited[i] = args[i];
  if (n_args > 1)
    limited[1] = MP_OBJ_NEW_SMALL_INT (ms);

  unsigned context = asc_mpy_context (m);
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      mp_obj_t found = ipoll (self, n_args, limited);
      nlr_pop ();
      asc_recorder_idle_end (&m->rec, context);
      return found;
    }
  asc_recorder_idle_end (&m->rec, context);
  nlr_jump (nlr.ret_val);
}

static void
begin_idle (AscMpy *m, mp_int_t ms)
{
  asc_recorder_idle_begin (&m->rec, asc_mpy_context (m),
                           ms < 0 ? ASC_IDLE_IO : ASC_IDLE_TIMER);
}

/* Waits without a limit for the first event; pieces that end with none are repeated. */
static mp_obj_t
wait_for_event (Poller *self, size_t n_args, const mp_obj_t *args)
{
  for (;;)
    {
      /* Another run of the loop may have stopped or started recording. */
      AscMpy *m = asc_mpy ();
      if (!m || n_args < 2)
        return ipoll (self, n_args, args);
      mp_int_t piece = send_before_wait (m, -1);
      begin_idle (m, -1);
      mp_obj_t found = wait (m, self, n_args, args, piece);
      self->first = mp_iternext (found);
      if (self->first != MP_OBJ_STOP_ITERATION)
        return MP_OBJ_FROM_PTR (self);
      self->first = MP_OBJ_NULL;
    }
}

/* With nothing to wait for only a small piece is sent, and only when it must be: the ring
 * is three quarters full, or the slots of tasks that ended, which are free again when the
 * host was told. */
ASC_RECORD_HOT bool
is_pressed (const AscMpy *m)
{
  return m->rec.limit - m->rec.head < m->press_words
         || m->rec.free_slot >= m->press_slots;
}

static void
send_in_passing (AscMpy *m)
{
  asc_mpy_drain (m, ASC_FRAME_MAX, false);
  asc_mpy_fixed.ms = mp_hal_ticks_ms ();
  ASC_MPY_RAISE_LATER ();
}

static MP_NOINLINE mp_obj_t
poll_at_length (Poller *self, size_t n_args, const mp_obj_t *args)
{
  AscMpy *m = asc_mpy ();
  mp_int_t ms = -1;
  if (n_args > 1 && mp_obj_is_small_int (args[1]))
    ms = MP_OBJ_SMALL_INT_VALUE (args[1]);
  else if (n_args > 1)
    m = NULL;
  if (!m || ms == 0)
    return ipoll (self, n_args, args);
#if ASC_MPY_THREADS
  if (m->rec.contexts[ASC_MPY_LOOP].depth == 0)
    m->thread = ASC_MPY_THIS_THREAD ();
#endif
  if (ms < 0)
    return wait_for_event (self, n_args, args);
  mp_int_t piece = send_before_wait (m, ms);
  if (ms > piece)
    ms = piece;
  begin_idle (m, ms);
  return wait (m, self, n_args, args, ms);
}

/* At most passes of a busy loop there is nothing to do but to ask the real one. */
static mp_obj_t
poller_ipoll (size_t n_args, const mp_obj_t *args)
{
  Poller *self = MP_OBJ_TO_PTR (args[0]);
  AscMpy *m = asc_mpy ();
  if (n_args != 2 || args[1] != MP_OBJ_NEW_SMALL_INT (0))
    return poll_at_length (self, n_args, args);
  if (m && is_pressed (m))
    send_in_passing (m);
  mp_obj_t real[2] = { self->poller, args[1] };
  return self->ipoll (2, real);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (poller_ipoll_obj, 1, 3, poller_ipoll);

static mp_obj_t
poller_iternext (mp_obj_t self_in)
{
  Poller *self = MP_OBJ_TO_PTR (self_in);
  mp_obj_t first = self->first;
  self->first = MP_OBJ_NULL;
  return first != MP_OBJ_NULL ? first : mp_iternext (self->poller);
}

/* The other methods are the poller's own. */
static mp_obj_t
forward (qstr name, size_t n_args, const mp_obj_t *args)
{
  mp_obj_t real[4] = { ((Poller *)MP_OBJ_TO_PTR (args[0]))->poller };
  for (size_t i = 1; i < n_args; i++)
    real[i] = args[i];
  return call_method (name, n_args, real);
}

static mp_obj_t
poller_register (size_t n_args, const mp_obj_t *args)
{
  return forward (MP_QSTR_register, n_args, args);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (poller_register_obj, 1, 4, poller_register);

static mp_obj_t
poller_unregister (size_t n_args, const mp_obj_t *args)
{
  return forward (MP_QSTR_unregister, n_args, args);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (poller_unregister_obj,
                                            1,
                                            4,
                                            poller_unregister);

static mp_obj_t
poller_modify (size_t n_args, const mp_obj_t *args)
{
  return forward (MP_QSTR_modify, n_args, args);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (poller_modify_obj, 1, 4, poller_modify);

static mp_obj_t
poller_poll (size_t n_args, const mp_obj_t *args)
{
  return forward (MP_QSTR_poll, n_args, args);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (poller_poll_obj, 1, 4, poller_poll);

/* C code, to be called without a look at its arguments; they are as many as ours. */
static mp_fun_var_t
own_ipoll (mp_obj_t poller)
{
  mp_obj_t method[2];
  mp_load_method (poller, MP_QSTR_ipoll, method);
  if (!mp_obj_is_type (method[0], &mp_type_fun_builtin_var) || method[1] != poller)
    return foreign_ipoll;
  const mp_obj_fun_builtin_var_t *fun = MP_OBJ_TO_PTR (method[0]);
  return fun->sig == MP_OBJ_FUN_MAKE_SIG (1, 3, false) ? fun->fun.var : foreign_ipoll;
}

static mp_obj_t
poller_make_new (const mp_obj_type_t *type,
                 size_t n_args,
                 size_t n_kw,
                 const mp_obj_t *args)
{
  mp_arg_check_num (n_args, n_kw, 1, 1, false);
  if (mp_obj_is_type (args[0], type))
    return args[0];
  Poller *self = mp_obj_malloc (Poller, type);
  self->poller = args[0];
  self->ipoll = own_ipoll (args[0]);
  self->first = MP_OBJ_NULL;
  return MP_OBJ_FROM_PTR (self);
}

#if ASC_MPY_LOADABLE

mp_obj_full_type_t asc_mpy_poller;
mp_map_elem_t asc_mpy_poller_table[5];
static MP_DEFINE_CONST_DICT (poller_dict, asc_mpy_poller_table);

void
asc_mpy_init_poller (void)
{
  mp_map_elem_t *table = asc_mpy_poller_table;
  asc_mpy_poller.base.type = &mp_type_type;
  asc_mpy_poller.flags = MP_TYPE_FLAG_ITER_IS_ITERNEXT;
  asc_mpy_poller.name = MP_QSTR_poll;
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_poller, make_new, poller_make_new, 0);
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_poller, iter, poller_iternext, 1);
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_poller, locals_dict, (void *)&poller_dict, 2);
  asc_mpy_put (table, 0, MP_QSTR_ipoll, MP_OBJ_FROM_PTR (&poller_ipoll_obj));
  asc_mpy_put (table, 1, MP_QSTR_register, MP_OBJ_FROM_PTR (&poller_register_obj));
  asc_mpy_put (table, 2, MP_QSTR_unregister, MP_OBJ_FROM_PTR (&poller_unregister_obj));
  asc_mpy_put (table, 3, MP_QSTR_modify, MP_OBJ_FROM_PTR (&poller_modify_obj));
  asc_mpy_put (table, 4, MP_QSTR_poll, MP_OBJ_FROM_PTR (&poller_poll_obj));
}

#else

static const mp_rom_map_elem_t poller_table[] = {
  { MP_ROM_QSTR (MP_QSTR_ipoll), MP_ROM_PTR (&poller_ipoll_obj) },
  { MP_ROM_QSTR (MP_QSTR_register), MP_ROM_PTR (&poller_register_obj) },
  { MP_ROM_QSTR (MP_QSTR_unregister), MP_ROM_PTR (&poller_unregister_obj) },
  { MP_ROM_QSTR (MP_QSTR_modify), MP_ROM_PTR (&poller_modify_obj) },
  { MP_ROM_QSTR (MP_QSTR_poll), MP_ROM_PTR (&poller_poll_obj) },
};
static MP_DEFINE_CONST_DICT (poller_dict, poller_table);

MP_DEFINE_CONST_OBJ_TYPE (asc_mpy_poller_type,
                          MP_QSTR_poll,
                          MP_TYPE_FLAG_ITER_IS_ITERNEXT,
                          make_new,
                          poller_make_new,
                          iter,
                          poller_iternext,
                          locals_dict,
                          &poller_dict);

#endif

/* In place of core.run_until_complete: after the outermost loop's end nobody waits any
 * more, so what was recorded is sent now. In C, so that tracebacks do not show it. */
static mp_obj_t
run_until_complete (size_t n_args, const mp_obj_t *args, mp_map_t *kw_args)
{
  mp_obj_t main_task = n_args > 0 ? args[0] : mp_const_none;
  mp_map_elem_t *named
      = mp_map_lookup (kw_args, MP_OBJ_NEW_QSTR (MP_QSTR_main_task), MP_MAP_LOOKUP);
  if (named)
    main_task = named->value;
  AscMpyRun *outer = asc_mpy_fixed.run;
  nlr_buf_t nlr;
  mp_obj_t result = MP_OBJ_NULL;
  void *raised = NULL;
  if (nlr_push (&nlr) == 0)
    {
      result = mp_call_function_1 (asc_mpy_core ()->run_until_complete, main_task);
      nlr_pop ();
    }
  else
    raised = nlr.ret_val;
  AscMpy *m = asc_mpy ();
  if (m && !outer)
    asc_mpy_flush (m, 20, false);
  if (raised)
    nlr_jump (raised);
  return result;
}
MP_DEFINE_CONST_FUN_OBJ_KW (asc_mpy_runner_obj, 0, run_until_complete);

/* The search for names (NO_QSTR) is not told of our options. */
#if !ASC_MPY_LOADABLE && (defined(AIOSCOPE_GC) || defined(NO_QSTR))
void __real_gc_collect (void);
void __wrap_gc_collect (void);

/* The heap, and with it the recording, may be gone since a soft reset; then the module
 * that started it is gone from the list of modules. */
static AscMpy *
collected (void)
{
  AscMpy *m = asc_mpy ();
  if (m
      && !mp_map_lookup (&MP_STATE_VM (mp_loaded_modules_dict).map,
                         MP_OBJ_NEW_QSTR (MP_QSTR_aioscope), MP_MAP_LOOKUP))
    m = NULL;
  return m && m->gc ? m : NULL;
}

void
__wrap_gc_collect (void)
{
  AscMpy *m = collected ();
  if (!m)
    {
      __real_gc_collect ();
      return;
    }
  unsigned context = asc_mpy_context (m);
  asc_recorder_gc_begin (&m->rec, context);
  __real_gc_collect ();
  asc_recorder_gc_end (&m->rec, context);
}
#endif
