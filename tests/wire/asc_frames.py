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


# A canary as a terminal driver may leave it; the groups tell what was changed.
MANGLED = re.compile(
    rb'(?:\x0A|(?P<output>\x0D\x0A))(?:\x0D|(?P<input>\x0A))'
    rb'(?:\x03|(?P<x03>))(?:\x04|(?P<x04>))(?:\x11|(?P<x11>))(?:\x13|(?P<x13>))'
    rb'(?:\x00|(?P<x00>))(?:(?P<marking>\xFF\xFF)|\xFF|(?P<seven>\x7F)|(?P<xff>))', re.DOTALL)

CHANGES = {
    'output': 'output processing', 'input': 'input processing',
    'x11': 'flow control', 'x13': 'flow control', 'x03': 'terminal signals',
    'x04': 'terminal signals', 'x00': 'zeros missing', 'xff': 'parity marking',
    'marking': 'parity marking', 'seven': '7-bit line',
}


def changes_of_canary(data, at):
    """What a terminal driver did to the HELLO that begins like one at `at`; [] if nothing."""
    if data[at:at + 2] not in (b'\xF9\x01', b'\x79\x01'):
        return []
    for place in (8, 7, 6, 5, 9, 10, 11, 12):
        match = MANGLED.match(data, at + place)
        if match:
            groups = [name for name, found in match.groupdict().items() if found is not None]
            missing = sum(name.startswith('x') for name in groups)
            if groups and missing <= 4:
                return sorted({CHANGES[name] for name in groups})
    return []
