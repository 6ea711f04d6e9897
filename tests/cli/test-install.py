"""What `install` chooses, from what boards of all kinds answer; mpremote is a stand-in here."""

import os
import pathlib
import pty
import subprocess
import threading
import time

import cli
import tap

FAKE = '''#!/bin/sh
printf '%s\\n' "$*" >>"$0.log"
case "$*" in
  *"import aioscope"*) cat "$0.check" ;;
  *" cp "*) exit "$(cat "$0.cp")" ;;
  *) cat "$0.answers" ;;
esac
'''
BOARD = dict(answers=1, name='micropython', version='1.25.0', machine='a board', mpy=6 | 3 << 8,
             asyncio='asyncio', module='', front='', folder='/lib', free=1000000)
X64, ARMV6M, ARMV7M, ARMV7EMSP, XTENSAWIN = 2, 4, 5, 7, 10


def arch(number, sub=3):
    return {'mpy': 6 | sub << 8 | number << 10}


class Desk:
    """A port, a stand-in for mpremote and a folder with the board's files."""

    count = 0

    def __init__(self, **answers):
        Desk.count += 1
        self.place = cli.PLACE / f'desk-{Desk.count}'
        self.files = self.place / 'files'
        (self.files / 'aioscope_py').mkdir(parents=True)
        for name in ('aioscope.py', 'aioscope_py/__init__.py', 'aioscope_py/ring.py'):
            (self.files / name).write_text('x' * 1000)
        self.mpremote = self.place / 'mpremote'
        self.mpremote.write_text(FAKE)
        self.mpremote.chmod(0o755)
        self.part('answers', ''.join(f'aioscope-{key}: {value}\r\n'
                                     for key, value in {**BOARD, **answers}.items()))
        self.part('check', 'aioscope-recorder: _aioscope\r\n')
        self.part('cp', '0')
        self.part('log', '')
        self.master, slave = pty.openpty()
        self.port = os.ttyname(slave)
        os.close(slave)

    def part(self, name, text):
        pathlib.Path(f'{self.mpremote}.{name}').write_text(text)

    def loadable(self, name, number, sub=3):
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([ord('M'), 6, number << 2 | sub, 31]) + b'code')

    def run(self, *options):
        return cli.run('install', self.port, '--mpremote', self.mpremote, '--from', self.files,
                       *options)

    def good(self, *options):
        result = self.run(*options)
        tap.equal((result.returncode, result.err), (0, ''))
        return result.out

    def refused(self, *words):
        result = self.run()
        tap.equal(result.returncode, 1)
        tap.equal(result.err.count('\n'), 1, result.err)
        for word in words:
            tap.check(word in result.err, word, 'is not in', result.err)
        tap.check(' cp ' not in self.log(), self.log())

    def log(self):
        return pathlib.Path(f'{self.mpremote}.log').read_text()

    def copied(self):
        """(file of ours, place on the board), in the order of copying."""
        words = self.log().split()
        return [(pathlib.Path(words[i + 1]).relative_to(self.files).as_posix(), words[i + 2])
                for i, word in enumerate(words) if word == 'cp']


FRONT = ('aioscope.py', ':/lib/aioscope.py')
PYTHON = [FRONT, ('aioscope_py/__init__.py', ':/lib/aioscope_py/__init__.py'),
          ('aioscope_py/ring.py', ':/lib/aioscope_py/ring.py')]


@tap.case
def the_firmware_s_own_module_is_taken():
    desk = Desk(module='firmware', front='firmware', **arch(ARMV6M), free=-1)
    tap.check('choice  nothing, because the firmware has aioscope built in' in desk.good())
    tap.equal(desk.copied(), [])
    desk = Desk(module='firmware', **arch(ARMV6M))
    desk.loadable('_aioscope.mpy', ARMV6M)
    tap.check('its front alone' in desk.good())
    tap.equal(desk.copied(), [FRONT])


@tap.case
def the_best_loadable_module_is_taken():
    for board, want in ((ARMV6M, 'a/6m.mpy'), (ARMV7M, 'deep/er/7m.mpy'), (6, 'deep/er/7m.mpy'),
                        (ARMV7EMSP, '7emsp.mpy'), (8, '7emsp.mpy'), (X64, 'x64.mpy')):
        desk = Desk(**arch(board))
        for name, number in (('a/6m.mpy', ARMV6M), ('deep/er/7m.mpy', ARMV7M),
                             ('7emsp.mpy', ARMV7EMSP), ('x64.mpy', X64)):
            desk.loadable(name, number)
        desk.loadable('old.mpy', board, sub=2)
        said = desk.good()
        tap.check('choice  the loadable C module' in said, said)
        tap.equal(desk.copied(), [FRONT, (want, ':/lib/_aioscope.mpy')], board)
        tap.check('done    the board imports it, and records in C' in said, said)


