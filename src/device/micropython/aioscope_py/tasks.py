# Tasks of the recorder in pure Python: what asyncio gets in place of coroutines and pollers.
#
# All but the short way of a run (run.py, fast.py) is here; it happens seldom.

import sys
from time import ticks_ms

from micropython import const

from .ring import S, us

try:
    from . import fast as short
except (ImportError, SyntaxError):  # a port that compiles no machine code
    from . import run as short

_MARKER = const(0)
_RUNNING = const(3)
_ADDRESS = const(4)
_IDLE = const(5)
_IDLE_FROM = const(6)
_IDLE_SUM = const(7)
_WINDOW_FROM = const(17)
_TOP = const(0x10000000)
_IN = const(0x20000000)
_BUSY = const(0x20000001)
_OFF = const(0x20000002)
_TASK = const(0)  # the kind of a name
# A task's `slot`: the slot and the session's base when it has run, else below. _ENDED: no more
# runs. _NEW - 2 * (base + slot): it did not run yet. One less: it ran, and has a slot too high
# for the short way.
_ENDED = const(-1)
_NEW = const(-2)
_RAN = const(-3)  # and has no slot

ring = None
sender = None
core = None
real_task = None
cancelled = None
more = 0  # the name of tasks that share a slot
busy_share = (None, None)
_awaited = None  # a coroutine of wait_for, and what it waits for
_funcs = None


def _generator():
    yield


_gen_type = type(_generator())


class Coro:
    # What asyncio gets in place of each task's coroutine.
    def __init__(self, coro):
        self.coro = coro
        self.slot = _NEW
        self.task = None

    send = short.send
    throw = short.throw

    def close(self):
        self.coro.close()
        died(self, None)

    def __iter__(self):
        return self

    def __next__(self):
        return self.send(None)

    def __repr__(self):
        return repr(self.coro)

    def __getattr__(self, name):
        return getattr(self.coro, name)


def begin(new_ring, new_sender):
    global ring, sender, more, busy_share
    ring, sender = new_ring, new_sender
    short.b = ring.b
    S[_ADDRESS] = _address(ring.b)
    press(False)
    more = 0
    busy_share = (None, None)


# Where bytes are, if 31 bits can tell it.
def _address(data):
    try:
        from uctypes import addressof

        at = addressof(data)
        return at if at >> 30 == 0 else 0
    except ImportError:
        return 0


# When the ring fills and the loop never idles, sending must not wait for that.
def press(on):
    Poller.ipoll = Poller.send_now if on else short.ipoll


# The task runs already when recording starts.
def run_from_here(self):
    slot = adopt(self)
    self.slot = _NEW - 1 - 2 * (ring.base + slot)
    ring.take()
    ring.enter(slot, 0, us())
    ring.give()


def roll():
    ring.take()
    ring.roll()
    ring.give()


# Gives the task a slot in this session, from wherever it is made or first runs; outside of take()
# and give().
def adopt(self):
    r = ring
    ran = self.slot >= 0 or self.slot & 1
    try:
        name = _name_coro(self.coro)
    except MemoryError:
        name = 0
    m = S[_MARKER]
    fresh = r.take_slot(name)
    slot = r.slot
    if fresh:
        parent = _IN - m if _TOP < m <= _IN else -1
        r.parent[slot] = parent + 1
        r.parent_instance[slot] = of = 0 if parent < 0 else r.instance[parent]
        if not short.started(slot, r.instance[slot], name, of):
            r.take()
            r.start(us())
            r.give()
    if slot == r.tasks - 1 and r.name[slot] != more:
        _share()
    self.slot = _NEW - 2 * (r.base + slot) - (1 if ran else 0)
    return slot


# The slot of all tasks that find no other has a name of its own.
def _share():
    global more
    if not more:
        more = name_id(_TASK, "(more tasks)")
    ring.name[ring.tasks - 1] = more
    ring.take()
    ring.put(0x37, us(), ring.tasks - 1, more)
    ring.give()


# The slot of the task in this session, or -1: it has none.
def slot_of(self):
    slot = self.slot
    if slot < _NEW:
        slot = _NEW - slot >> 1
    slot -= ring.base
    return slot if 0 <= slot < 4096 else -1


