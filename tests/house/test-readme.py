#!/usr/bin/env python3
"""The README's firmware example is compiled, run, and what it sends is decoded."""

import os
import pathlib
import re
import shutil
import sys
import tempfile

import house
import tap

# The board around the example: a clock, a port to the standard output, two seconds of work.
BOARD = r'''
#include <stdio.h>
static uint32_t clock_us = 4294000000u; /* wraps after a second */
uint32_t board_micros (void *user) { (void)user; return clock_us; }
size_t board_send (void *user, const uint8_t *bytes, size_t n)
{ (void)user; return fwrite (bytes, 1, n, stdout); }
static void step (void) { clock_us += 250; }
static void nap (void) { clock_us += 9750; }
int main (void)
{
  trace_begin (1);
  for (int i = 0; i < 200; i++)
    {
      trace_blink (step);
      trace_idle (nap);
    }
  asc_recorder_flush (&rec, board_send, NULL);
  return 0;
}
'''
README = (house.ROOT / 'README.md').read_text()
EXAMPLE = '\n'.join(re.findall(r'```c\n(.*?)```', README, re.S))
INCLUDE = [f'-I{house.ROOT}/src/wire', f'-I{house.ROOT}/src/device']


def sources():
    """The files that the README says to add."""
    device = sorted((house.ROOT / 'src/device').glob('*.c'))
    wire = [house.ROOT / 'src/wire' / name
            for name in re.findall(r'`(asc-[a-z-]+\.c)`', README)]
    tap.check(device and wire)
    return device + wire


@tap.case
def it_compiles_for_a_board():
    compiler = shutil.which('arm-none-eabi-gcc') or tap.skip('no arm-none-eabi-gcc')
    with tempfile.TemporaryDirectory() as folder:
        example = pathlib.Path(folder, 'example.c')
        example.write_text(EXAMPLE)
        for source in [example, *sources()]:
            result = house.run(compiler, '-mcpu=cortex-m0', '-mthumb', '-ffreestanding', '-Os',
                               '-std=c99', '-Wall', '-Werror', *INCLUDE, '-c', source,
                               '-o', pathlib.Path(folder, 'o'))
            tap.equal(result.returncode, 0, result.stdout)


@tap.case
def what_it_sends_is_right():
    compiler = shutil.which('cc') or tap.skip('no compiler')
    with tempfile.TemporaryDirectory() as folder:
        example, program = pathlib.Path(folder, 'example.c'), pathlib.Path(folder, 'example')
        example.write_text(EXAMPLE + BOARD)
        result = house.run(compiler, '-std=c99', '-Wall', '-Wextra', '-Werror', *INCLUDE,
                           example, *sources(), '-o', program)
        tap.equal(result.returncode, 0, result.stdout)
        stream = pathlib.Path(folder, 'stream')
        house.run('sh', '-c', f'"{program}" >"{stream}"')
        text = house.run(sys.executable, house.ROOT / 'tests/wire/asc_decode.py', stream,
                         '--wire', env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'}).stdout
        kinds = [line.split()[0] for line in text.splitlines() if line.strip()]
        tap.equal(kinds.count('enter'), 200, text[:3000])
        tap.check('blink' in text and 'blinky' in text and 'my board' in text, text[:3000])
        tap.check(not {'skip', 'gap', 'lost'} & set(kinds), text[:3000])
        cli = house.BUILD / 'src' / 'cli' / 'aioscope-cli'
        if cli.exists():
            table = house.run(cli, 'stats', stream, '--csv').stdout
            tap.check(re.search(r'^"?main\.blink"?,1,200,', table, re.M), table)


tap.main()
