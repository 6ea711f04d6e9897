"""aioscope without a window: help, version, wrong arguments, no display."""

import os
import pathlib
import subprocess
import tempfile

import tap
import window


def run(*args, **env):
    reports = pathlib.Path(tempfile.mkdtemp(dir=window.PLACE))
    done = subprocess.run([window.APP, *args], capture_output=True, text=True,
                          timeout=window.PATIENCE,
                          env=dict(os.environ, **window.sanitizers(reports, True), **env))
    tap.nothing(window.findings(reports), 'by sanitizers:')
    return done


@tap.case
def help_names_sources_and_options():
    done = run('--help')
    tap.equal(done.returncode, 0, done.stderr)
    for word in ('--demo', '--dark', '--version', 'tcp:HOST:PORT', 'unix:PATH', '/dev/ttyACM0', 'FILE'):
        tap.check(word in done.stdout, f'{word} is not in', done.stdout)


@tap.case
def version():
    done = run('--version')
    tap.equal((done.returncode, done.stderr), (0, ''))
    tap.check(done.stdout.startswith('aioscope ') and done.stdout.count('\n') == 1, done.stdout)


@tap.case
def unknown_option():
    done = run('--no-such-option')
    tap.check(done.returncode not in (0, -6, -11), done.returncode)
    tap.check('--no-such-option' in done.stderr, done.stderr)
    tap.equal(done.stdout, '')


def too_many(*args):
    done = run(*args)
    tap.equal(done.returncode, 2, done.stderr)
    tap.check('one file or source' in done.stderr, done.stderr)


tap.add('two files', too_many, 'a.trace', 'b.trace')
tap.add('a file and the demo', too_many, '--demo', 'a.trace')


@tap.case
def without_a_display_it_says_so():
    for display in ('', ':4711', 'nowhere:0'):
        for args in (['--demo'], ['--check-display'], []):
            done = run(*args, DISPLAY=display, WAYLAND_DISPLAY='')
            tap.equal((done.returncode, done.stdout), (1, ''), display, args)
            tap.equal(done.stderr, f"aioscope: no window can be opened (DISPLAY is '{display}', "
                      "WAYLAND_DISPLAY is ''). aioscope-cli records and measures without one.\n")
    tap.equal(run('--check-display').returncode, 0)


window.main()
