#!/usr/bin/env python3
"""Rules for every source file: size, format, layers, words, assertions."""

import re
import shutil

import house
import tap

LIMIT = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)

# What each layer may include. A layer not named here may not hold C files.
BELOW = {
    'src/base': set(),
    'src/wire': set(),
    'src/device': {'src/wire'},
    'src/demo': {'src/wire', 'src/device', 'src/base'},
    'src/link': {'src/base', 'src/wire', 'src/demo'},
    'src/capture': {'src/base', 'src/wire', 'src/link'},
    'src/model': {'src/base', 'src/wire'},
    'src/engine': {'src/base', 'src/wire', 'src/link', 'src/capture', 'src/model'},
    'src/exchange': {'src/base', 'src/wire', 'src/capture', 'src/model'},
    'ui/paint': {'src/base', 'src/wire', 'src/model'},
}
# The window and the command line may use all of it but the board's side.
BELOW['src/cli'] = set(BELOW) - {'src/device'}
BELOW['ui'] = set(BELOW) - {'src/device', 'src/cli'}
# These run on the board as well: no allocation, no operating system.
FREESTANDING = {'src/wire': {'stddef.h', 'stdint.h', 'stdbool.h', 'string.h', 'limits.h'}}
FREESTANDING['src/device'] = FREESTANDING['src/wire']
ALLOCATION = re.compile(r'\b(malloc|calloc|realloc|free|alloca)\s*\(')
GTK_FREE = [layer for layer in BELOW if layer != 'ui']

# Assembled, so that this file does not hold them itself.
WORDS = [re.compile(word) for word in (
    r'\bTO' + r'DO\b', 'FIX' + 'ME', r'\bXX' + r'X\b', '/ho' + r'me/[a-z]', '/ro' + 'ot/',
    '/wo' + 'rk/', r'\b(?i:cla' + 'ude)', '(?i:anth' + 'ropic)', '(?i:chat' + 'gpt)',
    '(?i:cop' + 'ilot)', r'\bLL' + r'Ms?\b', r'\bAI\b', '(?i:co-auth' + 'ored-by)',
    '(?i:lorem ' + 'ipsum)', r'\b(?i:iss' + r'ue #?\d)', r'deb\.deb' + 'ian',
    'snapshot' + r'\.debian', 'pypi' + r'\.org', 'registry' + r'\.npm')]


def layer_of(path):
    name = house.short(path.parent)
    while name not in BELOW and '/' in name:
        name = name.rpartition('/')[0]
    return name if name in BELOW else None


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*', '', text, flags=re.S)


C_FILES = house.files('*.c', '*.h')
LAYERED = [p for p in C_FILES if house.short(p).startswith(('src/', 'ui/'))]
BY_NAME = {}
for _path in LAYERED:
    BY_NAME.setdefault(_path.name, []).append(_path)


def included(path, name):
    """The file of ours that an include names, or None for a system header."""
    for base in (path.parent, house.ROOT / 'src', house.ROOT / 'ui', house.ROOT):
        if (base / name).is_file():
            return (base / name).resolve()
    found = BY_NAME.get(name.rpartition('/')[2], [])
    return found[0] if found else None


def upward(path, text):
    layer = layer_of(path)
    for quote, name in INCLUDE.findall(text):
        target = included(path, name) if quote == '"' else None
        if target is None or not str(target).startswith(str(house.ROOT)):
            continue
        other = layer_of(target)
        if other and other != layer and other not in BELOW[layer]:
            yield f'{house.short(path)}: {layer} may not include {house.short(target)}'


@tap.case
def no_file_is_too_long():
    found = []
    for path in house.files('*.c', '*.h', '*.py', '*.sh', '*.ui', 'run.sh', 'meson.build'):
        lines = path.read_text(errors='replace').count('\n')
        if lines > LIMIT:
            found.append(f'{house.short(path)}: {lines} lines, at most {LIMIT}')
    tap.nothing(found)


@tap.case
def c_files_are_formatted():
    tool = shutil.which('clang-format-14') or shutil.which('clang-format')
    if not tool:
        tap.skip('clang-format is not installed')
    version = re.search(r'version (\d+)', house.run(tool, '--version').stdout)
    if not version or version.group(1) != '14':
        tap.skip(f'clang-format is {version.group(1) if version else "unknown"}, not 14: '
                 'each release formats a little differently')
    result = house.run(tool, '--dry-run', '-Werror', '--style=file', *C_FILES)
    tap.nothing([line for line in result.stdout.splitlines() if 'error:' in line])
    tap.equal(result.returncode, 0, result.stdout[-2000:])


