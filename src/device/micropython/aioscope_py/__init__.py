# aioscope's recorder in pure Python: what the C module _aioscope offers, for any board at once.

import sys
from time import ticks_ms

from micropython import const

from . import tasks
from .ring import S, Ring, us
from .send import Names, Sender
from .tasks import Coro, Poller, Task, install_browser, name_id, short

try:
    from _thread import allocate_lock, get_ident
except ImportError:
    allocate_lock = None

    def get_ident():
        return 0


_MARKER = const(0)
_POSITION = const(1)
_RUNNING = const(3)
_IDLE = const(5)
_R = const(9)
_PEAK = const(13)
_LONG = const(16)
_WINDOW_FROM = const(17)
_TOP = const(0x10000000)
_IN = const(0x20000000)
_BUSY = const(0x20000001)
_OFF = const(0x20000002)
# Kinds of names.
_TASK = const(0)
_SPAN = const(1)
_MARK = const(2)
_PIN = const(3)
_COUNTER = const(4)
_CALIBRATE = const(32)
_SIDE = const(32)

_TEXTS = (str, bytes)  # a tuple that is made once

run_until_complete = short.run_until_complete
_decorate = None
_epoch = 0
_thread = 0
_lock = allocate_lock() if allocate_lock else None


# Events of interrupts that came into the midst of a hook, or of other threads: kept until the
# open frame is closed, for a frame of their own.
class Side:
    # lock: of a thread that may write at any time.
    def __init__(self, context, lock=None):
        self.context = context
        self.lock = lock
        self.records = [0] * (5 * _SIDE)
        self.n = 0
        self.lost = 0
        self.busy = False

    def put(self, tag, t, a, b, z):
        if self.busy or self.n == _SIDE:
            self.lost += 1
            S[_LONG] = 1
            return
        self.busy = True
        i = 5 * self.n
        records = self.records
        records[i] = tag
        records[i + 1] = t
        records[i + 2] = a
        records[i + 3] = b
        records[i + 4] = z
        self.n += 1
        S[_LONG] = 1
        self.busy = False


# Marks and the like, from wherever they come.


def _event(tag, a, b=-1, z=None):
    r = tasks.ring
    if _lock and get_ident() != _thread:
        t = us()
        # The loop holds it for a moment; an interrupt of this thread may never get it.
        for _ in range(50):
            if _lock.acquire(False):
                r.sides[1].put(tag, t, a, b, z)
                _lock.release()
                return
        r.sides[1].lost += 1
        S[_LONG] = 1
        return
    if z is not None and -0x10000000 < z < 0x10000000:
        b = z << 1 if z >= 0 else ~(z << 1)
        z = None
    if z is None and short.event(tag, a, b):
        return
    t = us()
    if S[_MARKER] == _BUSY:
        r.sides[0].put(tag, t, a, b, z)
        return
    r.take()
    try:
        r.put(tag, t, a, b, z)
    except MemoryError:
        pass
    r.give()


def _checked(name):
    if not isinstance(name, _TEXTS):
        raise TypeError("a name must be a str")
    return name


def _number(value):
    if not isinstance(value, int):
        raise TypeError("a value must be an int")
    if value >> 62 not in (0, 1, -1, -2):
        raise OverflowError("a value has up to 64 bits")
    return value


def mark(name, value=None):
    if S[_MARKER] == _OFF:
        return
    name = name_id(_MARK, _checked(name))
    if value is None:
        _event(0x2C, name)
    else:
        _event(0x33, name, -1, _number(value))


def level(name, value):
    if S[_MARKER] != _OFF:
        _event(0x2A, name_id(_PIN, _checked(name)) << 1 | bool(value))


def counter(name, value):
    if S[_MARKER] != _OFF:
        _event(0x34, name_id(_COUNTER, _checked(name)), -1, _number(value))


def set_name(name):
    _checked(name)
    r = tasks.ring
    m = S[_MARKER]
    if m == _OFF or m == _BUSY:
        return
    r.take()
    try:
        if r.marker > _TOP:
            name = name_id(_TASK, name)
            if name:
                slot = _IN - r.marker
                r.name[slot] = name
                r.put(0x37, us(), slot, name)
    except MemoryError:
        pass
    r.give()


class span:
    def __init__(self, name):
        self.name = _checked(name)
        self.id = 0

    def __enter__(self):
        self.id = 0
        if S[_MARKER] != _OFF:
            tasks.ring.spans += 1
            self.id = tasks.ring.spans
            _event(0x32, self.id, name_id(_SPAN, self.name))
        return self

    def __exit__(self, kind, error, traceback):
        if self.id and S[_MARKER] != _OFF:
            _event(0x29, self.id)
        self.id = 0
        return False

    def __call__(self, function):
        return _decorate(self.name, function)


# Figures without a host.


