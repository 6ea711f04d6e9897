#!/usr/bin/env python3
"""Cases of the second decoder: PROTOCOL.md, row by row, on frames of the second encoder."""

import random

import asc_decode
import asc_encode
import asc_frames as frames
import asc_payloads as payloads
import tap
from asc_encode import fixed, varint, zigzag

case, equal = tap.case, tap.equal


def events(sequence, count, packed=b'', stack=(), ticks=0, starts=0, session=7, context=0):
    payload = fixed(ticks, 48) + fixed(count, 32) + fixed(starts, 16) + bytes([len(stack)])
    payload += b''.join(varint(slot) for slot in stack) + packed
    return asc_encode.frame(frames.EVENTS, sequence, session, context, payload)


def hello(sequence, count=0, full=0x107, session=7, ticks=0, start=0, canary=frames.CANARY):
    payload = canary + b'\x01\x01' + fixed(full, 32) + fixed(10**6, 32) + fixed(1000, 32) \
        + b'\x1e\x01' + fixed(0, 96) + fixed(50, 16) + fixed(ticks, 48) + fixed(start, 48) \
        + fixed(count, 48) + fixed(0, 48) + b'\x01b\x01f\x01p'
    return asc_encode.frame(frames.HELLO, sequence, session, 0, payload)


def tasks(sequence, starts, *records):
    payload = fixed(0, 48) + fixed(starts, 16) + b''.join(
        varint(field) for record in records for field in record)
    return asc_encode.frame(frames.TASKS, sequence, 7, 0, payload)


def names(sequence):
    return asc_encode.frame(frames.NAMES, sequence, 7, 0, b'\x01\x00\x00\x00\x00\x00\x01f\x00')


def decode(*pieces, wire=True):
    return asc_decode.Decoder(wire).decode(b''.join(pieces))


def of(records, kind, *fields):
    return [tuple(r.fields[f] for f in fields) for r in records
            if r.kind == kind and not r.inner]


def parts(data):
    return [(p.kind, p.size) for p in frames.split(data)]


def refused(packed, stack=()):
    equal(of(decode(events(0, 0, packed, stack)), 'skip', 'why'), [('malformed',)])


def kinds(packed, stack=()):
    return [(e.kind, e.fields.pop('ticks'), e.fields)
            for e in decode(events(0, 0, packed, stack)) if e.inner]


ENTER, EXIT = b'\x05\x00', b'\x00'
RUN = ENTER + EXIT


@case
def checks():
    equal(frames.crc8(b'123456789'), 0xFB)
    equal(frames.crc32(b'123456789'), 0xCBF43926)


@case
def varints():
    for value in (0, 127, 128, 2**32, 2**64 - 1):
        equal(frames.Reader(varint(value)).varint(), value)
    for value in (0, -1, 1, -2**63, 2**63 - 1):
        equal(frames.signed(zigzag(value)), value)
    for bad in (b'\xff' * 9 + b'\x02', b'\xff' * 10 + b'\x00', b'\x80'):
        try:
            frames.Reader(bad).varint()
        except frames.Malformed:
            continue
        raise AssertionError(bad)


@case
def every_event_kind():
    equal(kinds(b'\x05\x15\x07' + b'\x14'),
          [('enter', 10, {'slot': 5, 'late': 7}), ('exit', 20, {'slot': 5, 'how': 0})])
    equal(kinds(b'\xc3\x0a\xd4\x05\xe4\x01'),
          [('idle', 3, {'reason': 0, 'duration': 10}), ('idle', 17, {'reason': 1, 'duration': 5}),
           ('gc-end', 23, {})])
    equal([e[2].get('how') for e in kinds(b'\x41\x01\x43\x01\x45\x01', (1, 2, 3))], [1, 2, 3])
    equal([e[0] for e in kinds(b'\xe3\x01\xe4\x01\xe5\x01\xe9\x01\x01\xea\x01\x03\xec\x01\x02')],
          ['gc-begin', 'gc-end', 'unknown', 'span-end', 'level', 'mark'])
    equal(kinds(b'\xeb\x02\x03\xf4\x01\x09\x03'),
          [('drain', 2, {'duration': 3}), ('counter', 6, {'name': 9, 'value': -2})])
    equal(kinds(b'\x51\x01\x81\x02\x61\x01\x02\x83\x80\x04', (4,)),
          [('enter', 1, {'slot': 257, 'late': None}), ('enter', 2, {'slot': 2, 'late': 65535})])
    equal(kinds(b'\xf8\x01\x06\x01\x02\x03\x05\x06\x07')[0][2],
          {'slot': 1, 'instance': 2, 'name': 3, 'parent': 4, 'parent_instance': 6})
    equal(kinds(b'\xfa\x01\x02\x02\x03')[0][2], {'reason': 2, 'jump': -2})
    equal(kinds(b'\xfb\x01\x02zz\xfe\x01\x00')[1][0], 'unknown')


