"""The statistics table in the real window: choose a task, filter, let the filter go."""

import tap
import window


@tap.case
def filter_with_a_chosen_task():
    with window.Window(window.trace(), stacks=True) as w:
        window.until('tasks are in the table', lambda: 'motor.pid' in w.table())
        table = w.find('table', 'Statistics')
        w.click(w.find('label', 'motor.pid', under=table))
        w.keys('ctrl+f')
        w.focused(None, 'Filter tasks')
        w.type('sd.')
        window.until('only matches are left', lambda: set(w.table()) == {'sd.log'})
        w.keys(*['BackSpace'] * 3)
        window.until('all are back', lambda: 'motor.pid' in w.table())
        assert 'sd.log' in w.table(), w.table()


def down_the_column(w, column):
    """Its figures from the top, as they are seen."""
    return [window.count(row[column]) for row in w.rows().values()]


@tap.case
def a_head_tells_what_it_is_and_sorts_largest_first():
    with window.Window(window.trace()) as w:
        window.until('tasks are in the table', lambda: len(w.rows()) > 5)
        table = w.find('table', 'Statistics')
        told = [node.description for node in table.walk() if node.description]
        for words in ('Runs whose end was lost', 'Runs a second of observed time',
                      '99 of 100 runs are not longer'):
            tap.check(any(words in text for text in told), words, told)
        head = w.find('label', 'Runs', under=table)
        w.click(head)
        window.until('largest first', lambda: down_the_column(w, 'Runs') == sorted(
            down_the_column(w, 'Runs'), reverse=True))
        w.click(head)
        window.until('smallest first', lambda: down_the_column(w, 'Runs') == sorted(
            down_the_column(w, 'Runs')))
        # A tooltip over the next window would be taken for it.
        window.run('xdotool', 'mousemove', 5, 5)


window.main()
