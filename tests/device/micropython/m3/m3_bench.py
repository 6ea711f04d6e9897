# Instructions of a pass of the loop, with and without the module, on the emulated board, where
# a microsecond is a thousand of them. The search for room in the heap is not counted, since it
# takes hundreds more or less as the heap's gaps happen to be; the allocations are.
import asyncio
import emulated
import gc
from time import ticks_us

PASSES = 4000
TASKS = 500


async def zero(n):
    for i in range(n):
        await asyncio.sleep_ms(0)


async def four():
    await asyncio.gather(*[zero(PASSES // 4) for _ in range(4)])


async def short():
    pass


async def make_tasks():
    for i in range(TASKS):
        asyncio.create_task(short())
        await asyncio.sleep_ms(0)


# Instructions and a thousandth of allocations of one of n.
def measure(main, n):
    gc.collect()
    gc.disable()
    emulated.searching()
    emulated.allocated()
    began = ticks_us()
    asyncio.run(main())
    took = (ticks_us() - began) * 1000 - emulated.searching()
    allocations = emulated.allocated() * 1000
    gc.enable()
    return took // n, allocations // n


def task_bytes():
    tasks = [None] * 100
    gc.collect()
    before = gc.mem_alloc()
    for i in range(100):
        tasks[i] = asyncio.core.Task(zero(1), asyncio.core.__dict__)
    return (gc.mem_alloc() - before) // 100


# The short way of a run in bytecode, as on a port that compiles no machine code.
def in_bytecode():
    from aioscope_py import fast, run, send, tasks

    for name in ("entered", "left", "yielded", "unborn", "died", "long_roll", "press", "b"):
        setattr(run, name, getattr(fast, name))
    tasks.short = run
    tasks.Coro.send, tasks.Coro.throw = run.send, run.throw
    tasks.Poller.ipoll = run.ipoll
    send.seal = send.firmware_seal


# What asyncio is made of, with aioscope and without.
def parts():
    core = asyncio.core
    return core.Task, core.ticks, core._io_queue.poller


def take(parts):
    core = asyncio.core
    core.Task, core.ticks, core._io_queue.poller = parts


# What aioscope adds to it.
def added(name, main=four, n=PASSES):
    ours = parts()
    take(theirs)
    plain, before = measure(main, n)
    take(ours)
    took, allocations = measure(main, n)
    print("m3", name, took - plain)
    print("m3", name + "-allocations", allocations - before)


# kind: c, loadable (the same), python, bytecode.
def main(kind="c"):
    global theirs
    theirs = parts()
    print("m3 plain", measure(four, PASSES)[0])
    bytes_before = task_bytes()
    gc.collect()
    before = gc.mem_alloc()
    if kind in ("python", "bytecode"):
        import sys

        import aioscope_py

        sys.modules["_aioscope"] = aioscope_py
    import aioscope

    gc.collect()
    print("m3 heap-import", gc.mem_alloc() - before)
    if kind == "bytecode":
        in_bytecode()
    added("imported")
    print("m3 heap-task", task_bytes() - bytes_before)
    gc.collect()
    before = gc.mem_alloc()
    # The file cannot write to this firmware's REPL as to a stream.
    stream = emulated.UART1() if kind == "loadable" else None
    aioscope.start(stream, gc=False)
    gc.collect()
    print("m3 heap-start", gc.mem_alloc() - before)
    aioscope.detach()
    # A ring that holds all of it, and none of it sent: the hooks alone.
    aioscope.start(stream, gc=False, ring=131072)
    aioscope.detach()
    added("hooks")
    aioscope.start(emulated.UART1(), gc=False)
    added("sent")
    added("task", make_tasks, TASKS)
    print("m3 lost", aioscope.stats()["lost"])
    aioscope.stop()
    print("m3 end", 0)
