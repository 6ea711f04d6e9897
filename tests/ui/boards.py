"""Boards for the tests of the window, and what became of their recordings."""

import subprocess

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


def links(path):
    """The changes of the connection in a recording."""
    return [line.split('\t')[6].split()[0] for line in window.cli('cat', path).splitlines()
            if line.split('\t')[3] == 'link']


def runs(w):
    """All runs in the table."""
    return sum(window.count(row['Runs']) for row in w.table().values() if row['Runs'])
