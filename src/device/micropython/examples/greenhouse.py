# A greenhouse's controller: tasks that poll, regulate, draw, serve and log. One of them holds up
# all the others now and then: find it on the scope.
#
# On a board it is traced on the REPL's own port. On the unix port, or to trace over a network, give
# it where the viewer listens (source tcp-listen:7878):
#
#     micropython greenhouse.py 192.168.1.20:7878

import aioscope
import asyncio
import gc
import sys
import time

door = asyncio.Event()


def work(us):
    """Stands for what takes the processor so long."""
    begin = time.ticks_us()
    while time.ticks_diff(time.ticks_us(), begin) < us:
        pass


async def sensor():
    n = 0
    while True:
        with aioscope.span("adc"):
            work(250)
        n += 1
        aioscope.counter("temperature", 200 + n // 50 % 7)
        await asyncio.sleep_ms(10)


async def valve():
    while True:
        work(120)
        await asyncio.sleep_ms(5)


async def display():
    while True:
        lines = [bytearray(320) for _ in range(24)]
        work(2200)
        del lines
        await asyncio.sleep_ms(33)


async def logger():
    n = 0
    while True:
        n += 1
        with aioscope.span("write"):
            # Most pages are written at once; for each 25th the card clears a block first.
            work(45000 if n % 25 == 0 else 900)
        await asyncio.sleep_ms(50)


async def watchdog():
    while True:
        work(15)
        aioscope.level("LED", 1)
        await asyncio.sleep_ms(250)
        aioscope.level("LED", 0)
        await asyncio.sleep_ms(250)


async def memory():
    while True:
        aioscope.counter("heap free", gc.mem_free())
        await asyncio.sleep_ms(100)


async def visitor(number):
    await asyncio.sleep_ms(3)
    work(800)
    door.set()
    await asyncio.sleep_ms(20 + number % 3 * 15)
    work(400)


async def visitors():
    number = 0
    while True:
        number += 1
        asyncio.create_task(visitor(number))
        await asyncio.sleep_ms(90)


async def greeter():
    while True:
        await door.wait()
        door.clear()
        aioscope.mark("door")
        print("somebody is at the door")
        work(300)


async def main(seconds):
    tasks = [asyncio.create_task(task()) for task in
             (sensor, valve, display, logger, watchdog, memory, visitors, greeter)]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()


def connect(place):
    import socket
    host, port = place.split(":")
    link = socket.socket()
    link.connect(socket.getaddrinfo(host, int(port))[0][-1])
    link.setblocking(False)
    return link


argv = getattr(sys, "argv", [])
aioscope.start(connect(argv[1]) if len(argv) > 1 else None, ring=16384)
try:
    asyncio.run(main(int(argv[2]) if len(argv) > 2 else 60))
finally:
    aioscope.stop()
