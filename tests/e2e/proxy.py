"""Runs `aioscope-cli proxy` for the tests, and reads what it offers."""

import os
import pathlib
import select
import signal
import socket
import subprocess
import threading
import time

import e2e
import asc_frames

RUNTIME = e2e.TEMP / 'run'


class Proxy:
    """`proxy` in the background; its messages go to a file."""

    def __init__(self, port, *options, program=None, name='proxy', **more):
        RUNTIME.mkdir(mode=0o700, exist_ok=True)
        self.log = e2e.TEMP / f'{name}.proxy-log'
        with open(self.log, 'wb') as log:
            self.process = subprocess.Popen(
                [program or e2e.CLI, 'proxy', port, *map(str, options)], stderr=log,
                stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                env={**os.environ, 'XDG_RUNTIME_DIR': str(RUNTIME)}, **more)
        self.pty = self.process.stdout.readline().decode().strip()
        if not self.pty.startswith('/dev/'):
            raise AssertionError('proxy tells no pty:\n' + self.messages())
        # The last of what it says at first, and all of that line.
        e2e.until(lambda: 'its tasks' in self.messages() and self.messages().endswith('\n'),
                  'it says how to use it')

    def ended(self):
        return self.process.poll() is not None

    def messages(self):
        return self.log.read_text(errors='replace')

    def address(self):
        """Where viewers connect, from its messages."""
        line = next(line for line in self.messages().splitlines() if 'its tasks' in line)
        return line.partition('aioscope ')[2].split()[0]

    def viewer(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.address().partition(':')[2])
        e2e.until(lambda: '1 viewer' in self.messages(), 'the viewer is seen')
        return connection

    def stop(self, number=signal.SIGINT, status=0):
        self.process.send_signal(number)
        code = self.process.wait(e2e.LIMIT)
        if code != status:
            raise AssertionError(f'proxy: exit status {code}\n' + self.messages())
        return self.messages()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(e2e.LIMIT)
        self.process.stdout.close()


class Reader:
    """Takes all that comes out of a pty or a socket, with the time of the last piece."""

    def __init__(self, fd):
        self.fd = fd
        self.data = b''
        self.at = 0.0
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while True:
            try:
                select.select([self.fd], [], [])
                piece = os.read(self.fd, 65536)
            except OSError:
                break
            if not piece:
                break
            self.data += piece
            self.at = time.monotonic()

    def wait_for(self, data):
        e2e.until(lambda: len(self.data) >= len(data), f'{len(data)} bytes')


def open_pty(path):
    return os.open(path, os.O_RDWR | os.O_NOCTTY)


def frames(data):
    """(offset, size, type) of each right frame."""
    at = data.find(asc_frames.MARKER)
    while at >= 0:
        kind, size = asc_frames.look(data, at)
        if kind == 'frame':
            yield at, size, data[at + 1]
        at = data.find(asc_frames.MARKER, at + (size if kind == 'frame' else 1))


def without(data, wanted):
    """The bytes of a stream but for the frames of the types that are not wanted."""
    kept, behind = bytearray(), 0
    for at, size, kind in frames(data):
        kept += data[behind:at + size if wanted(kind) else at]
        behind = at + size
    return bytes(kept + data[behind:])


def board_bytes(path):
    """A trace without its host frames: what was received."""
    return without(pathlib.Path(path).read_bytes(), lambda kind: kind < asc_frames.FILE)


def text_of(data):
    """What of a board's bytes is no frame."""
    return without(data, lambda kind: False)
