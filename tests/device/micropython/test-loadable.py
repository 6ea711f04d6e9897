"""The C module as a file _aioscope.mpy: made for every processor that is promised, and of what size.

    test-loadable.py FOLDER

FOLDER is what fetch-source.sh made. Whether the files of two of them record is tested by test-unix.py
(x64) and test-m3-schedules.py (armv7m).
"""

import sys

import tap

import port

FOLDER = sys.argv[1]
# The number of each in the head of a file, and what the README of src/device promises, in bytes.
PROCESSORS = {'x64': (2, 35000), 'armv6m': (4, 30000), 'armv7m': (5, 28000), 'armv7emsp': (7, 28000),
              'rv32imc': (11, 34000)}
VERSION = (6, 3)


def is_made(name):
    path, missing = port.build(FOLDER, name)
    if missing:
        tap.skip(missing.splitlines()[-1])
    number, most = PROCESSORS[name]
    made = path.read_bytes()
    print(f'# {name} {len(made)} bytes')
    # Magic, version, and features: the lowest two bits are the version of native code.
    tap.equal((made[:1], made[1], made[2] & 3, made[2] >> 2), (b'M', *VERSION, number))
    tap.check(20000 < len(made) <= most, len(made), 'of', most)


if not port.missing(FOLDER, 'x64'):
    for processor in PROCESSORS:
        tap.add(processor, is_made, processor)
    tap.main()
