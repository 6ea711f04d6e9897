#include "mod_aioscope.h"

/* The module: made once at import, recording from start () to stop (). */

#if !ASC_MPY_LOADABLE
#include "genhdr/mpversion.h"

/* Found by MicroPython's build, which wants no blank before the parenthesis. */
/* clang-format off */
MP_REGISTER_ROOT_POINTER(struct _AscMpy *aioscope_state);
MP_REGISTER_ROOT_POINTER(struct _AscMpyCore *aioscope_core);
/* clang-format on */

#ifndef MICROPY_HW_BOARD_NAME
#define MICROPY_HW_BOARD_NAME MICROPY_PY_SYS_PLATFORM
#endif
#ifndef MICROPY_PY_SYS_PLATFORM
#define MICROPY_PY_SYS_PLATFORM "MicroPython"
#endif
#endif

/* Bytes of the pool for names that are not interned, for each name. */
#define POOL_A_NAME 12
/* A drain that took longer is an event. */
#define DRAIN_US 100
#define CALIBRATE 64

/* Names of the config are MicroPython's for as long as the recording lasts. */
static const uint8_t contexts[ASC_RECORDER_CONTEXTS]
    = { ASC_CONTEXT (ASC_CONTEXT_LOOP, 0, 0), ASC_CONTEXT (ASC_CONTEXT_INTERRUPT, 0, 0),
        ASC_CONTEXT (ASC_CONTEXT_THREAD, 0, 0) };

/* install (Task, CancelledError, run_until_complete, decorate): at each import, thus
 * after each reset. */
