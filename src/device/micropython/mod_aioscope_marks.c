#include "mod_aioscope.h"

#if !ASC_MPY_LOADABLE
#include "py/objint.h"
#endif

/* What programs record themselves, from tasks, interrupts and other threads; and the
 * figures that need no host. None of it does anything before start (). */

/* Of up to 64 bits, also where MicroPython's own integers have 32; raises what is none.
 */
static int64_t
integer (mp_obj_t value)
{
#if ASC_MPY_LOADABLE
  if (!mp_obj_is_small_int (value))
    return asc_mpy_large_int (value);
#elif MICROPY_LONGINT_IMPL == MICROPY_LONGINT_IMPL_MPZ
  if (mp_obj_is_obj (value) && mp_obj_is_int (value))
    {
      const mpz_t *big = &((const mp_obj_int_t *)MP_OBJ_TO_PTR (value))->mpz;
      uint64_t bits = 0;
      bool fits = true;
      for (size_t i = big->len; i-- > 0;)
        {
          fits = fits && bits >> (64 - MPZ_DIG_SIZE) == 0;
          bits = bits << MPZ_DIG_SIZE | big->dig[i];
        }
      uint64_t most = (uint64_t)1 << 63;
      if (fits && bits <= most - (big->neg ? 0 : 1))
        return (int64_t)(big->neg ? -bits : bits);
    }
#elif MICROPY_LONGINT_IMPL == MICROPY_LONGINT_IMPL_LONGLONG
  if (mp_obj_is_obj (value) && mp_obj_is_int (value))
    return ((const mp_obj_int_t *)MP_OBJ_TO_PTR (value))->val;
#endif
  return (mp_int_t)mp_obj_get_int (value);
}

