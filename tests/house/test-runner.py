#!/usr/bin/env python3
"""The test runner itself: it counts right, and nothing bad passes."""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

import house
import tap

BASE = {'workdir': None, 'timeout': 20, 'suite': ['aioscope:made'], 'is_parallel': True,
        'protocol': 'tap', 'env': {}}


def runner(tests, *args, **env):
    """Runs shell texts as tests; returns exit status and output."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        made = []
        for number, test in enumerate(tests):
            test = {'sh': test} if isinstance(test, str) else dict(test)
            script = test.pop('sh')
            made.append({**BASE, 'name': f't{number}', 'cmd': ['sh', '-c', script], **test})
        (folder / 'tests.json').write_text(json.dumps(made))
        meson = folder / 'bin' / 'meson'
        meson.parent.mkdir()
        meson.write_text(f'#!/bin/sh\ncat "{folder}/tests.json"\n')
        meson.chmod(0o755)
        result = house.run(sys.executable, house.ROOT / 'tests' / 'run-tests.py', folder, *args,
                           env={**os.environ, **env,
                                'PATH': f'{meson.parent}:{os.environ["PATH"]}'})
    return result.returncode, result.stdout


def last(output):
    return output.rstrip().rpartition('\n')[2]


def expect(tests, line, status, *words):
    got, output = runner(tests)
    tap.equal(last(output), line, output)
    tap.equal(got, status, output)
    for word in words:
        tap.check(word in output, word, 'is missing in:\n' + output)


@tap.case
def cases_are_counted_one_by_one():
    expect(['printf "1..3\\nok 1 - a\\nok 2 - b\\nok 3 # SKIP none here\\n"',
            'printf "ok 1\\n1..1\\n"'], '3 passed, 0 failed, 1 skipped', 0, 'none here')


@tap.case
def what_cmocka_prints_is_understood():
    expect(['printf "1..3\\nok 1 - a\\nnot ok 2 # SKIP b\\nnot ok 3 - c\\n# 0x1 != 0x2\\n'
            '# not ok - tests\\n"; exit 1'], '1 passed, 1 failed, 1 skipped', 1,
           'made/t0: c', '0x1 != 0x2')


@tap.case
def a_whole_test_can_be_skipped():
    expect(['echo 1..0 "# SKIP no board"', 'echo 1..1; echo ok'],
           '1 passed, 0 failed, 1 skipped', 0, 'no board')


@tap.case
def nothing_run_is_a_failure():
    expect([], '0 passed, 0 failed, 0 skipped', 1)
    expect(['echo 1..0 "# SKIP no board"'], '0 passed, 0 failed, 1 skipped', 1)


@tap.case
def a_broken_plan_fails():
    expect(['echo ok 1'], '1 passed, 1 failed, 0 skipped', 1, 'no plan')
    expect(['echo 1..2; echo ok 1'], '1 passed, 1 failed, 0 skipped', 1, '2 cases planned')
    expect(['echo 1..1; echo ok 1; echo ok 2'], '2 passed, 1 failed, 0 skipped', 1)
    expect(['true'], '0 passed, 1 failed, 0 skipped', 1)
    expect(['echo 1..0'], '0 passed, 1 failed, 0 skipped', 1)
    expect(['echo 1..1; echo ok; echo Bail out! no more'], '1 passed, 1 failed, 0 skipped', 1)


@tap.case
def a_crash_fails():
    expect(['echo 1..1; echo ok; kill -SEGV $$'], '1 passed, 1 failed, 0 skipped', 1, 'SIGSEGV')
    expect(['echo 1..1; echo ok; exit 3'], '1 passed, 1 failed, 0 skipped', 1, 'status is 3')
    expect([{'sh': '', 'cmd': ['/nonexistent/program']}], '0 passed, 1 failed, 0 skipped', 1)


@tap.case
def a_time_out_fails_and_ends_its_children():
    expect([{'sh': 'echo 1..1; echo ok; sleep 100 & sleep 100', 'timeout': 1}],
           '1 passed, 1 failed, 0 skipped', 1, 'timed out')


@tap.case
def a_sanitizer_report_of_a_child_fails():
    report = ('p=${ASAN_OPTIONS#*log_path=\\"}; p=${p%%\\"*}; echo the bad news >$p.123; '
              'echo 1..1; echo ok')
    expect([report], '1 passed, 1 failed, 0 skipped', 1, 'a sanitizer reported', 'the bad news')


@tap.case
def a_true_overflow_is_reported():
    compiler = shutil.which('cc') or tap.skip('no compiler')
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / 'a.c', pathlib.Path(folder) / 'a'
        source.write_text('#include <stdlib.h>\nint main (int n, char **v)\n{ (void) v;'
                          ' volatile char *p = malloc (1); return p[n + 1]; }\n')
        built = house.run(compiler, '-g', '-fsanitize=address', source, '-o', program)
        if built.returncode:
            tap.skip('no AddressSanitizer here')
        expect([f'"{program}" || :; echo 1..1; echo ok'], '1 passed, 1 failed, 0 skipped', 1,
               'heap-buffer-overflow')


@tap.case
def a_critical_message_fails():
    expect(['echo 1..1; echo ok; echo "(process:1): GLib-CRITICAL **: no" >&2'],
           '1 passed, 1 failed, 0 skipped', 1, 'critical message')


@tap.case
def what_is_left_behind_fails():
    expect(['echo 1..1; echo ok; mkdir $TMPDIR/d; touch $TMPDIR/d/f'],
           '1 passed, 1 failed, 0 skipped', 1, 'left in TMPDIR: d, d/f')
    # Until it runs: a process that is about to is not known by its environment.
    expect(['echo 1..1; echo ok; setsid sleep 60 >/dev/null 2>&1 & '
            'until grep -q sleep /proc/$!/comm && grep -q . /proc/$!/environ; do :; done'],
           '1 passed, 1 failed, 0 skipped', 1, 'left running: sleep')


@tap.case
def exit_codes_count_as_one_case():
    plain = {'protocol': 'exitcode'}
    expect([{'sh': 'exit 0', **plain}, {'sh': 'exit 1', **plain},
            {'sh': 'echo reason; exit 77', **plain}],
           '1 passed, 1 failed, 1 skipped', 1, 'reason')


@tap.case
def the_desktop_does_not_reach_a_test():
    code, output = runner(['[ -z "$DISPLAY$DBUS_SESSION_BUS_ADDRESS" ] && echo 1..1 && echo ok'],
                          DISPLAY=':7', DBUS_SESSION_BUS_ADDRESS='unix:path=/none')
    tap.equal(code, 0, output)


@tap.case
def every_test_gets_the_seed_and_a_home_of_its_own():
    code, output = runner(['[ $ASC_TEST_SEED = 77 ] && [ -d $HOME ] && echo 1..1 && echo ok'],
                          '--seed', '77')
    tap.equal(code, 0, output)


@tap.case
def the_seed_repeats_the_order():
    tests = ['echo 1..1; echo ok'] * 9

    def order(seed):
        return re.findall(r'made/t\d', runner(tests, '-j1', '--seed', seed)[1])[:9]
    tap.equal(order('5'), order('5'))
    tap.check(any(order('5') != order(seed) for seed in '6789'))


@tap.case
def serial_tests_run_alone():
    with tempfile.TemporaryDirectory() as folder:
        alone = (f'mkdir "{folder}/busy" || exit 1; sleep 0.2; rmdir "{folder}/busy"; '
                 'echo 1..1; echo ok')
        expect([{'sh': alone, 'is_parallel': False},
                {'sh': alone, 'suite': ['aioscope:made', 'aioscope:serial']},
                {'sh': alone, 'is_parallel': False}], '3 passed, 0 failed, 0 skipped', 0)


@tap.case
def a_pattern_chooses():
    tests = [{'sh': 'echo 1..1; echo ok', 'name': name} for name in ('alpha', 'beta')]
    code, output = runner(tests, 'made/al')
    tap.equal((code, last(output)), (0, '1 passed, 0 failed, 0 skipped'))


tap.main()