def stats():
    if S[_MARKER] == _OFF:
        return {}
    r = tasks.ring
    s = tasks.sender
    events, lost = r.waiting(1 if s.number == S[_R] else 0)
    events += s.count + r.lost
    lost += s.dropped + r.lost
    if s.number == S[_R]:  # a frame in flight
        events += s.adds
        lost += s.adds_lost
    if not r.losing:
        events += S[_POSITION] >> 20
    return {
        "events": events,
        "lost": lost,
        "bytes": s.bytes,
        "peak": (S[_PEAK] + 1) << 8,
        "ring": r.n << 8,
        "error": s.error,
    }


def load():
    r = tasks.ring
    if S[_MARKER] == _OFF:
        return (None, None)
    if not S[_IDLE]:
        tasks.turn_window(us())
    return tasks.busy_share


# The session.


def _in_range(value, least, most, what):
    if not isinstance(value, int):
        raise TypeError("%s must be an int" % what)
    if not least <= value <= most:
        raise ValueError("%s must be %d to %d" % (what, least, most))
    return value


def start(stream, size, baud, gc, slots, names, session, program):
    global _epoch, _thread
    _in_range(size, 256, 1 << 24, "ring")
    baud = 0 if baud is None else _in_range(baud, 300, 100000000, "baud")
    _in_range(slots, 2, 4096, "tasks")
    _in_range(names, 2, 1024, "names")
    base = (_epoch % 0x7FFF + 1) << 12
    ring = Ring(size, slots, base, tasks.press)
    if tasks.sender and session & 255 == tasks.sender.session & 255:
        session += 1
    sender = Sender(ring, Names(names), baud, session, program)
    sender.attach(sys.stdout if stream is None else stream)
    running = _running()
    # What is left of the last recording is told on its own stream, before this one begins.
    stop(100)
    _epoch += 1
    _thread = get_ident()
    ring.sides.append(Side(0x40))
    if allocate_lock:
        ring.sides.append(Side(0x80, _lock))
    tasks.begin(ring, sender)
    sender.step_ns = _step_ns()
    sender.cost_ns = _calibrate(ring, sender.step_ns)
    # IDLE, lateness, DRAIN, exit kinds, interrupts.
    sender.capabilities = 0x5B
    begin = us()
    ring.reset(begin)
    sender.begin_at(begin)
    S[_WINDOW_FROM] = begin
    S[_MARKER] = base
    if running:
        tasks.run_from_here(running)


# The task that runs now.
def _running():
    coro = getattr(getattr(tasks.core, "cur_task", None), "coro", None)
    if not isinstance(coro, Coro):
        return None
    if S[_MARKER] == _OFF:
        return coro if S[_RUNNING] else None
    runs = _TOP < S[_MARKER] <= _IN and tasks.slot_of(coro) == _IN - S[_MARKER]
    return coro if runs else None


# What one ENTER and EXIT take, without the coroutine.
def _calibrate(r, step_ns):
    def forever():
        while True:
            yield

    class Due:
        ph_key = ticks_ms()

    def measure(coro):
        began = us()
        for _ in range(rounds):
            for _ in range(_CALIBRATE):
                coro.send(None)
            r.reset(us())
            Due.ph_key = ticks_ms()  # never late
        return (us() - began) & 0x3FFFFFFF

    plain = forever()
    traced = Coro(forever())
    traced.task = Due
    r.reset(us())
    S[_MARKER] = traced.slot = r.base
    plain.send(None)
    traced.send(None)
    if step_ns < 1000000:
        rounds = 1
        took = min([max(0, measure(traced) - measure(plain)) for _ in range(4)])
    else:  # a coarse clock: many, and their mean
        rounds = 100
        took = 0
        for _ in range(4):
            took += measure(traced) - measure(plain)
        rounds = 400
    return max(0, took) * 1000 // (rounds * _CALIBRATE)


# Some ports count in whole milliseconds.
def _step_ns():
    begin = us()
    step = 0
    for _ in range(20000):
        step = (us() - begin) & 0x3FFFFFFF
        if step:
            break
    return 1000000 if step and step % 1000 == 0 else 1000


def stop(ms):
    if S[_MARKER] == _OFF:
        return
    ring = tasks.ring
    if S[_MARKER] == _BUSY:
        ring.heal()
    ring.take()
    ring.ended = True
    ring.give()
    tasks.sender.at_work = False
    tasks.sender.flush(ms, True)
    tasks.sender.stream = None


def flush(ms):
    return S[_MARKER] == _OFF or tasks.sender.flush(ms, False)


def attach(stream):
    if S[_MARKER] != _OFF:
        tasks.sender.attach(sys.stdout if stream is None else stream)


def detach():
    if S[_MARKER] != _OFF:
        tasks.sender.attach(None)


def install(task, cancelled, until_complete, decorate):
    global _decorate
    tasks.real_task, tasks.cancelled = task, (cancelled, GeneratorExit)
    short.until_complete = until_complete
    _decorate = decorate
    tasks.core = sys.modules.get("asyncio.core") or sys.modules.get("uasyncio.core")
