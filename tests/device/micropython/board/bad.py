# Bad input: what is raised, and what goes on.
import aioscope
import asyncio
import io
import sys


class Raises(io.IOBase):
    def __init__(self, error):
        self.error = error
        self.calls = 0

    def write(self, data):
        self.calls += 1
        raise self.error

    def ioctl(self, request, arg):
        return arg if request == 3 else -22


class Nibbles(io.IOBase):
    # Takes a byte or two, or nothing.
    def __init__(self):
        self.taken = bytearray()

    def write(self, data):
        n = len(self.taken) % 3
        if n == 0:
            self.taken.append(data[0])
            return 1
        self.taken.extend(data[:2])
        return min(2, len(data))

    def ioctl(self, request, arg):
        return arg if request == 3 else -22


def refuses(kind, *args, **kwargs):
    try:
        aioscope.start(*args, **kwargs)
    except kind as error:
        return error
    raise AssertionError("not refused: %r %r" % (args, kwargs))


async def idle(n=5):
    for i in range(n):
        await asyncio.sleep_ms(10)


refuses(ValueError, None, ring=255)
refuses(ValueError, None, baud=0)
refuses(ValueError, None, tasks=1)
refuses(ValueError, None, names=0)
refuses(OSError, 42)
refuses(OSError, "not a stream")
assert aioscope.stats() == {}, aioscope.stats()
assert aioscope.load() == (None, None)
assert aioscope.flush()

raises = Raises(OSError(5))
aioscope.start(raises)
asyncio.run(idle())
assert raises.calls == 1, raises.calls
assert aioscope.stats()["error"] == 5

# What was recorded in between is not gone, and the new stream is told all of it.
nibbles = Nibbles()
aioscope.attach(nibbles)
assert aioscope.stats()["error"] == 0
asyncio.run(idle())
aioscope.flush(1000)
assert len(nibbles.taken) > 200, len(nibbles.taken)
aioscope.detach()
asyncio.run(idle())
aioscope.attach(Raises(ValueError("what a stream")))
asyncio.run(idle())
assert aioscope.stats()["error"] != 0
aioscope.attach(Raises(MemoryError()))
asyncio.run(idle())
assert aioscope.stats()["error"] == 0

closed = open(sys.argv[0], "rb")
closed.close()
try:
    aioscope.attach(closed)
except (OSError, ValueError):
    pass

out = open(int(sys.argv[1]), "wb")
aioscope.start(out, ring=256)
aioscope.mark('quotes " and \' and \\')
aioscope.mark("nul \0 within")
aioscope.mark("long" * 75)
aioscope.mark("\u00e9\U0001f600")
aioscope.mark("")
aioscope.flush(500)
try:
    aioscope.mark(5)
    raise AssertionError("a name that is none")
except TypeError:
    pass
for value in (1 << 63, -(1 << 63) - 1, 1 << 200):
    try:
        aioscope.mark("too large", value)
        raise AssertionError("more than 64 bits")
    except OverflowError:
        pass
for i in range(100):
    aioscope.mark("name %d" % i)
    aioscope.flush(500)


class Pin:
    IRQ_RISING = 1
    IRQ_FALLING = 2

    def __init__(self):
        self.level = 0

    def value(self):
        return self.level

    def irq(self, handler, trigger):
        self.handler = handler
        assert trigger == 3


pin = Pin()
aioscope.start(out)
aioscope.watch(pin, "button")
for i in range(4):
    pin.level ^= 1
    pin.handler(pin)
aioscope.stop()
aioscope.stop()
