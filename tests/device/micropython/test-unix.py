"""MicroPython on unix: programs that keep their own truth, recorded through a pty by aioscope-cli.

    test-unix.py AIOSCOPE_CLI AIOSCOPE_CLI FOLDER c|x64|x64-blind|python|bytecode|uasyncio

FOLDER is what fetch-source.sh made. c: with the C module, built there (build.sh). x64: Debian's own
MicroPython loads it as a file; x64-blind: as one that knows no objects of MicroPython's. python, bytecode:
Debian's own MicroPython with the recorder in pure Python, with its short way in machine code or
without. uasyncio: as python, where asyncio has the name that it had before MicroPython 1.21.
"""

import collections
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'e2e'))

import e2e
import tap

import port
import schedules
from played import Played, check, nothing_lost, read_truth, tasks_of, values

FOLDER, KIND = sys.argv[3:5]
LOADABLE = KIND.startswith('x64')
PERIOD = 2**32 if KIND == 'c' or LOADABLE else 2**30
TRIES = 4
END = b'\n-- the end of the test --\n'


def play(script, *args, shared=False, status=0, during=None):
    """Runs a program of board/ with the trace on a pty, recorded, and returns what came."""
    name = f'{script}-{len(os.listdir(e2e.TEMP))}'
    truth, trace = e2e.TEMP / f'{name}.truth', e2e.TEMP / f'{name}.trace'
    command, env = port.command(FOLDER, KIND, port.board(FOLDER, KIND))
    with e2e.Board(name) as board, e2e.Recording(board.pty, trace) as recording:
        e2e.until(lambda: 'connected' in recording.messages() or recording.ended(), 'connected')
        # As a terminal is; else print() drops what does not fit.
        os.set_blocking(board.master, shared)
        process = subprocess.Popen(
            [*command, port.board(FOLDER, KIND) / f'{script}.py', str(board.master), str(truth),
             *map(str, args)],
            pass_fds=[board.master], stdin=subprocess.PIPE,
            stdout=board.master if shared else subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        if during:
            during(process, recording, truth)
        output, errors = process.communicate(timeout=e2e.LIMIT)
        tap.equal(process.returncode, status, errors.decode(errors='replace'))
        os.write(board.master, END)
        e2e.until(lambda: END in trace.read_bytes() or recording.ended(), 'the end')
        recording.process.send_signal(signal.SIGINT)
        recording.wait()
    lines = e2e.cat(trace)
    text = ''.join(line.value for line in lines if line.kind == 'text' and not line.context)
    return Played(lines, read_truth(truth), text, output or b'', trace, PERIOD)


@tap.case
def nested_awaits_exceptions_and_spans():
    schedules.nested(play('nested'))


@tap.case
def five_hundred_short_tasks():
    schedules.many(play('many'))


@tap.case
def a_storm_of_cancellations():
    schedules.cancel(play('cancel'))


@tap.case
def wait_for_and_a_server():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        free = probe.getsockname()[1]
    played = play('waits', free)
    blind = KIND == 'x64-blind'
    schedules.waits(played, '_run' if blind else 'wait_for.work')
    starts = tasks_of(played, 'start')
    serve = '_serve' if blind else 'asyncio.stream._serve'
    tap.equal((starts.count(serve), starts.count('serve')), (1, 2))
    tap.equal(values(played, 'rename'), ['net main'])
    tap.check(tasks_of(played, 'enter').count('net main') > 2, 'the new name is not used')


@tap.case
def loops_in_loops_and_odd_tasks():
    # What looks like a pointer to a task that nobody started keeps it, now and then.
    for _ in range(TRIES):
        played = play('loops')
        if KIND != 'c' or 'never-started' in values(played, 'end'):
            break
    schedules.loops(played, gc=KIND == 'c', told=KIND == 'c')


@tap.case
def a_locked_heap():
    # Sending in bytecode takes a little heap.
    schedules.locked(play('locked', *['detached'] * (KIND == 'bytecode')))


@tap.case
def sessions_within_a_run():
    schedules.sessions(play('sessions'))


@tap.case
def text_and_trace_on_one_port():
    for attempt in range(TRIES):
        played = play('shared', shared=True)
        said = played.text.replace('\\r', '').replace('\\n', '\n').splitlines()
        for task in range(3):
            tap.equal([line for line in said if line.startswith(f'task {task} ')],
                      [f'task {task} says {i}: the quick brown fox jumps over the lazy dog'
                       for i in range(200)])
        tap.check('all said' in said, said[-3:])
        enters = tasks_of(played, 'enter').count('talker')
        if enters == 603:
            nothing_lost(played)
            return
        # A reader that has no processor for 20 ms in the middle of a frame may lose it.
        lost = sum(int(value.split('=')[1]) for value in values(played, 'gap'))
        print(f'# try {attempt + 1}: {lost} events lost on the way')
        tap.check(lost >= 603 - enters, lost, enters)
    raise AssertionError('events were lost each time')


@tap.case
def a_reader_that_stalls():
    def during(process, recording, truth):
        os.kill(recording.process.pid, signal.SIGSTOP)
        e2e.until(truth.exists, 'the stalled part')
        os.kill(recording.process.pid, signal.SIGCONT)
        process.stdin.write(b'go on\n')
        process.stdin.flush()

    played = play('stalled', during=during)
    tap.nothing(line for line in played.lines if line.kind in ('gap', 'skip', 'unknown'))
    dropped = sum(int(value.split('=')[1]) for value in values(played, 'lost'))
    tap.check(dropped > 0, 'the reader did not stall')
    tap.equal([value for value in values(played, 'mark') if value.startswith('well')],
              [f'well={i}' for i in range(50)])
    tap.check(dropped >= int((e2e.TEMP / f'{played.path.stem}.truth').read_text()), dropped)


@tap.case
def a_slow_line():
    played = play('slow')
    tap.nothing(line for line in played.lines if line.kind in ('gap', 'skip', 'unknown'))
    took_us, sent, lost = map(int, (e2e.TEMP / f'{played.path.stem}.truth').read_text().split())
    # 10 bits a byte; half a second's bytes may be saved up while nothing is to be sent.
    tap.check(500 < sent <= 1920 * (took_us / 1e6 + 0.5), sent, took_us)
    tap.check(lost > 1000, 'the line was not full')
    dropped = sum(int(value.split('=')[1]) for value in values(played, 'lost'))
    tap.check(dropped >= lost, dropped, lost)
    tap.equal(values(played, 'mark'), [f'well={i}' for i in range(20)])


@tap.case
def a_socket_that_dies():
    with socket.create_server(('127.0.0.1', 0)) as server:
        server.settimeout(e2e.LIMIT)
        command, env = port.command(FOLDER, KIND, port.board(FOLDER, KIND))
        process = subprocess.Popen(
            [*command, port.board(FOLDER, KIND) / 'dying.py', '-', '-',
             str(server.getsockname()[1])],
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=env)
        first, _ = server.accept()
        # Closed with bytes unread: the other end sees a reset, in the middle of a frame.
        tap.check(len(first.recv(50)) > 0)
        first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        first.close()
        second, _ = server.accept()
        with second:
            data = b''.join(iter(lambda: second.recv(65536), b''))
        errors = process.communicate(timeout=e2e.LIMIT)[1]
    tap.equal(process.returncode, 0, errors.decode(errors='replace'))
    trace = e2e.TEMP / 'dying.wire'
    trace.write_bytes(data)
    lines = e2e.cat(trace)
    tap.nothing(line for line in lines if line.kind in ('lost', 'gap', 'skip'))
    beats = [int(line.value.split('=')[1]) for line in lines if line.kind == 'mark']
    # What the dead socket took is gone; from there on nothing is missing.
    tap.equal(beats, list(range(beats[0], 100)))
    tap.check(beats[0] < 40, beats)


@tap.case
def bad_input_is_refused_or_borne():
    played = play('bad')
    marks = values(played, 'mark')
    tap.equal(marks[:2], ['quotes " and \' and \\\\', 'nul \ufffd within'])
    tap.check(marks[2].startswith('longlong') and 70 <= len(marks[2]) <= 81, marks[2])
    tap.equal(marks[3], '\u00e9\U0001f600')
    # More names than there is room for have none.
    tap.check('name 20' in marks and len(marks) == 105, len(marks))
    tap.equal(values(played, 'level'), ['button=0', 'button=1', 'button=0', 'button=1',
                                        'button=0'])


@tap.case
def seventy_thousand_tasks():
    played = play('crowd')
    nothing_lost(played)
    table = e2e.stats(played.path)
    # One after the other, all have a slot; of 300 at once most share one.
    one, waits, more = (int(table[name]['runs']) for name in
                        ('one', 'waits', '(more tasks)'))
    tap.equal((one, waits + more), (70000, 600))
    tap.check(60 < waits < 100, waits)
    tap.equal(int(table['(more tasks)']['instances']), 1)


@tap.case
def the_load_on_the_board():
    played = play('load')
    truth = (e2e.TEMP / f'{played.path.stem}.truth').read_text().split('\n')
    first, second = (eval(line) for line in truth[:2])
    # How long a sleep takes is the system's: only what must hold is checked.
    tap.check(0.0 < first[0] < 1.0 and first[1] >= first[0], first)
    tap.check(second[0] >= 0.99 and second[1] >= second[0] - 0.001, second)


@tap.case
def the_example_shows_all_there_is():
    example = port.example(FOLDER, KIND)
    command, env = port.command(FOLDER, KIND, port.board(FOLDER, KIND))
    with socket.create_server(('127.0.0.1', 0)) as server:
        server.settimeout(e2e.LIMIT)
        process = subprocess.Popen(
            [*command, example, f'127.0.0.1:{server.getsockname()[1]}', '4'], env=env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        link, _ = server.accept()
        with link:
            data = b''.join(iter(lambda: link.recv(65536), b''))
        output, errors = process.communicate(timeout=e2e.LIMIT)
    tap.equal(process.returncode, 0, errors.decode(errors='replace'))
    tap.check(b'somebody is at the door' in output, output)
    trace = e2e.TEMP / 'greenhouse.wire'
    trace.write_bytes(data)
    tap.equal(e2e.info(trace)['sessions'][0]['program'], 'greenhouse.py')
    table = {task: row for task, row in e2e.stats(trace).items()}
    tasks = 'sensor valve display logger watchdog memory visitors greeter visitor main'.split()
    tap.check(set(tasks) <= set(table), table)
    tap.check(int(table['logger']['max_ns']) >= 45_000_000, table['logger'])
    tap.check(int(table['visitor']['instances']) > 3, table['visitor'])
    lines = e2e.cat(trace)
    seen = {line.kind for line in lines}
    tap.check({'counter', 'level', 'mark', 'span-begin', 'span-end', 'idle'} <= seen, seen)


@tap.case
def tracebacks_stay_as_they_are():
    command, env = port.command(FOLDER, KIND, port.board(FOLDER, KIND))
    told = []
    for trace in ([], [e2e.TEMP / 'raises.wire']):
        done = subprocess.run([*command, port.board(FOLDER, KIND) / 'raises.py', *trace], env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, timeout=e2e.LIMIT, check=False)
        tap.equal(done.returncode, 1, done.stdout)
        told.append(re.sub('0x[0-9a-f]+|[0-9a-f]{9,}', 'ADDRESS', done.stdout))
    if KIND == 'bytecode':  # has lines of its own there
        lines = re.findall(r'.*aioscope_py.*\n', told[1])
        tap.equal({re.sub('.*, in ', '', line) for line in lines},
                  {'send\n', 'run_until_complete\n'})
        told[1] = re.sub(r'.*aioscope_py.*\n', '', told[1])
    tap.check('on purpose' in told[0], told[0])
    tap.equal(told[1], told[0])


def a_clock_that_wraps():
    played = play('clock', 'wrap')
    nothing_lost(played)
    tap.equal(values(played, 'mark'), [f'beat={i}' for i in range(60)])
    times = [line.ns for line in played.lines if line.kind == 'mark']
    tap.check(times == sorted(times) and times[0] < 2**30 * 1000 < times[-1], times)


def a_clock_that_steps_back():
    played = play('clock', 'back')
    tap.nothing(line for line in played.lines if line.kind in ('lost', 'gap', 'skip', 'unknown'))
    tap.equal(values(played, 'discontinuity'), ['back'])
    tap.equal(values(played, 'mark'), [f'beat={i}' for i in range(60)])
    tap.equal(tasks_of(played, 'enter').count('beats'), 61)


def interrupts_in_the_midst_of_a_hook():
    played = play('clock', 'interrupt')
    tap.nothing(line for line in played.lines if line.kind in ('gap', 'skip', 'unknown'))
    marks = [(line.context, line.value) for line in played.lines if line.kind == 'mark']
    tap.equal([value for context, value in marks if context == 'loop0.0'],
              [f'beat={i}' for i in range(60)])
    # 32 are kept until the loop's frame is closed.
    tap.equal([value for context, value in marks if context != 'loop0.0'],
              [f'interrupted={i}' for n in (3, 32) for i in range(n)])
    tap.equal({context for context, _ in marks}, {'loop0.0', 'interrupt0.0'})
    tap.equal(values(played, 'lost'), ['events=8'])


def control_c_in_the_midst_of_a_hook():
    played = play('clock', 'ctrl-c')
    tap.nothing(line for line in played.lines
                if line.kind in ('gap', 'skip', 'unknown', 'discontinuity', 'lost'))
    tap.equal(values(played, 'mark'), [f'beat={i}' for i in range(60)])
    tap.equal(tasks_of(played, 'enter').count('beats'), 61)
    tap.equal(tasks_of(played, 'exit', 'return')[-1], 'beats')


def marks_of_another_thread():
    played = play('threads')
    tap.nothing(line for line in played.lines if line.kind in ('gap', 'skip', 'unknown'))
    marks = [(line.context, line.value) for line in played.lines if line.kind == 'mark']
    other = [int(value.split('=')[1]) for context, value in marks if context == 'thread0.0']
    # 32 are kept while the loop does nothing; more are told as lost.
    lost = sum(int(value.split('=')[1]) for value in values(played, 'lost'))
    tap.check(len(other) > 50 and len(other) + lost == 100, lost, other)
    tap.equal(other, sorted(set(other)))
    tap.equal({value for context, value in marks if context == 'loop0.0'}, {'ours'})


def the_guide_works():
    guide = (HERE.parents[2] / 'src' / 'device' / 'README.md').read_text()
    block = next(block for block in re.split(r'```\w*\n', guide)
                 if block.startswith('build-standard/micropython -c'))
    tap.check('\naioscope-cli stats' in block, block)
    with tempfile.TemporaryDirectory(dir=e2e.TEMP) as folder:
        program = f'exec {port.program(FOLDER)} "$@"'
        for name, text in (('build-standard/micropython', program),
                           ('aioscope-cli', f'exec {e2e.CLI} "$@"')):
            path = pathlib.Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f'#!/bin/sh\n{text}\n')
            path.chmod(0o755)
        output = e2e.run('sh', '-e', '-c', block, cwd=folder,
                         env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}'})
    tap.check(re.search(r'^blink +1 +101 ', output.decode(), re.M), output.decode())


if KIND == 'c':
    tap.case(the_guide_works)
elif LOADABLE:
    tap.case(marks_of_another_thread)
else:
    for one in (a_clock_that_wraps, a_clock_that_steps_back, interrupts_in_the_midst_of_a_hook,
                control_c_in_the_midst_of_a_hook, marks_of_another_thread):
        tap.case(one)
if not port.missing(FOLDER, 'unix' if KIND == 'c' else KIND):
    tap.main()
