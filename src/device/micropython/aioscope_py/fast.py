# The short ways in machine code: what run.py does, some times as fast, on no heap, and seen in no
# traceback. Ports that compile none refuse this file, and run.py is taken.
#
# Each does what is usual, and leaves the rest to the long way of tasks.py and ring.py.

from array import array
from time import ticks_ms

import micropython
from micropython import const

from .ring import S, us

_MARKER = const(0)
_POSITION = const(1)
_LAST = const(2)
_RUNNING = const(3)
_ADDRESS = const(4)
_IDLE = const(5)
_IDLE_FROM = const(6)
_IDLE_SUM = const(7)
_OPENED = const(8)
_R = const(9)
_N = const(10)
_MANY = const(11)
_W = const(12)
_PEAK = const(13)
_HI = const(14)
_STARTS = const(15)
_LONG = const(16)
_WINDOW_FROM = const(17)
_BASE = const(18)
_TOP = const(0x10000000)
_IN = const(0x20000000)
_BUSY = const(0x20000001)
_OFF = const(0x20000002)
_PLACE = const(0xFFFFF)
_EVENT = const(0x100000)
_FULL = const(234)
_NEW = const(-2)
_RAN = const(-3)

b = None  # the ring's bytes
entered = left = yielded = long_roll = press = idle_end = turn_window = None
unborn = died = None
until_complete = loop_begins = loop_ended = None


# Machine code of MicroPython before 1.21 would keep a number as if it were an object.
def keep(self, slot):
    self.slot = slot


@micropython.native
def resume(self, value):
    try:
        return self.coro.send(value)
    except BaseException as e:
        left(self, e)
        raise e


# What asyncio calls for each run.
@micropython.viper
def send(self, value):
    s = ptr32(S)
    base = int(s[_MARKER])
    slot = int(self.slot)
    if base == _OFF:
        if slot == _NEW:
            keep(self, _RAN)
        s[_RUNNING] = 1
        value = resume(self, value)
        s[_RUNNING] = 0
        if int(s[_MARKER]) != _OFF:
            yielded(-1)
        return value
    if slot < _RAN:
        slot = _NEW - slot >> 1
        if slot & 4095 < 0xC0:
            keep(self, slot)
    slot -= base
    s[_MARKER] = _BUSY
    t = int(us())
    d = t - int(s[_LAST])
    late = int(ticks_ms()) - int(self.task.ph_key)
    if slot < 0 or slot >= 0xC0 or d >> 13 or late >> 7:
        s[_MARKER] = base
        run = int(entered(self))
    else:
        p = int(s[_POSITION])
        q = p & _PLACE
        if s[_ADDRESS]:
            at = ptr8(s[_ADDRESS])
        else:
            at = ptr8(b)
        at[q] = slot
        q += 1
        if d >> 6:
            at[q] = d << 1 & 126 | 129
            q += 1
            d >>= 6
            at[q] = d
        else:
            at[q] = d << 1 | 1
        at[q + 1] = late
        s[_POSITION] = p - (p & _PLACE) + q + 2 + _EVENT
        s[_LAST] = t
        run = _IN - slot
        s[_MARKER] = run
    value = resume(self, value)
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
    q = p & _PLACE
    if s[_ADDRESS]:
        at = ptr8(s[_ADDRESS])
    else:
        at = ptr8(b)
    if d >> 6:
        at[q] = d << 1 & 126 | 128
        at[q + 1] = d >> 6
        p += _EVENT + 2
    else:
        at[q] = d << 1
        p += _EVENT + 1
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
        left(self, e)
        raise e
    yielded(run)
    return value


