"""The keys of the scope in the real window; what they did is read from its description."""

import re
import time

import tap
import window


def length(seen):
    return seen[2] - seen[1]


def middle(seen):
    return (seen[1] + seen[2]) / 2


def near(got, want, by, *what):
    tap.check(abs(got - want) <= by, *what, f'got {got}, expected {want} ± {by}')


def opened(w):
    """The whole file is seen, the scope has the keys and the pointer is elsewhere."""
    window.until('the scope has the focus', lambda: any(
        node.has(window.FOCUSED) for node in w.all('image', 'Scope')))
    window.until('statistics', lambda: len(w.rows()) > 5)
    window.run('xdotool', 'mousemove', 5, 5)
    return w.steady()


def key(w, before, name):
    w.keys(name)
    return w.moved(before)


@tap.case
def zoom_pan_and_frame():
    with window.Window(window.trace(10)) as w:
        whole = opened(w)
        near(length(whole), 10e9, 1.5e9, 'the whole trace')
        nearer = key(w, whole, 'w')
        near(length(nearer), length(whole) * 0.7, 1e7, 'W')
        near(middle(nearer), middle(whole), 1e7, 'W keeps the middle')
        closer = key(w, nearer, 'plus')
        near(length(closer), length(whole) * 0.49, 1e7, '+')
        later = key(w, closer, 'd')
        near(later[1] - closer[1], length(closer) * 0.1, 1e6, 'D')
        near(length(later), length(closer), 10, 'D')
        near(key(w, later, 'Left')[1], closer[1], 10, 'Left')
        wider = key(w, w.steady(), 's')
        near(length(wider), length(nearer), 1e4, 'S')
        start = key(w, wider, 'Home')
        near(start[1], 0, 1e8, 'Home')
        end = key(w, start, 'End')
        near(end[2], 10e9, 1e8, 'End')
        near(length(key(w, end, 'f')), length(whole), 1000, 'F')


@tap.case
def hogs_are_stepped_through():
    path = window.trace(30, 3)
    with window.Window(path, stacks=True) as w:
        whole = opened(w)
        hogs = window.count(w.see(r'⚠ \d+ hogs'))     # the header follows a little later
        tap.check(hogs >= 2, hogs)
        w.find('button', 'Previous hog')
        w.find('button', 'Next hog')
        w.keys(*'wwwwwwww')
        w.moved(whole)
        first = key(w, w.steady(), 'Home')
        one = key(w, first, 'n')
        tap.check(20e6 <= length(one) / 3 <= 200e6, 'a hog stands in the middle third', one)
        two = key(w, one, 'n')
        tap.check(middle(two) > middle(one), one, two)
        near(middle(key(w, two, 'shift+n')), middle(one), 1e5, 'Shift+N')
        at = one
        for _ in range(hogs):
            at = key(w, at, 'n')
        near(middle(at), middle(one), 1e5, 'past the last hog it begins again')


@tap.case
def the_first_hog_in_sight_comes_first():
    with window.Window(window.trace(30, 3)) as w:
        whole = opened(w)
        hogs = window.count(w.see(r'⚠ \d+ hogs'))
        first = key(w, whole, 'n')
        w.see(f'⚠ 1 of {hogs}$')
        second = key(w, first, 'n')
        w.see(f'⚠ 2 of {hogs}$')
        tap.check(middle(second) > middle(first), first, second)
        key(w, second, 'shift+n')
        w.see(f'⚠ 1 of {hogs}$')


@tap.case
def the_latest_hog_while_following():
    with window.Window('--demo') as w:
        window.until('a hog', lambda: w.all('label', r'⚠ \d+ hogs?'))
        window.run('xdotool', 'mousemove', 5, 5)
        w.keys('n')
        text = w.see(r'⚠ \d+ of \d+$')
        number, of = map(int, text[2:].split(' of '))
        tap.check(number >= of - 1, text)
        tap.check(not w.find('button', 'Following').has(window.PRESSED), 'it follows')


@tap.case
def keys_work_after_a_list():
    with window.Window(window.trace(10)) as w:
        before = opened(w)
        for name in ('Statistics over|Over: .*', 'Menu', 'Export'):
            box = next(node for node in w.all() if re.fullmatch(name, node.name)
                       and node.role in ('combo box', 'button', 'toggle button', '61'))
            w.click(box)
            time.sleep(0.5)
            w.keys('Escape' if name != 'Statistics over|Over: .*' else 'Down', 'Return')
            w.focused('image', 'Scope')
            window.run('xdotool', 'mousemove', 5, 5)
            before = key(w, before, 'w')
        w.keys('ctrl+f')
        w.type('sd')
        w.keys('Return')
        w.focused('image', 'Scope')
        key(w, before, 'w')


