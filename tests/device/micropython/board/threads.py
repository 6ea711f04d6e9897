# Marks of another thread.
import _thread
import aioscope
import asyncio
import sys
import time


def other():
    for i in range(100):
        aioscope.mark("other", i)
        time.sleep_ms(1)
    running.pop()


async def main():
    _thread.start_new_thread(other, ())
    while running:
        aioscope.mark("ours")
        await asyncio.sleep_ms(1)


running = [True]
aioscope.start(open(int(sys.argv[1]), "wb"))
asyncio.run(main())
aioscope.stop(1000)
