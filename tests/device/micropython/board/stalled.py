# Nobody reads for a while: the tasks go on in time.
import aioscope
import asyncio
import sys
import time


async def ticker():
    last = time.ticks_ms()
    for i in range(150):
        await asyncio.sleep_ms(0)
    worst = 0
    begin = time.ticks_ms()
    while time.ticks_diff(time.ticks_ms(), begin) < 1500:
        await asyncio.sleep_ms(2)
        for _ in range(40):
            await asyncio.sleep_ms(0)
            aioscope.mark("tick", 1 << 60)
        now = time.ticks_ms()
        worst = max(worst, time.ticks_diff(now, last))
        last = now
    with open(sys.argv[2], "w") as file:
        file.write(repr(aioscope.stats()["lost"]))
    # Now somebody reads again.
    sys.stdin.readline()
    aioscope.flush(500)
    for i in range(50):
        aioscope.mark("well", i)
        await asyncio.sleep_ms(1)


aioscope.start(open(int(sys.argv[1]), "wb"))
asyncio.run(ticker())
aioscope.stop(1000)
