# Awaits in awaits, gather, exceptions caught and not, spans across awaits, marks.
import aioscope
import asyncio
import truth


async def deep(me, levels):
    if levels:
        return await deep(me, levels - 1) + 1
    with me.away:
        await asyncio.sleep_ms(3)
    return 0


async def sums(me, n):
    with me:
        total = 0
        for i in range(n):
            total += await deep(me, i)
        return total


async def fails(me):
    with me:
        with me.away:
            await asyncio.sleep_ms(2)
        raise ValueError("on purpose")


@aioscope.span("decorated")
async def inner(me, ms):
    with me.away:
        await asyncio.sleep_ms(ms)


async def spans(me, name, ms):
    with me:
        with aioscope.span(name):
            with me.away:
                await asyncio.sleep_ms(ms)
            await inner(me, 1)


async def main(me):
    with me:
        aioscope.mark("begin")
        aioscope.mark("value", -123456789012)
        aioscope.level("led", True)
        for value in (1 << 40, (1 << 63) - 1, -(1 << 63), -1, 1 << 31):
            aioscope.counter("heap", value)
        tasks = [truth.spawn(sums, n) for n in range(4)]
        tasks += [truth.spawn(spans, "one", 4), truth.spawn(spans, "two", 7)]
        with me.away:
            results = await asyncio.gather(*tasks)
        assert results[:4] == [0, 0, 1, 3], results
        bad = truth.spawn(fails)
        try:
            with me.away:
                await bad
        except ValueError:
            aioscope.mark("caught")
        aioscope.level("led", False)


aioscope.start(truth.stream())
truth.run(main)
aioscope.stop()
truth.done()
