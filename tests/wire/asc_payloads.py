"""Payloads: of board frames by PROTOCOL.md §4 to §7, of host frames by FORMAT.md §1.

Each function takes a payload and returns what it says, or raises Malformed. Nothing here knows
of other frames.
"""

import collections

from asc_frames import CANARY, Malformed, Reader, signed

SLOT_MOST = NAME_MOST = 65535
SPAN_MOST = INSTANCE_MOST = NARROW = 2**32 - 1
TIME_MOST = 2**48 - 1
LATE_MOST = 65535                # ms; a larger lateness is shown as this
STACK_MOST = 8

Hello = collections.namedtuple(
    'Hello', 'version readable_by id tick_rate tick_step counter_bits recorder cost cpu_rate '
             'capabilities seal_age ticks start events dropped board firmware program')
Name = collections.namedtuple('Name', 'id kind flags line code module function file')
Task = collections.namedtuple('Task', 'slot instance name parent parent_instance')
Tasks = collections.namedtuple('Tasks', 'ticks starts tasks')
Events = collections.namedtuple('Events', 'ticks count starts stack events')

# `delta` is from the end of the event before; `values` are named, in the order of the text.
Event = collections.namedtuple('Event', 'kind delta duration values')


def hello(payload):
    r = Reader(payload)
    if r.bytes(8) != CANARY:
        raise Malformed('the canary is changed')
    h = Hello(version=r.u(8), readable_by=r.u(8), id=r.u(32), tick_rate=r.u(32),
              tick_step=r.u(32), counter_bits=r.u(8), recorder=r.u(8), cost=r.u(32),
              cpu_rate=r.u(32), capabilities=r.u(32), seal_age=r.u(16), ticks=r.u(48),
              start=r.u(48), events=r.u(48), dropped=r.u(48),
              board=r.string(), firmware=r.string(), program=r.string())
    if h.tick_rate == 0:
        raise Malformed('a tick rate of 0')
    return h


def names(payload):
    r = Reader(payload)
    found = []
    while r.left():
        name = Name(id=r.varint(NAME_MOST), kind=r.u(8), flags=r.u(8), line=r.narrow(),
                    code=r.narrow(), module=r.string(), function=r.string(), file=r.string())
        if name.id == 0:
            raise Malformed('a definition of name 0')
        found.append(name)
    return found


def task(r):
    """A record of TASKS; the bytes of START are the same."""
    slot = r.varint(SLOT_MOST)
    instance = r.varint(INSTANCE_MOST)
    name = r.varint(NAME_MOST)
    parent = r.varint(SLOT_MOST + 1)
    return Task(slot, instance, name, parent - 1 if parent else None,
                r.varint(INSTANCE_MOST))


def tasks(payload):
    r = Reader(payload)
    ticks, starts, found = r.u(48), r.u(16), []
    while r.left():
        found.append(task(r))
    return Tasks(ticks, starts, found)


def events(payload):
    r = Reader(payload)
    ticks, count, starts, depth = r.u(48), r.u(32), r.u(16), r.u(8)
    if depth > STACK_MOST:
        raise Malformed('a stack that is too deep')
    told = [r.varint(SLOT_MOST) for _ in range(depth)]
    stack = list(told)
    found = []
    length = 0
    while r.left():
        if found and found[-1].kind in ('lost', 'discontinuity'):
            raise Malformed('an event after the end of the frame')
        event = one_event(r, stack)
        found.append(event)
        length += event.delta + event.duration
        if length >= 2**47:
            raise Malformed('an event too far from the base')
        if event.kind == 'enter':
            stack.append(event.values['slot'])
            if len(stack) > STACK_MOST:
                raise Malformed('a stack that grows too deep')
        elif event.kind == 'exit':
            stack.pop()
    return Events(ticks, count, starts, told, found)


def one_event(r, stack):
    if not stack:
        byte = r.u(8)
        if byte < 0xC0:
            w = r.varint()
            late = min(r.varint(), LATE_MOST) if w & 1 else None
            return Event('enter', w >> 1, 0, {'slot': byte, 'late': late})
        return tagged(r, byte - 0xC0, stack)
    w = r.varint()
    if w & 1 == 0:
        return Event('exit', w >> 1, 0, {'slot': stack[-1], 'how': 0})
    if w >> 1 >= 0x40:
        raise Malformed('a tag that does not exist')
    return tagged(r, w >> 1, stack)


