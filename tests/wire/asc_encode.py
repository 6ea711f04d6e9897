"""An encoder of random streams, from PROTOCOL.md alone, and a line that damages them."""

import asc_frames as frames
import asc_payloads as payloads


def fixed(value, bits):
    return (value % 2**bits).to_bytes(bits // 8, 'little')


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return value << 1 if value >= 0 else (-value << 1) - 1


def string(text):
    data = text.encode()[:255]
    return bytes([len(data)]) + data


def frame(kind, sequence, session, context, payload):
    head = bytes([kind, len(payload)]) + fixed(sequence, 16) + bytes([session, context])
    data = bytes([frames.MARKER]) + head + bytes([frames.crc8(head)]) + payload
    return data + fixed(frames.crc32(data), 32)


class Board:
    """A board that does things at random, and sends them as frames."""

    def __init__(self, rng):
        self.rng = rng
        self.session = rng.getrandbits(32)
        self.log = []                    # (session, begin, end) of each event, modulo 2^48
        self.start()

    def start(self):
        rng = self.rng
        byte = self.session & 0xFF
        while self.session & 0xFF == byte:
            self.session = rng.getrandbits(32)
        self.sequence = 0
        self.count = self.dropped = 0
        self.starts = 0
        self.instances = 0
        self.ticks = self.begin = rng.choice([0, 12345, 2**48 - 5000, rng.getrandbits(48)])
        self.live = {}
        self.contexts = [0] + rng.sample([0x40, 0x50, 0x10, 0x81, 0x43], rng.randrange(3))
        self.stacks = {context: [] for context in self.contexts}

    def frame(self, kind, payload, context=0):
        data = frame(kind, self.sequence, self.session & 0xFF, context, payload)
        self.sequence = (self.sequence + 1) % 65536
        return data

    def hello(self):
        rng = self.rng
        version = rng.choice([1, 1, 1, 2, 31, 32])
        return self.frame(frames.HELLO, frames.CANARY + bytes([version, rng.choice([1, version])]) + b''.join(
            fixed(value, bits) for value, bits in (
                (self.session, 32), (1000000, 32), (1000, 32), (30, 8), (rng.randrange(5), 8),
                (rng.randrange(9999), 32), (133000000, 32), (rng.getrandbits(7), 32), (50, 16),
                (self.ticks, 48), (self.begin, 48), (self.count, 48), (self.dropped, 48)))
            + string('Board é') + string('firmware 1') + string('' if rng.random() < .5 else 'greenhouse')
            + rng.randbytes(rng.choice([0, 0, 3])))

    def names(self):
        rng = self.rng
        return self.frame(frames.NAMES, b''.join(
            varint(rng.randrange(1, 300)) + bytes([rng.randrange(7), rng.randrange(2)])
            + varint(rng.randrange(3000)) + varint(rng.getrandbits(32))
            + string('mod') + string('fün%d' % rng.randrange(99)) + string('main.py')
            for _ in range(rng.randrange(1, 4))))

    def tasks(self):
        live = list(self.live.items())
        self.rng.shuffle(live)
        return self.frame(frames.TASKS, fixed(self.ticks, 48) + fixed(self.starts, 16) + b''.join(
            varint(slot) + self.identity(*task) for slot, task in live[:8]))

    def identity(self, instance, name, parent, parent_instance):
        return varint(instance) + varint(name) \
            + varint(0 if parent is None else parent + 1) + varint(parent_instance)

    def later(self):
        return self.frame(self.rng.choice([0x05, 0x23, 0x7F]),
                          self.rng.randbytes(self.rng.randrange(256)))

    def malformed(self):
        """Payloads against the rules; what they would have said is lost."""
        rng = self.rng
        head = fixed(self.ticks, 48) + fixed(self.count, 32) + fixed(self.starts, 16)
        self.count += rng.randrange(3)
        kind, payload = rng.choice([
            (frames.EVENTS, head + b'\x09' + bytes(9)),
            (frames.EVENTS, head + b'\x01' + varint(65536)),
            (frames.EVENTS, head),
            (frames.EVENTS, head + b'\x00\xE0\x05'),
            (frames.EVENTS, head + b'\x00\x05'),
            (frames.EVENTS, head + b'\x00\xE4' + varint(2**47)),
            (frames.EVENTS, head + b'\x01\x03\x81\x01\x02'),
            (frames.EVENTS, head + b'\x00\xE8\x01' + varint(65536)),
            (frames.EVENTS, head + b'\x00\xF8\x01\x03\x01\x02\x03'),
            (frames.EVENTS, head + b'\x00\xF9\x01\x05abcd'),
            (frames.EVENTS, head + b'\x00\xF6\x01\x01\x00\xE3\x01'),
            (frames.EVENTS, head + b'\x00\x05' + b'\xFE' + b'\xFF' * 9 + b'\x01'),
            (frames.EVENTS, head + b'\x00\x05' + b'\xFE' + b'\xFF' * 8 + b'\x02'),
            (frames.EVENTS, head + b'\x08' + bytes(8) + b'\x51\x01\x02'),
            (frames.HELLO, frames.CANARY + bytes(70)),
            (frames.HELLO, b'x' * 90),
            (frames.HELLO, b''),
            (frames.NAMES, b'\x01\x00\x00\x00\x00\x01a\x02b'),
            (frames.NAMES, b'\x00\x00\x00\x00\x00\x00\x00\x00'),
            (frames.TASKS, head[:7]),
            (frames.TASKS, head[:8] + b'\x01\x02\x03')])
        return self.frame(kind, payload)

    def events(self):
        rng = self.rng
        context = rng.choice(self.contexts)
        stack = self.stacks[context]
        payload = fixed(self.ticks, 48) + fixed(self.count, 32) + fixed(self.starts, 16) \
            + bytes([len(stack)]) + b''.join(varint(slot) for slot in stack)
        for _ in range(rng.choice([0, 1, 5, 40, 99])):
            data, count, last = self.event(context, stack)
            if len(payload) + len(data) > 255:
                break
            payload += data
            self.commit(count)
            if last:
                break
        return self.frame(frames.EVENTS, payload, context)

    # An event is made first and committed when it fits.

    def commit(self, count):
        self.count += count
        self.effect()

    def delta(self):
        rng = self.rng
        return rng.choice([0, 1, rng.randrange(16), rng.randrange(300), rng.randrange(100000),
                           rng.randrange(10**7)])

    def event(self, context, stack):
        """Bytes of one random event, its count, and whether it ends the frame."""
        rng = self.rng
        delta = self.delta()
        length = 0
        self.effect = lambda: None

        def tag(number, *fields):
            head = varint(number << 1 | 1) if stack else bytes([0xC0 + number])
            return head + b''.join(fields)

        def advance(then=lambda: None):
            def effect():
                begin = self.ticks + delta
                self.ticks = begin + length
                self.log.append((self.session & 0xFF, begin % 2**48, self.ticks % 2**48))
                then()
            self.effect = effect

        d = varint(delta)
        dice = rng.random()
        if dice < 0.55:
            if stack and (rng.random() < 0.8 or len(stack) == 8):
                how = rng.randrange(20)
                slot = stack[-1]
                if how > 2:
                    advance(stack.pop)
                    return varint(delta << 1), 1, False

                def ended():
                    stack.pop()
                    self.live.pop(slot, None)
                advance(ended)
                return tag(0x20 + how, d), 1, False
            slot = rng.choice(list(self.live)) if self.live and rng.random() < .9 \
                else rng.choice([0, 0xBF, 0xC0, 65535])
            advance(lambda: stack.append(slot))
            late = rng.randrange(300)
            if not stack and slot < 0xC0 and rng.random() < .9:
                if rng.random() < .4:
                    return bytes([slot]) + varint(delta << 1 | 1) + varint(late), 1, False
                return bytes([slot]) + varint(delta << 1), 1, False
            if rng.random() < .5:
                return tag(0x28, d, varint(slot)), 1, False
            return tag(0x30, d, varint(slot), varint(late)), 1, False
        if dice < 0.65:
            return self.start_task(advance, tag, d)
        if dice < 0.75:
            length = self.delta()
            advance()
            if delta < 16:
                return tag(delta | rng.randrange(2) << 4, varint(length)), 1, False
            return tag(0x31, d, varint(rng.randrange(4)), varint(length)), 1, False
        if dice < 0.77:
            length = self.delta()
            count = rng.choice([1, 7, 300, 70000])

            def drop():
                self.dropped += count
                if rng.random() < .5:
                    self.starts = (self.starts + rng.randrange(3)) % 65536
                for other in self.stacks.values():
                    other[:] = other[:rng.randrange(len(other) + 1)]
            advance(drop)
            return tag(0x36, d, varint(length), varint(count)), count, True
        if dice < 0.78:
            jump = rng.randrange(-50000, 50000)

            def step():
                self.ticks += jump
            advance(step)
            data = varint(rng.randrange(4)) + varint(zigzag(jump)) + rng.randbytes(rng.randrange(2))
            return tag(0x3A, d, varint(len(data)), data), 1, True
        length = 0
        name, span = varint(rng.randrange(400)), varint(rng.getrandbits(32))
        value = varint(zigzag(rng.choice([0, -1, 1, rng.randrange(-10**9, 10**9),
                                          -2**63, 2**63 - 1])))
        live = list(self.live) or [3]
        slot = rng.choice(live)
        text = rng.choice([b'hello', 'grün'.encode(), b'', b'\xF9\x02', b'\xFF\xFE'])
        ended = None
        which = rng.randrange(15)
        if which == 0:
            length = self.delta()
        if which == 1:
            def ended():
                self.live.pop(slot, None)
        advance(ended or (lambda: None))
        return [
            lambda: tag(0x2B, d, varint(length)),
            lambda: tag(0x35, d, varint(slot), varint(rng.randrange(5))),
            lambda: tag(0x23, d), lambda: tag(0x24, d),
            lambda: tag(0x25 + rng.randrange(3), d),
            lambda: tag(0x29, d, span), lambda: tag(0x2C, d, name),
            lambda: tag(0x2A, d, varint(rng.randrange(800))),
            lambda: tag(0x2D + rng.randrange(3), d, varint(rng.getrandbits(rng.randrange(1, 65)))),
            lambda: tag(0x32, d, span, name), lambda: tag(0x33, d, name, value),
            lambda: tag(0x34, d, name, value), lambda: tag(0x37, d, varint(slot), name),
            lambda: tag(0x39, d, varint(len(text)), text),
            lambda: tag(0x3B + rng.randrange(5), d, varint(len(text)), text),
        ][which](), 1, False

    def start_task(self, advance, tag, d):
        rng = self.rng
        free = [slot for slot in list(range(4)) + [0xBF, 0xC0, 300, 65535]
                if slot not in self.live]
        slot = free[0] if free else 7
        parent = rng.choice([None] + list(self.live))
        task = (self.instances + 1, rng.randrange(400), parent,
                self.live[parent][0] if parent is not None else 0)

        def effect():
            self.instances += 1
            self.starts = (self.starts + 1) % 65536
            self.live[slot] = task
        advance(effect)
        data = varint(slot) + self.identity(*task) + rng.randbytes(rng.choice([0, 0, 2]))
        return tag(0x38, d, varint(len(data)), data), 1, False

    def pieces(self, count):
        """That many frames and texts, as (is a frame, bytes)."""
        rng = self.rng
        yield True, self.hello()
        for _ in range(count):
            dice = rng.random()
            if dice < 0.6:
                yield True, self.events()
            elif dice < 0.66:
                yield True, self.hello()
            elif dice < 0.72:
                yield True, self.tasks()
            elif dice < 0.76:
                yield True, self.names()
            elif dice < 0.78:
                yield True, self.later()
            elif dice < 0.80:
                yield True, self.malformed()
            elif dice < 0.82:
                self.start()
                if rng.random() < .7:
                    yield True, self.hello()
            else:
                yield False, rng.choice([
                    b'hello\r\n', 'température 21 °C\n'.encode(), b'\x1b[0m', b'\x00\x01\x02',
                    b'\xF9', b'\xF9\xF9', b'caf\xc3', '\u0085\x7f\u200b\ufffe'.encode(),
                    b'\xed\xa0\x80\xc0\x80', b'\xf4\x90\x80\x80\xf4\x8f\xbf\xbf'])


class Host:
    """Puts host frames between those of the board, as the writer of a file does."""

    def __init__(self, rng):
        self.rng = rng
        self.sequence = 0
        self.nonce = rng.randbytes(8)

    def frame(self, kind, body, nonce=None):
        data = frame(kind, self.sequence, 0, 0, (nonce or self.nonce) + body)
        self.sequence = (self.sequence + 1) % 65536
        return data

    def file(self):
        return self.frame(frames.FILE, b'\x01' + self.wall() + string('Pico · ttyACM0')
                          + string('aioscope 0.1.0'))

    def wall(self):
        return fixed(self.rng.choice([-1, 0, 1793000000 * 10**9, self.rng.getrandbits(62)]), 64)

    def any(self):
        rng = self.rng
        kind, body = rng.choice([
            (frames.ANCHOR, self.wall() + self.wall() + fixed(rng.getrandbits(40), 64)),
            (frames.LINK, bytes([rng.randrange(5)]) + self.wall() + self.wall() + string('ü')),
            (frames.CUT, bytes([rng.randrange(4)]) + rng.randbytes(28)),
            (frames.MARK, fixed(rng.randrange(9), 32) + fixed(rng.getrandbits(32), 32)
             + fixed(rng.getrandbits(48), 64) + fixed(rng.getrandbits(48), 64)
             + bytes([rng.randrange(2)]) + string('mark') + string('')),
            (rng.randrange(0x85, 0x100), rng.randbytes(rng.randrange(20))),
            (rng.randrange(0x80, 0x85), rng.randbytes(rng.randrange(9)))])
        if rng.random() < 0.1:
            return frame(kind, 0, 0, 0, (self.nonce + body)[:rng.randrange(12)])
        if rng.random() < 0.1:
            return self.file() if rng.random() < .5 else Host(rng).file()
        return self.frame(kind, body, rng.randbytes(8) if rng.random() < 0.1 else None)


def stream(rng, count=40, damage=0.15, host=False):
    """A random stream with random damage; with host frames it is a file."""
    out = []
    last = b''
    writer = Host(rng)
    if host and rng.random() < 0.9:
        out.append(writer.file())
    for is_frame, data in Board(rng).pieces(count):
        if rng.random() < damage:
            data = hurt(rng, data, last)
        out.append(data)
        if is_frame:
            last = data
        if host and rng.random() < 0.2:
            out.append(writer.any())
    whole = b''.join(out)
    if rng.random() < damage:
        whole = whole[rng.randrange(len(whole)):]
    if rng.random() < damage:
        whole = whole[:rng.randrange(len(whole) + 1)]
    return whole


def hurt(rng, data, last):
    at = rng.randrange(len(data))
    kind = rng.randrange(12)
    if kind >= 9 and len(data) >= frames.HEADER + frames.CHECK:
        return lie(rng, data)
    if kind == 0:
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1:]
    if kind == 1:
        return data[:at] + data[at + rng.choice([1, 2, 64]):]
    if kind == 2:
        return data[:at]
    if kind == 3:
        return data[:at] + rng.choice([b'text', b'\xF9', last, rng.randbytes(20),
                                       false_start(rng), false_start(rng)]) + data[at:]
    if kind == 4:
        return b''
    if kind == 5:
        return data + data
    if kind == 6:                                   # a right header, a wrong check
        return data[:-1] + bytes([data[-1] ^ 0x55])
    if kind == 7:
        return data + last
    return cooked(rng, data)


