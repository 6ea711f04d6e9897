"""Small windows, many lanes, dark, scale 2: nothing is cut off and GTK has no complaint."""

import tap
import window


def shown(node):
    """All but the page of the empty window, which is there but not shown."""
    below = [n.name for n in node.walk()]
    if 'Try the demo' in below and 'Scope' not in below:
        return
    yield node
    for child in node.children:
        yield from shown(child)


def fits(w, width, height):
    """Every control of the window is inside it."""
    outside = []
    for node in shown(w.tree().children[0]):
        if node.role in ('button', 'tab', 'entry', 'combo box', 'image') and node.faces \
                and 'org.a11y.atspi.Component' in node.faces:
            x, y, across, down = w.box(node)
            if across > 1 and (x < 0 or y < 0 or x + across > width or y + down > height):
                outside.append(f'{node}: {x},{y} {across} × {down}')
    tap.nothing(outside, f'outside {width} × {height}:')


def look(path, width, height, *args, scale=1):
    env = {'GDK_SCALE': str(scale)}
    with window.Window(*args, path, env=env) as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        window.run('xdotool', 'windowsize', w.number, width * scale, height * scale)
        window.until('it has that size', lambda: w.box(w.tree().children[0])[2] <= width)
        w.keys('w', 'Home', 'Down', 'f', 'End', 'a')
        w.steady()
        fits(w, width, height)
        head = w.box(w.find('label', 'Max', under=w.find('table', 'Statistics')))
        tap.check(head[2] > 1 and head[0] + head[2] <= width, 'Max is out of sight', head)
        for tab in ('Terminal', 'Problems.*', 'Statistics'):
            w.press('tab', tab)
        w.steady()
        return w.seen()[0]


@tap.case
def at_800_by_600():
    look(window.trace(6), 800, 600)


@tap.case
def two_hundred_lanes():
    tasks = look(window.trace(3, 4, '--tasks', 200), 1280, 800)
    tap.check(tasks >= 190, tasks)


@tap.case
def two_hundred_lanes_at_800_by_600():
    look(window.trace(3, 4, '--tasks', 200), 800, 600)


@tap.case
def dark():
    look(window.trace(6), 1000, 700, '--dark')


@tap.case
def scale_2():
    look(window.trace(6), 900, 600, scale=2)


@tap.case
def two_sessions_at_800_by_600():
    path = window.PLACE / 'two.trace'
    path.write_bytes(window.trace(3, 7).read_bytes() + window.trace(5, 8).read_bytes())
    look(path, 800, 600)


@tap.case
def a_message_moves_no_lane():
    with window.Window(window.trace(2, 4)) as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        tap.equal(w.all('button', 'Next hog'), [], 'this trace shall have none')
        window.run('xdotool', 'windowsize', w.number, 800, 600)
        window.until('it has that size', lambda: w.box(w.tree().children[0])[2] <= 800)
        w.steady()
        before = w.box(w.find('image', 'Scope'))
        w.keys('n')
        w.see('No run of 20 ms or more')
        window.until('it has its place',
                     lambda: w.box(w.find('button', 'Close this message'))[2] > 1)
        x, y, width, height = w.box(w.find('button', 'Close this message'))
        tap.equal(w.box(w.find('image', 'Scope')), before, 'the lanes moved')
        tap.check(y >= before[1] + before[3], 'the message lies over the lanes')
        fits(w, 800, 600)


@tap.case
def a_margin_that_losses_hide_is_said_to_be_unknown():
    path = window.PLACE / 'holes.trace'
    data = bytearray(window.trace(6).read_bytes())
    for i in reversed(range(1, 24)):
        del data[len(data) * i // 24:len(data) * i // 24 + 300]
    path.write_bytes(data)
    with window.Window(path) as w:
        w.see('^margin not known$')
        w.see('^load ')


def letter(w, pattern):
    """Pixels that a label has for each of its letters."""
    text = w.see(pattern)
    node = next(node for node in w.all('label') if node.name == text)
    return window.until('it has a width', lambda: w.box(node)[2]) / len(text)


@tap.case
def the_header_says_all_at_1280():
    path = window.PLACE / 'lossy.trace'
    whole = window.trace(20, 3).read_bytes()
    path.write_bytes(whole[:len(whole) // 2] + whole[len(whole) // 2 + 900:])
    with window.Window(path) as w:
        window.run('xdotool', 'windowsize', w.number, 1280, 800)
        w.see('load')
        # Small print both; the one about the load is never cut.
        words, load = letter(w, r'\d+ lost'), letter(w, r'^load .* at ')
        tap.check(words >= load * 0.9, words, load)


@tap.case
def live_at_800_by_600():
    look('demo', 800, 600)


window.main()
