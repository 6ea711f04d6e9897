# One port for text and trace.
import aioscope
import asyncio


async def talker(n):
    for i in range(200):
        print("task %d says %d: the quick brown fox jumps over the lazy dog" % (n, i))
        await asyncio.sleep_ms(i % 3)


async def main():
    await asyncio.gather(*[talker(n) for n in range(3)])


aioscope.start()
asyncio.run(main())
aioscope.stop()
print("all said")
