#!/usr/bin/env python3
"""Damages a stream, and tells what it did.

    damage.py --seed N [--log FILE] [--ops flip,hole,…] STREAM… > damaged

Several streams are sessions of one board: each but the last is cut at some place, as by a
reset. The log has a line for everything that was done. As a module: damage() also gives for
each byte where it came from, so that a test can tell which frames were hit.
"""

import argparse
import array
import pathlib
import random
import sys

FOREIGN = -1        # a byte that is in no stream, or was changed
TEXTS = ['hello\r\n', 'Temperatur 21.4 °C\n', 'Traceback (most recent call last):\n', '→ ü 漢 🙂\n',
         '\x1b[31mred\x1b[0m', 'x']


class Damaged:
    """A stream that is being damaged: data, and beside each byte its origin."""

    def __init__(self, streams, chance):
        self.random = chance
        self.log = []
        self.data = bytearray()
        self.origin = array.array('q')
        self.sizes = {}                 # of frames, by origin
        base = 0
        for stream in streams:
            self.add(stream, base)
            base += len(stream)

    def add(self, stream, base):
        self.data += stream
        self.origin.extend(range(base, base + len(stream)))

    def note(self, what, at, size, more=''):
        self.log.append(f'{what}\tat={at}\tsize={size}\t{more}')

    def place(self, size=0):
        return self.random.randrange(max(1, len(self.data) - size + 1))

    def insert(self, at, data, origins=None):
        self.data[at:at] = data
        self.origin[at:at] = array.array('q', origins or [FOREIGN] * len(data))

    def remove(self, at, size):
        del self.data[at:at + size]
        del self.origin[at:at + size]

    # -- what can happen

    def flip(self):
        at, bit = self.place(1), self.random.randrange(8)
        if at < len(self.data) and self.origin[at] != FOREIGN:
            self.note('flip', at, 1, f'bit={bit}')
            self.data[at] ^= 1 << bit
            self.origin[at] = FOREIGN

    def hole(self):
        at = self.place(64)
        self.note('hole', at, 64)
        self.remove(at, 64)

    def text(self):
        """Between frames: where a board prints."""
        at = self.border()
        data = self.random.choice(TEXTS).encode()
        self.note('text', at, len(data))
        self.insert(at, data)

    def noise(self):
        """Anywhere, and with what looks like the start of a frame."""
        at = self.place()
        data = bytes(self.random.choice((0xF9, self.random.randrange(256)))
                     for _ in range(self.random.randrange(1, 40)))
        self.note('noise', at, len(data))
        self.insert(at, data)

    def piece(self):
        """The beginning of a frame once more, somewhere: a right header, and then no frame."""
        begin, size = self.frame()
        if size < 2:
            return
        size = self.random.randrange(1, size)
        data = bytes(self.data[begin:begin + size])
        at = self.border()
        self.note('piece', at, size, f'from={begin}')
        self.insert(at, data)

    def twice(self):
        """A frame twice, as from a line that repeats."""
        at, size = self.frame()
        if size:
            self.note('twice', at, size)
            self.insert(at + size, bytes(self.data[at:at + size]),
                        list(self.origin[at:at + size]))

    def cut(self):
        """The stream ends early."""
        size = min(self.random.randrange(1, 600), len(self.data))
        self.note('cut', len(self.data) - size, size)
        self.remove(len(self.data) - size, size)

    def border(self):
        """A place where a frame begins, of those that are still there."""
        for _ in range(50):
            at = self.place()
            while at < len(self.data) and self.origin[at] not in self.sizes:
                at += 1
            if at < len(self.data):
                return at
        return len(self.data)

    def frame(self):
        """Place and size of a whole frame; size 0: none found."""
        at = self.border()
        if at == len(self.data):
            return at, 0
        begin = self.origin[at]
        size = self.sizes[begin]
        whole = list(self.origin[at:at + size]) == list(range(begin, begin + size))
        return at, size if whole else 0


OPS = ('flip', 'hole', 'text', 'noise', 'piece', 'cut', 'twice')


def reset(stream, chance, log, number):
    """What of a session arrives before the board is reset."""
    size = chance.randrange(len(stream) // 2, len(stream) + 1)
    log.append(f'reset\tat={size}\tsize={len(stream) - size}\tstream={number}')
    return size


def damage(streams, seed, frames, ops=OPS, times=20):
    """frames: of each stream the (offset, size) of its frames. Returns a Damaged."""
    chance = random.Random(seed)
    found = Damaged(streams, chance)
    base = 0
    for stream, some in zip(streams, frames):
        found.sizes.update({base + offset: size for offset, size in some})
        base += len(stream)
    kept = [reset(stream, chance, found.log, number)
            for number, stream in enumerate(streams[:-1])]
    for number in reversed(range(len(kept))):
        base = sum(map(len, streams[:number]))
        found.remove(base + kept[number], len(streams[number]) - kept[number])
    for _ in range(chance.randrange(times + 1)):
        op = chance.choice(ops)
        if op == 'cut' and chance.random() < 0.8:
            continue
        getattr(found, op)()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('streams', nargs='+', type=pathlib.Path)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--times', type=int, default=20, help='at most so many damages')
    parser.add_argument('--ops', default=','.join(OPS))
    parser.add_argument('--log', type=pathlib.Path)
    args = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'wire'))
    import asc_frames
    streams = [path.read_bytes() for path in args.streams]
    frames = [[(part.offset, part.size) for part in asc_frames.split(stream)
               if part.kind == 'frame'] for stream in streams]
    found = damage(streams, args.seed, frames, args.ops.split(','), args.times)
    sys.stdout.buffer.write(found.data)
    if args.log:
        args.log.write_text('\n'.join(found.log) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
