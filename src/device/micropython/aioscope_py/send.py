# The sender of aioscope's recorder in pure Python: frames from the ring to the port, HELLO, NAMES
# and TASKS (../../wire/PROTOCOL.md). It writes what the port takes and never waits for it.

import errno
import select
import sys
from array import array
from time import sleep_ms, ticks_diff, ticks_ms

from micropython import const

from .ring import S, get32, put32, put48, us, varint

_LAST = const(2)
_OPENED = const(8)
_R = const(9)
_W = const(12)
_HI = const(14)
_LONG = const(16)
_PLACE = const(0xFFFFF)
_SECOND = const(1000000)
_ROUND = const(2500000)  # all names and tasks are told again
_SEAL_MS = const(50)  # a frame costs too much to be sent earlier
_PIECE = const(32)
_NAME = const(80)
_TAIL_MS = const(20)  # for the rest of a frame on a port shared with text
_DRAIN_US = const(100)  # a sending that took longer is an event
_AGAIN = (errno.EAGAIN, errno.ETIMEDOUT, errno.EINPROGRESS)
_CANARY = b"\n\r\x03\x04\x11\x13\x00\xff"
_NONE = {None: 0}
# CRC-8 of polynomial 07, by half bytes.
_CRC8 = b"\x00\x07\x0e\x09\x1c\x1b\x12\x15\x38\x3f\x36\x31\x24\x23\x2a\x2d"


# Names of tasks, marks and so on, found again without the heap: code that holds it locked may come
# here. Ids count from 1.
class Names:
    MODULES = ("", "wait_for", "asyncio.stream")

    def __init__(self, most):
        self.most = most
        self.n = 0
        self.texts = [None] * most
        self.kinds = bytearray(most)  # and the module's index << 4
        self.others = array("H", bytes(2 * most))  # the last id of the same text
        self.busy = False
        # A dict keeps the room of what is taken out.
        self.ids = ids = {}
        for i in range(most):
            ids[i] = i
        for i in range(most):
            del ids[i]

    # The id, or 0 when there is no more room.
    def id(self, kind, text):
        first = i = self.ids.get(text, 0)
        while i and self.kinds[i - 1] != kind:
            i = self.others[i - 1]
        if i or self.n == self.most or self.busy:
            return i
        self.busy = True
        try:
            n = self.n
            self.texts[n] = text
            self.kinds[n] = kind
            self.others[n] = first
            self.ids[text] = n + 1
            self.n = n + 1
        finally:
            self.busy = False
        return n + 1


