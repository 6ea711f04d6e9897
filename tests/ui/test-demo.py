"""The main job in the real window: connect to the demo, look, disconnect, save, reopen, export."""

import pathlib
import re
import time

import tap
import window

TASKS = {'sd.log', 'http.serve', 'motor.pid', 'sensor.poll'}
RECORDINGS = 'Unnamed recordings.*'


def tasks_appear(w):
    window.until('tasks are in the table', lambda: TASKS <= set(w.table()))
    tasks, start, end = window.until('the scope tells what it shows', w.seen)
    tap.check(tasks >= len(TASKS), tasks)
    tap.check(end > start, start, end)


def disconnect(w):
    began = time.monotonic()
    w.press('button', 'Disconnect')
    w.gone('button', 'Disconnect')
    print(f'# disconnected, seen from outside, after {time.monotonic() - began:.2f} s')
    w.find('button', 'Connect')
    before = w.steady()
    time.sleep(1)
    tap.equal(w.seen(), before, 'it goes on after Disconnect')


def saved_equals_the_table(w, path):
    """The table of what was saved, the exported CSV and the command line tell the same."""
    csv = window.cli('stats', '--csv', path)
    table = w.table()
    for line in csv.splitlines()[1:]:
        task, _, runs = line.split(',')[:3]
        tap.equal(window.count(table[task]['Runs']), int(runs), task)


@tap.case
def demo_from_the_empty_page_to_a_saved_file():
    with window.Window(stacks=True) as w:
        w.press('button', 'Try the demo')
        tasks_appear(w)
        w.see('greenhouse')
        w.see(r'margin \d+ %')
        w.find('button', '.*● live')
        tap.check(w.find('button', 'Following').has(window.PRESSED), 'it does not follow')
        disconnect(w)
        path = w.home / 'kept.trace'
        w.focus()
        w.keys('ctrl+s')
        w.answer('Save the recording', path)
        w.see(f'Saved as {re.escape(str(path))}')
        tap.check(path.stat().st_size > 10000, path.stat())
        saved_equals_the_table(w, path)
        w.keys('ctrl+e')
        w.answer('Export the statistics', w.home / 'kept.csv')
        w.see('Statistics exported')
        tap.equal((w.home / 'kept.csv').read_text(), window.cli('stats', '--csv', path))
        w.action('win.close-trace')
        w.find('button', 'Try the demo')
        w.action('win.open')
        w.answer('Open a trace', path)
        window.until('it is open', lambda: w.title().startswith('kept.trace'))
        window.until('its table', lambda: TASKS <= set(w.table()))
        saved_equals_the_table(w, path)
    with window.Window(path) as w:
        window.until('its table', lambda: TASKS <= set(w.table()))
        saved_equals_the_table(w, path)


@tap.case
def demo_from_the_connection_button():
    with window.Window() as w:
        w.press('button', 'Connect a board')
        w.focused('list item', '.*')
        # Without a board on USB it has the focus at once.
        if any(pathlib.Path('/dev').glob('tty[AU][CS][MB]*')):
            w.keys('End')
        w.focused('list item', 'Demo board')
        w.keys('Return')
        tasks_appear(w)
        w.press('tab', 'Terminal')
        disconnect(w)


@tap.case
def save_while_it_goes_on():
    with window.Window('--demo') as w:
        tasks_appear(w)
        path = w.home / 'live.trace'
        w.focus()
        w.keys('ctrl+s')
        w.answer('Save the recording', path)
        w.see('Saved as')
        before = w.seen()
        window.until('it goes on', lambda: w.seen() != before)
        tap.check('sd.log' in window.cli('stats', '--csv', path))


@tap.case
def recordings_survive_a_kill_and_are_listed():
    with window.Window('--demo') as w:
        home = w.home
        tasks_appear(w)
        w.see(r'00:0[3-9]|00:[1-9]\d')  # the last second may be missing
        w.kill()
    with window.Window(home=home) as w:
        row = w.find('list item', '20.*·.*', under=w.find('list', RECORDINGS))
        w.click(row)
        window.until('its table', lambda: TASKS <= set(w.table()))
        w.action('win.close-trace')
        w.find('list', RECORDINGS)


@tap.case
def a_recording_is_listed_after_it():
    with window.Window('--demo') as w:
        tap.equal(w.all('list', RECORDINGS), [])
        tasks_appear(w)
        w.press('button', 'Disconnect')
        w.gone('button', 'Disconnect')
        w.action('win.close-trace')
        w.find('list item', '20.*·.*', under=w.find('list', RECORDINGS))


window.main()
