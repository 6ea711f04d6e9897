#!/usr/bin/env python3
"""The other compiler: every file of ours passes clang with the warnings of the build."""

import concurrent.futures
import json
import os
import re
import shlex
import shutil

import house
import tap

CLANG = shutil.which('clang')
LAUNCHERS = {'ccache', 'sccache', 'distcc'}
# What belongs to one compiler or to writing an object file.
DROP = re.compile(r'-(c|M\w*|Winvalid-pch|fsanitize=.*|fno-omit-frame-pointer|fdiagnostics-color.*|Werror)$')
DROP_WITH_VALUE = {'-o', '-MQ', '-MF', '-MT'}


def commands():
    """Per folder: the clang command of each file that the build compiles."""
    found = {}
    for entry in json.loads((house.BUILD / 'compile_commands.json').read_text()):
        source = (house.BUILD / entry['file']).resolve()
        if house.ROOT not in source.parents or house.BUILD in source.parents:
            continue
        words = shlex.split(entry['command'])
        # A launcher such as ccache may stand before the compiler.
        kept, words = [], iter(words[2 if os.path.basename(words[0]) in LAUNCHERS else 1:])
        for word in words:
            if word in DROP_WITH_VALUE:
                next(words)
            elif not DROP.match(word) and word != entry['file']:
                kept.append(word)
        command = (CLANG, '-fsyntax-only', '-Werror', '-Wno-unknown-warning-option', *kept,
                   str(source))
        found.setdefault(house.short(source.parent), set()).add(command)
    return found


def compiles(folder, lines):
    if not CLANG:
        tap.skip('clang is not installed')
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda line: house.run(*line, cwd=house.BUILD), sorted(lines))
        tap.nothing(result.stdout for result in results if result.returncode)


for name, entries in sorted(commands().items()):
    tap.add(name, compiles, name, entries)

tap.main()
