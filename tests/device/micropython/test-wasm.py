"""The recorder in pure Python in MicroPython for WebAssembly: programs that keep their own truth. There
times are of 30 bits, no machine code is compiled, and the event loop is JavaScript's.

    test-wasm.py AIOSCOPE_CLI AIOSCOPE_CLI FOLDER

FOLDER is where fetch-wasm.sh was.
"""

import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'e2e'))

import e2e
import tap

import port
from played import Played, check, read_truth, tasks_of, values

WASM = pathlib.Path(sys.argv[3]) / 'wasm'
OLDEST = 20     # of node; what was tried


def missing():
    if not (WASM / 'version').exists():
        return f'no MicroPython for WebAssembly in {WASM} (fetch-wasm.sh)'
    if not shutil.which('node'):
        return 'node is not installed'
    version = e2e.run('node', '--version').decode().strip()
    if int(re.match(r'v(\d+)', version)[1]) < OLDEST:
        return f'node {version} is too old; {OLDEST} is known to do'
    return None


def play(script):
    truth, trace = e2e.TEMP / f'{script}.truth', e2e.TEMP / f'{script}.wire'
    done = subprocess.run(['node', HERE / 'wasm.mjs', WASM, port.MODULES, HERE / 'board', script,
                           trace, truth], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=e2e.LIMIT, text=True, check=False)
    tap.equal(done.returncode, 0, done.stdout)
    tap.equal(done.stdout.split(), ['aioscope_py.run'])
    return Played(e2e.cat(trace), read_truth(truth), '', b'', trace, 2**30)


@tap.case
def nested_awaits_exceptions_and_spans():
    played = play('nested')
    check(played)
    tap.equal(values(played, 'mark'), ['begin', 'value=-123456789012', 'caught'])
    tap.equal(values(played, 'counter'), [f'heap={value}' for value in
                                          (1 << 40, (1 << 63) - 1, -1 << 63, -1, 1 << 31)])
    tap.equal(sorted(values(played, 'span-end')), ['decorated', 'decorated', 'one', 'two'])
    tap.equal(tasks_of(played, 'exit', 'raise'), ['fails'])
    tap.check(any(line.kind == 'idle' for line in played.lines), 'no idle')


@tap.case
def five_hundred_short_tasks():
    played = play('many')
    check(played)
    tap.equal(len(tasks_of(played, 'exit', 'return')), 501)


@tap.case
def a_storm_of_cancellations():
    played = play('cancel')
    check(played)
    tap.equal(values(played, 'end'), ['cancelled'] * 6)
    tap.equal(tasks_of(played, 'exit', 'cancel').count('sleeper'), 72)


@tap.case
def tells_itself():
    played = play('nested')
    session = e2e.info(played.path)['sessions'][0]
    tap.equal((session['recorder'], session['program']), ('pure Python', 'nested'))
    # Its clock goes by whole milliseconds.
    tap.equal((session['counter_bits'], session['tick_step_ns']), (30, 1000000))
    tap.check(500 < session['cost_ns'] < 1000000, session['cost_ns'])


reason = missing()
if reason:
    print('1..0 # SKIP', reason)
else:
    tap.main()
