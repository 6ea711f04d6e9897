"""Frames, text and damage of a stream: PROTOCOL.md §1 and the upper part of §8.

Written from the text alone, to be read beside it: slow, and with as few ideas as possible.
"""

import binascii
import collections
import re

MARKER = 0xF9
HEADER = 8       # bytes before the payload
CHECK = 4        # bytes of CRC-32 after it

HELLO, EVENTS, NAMES, TASKS = 0x01, 0x02, 0x03, 0x04
FILE, ANCHOR, LINK, CUT, MARK = 0x80, 0x81, 0x82, 0x83, 0x84

CANARY = bytes([0x0A, 0x0D, 0x03, 0x04, 0x11, 0x13, 0x00, 0xFF])

Frame = collections.namedtuple('Frame', 'offset type sequence session context payload crc')
# kind: 'frame', 'text', 'noise', or why it was skipped: 'header', 'checksum', 'cut'.
Part = collections.namedtuple('Part', 'kind offset size value')


class Malformed(Exception):
    """A payload against the rules."""


def crc8(data):
    """Polynomial 07, initial value FF, not reflected, no final xor."""
    crc = 0xFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = ((crc << 1) ^ 0x07 if crc & 0x80 else crc << 1) & 0xFF
    return crc


def crc32(data):
    return binascii.crc32(data) & 0xFFFFFFFF


def unsigned(data):
    return int.from_bytes(data, 'little')


