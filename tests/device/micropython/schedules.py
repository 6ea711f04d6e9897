"""What must have come of the programs of board/ whose schedule is known, wherever they ran."""

import collections

import tap

from played import check, nothing_lost, tasks_of, values


def nested(played):
    check(played)
    tap.equal(values(played, 'mark'), ['begin', 'value=-123456789012', 'caught'])
    tap.equal(values(played, 'level'), ['led=1', 'led=0'])
    tap.equal(values(played, 'counter'), [f'heap={value}' for value in
                                          (1 << 40, (1 << 63) - 1, -1 << 63, -1, 1 << 31)])
    tap.equal(sorted(values(played, 'span-begin')), ['decorated', 'decorated', 'one', 'two'])
    tap.equal(sorted(values(played, 'span-end')), ['decorated', 'decorated', 'one', 'two'])
    tap.equal(tasks_of(played, 'exit', 'raise'), ['fails'])
    starts = [line for line in played.lines if line.kind == 'start']
    tap.equal([line.instance for line in starts], list(range(1, 9)))
    tap.check(any(line.kind == 'idle' for line in played.lines), 'no idle')
    tap.check(all(line.value.startswith('late_ms=') for line in played.lines
                  if line.kind == 'enter'), 'not timed')


def many(played):
    check(played)
    instances = [line.instance for line in played.lines if line.kind == 'start']
    tap.equal(instances, list(range(1, 502)))
    tap.equal(len(tasks_of(played, 'exit', 'return')), 501)


def cancel(played):
    check(played)
    tap.equal(values(played, 'end'), ['cancelled'] * 6)
    tap.equal(set(tasks_of(played, 'end')), {'unborn'})
    tap.equal(tasks_of(played, 'exit', 'cancel').count('sleeper'), 72)
    tap.equal(tasks_of(played, 'exit', 'cancel').count('stubborn'), 1)


def waits(played, inner='wait_for.work'):
    """inner: what the task is called that wait_for makes."""
    check(played)
    tap.equal(values(played, 'mark'), ['late'])
    starts = collections.Counter(tasks_of(played, 'start'))
    tap.equal((starts['work'], starts[inner]), (2, 2))


def loops(played, gc=True, told=True):
    """gc: collections are recorded. told: the recorder is told when an object is collected."""
    check(played)
    begun = len(tasks_of(played, 'gc-begin'))
    tap.equal(len(tasks_of(played, 'gc-end')), begun)
    tap.check(begun >= 15 if gc else begun == 0, 'collections', begun)
    tap.equal(tasks_of(played, 'enter').count('Thing'), 4)
    tap.equal(tasks_of(played, 'exit', 'return').count('Thing'), 1)
    tap.equal([(line.task, line.value) for line in played.lines if line.kind == 'end'],
              [('forgotten', 'never-started')] if told else [])


def locked(played):
    nothing_lost(played)
    tap.equal(values(played, 'mark'), [f'turn={i}' for i in range(60)])
    tap.equal(values(played, 'level'), [f'pin={i & 1}' for i in range(60)])
    tap.equal(values(played, 'span-end'), ['locked'] * 60)
    tap.equal(tasks_of(played, 'enter').count('locked'), 61)


def sessions(played):
    nothing_lost(played)
    found = sorted({line.session for line in played.lines if line.session})
    tap.equal(found, [1, 2, 3])
    for session in found:
        lines = [line for line in played.lines if line.session == session]
        begun = [line.task for line in lines if line.kind == 'start']
        tap.equal(begun[0], 'main')
        tap.equal(lines[1].kind, 'enter')
    beats = [int(value.split('=')[1]) for value in values(played, 'mark') if 'beat' in value]
    tap.check(beats == sorted(set(beats)) and 3 <= len(beats) < 12 and beats[-1] == 11, beats)
    tap.equal(values(played, 'mark')[-1], 'end')
