"""Small windows, many lanes, dark, scale 2: nothing is cut off and GTK has no complaint."""

import tap
import window


def fits(w, width, height):
    """Every control of the window is inside it."""
    outside = []
    for node in w.tree().children[0].walk():
        if node.role in ('button', 'tab', 'entry', 'combo box', 'image') and node.faces \
                and 'org.a11y.atspi.Component' in node.faces:
            x, y, across, down = w.box(node)
            if across > 1 and (x < 0 or y < 0 or x + across > width or y + down > height):
                outside.append(f'{node}: {x},{y} {across} × {down}')
    tap.nothing(outside, f'outside {width} × {height}:')


def shown(path, width, height, *args, scale=1):
    env = {'GDK_SCALE': str(scale)}
    with window.Window(*args, path, env=env) as w:
        window.until('statistics', lambda: len(w.table()) > 5)
        window.run('xdotool', 'windowsize', w.number, width * scale, height * scale)
        window.until('it has that size', lambda: w.box(w.tree().children[0])[2] <= width)
        w.keys('w', 'Home', 'Down', 'f', 'End')
        w.steady()
        fits(w, width, height)
        for tab in ('Terminal', 'Problems.*', 'Statistics'):
            w.press('tab', tab)
        w.steady()
        return w.seen()[0]


@tap.case
def at_800_by_600():
    shown(window.trace(6), 800, 600)


@tap.case
def two_hundred_lanes():
    tasks = shown(window.trace(3, 4, '--tasks', 200), 1280, 800)
    tap.check(tasks >= 190, tasks)


@tap.case
def two_hundred_lanes_at_800_by_600():
    shown(window.trace(3, 4, '--tasks', 200), 800, 600)


@tap.case
def dark():
    shown(window.trace(6), 1000, 700, '--dark')


@tap.case
def scale_2():
    shown(window.trace(6), 900, 600, scale=2)


@tap.case
def live_at_800_by_600():
    shown('demo', 800, 600)


window.main()
