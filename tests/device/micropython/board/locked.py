# The heap is locked: nothing that records or sends may allocate.
import aioscope
import asyncio
import micropython
import sys

span = aioscope.span("locked")


async def locked(n):
    for i in range(n):
        with span:
            await asyncio.sleep_ms(1 if i % 3 else 0)
        aioscope.mark("turn", i)
        aioscope.level("pin", i & 1)


async def main():
    task = asyncio.create_task(locked(60))
    micropython.heap_lock()
    await asyncio.sleep_ms(60)
    micropython.heap_unlock()
    await task


aioscope.start(open(int(sys.argv[1]), "wb"), gc=False)
asyncio.run(main())
aioscope.stop()
