#!/usr/bin/env python3
"""A simulated board at full speed through a pty, followed as the window does: what each thread
takes, and what was lost.

    live.py BUILD [--seconds 60] [--events-hz 400000] [--size 1920x1080]

BUILD is a release build without sanitizers. The board runs in a process of its own.
"""

import argparse
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--events-hz', type=float, default=400000)
    parser.add_argument('--size', default='1920x1080')
    args = parser.parse_args()
    board = subprocess.Popen(
        [args.build / 'src/cli/aioscope-cli', 'simulate', '--speed', '1', '--no-loss',
         '--events-hz', str(args.events_hz)], stdout=subprocess.PIPE, text=True)
    try:
        path = board.stdout.readline().strip()
        done = subprocess.run([args.build / 'tests/bench/bench-live', path, str(args.seconds),
                               args.size], check=False)
    finally:
        board.terminate()
        board.wait()
        board.stdout.close()
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
