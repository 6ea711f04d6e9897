# A socket that dies, and another one. argv[3] is the port of both.
import aioscope
import asyncio
import socket
import sys


async def beats(first):
    for i in range(first, first + 50):
        aioscope.mark("beat", i)
        await asyncio.sleep_ms(2)


def connect():
    address = socket.getaddrinfo("127.0.0.1", int(sys.argv[3]))[0][-1]
    port = socket.socket()
    port.connect(address)
    return port


port = connect()
aioscope.start(port, ring=16384)
asyncio.run(beats(0))
assert aioscope.stats()["error"], aioscope.stats()
aioscope.attach(connect())
asyncio.run(beats(50))
aioscope.stop()
