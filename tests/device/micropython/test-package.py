"""The recorder in pure Python as a package of mip's, and the parts of it that no program of board/
reaches.

    test-package.py FOLDER

FOLDER is what fetch-source.sh made.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

import port

FOLDER = sys.argv[1]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGE = json.loads((port.MODULES / 'package.json').read_text())


def run(program, *paths):
    start = port.debian(FOLDER)
    if not start:
        tap.skip(f"no MicroPython of Debian's in {FOLDER}")
    env = {**os.environ, 'MICROPYPATH': ':'.join(map(str, (*paths, '.frozen')))}
    done = subprocess.run([*start, '-c', program], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=60,
                          text=True, check=False)
    tap.equal(done.returncode, 0, done.stdout)
    return done.stdout


@tap.case
def names_every_file_once():
    files = sorted(str(path.relative_to(port.MODULES))
                   for path in (port.MODULES / 'aioscope.py',
                                *port.MODULES.glob('aioscope_py/*.py')))
    tap.equal(sorted(target for target, _ in PACKAGE['urls']), files)
    # Relative to package.json: mip takes them from where that came from.
    tap.equal([url for target, url in PACKAGE['urls']], [target for target, _ in PACKAGE['urls']])


@tap.case
def has_the_version_of_the_project():
    version = re.search(r"version: '([^']*)'", (ROOT / 'meson.build').read_text())[1]
    tap.equal(PACKAGE['version'], version)


@tap.case
def what_it_names_runs():
    with tempfile.TemporaryDirectory() as folder:
        for target, url in PACKAGE['urls']:
            path = pathlib.Path(folder) / target
            path.parent.mkdir(exist_ok=True)
            path.write_bytes((port.MODULES / url).read_bytes())
        said = run('import asyncio, aioscope\n'
                   f'aioscope.start(open("{folder}/trace", "wb"))\n'
                   'async def main(): await asyncio.sleep_ms(1)\n'
                   'asyncio.run(main())\n'
                   'print(aioscope.__file__, aioscope.stats()["events"])', folder)
        tap.equal(said.split()[0], f'{folder}/aioscope.py')
        tap.check(int(said.split()[1]) >= 5, said)


# Words that each file of the recorder has for itself, since MicroPython folds only a module's own.
@tap.case
def shared_words_are_the_same_everywhere():
    values = {}
    for path in port.MODULES.glob('aioscope_py/*.py'):
        for name, value in re.findall(r'^(_\w+) = const\(([^)]*)\)', path.read_text(), re.M):
            values.setdefault(name, {}).setdefault(value, []).append(path.name)
    tap.nothing((name, found) for name, found in values.items() if len(found) > 1)
    tap.check(len(values) > 30, values)


@tap.case
def the_firmware_s_checks_are_ours():
    said = run('import os\n'
               'from binascii import crc32\n'
               'from aioscope_py import fast, send\n'
               'print(hex(send.own_crc32(b"123456789")))\n'
               'for n in (0, 1, 13, 243):\n'
               '    frame = bytearray(os.urandom(8) + os.urandom(n) + bytes(4))\n'
               '    frame[2] = n\n'
               '    ours = bytearray(frame)\n'
               '    assert fast.seal(frame, 0) == send.firmware_seal(ours, 0) == n + 12\n'
               '    assert frame == ours\n'
               '    assert send.own_crc32(frame[:n + 8]) == crc32(frame[:n + 8])\n',
               port.MODULES)
    tap.equal(said.strip(), '0xcbf43926')


tap.main()
