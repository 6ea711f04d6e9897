# wait_for, in time and not, and a server with its clients. argv[3] is a free port; without one
# there is no server.
import aioscope
import asyncio
import sys
import truth

PORT = int(sys.argv[3]) if len(sys.argv) > 3 else 0


async def work(me, ms):
    with me:
        with me.away:
            await asyncio.sleep_ms(ms)
        return ms


async def client(me):
    with me:
        with me.away:
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
        writer.write(b"hello\n")
        with me.away:
            await writer.drain()
        with me.away:
            line = await reader.readline()
        assert line == b"HELLO\n", line
        writer.close()
        await writer.wait_closed()


async def serve(reader, writer):
    line = await reader.readline()
    writer.write(line.upper())
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def main():
    assert await asyncio.wait_for_ms(truth.coro(work, 2), 1000) == 2
    try:
        await asyncio.wait_for_ms(truth.coro(work, 1000), 5)
    except asyncio.TimeoutError:
        aioscope.mark("late")


async def net():
    aioscope.set_name("net main")
    server = await asyncio.start_server(serve, "127.0.0.1", PORT)
    await asyncio.gather(truth.spawn(client), truth.spawn(client))
    server.close()
    await server.wait_closed()


aioscope.start(truth.stream())
asyncio.run(main())
if PORT:
    asyncio.run(net())
aioscope.stop()
truth.done()
