"""The MicroPython module on an emulated Cortex-M3, in the firmware and as a file, and the recorder in
pure Python: instructions, heap, and the trace that came.

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

# What the README of src/device promises: bytes of the heap; instructions added to a pass of the
# loop (imported, hooks, sent), and to a task that is made, runs once and ends.
LIMITS = {
    'c': {'heap-task': 16, 'heap-start': 10500, 'imported': 75, 'hooks': 150, 'sent': 400,
          'task': 4000},
    'loadable': {'heap-import': 28000, 'heap-task': 16, 'heap-start': 10500, 'imported': 130,
                 'hooks': 250, 'sent': 470, 'task': 7000},
    'python': {'heap-task': 48, 'heap-start': 8500, 'imported': 2000, 'hooks': 3200, 'sent': 4500,
               'task': 62000},
    'bytecode': {'heap-task': 48, 'heap-start': 8500, 'imported': 3700, 'hooks': 12000,
                 'sent': 14000, 'task': 170000},
}
FILES_BYTES = 36000     # of the heap, when all is imported from files

# A file system that holds what the test sends.
FILES = r'''
class Files:
    def mount(self, *_):
        pass

    def stat(self, path):
        if path.lstrip("/") in files:
            return (0x8000,) + (0,) * 9
        if path.lstrip("/") == "aioscope_py":
            return (0x4000,) + (0,) * 9
        raise OSError(2)

    def open(self, path, mode):
        return io.BytesIO(files[path.lstrip("/")])

vfs.mount(Files(), "/files")
sys.path[:] = ["/files", ".frozen"]
asyncio.sleep_ms
gc.collect()
before = gc.mem_alloc()
import aioscope_py
sys.modules["_aioscope"] = aioscope_py
import aioscope
gc.collect()
print("m3 heap-files", gc.mem_alloc() - before)
print("m3 machine-code", int(aioscope_py.short.__name__ == "aioscope_py.fast"))
print("m3 end", 0)
'''


def emulate(*lines, target='m3'):
    """The figures that these lines print, {name: figure}; where the trace is; the output."""
    trace = e2e.TEMP / 'm3.wire'
    process = subprocess.Popen(
        ['qemu-system-arm', '-machine', 'mps2-an385', '-display', 'none', '-monitor', 'none',
         '-semihosting', '-icount', 'shift=0', '-serial', 'stdio', '-serial', f'file:{trace}',
         '-kernel', port.program(sys.argv[3], target)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # It does not end by itself.
    alarm = threading.Timer(90, process.kill)
    alarm.start()

    def send():
        for line in lines:
            process.stdin.write(line.encode() + b'\r\n')
            process.stdin.flush()
    sender = threading.Thread(target=send)
    sender.start()
    output = b''
    for line in process.stdout:
        output += line
        if line.startswith(b'm3 end'):
            break
    sender.join()
    alarm.cancel()
    process.kill()
    process.communicate()
    words = [line.split() for line in output.decode(errors='replace').splitlines()]
    figures = {line[1]: int(line[2]) for line in words if line[:1] == ['m3']}
    tap.check('end' in figures, output.decode(errors='replace')[-3000:])
    for name, value in figures.items():
        print(f'# {name} {value}')
    return figures, trace


def costs_what_is_promised(kind):
    lines, target = [], 'm3'
    if kind == 'loadable':
        lines = port.sent({'_aioscope.mpy': port.program(sys.argv[3], 'armv7m')})
        target = 'm3-plain'
    figures, trace = emulate(*lines, f'import m3_bench; m3_bench.main({kind!r})', target=target)
    for name, limit in LIMITS[kind].items():
        tap.check(0 < figures[name] <= limit, name, figures[name], 'of', limit)
    tap.equal(figures['lost'], 0)
    if kind in ('c', 'loadable'):   # thousandths of one a pass; what is there is of the loop's begin and end
        for name in ('imported', 'hooks', 'sent'):
            tap.check(figures[name + '-allocations'] <= 5, name, 'allocates')
    # 4 tasks of 1000 passes, and the one that gathers them; and 500 that are short.
    table = e2e.stats(trace)
    module = 'm3_bench.' if kind in ('c', 'loadable') else ''
    runs = {name: (int(table[module + name]['runs']), int(table[module + name]['instances']))
            for name in ('zero', 'four', 'short')}
    tap.equal(runs, {'zero': (4004, 4), 'four': (2, 1), 'short': (500, 500)})


def takes_the_memory_that_is_promised():
    lines = ['import asyncio, gc, io, sys, vfs', 'files = {}']
    for path in (port.MODULES / 'aioscope.py', *sorted(port.MODULES.glob('aioscope_py/*.py'))):
        name = str(path.relative_to(port.MODULES))
        lines.append(f'files[{name!r}] = {path.read_bytes()!r}')
    figures, _ = emulate(*lines, f'exec({FILES!r})')
    tap.equal(figures['machine-code'], 1)
    tap.check(20000 < figures['heap-files'] <= FILES_BYTES, figures)


if not port.missing(sys.argv[3], 'm3'):
    if shutil.which('qemu-system-arm'):
        for one in LIMITS:
            if one == 'loadable' and any(port.missing(sys.argv[3], t) for t in ('m3-plain', 'armv7m')):
                continue
            tap.add(f'{one}: costs what is promised', costs_what_is_promised, one)
        tap.case(takes_the_memory_that_is_promised)
        tap.main()
    else:
        print('1..0 # SKIP qemu-system-arm is not installed')
