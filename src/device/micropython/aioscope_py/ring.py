# The ring of aioscope's recorder in pure Python: what hooks write, as it goes onto the wire
# (../../wire/PROTOCOL.md).
#
# It is made of places of 256 bytes, a frame in each: hooks write into the open one, the sender
# takes the closed ones. Whatever is in order here is in order on the wire, so that TASKS and
# LOST hold for their place. Nothing here allocates but for integers of more than 30 bits.

from array import array
from time import ticks_add, ticks_us

from micropython import const

_PERIOD = const(0x40000000)  # of the ticks here; on 32 bits, of ticks_us() too
# What S holds: all that hooks look at, in words that fast.py can reach.
_MARKER = const(0)
_POSITION = const(1)
_LAST = const(2)  # ticks at the end of the last event
_IDLE = const(5)  # 0, or the reason + 1
_IDLE_FROM = const(6)
_IDLE_SUM = const(7)  # of the load's window
_OPENED = const(8)  # ticks at which the open frame begins
_R = const(9)  # frames that were sent: the first that waits is in place S[_R] % n
_N = const(10)  # places
_MANY = const(11)  # frames that should not wait for the loop to idle
_W = const(12)  # frames that were closed; counts, so that one store changes them
_PEAK = const(13)  # most frames that waited
_HI = const(14)  # ticks above 30 bits
_STARTS = const(15)
_LONG = const(16)  # roll() must look at more than this
_BASE = const(18)  # S[0] when nothing runs
# S[0] is what a hook must know first. Less than _TOP: nothing runs, and a task's slot counts from
# it. _IN - slot: that one runs. Then: a hook is at work; not recording; the ring is full.
_TOP = const(0x10000000)
_IN = const(0x20000000)
_BUSY = const(0x20000001)
_OFF = const(0x20000002)
_LOSING = const(0x20000003)
# S[1] is the place of the next byte, and the events of the frame from bit 20 on.
_PLACE = const(0xFFFFF)
_EVENT = const(0x100000)
_FULL = const(234)  # from here on an ENTER, EXIT and IDLE might not fit
_FIRST = const(226)  # from here on another event might not
_STACK = const(8)

S = array("i", bytes(4 * 19))
S[_MARKER] = _OFF

if ticks_add(0, -1) == _PERIOD - 1:
    us = ticks_us
else:

    def us():
        return ticks_us() & 0x3FFFFFFF


def varint(b, q, v):
    while v > 127:
        b[q] = v & 127 | 128
        v >>= 7
        q += 1
    b[q] = v
    return q + 1


# v with a bit behind it, without growing beyond 30 bits.
def varint1(b, q, v, bit):
    low = v << 1 & 126 | bit
    v >>= 6
    if v:
        b[q] = low | 128
        return varint(b, q + 1, v)
    b[q] = low
    return q + 1


def zigzag(b, q, v):
    return varint1(b, q, v, 0) if v >= 0 else varint1(b, q, ~v, 1)


def put48(b, q, hi, lo):
    b[q] = lo & 255
    b[q + 1] = lo >> 8 & 255
    b[q + 2] = lo >> 16 & 255
    b[q + 3] = lo >> 24 | hi << 6 & 192
    b[q + 4] = hi >> 2 & 255
    b[q + 5] = hi >> 10 & 255


def get32(b, q):
    return b[q] | b[q + 1] << 8 | b[q + 2] << 16 | b[q + 3] << 24


def put32(b, q, v):
    b[q] = v & 255
    b[q + 1] = v >> 8 & 255
    b[q + 2] = v >> 16 & 255
    b[q + 3] = v >> 24 & 255


