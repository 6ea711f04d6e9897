"""Boards for the tests of the window, and what became of their recordings."""

import os
import subprocess
import threading

import window


class Simulated:
    """A board of its own process at a pty, whose programs goes on for long."""

    def __init__(self):
        self.process = subprocess.Popen([window.CLI, 'simulate', '--no-loss', '--seconds', '600'],
                                        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                        text=True)
        self.path = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class Sending:
    """A pty that sends the same bytes ten times a second."""

    def __init__(self, data):
        self.master, slave = os.openpty()
        self.path = os.ttyname(slave)
        os.close(slave)
        os.set_blocking(self.master, False)
        self.data = data
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._send)

    def _send(self):
        while not self.ended.wait(0.1):
            try:
                os.write(self.master, self.data)
            except OSError:     # nobody reads yet
                pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        os.close(self.master)


def links(path):
    """The changes of the connection in a recording."""
    return [line.split('\t')[6].split()[0] for line in window.cli('cat', path).splitlines()
            if line.split('\t')[3] == 'link']


def runs(w):
    """All runs in the table."""
    return sum(window.count(row['Runs']) for row in w.table().values() if row['Runs'])


def recordings(w):
    """The unnamed recordings of a window, oldest first."""
    return sorted((w.home / 'state' / 'aioscope' / 'recordings').glob('*.trace'))
