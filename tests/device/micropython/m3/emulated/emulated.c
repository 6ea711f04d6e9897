/* What MicroPython's qemu port lacks on the emulated MPS2 board: a clock, a second UART
 * for the trace, Ctrl-C, and a look at the host's files. With -icount shift=0 an
 * instruction takes a nanosecond, so the clock counts them; those that look for room in
 * the heap are counted apart. */
#include "py/runtime.h"

#include "py/mphal.h"
#include "py/stream.h"
#include "shared/runtime/interrupt_char.h"

/* A counter of 25 MHz behind a prescaler. */
#define COUNTER (*(volatile uint32_t *)0x40028018)
#define PRESCALE (*(volatile uint32_t *)0x4002801C)
#define MHZ 25

typedef struct
{
  volatile uint32_t data, state, control, interrupt, divider;
} Uart;
#define UART0 ((Uart *)0x40004000)
#define UART1 ((Uart *)0x40005000)
#define UART_FULL 1u
#define UART_RECEIVED 2u
#define UART_SEND 1u

/* A timer that counts down, 40 instructions a tick. */
#define TIMER_CONTROL (*(volatile uint32_t *)0x40000000)
#define TIMER_VALUE (*(volatile uint32_t *)0x40000004)
#define TIMER_RELOAD (*(volatile uint32_t *)0x40000008)
#define PER_TICK 40

static uint32_t
micros (void)
{
  PRESCALE = MHZ - 1;
  return COUNTER;
}

mp_uint_t
mp_hal_ticks_us (void)
{
  return micros ();
}

mp_uint_t
mp_hal_ticks_ms (void)
{
  return micros () / 1000;
}

mp_uint_t
mp_hal_ticks_cpu (void)
{
  return micros ();
}

void
mp_hal_delay_us (mp_uint_t us)
{
  uint32_t began = micros ();
  while (micros () - began < us)
    ;
}

void
mp_hal_delay_ms (mp_uint_t ms)
{
  mp_hal_delay_us (ms * 1000);
}

uint64_t
mp_hal_time_ns (void)
{
  return (uint64_t)micros () * 1000;
}

/* What is typed to a program that does not read is lost, but for its end. */
void
emulated_wait (void)
{
  if (mp_interrupt_char >= 0 && UART0->state & UART_RECEIVED
      && (int)UART0->data == mp_interrupt_char)
    mp_sched_keyboard_interrupt ();
}

/* The heap: how long it takes to find room depends on its gaps, as they happen to be. */
static uint32_t searched, allocations;

void *__real_gc_alloc (size_t n, unsigned flags);
void *__wrap_gc_alloc (size_t n, unsigned flags);

void *
__wrap_gc_alloc (size_t n, unsigned flags)
{
  uint32_t began = TIMER_VALUE;
  void *found = __real_gc_alloc (n, flags);
  searched += began - TIMER_VALUE;
  allocations++;
  return found;
}

/* Instructions since the last call, in all tasks' allocations. */
static mp_obj_t
searching (void)
{
  mp_obj_t took = mp_obj_new_int_from_uint (searched * PER_TICK);
  TIMER_RELOAD = 0xFFFFFFFF;
  TIMER_CONTROL = 1;
  searched = 0;
  return took;
}
static MP_DEFINE_CONST_FUN_OBJ_0 (searching_obj, searching);

/* Allocations since the last call. */
static mp_obj_t
allocated (void)
{
  mp_obj_t count = mp_obj_new_int_from_uint (allocations);
  allocations = 0;
  return count;
}
static MP_DEFINE_CONST_FUN_OBJ_0 (allocated_obj, allocated);

/* Semihosting: calls that the emulator does. */
#define SYS_OPEN 0x01u
#define SYS_CLOSE 0x02u
#define SYS_READ 0x06u
#define SYS_LENGTH 0x0Cu
#define READ_BYTES 1u

