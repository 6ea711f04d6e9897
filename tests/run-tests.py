#!/usr/bin/env python3
"""Runs the tests of a build directory and counts their single cases.

    tests/run-tests.py BUILD [--seed N] [-j N] [--list] [PATTERN ...]

The tests are those that meson knows (registered with protocol: 'tap'), in an order
shuffled by the printed seed, which every test gets as ASC_TEST_SEED. Those that are not
parallel, or in a suite named "serial", run alone. Each has a fresh TMPDIR and HOME, no
display, no session bus and the sanitizers' settings. A case fails also by a crash, a time
out, a plan that is missing or not kept, a sanitizer's report (of any child as well), a
critical message of GLib, a file left in TMPDIR or a process left running.

A PATTERN is a part of "suite/name". ASC_TEST_TIMEOUT=X stretches every time limit.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
TAP_LINE = re.compile(r'(not ok|ok)\b\s*(\d*)\s*-?\s*([^#]*)(#\s*(skip|\w+)\S*\s*(.*))?$', re.I)
TAP_PLAN = re.compile(r'1\.\.(\d+)\s*(#\s*skip\S*\s*(.*))?$', re.I)
CRITICAL = re.compile(r'-(CRITICAL|ERROR) \*\*')
# What must not reach a test from the desktop of whoever runs it.
FORGET = ('DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XAUTHORITY',
          'AT_SPI_BUS_ADDRESS', 'GTK_THEME', 'GTK_MODULES', 'G_MESSAGES_DEBUG',
          'XDG_CURRENT_DESKTOP', 'XDG_SESSION_TYPE', 'LANGUAGE')


class Result:
    """What became of one test: (kind, name, note) a case; kind is pass, fail or skip."""

    def __init__(self, test):
        self.name = test['label']
        self.cases = []
        self.output = ''
        self.seconds = 0.0

    def add(self, kind, name, note=''):
        self.cases.append((kind, name, note))

    def count(self, kind):
        return sum(case[0] == kind for case in self.cases)


def parse_tap(text, result):
    """Adds the cases of a TAP stream; one more that failed if the stream is not whole."""
    plan = None
    seen = 0
    for line in text.splitlines():
        line = line.rstrip()
        if line.lower().startswith('bail out!'):
            result.add('fail', line)
            return
        match = TAP_PLAN.match(line)
        if match:
            if plan is not None:
                result.add('fail', 'a second plan: ' + line)
            plan = int(match.group(1))
            if plan == 0 and match.group(2):
                result.add('skip', 'all', match.group(3))
                return
            continue
        match = TAP_LINE.match(line)
        if not match:
            continue
        seen += 1
        ok, name = match.group(1).lower() == 'ok', match.group(3).strip()
        directive, note = (match.group(5) or '').lower(), (match.group(6) or '').strip()
        if directive == 'skip':
            # cmocka gives the name where others give the reason.
            result.add('skip', name or note, note if name else '')
        else:
            result.add('pass' if ok else 'fail', name or str(seen))
    if plan is None:
        result.add('fail', 'no plan ("1..N") in the output')
    elif plan == 0:
        result.add('fail', 'the plan names no case')
    elif plan != seen:
        result.add('fail', f'{plan} cases planned, {seen} reported')


def processes_with(mark):
    """Processes that carry this test's mark in their environment, whoever adopted them."""
    found = []
    for entry in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            if mark in (entry / 'environ').read_bytes().split(b'\0'):
                stat = (entry / 'stat').read_text().rpartition(')')[2].split()
                if stat[0] not in 'ZX':
                    found.append((int(entry.name), (entry / 'comm').read_text().strip()))
        except (OSError, IndexError):
            continue
    return found


def end_strays(mark, patience):
    """Waits for a test's processes to end, then ends them; returns the names of those."""
    end = time.monotonic() + patience
    strays = processes_with(mark)
    while strays and time.monotonic() < end:
        time.sleep(0.05)
        strays = processes_with(mark)
    for pid, _ in strays:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return [name for _, name in strays]


