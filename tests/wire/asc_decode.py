#!/usr/bin/env python3
"""A second decoder of the wire protocol, written from src/wire/PROTOCOL.md alone.

    asc_decode.py FILE [--wire]

It prints the dump of the stream in FILE that tests/golden/README.md defines. --wire says that
the bytes came from a live board, where host frames are foreign. It is an executable
specification: made to be compared with the text line by line, and with the decoder in C
capture by capture.
"""

import argparse
import collections
import pathlib
import sys

import asc_dump
import asc_frames as frames
import asc_payloads as payloads

Record = collections.namedtuple('Record', 'kind fields inner')

PARSERS = {frames.HELLO: payloads.hello, frames.EVENTS: payloads.events,
           frames.NAMES: payloads.names, frames.TASKS: payloads.tasks}


def nearest(low, known):
    """The ticks with these lowest 48 bits that lie nearest to the known ones."""
    ahead = (low - known) % 2**48
    if ahead <= 2**47 or known + ahead - 2**48 < 0:
        return known + ahead
    return known + ahead - 2**48


class Session:
    """What a decoder knows of the board's present session."""

    def __init__(self, index, offset, byte, sequence, count):
        self.index = index
        self.offset = offset       # of its first frame
        self.byte = byte
        self.id = None
        self.sequence = sequence   # expected of the next frame
        self.crc = None            # of the last frame
        self.count = count         # events before the next frame; None: unknown
        self.bits = 32 if count is None else 48    # how many of the count are known
        self.starts = count        # STARTs before the next frame; None: unknown
        self.ticks = None          # last known
        self.newest = None         # the largest that were told
        self.start = None          # as the first HELLO tells it
        self.jumped = 0            # frames missing in a gap that was not reported yet
        self.stacks = {}           # of each context; absent: unknown
        self.doubt = 0             # events missing or dropped since `starts` was compared

    def extend(self, ticks):
        self.know(ticks if self.ticks is None else nearest(ticks, self.ticks))
        return self.ticks

    def know(self, ticks):
        self.ticks = ticks
        self.newest = ticks if self.newest is None else max(self.newest, ticks)


