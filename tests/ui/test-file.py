"""Files in the real window: what it shows is what the command line tells."""

import csv
import io
import json
import re

import tap
import window

UNITS = {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}
COLUMNS = {'Instances': 'instances', 'Runs': 'runs', 'Rate /s': 'rate_hz', 'CPU %': 'cpu_percent',
           'Total': 'total_ns', 'Min': 'min_ns', 'Median': 'median_ns', 'Mean': 'mean_ns',
           'P99': 'p99_ns', 'Max': 'max_ns', 'σ': 'stddev_ns', 'Late max': 'late_max_ns',
           'Censored': 'censored'}


def shows(text, value, *what):
    """A text for people shows that value, rounded to its last digit."""
    if value == '':
        tap.equal(text, '', *what)
        return
    number, _, unit = text.replace('\u202f', '').partition(' ')
    tap.check(re.fullmatch(r'\d+(\.\d+)?', number), *what, text)
    size = UNITS[unit] if unit else 1
    step = size * 10.0 ** -len(number.partition('.')[2])
    tap.check(abs(float(number) * size - float(value)) <= step * 0.5001 + 0.06, *what,
              f'{text!r} shows', value)


def the_same(table, text):
    """The window's table and the CSV of the command line."""
    rows = list(csv.DictReader(io.StringIO(text)))
    tap.check(len(rows) > 3, rows)
    tap.equal(set(table), {row['task'] for row in rows})
    for row in rows:
        tap.equal(set(table[row['task']]), {'Task', *COLUMNS})
        for title, key in COLUMNS.items():
            shows(table[row['task']][title], row[key], row['task'], title)


def full_table(w, n):
    return window.until(f'{n} tasks in the table',
                        lambda: (lambda rows: rows if len(rows) == n else None)(w.table()))


@tap.case
def table_and_export_equal_the_command_line():
    path = window.trace(6)
    text = window.cli('stats', '--csv', path)
    with window.Window(path) as w:
        the_same(full_table(w, text.count('\n') - 1), text)
        w.keys('ctrl+e')
        w.answer('Export the statistics', w.home / 'out.csv')
        w.see('Statistics exported')
        tap.equal((w.home / 'out.csv').read_text(), text)


@tap.case
def losses_are_counted_the_same():
    path = window.PLACE / 'lossy.trace'
    whole = window.trace(6).read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + whole[middle + 900:])
    text = window.cli('stats', '--csv', path)
    with window.Window(path) as w:
        the_same(full_table(w, text.count('\n') - 1), text)
        w.see(r'\d lost|events lost')


@tap.case
def sessions_are_chosen():
    path = window.PLACE / 'two.trace'
    path.write_bytes(window.trace(3, 7).read_bytes() + window.trace(5, 8).read_bytes())
    second = window.cli('stats', '--csv', '--session', 2, path)
    with window.Window(path, stacks=True) as w:
        w.see('session 2 of 2')
        the_same(full_table(w, second.count('\n') - 1), second)
        w.press('button', '.*', within=('combo box', 'Session.*'))
        w.focused(None, '.*Session 2 of 2.*|')
        w.keys('Up', 'Return')
        w.see('session 1 of 2')
        first = window.cli('stats', '--csv', '--session', 1, path)
        the_same(full_table(w, first.count('\n') - 1), first)


@tap.case
def a_board_that_had_long_been_running():
    """Connected late: the picture begins at what came first, at the board's own time."""
    path = window.PLACE / 'late.trace'
    whole = window.trace(20, 5).read_bytes()
    path.write_bytes(whole[len(whole) * 3 // 4:])
    session, = json.loads(window.cli('info', '--json', path))['sessions']
    first, end = (session[key] - session['start_ns'] for key in ('first_ns', 'end_ns'))
    tap.check(12e9 < first < 17e9 and end > 19.5e9, session)
    with window.Window(path) as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        _, seen_from, seen_to = w.steady()
        tap.check(0 < first - seen_from < 0.5e9, first, seen_from)
        tap.check(0 < seen_to - end < 0.5e9, end, seen_to)
        w.keys('w', 'Home')
        w.moved((0, seen_from, seen_to))
        tap.check(w.seen()[1] > first - 0.5e9, 'Home goes to where nothing is', w.seen())
        w.see(r'^00:0\d')        # its length, not the board's time


def refused(name, data, pattern):
    path = window.PLACE / name
    path.write_bytes(data)
    with window.Window(path) as w:
        w.see(pattern)
        w.find('button', 'Try the demo')
        tap.check(not w.table(), w.table())


tap.add('a text file', refused, 'notes.txt', b'Bring milk.\n' * 500, 'notes.txt|no trace|frames')
tap.add('noise', refused, 'noise.trace', bytes(range(256)) * 99, 'noise.trace|no trace|frames')
tap.add('an empty file', refused, 'empty.trace', b'', 'empty')


@tap.case
def a_file_that_may_not_be_read():
    with window.Window('/proc/self/mem') as w:
        w.see('.')
        w.find('button', 'Connect')


@tap.case
def a_file_that_is_cut_off():
    path = window.PLACE / 'cut.trace'
    whole = window.trace(6).read_bytes()
    path.write_bytes(whole[:len(whole) * 2 // 3 + 5])
    text = window.cli('stats', '--csv', path)
    with window.Window(path) as w:
        the_same(full_table(w, text.count('\n') - 1), text)


@tap.case
def filter_leaves_what_matches():
    path = window.trace(6)
    with window.Window(path) as w:
        full_table(w, window.cli('stats', '--csv', path).count('\n') - 1)
        w.keys('ctrl+f')
        w.type('http')
        window.until('only those', lambda: set(w.table()) == {'http.client', 'http.serve'})
        w.keys('Escape')
        window.until('all again', lambda: len(w.rows()) > 5)


window.main()
