"""Opening something else: what is shown stays until the new one is really there."""

import os
import socket
import threading

import boards
import tap
import window
from boards import recordings


def address(w, text):
    """Types an address into the list of ports."""
    w.action('win.connect')
    w.find('list', 'Ports')

    def asked():
        w.keys('alt+a')
        return any(node.has(window.FOCUSED) for node in w.all('text', 'Address'))
    window.until('the address has the focus', asked)
    w.keys('ctrl+a')
    w.type(text)
    w.keys('Return')


def shown(w, n=3):
    return window.until('tasks are in the table', lambda: len(w.table()) > n and w.table())


@tap.case
def a_trace_stays_open_when_something_else_cannot_be_opened():
    notes = window.PLACE / 'notes.txt'
    notes.write_text('Bring milk.\n' * 500)
    locked = window.PLACE / 'locked.trace'
    locked.mkdir()
    with window.Window(window.trace()) as w:
        table, title = shown(w), w.title()
        for text, words in [('/dev/ttyNONE8', '/dev/ttyNONE8'),
                            ('tcp:127.0.0.1:1', 'Nobody listens'),
                            ('tcp:nothing', 'write tcp:HOST:PORT'),
                            ('unix:/nowhere/board.sock', '/nowhere/board.sock'),
                            ('nowhere.trace', 'nowhere.trace'),
                            (str(locked), 'locked.trace'),
                            (str(notes), 'notes.txt is not a trace')]:
            address(w, text)
            w.see(words)
            w.press('button', 'Close this message')
            tap.equal(w.table(), table, text)
            tap.equal(w.title(), title, text)
        w.action('win.open')
        w.answer('Open a trace', notes)
        w.see('notes.txt is not a trace')
        tap.equal((w.table(), w.title()), (table, title))
        tap.equal(recordings(w), [])
        # And one that is right takes its place.
        address(w, str(window.trace(5, 8)))
        window.until('the other one is shown', lambda: w.title() != title)


@tap.case
def a_live_board_goes_on_until_the_next_one_works():
    with boards.Simulated() as board, window.Window(board.path) as w:
        shown(w)
        for text, words in [('/dev/ttyNONE8', '/dev/ttyNONE8'),
                            ('tcp:127.0.0.1:1', 'Nobody listens')]:
            address(w, text)
            w.see(words)
            w.find('button', '.*● live')
            count = boards.runs(w)
            window.until('it counts on', lambda: boards.runs(w) > count)
        before = recordings(w)
        tap.equal(len(before), 1)
        tap.equal(boards.links(before[0]), ['connected'])
        # The same port in another way is another recording.
        address(w, board.path + '@921600')
        window.until('it is recorded anew', lambda: len(recordings(w)) == 2)
        shown(w)
        w.find('button', '.*● live')
        # And another source that works.
        address(w, 'demo')
        w.find('button', 'Demo.* ● live')
        tap.equal([boards.links(path)[-1] for path in recordings(w)][:2], ['ended', 'ended'])
        tap.equal(boards.links(before[0]), ['connected', 'lost', 'ended'])


class Once:
    """A board behind TCP that listens for one peer at a time, when it is told to."""

    def __init__(self):
        self.data = window.trace(30).read_bytes()
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        self.again = threading.Event()
        self.ended = False
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        self.listener.settimeout(window.PATIENCE)
        peer, _ = self.listener.accept()
        self.listener.close()
        with peer:
            peer.sendall(self.data[:len(self.data) // 2])
            while peer.recv(100):
                pass
        self.again.wait()
        if self.ended:
            return
        with socket.create_server(('127.0.0.1', self.port)) as again:
            again.settimeout(window.PATIENCE)
            peer, _ = again.accept()
            with peer:
                peer.sendall(self.data[len(self.data) // 2:])
                while peer.recv(100):
                    pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.again.set()
        self.thread.join()


@tap.case
def a_port_that_fails_to_open_anew_is_taken_back():
    with Once() as board, window.Window(f'tcp:127.0.0.1:{board.port}') as w:
        shown(w)
        count = boards.runs(w)
        address(w, f'tcp:127.0.0.1:{board.port}')
        w.see('Nobody listens')
        tap.equal(boards.runs(w), count)
        w.find('button', '.*○ waiting')
        board.again.set()
        w.find('button', '.*● live')
        window.until('it counts on', lambda: boards.runs(w) > count)
        path, = recordings(w)
        tap.equal(boards.links(path), ['connected', 'lost', 'back'])


@tap.case
def an_attempt_can_be_cancelled():
    pipe = window.PLACE / 'pipe.trace'
    os.mkfifo(pipe)
    with window.Window(window.trace()) as w:
        table = shown(w)
        held = os.open(pipe, os.O_RDWR)
        w.action('win.open')
        w.answer('Open a trace', pipe)
        w.see('Opening .*pipe.trace …')
        tap.equal(w.table(), table)
        w.press('button', 'Cancel')
        w.gone('button', 'Cancel')
        tap.equal(w.table(), table)
        os.close(held)


window.main()
