#!/usr/bin/env python3
"""run.sh and the other scripts: POSIX, and it installs only what is missing, and says so.

run.sh runs here in a folder of its own, with a PATH that holds only fakes: package managers
that write down how they were called, and a meson that makes a fake viewer.
"""

import os
import pathlib
import re
import shutil
import tempfile

import house
import tap

TOOLS = ('sh', 'dirname', 'awk', 'cat', 'uname', 'mkdir', 'chmod', 'env', 'echo', 'rm', 'touch')

FAKE_MESON = r'''#!/bin/sh
echo "meson $*" >>"$LOG"
[ "$1" = setup ] || exit 0
for word; do before=$last; last=$word; done
mkdir -p "$before/ui" "$before/src/cli"
touch "$before/build.ninja"
printf '#!/bin/sh\n[ "$*" = --check-display ] || echo "viewer <$*>" >>"$LOG"\n' >"$before/ui/aioscope"
cat >"$before/src/cli/aioscope-cli" <<'END'
#!/bin/sh
echo "cli <$*>" >>"$LOG"
case "$1 $2" in
  "record demo") echo trace >"$4" ;;
  "stats --csv") echo csv ;;
  stats*) echo a table ;;
  render*) echo png >"$4" ;;
esac
END
chmod +x "$before/ui/aioscope" "$before/src/cli/aioscope-cli"
'''
FAKE_APT = '''#!/bin/sh
echo "apt-get $*" >>"$LOG"
for word; do
  case " $UNKNOWN " in *" $word "*) exit 100 ;; esac
done
[ "$1" = update ] || for word; do echo "$word" >>"$STATE"; done
'''
FAKE_DPKG = '''#!/bin/sh
while read -r name; do printf '%s:installed ' "$name"; done <"$STATE"
exit 1
'''


