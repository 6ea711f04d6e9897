#!/usr/bin/env python3
"""./run.sh without a display, from a folder with blanks in its name, with the real program.

Only the compiler's part is put in the place of: `meson` brings the program that is tested.
"""

import os
import pathlib
import shutil
import struct
import subprocess

import e2e
import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ('sh', 'dirname', 'uname', 'cat', 'awk', 'id', 'mkdir', 'ln', 'touch', 'chmod')
MESON = '''#!/bin/sh
[ "$1" = setup ] || exit 0
for word; do before=$last; last=$word; done
mkdir -p "$before/src/cli"
touch "$before/build.ninja"
ln -s "$ASC_CLI" "$before/src/cli/aioscope-cli"
mkdir -p "$before/ui"
printf '#!/bin/sh\\necho "window $*"\\n[ "$DISPLAY" != :broken ]\\n' >"$before/ui/aioscope"
chmod +x "$before/ui/aioscope"
'''


def prepared(name):
    """A tree, a folder to work in, and an environment without display and package manager."""
    tree, cwd, tools = (e2e.TEMP / name / part for part in ('a tree', 'else where', 'tools'))
    for path in (tree, cwd, tools):
        path.mkdir(parents=True)
    shutil.copy(ROOT / 'run.sh', tree)
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name))
    (tools / 'meson').write_text(MESON)
    (tools / 'meson').chmod(0o755)
    kept = {key: value for key, value in os.environ.items()
            if key not in ('DISPLAY', 'WAYLAND_DISPLAY')}
    return tree, cwd, {**kept, 'PATH': str(tools), 'ASC_CLI': e2e.CLI}


@tap.case
def without_a_display_it_records_and_leaves_three_files():
    tree, cwd, env = prepared('none')
    out = e2e.run(tree / 'run.sh', cwd=cwd, env=env).decode()
    names = ('aioscope-demo.csv', 'aioscope-demo.png', 'aioscope-demo.trace')
    tap.equal(sorted(path.name for path in cwd.iterdir()), list(names))
    for name in names:
        tap.check(name in out, out)
    csv, png, trace = (cwd / name for name in names)
    tap.equal(csv.read_bytes(), e2e.run(e2e.CLI, 'stats', '--csv', trace))
    for task, row in e2e.stats(trace).items():
        tap.check(task in out, task, out)
        tap.check(int(row['runs']) > 0, row)
    session, = e2e.info(trace)['sessions']
    tap.equal(session['lost_events'], 0)
    tap.check(6e9 < session['length_ns'] < 9e9, session)
    head = png.read_bytes()[:24]
    tap.equal(head[:8], b'\x89PNG\r\n\x1a\n')
    width, height = struct.unpack('>II', head[16:])
    tap.check(width >= 640 and height >= 200, width, height)
    tap.check('Session 1: ' in out and ' of 20.00 ms or more' in out, out)


@tap.case
def a_display_that_does_not_work_is_as_none():
    tree, cwd, env = prepared('broken')
    done = subprocess.run([tree / 'run.sh'], cwd=cwd, env={**env, 'DISPLAY': ':broken'},
                          capture_output=True, text=True, timeout=e2e.LIMIT)
    tap.equal(done.returncode, 0, done.stderr)
    tap.check("the display does not answer (DISPLAY is ':broken', WAYLAND_DISPLAY is ''): "
              'doing the job without a window: recording' in done.stderr, done.stderr)
    tap.check((cwd / 'aioscope-demo.png').exists())
    done = subprocess.run([tree / 'run.sh', 'some.trace'], cwd=cwd, timeout=e2e.LIMIT,
                          env={**env, 'DISPLAY': ':broken'}, capture_output=True, text=True)
    tap.equal(done.returncode, 1)
    tap.check('the display does not answer' in done.stderr, done.stderr)


@tap.case
def a_display_that_works_has_the_window():
    tree, cwd, env = prepared('good')
    out = e2e.run(tree / 'run.sh', 'some.trace', cwd=cwd, env={**env, 'DISPLAY': ':7'})
    tap.equal(out.decode().splitlines()[-1], 'window some.trace')


tap.main()