@tap.case
def the_recorder_in_python_is_for_all_others():
    for answers, word in ((arch(XTENSAWIN), 'there is no loadable one for xtensawin'),
                          ({'mpy': 0}, 'does not load native code'),
                          ({'mpy': 6 | 3 << 8}, 'does not load native code'),
                          (arch(ARMV6M, 1), '.mpy version 6.3, and the firmware loads 6.1')):
        desk = Desk(**answers)
        desk.loadable('6m.mpy', ARMV6M)
        # These are nothing to choose from.
        (desk.files / 'short.mpy').write_bytes(b'M\x06')
        (desk.files / 'other.mpy').write_bytes(b'PK\x03\x04zip')
        desk.loadable('bytecode.mpy', 0)
        desk.part('check', 'aioscope-recorder: aioscope_py\r\n')
        said = desk.good()
        tap.check('choice  the recorder in Python' in said and word in said, said)
        tap.equal(desk.copied(), PYTHON)
        tap.check('records in Python' in said, said)


@tap.case
def a_dry_run_copies_nothing():
    desk = Desk()
    said = desk.good('--dry-run')
    tap.check(f'copy    {desk.files}/aioscope.py to :/lib/aioscope.py (1.0' in said, said)
    tap.check('dry run: nothing was copied\nreset   the board' in said, said)
    tap.check('next' not in said, said)
    tap.equal(desk.log().count('connect'), 1)
    tap.check(' cp ' not in desk.log(), desk.log())


@tap.case
def folders_are_made_first_and_where_the_board_looks():
    desk = Desk(folder='/flash/lib')
    desk.good()
    log = desk.log()
    made = [log.index(f"os.mkdir('{name}')") for name in ('/flash', '/flash/lib',
                                                          '/flash/lib/aioscope_py')]
    tap.equal(made, sorted(made))
    tap.check(made[-1] < log.index(' cp '))
    tap.equal(desk.copied()[0][1], ':/flash/lib/aioscope.py')
    desk = Desk(folder='')
    desk.good()
    tap.equal(desk.copied()[1][1], ':aioscope_py/__init__.py')


@tap.case
def what_hides_the_copy_is_told():
    tap.check('note' not in Desk(front='/lib/aioscope.py').good())
    said = Desk(front='aioscope.py').good()
    tap.check('mpremote fs rm aioscope.py' in said, said)
    said = Desk(module='/lib/_aioscope.mpy').good()
    tap.check('mpremote fs rm /lib/_aioscope.mpy' in said, said)
    tap.check('note' not in Desk(module="raises ValueError('incompatible .mpy file')").good())


@tap.case
def boards_that_cannot_are_told_why():
    Desk(name='circuitpython').refused('circuitpython', 'records MicroPython')
    Desk(version='1.18.0').refused('1.18.0', '1.19 or newer')
    Desk(version='?').refused('1.19 or newer')
    Desk(asyncio='').refused('no asyncio')
    Desk(free=2999).refused('3.0', 'has 3.0')
    Desk(free=-1).refused('no file system')
    Desk(answers=2).refused('not as MicroPython does')
    desk = Desk()
    desk.part('answers', 'what?\n')
    desk.refused('not as MicroPython does')


@tap.case
def what_mpremote_says_is_passed_on():
    desk = Desk()
    desk.mpremote.write_text('#!/bin/sh\necho "Traceback (most"; echo "  file" >&2\n'
                             'echo "mpremote: could not enter raw repl" >&2; exit 1\n')
    desk.refused('mpremote does not get on with the board', desk.port, 'could not enter raw repl')
    desk.mpremote.write_text('#!/bin/sh\nexit 3\n')
    desk.refused('ended without a word')
    desk = Desk()
    desk.part('cp', '1')
    result = desk.run()
    tap.equal(result.returncode, 1)
    tap.check('done' not in result.out and 'does not get on' in result.err, result.err)
    desk = Desk()
    desk.part('check', '')
    result = desk.run()
    tap.equal(result.returncode, 1)
    tap.check('cannot be imported' in result.err, result.err)


