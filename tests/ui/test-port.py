"""One port for the window and other tools: release, take back, typing, a proxy in the list."""

import fcntl
import os
import pathlib
import select
import signal
import subprocess
import time

import boards
import tap
import window
from boards import Simulated, runs


class Typed:
    """A pty that answers what is typed to it in capitals, as a program would."""

    def __init__(self):
        self.master, slave = os.openpty()
        self.path = os.ttyname(slave)
        os.close(slave)
        self.got = b''

    def read(self, wanted):
        def more():
            while select.select([self.master], [], [], 0)[0]:
                try:
                    self.got += os.read(self.master, 1000)
                except OSError:     # nobody has it open
                    break
            return wanted in self.got
        window.until(f'{wanted} is typed', more)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)


def links(w):
    """The changes of the connection in the only recording."""
    path, = (w.home / 'state' / 'aioscope' / 'recordings').glob('*.trace')
    return boards.links(path)


def open_list(w):
    w.action('win.connect')
    w.find('list', 'Ports')


def from_list(w, name):
    """The list opens with the focus on its first button."""
    open_list(w)
    w.focused('button', name)
    w.keys('Return')


@tap.case
def a_port_is_released_and_taken_back():
    with Simulated() as board, window.Window(board.path) as w:
        window.until('tasks are in the table', lambda: len(w.table()) > 3)
        from_list(w, 'Release port')
        w.see('is released: Thonny, mpremote and others can use it. The recording stays open')
        w.find('button', '.*○ released')
        # Another tool has it to itself.
        other = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)   # as mpremote does
        tap.check(len(os.read(other, 1000)) > 0)
        before = w.steady()
        time.sleep(1)
        tap.equal(w.seen(), before, 'it goes on while the port is released')
        # As long as the other one holds it, that is told.
        w.press('button', 'Take it back')
        w.see('in use')
        os.close(other)
        w.find('button', '.*● live')
        window.until('it goes on', lambda: w.seen() != before)
        # GTK 4.8 may go on telling that a hidden button is seen.
        window.until('it is not offered any more', lambda: not any(
            node.has(window.SENSITIVE) for node in w.all('button', 'Take it back')))
        # And by the button of the list.
        from_list(w, 'Release port')
        w.find('button', '.*○ released')
        from_list(w, 'Take it back')
        w.find('button', '.*● live')
        count = runs(w)
        window.until('it counts on', lambda: runs(w) > count)
        w.press('button', 'Disconnect')
        w.gone('button', 'Disconnect')
        tap.equal(links(w), ['connected', 'lost', 'back', 'lost', 'back', 'ended'])


@tap.case
def what_cannot_be_released_is_not_offered():
    with window.Window('--demo') as w:
        window.until('tasks are in the table', lambda: len(w.table()) > 3)
        open_list(w)
        w.find('list item', 'Demo board')
        tap.equal(w.all('button', 'Release port|Take it back'), [])
        w.keys('Escape')
        window.until('the list is closed', lambda: not w.all('list item', 'Demo board'))


@tap.case
def typing_is_off_until_it_is_switched_on():
    with Typed() as board, window.Window(board.path) as w:
        w.press('tab', 'Terminal')
        entry = w.find('text', 'Line to send')
        tap.check(not entry.has(window.SENSITIVE), 'it is on')
        tap.check(not w.find('button', 'Ctrl-C').has(window.SENSITIVE))
        w.click(w.find('check box', 'Type to the board'))
        w.focused('text', 'Line to send')
        w.type('print(1)')
        w.keys('Return')
        board.read(b'print(1)\r')
        w.type('second')
        w.keys('Return')
        board.read(b'print(1)\rsecond\r')
        # The lines before, as in a shell.
        w.keys('Up', 'Up', 'Return')
        board.read(b'second\rprint(1)\r')
        w.press('button', 'Ctrl-C')
        board.read(b'\x03')
        w.press('button', 'Ctrl-D')
        board.read(b'\x03\x04')
        w.keys('ctrl+d', 'ctrl+c')
        board.read(b'\x03\x04\x04\x03')
        # With a selection, Ctrl+C copies.
        w.type('abc')
        w.keys('ctrl+a', 'ctrl+c', 'Return')
        board.read(b'\x04\x03abc\r')
        os.write(board.master, b'ABC\r\n')
        window.until('the answer is there', lambda: any(
            'ABC' in w.text(node) for node in w.all('text')))
        # Released, there is nobody to type to.
        from_list(w, 'Release port')
        window.until('it is off', lambda: not w.find('text', 'Line to send').has(window.SENSITIVE))
        got = board.got
    tap.equal(got, b'print(1)\rsecond\rprint(1)\r\x03\x04\x04\x03abc\r')


@tap.case
def a_file_is_nothing_to_type_to():
    with window.Window(window.trace()) as w:
        window.until('its table', lambda: len(w.table()) > 3)
        w.press('tab', 'Terminal')
        window.until('the text is there', lambda: any(
            'greenhouse' in w.text(node) for node in w.all('text')))
        tap.equal(w.all('text', 'Line to send'), [])


@tap.case
def a_proxy_is_in_the_list_of_ports():
    run = window.PLACE / 'run'
    run.mkdir(mode=0o700)
    env = {'XDG_RUNTIME_DIR': str(run)}
    with Simulated() as board:
        proxy = subprocess.Popen([window.CLI, 'proxy', board.path], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                 env={**os.environ, **env}, text=True)
        tool = os.open(proxy.stdout.readline().strip(), os.O_RDWR | os.O_NOCTTY)
        try:
            with window.Window(env=env) as w:
                w.press('button', 'Connect a board')
                w.focused('list item', '.*')
                # Where a board is on USB, the demo comes last; else first.
                usb = any(pathlib.Path('/dev').glob('tty[AU][CS][MB]*'))
                w.keys('End', *['Up'] * usb)
                w.focused('list item', 'pts-.* through its proxy')
                w.keys('Return')
                window.until('tasks are in the table', lambda: len(w.table()) > 3)
                w.find('button', '.*proxy ● live')
                tap.check(b'\xf9' not in os.read(tool, 65536), 'a frame is in the text')
        finally:
            os.close(tool)
            proxy.send_signal(signal.SIGINT)
            proxy.communicate(timeout=window.PATIENCE)
    tap.equal(proxy.returncode, 0)


window.main()