static mp_obj_t
install (size_t n_args, const mp_obj_t *args)
{
  (void)n_args;
#if ASC_MPY_LOADABLE
  asc_mpy_borrow ();
#endif
  asc_mpy_fixed.run = NULL;
  asc_mpy_fixed.ms = ASC_MPY_NOT_ASKED;
  ASC_MPY_STATE = NULL;
  AscMpyCore *core = m_new0 (AscMpyCore, 1);
  core->task_type = args[0];
  core->cancelled = args[1];
  core->run_until_complete = args[2];
  core->decorate = args[3];
  core->plain_tasks = asc_mpy_plain_tasks (args[0]);
  ASC_MPY_CORE = core;
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (install_obj, 4, 4, install);

/* What one ENTER and EXIT take, on a recorder that is not started yet: the way of a full
 * ring, which is as long. */
static uint32_t
calibrate (AscRecorder *rec)
{
  uint32_t began = (uint32_t)mp_hal_ticks_us ();
  for (unsigned i = 0; i < CALIBRATE; i++)
    {
      asc_recorder_enter_late (rec, 0, 0, 0);
      asc_recorder_exit (rec, 0, ASC_EXIT_YIELD);
    }
  uint32_t took = (uint32_t)mp_hal_ticks_us () - began;
  return (took * 1000u + CALIBRATE - 1) / CALIBRATE;
}

static void
configure (AscMpy *m, mp_int_t ring, mp_int_t baud, mp_int_t tasks, mp_int_t names)
{
  AscRecorderConfig *config = &m->config;
  config->ring_words = 64;
  while (config->ring_words * 8 <= (mp_uint_t)ring)
    config->ring_words *= 2;
  config->ring = m_new (uint32_t, config->ring_words);
  config->slots = m_new0 (AscRecorderSlot, (size_t)tasks);
  config->n_slots = (uint16_t)tasks;
  m->press_words = config->ring_words / 4;
  m->press_slots = (uint16_t)(tasks - tasks / 4);
  config->names = m_new0 (AscName, (size_t)names);
  config->n_names = (uint16_t)names;
  m->pool_size = (uint16_t)(names * POOL_A_NAME);
  m->pool = m_new (char, m->pool_size);
  config->n_contexts = ASC_RECORDER_CONTEXTS;
  for (unsigned i = 0; i < ASC_RECORDER_CONTEXTS; i++)
    config->contexts[i] = contexts[i];
  config->recorder = ASC_MPY_LOADABLE ? ASC_RECORDER_LOADABLE : ASC_RECORDER_MODULE;
  config->tick_hz = 1000000;
  config->baud = (uint32_t)baud;
  config->drain_ticks = DRAIN_US;
  config->capabilities = ASC_CAN_IDLE | ASC_CAN_LATE | ASC_CAN_DRAIN | ASC_CAN_EXIT_KINDS
                         | ASC_CAN_LONG_NAMES | ASC_CAN_INTERRUPTS;
#ifdef AIOSCOPE_GC
  if (m->gc)
    config->capabilities |= ASC_CAN_GC;
#endif
  config->room = asc_mpy_room;
#if ASC_MPY_LOADABLE
  config->counter_bits = ASC_MPY_COUNTER_BITS;
  asc_mpy_describe_board (config);
#else
  config->board = MICROPY_HW_BOARD_NAME;
  config->firmware = "MicroPython " MICROPY_GIT_TAG;
#endif
}

static mp_int_t
in_range (mp_obj_t value, mp_int_t least, mp_int_t most, mp_rom_error_text_t else_say)
{
  mp_int_t n = mp_obj_get_int (value);
  if (n < least || n > most)
    mp_raise_ValueError (else_say);
  return n;
}

static void
end_recording (mp_uint_t ms)
{
  AscMpy *m = asc_mpy ();
  if (!m)
    return;
  asc_mpy_flush (m, ms, true);
  ASC_MPY_STATE = NULL;
}

/* The texts in start () tell it. */
_Static_assert(ASC_RECORDER_SLOTS_MAX == 4096, "the most tasks");

/* start (stream, ring, baud, gc, tasks, names, session, program) */
static mp_obj_t
start (size_t n_args, const mp_obj_t *args)
{
  (void)n_args;
  mp_int_t ring
      = in_range (args[1], 256, 1 << 24, MP_ERROR_TEXT ("ring must be 256 to 16777216"));
  mp_int_t baud = args[2] == mp_const_none
                      ? 0
                      : in_range (args[2], 300, 100000000,
                                  MP_ERROR_TEXT ("baud must be 300 to 100000000"));
  mp_int_t tasks = in_range (args[4], 2, 4096, MP_ERROR_TEXT ("tasks must be 2 to 4096"));
  mp_int_t names = in_range (args[5], 2, 1024, MP_ERROR_TEXT ("names must be 2 to 1024"));
  AscMpy *m = m_new0 (AscMpy, 1);
  m->gc = mp_obj_is_true (args[3]);
  configure (m, ring, baud, tasks, names);
  size_t n;
  m->config.program = mp_obj_str_get_data (args[7], &n);
  asc_mpy_attach (m, args[0]);
  if (asc_recorder_init (&m->rec, &m->config) < 0)
    mp_raise_ValueError (NULL);
  m->config.cost_ns = calibrate (&m->rec);
#if ASC_MPY_THREADS
  m->thread = ASC_MPY_THIS_THREAD ();
#endif
  /* The last recording's end is told on its own stream, before this one begins. */
  end_recording (100);
  if (++asc_mpy_fixed.epoch == 0)
    asc_mpy_fixed.epoch = 1;
  m->epoch = asc_mpy_fixed.epoch;
  asc_recorder_start (&m->rec, (uint32_t)mp_obj_get_int_truncated (args[6]));
  ASC_MPY_STATE = m;
  asc_mpy_adopt_running (m);
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN (start_obj, 8, 8, start);

static mp_obj_t
stop (mp_obj_t ms)
{
  end_recording ((mp_uint_t)mp_obj_get_int (ms));
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1 (stop_obj, stop);

static mp_obj_t
flush (mp_obj_t ms)
{
  AscMpy *m = asc_mpy ();
  return mp_obj_new_bool (!m || asc_mpy_flush (m, (mp_uint_t)mp_obj_get_int (ms), false));
}
static MP_DEFINE_CONST_FUN_OBJ_1 (flush_obj, flush);

static mp_obj_t
attach (mp_obj_t stream)
{
  if (asc_mpy ())
    asc_mpy_attach (asc_mpy (), stream);
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1 (attach_obj, attach);

static mp_obj_t
detach (void)
{
  if (asc_mpy ())
    asc_mpy_attach (asc_mpy (), MP_OBJ_NULL);
  return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0 (detach_obj, detach);

#if ASC_MPY_LOADABLE

mp_obj_t
mpy_init (mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
  (void)n_args;
  (void)n_kw;
  (void)args;
  MP_DYNRUNTIME_INIT_ENTRY
  asc_mpy_init_coro ();
  asc_mpy_init_poller ();
  asc_mpy_init_span ();
  mp_store_global (MP_QSTR_install, MP_OBJ_FROM_PTR (&install_obj));
  mp_store_global (MP_QSTR_learn, MP_OBJ_FROM_PTR (&asc_mpy_learn_obj));
  mp_store_global (MP_QSTR_start, MP_OBJ_FROM_PTR (&start_obj));
  mp_store_global (MP_QSTR_stop, MP_OBJ_FROM_PTR (&stop_obj));
  mp_store_global (MP_QSTR_flush, MP_OBJ_FROM_PTR (&flush_obj));
  mp_store_global (MP_QSTR_attach, MP_OBJ_FROM_PTR (&attach_obj));
  mp_store_global (MP_QSTR_detach, MP_OBJ_FROM_PTR (&detach_obj));
  mp_store_global (MP_QSTR_Task, MP_OBJ_FROM_PTR (&asc_mpy_task_obj));
  mp_store_global (MP_QSTR_ticks, MP_OBJ_FROM_PTR (&asc_mpy_ticks_obj));
  mp_store_global (MP_QSTR_run_until_complete, MP_OBJ_FROM_PTR (&asc_mpy_runner_obj));
  mp_store_global (MP_QSTR_Poller, MP_OBJ_FROM_PTR (&asc_mpy_poller));
  mp_store_global (MP_QSTR_mark, MP_OBJ_FROM_PTR (&asc_mpy_mark_obj));
  mp_store_global (MP_QSTR_level, MP_OBJ_FROM_PTR (&asc_mpy_level_obj));
  mp_store_global (MP_QSTR_counter, MP_OBJ_FROM_PTR (&asc_mpy_counter_obj));
  mp_store_global (MP_QSTR_set_name, MP_OBJ_FROM_PTR (&asc_mpy_set_name_obj));
  mp_store_global (MP_QSTR_span, MP_OBJ_FROM_PTR (&asc_mpy_span));
  mp_store_global (MP_QSTR_stats, MP_OBJ_FROM_PTR (&asc_mpy_stats_obj));
  mp_store_global (MP_QSTR_load, MP_OBJ_FROM_PTR (&asc_mpy_load_obj));
  MP_DYNRUNTIME_INIT_EXIT
}

#else

static const mp_rom_map_elem_t table[] = {
  { MP_ROM_QSTR (MP_QSTR___name__), MP_ROM_QSTR (MP_QSTR__aioscope) },
  { MP_ROM_QSTR (MP_QSTR_install), MP_ROM_PTR (&install_obj) },
  { MP_ROM_QSTR (MP_QSTR_start), MP_ROM_PTR (&start_obj) },
  { MP_ROM_QSTR (MP_QSTR_stop), MP_ROM_PTR (&stop_obj) },
  { MP_ROM_QSTR (MP_QSTR_flush), MP_ROM_PTR (&flush_obj) },
  { MP_ROM_QSTR (MP_QSTR_attach), MP_ROM_PTR (&attach_obj) },
  { MP_ROM_QSTR (MP_QSTR_detach), MP_ROM_PTR (&detach_obj) },
  { MP_ROM_QSTR (MP_QSTR_Task), MP_ROM_PTR (&asc_mpy_task_obj) },
  { MP_ROM_QSTR (MP_QSTR_ticks), MP_ROM_PTR (&asc_mpy_ticks_obj) },
  { MP_ROM_QSTR (MP_QSTR_run_until_complete), MP_ROM_PTR (&asc_mpy_runner_obj) },
  { MP_ROM_QSTR (MP_QSTR_Poller), MP_ROM_PTR (&asc_mpy_poller_type) },
  { MP_ROM_QSTR (MP_QSTR_mark), MP_ROM_PTR (&asc_mpy_mark_obj) },
  { MP_ROM_QSTR (MP_QSTR_level), MP_ROM_PTR (&asc_mpy_level_obj) },
  { MP_ROM_QSTR (MP_QSTR_counter), MP_ROM_PTR (&asc_mpy_counter_obj) },
  { MP_ROM_QSTR (MP_QSTR_set_name), MP_ROM_PTR (&asc_mpy_set_name_obj) },
  { MP_ROM_QSTR (MP_QSTR_span), MP_ROM_PTR (&asc_mpy_span_type) },
  { MP_ROM_QSTR (MP_QSTR_stats), MP_ROM_PTR (&asc_mpy_stats_obj) },
  { MP_ROM_QSTR (MP_QSTR_load), MP_ROM_PTR (&asc_mpy_load_obj) },
};
static MP_DEFINE_CONST_DICT (globals, table);

const mp_obj_module_t asc_mpy_module = {
  .base = { &mp_type_module },
  .globals = (mp_obj_dict_t *)&globals,
};

/* clang-format off */
MP_REGISTER_MODULE(MP_QSTR__aioscope, asc_mpy_module);
/* clang-format on */

#endif