class Sender:
    def __init__(self, ring, names, baud, session, program):
        self.ring = ring
        self.session = session
        self.cost_ns = 0
        self.step_ns = 1000
        self.capabilities = 0
        self.program = program
        self.cost = 160000000 // baud if baud else 0  # of a byte, in 1/16 µs
        self.credit = 0
        self.sequence = 0
        self.count = 0  # of events in frames that were sent
        self.dropped = 0
        self.bytes = 0
        self.error = 0
        self.names = names
        self.told = 0
        self.repeat = -1  # -1: names; else the next slot
        self.repeat_name = 0
        self.flight = None  # the bytes of what is being sent: the ring's, or out
        self.begin = self.offset = self.end = 0
        self.number = -1  # of the ring's frame that was prepared, with what it adds to the counts
        self.adds = self.adds_lost = 0
        self.next_count = self.next_dropped = 0
        self.left = 0
        self.stream = None
        self.poll = None
        self.part = False  # write(bytes, offset, n) is known
        self.whole = False
        self.at_work = False

    def begin_at(self, t):
        self.start = self.last = t  # of the session, of the clocks below
        self.prepare_hello()
        self.hello_in = 0  # µs; the same for the next of the round
        self.repeat_in = _SECOND

    # Streams.

    def attach(self, stream):
        poll = None
        whole = part = False
        if stream is not None:
            whole = stream is sys.stdout or stream is sys.stderr or _fileno(stream) in (1, 2)
            if stream is sys.stdout:
                stream = getattr(stream, "buffer", stream)
            if not hasattr(stream, "write"):
                raise OSError("stream operation not supported")
            try:
                poll = select.poll()
                poll.register(stream, select.POLLOUT)
                for _ in poll.ipoll(0):  # takes its memory the first time
                    pass
            except (OSError, TypeError, AttributeError):
                poll = None  # it cannot be asked: what write() says must do
            if hasattr(stream, "setblocking"):
                stream.setblocking(False)
            try:
                stream.write(b"", 0, 0)
                part = True
            except Exception:
                pass  # a stream in Python
        self.stream, self.poll, self.whole, self.part = stream, poll, whole, part
        self.error = 0
        self.begin_anew()

    def begin_anew(self):
        self.offset = self.begin
        self.hello_in = 0
        self.told = 0
        self.ring.urgent = True

    def give_up(self, error):
        self.stream = self.poll = None
        self.error = error
        self.begin_anew()

    def writable(self, ms):
        if self.poll:
            for _ in self.poll.ipoll(ms):
                return True  # or it is gone, which write() will tell
            return False
        return True

    # One write. From write() on to what it took nothing jumps, so that no KeyboardInterrupt can
    # come between.
    def write(self, n):
        try:
            if self.part:
                taken = self.stream.write(self.flight, self.offset, n)
                self.offset += _NONE.get(taken, taken)
            else:
                taken = self.stream.write(memoryview(self.flight)[self.offset : self.offset + n])
                self.offset += _NONE.get(taken, taken)
        except MemoryError:  # for instance while the heap is locked
            pass
        except OSError as e:
            error = e.args[0] if e.args else 5
            if error not in _AGAIN:
                self.give_up(error if isinstance(error, int) and error > 0 else 5)
        except Exception:
            self.give_up(5)

    # How many of n bytes may be written now.
    def allowance(self, n):
        whole = self.whole and self.offset == self.begin
        if n > self.left:
            if whole:
                return 0
            n = self.left
        if self.cost and self.credit < n * self.cost:
            if whole:
                return 0
            n = min(n, _PIECE)
            if self.credit < n * self.cost:
                return 0
        # Some USB drivers do not end a transfer of whole packets of 64.
        return n - 1 if n and not n & 63 else n

    # Sends what is in flight; true when the next frame can begin.
    def pump(self):
        while self.flight:
            if self.offset >= self.end:
                self.landed()
                continue
            n = self.allowance(self.end - self.offset)
            if not n or self.stream is None:
                return False
            if not self.writable(_TAIL_MS if self.whole and self.offset > self.begin else 0):
                return False
            before = self.offset
            self.write(n)
            taken = self.offset - before
            if taken <= 0:
                return False
            self.bytes += taken
            self.left -= taken
            self.credit -= taken * self.cost
            if taken < n and not self.whole:
                return False
        return True

    # The frame in flight was sent. Each step may be done again after a KeyboardInterrupt.
    def landed(self):
        b = self.flight
        q = self.begin
        self.sequence = (b[q + 3] | b[q + 4] << 8) + 1 & 0xFFFF
        if b is self.ring.b:
            self.count, self.dropped = self.next_count, self.next_dropped
            if S[_R] == self.number:
                self.ring.released()
        self.flight = None

    # Frames.

    # Header and checks of a frame that begins at q and has its length.
    def launch(self, b, q):
        b[q + 3] = self.sequence & 255
        b[q + 4] = self.sequence >> 8 & 255
        b[q + 5] = self.session & 255
        self.end = seal(b, q)
        self.begin = self.offset = q
        self.flight = b

    def launch_closed(self):
        ring = self.ring
        b = ring.b
        q = ring.place(S[_R])
        if self.number != S[_R]:
            events = b[q + 1] == 2
            self.adds = get32(b, q + 14) if events else 0
            self.adds_lost = self.adds if events and b[q + 7] else 0
            self.number = S[_R]
        if b[q + 1] == 2:
            put32(b, q + 14, self.count)
        self.next_count = self.count + self.adds
        self.next_dropped = self.dropped + self.adds_lost
        self.launch(b, q)

    # A length byte and UTF-8, cut at a character; without the heap.
    def put_text(self, q, text, most=_NAME):
        b = self.out
        begin = q + 1
        q = begin
        for i in range(len(text)):
            c = text[i]
            n = 1
            if not isinstance(c, int):
                c = ord(c)
                n += (c > 0x7F) + (c > 0x7FF) + (c > 0xFFFF)
            if q + n > begin + most:
                break
            for k in range(n - 1, 0, -1):
                b[q + k] = 0x80 | c & 63
                c >>= 6
            b[q] = c if n == 1 else 0xF00 >> n & 255 | c
            q += n
        b[begin - 1] = q - begin
        return q

    # All of HELLO that stays the same.
    def prepare_hello(self):
        b = self.out = bytearray(8 + 62 + 3 * (1 + _NAME) + 4)
        q = 8
        for byte in _CANARY:
            b[q] = byte
            q += 1
        b[1] = b[16] = b[17] = 1
        put32(b, 18, self.session)
        put32(b, 22, _SECOND)
        put32(b, 26, self.step_ns)
        b[30] = 30
        b[31] = 4
        put32(b, 32, self.cost_ns)
        put32(b, 36, _frequency())
        put32(b, 40, self.capabilities)
        b[44] = _SEAL_MS
        put48(b, 52, 0, self.start)
        q = 70
        for text in (_board(), "MicroPython " + _version(), self.program):
            q = self.put_text(q, text, min(_NAME, 255 + 8 - q - 3))
        b[2] = q - 8
        self.hello_frame = b
        self.out = bytearray(272)  # NAMES

    def hello(self):
        b = self.hello_frame
        ring = self.ring
        b[0] = 0xF9
        # The time up to which the stream tells: what waits is not older.
        if ring.closed() or ring.filled():
            q = ring.place(S[_R]) + 8
            for i in range(6):
                b[46 + i] = ring.b[q + i]
        else:
            t = us()
            put48(b, 46, S[_HI] + (t < S[_LAST]), t)
        put48(b, 58, self.count >> 30, self.count & 0x3FFFFFFF)
        put48(b, 64, self.dropped >> 30, self.dropped & 0x3FFFFFFF)
        self.launch(b, 0)
        self.hello_in = _SECOND

    # One frame NAMES from the index on; returns the next.
    def tell_names(self, i):
        b = self.out
        b[0] = 0xF9
        b[1] = 3
        names = self.names
        q = 8
        while i < names.n:
            text = names.texts[i]
            module = Names.MODULES[names.kinds[i] >> 4]
            if q + 12 + len(module) + min(4 * len(text), _NAME) > 255 + 8:
                break
            i += 1
            q = varint(b, q, i)
            b[q] = names.kinds[i - 1] & 15
            b[q + 1] = 1 if module else 0
            b[q + 2] = b[q + 3] = 0
            q = self.put_text(q + 4, module)
            q = self.put_text(q, text)
            q = self.put_text(q, "")
        b[2] = q - 8
        self.launch(b, 0)
        return i

    # Work.

    def clocks(self):
        now = us()
        passed = (now - self.last) & 0x3FFFFFFF
        self.last = now
        self.hello_in -= passed
        self.repeat_in -= passed
        if self.cost:
            most = 512 * self.cost
            self.credit = min(self.credit + (min(passed, _SECOND) << 4), most)

    # HELLO and names that the host has not heard of.
    def introduce(self):
        if self.hello_in <= 0:
            if not self.pump():
                return False
            self.hello()
        while self.told < self.names.n:
            if not self.pump():
                return False
            self.told = self.tell_names(self.told)
        return self.pump()

    # Tasks at once after a loss; names and tasks in turn, within a round.
    def tell_again(self):
        ring = self.ring
        if ring.urgent:
            slot = 0
            while slot is not None:
                slot = ring.tell_tasks(slot)
                if slot == 0:
                    ring.urgent = False
                    break
        if self.repeat_in > 0 or not self.pump():
            return
        sent = 256
        if self.repeat < 0:
            if self.repeat_name < self.names.n:
                self.repeat_name = self.tell_names(self.repeat_name)
            if self.repeat_name >= self.names.n:
                self.repeat_name = 0
                self.repeat = 0
        else:
            slot = ring.tell_tasks(self.repeat)
            if slot is not None:
                self.repeat = slot or -1
        frames = 2 + self.names.n // 4 + ring.top // 24
        # At most a twentieth of the link.
        self.repeat_in = max(_ROUND // frames, sent * self.cost * 20 >> 4)

    # Sends closed frames, and with everything the open one; at most cap bytes. True: nothing is left.
    def send(self, cap, everything):
        if self.at_work:
            return False
        self.at_work = True
        try:
            self.left = cap
            self.clocks()
            return self.stream is not None and self.work(everything)
        except MemoryError:
            return False
        finally:
            self.at_work = False

    def work(self, everything):
        ring = self.ring
        if not self.introduce():
            return False
        self.tell_again()
        while self.pump():
            if S[_W] == S[_R]:
                if not everything or not ring.filled() or ring.losing:
                    return True
                ring.take()
                ring.roll()
                ring.give()
            self.launch_closed()
        return False

    # Before each idle stretch. Returns for how long the loop may wait before the next try.
    def before_wait(self, ms, cap=0):
        ring = self.ring
        began = us()
        if S[_LONG]:  # other threads or interrupts have told something
            ring.take()
            ring.roll()
            ring.give()
        old = ms < 0 or ((began - S[_OPENED]) & 0x3FFFFFFF) + 1000 * ms >= 1000 * _SEAL_MS
        if not (S[_W] != S[_R] or self.flight or old):
            return 1000
        before = self.bytes
        done = self.send(cap or (8192 if ms < 0 or ms > 64 else max(ms * 128, 267)), old)
        if self.bytes == before:
            return 1000 if done or not old else 100
        took = (us() - began) & 0x3FFFFFFF
        if took >= _DRAIN_US:
            ring.drained(began, took)
        return 1000 if done or not old else 10

    def flush(self, ms, last):
        began = ticks_ms()
        if last:
            self.repeat_in = 1 << 29
        while True:
            done = self.send(1 << 28, True)
            if done and last:
                # The session's last frame tells the totals.
                self.hello_in = 0
                last = False
                continue
            if done or self.stream is None or ticks_diff(ticks_ms(), began) >= ms:
                return done
            sleep_ms(1)


# The checks of the frame at q; returns its end. fast.py has a way that allocates nothing.
def firmware_seal(b, q):
    crc = 255
    for i in range(q + 1, q + 7):
        crc ^= b[i]
        crc = crc << 4 & 255 ^ _CRC8[crc >> 4]
        crc = crc << 4 & 255 ^ _CRC8[crc >> 4]
    b[q + 7] = crc
    end = q + 8 + b[q + 2]
    put32(b, end, crc32(memoryview(b)[q:end]))
    return end + 4


# Where the firmware has no CRC-32. By half bytes, in halves that are small integers.
def own_crc32(data):
    low = high = 0xFFFF
    for byte in data:
        low ^= byte
        for _ in range(2):
            i = low & 15
            low = (low >> 4 | high << 12 & 0xF000) ^ _LOW[i]
            high = high >> 4 ^ _HIGH[i]
    return (high ^ 0xFFFF) << 16 | low ^ 0xFFFF


_LOW = (0, 0x1064, 0x20C8, 0x30AC, 0x4190, 0x51F4, 0x6158, 0x713C)
_LOW += (0x8320, 0x9344, 0xA3E8, 0xB38C, 0xC2B0, 0xD2D4, 0xE278, 0xF21C)
_HIGH = (0, 0x1DB7, 0x3B6E, 0x26D9, 0x76DC, 0x6B6B, 0x4DB2, 0x5005)
_HIGH += (0xEDB8, 0xF00F, 0xD6D6, 0xCB61, 0x9B64, 0x86D3, 0xA00A, 0xBDBD)

try:
    from binascii import crc32
except ImportError:
    crc32 = own_crc32
try:
    from .fast import seal
except (ImportError, SyntaxError):
    seal = firmware_seal


def _fileno(stream):
    try:
        return stream.fileno()
    except Exception:
        return -1


def _board():
    try:
        return sys.implementation._machine
    except AttributeError:
        try:
            from os import uname

            return uname().machine
        except (ImportError, AttributeError):
            return sys.platform


def _version():
    return ".".join([str(part) for part in sys.implementation.version[:3]])


def _frequency():
    try:
        from machine import freq

        hz = freq()
        return hz if isinstance(hz, int) else hz[0]
    except Exception:
        return 0
