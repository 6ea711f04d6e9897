# What a program prints that fails, recorded if there is an argv[1].
import asyncio
import sys

if len(sys.argv) > 1:
    import aioscope

    aioscope.start(open(sys.argv[1], "wb"))


async def deep(n):
    if n:
        await deep(n - 1)
    await asyncio.sleep_ms(1)
    raise ValueError("on purpose")


async def main():
    asyncio.create_task(deep(2))
    await asyncio.sleep_ms(5)
    await deep(1)


asyncio.run(main())
