"""The emulated Cortex-M3: a raw REPL on its first UART, the trace on its second one, a pty. target: m3,
with the C module; m3-plain, without."""

import re
import select
import shutil
import subprocess
import time

import e2e
import tap

import port

LIMIT = 60      # s, of a program


class Emulation:
    def __init__(self, folder, target='m3'):
        if not shutil.which('qemu-system-arm'):
            tap.skip('qemu-system-arm is not installed')
        self.process = subprocess.Popen(
            ['qemu-system-arm', '-machine', 'mps2-an385', '-display', 'none', '-monitor', 'none',
             '-semihosting', '-serial', 'stdio', '-serial', 'pty', '-kernel',
             port.program(folder, target)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        self.pty = re.search(rb'/dev/pts/\d+', self.until(b'serial1)'))[0].decode()
        self.until(b'>>> ')
        self.process.stdin.write(b'\x01')
        self.until(b'exit\r\n>')

    def until(self, end):
        """What it says up to and with end."""
        said, latest = b'', time.monotonic() + LIMIT
        while not said.endswith(end) if len(end) < 3 else end not in said:
            left = latest - time.monotonic()
            if left < 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise AssertionError(f'waited in vain for {end}: {said[-2000:]}')
            byte = self.process.stdout.read(1)
            if not byte:
                raise AssertionError(f'the emulator ended: {said[-2000:]}')
            said += byte
        return said

    def run(self, program):
        """Runs a program's text and returns what it says."""
        self.process.stdin.write(program.encode() + b'\x04')
        self.until(b'OK')
        said = self.until(b'\x04')[:-1].decode(errors='replace').replace('\r', '')
        error = self.until(b'\x04>')[:-2].decode(errors='replace')
        tap.check(not error, said[-500:], error)
        return said

    def send(self, paths):
        """Files for its programs to import: {name: path}."""
        self.run('\n'.join(port.sent(paths)))

    def say(self, text):
        """Text on the second UART."""
        self.run(f'import emulated\nu, t = emulated.UART1(), {text!r}\n'
                 'while t: t = t[u.write(t):]')

    def connect(self, trace):
        """Until what is said there is recorded: the emulator's pty takes a while to see that it
        is open."""
        e2e.until(lambda: self.say(b'ready\n') or b'ready' in trace.read_bytes(), 'the pty')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
