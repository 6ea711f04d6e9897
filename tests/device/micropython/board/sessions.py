# Recording that starts and stops within tasks, which live across sessions.
import aioscope
import asyncio
import sys
import truth

port = truth.stream()


async def beats(me, n):
    for i in range(n):
        aioscope.mark("beat", i)
        await asyncio.sleep_ms(2)


async def main():
    task = asyncio.create_task(beats(None, 12))
    await asyncio.sleep_ms(5)
    aioscope.start(port)
    await asyncio.sleep_ms(6)
    aioscope.stop()
    await asyncio.sleep_ms(4)
    aioscope.start(port)
    aioscope.start(port)
    await task
    aioscope.mark("end")


aioscope.mark("nobody listens")
asyncio.run(main())
aioscope.stop()
aioscope.stop()
truth.done()