@tap.case
def every_layer_is_known():
    tap.nothing(house.short(p) for p in LAYERED if not layer_of(p))


@tap.case
def nothing_includes_upwards():
    tap.nothing(line for path in LAYERED if layer_of(path)
                for line in upward(path, path.read_text()))


@tap.case
def the_layer_check_finds_an_upward_include():
    path = house.ROOT / 'src/wire/asc-invented.h'
    target = next((p for p in LAYERED if layer_of(p) == 'src/base'), None)
    tap.check(target, 'src/base has no file')
    tap.equal(len(list(upward(path, f'#include "base/{target.name}"\n'))), 1)


@tap.case
def the_layer_table_has_no_cycle():
    done, order = set(), list(BELOW)
    while order:
        ready = [layer for layer in order if BELOW[layer] <= done]
        tap.check(ready, 'a cycle among', order)
        done.update(ready)
        order = [layer for layer in order if layer not in ready]


@tap.case
def board_code_is_freestanding():
    found = []
    for path in LAYERED:
        allowed = FREESTANDING.get(layer_of(path))
        text = without_comments(path.read_text())
        # The MicroPython module is built by MicroPython, with its headers.
        if allowed is None or '"py/' in text:
            continue
        found += [f'{house.short(path)}: <{name}>' for quote, name in INCLUDE.findall(text)
                  if quote == '<' and name not in allowed]
        found += [f'{house.short(path)}: {m.group(1)}' for m in ALLOCATION.finditer(text)]
    tap.nothing(found)


@tap.case
def only_the_window_knows_gtk():
    tap.nothing(f'{house.short(p)}: <{name}>' for p in LAYERED if layer_of(p) in GTK_FREE
                for _, name in INCLUDE.findall(p.read_text())
                if name.startswith(('gtk/', 'gdk/', 'adwaita')))


@tap.case
def no_forbidden_words():
    found = []
    for path in house.files('*'):
        if path.name == '.git':
            continue  # a linked work tree has a file of this name, with a path in it
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            found += [f'{house.short(path)}:{number}: {line.strip()[:100]}'
                      for word in WORDS if word.search(line)]
    tap.nothing(found)


@tap.case
def every_test_asserts():
    found = []
    for path in house.files('test-*.c', under='tests'):
        if not re.search(r'\bassert_|\bfail(_msg)? \(|ASC_ASSERT', path.read_text()):
            found.append(house.short(path))
    for path in house.files('test-*.py', 'test_*.py', under='tests'):
        if not re.search(r'\bassert\b|tap\.(check|equal|nothing)', path.read_text()):
            found.append(house.short(path))
    tap.nothing(found)


@tap.case
def every_test_file_is_registered():
    known = '\n'.join(p.read_text() for p in house.files('meson.build', under='tests'))
    tap.nothing(house.short(p) for p in house.files('test-*.c', 'test-*.py', under='tests')
                if not re.search(r"\b" + re.escape(p.stem.removeprefix('test-')) + r"\b", known))


@tap.case
def text_files_are_tidy():
    found = []
    for path in house.files('*.c', '*.h', '*.py', '*.sh', '*.build', '*.xml', '*.md', 'run.sh'):
        text = path.read_text(errors='replace')
        if text and not text.endswith('\n'):
            found.append(f'{house.short(path)}: no newline at the end')
        found += [f'{house.short(path)}:{n}: blank at the end of the line'
                  for n, line in enumerate(text.split('\n'), 1) if line != line.rstrip()]
        if path.suffix in ('.c', '.h') and '\t' in text:
            found.append(f'{house.short(path)}: a tab')
    tap.nothing(found)


@tap.case
def the_top_level_is_kept_small():
    known = {'src', 'ui', 'data', 'tests', 'meson.build', 'meson_options.txt', 'README.md',
             'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md', 'run.sh'}
    # What run.sh leaves without a display is ignored by git, and no part of the tree.
    left = ('.', 'build', 'aioscope-demo')
    tap.nothing(p.name for p in house.ROOT.iterdir()
                if p.name not in known and not p.name.startswith(left))


tap.main()
