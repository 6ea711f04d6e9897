# What a program on the board did, told by itself: the runs of its tasks, with their times.
#
# Tasks are made by spawn(), hold `with me:` around their body and `with me.away:` around
# everything that lets other tasks run, once. Times are taken within the runs, so that they
# must lie inside of those of the trace.

import asyncio
import sys
from time import ticks_us

try:
    import emulated
except ImportError:
    emulated = None

_counts = {}
_lines = []


class Away:
    def __init__(self, me):
        self.me = me

    def __enter__(self):
        _lines.append((self.me, ticks_us(), "yield"))

    def __exit__(self, *_):
        _lines.append((self.me, ticks_us(), "enter"))


class Me:
    def __init__(self, name):
        self.name = name
        self.number = _counts.get(name, 0) + 1
        _counts[name] = self.number
        self.away = Away(self)

    def __enter__(self):
        _lines.append((self, ticks_us(), "enter"))

    def __exit__(self, kind, *_):
        how = "return"
        if kind is not None:
            how = "cancel" if issubclass(kind, asyncio.CancelledError) else "raise"
        _lines.append((self, ticks_us(), how))


def coro(function, *args):
    return function(Me(function.__name__ if hasattr(function, "__name__") else "?"), *args)


def spawn(function, *args):
    return asyncio.create_task(coro(function, *args))


def run(function, *args):
    if hasattr(asyncio, "run"):
        return asyncio.run(coro(function, *args))
    return asyncio.create_task(coro(function, *args))  # in a browser: to be awaited


# argv[1] is a file's number, or its name; the emulated board has a UART.
def stream():
    if emulated:
        return emulated.UART1()
    name = sys.argv[1]
    return open(int(name) if name.isdigit() else name, "wb")


# argv[2] is a file; on the emulated board it is said.
def done():
    file = sys.stdout if emulated else open(sys.argv[2], "w")
    for me, us, what in _lines:
        file.write("%s\t%d\t%d\t%s\n" % (me.name, me.number, us, what))
    _lines.clear()
    if not emulated:
        file.close()
