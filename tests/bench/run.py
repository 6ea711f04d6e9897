#!/usr/bin/env python3
"""Opens a trace of many events beside a yardstick, in turn, and compares their CPU time.

    run.py BUILD YARDSTICK EVENTS.bin [--rounds N] [--threads N]

BUILD is a release build without sanitizers. `YARDSTICK stats EVENTS.bin [THREADS]` must print
a line a task, "7 n=1 min=2 max=3 median=4.0" in microseconds; neither it nor its file is part
of this repository. Before anything is timed, both must come to the same figures.
"""

import argparse
import csv
import io
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile


def timed(*command):
    """CPU seconds (user and system), peak memory in bytes, and standard output."""
    with tempfile.TemporaryFile() as out, open(os.devnull, 'wb') as null:
        pid = os.posix_spawn(command[0], [str(part) for part in command], os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1),
                                           (os.POSIX_SPAWN_DUP2, null.fileno(), 2)])
        _, status, usage = os.wait4(pid, 0)
        if status:
            sys.exit(f'{command} failed')
        out.seek(0)
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out.read().decode()


def yardstick_figures(text):
    """(runs, min, max, median) in ns by task."""
    found = {}
    for match in re.finditer(r'^(\d+) n=(\d+) min=(\d+) max=(\d+) median=([\d.]+)$', text,
                             re.MULTILINE):
        task, n, least, most, median = match.groups()
        found[int(task)] = (int(n), int(least) * 1000, int(most) * 1000, float(median) * 1000)
    return found


def product_figures(text):
    return {int(row['task'].rpartition('_')[2]):
            (int(row['runs']), int(row['min_ns']), int(row['max_ns']), float(row['median_ns']))
            for row in csv.DictReader(io.StringIO(text)) if row['runs'] != '0'}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('yardstick', type=pathlib.Path)
    parser.add_argument('events', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--threads', type=int, default=1, help='of the yardstick')
    args = parser.parse_args()
    cli = args.build.resolve() / 'src/cli/aioscope-cli'
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / 'events.trace'
        subprocess.run([args.build / 'tests/bench/bench-trace', args.events, trace], check=True)
        yardstick = (args.yardstick.resolve(), 'stats', args.events, args.threads)
        product = (cli, 'stats', '--csv', trace)
        if yardstick_figures(timed(*yardstick)[2]) != product_figures(timed(*product)[2]):
            sys.exit('The figures differ.')
        empty, empty_memory, _ = timed(cli, '--version')
        rounds = [(timed(*yardstick), timed(*product)) for _ in range(args.rounds)]
        size = trace.stat().st_size
    ours = statistics.median(product[0] for _, product in rounds)
    theirs = statistics.median(yardstick[0] for yardstick, _ in rounds)
    ratio = statistics.median(product[0] / yardstick[0] for yardstick, product in rounds)
    memory = statistics.median(product[1] for _, product in rounds)
    print(f'trace                {size:12,} bytes')
    print(f'yardstick            {theirs:12.3f} s CPU')
    print(f'open and statistics  {ours:12.3f} s CPU (of them {empty:.3f} s an empty program)')
    print(f'ratio                {ratio:12.2f} (median of {args.rounds} rounds, in turn)')
    print(f'peak memory          {(memory - empty_memory) / 1e6:12.1f} MB above an empty program')


if __name__ == '__main__':
    main()
