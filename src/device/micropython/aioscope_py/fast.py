# The short way of a run in machine code: what run.py does, a few times as fast, on no heap, and
# seen in no traceback. Ports that compile none refuse this file, and run.py is taken.

from array import array
from time import ticks_ms

import micropython
from micropython import const

from .ring import S, us

_MARKER = const(0)
_POSITION = const(1)
_LAST = const(2)
_PRESSING = const(3)
_IN = const(0x20000000)
_BUSY = const(0x20000001)
_PLACE = const(0xFFFFF)
_FULL = const(246)

b = None  # the ring's bytes
entered = left = yielded = roll = None
unborn = died = None
until_complete = loop_ended = None


@micropython.native
def resume(self, value, run):
    try:
        return self.coro.send(value)
    except BaseException as e:
        left(self, e, run)
        raise e


@micropython.viper
def send(self, value):
    s = ptr32(S)
    base = int(s[_MARKER])
    slot = int(self.slot) - base
    s[_MARKER] = _BUSY
    t = int(us())
    d = t - int(s[_LAST])
    late = int(ticks_ms()) - int(self.task.ph_key)
    if slot >> 12 | d >> 13 | late >> 7:
        s[_MARKER] = base
        run = int(entered(self))
    else:
        p = int(s[_POSITION])
        bytes8 = ptr8(b)
        q = p & _PLACE
        bytes8[q] = slot
        bytes8[q + 1] = d << 1 & 126 | 129
        bytes8[q + 2] = d >> 6
        bytes8[q + 3] = late
        s[_POSITION] = p + 0x100004
        s[_LAST] = t
        run = _IN - slot
        s[_MARKER] = run
    value = resume(self, value, run)
    if int(s[_MARKER]) != run:
        yielded(run)
        return value
    s[_MARKER] = _BUSY
    t = int(us())
    d = t - int(s[_LAST])
    if d >> 13:
        s[_MARKER] = run
        yielded(run)
        return value
    p = int(s[_POSITION])
    bytes8 = ptr8(b)
    q = p & _PLACE
    bytes8[q] = d << 1 & 126 | 128
    bytes8[q + 1] = d >> 6
    p += 0x100002
    s[_POSITION] = p
    s[_LAST] = t
    s[_MARKER] = base
    if p & 255 > _FULL:
        roll()
    return value


@micropython.native
def throw(self, kind, error=None, traceback=None):
    if error is None:
        error = kind
    run = -2
    if unborn(self):
        try:
            return self.coro.throw(error)
        except BaseException as e:
            died(self, e)
            raise e
    run = entered(self)
    try:
        value = self.coro.throw(error)
    except BaseException as e:
        left(self, e, run)
        raise e
    yielded(run)
    return value


@micropython.native
def ipoll(self, ms=-1, flags=0):
    if ms or S[_PRESSING]:
        return self.wait(ms, flags)
    return self.real(0)


@micropython.native
def run_until_complete(main_task=None):
    try:
        return until_complete(main_task)
    finally:
        loop_ended()


# By half bytes.
_TABLE = array("I", (0, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4))
_TABLE.extend(array("I", (0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8)))
_TABLE.extend(array("I", (0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C)))


# The CRC-32 of b[q:end], put behind it.
@micropython.viper
def put_crc32(b, q: int, end: int):
    data = ptr8(b)
    table = ptr32(_TABLE)
    crc = uint(0xFFFFFFFF)
    while q < end:
        crc ^= uint(data[q])
        crc = crc >> 4 ^ uint(table[int(crc) & 15])
        crc = crc >> 4 ^ uint(table[int(crc) & 15])
        q += 1
    crc ^= uint(0xFFFFFFFF)
    data[end] = crc & 255
    data[end + 1] = crc >> 8 & 255
    data[end + 2] = crc >> 16 & 255
    data[end + 3] = crc >> 24 & 255
