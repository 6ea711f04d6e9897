"""The commands on real traces: figures against the simulated program's own truth."""

import collections
import csv
import io
import json
import math
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import cli
import tap

COLUMNS = ('task,instances,runs,rate_hz,cpu_percent,total_ns,min_ns,median_ns,mean_ns,'
           'p99_ns,max_ns,stddev_ns,late_max_ns,censored').split(',')


def true_runs(path):
    """{task: [durations]} of what the program did."""
    runs = {}
    with open(path, newline='') as file:
        for row in csv.DictReader(file):
            length = int(row['end_ns']) - int(row['start_ns'])
            runs.setdefault(row['task'], []).append(length)
        return runs


def figures(lengths):
    """Median, P99 by nearest rank, mean, population deviation."""
    ordered = sorted(lengths)
    n = len(ordered)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    mean = sum(ordered) / n
    deviation = math.sqrt(sum((x - mean) ** 2 for x in ordered) / n)
    return median, ordered[-(-99 * n // 100) - 1], mean, deviation


@tap.case
def statistics_equal_the_truth():
    trace, truth = cli.simulated(10)
    runs = true_runs(truth)
    # An instance that has not run yet is born all the same.
    born = collections.Counter(line.split('\t')[4] for line in cli.good('cat', trace).splitlines()
                               if line.split('\t')[3] == 'start')
    rows = list(csv.DictReader(io.StringIO(cli.good('stats', '--csv', trace))))
    tap.equal(list(rows[0]), COLUMNS)
    tap.equal({row['task'] for row in rows}, set(runs))
    for row in rows:
        lengths = runs[row['task']]
        median, p99, mean, deviation = figures(lengths)
        got = {name: float(row[name]) for name in COLUMNS[1:] if row[name]}
        tap.equal(got['runs'], len(lengths), row['task'])
        tap.equal(got['instances'], born[row['task']], row['task'])
        tap.equal((got['total_ns'], got['min_ns'], got['max_ns']),
                  (sum(lengths), min(lengths), max(lengths)), row['task'])
        tap.equal((got['median_ns'], got['p99_ns']), (median, p99), row['task'])
        tap.check(abs(got['mean_ns'] - mean) < 0.01, row, mean)
        tap.check(abs(got['stddev_ns'] - deviation) < 0.01, row, deviation)
        tap.equal(got['censored'], 0)


@tap.case
def json_says_the_same_as_csv():
    trace, _ = cli.simulated()
    rows = list(csv.DictReader(io.StringIO(cli.good('stats', '--csv', trace))))
    data = json.loads(cli.good('stats', '--json', trace))
    tap.equal(len(data['tasks']), len(rows))
    for row, task in zip(rows, data['tasks']):
        tap.equal(list(task), COLUMNS)
        tap.equal(task['task'], row['task'])
        for name in COLUMNS[1:]:
            tap.equal(task[name], float(row[name]) if row[name] else None, name)
    tap.equal((data['lost_events'], data['skipped_bytes'], data['coverage']), (0, 0, 1))
    tap.check(data['observed_ns'] > 3.5e9)


@tap.case
def standard_input_is_as_good_as_a_file():
    trace, _ = cli.simulated()
    data = trace.read_bytes()
    for args in (['stats', '--csv'], ['stats', '--json'], ['cat'], ['stats']):
        tap.equal(cli.good(*args, '-', data=data), cli.good(*args, trace), args)


@tap.case
def the_locale_changes_nothing():
    trace, _ = cli.simulated()
    known = subprocess.run(['locale', '-a'], stdout=subprocess.PIPE, text=True).stdout
    comma = [name for name in known.split() if name.lower().startswith(('de_', 'fr_', 'nb_'))]
    path = None
    if not comma:
        path = cli.PLACE / 'locales'
        path.mkdir(exist_ok=True)
        made = subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', path / 'de_DE.UTF-8'],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if made.returncode != 0:
            tap.skip('no locale with a decimal comma here, and none could be made')
        comma = ['de_DE.UTF-8']
    for args in (['stats', '--csv'], ['stats', '--json'], ['stats'], ['cat'], ['info']):
        plain = cli.good(*args, trace, env={'LC_ALL': 'C'})
        env = {'LC_ALL': comma[0]}
        if path:
            env['LOCPATH'] = str(path)
        tap.equal(cli.good(*args, trace, env=env), plain, args)


def cut_traces():
    trace, _ = cli.simulated()
    data = trace.read_bytes()
    for _ in range(4):
        yield data[:tap.random.randrange(2000, len(data))]


@tap.case
def a_cut_file_loses_only_its_last_frame():
    for number, data in enumerate(cut_traces()):
        path = cli.PLACE / f'cut-{number}'
        path.write_bytes(data)
        info = json.loads(cli.good('info', '--json', path))
        tap.check(info['skipped_bytes'] < 267, info)
        tap.equal(info['skipped_bytes'], info['skipped']['cut'], info)
        tap.equal(info['missing_events'], 0)
        n = info['skipped_bytes']
        told = f'Skipped {n} byte{"" if n == 1 else "s"} of a frame that was cut off.'
        tap.equal(told in cli.good('info', path), n > 0, told)
        cli.good('stats', path)


@tap.case
def info_counts_what_is_there():
    trace, truth = cli.simulated()
    runs = true_runs(truth)
    info = json.loads(cli.good('info', '--json', trace))
    tap.equal(info['bytes'], trace.stat().st_size)
    tap.equal(len(info['sessions']), 1)
    session = info['sessions'][0]
    tap.equal(session['runs'], sum(map(len, runs.values())))
    tap.equal(session['events'], info['events'])
    tap.equal((info['missing_events'], info['skipped_bytes']), (0, 0))
    tap.check(abs(session['length_ns'] - 4e9) < 0.5e9, session)
    text = cli.good('info', trace)
    for word in (session['board'], session['program'], 'Session 1 of 1', 'lost '):
        tap.check(word in text, word, text)


def lives(trace):
    """{(task, instance): [born, ended]} by what cat tells; ended is None for those alive."""
    found = {}
    for line in cli.good('cat', trace).splitlines():
        time, _, _, kind, task, instance, value = line.split('\t')[:7]
        if kind == 'start':
            found[task, instance] = [int(time), None]
        elif kind == 'end' or (kind == 'exit' and value != 'yield'):
            found[task, instance][1] = int(time)
    return found


@tap.case
def instances_of_a_stretch_lived_in_it():
    trace = cli.simulated(10)[0]
    session, = json.loads(cli.good('info', '--json', trace))['sessions']
    known = lives(trace)
    for start, end in ((0, 9), (2, 2.5), (5, 5.004), (7.25, 9.5)):
        want = collections.Counter(
            task for (task, _), (born, ended) in known.items()
            if born <= session['start_ns'] + end * 1e9
            and (ended is None or ended >= session['start_ns'] + start * 1e9))
        table = json.loads(cli.good('stats', '--json', '--from', start, '--to', end, trace))
        got = {row['task']: row['instances'] for row in table['tasks']}
        tap.equal({task: n for task, n in got.items() if n}, dict(want), start, end)
        tap.nothing([row for row in table['tasks'] if row['runs'] and not row['instances']])
    whole = json.loads(cli.good('stats', '--json', trace))
    tap.equal({row['task']: row['instances'] for row in whole['tasks']},
              dict(collections.Counter(task for task, _ in known)))


@tap.case
def the_length_is_what_was_heard():
    """Connected late, a board keeps its own time; the length is that of what arrived."""
    data = cli.simulated(10)[0].read_bytes()
    path = cli.PLACE / 'late.trace'
    path.write_bytes(data[len(data) // 2:])
    session, = json.loads(cli.good('info', '--json', path))['sessions']
    first = session['first_ns'] - session['start_ns']
    tap.check(4e9 < first < 6e9, session)
    tap.equal(session['length_ns'], session['end_ns'] - session['first_ns'])
    stats = json.loads(cli.good('stats', '--json', path))
    tap.equal(stats['observed_ns'], session['length_ns'])
    text = cli.good('info', path)
    tap.check(re.search(r'heard +from 00:0[456]\.\d+ of the board', text), text)
    tap.check(re.search(r'\n  length +[456]\.\d+ s', text), text)
    tap.check('heard' not in cli.good('info', cli.simulated(10)[0]))


@tap.case
def cat_tells_every_run():
    trace, truth = cli.simulated()
    runs = []
    entered = None
    for line in cli.good('cat', trace).splitlines():
        fields = line.split('\t')
        tap.equal(len(fields), 7, line)
        ns, session, context, kind, task, instance, value = fields
        if kind == 'enter':
            entered = (task, instance, int(ns))
        elif kind == 'exit':
            tap.equal((task, instance), entered[:2], line)
            tap.equal((session, context), ('1', 'loop0.0'), line)
            runs.append((*entered, int(ns), value))
    with open(truth, newline='') as file:
        expected = [(row['task'], row['instance'], int(row['start_ns']), int(row['end_ns']),
                     row['exit']) for row in csv.DictReader(file)]
    tap.equal(sorted(runs), sorted(expected))


@tap.case
def two_sessions_are_kept_apart():
    data = b''.join(cli.simulated(4, seed)[0].read_bytes() for seed in (3, 4))
    one, two = (cli.good('stats', '--csv', cli.simulated(4, seed)[0]) for seed in (3, 4))
    tap.equal(cli.good('stats', '--csv', '-', '--session', '1', data=data), one)
    tap.equal(cli.good('stats', '--csv', '-', '--session', '2', data=data), two)
    tap.equal(cli.good('stats', '--csv', '-', data=data), two)
    rows = list(csv.DictReader(io.StringIO(
        cli.good('stats', '--csv', '-', '--session', 'all', data=data))))
    tap.equal(list(rows[0]), ['session', *COLUMNS])
    tap.equal([row['session'] for row in rows],
              ['1'] * (one.count('\n') - 1) + ['2'] * (two.count('\n') - 1))
    both = json.loads(cli.good('stats', '--json', '-', '--session', 'all', data=data))
    tap.equal([each['session'] for each in both['sessions']], [1, 2])
    tap.equal(cli.good('stats', '-', '--session', 'all', data=data).count('\nSession 2: '), 1)


@tap.case
def damage_is_a_line():
    trace, _ = cli.simulated()
    data = bytearray(trace.read_bytes())
    data[len(data) // 2:len(data) // 2 + 300] = b'\xC3' * 300
    lines = [line.split('\t') for line in cli.good('cat', '-', data=bytes(data)).splitlines()]
    kinds = {fields[3] for fields in lines}
    tap.check({'gap', 'skip'} <= kinds, kinds)
    report = json.loads(cli.good('stats', '--json', '-', data=bytes(data)))
    gaps = sum(int(fields[6].removeprefix('events=')) for fields in lines if fields[3] == 'gap')
    tap.equal(report['lost_events'], gaps)
    tap.check(report['skipped_bytes'] >= 300 and report['coverage'] < 1, report)
    problems = json.loads(cli.good('info', '--json', '-', data=bytes(data)))['problems']
    tap.check(problems and all(problem['text'] for problem in problems), problems)


def png_size(data):
    tap.equal(data[:8], b'\x89PNG\r\n\x1a\n')
    return struct.unpack('>II', data[16:24])


def render(*args):
    result = cli.run('render', cli.simulated()[0], '-o', cli.PLACE / 'x.png', *args)
    tap.equal((result.returncode, result.err), (0, ''), args)
    return (cli.PLACE / 'x.png').read_bytes()


@tap.case
def render_draws_what_was_asked_for():
    whole = render()
    tap.equal(png_size(whole)[0], 1280)
    tap.equal(png_size(render('--size', '640x400')), (640, 400))
    tap.equal(png_size(render('--size', '640x400', '--scale', '2')), (1280, 800))
    part = render('--from', '1s', '--to', '1500ms')
    tap.equal(part, render('--from', '0:01', '--to', '1.5'))
    tap.equal(len({whole, part, render('--dark'), render('--lanes', 'motor*')}), 4)
    result = subprocess.run([cli.CLI, 'render', cli.simulated()[0], '-o', '-'],
                            stdout=subprocess.PIPE, timeout=cli.PATIENCE)
    tap.equal(result.stdout, whole)
    cli.one_line(cli.run('render', cli.simulated()[0], '-o', cli.PLACE / 'n.png', '--from',
                         '2h'), 1, '--from 2h lies outside')


@tap.case
def the_same_seed_is_the_same_program():
    first = cli.simulated()[0].read_bytes()
    again = subprocess.run([cli.CLI, 'simulate', '--no-loss', '--seconds', '4', '--seed', '3',
                            '-o', '-'], stdout=subprocess.PIPE, timeout=cli.PATIENCE).stdout
    tap.check(first == again, 'two runs differ')


def start(*args, **more):
    return subprocess.Popen([cli.CLI, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def end(process, number):
    process.send_signal(number)
    out, err = process.communicate(timeout=cli.PATIENCE)
    tap.equal(process.returncode, 0, err)
    return out.decode(), err.decode()


def wait_for(condition):
    until = time.monotonic() + cli.PATIENCE
    while not condition():
        tap.check(time.monotonic() < until, 'it does not come')
        time.sleep(0.01)


@tap.case
def a_served_board_is_recorded():
    board = start('simulate', '--no-loss', '--speed', '5')
    pty = board.stdout.readline().decode().rstrip('\n')
    tap.check(os.path.exists(pty), pty)
    for number in (signal.SIGINT, signal.SIGTERM):
        path = cli.PLACE / f'live-{number}.trace'
        recorder = start('record', pty, '-o', path)
        wait_for(lambda: path.exists() and path.stat().st_size > 20000)
        _, err = end(recorder, number)
        tap.check(f'in {path}' in err, err)
        info = json.loads(cli.good('info', '--json', path))
        tap.check(info['has_head'] and info['sessions'][0]['runs'] > 100, info)
        tap.check('\r' not in err, 'progress for a terminal', err)
    end(board, signal.SIGTERM)


@tap.case
def record_never_overwrites_unasked():
    path = cli.PLACE / 'mine.trace'
    path.write_bytes(b'precious')
    trace, _ = cli.simulated()
    cli.one_line(cli.run('record', trace, '-o', path), 1, '--force')
    tap.equal(path.read_bytes(), b'precious')
    result = cli.run('record', trace, '-o', path, '--force')
    tap.equal(result.returncode, 0, result.err)
    tap.equal(cli.good('stats', '--csv', path), cli.good('stats', '--csv', trace))
    tap.equal(path.stat().st_mode & 0o777, 0o600)


@tap.case
def record_goes_through_pipes():
    trace, _ = cli.simulated()
    result = subprocess.run([cli.CLI, 'record', '-', '-o', '-'], input=trace.read_bytes(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=cli.PATIENCE)
    tap.equal(result.returncode, 0, result.stderr)
    tap.equal(cli.good('stats', '--csv', '-', data=result.stdout),
              cli.good('stats', '--csv', trace))


@tap.case
def every_golden_capture_can_be_asked():
    golden = pathlib.Path(__file__).resolve().parent.parent / 'golden'
    captures = sorted([*golden.glob('*.wire'), *golden.glob('*.trace')])
    tap.check(len(captures) > 20, captures)
    others = {'gap', 'skip', 'link', 'cut'}
    for path in captures:
        info = cli.run('info', '--json', path)
        if info.returncode:
            cli.one_line(info, 1, path)
            continue
        told = json.loads(info.out)
        lines = [line.split('\t') for line in cli.good('cat', path).splitlines()]
        tap.check(all(len(fields) == 7 for fields in lines), path)
        # Events have a context, what lies between frames has none.
        tap.equal(sum(bool(fields[2]) for fields in lines), told['events'], path)
        tap.check(all(fields[2] == '' for fields in lines if fields[3] in others), path)
        if told['sessions']:
            cli.good('stats', '--csv', '--session', 'all', path)


@tap.case
def a_silent_recording_is_a_good_file():
    path = cli.PLACE / 'silent.trace'
    result = cli.run('record', '-', '-o', path, data=b'')
    tap.equal(result.returncode, 0, result.err)
    info = json.loads(cli.good('info', '--json', path))
    tap.equal((info['has_head'], info['sessions'], info['skipped_bytes']), (True, [], 0))
    cli.good('info', path)
    cli.one_line(cli.run('stats', path), 1, 'No board')
    cli.one_line(cli.run('render', path, '-o', cli.PLACE / 'silent.png'), 1, 'No board')
    links = [line.split('\t')[6].split()[0] for line in cli.good('cat', path).splitlines()]
    tap.equal(links, ['connected', 'ended'])


@tap.case
def a_margin_that_losses_hide_is_said_to_be_unknown():
    path = cli.PLACE / 'holes.trace'
    data = bytearray(cli.simulated(6)[0].read_bytes())
    for i in reversed(range(1, 24)):
        del data[len(data) * i // 24:len(data) * i // 24 + 300]
    path.write_bytes(data)
    text = cli.good('info', path)
    tap.check('  margin    not known: events were lost in every second' in text, text)
    tap.check('  load  ' in text, text)
    session, = json.loads(cli.good('info', '--json', path))['sessions']
    tap.equal((session['load'], session['margin']), (None, None))
    short = cli.good('info', cli.simulated(1)[0])
    tap.check('margin' not in short, short)


@tap.case
def record_ends_after_its_time():
    path = cli.PLACE / 'timed.trace'
    result = cli.run('record', 'demo:no-loss', '-o', path, '--seconds', '0.5')
    tap.equal(result.returncode, 0, result.err)
    tap.check(json.loads(cli.good('info', '--json', path))['events'] > 100)


@tap.case
def ports_are_a_table():
    result = cli.run('ports')
    tap.equal(result.returncode, 0)
    for line in result.out.splitlines():
        tap.equal(len(line.split('\t')), 4, line)


cli.main()
