"""Builds MicroPython with the module, once a process and target (unix, m3)."""

import functools
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {'unix': 'micropython', 'm3': 'firmware.elf'}
LIMIT = 1500    # s, for a build from nothing on a slow machine


@functools.cache
def build(folder, target):
    """(path, None), or (None, why not)."""
    done = subprocess.run(['sh', HERE / 'build.sh', folder, target], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT,
                          text=True, check=False)
    if done.returncode == 77:
        return None, done.stdout.strip()
    if done.returncode:
        raise AssertionError('MicroPython could not be built:\n' + done.stdout)
    return pathlib.Path(folder).resolve() / target / PROGRAMS[target], None


def program(folder, target='unix'):
    return build(folder, target)[0]


def missing(folder, target='unix'):
    """Prints a skipped plan and returns the reason if the port cannot be built here."""
    reason = build(folder, target)[1]
    if reason:
        print('1..0 # SKIP', reason.splitlines()[-1])
        sys.stdout.flush()
    return reason