def environment(test, place, seed, build):
    env = {k: v for k, v in os.environ.items() if k not in FORGET}
    home = place / 'h'
    for name, folder in (('TMPDIR', place / 't'), ('HOME', home),
                         ('XDG_RUNTIME_DIR', place / 'r'),
                         ('XDG_CONFIG_HOME', home / 'config'),
                         ('XDG_CACHE_HOME', home / 'cache'),
                         ('XDG_STATE_HOME', home / 'state'),
                         ('XDG_DATA_HOME', home / 'share')):
        folder.mkdir(parents=True, mode=0o700)
        env[name] = str(folder)
    # Quoted, since blanks and colons part the options.
    reports = f'log_path="{place / "san"}"'
    suppressions = HERE / 'suppressions'
    env.update({
        'ASC_TEST_SEED': str(seed), 'ASC_TEST_MARK': str(place), 'LC_ALL': 'C.UTF-8',
        'ASC_BUILD_DIR': str(build), 'PYTHONDONTWRITEBYTECODE': '1',
        'G_SLICE': 'always-malloc', 'GSETTINGS_BACKEND': 'memory',
        'GSETTINGS_SCHEMA_DIR': str(build / 'data'), 'GDK_BACKEND': 'x11',
        'GSK_RENDERER': 'cairo', 'GDK_DISABLE': 'gl,vulkan', 'LIBGL_ALWAYS_SOFTWARE': '1',
        'NO_COLOR': '1',
        'ASAN_OPTIONS': f'{reports}:detect_leaks=1:strict_string_checks=1:'
                        'detect_stack_use_after_return=1:check_initialization_order=1',
        # Leaks are looked for under ASan's options; only the list has its own variable.
        'LSAN_OPTIONS': f'suppressions="{suppressions / "lsan.txt"}":print_suppressions=0',
        'UBSAN_OPTIONS': f'{reports}:print_stacktrace=1:halt_on_error=1',
        'TSAN_OPTIONS': f'{reports}:suppressions="{suppressions / "tsan.txt"}"',
    })
    env.update(test['env'])
    return env


def wait_group(process, seconds):
    """True if it ended by itself; else its whole group is ended."""
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        for sig in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sig)
                process.wait(2)
            except (OSError, subprocess.TimeoutExpired):
                continue
        return False


def run_test(test, place, seed, build, stretch):
    result = Result(test)
    place.mkdir()
    env = environment(test, place, seed, build)
    mark = f'ASC_TEST_MARK={place}'.encode()
    # meson's own 30 s, where a test asked for nothing else, is short beside other work.
    limit = 120 if test['timeout'] == 30 else test['timeout']
    limit = limit * stretch if limit > 0 else None
    started = time.monotonic()
    with open(place / 'out', 'wb') as out, open(place / 'err', 'wb') as err:
        try:
            process = subprocess.Popen(test['cmd'], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=err, env=env, start_new_session=True,
                                       cwd=test['workdir'] or build)
        except OSError as error:
            result.add('fail', f'cannot be started: {error}')
            return result
        in_time = wait_group(process, limit)
    result.seconds = time.monotonic() - started
    out = (place / 'out').read_text(errors='replace')
    err = (place / 'err').read_text(errors='replace')

    status = process.returncode
    if test['protocol'] == 'tap':
        parse_tap(out, result)
    elif status == 77:
        result.add('skip', 'all', (out.strip().splitlines() or [''])[-1])
    else:
        result.add('pass' if status == 0 else 'fail', f'exit status {status}')

    def failed(name):
        result.add('fail', name)

    if not in_time:
        failed(f'timed out after {limit:g} s')
    elif status < 0:
        failed(f'ended by {signal.Signals(-status).name}')
    elif status != 0 and not result.count('fail') and test['protocol'] == 'tap':
        failed(f'every case passed, but the exit status is {status}')
    strays = end_strays(mark, 2.0 if in_time else 0.0)
    if strays and in_time:
        failed('left running: ' + ', '.join(strays))
    left = sorted(str(p.relative_to(place / 't')) for p in (place / 't').rglob('*'))
    if left and in_time:
        failed('left in TMPDIR: ' + ', '.join(left[:8]))
    for report in sorted(place.glob('san.*')):
        text = report.read_text(errors='replace')
        failed('a sanitizer reported')
        result.output += text[:20000]
    if CRITICAL.search(err):
        failed('a critical message of GLib')
    result.output = '\n'.join(part for part in (out[-20000:], err[-20000:],
                                                result.output) if part.strip())
    shutil.rmtree(place, ignore_errors=True)
    return result


