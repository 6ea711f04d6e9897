# The short way of a run, in bytecode; fast.py has it, and more, in machine code. tasks.py chooses,
# and sets what is None here.

from time import ticks_ms

from micropython import const

from .ring import S, us

_MARKER = const(0)
_POSITION = const(1)
_LAST = const(2)
_RUNNING = const(3)
_IN = const(0x20000000)
_BUSY = const(0x20000001)
_OFF = const(0x20000002)
_PLACE = const(0xFFFFF)
_FULL = const(234)
_NEW = const(-2)
_RAN = const(-3)

b = None  # the ring's bytes
entered = left = yielded = long_roll = press = idle_end = turn_window = None
unborn = died = None
until_complete = loop_begins = loop_ended = None


# What asyncio calls for each run. An ENTER of 4 bytes and an EXIT of 2 fit, always; longer times,
# high slots and all that is not so simple go the long way.
def send(self, value):
    s = S
    base = s[_MARKER]
    slot = self.slot
    if base == _OFF:
        if slot == _NEW:
            self.slot = _RAN
        s[_RUNNING] = 1
        try:
            value = self.coro.send(value)
        except BaseException as e:
            left(self, e)
            raise
        s[_RUNNING] = 0
        if s[_MARKER] != _OFF:
            yielded(-1)
        return value
    if slot < _RAN:
        slot = _NEW - slot >> 1
        if slot & 4095 < 0xC0:
            self.slot = slot
    slot -= base
    s[_MARKER] = _BUSY
    t = us()
    d = t - s[_LAST]
    late = ticks_ms() - self.task.ph_key
    if slot < 0 or slot >= 0xC0 or d >> 13 | late >> 7:
        s[_MARKER] = base
        run = entered(self)
    else:
        p = s[_POSITION]
        q = p & _PLACE
        b[q] = slot
        b[q + 1] = d << 1 & 126 | 129
        b[q + 2] = d >> 6
        b[q + 3] = late
        s[_POSITION] = p + 0x100004
        s[_LAST] = t
        run = _IN - slot
        s[_MARKER] = run
    try:
        value = self.coro.send(value)
    except BaseException as e:
        left(self, e)
        raise
    if s[_MARKER] != run:
        yielded(run)
        return value
    s[_MARKER] = _BUSY
    t = us()
    d = t - s[_LAST]
    if d >> 13:
        s[_MARKER] = run
        yielded(run)
        return value
    p = s[_POSITION]
    q = p & _PLACE
    b[q] = d << 1 & 126 | 128
    b[q + 1] = d >> 6
    p += 0x100002
    s[_POSITION] = p
    s[_LAST] = t
    s[_MARKER] = base
    if p & 255 > _FULL:
        long_roll()
    return value


def throw(self, kind, error=None, traceback=None):
    if error is None:
        error = kind
    if unborn(self):
        try:
            return self.coro.throw(error)
        except BaseException as e:
            died(self, e)
            raise
    run = entered(self)
    try:
        value = self.coro.throw(error)
    except BaseException as e:
        left(self, e)
        raise
    yielded(run)
    return value


def ipoll(self, ms):
    if ms:
        return self.wait(ms)
    return self.real(0)


# In bytecode the long way is as short.
def event(tag, x, y):
    return False


def started(slot, instance, name, parent):
    return False


# In place of core.run_until_complete: after the loop's end nobody waits any more.
def run_until_complete(main_task=None):
    m = loop_begins()
    try:
        return until_complete(main_task)
    finally:
        loop_ended(m)