class World:
    """A folder with a copy of run.sh and a PATH of fakes."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder) / 'a folder'
        self.bin = pathlib.Path(folder) / 'bin'
        self.cwd = pathlib.Path(folder) / 'else where'
        for path in (self.root / 'tests', self.bin, self.cwd):
            path.mkdir(parents=True)
        shutil.copy(house.ROOT / 'run.sh', self.root)
        for name, folder in (('kernel', 'link/vm'), ('source', 'device/micropython')):
            self.tool(f'fetch-{name}.sh', f'#!/bin/sh\necho "{name} $*" >>"$LOG"\nexit 77\n')
            (self.root / 'tests' / folder).mkdir(parents=True)
            (self.bin / f'fetch-{name}.sh').rename(
                self.root / 'tests' / folder / f'fetch-{name}.sh')
        for name in TOOLS:
            os.symlink(shutil.which(name), self.bin / name)
        self.log, self.state = self.root / 'log', self.root / 'state'
        self.log.write_text('')
        self.state.write_text('')
        self.tool('meson', FAKE_MESON)
        self.tool('python3', '#!/bin/sh\necho "python3 $*" >>"$LOG"\n')
        self.tool('id', '#!/bin/sh\necho 0\n')
        self.env = {'PATH': str(self.bin), 'LOG': str(self.log), 'STATE': str(self.state)}

    def tool(self, name, text):
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def with_apt(self, lacking=()):
        self.tool('apt-get', FAKE_APT)
        self.tool('dpkg-query', FAKE_DPKG)
        self.state.write_text(''.join(f'{name}\n' for name in packages('apt')
                                      if name not in lacking))

    def run(self, *args, **env):
        result = house.run(self.bin / 'sh', self.root / 'run.sh', *args, cwd=self.cwd,
                           env={**self.env, **env})
        return result.returncode, result.stdout

    def logged(self, start=''):
        return [line for line in self.log.read_text().splitlines() if line.startswith(start)]


def table():
    text = (house.ROOT / 'run.sh').read_text()
    rows = re.search(r"<<'END'\n(.*?)\nEND\n", text, re.S).group(1).splitlines()
    return [row.split() for row in rows]


def packages(manager, groups=('run', 'test', 'extra')):
    head, *rows = table()
    column = head.index(manager)
    return [row[column] for row in rows if row[0] in groups and row[column] != '-']


def world(function):
    def case():
        with tempfile.TemporaryDirectory() as folder:
            function(World(folder))
    case.__name__ = function.__name__
    return tap.case(case)


@tap.case
def shell_scripts_are_posix():
    dash = shutil.which('dash') or tap.skip('dash is not installed')
    scripts = house.files('*.sh', 'run.sh')
    tap.check(scripts)
    for script in scripts:
        shell = 'bash' if 'bash' in script.read_text().split('\n', 1)[0] else dash
        result = house.run(shell, '-n', script)
        tap.equal((house.short(script), result.returncode, result.stdout),
                  (house.short(script), 0, ''))


@tap.case
def the_entries_can_be_started():
    for name in ('run.sh', '.ci/run', 'tests/run-tests.py'):
        tap.check(os.access(house.ROOT / name, os.X_OK), name, 'is not executable')


@tap.case
def the_table_of_packages_is_whole():
    head, *rows = table()
    for row in rows:
        tap.equal(len(row), len(head), ' '.join(row))
        tap.check(row[0] in ('run', 'test', 'extra'), ' '.join(row))
    names = packages('apt')
    tap.equal(len(names), len(set(names)))


@world
def nothing_is_installed_when_all_is_there(w):
    w.with_apt()
    status, output = w.run(DISPLAY=':7')
    tap.equal(status, 0, output)
    tap.equal(w.logged('apt-get'), [])
    tap.check('missing' not in output, output)
    tap.equal(w.logged('viewer'), ['viewer <--demo>'])


@world
def what_is_missing_is_told_and_installed(w):
    w.with_apt(lacking=('ninja-build', 'xvfb'))
    status, output = w.run(DISPLAY=':7')
    tap.equal(status, 0, output)
    tap.equal(w.logged('apt-get'),
              ['apt-get update', 'apt-get install -y --no-install-recommends ninja-build'])
    tap.check('will be installed with apt:\n  ninja-build\n' in output, output)


@world
def the_tests_need_more(w):
    w.with_apt(lacking=('xvfb', 'libcmocka-dev'))
    status, output = w.run('test')
    tap.equal(status, 0, output)
    tap.equal(w.logged('apt-get install'),
              ['apt-get install -y --no-install-recommends libcmocka-dev xvfb'])
    tap.equal(w.logged('python3'),
              [f'python3 {w.root}/tests/run-tests.py {w.root}/build/test'])
    tap.check('-Db_sanitize=address,undefined' in w.logged('meson setup')[0])
    tap.check('-Dwerror=false' in w.logged('meson setup')[0])
    tap.equal(w.logged('kernel'), [f'kernel {w.root}/build/vm-kernel'])
    tap.equal(w.logged('source'), [f'source {w.root}/build/micropython'])


@world
def warnings_are_errors_only_in_ci(w):
    w.with_apt()
    tap.equal(w.run('test', CI='true')[0], 0)
    tap.check('-Dwerror=true' in w.logged('meson setup')[0])


@world
def one_unknown_extra_does_not_cost_the_others(w):
    w.with_apt(lacking=('xvfb', 'xdotool'))
    status, output = w.run('test', UNKNOWN='xvfb')
    tap.equal(status, 0, output)
    tap.check('could not be installed: xvfb' in output, output)
    tap.check('xdotool' in w.state.read_text(), output)


@world
def an_unknown_compiler_ends_it(w):
    w.with_apt(lacking=('gcc',))
    status, output = w.run(UNKNOWN='gcc')
    tap.equal(status, 1, output)
    tap.check('cannot build without: gcc' in output, output)
    tap.equal(w.logged('meson'), [])


@world
def sudo_is_used_only_by_those_who_are_not_root(w):
    w.with_apt(lacking=('meson',))
    w.tool('id', '#!/bin/sh\necho 1000\n')
    status, output = w.run(DISPLAY=':7')
    tap.equal(status, 1, output)
    tap.check('there is no sudo here' in output, output)
    tap.equal(w.logged('apt-get'), [])
    w.tool('sudo', '#!/bin/sh\necho "sudo $*" >>"$LOG"\nexec "$@"\n')
    status, output = w.run(DISPLAY=':7')
    tap.equal(status, 0, output)
    tap.equal(len(w.logged('sudo')), 2)


@world
def the_other_managers_get_their_own_names(w):
    w.tool('rpm', '#!/bin/sh\nexit 1\n')
    w.tool('dnf', '#!/bin/sh\necho "dnf $*" >>"$LOG"\n')
    w.run(DISPLAY=':7')
    want = ' '.join(packages('dnf', ('run',)))
    tap.equal(w.logged('dnf')[0], f'dnf install -y --setopt=install_weak_deps=False {want}')
    (w.bin / 'dnf').unlink()
    w.tool('zypper', '#!/bin/sh\necho "zypper $*" >>"$LOG"\n')
    w.run(DISPLAY=':7')
    want = ' '.join(packages('zypper', ('run',)))
    tap.equal(w.logged('zypper')[0],
              f'zypper --non-interactive install --no-recommends {want}')
    (w.bin / 'zypper').unlink()
    w.tool('pacman', '#!/bin/sh\nif [ "$1" = -T ]; then echo gtk4; '
           'else echo "pacman $*" >>"$LOG"; fi\n')
    w.run(DISPLAY=':7')
    tap.equal(w.logged('pacman'), ['pacman -S --needed --noconfirm gtk4'])


@world
def without_a_manager_it_goes_on(w):
    status, output = w.run(WAYLAND_DISPLAY='wayland-0')
    tap.equal(status, 0, output)
    tap.check('going on with what is installed' in output, output)
    tap.equal(w.logged('viewer'), ['viewer <--demo>'])


@world
def arguments_go_to_the_viewer(w):
    w.with_apt()
    tap.equal(w.run('a file.trace', DISPLAY=':7')[0], 0)
    tap.equal(w.logged('viewer'), ['viewer <a file.trace>'])


@world
def help_tells_of_the_tests_too(w):
    w.with_apt()
    status, output = w.run('--help', DISPLAY=':7')
    tap.equal(status, 0, output)
    tap.check("'./run.sh test'" in output, output)
    tap.equal(w.logged('viewer'), ['viewer <--help>'])


@world
def without_a_display_the_job_is_done_all_the_same(w):
    w.with_apt()
    (w.cwd / 'aioscope-demo.csv').write_text('mine')
    status, output = w.run()
    tap.equal(status, 0, output)
    tap.check('no display here' in output, output)
    tap.equal((w.cwd / 'aioscope-demo.csv').read_text(), 'mine')
    for kind, text in (('trace', 'trace\n'), ('csv', 'csv\n'), ('png', 'png\n')):
        tap.equal((w.cwd / f'aioscope-demo-2.{kind}').read_text(), text)
        tap.check(f'aioscope-demo-2.{kind}' in output, output)
    tap.check('a table' in output, output)
    tap.equal(w.logged('cli')[0], 'cli <record demo -o aioscope-demo-2.trace --seconds 8>')
    tap.equal(sorted(p.name for p in w.cwd.iterdir()),
              ['aioscope-demo-2.csv', 'aioscope-demo-2.png', 'aioscope-demo-2.trace',
               'aioscope-demo.csv'])


@world
def arguments_without_a_display_are_refused(w):
    w.with_apt()
    status, output = w.run('some.trace')
    tap.equal(status, 1, output)
    tap.check('no display' in output and 'aioscope-cli' in output, output)


@world
def a_second_run_does_not_configure_again(w):
    w.with_apt()
    w.run(DISPLAY=':7')
    w.run(DISPLAY=':7')
    tap.equal(len(w.logged('meson setup')), 1)
    tap.equal(len(w.logged('meson compile')), 2)


@tap.case
def a_display_of_its_own_comes_and_goes():
    for name in ('Xvfb', 'dbus-run-session'):
        shutil.which(name) or tap.skip(f'{name} is not installed')
    mark = f'ASC_DISPLAY_OF={os.getpid()}'
    ask = (f'echo "at $DISPLAY by $DBUS_SESSION_BUS_ADDRESS"; '
           f'grep -qzx {mark} $(grep -lx Xvfb /proc/[0-9]*/comm | sed s/comm$/environ/) '
           f'&& echo served; exit 5')
    result = house.run('env', mark, house.ROOT / 'tests/with-display.sh', 'sh', '-c', ask)
    tap.equal(result.returncode, 5, result.stdout)
    tap.check(re.search(r'at :\d+ by unix:', result.stdout), result.stdout)
    tap.check('served' in result.stdout, result.stdout)
    # Its process, not its number: that may be another server's by now.
    servers = house.run('sh', '-c', f'grep -lzx {mark} /proc/[0-9]*/environ').stdout
    tap.check(not re.search('^/proc', servers, re.M), servers)


@tap.case
def a_missing_display_server_is_a_skip():
    with tempfile.TemporaryDirectory() as folder:
        result = house.run(shutil.which('sh'), house.ROOT / 'tests/with-display.sh', 'true',
                           env={'PATH': folder})
    tap.equal((result.returncode, result.stdout), (0, '1..0 # SKIP Xvfb is not installed\n'))


tap.main()
