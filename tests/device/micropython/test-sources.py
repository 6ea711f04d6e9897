"""The C module's sources as the makefiles of MicroPython's ports take them.

    test-sources.py FOLDER

FOLDER is what fetch-source.sh made.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tap

import port

SOURCE = pathlib.Path(sys.argv[1]).resolve() / 'source'
MAKE = (port.MODULES / 'micropython.mk').read_text()
CMAKE = (port.MODULES / 'micropython.cmake').read_text()
DEVICE, WIRE = port.MODULES.parent, port.MODULES.parents[1] / 'wire'
FOLDERS = ('-I', port.MODULES, '-I', DEVICE, '-I', WIRE)


def makes():
    """The .c files that micropython.mk lists."""
    return sorted(re.findall(r'[\w-]+\.c\b', MAKE[MAKE.index('SRC_USERMOD_C'):]))


def mentioned(path, made, *options):
    """The names (MP_QSTR_...) that MicroPython's search finds in a file. made: a folder with the
    headers that a build makes before it."""
    done = subprocess.run(
        ['gcc', '-E', '-DNO_QSTR', *options, '-I', SOURCE, '-I', SOURCE / 'ports/unix', '-I',
         SOURCE / 'ports/unix/variants/standard', *FOLDERS, '-I', made, path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    tap.equal(done.returncode, 0, f'{path}: {done.stderr}')
    return set(re.findall(r'MP_QSTR_\w+', done.stdout))


@tap.case
def make_and_cmake_take_the_same_files():
    paths = re.findall(r'\$\{AIOSCOPE_DIR\}/([\w./-]+\.c)', CMAKE)
    tap.nothing(path for path in paths if not (port.MODULES / path).is_file())
    tap.equal(sorted(pathlib.Path(path).name for path in paths), makes())
    tap.nothing(path.name for path in port.MODULES.glob('*.c') if path.name not in makes())


@tap.case
def the_file_takes_the_same_files():
    makefile = (port.MODULES / 'natmod' / 'Makefile').read_text()
    own = {path.name for path in (port.MODULES / 'natmod').glob('*.c')}
    tap.equal(set(re.findall(r'[\w-]+\.c\b', makefile)), set(makes()) | own)


@tap.case
def make_and_cmake_take_the_same_options():
    # The last is an option of make's alone, and a compiler's in the other.
    made = set(re.findall(r'-D(\w+)', MAKE))
    tap.equal(set(re.findall(r'(\w+)=', CMAKE[CMAKE.index('compile_definitions'):])) - {'wrap'},
              made)
    tap.check('--wrap=gc_collect' in MAKE and '--wrap=gc_collect' in CMAKE)


# The ports that build with CMake search for names without a module's options, and without the
# folder of tusb.h.
@tap.case
def names_are_found_without_our_options():
    if not SOURCE.is_dir() or not shutil.which('gcc'):
        tap.skip(f'no source of MicroPython in {SOURCE}, or no gcc')
    told = ('-DASC_PORT_FILE="mod_aioscope_port.h"', '-DAIOSCOPE_GC=1')
    usb = ('-DMICROPY_HW_USB_CDC=1', '-DAIOSCOPE_NO_POSIX')
    found = 0
    with tempfile.TemporaryDirectory() as made:
        (pathlib.Path(made) / 'genhdr').mkdir()
        (pathlib.Path(made) / 'genhdr' / 'mpversion.h').touch()
        for path in sorted(port.MODULES.glob('*.c')):
            names = mentioned(path, made, *told)
            found += len(names)
            tap.equal(names - mentioned(path, made), set(), path.name)
            # Sockets' names are of POSIX alone.
            tap.equal(names - mentioned(path, made, *usb), names & {'MP_QSTR_fileno'}, path.name)
    tap.check(found > 40, found)


tap.main()