@case
def event_rules():
    refused(b'\xe0\x01')                       # an EXIT, nothing on the stack
    refused(b'\x81\x01\x00', (1,))             # tag 40
    refused(ENTER, (1,) * 9)
    refused(b'\x51\x00\x01', (1,) * 8)         # the ninth
    refused(b'\xf6\x01\x01\x01' + ENTER)       # after LOST
    refused(b'\xfa\x01\x02\x00\x00' + ENTER)   # after DISCONTINUITY
    refused(b'\xe8\x00' + varint(65536))
    refused(b'\xf8\x00\x04\x01\x02\x03\x00')   # START too short
    refused(b'\xf9\x00\x05abc')
    refused(b'\x05')
    refused(b'\xe3' + varint(2**47))
    refused(b'\xe3\x01\xeb\x00' + varint(2**47 - 1))
    equal(kinds(b'\xe3' + varint(2**47 - 1))[0][1], 2**47 - 1)
    equal(of(decode(events(0, 0)), 'events', 'n'), [(0,)])


@case
def text_and_noise():
    equal(parts(b'a\tb\r\n\x1b\x07\x08 \xc3\xa9'), [('text', 11)])
    equal(parts(b'a\x00\x7fb\xc2\x85\xff\xed\xa0\x80\xc0\x80'),
          [('text', 1), ('noise', 2), ('text', 1), ('noise', 8)])
    equal(parts(b'\xc3' + events(0, 0) + b'\xa9'), [('noise', 1), ('frame', 25), ('noise', 1)])


@case
def a_false_header():
    equal(parts(b'a\xf9\xf9bcdefghij'), [('text', 1), ('header', 1), ('header', 1), ('text', 9)])


@case
def a_wrong_check():
    good = events(0, 0, RUN)
    bad = good[:-1] + bytes([good[-1] ^ 1])
    equal(parts(bad + b'hi'), [('checksum', len(bad)), ('text', 2)])
    # Bytes were lost: the next frame stands in the extent, which ends there.
    equal(parts(good[:12] + good + b'hi'), [('checksum', 12), ('frame', len(good)), ('text', 2)])
    inner = asc_encode.frame(5, 0, 7, 0, events(1, 0) + b'hi')
    inner = inner[:-1] + bytes([inner[-1] ^ 1])
    equal(parts(inner), [('checksum', 8), ('frame', 25), ('text', 2)] + texts(inner[-4:]))


def texts(data):
    """Four bytes of a check that stand outside of any frame."""
    found = [(p.kind, p.size) for p in frames.texts(b'hi' + data, 0, 6)]
    equal(found[0][0], 'text')
    found[0] = ('text', found[0][1] - 2)
    return [p for p in found if p[1]]


@case
def the_stream_ends_in_a_frame():
    good = events(0, 0, RUN)
    equal(parts(good + good[:-1]), [('frame', len(good)), ('cut', len(good) - 1)])
    equal(parts(b'a\xf9\x01'), [('text', 1), ('cut', 2)])
    long = asc_encode.frame(5, 0, 7, 0, bytes(200))
    equal(parts(long[:9] + good), [('cut', 9), ('frame', len(good))])


@case
def unknown_types():
    for kind in (0x00, 0x05, 0x7F):
        later = asc_encode.frame(kind, 1, 7, 0, b'abc')
        r = decode(hello(0), later, events(2, 0, RUN))
        equal(of(r, 'skip', 'why', 'bytes'), [('unknown-type', 15)])
        equal(of(r, 'gap', 'frames'), [])


@case
def malformed_frames():
    r = decode(hello(0), events(1, 0, RUN), events(2, 2, b'\xe0\x01'), events(3, 5, RUN))
    equal(of(r, 'skip', 'why'), [('malformed',)])
    equal(of(r, 'gap', 'frames', 'events'), [(0, 3)])
    equal(of(decode(hello(0, canary=b'12345678')), 'skip', 'why'), [('malformed',)])


@case
def foreign_frames():
    r = decode(hello(0), asc_encode.frame(0x84, 0, 0, 0, bytes(20)), events(1, 0, RUN))
    equal(of(r, 'skip', 'why'), [('foreign',)])
    equal(of(r, 'gap', 'frames'), [])