def tagged(r, tag, stack):
    if tag <= 0x1F:
        duration = r.time()
        return Event('idle', tag & 0x0F, duration, {'reason': tag >> 4, 'duration': duration})
    if tag <= 0x27:
        return shape_delta(tag, r.time(), stack)
    if tag <= 0x2F:
        return shape_a(tag, r.time(), r.varint())
    if tag <= 0x37:
        return shape_ab(tag, r.time(), r.varint(), r.varint())
    delta = r.time()
    return shape_bytes(tag, delta, r.bytes(r.varint()))


def shape_delta(tag, delta, stack):
    if tag in (0x20, 0x21, 0x22):
        if not stack:
            raise Malformed('an EXIT with an empty stack')
        how = {0x20: 1, 0x21: 2, 0x22: 3}[tag]
        return Event('exit', delta, 0, {'slot': stack[-1], 'how': how})
    if tag == 0x23:
        return Event('gc-begin', delta, 0, {})
    if tag == 0x24:
        return Event('gc-end', delta, 0, {})
    return unknown(tag, delta)


def shape_a(tag, delta, a):
    if tag == 0x28:
        return Event('enter', delta, 0, {'slot': within(a, SLOT_MOST), 'late': None})
    if tag == 0x29:
        return Event('span-end', delta, 0, {'span': within(a, SPAN_MOST)})
    if tag == 0x2A:
        return Event('level', delta, 0, {'name': within(a >> 1, NAME_MOST), 'value': a & 1})
    if tag == 0x2B:
        return Event('drain', delta, within(a, TIME_MOST), {'duration': a})
    if tag == 0x2C:
        return Event('mark', delta, 0, {'name': within(a, NAME_MOST), 'value': None})
    return unknown(tag, delta)


def shape_ab(tag, delta, a, b):
    if tag == 0x30:
        return Event('enter', delta, 0, {'slot': within(a, SLOT_MOST), 'late': min(b, LATE_MOST)})
    if tag == 0x31:
        return Event('idle', delta, within(b, TIME_MOST),
                     {'reason': within(a, NARROW), 'duration': b})
    if tag == 0x32:
        return Event('span-begin', delta, 0,
                     {'span': within(a, SPAN_MOST), 'name': within(b, NAME_MOST)})
    if tag == 0x33:
        return Event('mark', delta, 0, {'name': within(a, NAME_MOST), 'value': signed(b)})
    if tag == 0x34:
        return Event('counter', delta, 0, {'name': within(a, NAME_MOST), 'value': signed(b)})
    if tag == 0x35:
        return Event('end', delta, 0, {'slot': within(a, SLOT_MOST), 'how': within(b, NARROW)})
    if tag == 0x36:
        return Event('lost', delta, within(a, TIME_MOST),
                     {'duration': a, 'events': within(b, NARROW)})
    return Event('rename', delta, 0, {'slot': within(a, SLOT_MOST), 'name': within(b, NAME_MOST)})


def shape_bytes(tag, delta, data):
    if tag == 0x38:
        return Event('start', delta, 0, task(Reader(data))._asdict())
    if tag == 0x39:
        return Event('text', delta, 0, {'text': data})
    if tag == 0x3A:
        r = Reader(data)
        return Event('discontinuity', delta, 0, {'reason': r.narrow(), 'jump': signed(r.varint())})
    return unknown(tag, delta)


def unknown(tag, delta):
    return Event('unknown', delta, 0, {'tag': tag})


def within(value, most):
    if value > most:
        raise Malformed('a number that is too large')
    return value


def counted(event):
    """How much an event adds to the running count."""
    return event.values['events'] if event.kind == 'lost' else 1


# -- host frames: each field by its size in bits, 'wall' and 'string'

HOST = {
    0x80: ('FILE', (('version', 8), ('created', 'wall'), ('source', 'string'),
                    ('writer', 'string'))),
    0x81: ('ANCHOR', (('wall', 'wall'), ('boot', 'wall'), ('offset', 64))),
    0x82: ('LINK', (('change', 8), ('wall', 'wall'), ('boot', 'wall'), ('text', 'string'))),
    0x83: ('CUT', (('reason', 8), ('session', 32), ('from', 64), ('to', 64), ('bytes', 64))),
    0x84: ('MARK', (('id', 32), ('session', 32), ('from', 64), ('to', 64), ('flags', 8),
                    ('name', 'string'), ('note', 'string'))),
}


def host(kind, payload):
    """The fields behind the nonce."""
    r = Reader(payload)
    r.bytes(8)
    take = {'wall': r.i64, 'string': r.string}
    return {name: take[size]() if size in take else r.u(size) for name, size in HOST[kind][1]}
