#include "mod_aioscope.h"

#include "py/mperrno.h"

#if ASC_MPY_LOADABLE
#if defined(__x86_64__) && defined(__linux__)
#define POSIX 1
#include "mod_aioscope_linux.h"
#endif
#elif defined(__unix__) && !defined(AIOSCOPE_NO_POSIX)
#define POSIX 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#define file_write write
#define file_poll poll
#define file_send send
#define file_control fcntl
#endif

/* Bytes to the port, never waiting for it. */

/* On a port shared with printed text, so long may the rest of a frame wait that was
 * begun: or text would land inside it. */
#define TAIL_MS 20

/* Bytes that the REPL's port takes now; a port that knows better defines it. */
#if !defined(AIOSCOPE_REPL_ROOM) && !ASC_MPY_LOADABLE
#if MICROPY_HW_USB_CDC && !defined(POSIX)
/* The search for names is not told where it is. */
#ifndef NO_QSTR
#include "tusb.h"
#endif
/* A frame may be longer than the buffer: an empty one does for it. */
#define AIOSCOPE_REPL_ROOM()                                                             \
  (!tud_cdc_connected () ? 0u                                                            \
   : tud_cdc_write_available () >= CFG_TUD_CDC_TX_BUFSIZE                                \
       ? (size_t)ASC_FRAME_MAX                                                           \
       : (size_t)tud_cdc_write_available ())
#else
#define AIOSCOPE_REPL_ROOM() ((size_t)ASC_FRAME_MAX)
#endif
#endif

#if ASC_MPY_LOADABLE
#define HAS_FILES asc_mpy_borrowed.linux_files
#else
#define HAS_FILES true
#endif

/* What was in flight on the old stream is sent whole on the new one, and all names and
 * tasks are told again. */
static void
begin_anew (AscMpy *m)
{
  AscRecorder *rec = &m->rec;
  if (!rec->started)
    return;
  rec->out_offset = 0;
  rec->next_hello = rec->now;
  rec->names_told = 0;
  rec->urgent = true;
}

#ifdef POSIX
static int
file_number (mp_obj_t stream)
{
  int error;
  const mp_stream_p_t *p = mp_get_stream (stream);
  mp_uint_t fd
      = p->ioctl ? p->ioctl (stream, MP_STREAM_GET_FILENO, 0, &error) : MP_STREAM_ERROR;
  if (fd != MP_STREAM_ERROR)
    return (int)fd;
  mp_obj_t method[2];
  mp_load_method_maybe (stream, MP_QSTR_fileno, method);
  return method[0] != MP_OBJ_NULL ? mp_obj_get_int (mp_call_method_n_kw (0, 0, method))
                                  : -1;
}
#endif

void
asc_mpy_attach (AscMpy *m, mp_obj_t stream)
{
  int fd = -1;
  bool shared = stream == mp_const_none;
#if ASC_MPY_LOADABLE
  if (shared && !HAS_FILES)
    {
      stream = asc_mpy_standard_output ();
      if (stream == MP_OBJ_NULL)
        mp_raise_ValueError (
            MP_ERROR_TEXT ("no sys.stdout.buffer in this firmware: give a stream"));
    }
#endif
  if (stream != MP_OBJ_NULL && stream != mp_const_none)
    {
      mp_get_stream_raise (stream, MP_STREAM_OP_WRITE);
#ifdef POSIX
      if (HAS_FILES)
        fd = file_number (stream);
#endif
    }
#ifdef POSIX
  if (stream == mp_const_none)
    fd = STDOUT_FILENO;
#endif
  m->config.whole_frames = shared || fd == 1 || fd == 2;
  m->fd = (int16_t)fd;
  m->stream = stream;
  m->error = 0;
  begin_anew (m);
}

static void
give_up (AscMpy *m, int error)
{
  m->stream = MP_OBJ_NULL;
  m->error = (int16_t)error;
  m->failures++;
  begin_anew (m);
}

#ifdef POSIX
static bool
writable (int fd, int ms)
{
  struct pollfd p = { .fd = fd, .events = POLLOUT };
  return file_poll (&p, 1, ms) > 0;
}

/* One write that does not wait, whatever mode the file is in; others may share it, so the
 * mode is put back. */
