"""The card at the pointer in the real window: at rest, and live while it follows or is held."""

import re
import time

import tap
import window


def place(w):
    """left, top, width, height of the scope, and where its names end."""
    x, y, width, height = w.box(w.find('image', 'Scope'))
    return x, y, width, height, x + (214 if width >= 900 else 158)


def point(w, x, y):
    left, top = w.corner()
    window.run('xdotool', 'mousemove', int(left + x), int(top + y))


def down_the_lanes(w, x, pattern):
    """Points at one lane after another until the card tells that; returns what it tells."""
    _, top, _, height, _ = place(w)
    seen = []

    def once():
        for y in range(top + 70, top + height, 9):
            point(w, x, y)
            time.sleep(0.15)
            seen.append(w.card())
            if re.search(pattern, seen[-1]):
                return seen[-1]
        return None
    return window.until(f'a card tells {pattern!r}', once)


@tap.case
def a_hog_tells_its_victims_and_a_grey_bar_who_ran():
    with window.Window(window.trace(30, 3)) as w:
        window.until('hogs are known', lambda: w.all('button', 'Next hog'))
        window.run('xdotool', 'mousemove', 5, 5)
        before = w.steady()
        w.keys('Home', 'n')
        w.moved(before)
        left, _, width, _, names = place(w)
        middle = (names + left + width) // 2
        hog = down_the_lanes(w, middle, 'held up')
        # Worst first, and no more than can be read.
        times = [float(ms) for ms in re.findall(r'([\d.]+) ms', hog.rpartition('; held up ')[2])]
        tap.check(len(times) >= 2, hog)
        tap.equal(times, sorted(times, reverse=True), hog)
        tap.check(len(times) <= 4, hog)
        wait = down_the_lanes(w, middle, 'waited')
        tap.check(re.search(r'waited (\d+) ms; was due at \S+; woke \1 ms late; '
                            r'ran meanwhile sd\.log', wait), wait)


@tap.case
def the_longest_run_is_called_that():
    with window.Window(window.trace(30, 3)) as w:
        table = window.until('statistics', w.table)
        window.run('xdotool', 'mousemove', 5, 5)
        w.steady()
        label = w.find('label', 'sd.log', under=w.find('table', 'Statistics'))
        w.click(label, times=2)     # shows the task's longest run
        w.steady()
        left, _, width, _, names = place(w)
        card = down_the_lanes(w, (names + left + width) // 2, '^sd.log')
        tap.check('the longest of its runs' in card, card)
        tap.check(f"run {table['sd.log']['Max']}" in card.replace('\u202f', ''), card)


def run_of(card):
    """Which run it is about; its rank may change while others come."""
    return card.partition('; began at ')[0], card.partition('; began at ')[2].partition(';')[0]


def rests(w, seconds):
    """The card is about the same run that long."""
    first = run_of(window.until('a card', w.card))
    seen, end = {first}, time.monotonic() + seconds
    while time.monotonic() < end:
        seen.add(run_of(w.card()))
        time.sleep(0.05)
    tap.equal(seen, {first}, 'the card changes by itself')
    return first


@tap.case
def live():
    with window.Window('demo') as w:
        window.until('statistics', lambda: len(w.rows()) > 5)
        left, top, width, height, names = place(w)
        point(w, (names + left + width) // 2, top + 110)
        followed = rests(w, 2)
        tap.check(w.find('button', 'Following').has(window.PRESSED), 'it does not follow')
        # Somewhere else, another card; then none beside the lanes.
        point(w, (names + left + width) // 2 + 40, top + 140)
        window.until('another card', lambda: w.card() and run_of(w.card()) != followed)
        other = rests(w, 1)
        # Held, to read it: it stays until the pointer moves.
        w.keys('space')
        w.steady()
        tap.equal(run_of(w.card()), other)
        point(w, names - 60, top + 140)
        window.until('no card on the names', lambda: w.card() == '')
        # Held: a run is found where it stands.
        found = down_the_lanes(w, (names + left + width) // 2, r'^\w+\.\w+ run|^idle')
        tap.equal(rests(w, 1), run_of(found))


window.main()