class Report:
    """The lines on the terminal; complete lines only, from several threads."""

    def __init__(self, total):
        self.lock = threading.Lock()
        self.results = []
        self.total = total

    def take(self, result):
        with self.lock:
            self.results.append(result)
            bad = [case for case in result.cases if case[0] == 'fail']
            skipped = result.count('skip')
            word = 'FAIL' if bad else 'ok' if result.count('pass') else 'skip'
            print(f'{len(self.results):3}/{self.total} {word:4} {result.name:40} '
                  f'{result.count("pass"):4} passed'
                  + (f', {len(bad)} failed' if bad else '')
                  + (f', {skipped} skipped' if skipped else '')
                  + f'  {result.seconds:.1f} s', flush=True)
            if bad:
                for _, name, _ in bad:
                    print(f'        failed: {name}')
                for line in result.output.splitlines():
                    print('        | ' + line)
                sys.stdout.flush()

    def close(self, seed):
        skips = [(r.name, c) for r in self.results for c in r.cases if c[0] == 'skip']
        for name, (_, case, note) in sorted(skips):
            print(f'skipped: {name}: {case}' + (f': {note}' if note else ''))
        slow = sorted(self.results, key=lambda r: -r.seconds)[:5]
        print('slowest: ' + ', '.join(f'{r.name} {r.seconds:.1f} s' for r in slow))
        for result in self.results:
            for _, case, _ in (c for c in result.cases if c[0] == 'fail'):
                print(f'failed: {result.name}: {case}')
        passed, failed, skipped = (sum(r.count(kind) for r in self.results)
                                   for kind in ('pass', 'fail', 'skip'))
        print(f'the order came from --seed {seed}')
        print(f'{passed} passed, {failed} failed, {skipped} skipped', flush=True)
        return 1 if failed or not passed else 0


def known_tests(build):
    text = subprocess.run(['meson', 'introspect', '--tests', str(build)], check=True,
                          stdout=subprocess.PIPE).stdout
    tests = json.loads(text)
    for test in tests:
        suite = [s.rpartition(':')[2] for s in test['suite']]
        test['serial'] = not test['is_parallel'] or 'serial' in suite
        suite = [s for s in suite if s != 'serial']
        name = test['name']
        test['label'] = f'{suite[0]}/{name.removeprefix(suite[0]).strip(" -")}' if suite else name
    return tests


def chosen(tests, patterns):
    return [t for t in tests
            if not patterns or any(fnmatch.fnmatch(t['label'], f'*{p}*') for p in patterns)]


def main():
    parser = argparse.ArgumentParser(description='Runs the tests of a build directory.')
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--seed', type=int, help='repeats an order')
    parser.add_argument('-j', '--jobs', type=int, default=min(os.cpu_count() or 1, 4))
    parser.add_argument('--list', action='store_true', help='names the tests')
    parser.add_argument('pattern', nargs='*', help='a part of "suite/name"')
    args = parser.parse_args()
    build = args.build.resolve()
    tests = chosen(known_tests(build), args.pattern)
    tests.sort(key=lambda t: t['label'])
    if args.list:
        print('\n'.join(t['label'] for t in tests))
        return 0
    seed = args.seed
    if seed is None:
        seed = int(os.environ.get('ASC_TEST_SEED') or random.SystemRandom().randrange(1, 2**31))
    stretch = float(os.environ.get('ASC_TEST_TIMEOUT') or 1)
    random.Random(seed).shuffle(tests)
    print(f'{len(tests)} tests, {args.jobs} at a time, order by --seed {seed}', flush=True)

    # Short, because a Unix socket's path has 108 bytes.
    base = pathlib.Path(tempfile.mkdtemp(prefix='asc'))
    report = Report(len(tests))
    places = {id(t): base / str(n) for n, t in enumerate(tests)}

    def run(test):
        try:
            report.take(run_test(test, places[id(test)], seed, build, stretch))
        except Exception as error:  # a fault of this runner is a failed case, never a hang
            result = Result(test)
            result.add('fail', f'the runner: {error!r}')
            report.take(result)
    try:
        with concurrent.futures.ThreadPoolExecutor(max(1, args.jobs)) as pool:
            list(pool.map(run, [t for t in tests if not t['serial']]))
        for test in (t for t in tests if t['serial']):
            run(test)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return report.close(seed)


if __name__ == '__main__':
    sys.exit(main())
