"""Runs aioscope-cli for the tests of the command line."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tap

CLI = os.path.abspath(sys.argv[1])
PLACE = pathlib.Path(tempfile.mkdtemp(prefix='asc-cli-'))
COMMANDS = ('ports', 'record', 'info', 'stats', 'hogs', 'cat', 'render', 'simulate', 'proxy', 'install')
PATIENCE = 60
# A sentence put into another one: ".;", "..", ".:" (but not "../" or "...").
DOUBLED = re.compile(r'[.:;,!?][;,]|\.:|(?<![./])\.\.(?![./])')


def run(*args, data=None, env=None, stdout=subprocess.PIPE, **more):
    """The finished process; out and err as text (out None when sent elsewhere)."""
    result = subprocess.run([CLI, *map(str, args)], input=data, stdout=stdout,
                            stderr=subprocess.PIPE, timeout=PATIENCE,
                            env=dict(os.environ, **env) if env else None, **more)
    result.err = result.stderr.decode()
    result.out = result.stdout.decode() if isinstance(result.stdout, bytes) else None
    return result


def good(*args, **more):
    """Its output; fails unless it ended well and said nothing."""
    result = run(*args, **more)
    tap.equal((result.returncode, result.err), (0, ''), args)
    return result.out


def one_line(result, status, *words):
    """It failed with that status and one clear line."""
    tap.equal(result.returncode, status, result.err)
    tap.equal(result.err.count('\n'), 1, result.err)
    tap.check(result.err.startswith('aioscope-cli'), result.err)
    for word in words:
        tap.check(str(word) in result.err, f'{word!r} is not in', result.err)
    tap.check(not DOUBLED.search(result.err), 'doubled punctuation:', result.err)
    tap.check(not result.out, 'output as well:', result.out)


_made = {}


def simulated(seconds=4, seed=3):
    """A trace without loss and its truth: (path, path)."""
    key = (seconds, seed)
    if key not in _made:
        trace, truth = PLACE / f'{seconds}-{seed}.trace', PLACE / f'{seconds}-{seed}.csv'
        good('simulate', '--no-loss', '--seconds', seconds, '--seed', seed, '-o', trace,
             '--truth', truth)
        _made[key] = (trace, truth)
    return _made[key]


def main():
    try:
        tap.main()
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)
