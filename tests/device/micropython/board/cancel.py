# A storm of cancellations: asleep, before their first run, and one that is swallowed.
import aioscope
import asyncio
import truth


async def sleeper(me, ms):
    with me:
        with me.away:
            await asyncio.sleep_ms(ms)


async def stubborn(me):
    with me:
        for i in range(3):
            try:
                with me.away:
                    await asyncio.sleep_ms(1000)
            except asyncio.CancelledError:
                if i == 2:
                    raise


async def unborn(me):
    with me:
        pass


async def main(me):
    with me:
        for storm in range(6):
            tasks = [truth.spawn(sleeper, 500 + 10 * i) for i in range(12)]
            with me.away:
                await asyncio.sleep_ms(2)
            for task in tasks[::-1] if storm & 1 else tasks:
                task.cancel()
            never = truth.spawn(unborn)
            never.cancel()
            with me.away:
                await asyncio.sleep_ms(1)
        hard = truth.spawn(stubborn)
        for i in range(3):
            with me.away:
                await asyncio.sleep_ms(1)
            hard.cancel()
        with me.away:
            await asyncio.sleep_ms(1)


aioscope.start(truth.stream(), tasks=64)
truth.run(main)
aioscope.stop()
truth.done()
