"""Test cases in Python that print TAP, as the C tests do.

    import tap

    @tap.case
    def adds_up():
        tap.equal(1 + 1, 2)

    tap.main()

A case fails when it raises. The order is random; the seed is printed, and ASC_TEST_SEED
repeats it. tap.random is seeded by it too.
"""

import os
import random as _random
import sys
import traceback

_seed = int(os.environ.get('ASC_TEST_SEED') or _random.SystemRandom().randrange(1, 2**31))
random = _random.Random(_seed)
_cases = []


class Skip(Exception):
    """Raised by skip()."""


def skip(reason):
    raise Skip(reason)


def case(function):
    """Makes a function a test case; its name, with blanks, is the case's name."""
    _cases.append((function.__name__.replace('_', ' '), function))
    return function


def add(name, function, *args):
    """Adds a case by name, for tables of them."""
    _cases.append((name, lambda: function(*args)))


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(part) for part in what) or 'not true')


def equal(got, want, *what):
    check(got == want, *what, f'got {got!r}, expected {want!r}')


def nothing(found, *what):
    """Checks that a list of findings is empty; each stands on a line of its own."""
    found = list(found)
    check(not found, *what, f'{len(found)} found:\n' + '\n'.join(map(str, found[:50])))


def main():
    print(f'# ASC_TEST_SEED={_seed}')
    print(f'1..{len(_cases)}', flush=True)
    random.shuffle(_cases)
    failed = 0
    for number, (name, function) in enumerate(_cases, 1):
        try:
            function()
            print(f'ok {number} - {name}', flush=True)
        except Skip as reason:
            print(f'ok {number} - {name} # SKIP {reason}', flush=True)
        except Exception:  # any way to fail is a failed case
            failed += 1
            for line in traceback.format_exc().splitlines():
                print('# ' + line)
            print(f'not ok {number} - {name}', flush=True)
    sys.exit(1 if failed else 0)
