# The heap is locked: nothing that records or sends may allocate. argv[3]: nothing is sent then.
import aioscope
import asyncio
import micropython
import sys
import truth

span = aioscope.span("locked")


async def locked(n):
    for i in range(n):
        with span:
            await asyncio.sleep_ms(1 if i % 3 else 0)
        aioscope.mark("turn", i)
        aioscope.level("pin", i & 1)


async def main():
    task = asyncio.create_task(locked(60))
    if len(sys.argv) > 3:
        aioscope.detach()
    micropython.heap_lock()
    await asyncio.sleep_ms(60)
    micropython.heap_unlock()
    aioscope.attach(port)
    await task


port = truth.stream()
aioscope.start(port, gc=False)
asyncio.run(main())
aioscope.stop()