# An event of the loop that happens now: a tag of 0x20 to 0x37 and up to two numbers, -1 for none.
# Returns whether it was the usual case. An EXIT, which ends the task here, ends the run too.
@micropython.viper
def event(tag: int, x: int, y: int) -> bool:
    s = ptr32(S)
    m = int(s[_MARKER])
    if m >= _BUSY:
        return False
    s[_MARKER] = _BUSY
    t = int(us())
    d = t - int(s[_LAST])
    p = int(s[_POSITION])
    if d >> 29 or int(s[_IDLE]) or p & 255 > _FULL - 4 or (tag < 0x23 and int(s[_LONG])):
        s[_MARKER] = m
        return False
    if s[_ADDRESS]:
        at = ptr8(s[_ADDRESS])
    else:
        at = ptr8(b)
    q = p & _PLACE
    at[q] = tag << 1 | 1 if m > _TOP else 0xC0 + tag
    q += 1
    while d > 127:
        at[q] = d & 127 | 128
        d >>= 7
        q += 1
    at[q] = d
    if x >= 0:
        q += 1
        while x > 127:
            at[q] = x & 127 | 128
            x >>= 7
            q += 1
        at[q] = x
    if y >= 0:
        q += 1
        while y > 127:
            at[q] = y & 127 | 128
            y >>= 7
            q += 1
        at[q] = y
    if tag < 0x23:
        m = int(s[_BASE])
    p += q + 1 - (p & _PLACE) + _EVENT
    s[_POSITION] = p
    s[_LAST] = t
    s[_MARKER] = m
    if p & 255 > _FULL:
        roll()
    return True


# START of a new task, in the same way; its parent runs.
@micropython.viper
def started(slot: int, instance: int, name: int, parent: int) -> bool:
    s = ptr32(S)
    m = int(s[_MARKER])
    if m >= _BUSY:
        return False
    s[_MARKER] = _BUSY
    t = int(us())
    d = t - int(s[_LAST])
    p = int(s[_POSITION])
    if d >> 29 or int(s[_IDLE]) or p & 255 > _FULL - 12:
        s[_MARKER] = m
        return False
    if s[_ADDRESS]:
        at = ptr8(s[_ADDRESS])
    else:
        at = ptr8(b)
    q = p & _PLACE
    at[q] = 0x38 << 1 | 1 if m > _TOP else 0xC0 + 0x38
    q += 1
    while d > 127:
        at[q] = d & 127 | 128
        d >>= 7
        q += 1
    at[q] = d
    begin = q + 1
    q = begin
    i = 0
    v = slot
    while i < 5:
        q += 1
        while v > 127:
            at[q] = v & 127 | 128
            v >>= 7
            q += 1
        at[q] = v
        i += 1
        if i == 1:
            v = instance
        elif i == 2:
            v = name
        elif i == 3:
            v = _IN - m + 1 if m > _TOP else 0
        else:
            v = parent
    at[begin] = q - begin
    p += q + 1 - (p & _PLACE) + _EVENT
    s[_POSITION] = p
    s[_LAST] = t
    s[_STARTS] = int(s[_STARTS]) + 1 & 0xFFFF
    s[_MARKER] = m
    if p & 255 > _FULL:
        roll()
    return True


# Closes the open frame and opens the next.
@micropython.viper
def roll():
    s = ptr32(S)
    m = int(s[_MARKER])
    s[_MARKER] = _BUSY
    p = int(s[_POSITION])
    w = int(s[_W])
    closed = w - int(s[_R]) + 1  # MicroPython 1.19 gets w + 1 - int(s[_R]) wrong
    if int(s[_LONG]) or m >= _BUSY or closed == int(s[_N]) or p < _EVENT:
        s[_MARKER] = m
        long_roll()
        return
    if s[_ADDRESS]:
        at = ptr8(s[_ADDRESS])
    else:
        at = ptr8(b)
    q = (w & int(s[_N]) - 1) << 8
    at[q + 2] = (p & _PLACE) - q - 8
    at[q + 14] = p >> 20
    at[q + 15] = 0
    at[q + 16] = 0
    at[q + 17] = 0
    w += 1
    s[_W] = w
    if closed > int(s[_PEAK]):
        s[_PEAK] = closed
    q = (w & int(s[_N]) - 1) << 8
    low = int(s[_LAST])
    high = int(s[_HI])
    at[q] = 0xF9
    at[q + 1] = 2
    at[q + 6] = 0
    at[q + 7] = 0
    at[q + 8] = low & 255
    at[q + 9] = low >> 8 & 255
    at[q + 10] = low >> 16 & 255
    at[q + 11] = low >> 24 | high << 6 & 192
    at[q + 12] = high >> 2 & 255
    at[q + 13] = high >> 10 & 255
    starts = int(s[_STARTS])
    at[q + 18] = starts & 255
    at[q + 19] = starts >> 8 & 255
    at[q + 20] = 0
    q += 21
    if m > _TOP:
        slot = _IN - m
        at[q - 1] = 1
        if slot > 127:
            at[q] = slot & 127 | 128
            slot >>= 7
            q += 1
        at[q] = slot
        q += 1
    s[_POSITION] = q
    s[_OPENED] = low
    s[_MARKER] = m
    if closed == int(s[_MANY]):
        press(True)


