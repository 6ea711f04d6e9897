#!/usr/bin/env python3
"""A second decoder of the wire protocol, written from src/wire/PROTOCOL.md alone.

    asc_decode.py FILE [--wire]

It prints a dump of the stream in FILE, a record a line. --wire says that the bytes came from
a live board, where host frames are foreign. It is an executable specification: made to be
compared with the text line by line, and with the decoder in C capture by capture.
"""

import argparse
import collections
import pathlib
import sys

import asc_frames as frames
import asc_payloads as payloads

Record = collections.namedtuple('Record', 'kind offset fields')

PARSERS = {frames.HELLO: payloads.hello, frames.EVENTS: payloads.events,
           frames.NAMES: payloads.names, frames.TASKS: payloads.tasks}


def nearest(low, bits, known):
    """The value with these low bits that lies nearest to a known one."""
    span = 1 << bits
    ahead = (low - known) % span
    return known + ahead if ahead < span // 2 else known + ahead - span


class Session:
    """What a decoder knows of the board's present session."""

    def __init__(self, byte, sequence, joined):
        self.byte = byte
        self.id = None
        self.sequence = sequence         # expected of the next frame
        self.count = None if joined else 0    # of events before the next frame; None: unknown
        self.starts = None if joined else 0   # STARTs before the next frame
        self.crc = None                  # of the last frame
        self.ticks = None                # last known
        self.jumped = 0                  # frames missing in a gap that was not reported yet
        self.stacks = {}                 # of each context; absent: unknown
        self.slots = {}                  # the task in each; absent: unknown or free
        self.told = set()                # slots told since a frame was missing or refused

    def extend(self, ticks):
        self.ticks = ticks if self.ticks is None else nearest(ticks, 48, self.ticks)
        return self.ticks