@case
def gaps():
    r = decode(hello(0), events(2, 2, RUN), names(4), events(6, 4, RUN), names(9))
    equal(of(r, 'gap', 'frames', 'events'), [(1, 2), (2, 0), (2, 'unknown')])
    r = decode(hello(0), names(2), hello(3, count=9))
    equal(of(r, 'gap', 'frames', 'events'), [(1, 9)])
    # Counts and sequences wrap.
    r = decode(events(65535, 2**32 - 1, RUN), events(1, 3, RUN))
    equal(of(r, 'gap', 'frames', 'events'), [(1, 2)])


@case
def lost_on_the_board_is_not_missing():
    r = decode(hello(0), events(1, 0, RUN + b'\xf6\x01\x05\x0a'), events(2, 12, RUN))
    equal(of(r, 'gap', 'frames'), [])
    r = decode(hello(0), events(1, 0, RUN), events(3, 13, RUN))
    equal(of(r, 'gap', 'frames', 'events'), [(1, 11)])


@case
def counts_that_step_back():
    r = decode(hello(0), events(1, 0, RUN), events(2, 2**32 - 50, RUN), events(3, 2, RUN),
               hello(4, count=4))
    equal(of(r, 'gap', 'frames', 'events'), [(0, 'unknown'), (0, 50)])
    r = decode(hello(0), events(1, 0, RUN), hello(2, count=2**32 + 2))
    equal(of(r, 'gap', 'events'), [(2**32,)])
    r = decode(hello(0, count=2**32), events(1, 5, RUN), hello(2, count=2**32 + 8))
    equal(of(r, 'gap', 'events'), [(5,), (1,)])
    # Joined by an EVENTS frame, nothing is known of the upper bits.
    r = decode(events(1, 0, RUN), hello(2, count=2**32 + 2))
    equal(of(r, 'gap', 'events'), [])


@case
def duplicates():
    one = events(1, 0, RUN)
    r = decode(hello(0), one, one, events(2, 2, RUN))
    equal(of(r, 'skip', 'why'), [('duplicate',)])
    equal(of(r, 'gap', 'frames'), [])
    r = decode(hello(0), one, events(1, 2, RUN))
    equal(of(r, 'gap', 'frames', 'events'), [(65535, 0)])


@case
def sessions():
    r = decode(hello(0), events(1, 0, RUN), events(3, 4, RUN, session=8))
    equal(of(r, 'session', 'byte', 'id'), [(7, 0x107), (8, 'unknown')])
    equal(of(r, 'gap', 'frames', 'events'), [(3, 4)])
    r = decode(hello(0), hello(0, full=0x207), hello(1, full=0x207))
    equal(of(r, 'session', 'id'), [(0x107,), (0x207,)])
    # In front of the first frame nothing is missing.
    equal(of(decode(events(500, 9999, RUN)), 'gap', 'frames'), [])
    r = decode(events(3, 4, RUN), hello(4, 6))
    equal(of(r, 'session', 'index', 'id'), [(0, 'unknown'), (0, 0x107)])


@case
def ticks_go_on():
    r = decode(hello(0, ticks=3, start=2**48 - 5), events(1, 0, RUN, ticks=2**48 - 2))
    equal(of(r, 'hello', 'ticks', 'start'), [(3, 0)])
    equal(of(r, 'events', 'base'), [(2**48 - 2,)])
    r = decode(events(0, 0, RUN, ticks=2**48 - 2), events(1, 2, RUN, ticks=4),
               events(2, 4, RUN, ticks=2**48 - 3))
    equal(of(r, 'events', 'base'), [(2**48 - 2,), (2**48 + 4,), (2**48 - 3,)])


START = b'\xf8\x00\x05\x05\x01\x09\x00\x00'


def known(*pieces):
    r = decode(hello(0), events(1, 0, START + RUN), *pieces)
    return [r.fields.get('slots_known', False) for r in r
            if r.kind in ('events', 'slots-unknown')][1:]


@case
def trust_in_slots():
    equal(known(events(2, 3, RUN, starts=1)), [True])
    equal(known(events(3, 9, RUN, starts=1)), [True])
    equal(known(events(3, 9, RUN, starts=2)), [False])
    equal(known(events(3, 9, RUN, starts=2), events(4, 11, starts=2)), [False, True])
    equal(known(events(3, 3 + 65535, RUN, starts=1)), [True])
    equal(known(events(3, 3 + 65536, RUN, starts=1)), [False])
    equal(known(tasks(3, 1, (5, 1, 9, 0, 0))), [])
    equal(known(tasks(3, 2, (5, 1, 9, 0, 0)), events(4, 5, starts=2)), [False, True])
    lost = events(2, 3, b'\xf6\x00\x01\x0a', starts=1)
    equal(known(lost, events(3, 13, RUN, starts=1)), [True, True])
    equal(known(lost, events(3, 13, RUN, starts=2)), [True, False])
    lost = events(2, 3, b'\xf6\x00\x01' + varint(65536), starts=1)
    equal(known(lost, events(3, 3 + 65536, RUN, starts=1)), [True, False])
    lost = events(2, 3, b'\xf6\x00\x01' + varint(40000), starts=1)
    equal(known(lost, events(3, 3 + 40000, RUN, starts=1)), [True, True])
    equal(known(lost, events(4, 3 + 80000, RUN, starts=1)), [True, False])