class Talking:
    """What a board sends that cannot be stopped, twenty times a second."""

    def __init__(self, desk, data):
        self.master, self.data = desk.master, data
        os.set_blocking(self.master, False)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.send)

    def send(self):
        while not self.ended.wait(0.05):
            try:
                os.write(self.master, self.data)
            except OSError:     # nobody reads
                pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


@tap.case
def a_board_that_does_not_answer_is_given_up_with_what_it_does():
    for data, words, wait in ((b'temperature 21.5\r\n', '“temperature 21.5”', 6),
                              (b'\x80\x99\x07' * 9, 'no text', 1), (b'', 'sends nothing', 1)):
        desk = Desk()
        desk.mpremote.write_text('#!/bin/sh\nexec sleep 600\n')
        began = time.monotonic()
        with Talking(desk, data):
            result = desk.run('--wait', wait)
        tap.check(wait <= time.monotonic() - began < 40, time.monotonic() - began)
        tap.equal(result.returncode, 1)
        tap.equal(result.err.count('\n'), 1, result.err)
        for word in (words, f'did not answer within {wait} s. It', 'reset', 'Ctrl-C', desk.port):
            tap.check(word in result.err, word, 'is not in', result.err)
        tap.equal(result.out, f'asking the board at {desk.port} what it is …\n'
                  + '        still waiting for its answer: 4 s of 6 at most\n' * (wait > 4))
    cli.one_line(desk.run('--wait', 0), 2, '--wait')


@tap.case
def the_first_word_comes_at_once():
    desk = Desk()
    desk.mpremote.write_text('#!/bin/sh\necho $$ >"$0.pid"\nexec sleep 600\n')
    with subprocess.Popen([cli.CLI, 'install', desk.port, '--mpremote', desk.mpremote, '--from',
                           desk.files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as one:
        began = time.monotonic()
        tap.check(one.stdout.readline().startswith(b'asking the board'))
        tap.check(time.monotonic() - began < 10, time.monotonic() - began)
        pid = pathlib.Path(f'{desk.mpremote}.pid')
        while not (pid.exists() and pid.read_text().endswith('\n')):
            time.sleep(0.05)
        one.kill()
        os.kill(int(pid.read_text()), 9)


@tap.case
def copying_and_looking_at_it_have_an_end_too():
    desk = Desk()
    desk.part('check', '')
    desk.mpremote.write_text(FAKE.replace('cat "$0.check"', 'exec sleep 600'))
    result = desk.run('--wait', 2)
    tap.check(result.returncode == 1 and 'did not import what was copied within 2 s' in result.err, result.err)
    tap.check('copying, which may take 42 s at most' in result.out, result.out)


@tap.case
def what_is_missing_is_told_with_what_to_do():
    desk = Desk()
    nowhere = {**os.environ, 'PATH': '/nowhere'}
    said = cli.run('install', desk.port, env=nowhere)
    cli.one_line(said, 1, 'mpremote', 'micropython-mpremote', 'pipx install mpremote')
    cli.one_line(cli.run('install', desk.port, '--mpremote', '/no/such'), 1, '/no/such')
    cli.one_line(cli.run('install', desk.port, '--mpremote', desk.mpremote, '--from',
                         cli.PLACE / 'empty'), 1, 'empty', '--from')
    cli.one_line(cli.run('install', 'tcp:host:1'), 2, 'no port of a board')
    cli.one_line(cli.run('install', '--dry-run', '/dev/null'), 2,
                 '/dev/null is not a serial port')
    cli.one_line(cli.run('install'), 2, 'missing')
    held = os.open(desk.port, os.O_RDWR | os.O_NOCTTY)
    cli.one_line(desk.run(), 1, 'in use by', 'aioscope-cli proxy')
    os.close(held)


@tap.case
def the_files_are_found_beside_the_program_and_are_all_there():
    desk = Desk(module='')
    desk.part('check', 'aioscope-recorder: aioscope_py\n')
    said = cli.good('install', desk.port, '--mpremote', desk.mpremote, '--dry-run')
    source = pathlib.Path(__file__).resolve().parents[2] / 'src' / 'device' / 'micropython'
    wanted = ['aioscope.py', *(f'aioscope_py/{path.name}'
                               for path in sorted((source / 'aioscope_py').glob('*.py')))]
    tap.equal([line.split(' to :')[1].split(' (')[0] for line in said.splitlines()
               if line.startswith('copy')], [f'/lib/{name}' for name in wanted])


cli.main()