# ENTER by the long way. Returns what send() must find in S[0] at the run's end for the short
# way, -1 for the long one, -2 for none.
def entered(self):
    if self.slot == _ENDED:
        return -2
    if S[_MARKER] == _OFF:
        if self.slot == _NEW:
            self.slot = _RAN
        S[_RUNNING] = 1
        return -1
    r = ring
    slot = slot_of(self)
    if slot < 0:
        slot = adopt(self)
    r.take()
    nested = r.marker > _TOP
    try:
        if slot < 0xC0:
            self.slot = r.base + slot
        else:
            self.slot = _NEW - 1 - 2 * (r.base + slot)
        late = (ticks_ms() - self.task.ph_key) & 0x3FFFFFFF
        if late > 0xFFFF:
            late = 0 if late > 0x1FFFFFFF else 0xFFFF
        r.enter(slot, late, us())
    except MemoryError:
        pass
    r.give()
    return -1 if nested or r.losing else S[_MARKER]


def _leave(how):
    r = ring
    r.take()
    try:
        if _TOP < r.marker <= _IN:
            r.exit(how, us())
    except MemoryError:
        pass
    r.give()


# EXIT by the long way: recording may have begun or ended during the run.
def yielded(run):
    S[_RUNNING] = 0
    if run != -2 and S[_MARKER] != _OFF:
        _leave(0)


def _how(e):
    if e is None or isinstance(e, StopIteration):
        return 1
    return 3 if isinstance(e, cancelled) else 2


def left(self, e):
    S[_RUNNING] = 0
    if self.slot != _ENDED:
        self.slot = _ENDED
        m = S[_MARKER]
        if m != _OFF:
            how = _how(e)
            slot = _IN - m
            # Not the shared slot, which lives on.
            if 0 <= slot < ring.tasks - 1 and short.event(0x1F + how, -1, -1):
                ring.free_slot(slot)
            else:
                _leave(how)


# Whether nothing of the coroutine runs when an exception is thrown into it.
def unborn(self):
    slot = self.slot
    return slot == _ENDED or slot <= _NEW and not slot & 1 and type(self.coro) is _gen_type


# The task ended outside a run.
def died(self, e):
    slot = -1
    if self.slot != _ENDED and S[_MARKER] != _OFF:
        slot = slot_of(self)
    self.slot = _ENDED
    if slot >= 0 and slot != ring.tasks - 1:
        ring.take()
        ring.put(0x35, us(), slot, 1 if e and _how(e) == 3 else 3)
        ring.free_slot(slot)
        ring.give()


# In place of core.Task.
def Task(coro, scope=None):
    wrapped = Coro(coro)
    task = real_task(wrapped, scope) if scope is not None else real_task(wrapped)
    wrapped.task = task
    # In the midst of a hook (an interrupt made the task) it gets its slot when it first runs.
    if S[_MARKER] < _BUSY or S[_MARKER] > _OFF:
        if not _funcs:
            _look_for_funcs()
        adopt(wrapped)
    return task


# wait_for makes its own task of a coroutine _run(waiter, task): it is told by what it waits for.
def _look_for_funcs():
    global _funcs
    _funcs = sys.modules.get(core.__name__.replace("core", "funcs"))
    run = getattr(_funcs, "_run", None)
    if run:

        def traced(waiter, task):
            global _awaited
            _awaited = (run(waiter, task), task)
            return _awaited[0]

        _funcs._run = traced


def _name_coro(coro):
    global _awaited
    if type(coro) is not _gen_type:
        return name_id(_TASK, type(coro).__name__)
    if _awaited and _awaited[0] is coro:
        inner = _awaited[1].coro
        _awaited = None
        text = _text_of(inner.coro if isinstance(inner, Coro) else inner)
        return name_id(_TASK | 1 << 4, text)
    text = _text_of(coro)
    if text == "_serve":
        return name_id(_TASK | 2 << 4, text)
    return name_id(_TASK, text)


# A coroutine's name stands in its text only: <generator object 'name' at 1234>.
def _text_of(coro):
    text = repr(coro)
    begin = text.find("'") + 1
    return text[begin : text.find("'", begin)]


