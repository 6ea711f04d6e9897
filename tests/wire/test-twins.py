#!/usr/bin/env python3
"""The decoder in C and the second one make the same of random, damaged streams.

    test-twins.py MAKE_GOLDEN

The streams come from the second encoder. ASC_TEST_SEED repeats a run.
"""

import difflib
import pathlib
import random
import subprocess
import sys
import tempfile

import asc_decode
import asc_dump
import asc_encode
import tap

TOOL = sys.argv[1]
STREAMS = 40        # of each kind


def dump_in_c(path):
    done = subprocess.run([TOOL, '--dump', str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=60)
    tap.equal(done.returncode, 0, done.stderr.decode(errors='replace')[-2000:])
    return done.stdout.decode().splitlines()


def dump_here(path):
    records = asc_decode.Decoder(path.suffix == '.wire').decode(path.read_bytes())
    return [asc_dump.line(record) for record in records]


def differences(path):
    return difflib.unified_diff(dump_in_c(path), dump_here(path), 'in C', 'here', n=2, lineterm='')


def agree(suffix, damage):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'stream' + suffix)
        for _ in range(STREAMS):
            seed = tap.random.getrandbits(32)
            path.write_bytes(asc_encode.stream(random.Random(seed), 30, damage,
                                               host=suffix == '.trace' or seed % 4 == 0))
            tap.nothing(differences(path), f'seed {seed}, {suffix}, damage {damage}:')


@tap.case
def a_count_that_steps_back_and_forth():
    board = asc_encode.Board(random.Random(1))
    stream = board.hello() + board.events()
    below = board.count + 50        # far enough to pass 0
    for step in (-below, below):
        board.count += step
        stream += board.events()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'stream.wire')
        path.write_bytes(stream + board.hello())
        tap.nothing(differences(path))
        gaps = [line for line in dump_in_c(path) if line.startswith('gap')]
        tap.equal(len(gaps), 2, gaps)


for kind in ('.wire', '.trace'):
    for amount in (0, 0.15, 0.6):
        tap.add(f'{kind[1:]} streams, {amount:.0%} of the pieces hurt', agree, kind, amount)

tap.main()