class Ring:
    # press(on): called when the ring is three quarters full, and when it is no more.
    def __init__(self, size, tasks, base, press):
        self.n = 4
        while self.n << 9 <= size and self.n < 4096:
            self.n <<= 1
        self.press = press
        self.b = bytearray(self.n << 8)
        self.base = base  # S[0] when nothing runs
        self.outer = []  # markers of runs around the one that runs
        self.sides = []
        # Tasks by slot; an instance of 0 is a free one. The last is shared.
        self.tasks = tasks
        self.instance = array("i", bytes(4 * tasks))
        self.name = array("H", bytes(2 * tasks))
        self.parent = array("H", bytes(2 * tasks))
        self.parent_instance = array("i", bytes(4 * tasks))
        self.marker = base
        self.losing = self.ended = False

    # Begins anew at t, with nothing running.
    def reset(self, t):
        self.marker = self.lost_marker = self.base  # S[0] when no hook is at work
        self.lost_outer = ()
        for i in range(_IDLE, _LONG + 1):
            S[i] = 0
        S[_BASE] = self.base
        S[_N] = self.n
        S[_MANY] = self.n - (self.n >> 2)
        self.spans = 0
        self.losing = self.ended = False
        self.lost = self.lost_starts = 0
        self.since = (0, 0)
        self.slot = 0  # the last that was taken
        self.urgent = False  # the host is to be told all tasks
        self.free = self.top = self.instances = 0
        S[_LAST] = t
        self.open()

    # Where a frame's place begins, by its number.
    def place(self, i):
        return (i & self.n - 1) << 8

    def closed(self):
        return S[_W] - S[_R]

    # Events that wait in closed frames from the index on, and of these the lost ones.
    def waiting(self, first):
        events = lost = 0
        for i in range(S[_R] + first, S[_W]):
            q = self.place(i)
            if self.b[q + 1] == 2:
                n = get32(self.b, q + 14)
                events += n
                if self.b[q + 7]:
                    lost += n
        return events, lost

    # Every hook stands between these.

    def take(self):
        m = S[_MARKER]
        S[_MARKER] = _BUSY
        if m < _BUSY:
            self.marker = m
        elif m == _BUSY:
            self.mend()

    def give(self):
        S[_MARKER] = _OFF if self.ended else _LOSING if self.losing else self.marker

    # A KeyboardInterrupt came in the midst of a hook: the frame is closed as far as it is whole.
    def mend(self):
        S[_IDLE] = 0  # an idle stretch that did not end is not told
        t = us()
        self.step(t)
        S[_LAST] = t
        if not self.losing:
            if S[_POSITION] & _PLACE & ~255 != self.place(S[_W]):
                S[_POSITION] = 0  # it is closed, and the next was not opened
            self.roll()

    # The same, when nothing runs but what is around this loop.
    def heal(self):
        self.marker = self.outer[-1] if self.outer else self.base
        self.mend()
        self.give()

    # Frames.

    def open(self, context=0):
        b = self.b
        q = self.place(S[_W])
        b[q] = 0xF9
        b[q + 1] = 2
        b[q + 6] = context
        b[q + 7] = 0
        put48(b, q + 8, S[_HI], S[_LAST])
        b[q + 18] = S[_STARTS] & 255
        b[q + 19] = S[_STARTS] >> 8 & 255
        depth = 0
        at = q + 21
        if not context:
            S[_OPENED] = S[_LAST]
            for m in self.outer:
                if depth < _STACK:
                    at = varint(b, at, _IN - m)
                    depth += 1
            if self.marker > _TOP and depth < _STACK:
                at = varint(b, at, _IN - self.marker)
                depth += 1
        b[q + 20] = depth
        S[_POSITION] = at

    # Whether the open frame holds anything.
    def filled(self):
        return S[_POSITION] >= _EVENT

    # count: what the frame adds to the running count; the sender puts that count in its place.
    def close(self, count):
        b = self.b
        q = self.place(S[_W])
        b[q + 2] = (S[_POSITION] & _PLACE) - q - 8
        put32(b, q + 14, count)
        self.advance()

    def advance(self):
        S[_W] += 1
        closed = self.closed()
        if closed > S[_PEAK]:
            S[_PEAK] = closed
        if closed == S[_MANY]:
            self.press(True)

    # Closes the open frame and opens the next one, or begins to lose.
    def roll(self):
        if self.losing:
            return
        if self.filled():
            self.close(S[_POSITION] >> 20)
        if S[_LONG]:
            for side in self.sides:
                if side.lock and not side.lock.acquire(False):
                    continue
                while (side.n or side.lost) and self.closed() < self.n:
                    self.roll_side(side)
                if side.lock:
                    side.lock.release()
            self.look()
        if self.closed() < self.n:
            self.open()
        else:
            self.losing = True
            self.lost = self.lost_starts = 0
            self.lost_marker = self.marker
            self.lost_outer = tuple(self.outer)

    # Whether the next roll() must be this one.
    def look(self):
        S[_LONG] = 1 if self.outer else 0
        for side in self.sides:
            if side.n or side.lost:
                S[_LONG] = 1

    def roll_side(self, side):
        last, hi, marker = S[_LAST], S[_HI], self.marker
        count = side.n
        self.marker = self.base
        self.outer, outer = (), self.outer
        if count:
            S[_LAST] = side.records[1]
            # The nearest to what is known.
            S[_HI] += (last - S[_LAST] + 0x20000000) >> 30
        self.open(side.context)
        done = 0
        while done < count and (S[_POSITION] & 255) < _FIRST:
            records = side.records
            i = 5 * done
            t = records[i + 1]
            if t < S[_LAST]:
                S[_HI] += 1
            d = (t - S[_LAST]) & 0x3FFFFFFF
            self.write(records[i], d, records[i + 2], records[i + 3], records[i + 4])
            S[_LAST] = t
            done += 1
        if count == 0:  # a LOST in a frame of its own
            done = side.lost
            side.lost = 0
            self.write(0x36, 0, 0, done, None)
            self.b[self.place(S[_W]) + 7] = 1
        for i in range(5 * done, 5 * count):
            side.records[i - 5 * done] = side.records[i]
        side.n = max(count - done, 0)
        S[_LAST] = last
        S[_HI] = hi
        self.marker = marker
        self.outer = outer
        self.close(done)

    # The sender has made room: says what is missing, and goes on.
    def resume(self):
        if self.closed() > min(self.n - 3, self.n - (self.n >> 2)):
            return
        self.take()
        t = us()
        self.step(t)
        if self.lost:
            hi, lo = self.since
            lasted = (S[_HI] - hi << 30) + t - lo
            now_hi, S[_HI] = S[_HI], hi
            S[_LAST] = lo
            marker, self.marker = self.marker, self.lost_marker
            outer, self.outer = self.outer, self.lost_outer
            self.open()
            self.write(0x36, 0, lasted, self.lost, None)
            self.b[self.place(S[_W]) + 7] = 1  # for the sender: a LOST
            S[_HI], self.marker, self.outer = now_hi, marker, outer
            self.close(self.lost)
            self.lost = 0
            S[_STARTS] = S[_STARTS] + self.lost_starts & 0xFFFF
            self.urgent = True
        S[_LAST] = t
        self.losing = False
        self.open()
        self.give()

    # The first closed frame was sent. Only the sender changes S[_R].
    def released(self):
        S[_R] += 1
        if S[_W] - S[_R] == S[_MANY] - 1:
            self.press(False)
        if self.losing:
            self.resume()

    # One frame TASKS from the slot on; returns the next slot, or 0 after the last. None: no room.
    def tell_tasks(self, slot):
        if self.losing or self.closed() + 2 >= self.n:
            return None
        self.take()
        if self.filled():
            self.close(S[_POSITION] >> 20)
        b = self.b
        at = self.place(S[_W])
        q = at + 16
        b[at] = 0xF9
        b[at + 1] = 4
        b[at + 6] = b[at + 7] = 0
        put48(b, at + 8, S[_HI], S[_LAST])
        b[at + 14] = S[_STARTS] & 255
        b[at + 15] = S[_STARTS] >> 8 & 255
        while slot < self.top and q < at + 226:
            if self.instance[slot]:
                q = varint(b, q, slot)
                q = self.put_task(b, q, slot)
            slot += 1
        if q > at + 16:
            b[at + 2] = q - at - 8
            self.advance()
        self.open()
        self.give()
        return slot if slot < self.top else 0

    # Time.

    # Ticks from the last event to t, by the shortest way.
    def step(self, t):
        d = t - S[_LAST]
        if d < -(_PERIOD >> 1):
            S[_HI] += 1
            return d + _PERIOD
        if d >= _PERIOD >> 1:
            S[_HI] = max(S[_HI] - 1, 0)
            d -= _PERIOD
        if d < 0:
            self.stepped_back(t, d)
            return 0
        return d

    # The counter stepped back; this is no wrap.
    def stepped_back(self, t, d):
        if self.losing:
            S[_LAST] = t
            return
        if (S[_POSITION] & 255) > _FIRST:
            self.roll()
        if not self.losing:
            q = S[_POSITION] & _PLACE
            self.b[q] = self.first(0x3A)
            self.b[q + 1] = 0
            end = zigzag(self.b, q + 4, d)
            self.b[q + 2] = end - q - 3
            self.b[q + 3] = 2
            S[_POSITION] = (S[_POSITION] & ~_PLACE) + end + _EVENT
        S[_LAST] = t
        if not self.losing:
            self.roll()

    def first(self, tag):
        return tag << 1 | 1 if self.marker > _TOP else 0xC0 + tag

    # Events: to be called between take() and give().

    def write(self, tag, d, a, b, z):
        buffer = self.b
        p = S[_POSITION]
        q = p & _PLACE
        buffer[q] = self.first(tag)
        q = varint(buffer, q + 1, d)
        if a >= 0:
            q = varint(buffer, q, a)
        if b >= 0:
            q = varint(buffer, q, b)
        if z is not None:
            q = zigzag(buffer, q, z)
        S[_POSITION] = (p & ~_PLACE) + q + _EVENT

    # Room for an event at t: the ticks since the last one, or -1: it is lost.
    def ready(self, t):
        if S[_IDLE]:
            self.idle_until(t)
        if not self.losing and (S[_POSITION] & 255) > _FIRST:
            self.roll()
        d = self.step(t)
        if not self.losing:
            return d
        if not self.lost:
            self.since = (S[_HI], t)
        S[_LAST] = t
        self.lost += 1
        return -1

    # tag, ticks, two numbers (-1: none) and a signed one, as the tag wants them.
    def put(self, tag, t, a=-1, b=-1, z=None):
        d = self.ready(t)
        if d >= 0:
            self.write(tag, d, a, b, z)
            self.done(t)

    def done(self, t):
        S[_LAST] = t
        if (S[_POSITION] & 255) > _FULL:
            self.roll()

    def enter(self, slot, late, t):
        if self.marker > _TOP or slot >= 0xC0:
            if len(self.outer) + (self.marker > _TOP) < _STACK:
                self.put(0x30, t, slot, late)
        else:
            d = self.ready(t)
            if d >= 0:
                p = S[_POSITION]
                q = p & _PLACE
                self.b[q] = slot
                q = varint1(self.b, q + 1, d, 1)
                q = varint(self.b, q, late)
                S[_POSITION] = (p & ~_PLACE) + q + _EVENT
                self.done(t)
        if self.marker > _TOP:
            self.outer.append(self.marker)
            S[_LONG] = 1
        self.marker = _IN - slot

    # how: 0 yield, 1 return, 2 raise, 3 cancel. Ends the innermost run, and but for yield the task.
    def exit(self, how, t):
        slot = _IN - self.marker
        if slot == self.tasks - 1:
            how = 0
        if len(self.outer) < _STACK:
            if how:
                self.put(0x1F + how, t)
            else:
                d = self.ready(t)
                if d >= 0:
                    p = S[_POSITION]
                    q = varint1(self.b, p & _PLACE, d, 0)
                    S[_POSITION] = (p & ~_PLACE) + q + _EVENT
                    S[_LAST] = t
        if self.outer:
            self.marker = self.outer.pop()
            self.look()
        else:
            self.marker = self.base
        if how:
            self.free_slot(slot)
        if not self.losing and (S[_POSITION] & 255) > _FULL:
            self.roll()

    # What sending took; began may lie before what an interrupt recorded meanwhile.
    def drained(self, began, took):
        self.take()
        t = began + took & 0x3FFFFFFF
        if (began - S[_LAST]) & 0x20000000:
            began = S[_LAST]
            took = (t - began) & 0x3FFFFFFF
        if not self.losing and took < 0x20000000:
            d = self.ready(began)
            if d >= 0:
                self.write(0x2B, d, took, -1, None)
                S[_LAST] = began
                self.step(t)
                self.done(t)
        self.give()

    # What is told of an idle stretch up to t.
    def idle_until(self, t):
        began = S[_IDLE_FROM]
        lasted = (t - began) & 0x3FFFFFFF
        S[_IDLE_FROM] = t
        S[_IDLE_SUM] += lasted
        if lasted == 0:
            return
        idle, S[_IDLE] = S[_IDLE], 0
        d = self.ready(began)
        S[_IDLE] = idle
        if d < 0:
            self.step(t)
            S[_LAST] = t
            return
        reason = idle - 1
        if d < 16:
            p = S[_POSITION]
            q = p & _PLACE
            self.b[q] = self.first(d | reason << 4)
            S[_POSITION] = (p & ~_PLACE) + varint(self.b, q + 1, lasted) + _EVENT
        else:
            self.write(0x31, d, reason, lasted, None)
        S[_LAST] = began
        self.step(t)
        self.done(t)

    # Tasks.

    # A slot for a new task; false: it is the shared one, and somebody's already.
    def take_slot(self, name):
        slot = self.free
        last = self.tasks - 1
        instance = self.instance
        while slot < last and instance[slot]:
            slot += 1
        self.slot = slot
        self.free = slot + 1 if slot < last else last
        if slot >= self.top:
            self.top = slot + 1
        if instance[slot]:
            return False
        self.instances += 1
        instance[slot] = self.instances
        self.name[slot] = name
        return True

    # START of the task in self.slot, child of what runs.
    def start(self, t):
        slot = self.slot
        d = self.ready(t)
        if d < 0:
            self.lost_starts += 1
            return
        p = S[_POSITION]
        q = p & _PLACE
        b = self.b
        b[q] = self.first(0x38)
        q = varint(b, q + 1, d)
        end = varint(b, q + 1, slot)
        end = self.put_task(b, end, slot)
        b[q] = end - q - 1
        S[_POSITION] = (p & ~_PLACE) + end + _EVENT
        S[_STARTS] = S[_STARTS] + 1 & 0xFFFF
        self.done(t)

    def put_task(self, b, q, slot):
        q = varint(b, q, self.instance[slot])
        q = varint(b, q, self.name[slot])
        q = varint(b, q, self.parent[slot])
        return varint(b, q, self.parent_instance[slot])

    def free_slot(self, slot):
        self.instance[slot] = 0
        if slot < self.free:
            self.free = slot