class Reader:
    """Takes fields from the front of a payload; too short a payload is malformed."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def left(self):
        return len(self.data) - self.at

    def bytes(self, count):
        if count > self.left():
            raise Malformed('too short')
        self.at += count
        return self.data[self.at - count:self.at]

    def u(self, bits):
        return unsigned(self.bytes(bits // 8))

    def i64(self):
        return int.from_bytes(self.bytes(8), 'little', signed=True)

    def varint(self, most=2**64 - 1):
        value = 0
        for group in range(10):
            byte = self.u(8)
            value |= (byte & 0x7F) << (7 * group)
            if not byte & 0x80:
                if value > most:
                    raise Malformed('a varint that is too large')
                return value
        raise Malformed('a varint that is too long')

    def narrow(self):
        """A varint of at most 32 bits."""
        return self.varint(2**32 - 1)

    def time(self):
        """A delta or duration in ticks."""
        return self.varint(2**48 - 1)

    def string(self):
        return self.bytes(self.u(8))


def signed(value):
    """The inverse of zigzag."""
    return value >> 1 if not value & 1 else -(value >> 1) - 1


def look(data, at):
    """What stands at a marker: ('frame', size), ('header', 1), ('checksum' or 'cut', size)."""
    if len(data) - at < HEADER:
        return 'cut', len(data) - at
    if crc8(data[at + 1:at + 7]) != data[at + 7]:
        return 'header', 1
    size = HEADER + data[at + 2] + CHECK
    if len(data) - at < size:
        return 'cut', len(data) - at
    if crc32(data[at:at + size - CHECK]) != unsigned(data[at + size - CHECK:at + size]):
        return 'checksum', size
    return 'frame', size


def frame_at(data, at):
    end = at + HEADER + data[at + 2]
    return Frame(offset=at, type=data[at + 1], sequence=unsigned(data[at + 3:at + 5]),
                 session=data[at + 5], context=data[at + 6],
                 payload=data[at + HEADER:end], crc=unsigned(data[end:end + CHECK]))


def split(data):
    """The stream as a list of parts, in order; every byte is in exactly one."""
    data = bytes(data)
    parts = []
    at = 0
    loose = 0            # where the bytes begin that are no frame and not skipped
    extent = None        # [kind, from, to]: of false starts, not ended yet

    def close(end):
        """Everything before `end` is put down: an extent first, then text and noise."""
        nonlocal extent, loose
        if extent:
            kind, begin, to = extent
            to = min(to, end)
            parts.append(Part(kind, begin, to - begin, None))
            loose = to
            extent = None
        parts.extend(texts(data, loose, end))
        loose = end

    while at < len(data):
        if extent and at >= extent[2]:
            close(at)
        if data[at] != MARKER:
            at += 1
            continue
        kind, size = look(data, at)
        if kind == 'frame':
            close(at)
            parts.append(Part('frame', at, size, frame_at(data, at)))
            at += size
            loose = at
        elif extent:
            # A false start within another's extent: not counted again, may lengthen it.
            if kind != 'header':
                extent[2] = max(extent[2], at + size)
            at += 1
        else:
            close(at)
            extent = [kind, at, at + size]
            at += 1
    close(len(data))
    return parts


def printable(code):
    return code in (0x07, 0x08, 0x09, 0x0A, 0x0D, 0x1B) \
        or (code >= 0x20 and not 0x7F <= code <= 0x9F)


def character(data, at, end):
    """How many bytes the printable character at `at` has; 0 if there is none."""
    for size in (1, 2, 3, 4):
        if at + size > end:
            return 0
        try:
            char = data[at:at + size].decode('utf-8')
        except UnicodeDecodeError:
            continue
        return size if printable(ord(char)) else 0
    return 0


def texts(data, begin, end):
    """Text and noise of a stretch in which there is no frame."""
    parts = []
    at = begin
    while at < end:
        size = character(data, at, end)
        kind = 'text' if size else 'noise'
        size = size or 1
        if parts and parts[-1].kind == kind:
            first = parts.pop().offset
        else:
            first = at
        at += size
        parts.append(Part(kind, first, at - first,
                          data[first:at].decode('utf-8') if kind == 'text' else None))
    return parts


# A canary as a terminal driver may leave it, then version and "readable by".
MANGLED = re.compile(
    rb'(?:(?P<both>\x0A\x0A\x0A)|(?:\x0A|(?P<output>\x0D\x0A))(?:\x0D|(?P<input>\x0A)))'
    rb'(?:\x03|(?P<x03>))(?:\x04|(?P<x04>))(?:\x11|(?P<x11>))(?:\x13|(?P<x13>))'
    rb'(?:\x00|(?P<x00>))(?:(?P<marking>\xFF\xFF)|\xFF|(?P<xff>))'
    rb'(?P<version>[\x01-\x1F])(?P<readable>[\x01-\x1F])', re.DOTALL)
SEVEN_BIT = bytes(byte & 0x7F for byte in CANARY)

CHANGES = {'output': ('output',), 'input': ('input',), 'both': ('output', 'input'),
           'x11': ('flow',), 'x13': ('flow',), 'x03': ('signals',), 'x04': ('signals',),
           'x00': ('zeros',), 'xff': ('parity',), 'marking': ('parity',)}
ORDER = ('output', 'input', 'flow', 'signals', 'zeros', 'parity', 'seven-bit')


def changes_at(data, at):
    """What was done to a canary that stands at `at`: names in their order; None if it is none."""
    match = MANGLED.match(data, at)
    if not match:
        return None
    groups = {name for name, found in match.groupdict().items() if found is not None}
    missing = {name for name in groups if name.startswith('x')}
    if len(missing) > 4 or missing >= {'x00', 'xff'} \
            or match['readable'] > match['version']:
        return None
    found = {change for name in groups for change in CHANGES.get(name, ())}
    return [change for change in ORDER if change in found]


def changed_canaries(data, parts):
    """(offset, changes) of all canaries that a terminal changed, in the order of the stream."""
    found = []
    for begin, end in between_frames(parts, len(data)):
        for at in range(begin, end):
            if data[at:at + 2] == b'\xF9\x01' and at + 24 <= len(data):
                for place in range(at + 5, at + 13):
                    changes = changes_at(data, place)
                    if changes is not None:
                        if changes:
                            found.append((place, changes))
                        break
    for begin, end in loose_stretches(parts):
        for at in range(begin, end - 7):
            if data[at:at + 8] == SEVEN_BIT:
                found.append((at, ['seven-bit']))
    return sorted(found)


def between_frames(parts, length):
    """The stretches, as (begin, end), that are in no right frame."""
    begin = 0
    for part in parts:
        if part.kind == 'frame':
            yield begin, part.offset
            begin = part.offset + part.size
    yield begin, length


def loose_stretches(parts):
    """The stretches of text and noise, with nothing between."""
    begin = end = 0
    for part in parts:
        if part.kind in ('text', 'noise'):
            if part.offset != end:
                begin = part.offset
            end = part.offset + part.size
        elif end > begin:
            yield begin, end
            begin = end
    if end > begin:
        yield begin, end
