# The recorder in Python with a clock of the test's. argv[3]: "wrap": it wraps at 30 bits; "back": it
# steps back once; "interrupt": while it is read, the program is interrupted.
import aioscope
import asyncio
import sys
import time

import aioscope_py
from aioscope_py import ring, send, tasks

offset = (1 << 30) - 30000 - time.ticks_us()
marks = 0


def ticks():
    global marks
    if marks and ring.S[0] == 0x20000001:  # a hook is at work
        n, marks = marks, 0
        for i in range(n):
            aioscope.mark("interrupted", i)
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


what = sys.argv[3]
for module in (aioscope_py, ring, send, tasks, tasks.short):
    module.us = ticks
aioscope.start(open(int(sys.argv[1]), "wb"))
asyncio.run(beats())
aioscope.stop(1000)
