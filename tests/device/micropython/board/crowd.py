# 70 000 tasks one after the other, then more at once than there is room for.
import aioscope
import asyncio
import sys


async def one():
    pass


async def waits():
    await asyncio.sleep_ms(20)


async def main():
    for i in range(70000):
        asyncio.create_task(one())
        await asyncio.sleep_ms(0)
        if i % 16 == 0:
            # A slot is free again when the host has been told, however slow it is.
            aioscope.flush(5000)
    aioscope.flush(5000)
    await asyncio.gather(*[waits() for i in range(300)])


aioscope.start(open(int(sys.argv[1]), "wb"), ring=65536)
asyncio.run(main())
aioscope.stop(5000)
with open(sys.argv[2], "w") as file:
    file.write(repr(aioscope.stats()))