class Decoder:
    def __init__(self, wire=False):
        self.wire = wire
        self.session = None
        self.nonce = None          # of the file
        self.cut = False           # a CUT stands behind the last EVENTS or HELLO
        self.records = []
        self.totals = dict.fromkeys(('bytes', 'frames', 'events', 'missing_frames',
                                     'missing_events', 'dropped', 'unknown_kinds'), 0)
        self.skipped = {reason: [0, 0] for reason in asc_dump.REASONS}

    def put(self, kind, /, **fields):
        self.records.append(Record(kind, fields, False))

    def put_inner(self, kind, /, **fields):
        self.records.append(Record(kind, fields, True))

    def skip(self, part, why):
        self.skipped[why][0] += 1
        self.skipped[why][1] += part.size
        self.put('skip', offset=part.offset, bytes=part.size, why=why)

    # -- the stream

    def decode(self, data):
        parts = joined(frames.split(data))
        for part in parts:
            if part.kind == 'frame':
                self.totals['frames'] += 1
                if part.value.type >= 0x80:
                    self.host_frame(part)
                else:
                    self.board_frame(part)
            elif part.kind == 'text':
                text = part.value.encode()
                self.put('text', offset=part.offset, bytes=part.size, text=text)
            else:
                self.skip(part, part.kind)
        self.end_session(len(data))
        for offset, changes in frames.changed_canaries(data, parts):
            self.put('mangled', offset=offset, how=','.join(changes))
        self.totals['bytes'] = len(data)
        self.put('totals', **self.totals,
                 **{why: f'{times}/{size}' for why, (times, size) in self.skipped.items()})
        return self.records

    def host_frame(self, part):
        """FORMAT.md: the first FILE tells the nonce, and only frames that carry it count."""
        f = part.value
        content = malformed = None
        if f.type in payloads.HOST:
            try:
                content = payloads.host(f.type, f.payload)
            except frames.Malformed as error:
                malformed = error
        if not self.wire and self.nonce is None and f.type == frames.FILE and content:
            self.nonce = f.payload[:8]
        if self.wire or self.nonce is None or f.payload[:8] != self.nonce:
            self.skip(part, 'foreign')
        elif f.type not in payloads.HOST:
            self.skip(part, 'unknown-type')
        elif malformed:
            self.skip(part, 'malformed')
        else:
            self.put('host', offset=f.offset, sequence=f.sequence, type=f.type,
                     payload=f.payload.hex())
            if f.type == frames.CUT:
                self.cut = True
                if self.session:
                    self.session.stacks.clear()

    # -- frames of the board: §2 and §8

    def board_frame(self, part):
        f = part.value
        s = self.session
        if s and s.byte == f.session and (s.sequence - 1) % 65536 == f.sequence \
                and s.crc == f.crc:
            self.skip(part, 'duplicate')
            return
        content = malformed = None
        if f.type in PARSERS:
            try:
                content = PARSERS[f.type](f.payload)
            except frames.Malformed as error:
                malformed = error
        self.enter_session(f, content.id if isinstance(content, payloads.Hello) else None)
        s = self.session
        s.jumped += (f.sequence - s.sequence) % 65536
        s.sequence = (f.sequence + 1) % 65536
        s.crc = f.crc

        if f.type not in PARSERS:
            self.skip(part, 'unknown-type')
        elif malformed:
            self.skip(part, 'malformed')
        elif f.type == frames.HELLO:
            self.hello(f, content)
        elif f.type == frames.EVENTS:
            self.events(f, content)
        elif f.type == frames.NAMES:
            self.names(f, content)
        else:
            self.tasks(f, content)

    def enter_session(self, f, full):
        """Begins a session if the frame is none of the present one; full: its id, if told."""
        s = self.session
        if s and s.byte == f.session and (full is None or s.id in (None, full)):
            if s.id is None and full is not None:
                s.id = full
                self.put_session()
            return
        self.end_session(f.offset)
        if s:
            self.session = Session(s.index + 1, f.offset, f.session, 0, 0)
        else:
            # In front of the stream's first board frame nothing is missing.
            self.session = Session(0, f.offset, f.session, f.sequence, None)
        self.session.id = full
        self.put_session()

    def put_session(self):
        s = self.session
        self.put('session', offset=s.offset, index=s.index, byte=s.byte,
                 id='unknown' if s.id is None else s.id)

    def end_session(self, offset):
        s = self.session
        if s and s.jumped:
            self.gap(offset, None, s.newest or 0)

    def gap(self, offset, missing, to):
        s = self.session
        self.put('gap', offset=offset, frames=s.jumped,
                 events='unknown' if missing is None else missing,
                 **{'from': to if s.newest is None else s.newest}, to=to, cut=self.cut)
        if not self.cut:
            self.totals['missing_frames'] += s.jumped
            self.totals['missing_events'] += missing or 0

    def missing(self, count, bits):
        """How many events are missing before a frame that tells the count; None: unknown."""
        s = self.session
        if s.count is None:
            return None if s.jumped else 0
        bits = min(bits, s.bits)
        missing = (count - s.count) % 2**bits
        return missing if missing < 2**(bits - 1) else None

    def learn_count(self, f, count, bits, to):
        """The count before a frame ends a gap, and tells what is missing in it."""
        s = self.session
        missing = self.missing(count, bits)
        if s.jumped or missing != 0:
            self.gap(f.offset, missing, to)
        if missing != 0:
            s.stacks.clear()
        s.doubt += 65536 if missing is None else missing
        s.jumped = 0
        self.cut = False
        if bits == 48:
            s.count, s.bits = count, 48
        elif s.count is None:
            s.count = count
        else:
            ahead = (count - s.count) % 2**32
            s.count = (s.count + (ahead if ahead < 2**31 else ahead - 2**32)) % 2**s.bits

    def slots_known(self, starts):
        """False where no slot is known any more before what this frame tells."""
        s = self.session
        known = s.doubt < 65536 and s.starts in (None, starts)
        s.doubt = 0
        s.starts = starts
        return known

    # -- payloads

    def hello(self, f, content):
        s = self.session
        ticks = content.ticks if s.ticks is None else nearest(content.ticks, s.ticks)
        self.learn_count(f, content.events, 48, ticks)
        s.know(ticks)
        if s.start is None:
            s.start = max(0, ticks - (ticks - content.start) % 2**48)
        c = content
        self.put('hello', offset=f.offset, sequence=f.sequence, version=c.version,
                 readable_by=c.readable_by, id=c.id, tick_hz=c.tick_rate,
                 tick_step_ns=c.tick_step, counter_bits=c.counter_bits, recorder=c.recorder,
                 cost_ns=c.cost, cpu_hz=c.cpu_rate, capabilities=c.capabilities,
                 seal_ms=c.seal_age, ticks=ticks, start=s.start, events=c.events,
                 dropped=c.dropped, board=c.board, firmware=c.firmware, program=c.program)

    def names(self, f, content):
        self.put('names', offset=f.offset, sequence=f.sequence, n=len(content))
        for name in content:
            self.put_inner('name', **name._asdict())

    def tasks(self, f, content):
        s = self.session
        if not self.slots_known(content.starts):
            self.put('slots-unknown')
        ticks = s.extend(content.ticks)
        self.put('tasks', offset=f.offset, sequence=f.sequence, ticks=ticks,
                 n=len(content.tasks))
        for task in content.tasks:
            self.put_inner('task', **task._asdict())

    def events(self, f, content):
        s = self.session
        base = content.ticks if s.ticks is None else nearest(content.ticks, s.ticks)
        end = base + sum(event.delta + event.duration for event in content.events)
        self.learn_count(f, content.count, 32, end)
        known = self.slots_known(content.starts)
        stack = s.stacks.get(f.context)
        self.put('events', offset=f.offset, sequence=f.sequence, context=f.context, base=base,
                 count=content.count, starts=content.starts,
                 stack=','.join(map(str, content.stack)) or '-',
                 continues=stack is not None,
                 stack_differs=stack is not None and stack != content.stack,
                 slots_known=known, n=len(content.events), end=end)
        now = base
        stack = list(content.stack)
        for event in content.events:
            self.event(event, now + event.delta, stack)
            now += event.delta + event.duration
            s.count = (s.count + payloads.counted(event)) % 2**s.bits
        s.know(end)
        s.stacks[f.context] = stack
        if content.events and content.events[-1].kind == 'lost':
            s.stacks.clear()
            s.doubt = content.events[-1].values['events']

    def event(self, event, ticks, stack):
        s = self.session
        self.totals['events'] += 1
        self.put_inner(event.kind, ticks=ticks, **event.values)
        if event.kind == 'enter':
            stack.append(event.values['slot'])
        elif event.kind == 'exit':
            stack.pop()
        elif event.kind == 'start':
            s.starts = (s.starts + 1) % 65536
        elif event.kind == 'lost':
            self.totals['dropped'] += event.values['events']
        elif event.kind == 'unknown':
            self.totals['unknown_kinds'] += 1


def joined(parts):
    """Neighbours with the same reason of those that are no frames become one."""
    out = []
    for part in parts:
        if out and part.kind == out[-1].kind and part.kind not in ('frame', 'text'):
            first = out.pop()
            part = first._replace(size=first.size + part.size)
        out.append(part)
    return out


def main():
    parser = argparse.ArgumentParser(description='Prints the dump of a stream.')
    parser.add_argument('file', type=pathlib.Path)
    parser.add_argument('--wire', action='store_true', help='bytes from a live board')
    args = parser.parse_args()
    for record in Decoder(args.wire).decode(args.file.read_bytes()):
        print(asc_dump.line(record))
    return 0


if __name__ == '__main__':
    sys.exit(main())
