# aioscope: records every asyncio task of this program, for the viewer on a computer.
#
#   import aioscope
#   aioscope.start()          # before asyncio.run(); any stream, or none for the REPL's port
#
# Marks, levels, counters and spans do nothing before start().

import sys
from time import ticks_ms

try:
    import asyncio
    from asyncio import core
except ImportError:  # before MicroPython 1.21
    import uasyncio as asyncio
    from uasyncio import core

try:
    import _aioscope  # in C: part of the firmware, or a file _aioscope.mpy
except (ImportError, ValueError):  # none, or one for another firmware
    import aioscope_py as _aioscope

attach = _aioscope.attach
counter = _aioscope.counter
detach = _aioscope.detach
level = _aioscope.level
load = _aioscope.load
mark = _aioscope.mark
set_name = _aioscope.set_name
span = _aioscope.span
stats = _aioscope.stats


def start(stream=None, *, ring=4096, baud=None, gc=True, tasks=48, names=48):
    """Records from now on; a second start() ends the recording before it.

    ring: bytes that wait for the port, a power of two. baud: keeps the bytes under this rate,
    for drivers that block. gc: garbage collections too. tasks, names: room for so many.
    """
    try:
        program = sys.argv[0].split("/")[-1]
    except (AttributeError, IndexError):
        program = ""
    _aioscope.start(stream, ring, baud, gc, tasks, names, _random(), program)


def stop(ms=100):
    """Ends the recording, and waits up to ms for the port to take its end."""
    _aioscope.stop(ms)


def flush(ms=100):
    """Sends everything, for instance before a long sleep; False if that took longer than ms."""
    return _aioscope.flush(ms)


def watch(pin, name):
    """Records both edges of a machine.Pin, by its interrupt."""

    def changed(p):
        level(name, p.value())

    level(name, pin.value())
    edges = pin.IRQ_RISING | pin.IRQ_FALLING
    try:
        pin.irq(changed, edges, hard=True)
    except TypeError:  # a port without hard interrupts
        pin.irq(changed, edges)


def _random():
    try:
        from os import urandom

        return int.from_bytes(urandom(4), "little") & 0x3FFFFFFF
    except ImportError:
        from time import ticks_us

        return ticks_us()


def _generator(argument=None):
    yield


def _decorate(name, function):
    # One span object a call: calls overlap where they await.
    if type(function) is type(_generator):

        def traced(*args, **kwargs):
            with span(name):
                return (yield from function(*args, **kwargs))

    else:

        def traced(*args, **kwargs):
            with span(name):
                return function(*args, **kwargs)

    return traced


def _promote_to_task(aw, Task=core.Task):
    return aw if isinstance(aw, Task) else core.create_task(aw)


def _io_queue(IOQueue=getattr(core, "IOQueue", None)):
    queue = IOQueue()
    queue.poller = _aioscope.Poller(queue.poller)
    return queue


def _install():
    if hasattr(_aioscope, "learn"):  # a file: it was not built with this firmware
        _aioscope.learn(_generator, _generator(core), core, globals())
    until_complete = getattr(core, "run_until_complete", None)
    _aioscope.install(core.Task, core.CancelledError, until_complete, _decorate)
    core._promote_to_task = _promote_to_task
    core.Task = _aioscope.Task
    if until_complete:
        core.IOQueue = _io_queue
        core.run_until_complete = _aioscope.run_until_complete
        core._io_queue.poller = _aioscope.Poller(core._io_queue.poller)
        if core.ticks is ticks_ms and hasattr(_aioscope, "ticks"):
            # The loop asks it before each run, so lateness needs no other look at the clock.
            # Asked here, it knows that it is used.
            core.ticks = _aioscope.ticks
            core.ticks()
    else:  # a browser's, where the loop is JavaScript's
        _aioscope.install_browser()
    try:  # what was recorded last is sent at the program's end, where it has one
        before = sys.atexit(None)

        def at_exit():
            _aioscope.stop(100)
            if before:
                before()

        sys.atexit(at_exit)
    except AttributeError:
        pass


_install()
