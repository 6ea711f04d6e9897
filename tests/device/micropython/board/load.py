# The load on the board itself: half busy, then never idle.
import aioscope
import asyncio
import sys
import time


async def half(ms):
    begin = time.ticks_ms()
    while time.ticks_diff(time.ticks_ms(), begin) < ms:
        end = time.ticks_add(time.ticks_us(), 5000)
        while time.ticks_diff(end, time.ticks_us()) > 0:
            pass
        await asyncio.sleep_ms(5)


async def never(ms):
    begin = time.ticks_ms()
    while time.ticks_diff(time.ticks_ms(), begin) < ms:
        await asyncio.sleep_ms(0)


aioscope.start(open(int(sys.argv[1]), "wb"))
asyncio.run(half(1200))
first = aioscope.load()
asyncio.run(never(2300))
second = aioscope.load()
aioscope.stop()
with open(sys.argv[2], "w") as file:
    file.write("%r\n%r\n" % (first, second))