def false_start(rng):
    """A right header that no frame follows."""
    return frame(rng.randrange(5), rng.getrandbits(16), rng.randrange(256), 0,
                 bytes(rng.choice([0, 5, 40, 255])))[:frames.HEADER]


def cooked(rng, data):
    """What a terminal driver makes of bytes."""
    for find, put in rng.sample([(b'\n', b'\r\n'), (b'\r', b'\n'), (b'\x11', b''), (b'\x13', b''),
                                 (b'\x03', b''), (b'\x04', b''), (b'\x00', b''),
                                 (b'\xFF', b'\xFF\xFF'), (b'\xFF', b'')],
                                rng.choice([1, 1, 2, 3, 4])):
        data = data.replace(find, put)
    return bytes(byte & 0x7F for byte in data) if rng.random() < 0.2 else data


def lie(rng, data):
    """A frame that says something else, often nonsense, under right checks."""
    kind, sequence, session, context = data[1], frames.unsigned(data[3:5]), data[5], data[6]
    payload = bytearray(data[frames.HEADER:-frames.CHECK])
    what = rng.randrange(8)
    if what == 0:
        sequence = (sequence + rng.choice([-2, -1, 1, 2, 32768, rng.getrandbits(16)])) % 65536
    elif what == 1:
        session = rng.choice([session ^ 1, rng.randrange(256)])
    elif what == 2:
        context = rng.randrange(256)
    elif what == 3:
        kind = rng.choice([0x01, 0x02, 0x02, 0x03, 0x04, rng.randrange(256)])
    elif what == 4:
        payload = payload[:rng.randrange(len(payload) + 1)]
    elif what == 5:
        payload = payload[:13] + rng.randbytes(rng.randrange(60))
    else:
        for _ in range(rng.choice([1, 1, 3])):
            if payload:
                payload[rng.randrange(len(payload))] = rng.choice(
                    [0, 1, 8, 9, 0x7F, 0x80, 0xC0, 0xF9, 0xFF, rng.randrange(256)])
    return frame(kind, sequence, session, context, bytes(payload[:255]))
