"""The MicroPython module on an emulated Cortex-M3: instructions, heap, and the trace that came.

    test-m3-micropython.py AIOSCOPE_CLI AIOSCOPE_CLI FOLDER

FOLDER is what fetch-source.sh made. The figures are nearly the same in every run.
"""

import pathlib
import shutil
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'e2e'))

import e2e
import tap

import port

# What the README of src/device promises, in a pass of the loop but for the heap.
LIMITS = {'heap-task': 16, 'heap-start': 10500, 'imported': 300, 'hooks': 500, 'sent': 800}


def emulate(folder):
    """The lines of m3_bench.py as {name: figure}; the trace goes to a file."""
    trace = e2e.TEMP / 'm3.wire'
    process = subprocess.Popen(
        ['qemu-system-arm', '-machine', 'mps2-an385', '-display', 'none', '-monitor', 'none',
         '-semihosting', '-icount', 'shift=0', '-serial', 'stdio', '-serial', f'file:{trace}',
         '-kernel', port.program(folder, 'm3')],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # It does not end by itself.
    alarm = threading.Timer(90, process.kill)
    alarm.start()
    process.stdin.write(b'import m3_bench; m3_bench.main()\r\n')
    process.stdin.flush()
    output = b''
    for line in process.stdout:
        output += line
        if line.startswith(b'm3 end'):
            break
    alarm.cancel()
    process.kill()
    process.communicate()
    lines = (line.split() for line in output.decode(errors='replace').splitlines())
    return {words[1]: int(words[2]) for words in lines if words[:1] == ['m3']}, trace, output


@tap.case
def costs_what_is_promised():
    if not shutil.which('qemu-system-arm'):
        tap.skip('qemu-system-arm is not installed')
    figures, trace, output = emulate(sys.argv[3])
    tap.check('end' in figures, output.decode(errors='replace'))
    plain = figures['plain']
    for name, value in figures.items():
        print(f'# {name} {value}', value - plain if name in ('imported', 'hooks', 'sent') else '')
    for name, limit in LIMITS.items():
        value = figures[name] - (0 if name.startswith('heap') else plain)
        tap.check(0 < value <= limit, name, value, 'of', limit)
    tap.equal(figures['lost'], 0)
    # 4 tasks of 1000 passes, and the one that gathers them.
    table = e2e.stats(trace)
    tap.equal((int(table['m3_bench.zero']['runs']), int(table['m3_bench.zero']['instances'])),
              (4004, 4))
    tap.equal(int(table['m3_bench.four']['runs']), 2)


if not port.missing(sys.argv[3], 'm3'):
    tap.main()
