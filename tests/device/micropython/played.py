"""What a program of board/ did by its own telling, and by its trace."""

import collections

import e2e
import tap

Played = collections.namedtuple('Played', 'lines truth text output path period')


def read_truth(path):
    """The runs that the program told, by task and its number, in the order they began."""
    if not path.exists() or '\t' not in path.read_text():
        return []
    runs, open_runs = [], {}
    for line in path.read_text().splitlines():
        name, number, us, what = line.split('\t')
        who = (name, int(number))
        if what == 'enter':
            tap.check(who not in open_runs, who, 'entered twice')
            open_runs[who] = run = [who, int(us), None, None]
            runs.append(run)
        else:
            open_runs.pop(who)[2:] = int(us), what
    tap.equal(open_runs, {})
    return runs


def read_runs(lines):
    """The runs of a trace in the same form. A task's number counts its STARTs."""
    numbers, counts, runs, open_runs = {}, collections.Counter(), [], {}
    for line in lines:
        key = (line.session, line.instance)
        if line.kind == 'start':
            counts[line.task] += 1
            numbers[key] = (line.task, counts[line.task])
        elif line.kind == 'enter':
            tap.check(key in numbers, 'no START of', line)
            open_runs[key] = run = [numbers[key], line.ns // 1000, None, None]
            runs.append(run)
        elif line.kind == 'exit':
            open_runs.pop(key)[2:] = line.ns // 1000, line.value
    tap.equal(open_runs, {})
    return runs


def before(a, b, period):
    """a <= b on a clock that wraps."""
    return (b - a) % period < period // 2


def check(played):
    """Runs, their order, names, instances, exits and times are the truth's."""
    nothing_lost(played)
    names = {run[0][0] for run in played.truth}
    told = [run for run in read_runs(played.lines) if run[0][0] in names]
    tap.equal([(run[0], run[3]) for run in told], [(run[0], run[3]) for run in played.truth])
    for trace, truth in zip(told, played.truth):
        tap.check(before(trace[1], truth[1], played.period)
                  and before(truth[2], trace[2], played.period),
                  'a run of other times', trace, truth)
    # The table counts the same.
    table = e2e.stats(played.path)
    for name in names:
        tap.equal(int(table[name]['runs']), sum(run[0][0] == name for run in played.truth), name)


def nothing_lost(played):
    tap.nothing(line for line in played.lines
                if line.kind in ('lost', 'gap', 'skip', 'unknown', 'discontinuity'))


def values(played, kind):
    return [line.value for line in played.lines if line.kind == kind]


def tasks_of(played, kind, value=None):
    return [line.task for line in played.lines
            if line.kind == kind and (value is None or line.value == value)]
