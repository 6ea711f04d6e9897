"""The tables under the lanes: which stretch, which row, which tab has what."""

import re

import tap
import window

OVER = ('combo box', 'Statistics over|Over: .*')   # newer GTK takes what is chosen for a name


def choose_over(w, *keys):
    w.press('button', '.*', within=OVER)
    w.focused('list item', '.*')
    w.keys(*keys, 'Return')


def table_height(w):
    _, top, _, height = w.box(w.find('table', 'Statistics'))
    return top, top + height


@tap.case
def over_a_selection_that_is_not_there():
    path = window.trace(10)
    with window.Window(path) as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        window.run('xdotool', 'mousemove', 5, 5)
        whole = w.steady()
        choose_over(w, 'Down', 'Down')
        w.see('Nothing is selected. Drag across the lanes')
        window.until('no figures that are about nothing', lambda: not w.rows())
        w.keys('ctrl+e')
        w.answer('Export the statistics', w.home / 'none.csv')
        w.see('nothing to export')
        tap.check(not (w.home / 'none.csv').exists())
        w.click(w.find('image', 'Scope'))
        w.keys('Down', 'Down', 'Down', 'period')    # selects a run
        w.moved(whole)
        rows = window.until('a table', w.rows)
        tap.equal([name for name, row in rows.items() if row['Runs'] not in ('0', '')],
                  [name for name, row in rows.items() if row['Runs'] == '1'])
        tap.check(any(row['Runs'] == '1' and row['Instances'] == '1' for row in rows.values()),
                  rows)
        w.keys('Escape')
        w.see('Nothing is selected')
        w.action('win.close-trace')
        w.press('button', 'Try the demo')
        window.until('over all of it again', lambda: len(w.rows()) > 5)


@tap.case
def an_export_tells_what_it_is_about():
    with window.Window(window.trace(10)) as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        w.keys('ctrl+e')
        w.answer('Export the statistics', w.home / 'whole.csv')
        w.see('^Statistics exported to ')
        choose_over(w, 'Down')
        w.focused('image', 'Scope')
        w.keys('ctrl+e')
        w.answer('Export the statistics', w.home / 'part.csv')
        w.see('^Statistics over the visible stretch exported to ')


@tap.case
def the_chosen_row_is_seen():
    path = window.trace(3, 4, '--tasks', 60)
    # Lanes and lines of the CSV are in the order in which the tasks appeared.
    names = [line.split(',')[0] for line in window.cli('stats', '--csv', path).splitlines()[1:]]
    with window.Window(path) as w:
        window.run('xdotool', 'windowsize', w.number, 1000, 700)
        window.until('statistics', lambda: len(w.rows()) > 5)
        window.run('xdotool', 'mousemove', 5, 5)
        w.steady()
        w.keys('Down')
        chosen = 0
        for _ in range(3):
            w.keys(*['Down'] * 11)
            chosen += 11

            def seen(name=names[chosen]):
                top, bottom = table_height(w)
                return any(top <= y and y + height <= bottom + 1 for _, y, _, height in (
                    w.box(node) for node in w.all('label', re.escape(name),
                                                  w.find('table', 'Statistics'))))
            window.until(f'the row of {names[chosen]} is in sight', seen)


def with_holes(n):
    """A trace with that many holes of a frame or two, at about equal distances."""
    data = bytearray(window.trace(20, 6).read_bytes())
    step = len(data) // (n + 1)
    for i in reversed(range(1, n + 1)):
        del data[i * step:i * step + 300]
    path = window.PLACE / f'holes-{n}.trace'
    path.write_bytes(data)
    return path


@tap.case
def each_loss_has_a_line_that_leads_to_it():
    with window.Window(with_holes(4)) as w:
        # Newer GTK makes lines only where they are seen: all of them shall be.
        window.run('xdotool', 'windowsize', w.number, 1200, 1200)
        window.until('statistics', lambda: len(w.rows()) > 5)
        window.run('xdotool', 'mousemove', 5, 5)
        whole = w.steady()
        w.press('tab', 'Problems.*')
        lines = window.until('four losses', lambda: (lambda found: found if len(found) == 4
                                                    else None)(
            [node for node in w.all('label') if 'never arrived' in node.name]))
        times = [re.fullmatch(r'session 1 · (\S+) · \d+ events never arrived\.', line.name)[1]
                 for line in lines]
        ns = [window.clock_ns(text) for text in times]
        tap.equal(ns, sorted(set(ns)), 'each at its time')
        w.click(lines[1])
        _, start, end = w.moved(whole)
        tap.check(start <= ns[1] <= end and end - start < 2e9, ns[1], start, end)


@tap.case
def controls_are_where_they_do_something():
    with window.Window(window.trace(10)) as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        for tab in ('Terminal', 'Problems.*'):
            w.press('tab', 'Statistics')
            w.find(*OVER)
            w.press('tab', tab)
            w.gone(*OVER)
            window.until('no filter', lambda: not w.all(None, 'Filter tasks'))
        w.keys('ctrl+f')
        w.focused(None, 'Filter tasks')
        w.find(*OVER)
        w.type('http')
        window.until('only those', lambda: set(w.table()) == {'http.client', 'http.serve'})
        w.press('tab', 'Terminal')
        w.gone(*OVER)
        tap.check(w.all(None, 'Filter tasks'), 'a filter at work is hidden')


window.main()
