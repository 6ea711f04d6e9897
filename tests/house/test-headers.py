#!/usr/bin/env python3
"""Every header compiles alone, as C11, and the board's as C99 too."""

import json
import os
import re
import shlex
import tempfile

import house
import tap

KEEP = ('-I', '-D', '-isystem', '-pthread')


def flags_by_folder():
    """The include paths and definitions that meson gives each folder's files."""
    flags, everything = {}, []
    entries = json.loads((house.BUILD / 'compile_commands.json').read_text())
    for entry in entries:
        source = (house.BUILD / entry['file']).resolve()
        words = iter(shlex.split(entry['command']))
        compiler = flags.setdefault(source.parent, [next(words)])
        for word in words:
            if word in ('-I', '-isystem', '-D'):
                word = word + next(words)
            if word.startswith(KEEP):
                compiler += [word] * (word not in compiler)
                # One value of each macro: files may be compiled for several versions of GTK.
                macro = word.partition('=')[0] if word.startswith('-D') else word
                if macro not in (known.partition('=')[0] for known in everything):
                    everything.append(word)
    return flags, everything


FLAGS, EVERYTHING = flags_by_folder()


def all_folders():
    glib = house.run('pkg-config', '--cflags', 'gio-unix-2.0').stdout.split()
    return glib + sorted({f'-I{p.parent}' for p in house.files('*.h', under='src')})


def alone(path, standard):
    if re.search('<g[td]k/', path.read_text()) and not any('gtk-4' in flag for flag in EVERYTHING):
        tap.skip('the viewer is not built here')
    # The board's layers get exactly their own flags; the others, which may have headers
    # before they have a file, what all have. Who may include whom is checked elsewhere.
    compiler, *flags = FLAGS.get(path.parent) or ['cc']
    if not house.short(path).startswith(('src/base/', 'src/wire/', 'src/device/')):
        flags = [*all_folders(), *EVERYTHING]
    if compiler == 'ccache':
        compiler = 'cc'
    # Twice, so that the include guard is tested as well; as a file, so that a header is not
    # the main file of the compilation.
    with tempfile.NamedTemporaryFile('w', suffix='.c', delete=False) as source:
        source.write(f'#include "{path}"\n#include "{path}"\nextern int asc_not_empty;\n')
    try:
        result = house.run(compiler, '-fsyntax-only', '-std=' + standard, '-Wall', '-Wextra',
                           '-Werror', *flags, source.name, cwd=house.BUILD)
    finally:
        os.unlink(source.name)
    tap.equal(result.returncode, 0, result.stdout)


for header in house.files('*.h', under='src') + house.files('*.h', under='ui'):
    if '"py/' in header.read_text():
        continue  # MicroPython builds its module itself
    board = house.short(header).startswith(('src/wire/', 'src/device/'))
    tap.add(house.short(header), alone, header, 'gnu11')
    if board:
        tap.add(house.short(header) + ' as C99', alone, header, 'c99')

tap.main()
