# The recorder in Python with a clock of the test's. argv[3]: "wrap": it wraps at 30 bits; "back": it
# steps back once; "interrupt": while it is read, the program is interrupted; "ctrl-c": now and then
# there is a KeyboardInterrupt instead. (The unix port's own comes in the midst of C code too, which
# MicroPython does not always survive.)
import aioscope
import asyncio
import sys
import time

import aioscope_py
from aioscope_py import ring, send, tasks

offset = (1 << 30) - 30000 - time.ticks_us()
marks = 0
random = 0  # 0: no KeyboardInterrupt


def ticks():
    global marks, random
    if marks and ring.S[0] == 0x20000001:  # a hook is at work
        n, marks = marks, 0
        for i in range(n):
            aioscope.mark("interrupted", i)
    if random:
        random = (random * 1103515245 + 12345) & 0x7FFFFFFF
        if random >> 16 & 63 == 0:
            raise KeyboardInterrupt
    return (time.ticks_us() + offset) & (1 << 30) - 1


async def beats():
    global marks, offset
    for i in range(60):
        aioscope.mark("beat", i)
        if what == "back" and i == 30:
            offset -= 1000000
        if what == "interrupt" and i in (20, 40):
            marks = 3 if i == 20 else 40
        await asyncio.sleep_ms(1)


async def child():
    await asyncio.sleep_ms(1)


async def many():
    for i in range(200):
        with aioscope.span("turn"):
            asyncio.create_task(child())
            await asyncio.sleep_ms(i & 1)


def interrupted():
    global random
    caught = 0
    for seed in range(200):
        try:
            random = seed * 7919 + 1
            asyncio.run(many())
        except KeyboardInterrupt:
            caught += 1
        random = 0
        asyncio.new_event_loop()
    assert caught > 150, caught


what = sys.argv[3]
for module in (aioscope_py, ring, send, tasks, tasks.short):
    module.us = ticks
aioscope.start(open(int(sys.argv[1]), "wb"), tasks=4000)
if what == "ctrl-c":
    interrupted()
asyncio.run(beats())
aioscope.stop(1000)