static uint32_t
ask_host (uint32_t call, const uint32_t *args)
{
  register uint32_t r0 __asm__("r0") = call;
  register const uint32_t *r1 __asm__("r1") = args;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

/* file (path): what the host has there. */
static mp_obj_t
file (mp_obj_t path)
{
  size_t n;
  const char *name = mp_obj_str_get_data (path, &n);
  uint32_t fd = ask_host (SYS_OPEN, (uint32_t[]){ (uint32_t)name, READ_BYTES, n });
  if (fd == 0xFFFFFFFFu)
    mp_raise_OSError (MP_ENOENT);
  uint32_t length = ask_host (SYS_LENGTH, &fd);
  byte *bytes = m_new (byte, length);
  uint32_t left = ask_host (SYS_READ, (uint32_t[]){ fd, (uint32_t)bytes, length });
  ask_host (SYS_CLOSE, &fd);
  return mp_obj_new_bytes (bytes, length - left);
}
static MP_DEFINE_CONST_FUN_OBJ_1 (file_obj, file);

static mp_uint_t
uart_write (mp_obj_t self, const void *bytes, mp_uint_t n, int *error)
{
  (void)self;
  (void)error;
  for (mp_uint_t i = 0; i < n; i++)
    {
      if (UART1->state & UART_FULL)
        return i;
      UART1->data = ((const uint8_t *)bytes)[i];
    }
  return n;
}

static mp_uint_t
uart_ioctl (mp_obj_t self, mp_uint_t request, uintptr_t argument, int *error)
{
  (void)self;
  if (request == MP_STREAM_POLL)
    return argument & (UART1->state & UART_FULL ? 0 : MP_STREAM_POLL_WR);
  *error = MP_EINVAL;
  return MP_STREAM_ERROR;
}

static const mp_stream_p_t uart_stream = { .write = uart_write, .ioctl = uart_ioctl };

static mp_obj_t
uart_make_new (const mp_obj_type_t *type,
               size_t n_args,
               size_t n_kw,
               const mp_obj_t *args)
{
  (void)args;
  mp_arg_check_num (n_args, n_kw, 0, 0, false);
  UART1->divider = 16;
  UART1->control = UART_SEND;
  return MP_OBJ_FROM_PTR (mp_obj_malloc (mp_obj_base_t, type));
}

/* For programs and for the recorder in Python; the module uses the protocol. */
static const mp_rom_map_elem_t uart_table[] = {
  { MP_ROM_QSTR (MP_QSTR_write), MP_ROM_PTR (&mp_stream_write_obj) },
};
static MP_DEFINE_CONST_DICT (uart_dict, uart_table);

MP_DEFINE_CONST_OBJ_TYPE (emulated_uart_type,
                          MP_QSTR_UART1,
                          MP_TYPE_FLAG_NONE,
                          make_new,
                          uart_make_new,
                          protocol,
                          &uart_stream,
                          locals_dict,
                          &uart_dict);

static const mp_rom_map_elem_t table[] = {
  { MP_ROM_QSTR (MP_QSTR___name__), MP_ROM_QSTR (MP_QSTR_emulated) },
  { MP_ROM_QSTR (MP_QSTR_UART1), MP_ROM_PTR (&emulated_uart_type) },
  { MP_ROM_QSTR (MP_QSTR_file), MP_ROM_PTR (&file_obj) },
  { MP_ROM_QSTR (MP_QSTR_searching), MP_ROM_PTR (&searching_obj) },
  { MP_ROM_QSTR (MP_QSTR_allocated), MP_ROM_PTR (&allocated_obj) },
};
static MP_DEFINE_CONST_DICT (globals, table);

const mp_obj_module_t emulated_module = {
  .base = { &mp_type_module },
  .globals = (mp_obj_dict_t *)&globals,
};

/* clang-format off */
MP_REGISTER_MODULE(MP_QSTR_emulated, emulated_module);
/* clang-format on */
