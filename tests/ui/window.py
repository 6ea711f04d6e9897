"""Drives the real window for the tests: AT-SPI to look and press, xdotool for keys and mouse.

argv of every test: aioscope, aioscope-cli. It runs in a display and a session bus of its own
(with-display.sh). Where a tool is missing the whole file is skipped with the reason.

Whatever an application writes to stderr fails the case that it ran in: GTK tells there
what is wrong with a window that looks right. So does what the sanitizers find.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import tap

APP, CLI = (str(pathlib.Path(arg).resolve()) for arg in sys.argv[1:3])
PLACE = pathlib.Path(tempfile.mkdtemp(prefix='asc-ui-'))
# Only a window that hangs takes that long: sanitizers on a busy machine are slow.
PATIENCE = 90 * float(os.environ.get('ASC_TEST_TIMEOUT') or 1)
VALUE, PROPERTIES = 'org.a11y.atspi.Value', 'org.freedesktop.DBus.Properties'
NUMBER = re.compile(r'[^0-9]')
# What GTK and the accessibility bus say that is not about the window.
HARMLESS = re.compile(
    r'^\s*$|dbind-WARNING|org.a11y|AT-SPI: |libEGL warning|MESA|dconf|'
    r'Failed to set fd limit|Vulkan')


def _missing():
    for tool in ('xdotool', 'dbus-run-session', 'Xvfb'):
        if not shutil.which(tool):
            return f'{tool} is not installed'
    try:
        import gi  # noqa: F401
    except ImportError:
        return 'python3-gi is not installed'
    if not any(os.access(f'{folder}/at-spi-bus-launcher', os.X_OK)
               for folder in ('/usr/libexec', '/usr/lib/at-spi2-core', '/usr/libexec/at-spi2')):
        return 'at-spi2-core is not installed'
    if not os.environ.get('DISPLAY'):
        return 'no display'
    return None


_reason = _missing()
if _reason:
    print(f'1..0 # SKIP {_reason}')
    sys.exit(0)

from gi.repository import GLib  # noqa: E402

import leaks  # noqa: E402
import tree  # noqa: E402
from tree import FOCUSED, PRESSED, SENSITIVE  # noqa: E402,F401

BUS = tree.Bus()


def run(*command):
    """Runs a helper to its end and returns its output."""
    return subprocess.run([str(part) for part in command], check=True, capture_output=True,
                          timeout=PATIENCE, text=True).stdout


def cli(*command):
    return run(CLI, *command)


def until(what, function, patience=None):
    """The first true value of function(); fails after a generous while."""
    deadline = time.monotonic() + (patience or PATIENCE)
    while True:
        try:
            value = function()
        except GLib.Error:      # the node went away while it was looked at
            value = None
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f'never happened: {what}')
        time.sleep(0.1)


def sanitizers(folder, stacks=False):
    """Their reports come to a folder of ours, who tell leaks of ours from others' (leaks.py).

    stacks: leaks of ours are found wherever they are made, at the price of some seconds.
    """
    log = f'log_path="{folder / "san"}":exitcode=0'
    options = [os.environ.get('ASAN_OPTIONS', ''), log, leaks.FORMAT]
    return {'LSAN_OPTIONS': 'print_suppressions=0',     # no list: nothing is left out
            'ASAN_OPTIONS': ':'.join(options + ([leaks.STACKS] if stacks else [])),
            'UBSAN_OPTIONS': ':'.join([os.environ.get('UBSAN_OPTIONS', ''), log])}


def findings(folder):
    """What they reported there that counts."""
    return [found for report in sorted(folder.iterdir())
            for found in leaks.findings(report.read_text(errors='replace'),
                                        pathlib.Path(APP).name)]


class Window:
    """A running aioscope with folders of its own; use it in a with statement.

    env: what its environment has besides, None for what it must not have.
    """

    def __init__(self, *args, home=None, env=None, stacks=False):
        self.home = pathlib.Path(home or tempfile.mkdtemp(dir=PLACE))
        self.err = self.home / 'stderr'
        self.reports = pathlib.Path(tempfile.mkdtemp(dir=PLACE))
        folders = {f'XDG_{name}_HOME': str(self.home / name.lower())
                   for name in ('STATE', 'CONFIG', 'DATA', 'CACHE')}
        with open(self.err, 'ab') as err:
            self.process = subprocess.Popen(
                [APP, *map(str, args)], stderr=err, stdin=subprocess.DEVNULL,
                cwd=self.home,
                env={name: value for name, value in {
                    **os.environ, 'HOME': str(self.home), **folders,
                    **sanitizers(self.reports, stacks), 'GSETTINGS_BACKEND': 'memory',
                    'GTK_A11Y': 'atspi', **(env or {})}.items() if value is not None})
        self.bus = None
        try:
            self.bus = until('the window appears', self._find)
            until('the window is there', lambda: self.tree().children)
            self.focus()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise

    def _find(self):
        if self.process.poll() is not None:
            raise AssertionError(f'it ended with {self.process.returncode}:\n'
                                 + self.err.read_text(errors='replace'))
        return BUS.application(self.process.pid)

    # --- looking ---

    def tree(self):
        return BUS.tree(self.bus)

    def all(self, role=None, name=None, under=None):
        """Nodes with that role whose name matches a pattern, in tree order."""
        return [node for node in (under or self.tree()).walk()
                if role in (None, node.role)
                and (name is None or re.fullmatch(name, node.name, re.S))]

    def find(self, role, name=None, under=None):
        """Waits for the first such node."""
        return until(f'{role} {name!r}',
                     lambda: (self.all(role, name, under) or [None])[0])

    def see(self, pattern, role='label'):
        """Waits for a label that holds the pattern; returns its words."""
        return self.find(role, f'.*(?:{pattern}).*').name

    def gone(self, role, name):
        until(f'no {role} {name!r}', lambda: not self.all(role, name))

    def title(self):
        return self.tree().children[0].name

    def seen(self):
        """(tasks, from_ns, to_ns) as the scope describes itself; None before a session."""
        text = self.find('image', 'Scope').description
        match = re.match(r'(\d+) tasks,.*? seen from (\S+) to (\S+?)(?:\. |$)', text)
        return (int(match[1]), clock_ns(match[2]), clock_ns(match[3])) if match else None

    def card(self):
        """What the card at the pointer tells; '' without one."""
        return self.find('image', 'Scope').description.partition('. Pointer: ')[2]

    def box(self, node):
        """x, y, width, height in the window."""
        x, y, width, height = self._extents(node.path)
        (_, frame), *_ = BUS.call(self.bus, tree.ROOT, tree.ACCESSIBLE, 'GetChildren')[0]
        if node.path == frame:
            return 0, 0, width, height
        # Newer GTK takes the border that it draws around a window away where it should add it.
        # (It also leaves out the padding of what a node lies in: some pixels are missing.)
        left, top, _, _ = self._extents(frame)
        return x - 2 * left, y - 2 * top, width, height

    def _extents(self, path):
        return BUS.call(self.bus, path, 'org.a11y.atspi.Component', 'GetExtents', 1,
                        types='u')[0]

    def text(self, node):
        return BUS.call(self.bus, node.path, 'org.a11y.atspi.Text', 'GetText', 0, -1,
                        types='ii')[0]

    def rows(self):
        """The statistics that are seen, and maybe more, as {task: {column: text}}."""
        rows = {}
        titles = None
        for table in self.all('table', 'Statistics'):
            for row in self.all('row', under=table):
                labels = [node.name for node in row.walk() if node.role == 'label']
                if titles is None:
                    titles = labels
                elif len(labels) == len(titles):
                    rows[labels[0]] = dict(zip(titles, labels))
        return rows

    def table(self):
        """All of the statistics as {task: {column: text}}."""
        bar = self._table_bar()
        if bar is None:
            return self.rows()
        # Newer GTK makes rows only where they are seen: all of them are brought there.
        before, whole = (self._value(bar, name) for name in ('CurrentValue', 'MaximumValue'))
        table = self.find('table', 'Statistics')
        sight, height = (self.box(self.all(role, under=table)[-1])[3]
                         for role in ('list', 'row'))
        rows, end = {}, 0
        while end < whole:
            end = min(max(end - height, 0) + sight, whole)
            self._scroll(bar, end - sight)
            for _ in range(20):
                seen = self.rows()
                if '' not in seen and len(rows | seen) >= end // height:
                    break
                time.sleep(0.05)    # they are being made
            rows.update(seen)
        self._scroll(bar, before)
        return rows

    def _table_bar(self):
        """The scroll bar that the table has when not all of it is seen, if it can be moved."""
        for pane in self.all('39', 'Statistics'):
            for bar in self.all('scroll bar', under=pane):
                if VALUE in bar.faces and self.box(bar)[2] < self.box(bar)[3]:
                    return bar
        return None

    def _value(self, bar, name):
        return BUS.call(self.bus, bar.path, PROPERTIES, 'Get', VALUE, name, types='ss')[0]

    def _scroll(self, bar, value):
        BUS.call(self.bus, bar.path, PROPERTIES, 'Set', VALUE, 'CurrentValue',
                 GLib.Variant('d', value), types='ssv')

    # --- doing ---

    def focus(self, title='aioscope'):
        """Without a window manager nobody gives a window the keys; waits until it has them."""
        def take():
            ids = subprocess.run(['xdotool', 'search', '--onlyvisible', '--pid',
                                  str(self.process.pid), '--name', title],
                                 capture_output=True, text=True, timeout=PATIENCE)
            for number in reversed(ids.stdout.split()):
                if subprocess.run(['xdotool', 'windowfocus', '--sync', number], timeout=PATIENCE,
                                  capture_output=True).returncode == 0:
                    return number
            return None
        self.number = until(f'the window {title!r} has the keys', take)

    def press(self, role, name, within=None):
        """Presses a button, a tab or an entry by its accessible action."""
        def ready():
            under = within and (self.all(*within) or [None])[0]
            found = [node for node in self.all(role, name, under) if node.has(SENSITIVE)]
            return found and (under or not within) and found[0]
        node = until(f'{role} {name!r} can be pressed', ready)
        done, = BUS.call(self.bus, node.path, 'org.a11y.atspi.Action', 'DoAction', 0, types='i')
        tap.check(done, f'{name} does nothing')

    def click(self, node, times=1, button=1):
        """Clicks into the middle of a node of the main window."""
        x, y, width, height = until('it has a size', lambda: self._sized(node))
        left, top = self.corner()
        run('xdotool', 'mousemove', left + x + width // 2, top + y + height // 2)
        for _ in range(times):
            run('xdotool', 'click', button)

    def focused(self, role, name):
        """Waits until a node has the focus."""
        until(f'{role} {name!r} has the focus', lambda: any(
            node.has(FOCUSED) for node in self.all(role, name)))

    def _sized(self, node):
        box = self.box(node)
        return box if box[2] > 1 and box[3] > 1 else None

    def corner(self):
        """Of the main window; a window manager would put it elsewhere than at 0,0."""
        out = run('xdotool', 'getwindowgeometry', '--shell', self.number)
        return tuple(int(re.search(rf'{axis}=(-?\d+)', out)[1]) for axis in 'XY')

    def action(self, name):
        """Activates an action of the window by name, as a menu would."""
        def do():
            path, face = self.tree().children[0].path, 'org.a11y.atspi.Action'
            actions, = BUS.call(self.bus, path, face, 'GetActions')
            for number, (action, _, _) in enumerate(actions):
                if action == name:
                    return BUS.call(self.bus, path, face, 'DoAction', number, types='i')[0]
            return False
        until(f'the action {name} is enabled', do)

    def keys(self, *keys):
        """Keys as xdotool names them, to whatever has the focus."""
        for key in keys:
            run('xdotool', 'key', '--clearmodifiers', key)

    def type(self, text):
        run('xdotool', 'type', '--delay', 20, text)

    def answer(self, title, path):
        """Types a path into the file dialog with that title, and accepts it."""
        self.accept(title, path)
        until(f'the dialog {title!r} closes', lambda: all(
            window.name != title for window in self.tree().children))
        self.focus()

    def accept(self, title, path):
        """The same, without a look at what comes of it."""
        until(f'the dialog {title!r}', lambda: any(
            window.name == title for window in self.tree().children))
        self.focus(title)
        # A place to type appears with the slash when it is not there already.
        self.keys('ctrl+a')
        self.type(str(path))
        self.keys('Return')

    def moved(self, before):
        """Waits until another stretch is seen than before, and stays; returns it."""
        until('another stretch is seen', lambda: self.seen() not in (before, None))
        return self.steady()

    def steady(self):
        """The stretch that is seen once it does not move any more."""
        last = [None, 0]

        def same():
            now = self.seen()
            if now != last[0]:
                last[:] = now, time.monotonic()
            return now is not None and time.monotonic() - last[1] > 0.8
        until('the picture rests', same)
        return last[0]

    def picture(self, path):
        if shutil.which('import'):
            subprocess.run(['import', '-window', 'root', str(path)], timeout=PATIENCE,
                           capture_output=True)

    # --- ending ---

    def close(self):
        """Closes the window as its user does; the program must end well."""
        self.focus()
        self.keys('ctrl+w')
        self.process.wait(PATIENCE)
        tap.equal(self.process.returncode, 0, 'exit status;', *self.complaints())

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)

    def complaints(self):
        text = self.err.read_text(errors='replace') if self.err.exists() else ''
        return [line for line in text.splitlines()
                if not HARMLESS.search(line)] + findings(self.reports)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            logs = os.environ.get('ASC_UI_PICTURES')
            if logs:
                pathlib.Path(logs).mkdir(parents=True, exist_ok=True)
                self.picture(pathlib.Path(logs) / f'failed-{self.process.pid}.png')
        try:
            if self.process.poll() is None and kind is None:
                self.close()
        finally:
            self.kill()
            complaints = self.complaints()
            if kind is not None:
                for line in '\n'.join(complaints).splitlines():
                    print('# stderr:', line)
        tap.nothing(complaints if kind is None else (), 'on stderr, or by sanitizers:')


def clock_ns(text):
    """Nanoseconds of "00:59.238102" or "1:02:03.5"."""
    sign = -1 if text.startswith('-') else 1
    seconds, _, fraction = text.lstrip('-').rpartition(':')[2].partition('.')
    whole = 0
    for part in [*text.lstrip('-').split(':')[:-1], seconds]:
        whole = whole * 60 + int(part)
    return sign * (whole * 10**9 + int(fraction.ljust(9, '0') or 0))


def duration(ns):
    """As the window writes a duration: checked against its own rules, not its code."""
    for unit, size in (('s', 1e9), ('ms', 1e6), ('µs', 1e3), ('ns', 1)):
        if ns >= size * 0.9995 or unit == 'ns':
            value = ns / size
            if unit == 'ns' or value >= 99.995:
                return f'{int(value + 0.5)} {unit}'
            return f'{int(value * 100 + 0.5) / 100:.2f} {unit}'
    return ''


def count(text):
    """The number in "1 204"."""
    return int(NUMBER.sub('', text))


_made = {}


def trace(seconds=4, seed=3, *more):
    """A simulated trace without loss."""
    key = (seconds, seed, more)
    if key not in _made:
        path = PLACE / f'simulated-{len(_made)}.trace'
        cli('simulate', '--no-loss', '--seconds', seconds, '--seed', seed, '-o', path, *more)
        _made[key] = path
    return _made[key]


def main():
    try:
        tap.main()
    finally:
        shutil.rmtree(PLACE, ignore_errors=True)