static mp_obj_t
mark (size_t n_args, const mp_obj_t *args)
{
  AscMpy *m = asc_mpy ();
  if (!m)
    return mp_const_none;
  unsigned name = asc_mpy_name (m, ASC_NAME_MARK, args[0]);
  if (n_args < 2 || args[1] == mp_const_none)
    asc_recorder_mark (&m->rec, asc_mpy_context (m), name);
  else
    asc_recorder_mark_value (&m->rec, asc_mpy_context (m), name, integer (args[1]));
  return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (asc_mpy_mark_obj, 1, 2, mark);

static mp_obj_t
level (mp_obj_t name, mp_obj_t value)
{
  AscMpy *m = asc_mpy ();
  if (m)
    asc_recorder_level (&m->rec, asc_mpy_context (m),
                        asc_mpy_name (m, ASC_NAME_PIN, name), mp_obj_is_true (value));
  return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2 (asc_mpy_level_obj, level);

static mp_obj_t
counter (mp_obj_t name, mp_obj_t value)
{
  AscMpy *m = asc_mpy ();
  if (m)
    asc_recorder_counter (&m->rec, asc_mpy_context (m),
                          asc_mpy_name (m, ASC_NAME_COUNTER, name), integer (value));
  return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_2 (asc_mpy_counter_obj, counter);

/* Of the task that runs. The table's end leaves the name as it was. */
static mp_obj_t
set_name (mp_obj_t text)
{
  AscMpy *m = asc_mpy ();
  AscMpyRun *run = asc_mpy_fixed.run;
  if (!m || !run || run->coro->epoch != asc_mpy_fixed.epoch)
    return mp_const_none;
  unsigned name = asc_mpy_name (m, ASC_NAME_TASK, text);
  if (name != 0)
    asc_recorder_rename (&m->rec, asc_mpy_context (m), run->coro->slot & ASC_MPY_SLOT,
                         name);
  return mp_const_none;
}
MP_DEFINE_CONST_FUN_OBJ_1 (asc_mpy_set_name_obj, set_name);

/* A span: entered and left, or called with a function to make it a span each time. */
typedef struct
{
  mp_obj_base_t base;
  mp_obj_t name;
  uint32_t id;
} Span;

static mp_obj_t
span_make_new (const mp_obj_type_t *type,
               size_t n_args,
               size_t n_kw,
               const mp_obj_t *args)
{
  mp_arg_check_num (n_args, n_kw, 1, 1, false);
  size_t n;
  mp_obj_str_get_data (args[0], &n);
  Span *self = mp_obj_malloc (Span, type);
  self->name = args[0];
  self->id = 0;
  return MP_OBJ_FROM_PTR (self);
}

static mp_obj_t
span_enter (mp_obj_t self_in)
{
  Span *self = MP_OBJ_TO_PTR (self_in);
  AscMpy *m = asc_mpy ();
  self->id = 0;
  if (m)
    self->id = asc_recorder_span_begin (&m->rec, asc_mpy_context (m),
                                        asc_mpy_name (m, ASC_NAME_SPAN, self->name));
  return self_in;
}
static MP_DEFINE_CONST_FUN_OBJ_1 (span_enter_obj, span_enter);

static mp_obj_t
span_exit (size_t n_args, const mp_obj_t *args)
{
  (void)n_args;
  Span *self = MP_OBJ_TO_PTR (args[0]);
  AscMpy *m = asc_mpy ();
  if (m && self->id != 0)
    asc_recorder_span_end (&m->rec, asc_mpy_context (m), self->id);
  self->id = 0;
  return mp_const_false;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (span_exit_obj, 1, 4, span_exit);

static mp_obj_t
span_call (mp_obj_t self_in, size_t n_args, size_t n_kw, const mp_obj_t *args)
{
  mp_arg_check_num (n_args, n_kw, 1, 1, false);
  Span *self = MP_OBJ_TO_PTR (self_in);
  return mp_call_function_2 (asc_mpy_core ()->decorate, self->name, args[0]);
}

#if ASC_MPY_LOADABLE

mp_obj_full_type_t asc_mpy_span;
mp_map_elem_t asc_mpy_span_table[2];
static MP_DEFINE_CONST_DICT (span_dict, asc_mpy_span_table);

void
asc_mpy_init_span (void)
{
  asc_mpy_span.base.type = &mp_type_type;
  asc_mpy_span.name = MP_QSTR_span;
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_span, make_new, span_make_new, 0);
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_span, call, span_call, 1);
  MP_OBJ_TYPE_SET_SLOT (&asc_mpy_span, locals_dict, (void *)&span_dict, 2);
  asc_mpy_put (asc_mpy_span_table, 0, MP_QSTR___enter__,
               MP_OBJ_FROM_PTR (&span_enter_obj));
  asc_mpy_put (asc_mpy_span_table, 1, MP_QSTR___exit__, MP_OBJ_FROM_PTR (&span_exit_obj));
}

#else

static const mp_rom_map_elem_t span_table[] = {
  { MP_ROM_QSTR (MP_QSTR___enter__), MP_ROM_PTR (&span_enter_obj) },
  { MP_ROM_QSTR (MP_QSTR___exit__), MP_ROM_PTR (&span_exit_obj) },
};
static MP_DEFINE_CONST_DICT (span_dict, span_table);

MP_DEFINE_CONST_OBJ_TYPE (asc_mpy_span_type,
                          MP_QSTR_span,
                          MP_TYPE_FLAG_NONE,
                          make_new,
                          span_make_new,
                          call,
                          span_call,
                          locals_dict,
                          &span_dict);

#endif

/* Busy share in thousandths; -1: not known yet. */
static mp_obj_t
share (uint32_t busy, uint32_t window)
{
  if (window == 0)
    return mp_const_none;
#if ASC_MPY_LOADABLE
  return asc_mpy_share (busy, window);
#elif MICROPY_PY_BUILTINS_FLOAT
  return mp_obj_new_float ((mp_float_t)busy / (mp_float_t)window);
#else
  return MP_OBJ_NEW_SMALL_INT ((mp_int_t)((uint64_t)busy * 100 / window));
#endif
}

/* (last second, worst second): None before the first has passed. */
static mp_obj_t
load (void)
{
  AscMpy *m = asc_mpy ();
  AscRecorderLoad load = { 0 };
  if (m)
    asc_recorder_load (&m->rec, &load);
  mp_obj_t items[2] = { share (load.busy_ticks, load.window_ticks),
                        share (load.worst_busy_ticks, load.worst_window_ticks) };
  return mp_obj_new_tuple (2, items);
}
MP_DEFINE_CONST_FUN_OBJ_0 (asc_mpy_load_obj, load);

static void
put (mp_obj_t dict, qstr key, mp_obj_t value)
{
  mp_obj_dict_store (dict, MP_OBJ_NEW_QSTR (key), value);
}

static mp_obj_t
stats (void)
{
  AscMpy *m = asc_mpy ();
  mp_obj_t dict = mp_obj_new_dict (6);
  if (!m)
    return dict;
  const AscRecorder *rec = &m->rec;
  uint64_t lost = rec->dropped + rec->lost;
  uint32_t fill = asc_recorder_fill (&m->rec);
  uint32_t peak = fill > m->peak ? fill : m->peak;
  put (dict, MP_QSTR_events, mp_obj_new_int_from_ull (rec->counted + rec->lost));
  put (dict, MP_QSTR_lost, mp_obj_new_int_from_ull (lost));
  put (dict, MP_QSTR_bytes, mp_obj_new_int_from_ull (m->bytes));
  put (dict, MP_QSTR_peak, MP_OBJ_NEW_SMALL_INT ((mp_int_t)(peak * 4)));
  put (dict, MP_QSTR_ring, MP_OBJ_NEW_SMALL_INT ((mp_int_t)(m->config.ring_words * 4)));
  put (dict, MP_QSTR_error, MP_OBJ_NEW_SMALL_INT (m->error));
  return dict;
}
MP_DEFINE_CONST_FUN_OBJ_0 (asc_mpy_stats_obj, stats);
