"""What the end-to-end tests share: the programs, the simulated board, truth and statistics.

argv of every test: aioscope-cli, and the same program with pty-modem.c, which takes a pty for
a serial port.
"""

import atexit
import collections
import csv
import io
import json
import math
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / 'wire')]

CLI, PORT_CLI = (str(pathlib.Path(arg).resolve()) for arg in sys.argv[1:3])
TEMP = pathlib.Path(tempfile.mkdtemp(prefix='asc-e2e-'))
atexit.register(shutil.rmtree, TEMP, ignore_errors=True)

LIMIT = 120     # s; only a hanging program takes that long

Run = collections.namedtuple('Run', 'session task instance start end how')


def run(*command, status=0, **options):
    """Runs a command to its end and returns its standard output, bytes."""
    done = subprocess.run([str(part) for part in command], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=LIMIT, **options)
    if done.returncode != status:
        raise AssertionError(f'{command}: exit status {done.returncode}, expected {status}\n'
                             + done.stderr.decode(errors='replace'))
    return done.stdout


class Board:
    """A pty of our own whose other end a program opens; what is sent is a board's bytes."""

    def __init__(self, name):
        self.master, slave = os.openpty()
        self.pty = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self.master, False)
        # A name by which libserialport opens a pty: its look into sysfs is led to a link.
        self.link = TEMP / name
        self.link.symlink_to(self.pty)
        self.serial = f'serial:/dev/../../..{self.link}'

    def send(self, data, reader):
        """Waits while the reader does not read, but not for one that has ended."""
        view = memoryview(data)
        while view and not reader.ended():
            if select.select([], [self.master], [], 0.05)[1]:
                view = view[os.write(self.master, view[:2048]):]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)
        self.link.unlink()


class Simulated:
    """`simulate` on a pty of its own, which goes away when all is read."""

    def __init__(self, *options):
        self.process = subprocess.Popen([CLI, 'simulate', *map(str, options)],
                                        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.path = self.process.stdout.readline().decode().strip()
        if not self.path:
            raise AssertionError('simulate tells no pty')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.process.stdout.close()


class Recording:
    """`record` in the background; its messages go to a file."""

    def __init__(self, source, path, *options, program=None, **more):
        self.path = pathlib.Path(path)
        self.log = self.path.with_suffix('.log')
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(
                [program or CLI, 'record', source, '-o', str(path), *map(str, options)],
                stdout=subprocess.DEVNULL, stderr=log, stdin=subprocess.DEVNULL, **more)

    def ended(self):
        return self.process.poll() is not None

    def connected(self):
        until(lambda: 'connected' in self.messages() or self.ended(), 'connected')
        if self.ended():
            raise AssertionError('record ended:\n' + self.messages())

    def messages(self):
        return self.log.read_text(errors='replace')

    def wait(self, status=0):
        code = self.process.wait(LIMIT)
        if code != status:
            raise AssertionError(f'record: exit status {code}, expected {status}\n'
                                 + self.messages())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(LIMIT)


def until(condition, what):
    """Waits for something that happens soon."""
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError('waited in vain: ' + what)
        time.sleep(0.01)


def simulate(name, *options):
    """A simulated board's bytes, and the truth of what its program did."""
    truth = TEMP / f'{name}.csv'
    data = run(CLI, 'simulate', '-o', '-', '--truth', truth, *options)
    return data, read_truth(truth)


def record(data, path, through='serial', program=None):
    """Records a board that sends data, then ends it as Ctrl-C does; what record said."""
    path = pathlib.Path(path)
    with Board(path.stem) as board:
        source = board.serial if through == 'serial' else board.pty
        with Recording(source, path, program=program or PORT_CLI) as recording:
            recording.connected()
            board.send(data, recording)
            until(lambda: data[-16:] in path.read_bytes() or recording.ended(), 'the end')
            recording.process.send_signal(signal.SIGINT)
            recording.wait()
            return recording.messages()


def read_truth(path):
    """The runs that the simulated program made, in order."""
    with open(path, newline='', encoding='utf-8') as file:
        return [Run(int(row['session']), row['task'], int(row['instance']),
                    int(row['start_ns']), int(row['end_ns']), row['exit'])
                for row in csv.DictReader(file)]


def stats(path, session=None):
    """What `stats --csv` says: {task: {column: text}}."""
    chosen = ('--session', session) if session else ()
    text = run(CLI, 'stats', path, '--csv', *chosen).decode()
    return {row['task']: row for row in csv.DictReader(io.StringIO(text))}


def stats_json(path, session=None):
    chosen = ('--session', session) if session else ()
    return json.loads(run(CLI, 'stats', path, '--json', *chosen))


def lost_known(path, session):
    """Whether the lost events that are told are all."""
    return stats_json(path, session)['lost_known']


def info(path):
    return json.loads(run(CLI, 'info', path, '--json'))


Line = collections.namedtuple('Line', 'ns session context kind task instance value')


def cat(path):
    """The lines of `cat`, numbers as numbers, what is not known as None."""
    lines = []
    for text in run(CLI, 'cat', path).decode(errors='replace').split('\n')[:-1]:
        ns, session, context, kind, task, instance, value = text.split('\t')
        lines.append(Line(int(ns) if ns else None, int(session) if session else None, context,
                          kind, task, int(instance) if instance else None, value))
    return lines


def figures(lengths):
    """Exact figures of a list of run lengths, by the definitions: all of them sorted."""
    lengths = sorted(lengths)
    n = len(lengths)
    total = sum(lengths)
    mean = Fraction(total, n)
    variance = Fraction(sum(length * length for length in lengths), n) - mean * mean
    return {'runs': n, 'total_ns': total, 'min_ns': lengths[0], 'max_ns': lengths[-1],
            'median_ns': Fraction(lengths[(n - 1) // 2] + lengths[n // 2], 2),
            'mean_ns': mean, 'p99_ns': lengths[(99 * n + 99) // 100 - 1],
            'stddev_ns': math.sqrt(variance)}


def equal_figures(row, want, *what):
    """Holds a row of `stats --csv` against figures(); exact as far as it has decimals."""
    for column, value in want.items():
        text = row[column]
        decimals = len(text.partition('.')[2])
        if column == 'stddev_ns':
            good = abs(float(text) - value) <= 0.002
        elif decimals:
            good = abs(Fraction(text) - value) * 2 <= Fraction(1, 10**decimals)
        else:
            good = Fraction(text or -1) == value
        if not good:
            raise AssertionError(f'{what} {column}: got {text}, expected {value}')


def by_task(runs):
    found = collections.defaultdict(list)
    for one in runs:
        found[one.task].append(one)
    return dict(found)


def equal_statistics(table, runs, *what):
    """Holds `stats --csv` against a list of the runs that count."""
    want = by_task(runs)
    silent = {task for task, row in table.items() if row['runs'] == '0'}
    if set(table) - silent != set(want):
        raise AssertionError(f'{what}: tasks {sorted(table)}, expected {sorted(want)}')
    for task, some in want.items():
        equal_figures(table[task], figures([one.end - one.start for one in some]),
                      *what, task)
