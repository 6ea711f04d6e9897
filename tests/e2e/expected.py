"""What of a damaged stream must be told: from its undamaged frames, read by the decoder that was
written from PROTOCOL.md alone, and from which of them were hit.
"""

import collections

import asc_frames
import asc_payloads
from asc_decode import PARSERS

Frame = collections.namedtuple('Frame', 'offset size type context content events')

TICK_NS = 1000      # of the demo board
SEAL_NS = 50_000_000


def frames_of(stream):
    """The frames of an undamaged stream; events: how much the running count grows."""
    found = []
    for part in asc_frames.split(stream):
        if part.kind == 'text':
            continue
        if part.kind != 'frame':
            raise AssertionError(f'the undamaged stream holds {part}')
        f = part.value
        content = PARSERS[f.type](f.payload)
        events = 0
        if f.type == asc_frames.EVENTS:
            events = sum(map(asc_payloads.counted, content.events))
        found.append(Frame(part.offset, part.size, f.type, f.context, content, events))
    return found


def whole_frames(damaged, streams):
    """Of each (data, frames), the numbers of the frames that are whole in the damaged bytes.

    Looked for by their bytes: what a hole has eaten may be made up for by equal bytes in front
    of it, as the marker is in every frame. No two frames are alike.
    """
    found, at = [], 0
    for data, frames in streams:
        whole = set()
        for number, frame in enumerate(frames):
            place = damaged.find(data[frame.offset:frame.offset + frame.size], at)
            if place >= 0:
                whole.add(number)
                at = place
        found.append(whole)
    return found


class Session:
    """What must be told of one session of which `whole` frames arrived."""

    def __init__(self, frames, whole, first):
        self.lost = 0               # events
        self.dropped = 0            # told by LOST
        self.unknown = False        # some of what is missing cannot be told
        self.tail_hit = len(frames) - 1 not in whole
        self.complete = []          # runs, in ticks
        self.events = 0             # decoded
        self.doubtful = []          # (from, to) in ns: no statistics need come from there
        telling = [n for n in sorted(whole) if frames[n].type in (asc_frames.EVENTS,
                                                                  asc_frames.HELLO)]
        begin = 0
        if first and whole:
            # The decoder joined a running board: what was before is not missing.
            begin = telling[0] if telling else len(frames)
            self.unknown = bool(set(range(min(whole), begin)) - whole)
        last = telling[-1] if telling else -1
        self.unknown |= bool(whole) and bool(set(range(max(last, begin), max(whole))) - whole)
        stacks = {}
        for number, frame in enumerate(frames):
            if number not in whole:
                if begin <= number < last:
                    self.lost += frame.events
                if frame.events:
                    stacks.clear()
                    self.doubt(frames, number, whole)
            elif frame.type == asc_frames.EVENTS:
                self.take(frame, stacks)

    def doubt(self, frames, number, whole):
        """A loss may lie anywhere from what was told before it to what is told after it."""
        begin = end = frames[number].content.ticks
        for frame in (frames[n] for n in range(number, len(frames)) if n in whole):
            if frame.type == asc_frames.EVENTS:
                end = frame.content.ticks + sum(event.delta + event.duration
                                                for event in frame.content.events)
                break
        else:
            end = 2**48
        self.doubtful.append((begin * TICK_NS - 2 * SEAL_NS, end * TICK_NS + 2 * SEAL_NS))

    def sound(self):
        """The complete runs that are near no loss: they must be in the statistics."""
        return [run for run in self.complete
                if not any(run[1] > begin and run[0] < end for begin, end in self.doubtful)]

    def take(self, frame, stacks):
        now = frame.content.ticks
        context = frame.context
        told = list(frame.content.stack)
        if context not in stacks or len(stacks[context]) != len(told):
            stacks[context] = [(slot, None) for slot in told]
        stack = stacks[context]
        for event in frame.content.events:
            begin = now + event.delta
            now = begin + event.duration
            if event.kind == 'enter':
                stack.append((event.values['slot'], begin))
            elif event.kind == 'exit':
                slot, start = stack.pop()
                if start is not None:
                    self.complete.append((start * TICK_NS, begin * TICK_NS))
            elif event.kind in ('lost', 'discontinuity'):
                stacks.clear()
            if event.kind == 'lost':
                self.dropped += event.values['events']
                self.doubtful.append((begin * TICK_NS - SEAL_NS, now * TICK_NS + SEAL_NS))
            self.events += 1
