"""`hogs` and the stretches of `stats`, against a plain reading of every event."""

import csv
import io
import json

import cli
import tap

MS = 1000000


def events(trace):
    """Runs as (task, instance, start, end, late_ms or None), in ns from the session's start."""
    runs, running = [], {}
    origin = json.loads(cli.good('info', '--json', trace))['sessions'][0]['start_ns']
    for line in cli.good('cat', trace).splitlines():
        at, _, context, kind, task, instance, value = line.split('\t')[:7]
        if kind == 'enter':
            late = [int(part[8:]) for part in value.split() if part.startswith('late_ms=')]
            running[context] = task, int(instance), int(at) - origin, late[0] if late else None
        elif kind == 'exit' and context in running:
            task, instance, start, late = running.pop(context)
            runs.append((task, instance, start, int(at) - origin, late))
    return runs


def delays(runs, start, end):
    """{task: (runs, most)} of the late ones that waited while start to end ran."""
    found = {}
    for task, _, begins, _, late in runs:
        common = min(end, begins) - max(start, begins - late * MS)
        if common > 0:
            n, most = found.get(task, (0, 0))
            found[task] = n + 1, max(most, common)
    return found


def hogs(trace, *options):
    return json.loads(cli.good('hogs', trace, '--json', *options))


@tap.case
def every_long_run_is_listed_with_whom_it_delayed():
    trace, _ = cli.simulated(60)
    runs = events(trace)
    late = [run for run in runs if run[4]]
    for threshold in (20, 4.5, 1):
        told = hogs(trace, '--threshold', threshold)
        tap.equal((told['threshold_ns'], told['delays_whole']), (threshold * MS, True))
        long = sorted(((start - end, start, task, instance) for task, instance, start, end, _
                       in runs if end - start >= threshold * MS))
        tap.check(len(long) > 2, long)
        tap.equal([(-hog['length_ns'], hog['start_ns'], hog['task'], hog['instance'])
                   for hog in told['hogs']], long)
        for hog in told['hogs']:
            want = delays(late, hog['start_ns'], hog['start_ns'] + hog['length_ns'])
            tap.equal({each['task']: (each['runs'], each['most_ns'])
                       for each in hog['delayed']}, want)
            tap.equal(hog['delayed_runs'], sum(n for n, _ in want.values()))
            tap.equal(hog['delayed_most_ns'], max([most for _, most in want.values()] or [0]))
            order = [each['most_ns'] for each in hog['delayed']]
            tap.equal(order, sorted(order, reverse=True))
    tap.equal(hogs(trace), hogs(trace, '--threshold', 20))


@tap.case
def csv_and_table_tell_the_same():
    trace, _ = cli.simulated(60)
    told = hogs(trace)['hogs']
    rows = list(csv.DictReader(io.StringIO(cli.good('hogs', trace, '--csv'))))
    tap.equal([(row['start_ns'], row['length_ns'], row['at_least'], row['task'],
                row['instance'], row['delayed_runs'], row['delayed_most_ns'], row['delayed'])
               for row in rows],
              [(str(hog['start_ns']), str(hog['length_ns']), '0', hog['task'],
                str(hog['instance']), str(hog['delayed_runs']), str(hog['delayed_most_ns']),
                ';'.join(f"{each['task']}={each['most_ns']}" for each in hog['delayed']))
               for hog in told])
    head, titles, *lines = cli.good('hogs', trace).splitlines()
    tap.equal(head, f'Session 1: {len(told)} runs of 20.00 ms or more, longest first')
    tap.equal(titles.split(), ['At', 'Length', 'Task', 'Delayed'])
    tap.equal(len(lines), len(told))
    for line, hog in zip(lines, told):
        tap.check(hog['task'] in line and hog['delayed'][0]['task'] in line, line)
    tap.equal(cli.good('hogs', trace, '--threshold', 5000),
              'Session 1: no run of 5.00 s or more\n')


@tap.case
def a_stretch_has_what_touches_it():
    trace, _ = cli.simulated(60)
    told = hogs(trace)['hogs']
    first = min(hog['start_ns'] for hog in told)
    some = hogs(trace, '--to', f'{first + 1}ns')['hogs']
    tap.equal(some, [hog for hog in told if hog['start_ns'] == first])
    tap.equal(hogs(trace, '--from', f'{first + 1}ns')['hogs'], told)
    tap.equal(hogs(trace, '--to', '1s')['hogs'], [])
    cli.one_line(cli.run('hogs', trace, '--from', '2h'), 1, '--from 2h lies outside',
                 'from 0 ns to 60.00 s')


@tap.case
def statistics_of_a_stretch():
    trace, _ = cli.simulated(60)
    runs = [run for run in events(trace) if run[2] >= 10000 * MS and run[3] <= 20500 * MS]
    told = json.loads(cli.good('stats', trace, '--json', '--from', '10', '--to', '0:20.5'))
    tap.equal(told['observed_ns'], 10500 * MS)
    for task in told['tasks']:
        lengths = [end - start for name, _, start, end, _ in runs if name == task['task']]
        tap.equal(task['runs'], len(lengths), task)
        tap.equal(task['max_ns'], max(lengths, default=None), task)
    tap.equal(sum(task['runs'] for task in told['tasks']), len(runs))
    cli.one_line(cli.run('stats', trace, '--from', '61s', '--to', '1:02'), 1,
                 '--from 61s --to 1:02 lies outside', '60.00 s long')


@tap.case
def statistics_in_the_order_of_a_column():
    trace, _ = cli.simulated(60)
    for key, column in (('max_ns', 'max'), ('late_max_ns', 'Late max'), ('runs', 'runs'),
                        ('cpu_percent', 'CPU')):
        rows = list(csv.DictReader(io.StringIO(cli.good('stats', trace, '--csv', '--sort',
                                                        column))))
        values = [float(row[key] or -1) for row in rows]
        tap.equal(values, sorted(values, reverse=True), column)
        table = cli.good('stats', trace, '--sort', column).splitlines()[2:]
        tap.equal([line.split()[0] for line in table], [row['task'] for row in rows])
    names = [row['task'] for row in csv.DictReader(io.StringIO(
        cli.good('stats', trace, '--csv', '--sort', 'task')))]
    tap.equal(names, sorted(names))


@tap.case
def wrong_usage_is_told():
    trace, _ = cli.simulated()
    for args, words in ((['hogs', trace, '--threshold', '0'], 'above 0'),
                        (['hogs', trace, '--threshold', 'nan'], "not 'nan'"),
                        (['hogs', trace, '--threshold', 'abc'],
                         "--threshold takes a number, as 2 or 0.5, not 'abc'"),
                        (['hogs', trace, '--from', '-1'], '--from -1 is below 0'),
                        (['stats', trace, '--to=-1s'], '--to -1s is below 0'),
                        (['hogs', trace, '--csv', '--json'], 'exclude'),
                        (['hogs', trace, '--from', 'noon'], "'noon' is no time"),
                        (['hogs', trace, '--session', '0'], 'count from 1'),
                        (['stats', trace, '--to', 'noon'], "'noon' is no time"),
                        (['stats', trace, '--from', '3', '--to', '2'], 'before --to'),
                        (['stats', trace, '--sort', 'beauty'], 'late_max')):
        cli.one_line(cli.run(*args), 2, words)
    # A sentence that is part of another one has no full stop.
    cli.one_line(cli.run('record', 'tcp:host', '-o', 'x'), 2, 'write tcp:HOST:PORT; see')


cli.main()
