# Instructions of a pass of the loop, with and without the module, on the emulated board, where
# a microsecond is a thousand of them.
import asyncio
import gc
from time import ticks_us

PASSES = 4000


async def zero(n):
    for i in range(n):
        await asyncio.sleep_ms(0)


async def four():
    await asyncio.gather(*[zero(PASSES // 4) for _ in range(4)])


def measure(name):
    gc.collect()
    gc.disable()
    began = ticks_us()
    asyncio.run(four())
    print("m3", name, (ticks_us() - began) * 1000 // PASSES)
    gc.enable()


def task_bytes():
    tasks = [None] * 100
    gc.collect()
    before = gc.mem_alloc()
    for i in range(100):
        tasks[i] = asyncio.core.Task(zero(1), asyncio.core.__dict__)
    return (gc.mem_alloc() - before) // 100


def main():
    measure("plain")
    bytes_before = task_bytes()
    import aioscope
    import emulated

    measure("imported")
    print("m3 heap-task", task_bytes() - bytes_before)
    gc.collect()
    before = gc.mem_alloc()
    aioscope.start(None, gc=False)
    taken = gc.mem_alloc() - before
    aioscope.detach()
    print("m3 heap-start", taken)
    # A ring that holds all of it, and none of it sent: the hooks alone.
    aioscope.start(None, gc=False, ring=131072)
    aioscope.detach()
    measure("hooks")
    aioscope.start(emulated.UART1(), gc=False)
    measure("sent")
    print("m3 lost", aioscope.stats()["lost"])
    aioscope.stop()
    print("m3 end", 0)
