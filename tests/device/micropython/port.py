"""MicroPython with aioscope: built with the C module, once a process and target (unix, m3), or
Debian's own with the module as a file, or with the recorder in pure Python."""

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parents[2] / 'src' / 'device' / 'micropython'
EXAMPLE = MODULES / 'examples' / 'greenhouse.py'
PROGRAMS = {'unix': 'micropython', 'm3': 'firmware.elf', 'm3-plain': 'firmware.elf'}
NEED_DEBIAN = ('python', 'bytecode', 'uasyncio', 'x64', 'x64-blind')
LIMIT = 1500    # s, for a build from nothing on a slow machine


@functools.cache
def build(folder, target):
    """(path, None), or (None, why not)."""
    done = subprocess.run(['sh', HERE / 'build.sh', folder, target], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT,
                          text=True, check=False)
    if done.returncode == 77:
        return None, done.stdout.strip()
    if done.returncode:
        raise AssertionError('MicroPython could not be built:\n' + done.stdout)
    return pathlib.Path(folder).resolve() / target / PROGRAMS.get(target, '_aioscope.mpy'), None


def program(folder, target='unix'):
    return build(folder, target)[0]


def debian(folder):
    """The command that starts Debian's own MicroPython, with libraries of its own; or None."""
    root = pathlib.Path(folder).resolve() / 'debian'
    loader = sorted(root.glob('usr/lib*/ld-linux*')) + sorted(root.glob('usr/lib/*/ld-linux*'))
    libraries = sorted(root.glob('usr/lib/*/libc.so.6'))
    if not (root / 'version').exists() or not loader or not libraries:
        return None
    return [loader[0], '--library-path', libraries[0].parent, root / 'usr/bin/micropython']


def mpremote(folder, place):
    """Debian's mpremote as a program in place, which it is not installed for; or None."""
    root = pathlib.Path(folder).resolve() / 'debian'
    if not (root / 'usr/bin/mpremote').exists():
        return None
    path = pathlib.Path(place) / 'mpremote'
    path.write_text(f'''#!/bin/sh
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="{root}/usr/lib/python3/dist-packages" \\
  exec "{sys.executable}" "{root}/usr/bin/mpremote" "$@"
''')
    path.chmod(0o755)
    return path


# A file system in memory of an emulated board.
FILES = r'''
import io, sys, vfs
files = {}
class Files:
    def mount(self, *_):
        pass

    def stat(self, path):
        path = path.lstrip("/")
        if path in files:
            return (0x8000,) + (0,) * 9
        if any(name.startswith(path + "/") for name in files):
            return (0x4000,) + (0,) * 9
        raise OSError(2)

    def open(self, path, mode):
        return io.BytesIO(files[path.lstrip("/")])

vfs.mount(Files(), "/files")
sys.path[:] = ["/files", ".frozen"]
'''


def sent(paths):
    """Lines for the REPL of an emulated board that put files there: {name there: path}."""
    yield f'exec({FILES!r})'
    yield 'import emulated'
    for name, path in paths.items():
        yield f'files[{name!r}] = emulated.file({str(path)!r})'


@functools.cache
def python_modules(fast):
    """The folder that a board would have; without fast.py it does all in bytecode."""
    if fast:
        return MODULES
    copy = pathlib.Path(tempfile.mkdtemp(prefix='asc-modules-'))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    shutil.copy(MODULES / 'aioscope.py', copy)
    shutil.copytree(MODULES / 'aioscope_py', copy / 'aioscope_py',
                    ignore=shutil.ignore_patterns('fast.py'))
    return copy


@functools.cache
def old_layout(folder):
    """A folder as before MicroPython 1.21: asyncio is uasyncio, and programs import that."""
    old = pathlib.Path(tempfile.mkdtemp(prefix='asc-uasyncio-'))
    atexit.register(shutil.rmtree, old, ignore_errors=True)
    shutil.copytree(pathlib.Path(folder) / 'source' / 'extmod' / 'asyncio', old / 'uasyncio')
    for path in [*(HERE / 'board').glob('*.py'), EXAMPLE]:
        text = path.read_text().replace('\nimport asyncio\n', '\nimport uasyncio as asyncio\n')
        (old / path.name).write_text(text)
    return old


def board(folder, kind):
    """Where the programs are."""
    return old_layout(folder) if kind == 'uasyncio' else HERE / 'board'


def example(folder, kind):
    return old_layout(folder) / EXAMPLE.name if kind == 'uasyncio' else EXAMPLE


@functools.cache
def loadable_modules(folder, target):
    """The folder that a board would have with the C module as a file."""
    copy = pathlib.Path(tempfile.mkdtemp(prefix='asc-modules-'))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    shutil.copy(MODULES / 'aioscope.py', copy)
    shutil.copy(program(folder, target), copy)
    return copy


def command(folder, kind, *paths):
    """What runs programs, and its environment. kind: c, x64 (the C module as a file), x64-blind
    (that knows none of MicroPython's objects), python, bytecode, uasyncio. paths: of modules."""
    if kind == 'c':
        start = [program(folder)]
    elif kind.startswith('x64'):
        start = debian(folder)
        paths = (*paths, loadable_modules(folder, kind))
    else:
        start = debian(folder)
        paths = (*paths, python_modules(kind != 'bytecode'))
    if kind != 'uasyncio':
        paths = (*paths, '.frozen')
    return [*start, '-X', 'heapsize=4M'], {**os.environ, 'MICROPYPATH': ':'.join(map(str, paths))}


def missing(folder, target='unix'):
    """Prints a skipped plan and returns the reason if that MicroPython cannot be had here."""
    reason = None
    if target in NEED_DEBIAN and not debian(folder):
        reason = f"no MicroPython of Debian's in {folder}"
    elif target not in ('python', 'bytecode', 'uasyncio'):
        reason = build(folder, target)[1]
    if reason:
        print('1..0 # SKIP', reason.splitlines()[-1])
        sys.stdout.flush()
    return reason
