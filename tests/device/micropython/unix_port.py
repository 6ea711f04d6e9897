"""Builds MicroPython's unix port with the module, once a process."""

import functools
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 1500    # s, for a build from nothing on a slow machine


@functools.cache
def build(folder):
    """(path, None), or (None, why not)."""
    done = subprocess.run(['sh', HERE / 'build-unix.sh', folder], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT,
                          text=True, check=False)
    if done.returncode == 77:
        return None, done.stdout.strip()
    if done.returncode:
        raise AssertionError('MicroPython could not be built:\n' + done.stdout)
    return pathlib.Path(folder).resolve() / 'unix' / 'micropython', None


def program(folder):
    return build(folder)[0]


def missing(folder):
    """Prints a skipped plan and returns the reason if the port cannot be built here."""
    reason = build(folder)[1]
    if reason:
        print('1..0 # SKIP', reason.splitlines()[-1])
        sys.stdout.flush()
    return reason
