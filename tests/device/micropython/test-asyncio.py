"""MicroPython's own asyncio tests with every task recorded: their output must not change.

    test-asyncio.py FOLDER c|x64|python|bytecode

FOLDER is what fetch-source.sh made; the tests come with the source. A test whose output is not
told by the source is run without recording first. The recorder: see test-unix.py.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import tap

import port

FOLDER, KIND = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
# Tells the order of sleeps that end close together: a busy machine has another.
TIMED = ('asyncio_fair',)
TRIES = 4
TESTS = FOLDER / 'source' / 'tests'
# The trace goes to a file: nothing of it may be in the output. Stopped by the program's end.
PRELUDE = '''
import aioscope
aioscope.start(open({!r}, "wb"), ring=16384)
'''


def run(test, folder, traced):
    path = pathlib.Path(folder) / test.name
    prelude = PRELUDE.format(str(path) + '.trace') if traced else ''
    path.write_text(prelude + test.read_text())
    command, env = port.command(str(FOLDER), KIND, test.parent)
    done = subprocess.run([*command, '-X', 'emit=bytecode', path.name], cwd=folder, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)
    if traced and b'SKIP' not in done.stdout:
        tap.check(os.path.getsize(str(path) + '.trace') > 100, 'nothing was recorded')
    return done.stdout


def expected(test, folder):
    told = pathlib.Path(str(test) + '.exp')
    return told.read_bytes() if told.exists() else run(test, folder, False)


def check(test):
    with tempfile.TemporaryDirectory() as folder:
        want = expected(test, folder)
        if b'SKIP' in want:
            tap.skip('not for this build')
        got = run(test, folder, True)
        for _ in range(TRIES if test.stem in TIMED else 0):
            got = got if got == want else run(test, folder, True)
        tap.equal(got, want)


if not port.missing(str(FOLDER), 'unix' if KIND == 'c' else KIND):
    for found in sorted(TESTS.glob('extmod/asyncio_*.py')):
        tap.add(found.stem, check, found)
    for name in ('loopback', 'start_server'):
        tap.add('server ' + name, check, TESTS / 'net_hosted' / f'asyncio_{name}.py')
    tap.main()
