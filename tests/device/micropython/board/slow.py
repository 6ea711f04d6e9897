# A slow line: the bytes stay under its rate, however much happens.
import aioscope
import asyncio
import sys
import time


async def busy():
    begin = time.ticks_ms()
    while time.ticks_diff(time.ticks_ms(), begin) < 2000:
        await asyncio.sleep_ms(0)


aioscope.start(open(int(sys.argv[1]), "wb"), baud=19200)
begin = time.ticks_us()
asyncio.run(busy())
took = time.ticks_diff(time.ticks_us(), begin)
with open(sys.argv[2], "w") as file:
    file.write("%d %d %d" % (took, aioscope.stats()["bytes"], aioscope.stats()["lost"]))
aioscope.flush(3000)
for i in range(20):
    aioscope.mark("well", i)
aioscope.flush(3000)
aioscope.stop(3000)
