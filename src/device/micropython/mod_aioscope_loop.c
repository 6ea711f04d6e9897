#include "mod_aioscope.h"

/* The event loop's waiting: idle time, and the time to send what was recorded. */

typedef struct
{
  mp_obj_base_t base;
  mp_obj_t poller;
  mp_obj_t first; /* found while waiting without a limit; handed on by the iterator */
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
  if (asc_mpy_drain (m, wait_cap (ms), all) || !all)
    return LONG_WAIT_MS;
  return m->bytes > before ? RETRY_MS : STALLED_MS;
}

/* The real poller's ipoll, as an idle stretch. */
static mp_obj_t
wait (AscMpy *m, const Poller *self, size_t n_args, const mp_obj_t *args, mp_int_t ms)
{
  mp_obj_t method[5];
  mp_load_method (self->poller, MP_QSTR_ipoll, method);
  for (size_t i = 1; i < n_args; i++)
    method[1 + i] = args[i];
  if (n_args > 1)
    method[2] = MP_OBJ_NEW_SMALL_INT (ms);
  if (ms == 0 || !m)
    return mp_call_method_n_kw (n_args - 1, 0, method);

  unsigned context = asc_mpy_context (m);
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      mp_obj_t found = mp_call_method_n_kw (n_args - 1, 0, method);
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
        return wait (NULL, self, n_args, args, -1);
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
static void
send_in_passing (AscMpy *m)
{
  uint32_t words = m->config.ring_words;
  uint32_t slots = m->config.n_slots;
  if (asc_recorder_fill (&m->rec) > words - words / 4
      || m->rec.free_slot >= slots - slots / 4)
    asc_mpy_drain (m, ASC_FRAME_MAX, false);
}

static mp_obj_t
poller_ipoll (size_t n_args, const mp_obj_t *args)
{
  Poller *self = MP_OBJ_TO_PTR (args[0]);
  AscMpy *m = asc_mpy ();
  mp_int_t ms = -1;
  if (n_args > 1 && mp_obj_is_small_int (args[1]))
    ms = MP_OBJ_SMALL_INT_VALUE (args[1]);
  else if (n_args > 1)
    m = NULL;
  if (!m)
    {
      mp_obj_t method[5];
      mp_load_method (self->poller, MP_QSTR_ipoll, method);
      for (size_t i = 1; i < n_args; i++)
        method[1 + i] = args[i];
      return mp_call_method_n_kw (n_args - 1, 0, method);
    }
#if MICROPY_PY_THREAD
  if (m->rec.contexts[ASC_MPY_LOOP].depth == 0)
    m->thread = mp_thread_get_state ();
#endif
  if (ms < 0)
    return wait_for_event (self, n_args, args);
  if (ms == 0)
    send_in_passing (m);
  else
    {
      mp_int_t piece = send_before_wait (m, ms);
      if (ms > piece)
        ms = piece;
      begin_idle (m, ms);
    }
  return wait (m, self, n_args, args, ms);
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

/* Everything but ipoll is the poller's own. */
static void
poller_attr (mp_obj_t self_in, qstr attr, mp_obj_t *dest)
{
  if (dest[0] != MP_OBJ_NULL)
    return;
  if (attr == MP_QSTR_ipoll)
    {
      dest[0] = MP_OBJ_FROM_PTR (&poller_ipoll_obj);
      dest[1] = self_in;
    }
  else
    mp_load_method_maybe (((Poller *)MP_OBJ_TO_PTR (self_in))->poller, attr, dest);
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
  self->first = MP_OBJ_NULL;
  return MP_OBJ_FROM_PTR (self);
}

MP_DEFINE_CONST_OBJ_TYPE (asc_mpy_poller_type,
                          MP_QSTR_poll,
                          MP_TYPE_FLAG_ITER_IS_ITERNEXT,
                          make_new,
                          poller_make_new,
                          attr,
                          poller_attr,
                          iter,
                          poller_iternext);

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

#ifdef AIOSCOPE_GC
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