@case
def stacks_go_on():
    def differs(*pieces):
        return of(decode(hello(0), *pieces), 'events', 'continues', 'stack_differs')[-1]
    equal(differs(events(1, 0, ENTER), events(2, 1, EXIT, (5,))), (True, False))
    equal(differs(events(1, 0, ENTER), events(2, 1, EXIT, (6,))), (True, True))
    equal(differs(events(1, 0, ENTER), events(3, 2, EXIT, (6,))), (False, False))
    equal(differs(events(1, 0, ENTER), events(3, 1, EXIT, (6,))), (True, True))
    equal(differs(events(1, 0, ENTER), events(2, 1, context=1)), (False, False))
    equal(differs(events(1, 0, ENTER), events(2, 1, context=1), events(3, 1, EXIT, (5,))),
          (True, False))
    equal(differs(events(1, 0, ENTER), events(2, 1, b'\xf6\x00\x00\x01', context=1),
                  events(3, 2, EXIT, (5,))), (False, False))


@case
def mangled_hellos():
    def changes(*swaps):
        data = b'F9' + hello(1) + b'end'
        for a, b in swaps:
            data = data.replace(a, b)
        return of(decode(data), 'mangled', 'offset', 'how')
    equal(changes(), [])
    equal(changes((b'\n', b'\r\n')), [(10, 'output')])
    equal(changes((b'\r', b'\n')), [(10, 'input')])
    equal(changes((b'\r', b'\n'), (b'\n\n', b'\n\n\n')), [(10, 'output,input')])
    equal(changes((b'\x11', b''), (b'\x13', b'')), [(10, 'flow')])
    equal(changes((b'\x03', b''), (b'\x04', b'')), [(10, 'signals')])
    equal(changes((b'\xff', b'\xff\xff')), [(10, 'parity')])
    equal(changes((b'\x13\x00', b'\x13')), [(10, 'zeros')])
    equal(changes((b'\x00', b'')), [(8, 'zeros')])
    equal(changes((b'\x13\x00\xff', b'\x13')), [])
    equal(changes((b'\x04\x11', b'\x05\x11')), [])


@case
def seven_bits():
    data = b'hi' + bytes(byte & 0x7F for byte in hello(1))
    equal(of(decode(data), 'mangled', 'offset', 'how'), [(10, 'seven-bit')])


@case
def random_streams_come_back():
    for seed in range(60):
        board = asc_encode.Board(random.Random(f'whole {seed}'))
        data = b''.join(piece for _, piece in board.pieces(30))
        got, session = [], None
        for r in decode(data):
            if r.kind == 'session':
                session = r.fields['byte']
            if r.inner and r.kind not in ('name', 'task'):
                begin = r.fields['ticks']
                end = begin + r.fields.get('duration', 0)
                got.append((session, begin % 2**48, end % 2**48))
        equal(got, board.log)


@case
def every_byte_is_in_one_part():
    for seed in range(60):
        data = asc_encode.stream(random.Random(f'damage {seed}'), damage=0.4)
        at = 0
        for part in frames.split(data):
            equal(part.offset, at)
            at += part.size
        equal(at, len(data))


@case
def host_frames():
    def host(kind, body, nonce=b'nonceABC'):
        return asc_encode.frame(kind, 0, 0, 0, nonce + body)
    head = host(0x80, b'\x01' + fixed(-1, 64) + b'\x01s\x01w')
    link = host(0x82, b'\x01' + fixed(5, 64) + fixed(-1, 64) + b'\x00later')
    r = decode(link, head, link, host(0x82, b'\x01'), host(0x99, b''), host(0x99, b'', b'12345678'),
               host(0x80, b'\x01' + fixed(-1, 64) + b'\x01s\x01w', b'12345678'), wire=False)
    equal(of(r, 'host', 'type'), [(0x80,), (0x82,)])
    equal(payloads.host(0x82, link[8:-4]), {'change': 1, 'wall': 5, 'boot': -1, 'text': b''})
    equal(of(r, 'skip', 'why'),
          [('foreign',), ('malformed',), ('unknown-type',), ('foreign',), ('foreign',)])


tap.main()