class Decoder:
    def __init__(self, wire=False):
        self.wire = wire
        self.session = None
        self.joined = False              # a board frame was seen
        self.records = []
        self.nonce = None                # of the file

    def put(self, kind, offset, **fields):
        self.records.append(Record(kind, offset, fields))

    def skip(self, reason, offset, size):
        self.put('skip', offset, reason=reason, size=size)

    # -- the stream

    def decode(self, data):
        parts = frames.split(data)
        for part in parts:
            if part.kind == 'frame':
                if part.value.type >= 0x80:
                    self.host_frame(part)
                else:
                    self.board_frame(part)
                continue
            if part.kind == 'text':
                self.put('text', part.offset, text=part.value)
            else:
                self.skip(part.kind, part.offset, part.size)
            changes = frames.changes_of_canary(data, part.offset)
            if changes:
                self.put('mangled', part.offset, changes=changes)
        self.end_session(len(data))
        return self.records

    def end_session(self, offset):
        s = self.session
        if s and s.jumped:
            self.put('gap', offset, frames=s.jumped, events=None)
            s.jumped = 0

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
            self.skip('foreign', part.offset, part.size)
        elif f.type not in payloads.HOST:
            self.skip('unknown type', part.offset, part.size)
        elif malformed:
            self.skip('malformed', part.offset, part.size)
        else:
            self.put('host', part.offset, frame=payloads.HOST[f.type][0], values=content)
            if f.type == frames.CUT and self.session:
                self.session.stacks.clear()

    # -- frames of the board: §2 and §8

    def board_frame(self, part):
        f = part.value
        s = self.session
        if s and s.byte == f.session and (s.sequence - 1) % 65536 == f.sequence \
                and s.crc == f.crc:
            self.skip('duplicate', part.offset, part.size)
            return
        content = malformed = None
        if f.type in PARSERS:
            try:
                content = PARSERS[f.type](f.payload)
            except frames.Malformed as error:
                malformed = error
        self.enter_session(f, content)
        s = self.session

        jump = (f.sequence - s.sequence) % 65536
        s.sequence = (f.sequence + 1) % 65536
        s.crc = f.crc
        if jump or malformed:
            s.told = set()
        s.jumped += jump

        if f.type not in PARSERS:
            self.skip('unknown type', part.offset, part.size)
        elif malformed:
            self.skip('malformed', part.offset, part.size)
        elif f.type == frames.HELLO:
            self.hello(f, content)
        elif f.type == frames.EVENTS:
            self.events(f, content)
        elif f.type == frames.NAMES:
            for name in content:
                self.put('name', f.offset, name=name)
        else:
            self.tasks(f, content)

    def enter_session(self, f, content):
        """Begins a new session if the frame is none of the present one."""
        s = self.session
        full = content.id if isinstance(content, payloads.Hello) else None
        if s and s.byte == f.session and (full is None or s.id in (None, full)):
            s.id = full if s.id is None else s.id
            return
        self.end_session(f.offset)
        first = not s
        # In front of the stream's first board frame nothing is missing; else a session
        # is expected to begin with 0.
        self.session = Session(f.session, f.sequence if first else 0, joined=first)
        self.session.id = full
        self.put('session', f.offset, byte=f.session, id=full)

    def learn_count(self, f, count):
        """The running count before a frame: tells what is missing, and ends a gap."""
        s = self.session
        if s.count is None:
            missing = None if s.jumped else 0
        else:
            missing = (count - s.count) % 2**32
            if missing >= 2**31:
                missing = None
        if s.jumped or missing != 0:
            self.put('gap', f.offset, frames=s.jumped, events=missing)
        if missing != 0:
            s.stacks.clear()
        if missing is not None and missing >= 65536:
            s.slots = {slot: task for slot, task in s.slots.items() if slot in s.told}
        s.jumped = 0
        s.count = count % 2**32

    def learn_starts(self, starts):
        """A count of STARTs that is not the expected one: no slot can be trusted."""
        s = self.session
        if s.starts is not None and s.starts != starts:
            s.slots.clear()
        s.starts = starts

    # -- payloads

    def hello(self, f, content):
        s = self.session
        self.learn_count(f, content.events)
        ticks = s.extend(content.ticks)
        fields = content._asdict()
        fields.update(ticks=ticks, start=nearest(content.start, 48, ticks))
        self.put('hello', f.offset, **fields)
        if content.readable_by > 1:
            self.put('problem', f.offset, what='made for later decoders')

    def tasks(self, f, content):
        s = self.session
        s.extend(content.ticks)
        self.learn_starts(content.starts)
        for task in content.tasks:
            s.slots[task.slot] = task
            s.told.add(task.slot)
            self.put('task', f.offset, ticks=s.ticks, task=task)

    def events(self, f, content):
        s = self.session
        self.learn_count(f, content.count)
        self.learn_starts(content.starts)
        now = s.extend(content.ticks)
        known = s.stacks.get(f.context)
        if known is not None and known != content.stack:
            self.put('problem', f.offset, what='stack', context=f.context)
        stack = list(content.stack)
        self.put('frame', f.offset, ticks=now, context=f.context, stack=content.stack,
                 events=len(content.events))
        for event in content.events:
            begin = now + event.delta
            now = begin + event.duration
            self.event(f, event, begin, now, stack)
            s.count = (s.count + payloads.counted(event)) % 2**32
        s.ticks = now
        s.stacks[f.context] = stack
        if content.events and content.events[-1].kind == 'LOST':
            s.stacks.clear()
            if content.events[-1].values['count'] >= 65536:
                s.slots.clear()

    def event(self, f, event, begin, end, stack):
        s = self.session
        values = event.values
        slot = values.get('slot')
        if event.kind == 'START':
            s.slots[slot] = payloads.Task(**values)
            s.told.add(slot)
            s.starts = (s.starts + 1) % 65536
        task = s.slots.get(slot)
        self.put('event', f.offset, event=event.kind, begin=begin, end=end,
                 context=f.context, task=task, values=values)
        if event.kind == 'ENTER':
            stack.append(slot)
        elif event.kind == 'EXIT':
            stack.pop()
            if values['how'] != 'yield':
                s.slots.pop(slot, None)
        elif event.kind == 'END':
            s.slots.pop(slot, None)
        elif event.kind == 'RENAME' and task:
            s.slots[slot] = task._replace(name=values['name'])


def line(record):
    fields = ' '.join(f'{key}={value!r}' for key, value in record.fields.items())
    return f'{record.offset} {record.kind} {fields}'.rstrip()


def main():
    parser = argparse.ArgumentParser(description='Prints a dump of a stream.')
    parser.add_argument('file', type=pathlib.Path)
    parser.add_argument('--wire', action='store_true', help='bytes from a live board')
    args = parser.parse_args()
    for record in Decoder(args.wire).decode(args.file.read_bytes()):
        print(line(record))
    return 0


if __name__ == '__main__':
    sys.exit(main())
