"""Connected, but nothing? The window says what it sees on a port without frames."""

import time

import tap
import window
from boards import Sending as Board


@tap.case
def nothing_at_all():
    with Board(b'') as board, window.Window(board.path) as w:
        w.see('nothing arrives: is the program running')
        tap.equal(w.all('button', 'Copy'), [])


@tap.case
def text_without_frames():
    with Board(b'temperature 21.5\r\n') as board, window.Window(board.path, stacks=True) as w:
        w.see(r'\d bytes of text, no frames')
        tap.equal(w.find('label', 'import aioscope.*').name,
                  'import aioscope\naioscope.start()')
        w.find('button', 'Copy')
        w.press('tab', 'Terminal')
        window.until('the terminal shows it', lambda: any(
            'temperature 21.5' in w.text(node) for node in w.all('text')))
        for _ in range(20):      # the tab is left while new text scrolls in
            time.sleep(0.1)
            w.press('tab', 'Statistics')
            w.press('tab', 'Terminal')


@tap.case
def bytes_that_are_no_text():
    noise = bytes(tap.random.randrange(256) for _ in range(300))
    with Board(noise) as board, window.Window(board.path + '@115200') as w:
        w.see('but not text: wrong speed')
    # What has no speed has no wrong one.
    with Board(noise) as board, window.Window(board.path) as w:
        w.see(r'\d bytes, but neither frames nor text: is it a board')


@tap.case
def a_message_can_be_closed():
    with Board(b'') as board, window.Window(board.path) as w:
        w.see('nothing arrives')

        def shown():
            return any(w.box(node)[2] > 1 for node in w.all('button', 'Close this message'))

        window.until('it is shown', shown)
        w.press('button', 'Close this message')
        window.until('it is closed', lambda: not shown())
        time.sleep(1.5)
        tap.check(not shown(), 'the message came back')


@tap.case
def a_port_that_does_not_exist():
    with window.Window('/dev/ttyNONE7') as w:
        w.see('/dev/ttyNONE7')
        w.find('button', 'Try the demo')


@tap.case
def an_address_from_the_connection_button():
    with window.Window() as w:
        w.press('button', 'Connect a board')
        w.focused('list item', '.*')
        w.keys('alt+a')
        w.focused('text', 'Address')
        w.type('/dev/ttyNONE8')
        w.keys('Return')
        w.see('/dev/ttyNONE8')


window.main()
