"""The main job in the real window: connect to the demo, look, disconnect, save, reopen, export."""

import time

import tap
import window

TASKS = {'sd.log', 'http.serve', 'motor.pid', 'sensor.poll'}


def tasks_appear(w):
    window.until('tasks are in the table', lambda: TASKS <= set(w.table()))
    tasks, start, end = window.until('the scope tells what it shows', w.seen)
    tap.check(tasks >= len(TASKS), tasks)
    tap.check(end > start, start, end)


def disconnect(w):
    began = time.monotonic()
    w.press('button', 'Disconnect')
    w.gone('button', 'Disconnect')
    took = time.monotonic() - began
    print(f'# disconnected, seen from outside, after {took:.2f} s')
    w.find('button', 'Connect')
    before = w.steady()
    time.sleep(1)
    tap.equal(w.seen(), before, 'it goes on after Disconnect')


@tap.case
def demo_from_the_empty_page():
    with window.Window() as w:
        w.press('button', 'Try the demo')
        tasks_appear(w)
        w.see('greenhouse')
        w.see(r'margin \d+ %')
        w.find('button', 'Following')
        disconnect(w)


window.main()
