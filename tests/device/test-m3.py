"""The recorder on the processors of boards: instructions counted on an emulated Cortex-M3,
sizes and stack for a Cortex-M3 and a Cortex-M0. Every figure is the same in every run.

    test-m3.py SOURCE_ROOT
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tap

ROOT = pathlib.Path(sys.argv[1])
HERE = ROOT / 'tests' / 'device' / 'm3'
PREFIX = 'arm-none-eabi-'
WIRE = ['asc-crc.c', 'asc-encoder.c', 'asc-frames.c']
SOURCES = [ROOT / 'src' / 'wire' / name for name in WIRE]
SOURCES += sorted((ROOT / 'src' / 'device').glob('*.c'))
FLAGS = ['-mthumb', '-Os', '-std=c99', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-ffreestanding',
         '-ffunction-sections', '-fdata-sections', '-I', str(HERE),
         '-I', str(ROOT / 'src' / 'wire'), '-I', str(ROOT / 'src' / 'device'),
         '-DASC_PORT_FILE="m3-port.h"']
# What the README of src/device promises: instructions, bytes.
LIMITS = {'run-hooks': 150, 'run-late-hooks': 150, 'idle-hooks': 150, 'run-full-ring': 150,
          'run-all': 400, 'run-late-all': 400, 'idle-all': 400, 'ram-recorder': 1400}
CODE_LIMIT = 14336
HOOK_STACK = 80
DRAIN_STACK = 1024


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            tap.skip(f'{tool} is not installed')


def run(*command, seconds=120):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=seconds, text=True, check=False)
    tap.check(done.returncode == 0, command[0], done.stdout)
    return done.stdout


@tap.case
def counts_instructions_on_a_cortex_m3():
    need(PREFIX + 'gcc', 'qemu-system-arm')
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'm3.elf')
        run(PREFIX + 'gcc', '-mcpu=cortex-m3', *FLAGS, '-DASC_CRC_BOARD', '-Wl,--gc-sections',
            '-nostdlib', '-T', str(HERE / 'm3.ld'), '-o', program, str(HERE / 'm3.c'),
            *map(str, SOURCES), '-lgcc')
        text = run('qemu-system-arm', '-machine', 'mps2-an385', '-icount', 'shift=0',
                   '-display', 'none', '-monitor', 'none', '-serial', 'stdio',
                   '-semihosting', '-kernel', program)
    figures = {name: int(value) for name, value in
               (line.split() for line in text.splitlines() if re.fullmatch(r'[\w-]+ \d+', line))}
    for name, value in figures.items():
        print(f'# {name} {value}')
    for name, limit in LIMITS.items():
        tap.check(name in figures, name, 'is missing:', text)
        tap.check(0 < figures[name] <= limit, name, figures[name], 'of', limit)
    tap.check(figures['bytes'] > 100000, text)


def compile_all(folder, *flags):
    objects = []
    for source in SOURCES:
        target = os.path.join(folder, source.name + '.o')
        run(PREFIX + 'gcc', *flags, *FLAGS, '-c', str(source), '-o', target)
        objects.append(target)
    return objects


def code_size(objects):
    lines = run(PREFIX + 'size', '-t', *objects).splitlines()
    text, data, bss = (int(field) for field in lines[-1].split()[:3])
    tap.equal((data, bss), (0, 0), 'static variables')
    return text


def deepest(folder, entry):
    """The most stack that a call of entry takes, from gcc's call graph; calls through
    pointers (the port's own functions) are not in it."""
    frame, calls = {}, {}
    for path in pathlib.Path(folder).glob('*.ci'):
        text = path.read_text()
        for title, label in re.findall(r'node: \{ title: "([^"]*)" label: "([^"]*)"', text):
            size = re.search(r'(\d+) bytes \((static|dynamic,bounded)\)', label)
            if size:
                frame[title] = int(size.group(1))
        for source, target in re.findall(r'sourcename: "([^"]*)" targetname: "([^"]*)"', text):
            calls.setdefault(source, set()).add(target)

    def depth(name, above):
        tap.check(name not in above, 'recursion at', name)
        below = [depth(target, above | {name}) for target in calls.get(name, ())
                 if target != '__indirect_call']
        return frame.get(name, 0) + max(below, default=0)

    tap.check(entry in frame, entry, 'is not there')
    return depth(entry, frozenset())


def check_build(name, crc, *flags):
    need(PREFIX + 'gcc', PREFIX + 'size')
    with tempfile.TemporaryDirectory() as folder:
        objects = compile_all(folder, *flags, crc, '-fcallgraph-info=su')
        size = code_size(objects)
        hooks = max(deepest(folder, 'asc_recorder_' + hook) for hook in
                    ['enter_late', 'exit', 'idle_end', 'task_start', 'text', 'counter'])
        drain = max(deepest(folder, 'asc_recorder_' + call) for call in ['drain', 'flush', 'stop'])
    print(f'# {name}: code {size} bytes, stack of a hook {hooks}, of the drain {drain}')
    tap.check(size <= CODE_LIMIT, 'code', size)
    tap.check(hooks <= HOOK_STACK, 'stack of a hook', hooks)
    tap.check(drain <= DRAIN_STACK, 'stack of the drain', drain)


@tap.case
def builds_freestanding_for_cortex_m3():
    check_build('Cortex-M3', '-DASC_CRC_BOARD', '-mcpu=cortex-m3')


@tap.case
def builds_freestanding_for_cortex_m0():
    check_build('Cortex-M0', '-DASC_CRC_SMALL', '-mcpu=cortex-m0')


tap.main()
