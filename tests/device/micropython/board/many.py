# 500 short tasks, twenty alive at a time: slots are used again.
import aioscope
import asyncio
import truth


async def short(me, ms):
    with me:
        with me.away:
            await asyncio.sleep_ms(ms)


async def main(me):
    with me:
        for batch in range(25):
            tasks = [truth.spawn(short, i % 4) for i in range(20)]
            for task in tasks:
                if not task.done():
                    with me.away:
                        await task
            # A slot is free again when the host has been told, however slow it is.
            aioscope.flush(5000)


aioscope.start(truth.stream())
truth.run(main)
aioscope.stop()
truth.done()
