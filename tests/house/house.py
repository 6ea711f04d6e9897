"""What the checks of the house share: where the files are, and how to run a command."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get('ASC_BUILD_DIR') or '.').resolve()
sys.path.insert(0, str(ROOT / 'tests'))

SKIPPED = {'.git', '__pycache__', 'node_modules'}


def files(*patterns, under=''):
    """The project's own files; never a build directory's."""
    found = []
    for folder, names, leaves in os.walk(ROOT / under):
        here = pathlib.Path(folder)
        names[:] = sorted(n for n in names if n not in SKIPPED
                          and not (here == ROOT and n.startswith('build'))
                          and not (here / n / 'meson-info').exists())
        found += [here / n for n in sorted(leaves)
                  if any(pathlib.PurePath(n).match(p) for p in patterns)]
    return found


def short(path):
    return str(path.relative_to(ROOT))


def run(*command, **options):
    """Output and errors as text, in one; never fails by itself."""
    options.setdefault('stdin', subprocess.DEVNULL)
    options.setdefault('timeout', 120)
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace', **options)