@tap.case
def a_run_is_selected_and_let_go():
    with window.Window(window.trace(10)) as w:
        whole = opened(w)
        w.keys('Down', 'Down')
        run = key(w, whole, 'period')
        tap.check(length(run) < length(whole) / 5, run)
        framed = key(w, run, 'f')
        tap.check(length(framed) < length(run), framed, run)
        key(w, framed, 'period')
        w.keys('Escape')
        near(length(key(w, w.steady(), 'f')), length(whole), 1000, 'F without a selection')


@tap.case
def hold_follow_and_zoom_live():
    with window.Window('--demo') as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        window.run('xdotool', 'mousemove', 5, 5)
        before = w.seen()
        window.until('it follows', lambda: w.seen()[1] > before[1])
        w.keys('space')
        window.until('held', lambda: not w.find('button', 'Following').has(window.PRESSED))
        held = w.steady()
        w.keys('space')
        window.until('followed again',
                     lambda: w.find('button', 'Following').has(window.PRESSED))
        window.until('it goes on', lambda: w.seen()[1] > held[2])
        w.keys('w')
        window.until('nearer', lambda: length(w.seen()) < length(held) * 0.8)
        tap.check(w.find('button', 'Following').has(window.PRESSED), 'zoom stops following')
        w.keys('a')
        window.until('held', lambda: not w.find('button', 'Following').has(window.PRESSED))
        w.steady()
        w.keys('End')
        window.until('followed', lambda: w.find('button', 'Following').has(window.PRESSED))


@tap.case
def keys_of_a_text_field_are_its_own():
    with window.Window(window.trace(10)) as w:
        whole = opened(w)
        w.keys('ctrl+f')
        w.focused(None, 'Filter tasks')
        w.type('was')
        tap.equal(w.steady(), whole)


@tap.case
def wheel_and_drag():
    with window.Window(window.trace(10)) as w:
        whole = opened(w)
        x, y, width, height = w.box(w.find('image', 'Scope'))
        at = x + width // 2, y + height // 2
        window.run('xdotool', 'mousemove', *at, 'keydown', 'ctrl', 'click', 4, 'keyup', 'ctrl')
        nearer = w.moved(whole)
        near(length(nearer), length(whole) * 0.8, 2e7, 'Ctrl+wheel')
        window.run('xdotool', 'keydown', 'shift', 'click', 5, 'keyup', 'shift')
        tap.check(w.moved(nearer)[1] > nearer[1], 'Shift+wheel')
        before = w.steady()
        window.run('xdotool', 'mousemove', *at, 'mousedown', 1, 'mousemove', at[0] + 60, at[1],
                   'mousemove', at[0] + 120, at[1], 'mouseup', 1)
        w.keys('f')
        tap.check(length(w.moved(before)) < length(before) / 3, 'a dragged selection is framed')


def help_window(w):
    return next((node for node in w.tree().children if node.name == 'Keys and mouse'), None)


@tap.case
def help_lists_the_keys():
    with window.Window() as w:
        w.keys('F1')
        w.see('in and out at the pointer')
        w.focus('Keys')
        w.keys('Escape')
        window.until('it closes', lambda: help_window(w) is None)
        w.focus()
        w.keys('question')
        window.until('? opens it too', lambda: help_window(w))
        w.focus('Keys')
        w.keys('Escape')


@tap.case
def help_fits_into_a_small_window():
    with window.Window(window.trace(10)) as w:
        opened(w)
        window.run('xdotool', 'windowsize', w.number, 800, 600)
        window.until('it has that size', lambda: w.box(w.tree().children[0])[2] <= 800)
        w.keys('question')
        shown = window.until('the help', lambda: help_window(w))
        height = window.until('its size', lambda: w._extents(shown.path)[3])
        tap.check(height <= 600, height)
        last, = [node for node in w.all('label', under=shown) if node.name == 'this list']

        def seen():
            _, y, _, down = w._extents(last.path)
            return y + down <= height
        tap.check(not seen(), 'it need not scroll: this tests nothing')
        w.focus('Keys')
        w.keys('End')
        window.until('its last line can be seen', seen)
        w.keys('Escape')
        window.until('it closes', lambda: help_window(w) is None)
        w.focus()
        w.keys('ctrl+f')
        w.focused(None, 'Filter tasks')
        w.type('http?c')
        window.until('it is typed', lambda: set(w.table()) == {'http.client'})
        tap.check(help_window(w) is None, 'a text field lost its "?"')


window.main()