def name_id(kind, text):
    try:
        return sender.names.id(kind, text)
    except MemoryError:
        return 0


class Poller:
    # In place of an IOQueue's poller: waiting is idle time, and the time to send.
    def __init__(self, real):
        self.real = real.ipoll
        self.poll = real.poll
        self.register = real.register
        self.unregister = real.unregister
        self.modify = real.modify
        self.first = self.rest = None

    ipoll = short.ipoll

    # With nothing to wait for only a small piece is sent.
    def send_now(self, ms):
        if ms or S[_MARKER] == _OFF:
            return self.wait(ms)
        if S[_MARKER] == _BUSY:
            ring.heal()
        turn_window(us())
        sender.send(267, False)
        return self.real(0)

    def wait(self, ms):
        if S[_MARKER] == _OFF:
            return self.real(ms)
        if S[_MARKER] == _BUSY:
            ring.heal()
        if ms > 0:
            began = ticks_ms()
            piece = sender.before_wait(ms)
            ms -= (ticks_ms() - began) & 0x3FFFFFFF  # what sending took
            idle_begin(0)
            try:
                return self.real(max(0, min(ms, piece)))
            finally:
                idle_end()
        # Without a limit it must not end without an event.
        while S[_MARKER] != _OFF:
            piece = sender.before_wait(-1)
            idle_begin(1)
            try:
                self.rest = self.real(piece)
            finally:
                idle_end()
            for self.first in self.rest:
                return self
        return self.real(ms)

    def __iter__(self):
        return self

    def __next__(self):
        first = self.first
        if first is None:
            return next(self.rest)
        self.first = None
        return first


def idle_begin(reason):
    r = ring
    r.take()
    S[_IDLE_FROM] = us()
    S[_IDLE] = reason + 1
    r.give()


def idle_end():
    r = ring
    if S[_MARKER] == _OFF:
        return
    if S[_MARKER] == _BUSY:
        r.heal()
    r.take()
    if S[_IDLE]:
        t = us()
        r.idle_until(t)
        S[_IDLE] = 0
        turn_window(t)
    r.give()


# The load: a window ends when it is a second long.
def turn_window(t):
    global busy_share
    window = (t - S[_WINDOW_FROM]) & 0x3FFFFFFF
    if window < 1000000:
        return
    share = (window - S[_IDLE_SUM]) / window
    worst = busy_share[1]
    busy_share = (share, share if worst is None or share > worst else worst)
    S[_IDLE_SUM] = 0
    S[_WINDOW_FROM] = t


# Where the loop is a browser's, it goes on by a timer's call of _run_iter: between two calls is idle
# time.
def install_browser():
    run = core._run_iter

    def traced():
        idle_end()
        run()
        if S[_MARKER] == _OFF:
            return
        task = core._task_queue.peek()
        ms = max(0, (task.ph_key - ticks_ms()) & 0x3FFFFFFF) if task else -1
        sender.before_wait(ms if ms < 0x20000000 else 0, 8192)
        idle_begin(0 if task else 1)

    core._run_iter = traced


# A KeyboardInterrupt may have come at any place of the last loop; what it left is put right before
# this one. Returns what runs around the loop.
def loop_begins():
    if S[_MARKER] == _OFF:
        return _OFF
    if S[_MARKER] == _BUSY:
        ring.heal()
    if not _TOP < S[_MARKER] <= _IN:
        sender.at_work = False
    return S[_MARKER]


def loop_ended(m):
    if S[_MARKER] == _OFF:
        return
    if S[_MARKER] == _BUSY:
        ring.heal()
    idle_end()
    if _TOP < m <= _IN:
        return
    while _TOP < S[_MARKER] <= _IN:  # a run whose end was not told
        _leave(2)
    sender.at_work = False
    sender.flush(20, False)


short.entered, short.left, short.yielded = entered, left, yielded
short.unborn, short.died = unborn, died
short.loop_begins, short.loop_ended = loop_begins, loop_ended
short.long_roll, short.press = roll, press
short.idle_end, short.turn_window = idle_end, turn_window