# A wait of the loop: an idle stretch. What must be sent before it goes the long way.
@micropython.viper
def ipoll(self, ms):
    wait = int(ms)
    if wait == 0:
        return self.real(ms)
    s = ptr32(S)
    m = int(s[_MARKER])
    t = int(us())
    due = 0
    if int(s[_POSITION]) >> 20:
        due = (t - int(s[_OPENED]) & 0x3FFFFFFF) + wait * 1000 - 50000
    if m >= _TOP or wait < 0 or wait > 900 or int(s[_W]) != int(s[_R]) or due > 0 or int(s[_LONG]):
        return self.wait(ms)
    s[_IDLE_FROM] = t
    s[_IDLE] = 1
    found = self.real(ms)
    m = int(s[_MARKER])
    s[_MARKER] = _BUSY
    t = int(us())
    began = int(s[_IDLE_FROM])
    d = began - int(s[_LAST])
    lasted = t - began
    if m >= _TOP or int(s[_IDLE]) != 1 or d >> 29 or lasted >> 29:
        s[_MARKER] = m
        idle_end()
        return found
    s[_IDLE] = 0
    if lasted:
        s[_IDLE_SUM] = int(s[_IDLE_SUM]) + lasted
        p = int(s[_POSITION])
        q = p & _PLACE
        if s[_ADDRESS]:
            at = ptr8(s[_ADDRESS])
        else:
            at = ptr8(b)
        if d < 16:
            at[q] = 0xC0 + d
        else:
            at[q] = 0xC0 + 0x31
            q += 1
            while d > 127:
                at[q] = d & 127 | 128
                d >>= 7
                q += 1
            at[q] = d
            q += 1
            at[q] = 0
        q += 1
        while lasted > 127:
            at[q] = lasted & 127 | 128
            lasted >>= 7
            q += 1
        at[q] = lasted
        s[_POSITION] = p + q + 1 - (p & _PLACE) + _EVENT
        s[_LAST] = t
    s[_MARKER] = m
    if int(s[_POSITION]) & 255 > _FULL:
        roll()
    if (t - int(s[_WINDOW_FROM]) & 0x3FFFFFFF) > 1000000:
        turn_window(t)
    return found


@micropython.native
def run_until_complete(main_task=None):
    m = loop_begins()
    try:
        return until_complete(main_task)
    finally:
        loop_ended(m)


# By half bytes: of polynomial 07, and of EDB88320 mirrored.
_CRC8 = b"\x00\x07\x0e\x09\x1c\x1b\x12\x15\x38\x3f\x36\x31\x24\x23\x2a\x2d"
_CRC32 = array("I", (0, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4))
_CRC32.extend(array("I", (0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8)))
_CRC32.extend(array("I", (0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C)))


# The checks of the frame at q; returns its end.
@micropython.viper
def seal(b, q: int) -> int:
    at = ptr8(b)
    table8 = ptr8(_CRC8)
    table = ptr32(_CRC32)
    check = 255
    i = q + 1
    while i < q + 7:
        check ^= int(at[i])
        check = check << 4 & 255 ^ int(table8[check >> 4])
        check = check << 4 & 255 ^ int(table8[check >> 4])
        i += 1
    at[i] = check
    end = q + 8 + int(at[q + 2])
    crc = uint(0xFFFFFFFF)
    while q < end:
        crc ^= uint(at[q])
        crc = crc >> 4 ^ uint(table[int(crc) & 15])
        crc = crc >> 4 ^ uint(table[int(crc) & 15])
        q += 1
    crc ^= uint(0xFFFFFFFF)
    at[end] = crc & 255
    at[end + 1] = crc >> 8 & 255
    at[end + 2] = crc >> 16 & 255
    at[end + 3] = crc >> 24 & 255
    return end + 4
