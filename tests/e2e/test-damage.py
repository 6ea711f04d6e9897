#!/usr/bin/env python3
"""Damaged streams: what was not hit is told, what was hit is counted, nothing is made up."""

import functools
import os

import e2e      # leads to the others
import asc_frames
import damage
import expected
import tap

SEEDS = int(os.environ.get('ASC_E2E_SEEDS') or 6)     # of each case


@functools.lru_cache(maxsize=None)
def stream(seed, *options):
    """A simulated board's bytes, frames and runs; one of a few, since each is used often."""
    data, runs = e2e.simulate(f'stream-{seed}-{options[1]}', '--seed', seed, *options)
    return data, expected.frames_of(data), {(run.start, run.end): run for run in runs}


QUIET = ('--seconds', 2, '--no-loss')
LOSING = ('--seconds', 19, '--speed', 400)     # stalls, so that the board drops events


def runs_told(lines):
    """The runs that `cat` tells, per session: from enter to exit, with nothing lost between."""
    found, open_runs = {}, {}
    for line in lines:
        if line.kind in ('lost', 'discontinuity') or \
                line.kind == 'gap' and line.value != 'events=0':
            open_runs.clear()
        place = line.session, line.context
        if line.kind == 'enter':
            open_runs.setdefault(place, []).append(line)
        elif line.kind == 'exit' and open_runs.get(place):
            begin = open_runs[place].pop()
            found.setdefault(line.session, []).append((begin, line))
    return found


def check_runs(session, told, want, truth):
    """Each run told is a true one, and all that arrived whole are told, once."""
    got = [(begin.ns, end.ns) for begin, end in told]
    tap.nothing(sorted(set(got) - set(truth)), session, 'runs that never were')
    tap.equal(len(got), len(set(got)), session, 'runs told twice')
    tap.nothing(sorted(set(want.complete) ^ set(got)), session, 'arrived or told, not both')
    for begin, end in told:
        run = truth[begin.ns, end.ns]
        tap.equal(end.value, run.how, session, begin)
        # Where the START or the name was hit, they are not known.
        if end.instance:
            tap.equal(end.instance, run.instance, session, begin)
            tap.check(begin.task == run.task or begin.task.startswith('(name '), session, begin,
                      run)


def check_statistics(path, number, told, want, truth):
    """Statistics leave out what may be near a loss, and add nothing."""
    table = e2e.stats(path, number)
    runs = sum(int(row['runs']) for row in table.values())
    total = sum(int(row['total_ns']) for row in table.values())
    sound = want.sound()
    tap.check(len(sound) <= runs <= len(told), number, len(sound), runs, len(told))
    tap.check(sum(end - begin for begin, end in sound) <= total
              <= sum(end.ns - begin.ns for begin, end in told), number, total)
    for task, row in table.items():
        mine = [run.end - run.start for run in truth.values() if run.task == task]
        if int(row['runs']) and mine:
            for column in ('min_ns', 'max_ns', 'p99_ns'):
                tap.check(int(row[column]) in mine, number, task, column, row)
            tap.check(int(row['runs']) <= len(mine), number, task)


def check(seeds, chance_seed, ops, times, options):
    streams = [stream(seed, *options) for seed in seeds]
    places = [[(frame.offset, frame.size) for frame in frames] for _, frames, _ in streams]
    done = damage.damage([data for data, _, _ in streams], chance_seed, places, ops, times)
    path = e2e.TEMP / f'damaged-{chance_seed}.wire'
    path.write_bytes(done.data)
    try:
        compare(path, done, streams)
    except AssertionError:
        print(f'# boards {seeds}, damage {chance_seed}:')
        for line in done.log:
            print('#  ', line)
        raise
    path.unlink()


def ends_damaged(done):
    """Whether anything is left of a frame that was hit, behind the last whole one."""
    parts = [part.kind for part in asc_frames.split(done.data)]
    behind = parts[max((n for n, kind in enumerate(parts) if kind == 'frame'), default=-1) + 1:]
    return set(behind) - {'text'}


def compare(path, done, streams):
    whole = expected.whole_frames(done.data, [(data, frames) for data, frames, _ in streams])
    if not any(whole):
        return
    info, told = e2e.info(path), runs_told(e2e.cat(path))
    present = [number for number, some in enumerate(whole) if some]
    tap.equal(len(info['sessions']), len(present), 'sessions')
    events = 0
    for place, number in enumerate(present, 1):
        _, frames, truth = streams[number]
        want = expected.Session(frames, whole[number], place == 1)
        said = info['sessions'][place - 1]
        tap.equal(said['events'], want.events, place, 'events')
        tap.equal(said['lost_events'], want.lost + want.dropped, place, 'lost')
        if want.unknown or place < len(present) or want.tail_hit and ends_damaged(done):
            tap.check(not e2e.lost_known(path, place), place, 'what was lost is not known')
        check_runs(place, told.get(place, []), want, truth)
        check_statistics(path, place, told.get(place, []), want, truth)
        events += want.events
    tap.equal(info['events'], events, 'events')


def case(name, ops, times, boards, options=QUIET, seeds=SEEDS):
    def body():
        for _ in range(seeds):
            chosen = tap.random.sample(range(1, 6), tap.random.randint(1, boards))
            check(chosen, tap.random.randrange(1, 10**6), ops, times, options)
    tap.add(name, body)


case('flipped bits', ['flip'], 30, 1)
case('holes', ['hole'], 10, 1)
case('text and noise', ['text', 'noise', 'piece'], 30, 1)
case('frames that come twice', ['twice', 'flip'], 20, 1)
case('a stream that ends early', ['cut', 'flip'], 10, 1)
case('resets', [], 0, 4)
case('all of it', damage.OPS, 30, 3)
case('all of it, with losses on the board', damage.OPS, 30, 2, LOSING, max(1, SEEDS // 4))

tap.main()