static ssize_t
write_once (int fd, const uint8_t *bytes, size_t n)
{
  ssize_t taken = file_send (fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (taken >= 0 || errno != ENOTSOCK)
    return taken;
  int flags = file_control (fd, F_GETFL, 0);
  bool waits = flags >= 0 && !(flags & O_NONBLOCK);
  if (waits)
    file_control (fd, F_SETFL, flags | O_NONBLOCK);
  taken = file_write (fd, bytes, n);
  int error = errno;
  if (waits)
    file_control (fd, F_SETFL, flags);
  errno = error;
  return taken;
}

static size_t
write_file (AscMpy *m, const uint8_t *bytes, size_t n)
{
  size_t done = 0;
  while (done < n)
    {
      bool tail = m->config.whole_frames && (done > 0 || m->rec.out_offset > 0);
      if (!writable (m->fd, tail ? TAIL_MS : 0))
        break;
      ssize_t taken = write_once (m->fd, bytes + done, n - done);
      if (taken < 0)
        {
          if (errno != EAGAIN && errno != EINTR)
            give_up (m, errno);
          break;
        }
      done += (size_t)taken;
      if (!m->config.whole_frames)
        break;
    }
  return done;
}
#endif

static bool
temporary (int error)
{
  return error == MP_EAGAIN || error == MP_ETIMEDOUT || error == MP_EWOULDBLOCK;
}

/* Whether the stream would take bytes now, as far as it tells. */
static bool
takes_bytes (mp_obj_t stream)
{
  const mp_stream_p_t *p = mp_get_stream (stream);
  int error = 0;
  if (!p->ioctl)
    return true;
  mp_uint_t ready = p->ioctl (stream, MP_STREAM_POLL, MP_STREAM_POLL_WR, &error);
  return ready == MP_STREAM_ERROR || (ready & MP_STREAM_POLL_WR) != 0;
}

static size_t
write_protocol (AscMpy *m, const uint8_t *bytes, size_t n)
{
  const mp_stream_p_t *p = mp_get_stream (m->stream);
  int error = 0;
  if (!takes_bytes (m->stream))
    return 0;
  mp_uint_t taken = p->write (m->stream, bytes, n, &error);
  if (taken != MP_STREAM_ERROR)
    return taken;
  if (!temporary (error))
    give_up (m, error);
  return 0;
}

/* A stream written in Python may raise whatever it likes. */
static size_t
write_caught (AscMpy *m, const uint8_t *bytes, size_t n)
{
  nlr_buf_t nlr;
  if (nlr_push (&nlr) == 0)
    {
      size_t taken = write_protocol (m, bytes, n);
      nlr_pop ();
      return taken;
    }
  mp_obj_t raised = MP_OBJ_FROM_PTR (nlr.ret_val);
  mp_obj_t type = MP_OBJ_FROM_PTR (mp_obj_get_type (raised));
  /* No memory, for instance while the heap is locked: later. */
  if (mp_obj_is_subclass_fast (type, MP_OBJ_FROM_PTR (&mp_type_MemoryError)))
    return 0;
  give_up (m, MP_EIO);
  /* Not the stream's: KeyboardInterrupt, SystemExit. */
  if (!mp_obj_is_subclass_fast (type, MP_OBJ_FROM_PTR (&mp_type_Exception)))
    mp_sched_exception (raised);
  return 0;
}

static size_t
write_bytes (void *user, const uint8_t *bytes, size_t n)
{
  AscMpy *m = user;
  if (m->stream == MP_OBJ_NULL)
    return 0;
  if (n > m->budget)
    {
      if (m->config.whole_frames && m->rec.out_offset == 0)
        return 0;
      n = m->budget % 64 == 0 && m->budget > 0 ? m->budget - 1 : m->budget;
    }
  if (n == 0)
    return 0;
  size_t taken;
#ifdef POSIX
  if (m->fd >= 0)
    taken = write_file (m, bytes, n);
  else
#endif
#if !ASC_MPY_LOADABLE
      if (m->stream == mp_const_none)
    {
      mp_hal_stdout_tx_strn ((const char *)bytes, n);
      taken = n;
    }
  else
#endif
    taken = write_caught (m, bytes, n);
  m->budget -= taken;
  m->bytes += taken;
  return taken;
}

size_t
asc_mpy_room (void *user)
{
  const AscMpy *m = user;
  if (m->stream == MP_OBJ_NULL)
    return 0;
#ifdef POSIX
  if (m->fd >= 0)
    return writable (m->fd, 0) ? ASC_FRAME_MAX : 0;
#endif
#if ASC_MPY_LOADABLE
  return takes_bytes (m->stream) ? ASC_FRAME_MAX : 0;
#else
  return AIOSCOPE_REPL_ROOM ();
#endif
}

bool
asc_mpy_drain (AscMpy *m, size_t cap, bool all)
{
  if (m->draining || asc_mpy_context (m) != ASC_MPY_LOOP)
    return false;
  uint32_t fill = asc_recorder_fill (&m->rec);
  if (fill > m->peak)
    m->peak = (uint16_t)(fill > 0xFFFF ? 0xFFFF : fill);
  m->draining = true;
  m->budget = cap;
  bool done = false;
  asc_recorder_drain (&m->rec, write_bytes, m, cap);
  if (all)
    done = asc_recorder_flush (&m->rec, write_bytes, m);
  m->draining = false;
  return done;
}

bool
asc_mpy_flush (AscMpy *m, mp_uint_t ms, bool stop)
{
  if (asc_mpy_context (m) != ASC_MPY_LOOP)
    return false;
  mp_uint_t began = mp_hal_ticks_ms ();
  for (;;)
    {
      bool done = false;
      if (!m->draining)
        {
          m->draining = true;
          m->budget = SIZE_MAX;
          done = stop ? asc_recorder_stop (&m->rec, write_bytes, m)
                      : asc_recorder_flush (&m->rec, write_bytes, m);
          m->draining = false;
        }
      if (done || m->stream == MP_OBJ_NULL || mp_hal_ticks_ms () - began >= ms)
        return done;
      mp_hal_delay_ms (1);
    }
}
