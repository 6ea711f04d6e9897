#!/usr/bin/env python3
"""Builds what a board takes for a Cortex-M0, freestanding: size, stack and no division.

    board-build.py COMPILER CRC.c ENCODER.c FRAMES.c

COMPILER is arm-none-eabi-gcc, or empty where it is missing: then the test is skipped.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

STACK_MOST = 128    # bytes in one function
SUM_MOST = 256      # of asc_encoder_event and whatever it may call
TEXT_MOST = {'': 4800, '-DASC_CRC_SMALL': 3800}
FLAGS = ['-mcpu=cortex-m0', '-mthumb', '-Os', '-std=c99', '-ffreestanding', '-Wall', '-Wextra',
         '-Werror', f'-Wstack-usage={STACK_MOST}', '-fstack-usage']


def build(compiler, sources, option, where):
    for source in sources:
        target = where / (pathlib.Path(source).stem + '.o')
        subprocess.run([compiler, *FLAGS, *filter(None, [option]), '-c', source, '-o', target],
                       check=True)
    size = compiler.replace('gcc', 'size')
    nm = compiler.replace('gcc', 'nm')
    objects = sorted(where.glob('*.o'))
    lines = subprocess.run([size, *objects], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in lines.splitlines()[1:]]
    text, data = (sum(int(row[i]) for row in rows) for i in (0, 1))
    bss = sum(int(row[2]) for row in rows)
    undefined = subprocess.run([nm, '-u', *objects], check=True, capture_output=True,
                               text=True).stdout
    undefined = sorted(set(re.findall(r' U (\w+)', undefined)))
    stack = {}
    for usage in where.glob('*.su'):
        for line in usage.read_text().splitlines():
            place, used, kind = line.split('\t')
            assert kind == 'static', line
            stack[place.rsplit(':', 1)[1]] = int(used)
    return text, data + bss, undefined, stack


def case(number, name, good, note=''):
    print(f'{"ok" if good else "not ok"} {number} - {name}', flush=True)
    if note:
        print(f'# {note}', flush=True)
    return good


def main():
    compiler, *sources = sys.argv[1:]
    if not compiler:
        print('1..0 # SKIP arm-none-eabi-gcc is missing')
        return 0
    print('1..4')
    good = True
    for number, option in enumerate(('', '-DASC_CRC_SMALL')):
        with tempfile.TemporaryDirectory() as name:
            text, memory, undefined, stack = build(compiler, sources, option,
                                                   pathlib.Path(name))
        good &= case(2 * number + 1, f'size {option}'.strip(),
                     text <= TEXT_MOST[option] and memory == 0,
                     f'{text} bytes of code and tables, {memory} of memory')
        calls = [name for name in undefined if re.search('div|mod|malloc|free', name)]
        deepest = stack['asc_encoder_event'] + sum(
            sorted(used for name, used in stack.items()
                   if not name.startswith('asc_enc'))[-4:])
        good &= case(2 * number + 2, f'stack and calls {option}'.strip(),
                     not calls and deepest <= SUM_MOST,
                     f'at most {max(stack.values())} bytes of stack in one function, '
                     f'{deepest} in all for an event; calls {" ".join(undefined)}')
    return 0 if good else 1


if __name__ == '__main__':
    os.environ['LC_ALL'] = 'C'
    sys.exit(main())
