# A loop within a task, new loops, sleep_ms(0), objects that are no generators, tasks that are
# never run, and collections of garbage.
import aioscope
import asyncio
import gc
import select
import time
import truth


class Thing:
    # Nothing but a `send`: enough for asyncio.
    def __init__(self, n):
        self.n = n

    def send(self, value):
        if self.n == 0:
            raise StopIteration(None)
        self.n -= 1
        asyncio.core._task_queue.push(asyncio.core.cur_task)

    def throw(self, error):
        raise error


async def busy(me, n):
    with me:
        for i in range(n):
            with me.away:
                await asyncio.sleep_ms(0)


async def inside(me):
    with me:
        with me.away:
            await asyncio.sleep_ms(2)


async def outer(me):
    with me:
        with me.away:
            await asyncio.sleep_ms(1)
        # MicroPython forgets who runs when a loop within a task ends, and would crash.
        task = asyncio.current_task()
        truth.run(inside)
        asyncio.core.cur_task = task
        for i in range(5):
            garbage = [bytearray(100) for _ in range(50)]
            gc.collect()
        with me.away:
            await asyncio.sleep_ms(1)


class Poller:
    # Not MicroPython's own.
    def __init__(self):
        self.asked = 0
        real = select.poll()
        self.poll, self.modify = real.poll, real.modify
        self.register, self.unregister = real.register, real.unregister

    def ipoll(self, ms):
        self.asked += 1
        time.sleep_ms(min(ms, 1))
        return []


async def forgotten(me):
    with me:
        pass


async def first(me):
    with me:
        tasks = [truth.spawn(busy, n) for n in (10, 20, 30)]
        asyncio.create_task(Thing(3))
        for task in tasks:
            with me.away:
                await task
        task = truth.spawn(outer)
        while not task.done():
            with me.away:
                await asyncio.sleep_ms(20)
        truth.spawn(forgotten)


async def second(me):
    with me:
        with me.away:
            await asyncio.sleep_ms(5)


aioscope.start(truth.stream())
truth.run(first)
asyncio.new_event_loop()
# The task that was never run is garbage, whatever the stack still holds of it.
for i in range(10):
    bytearray(2000)
    gc.collect()
truth.run(second)
asyncio.new_event_loop()
truth.run(second)
poller = Poller()
asyncio.core._io_queue.poller = aioscope._aioscope.Poller(poller)
truth.run(second)
assert poller.asked > 1, poller.asked
aioscope.stop()
truth.done()
