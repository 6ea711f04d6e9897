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
        w.type('sd.')
        window.until('only matches are left', lambda: set(w.table()) == {'sd.log'})
        w.keys(*['BackSpace'] * 3)
        window.until('all are back', lambda: 'motor.pid' in w.table())
        assert 'sd.log' in w.table(), w.table()


window.main()
