"""mpremote on a traced board: it shares the one port through the proxy, and installs the recorder.

    test-mpremote.py AIOSCOPE_CLI AIOSCOPE_CLI FOLDER

FOLDER is what fetch-source.sh made. The boards are the emulated Cortex-M3, with frames and raw REPL
on its one UART, and MicroPython's unix port behind repl.py, which has a file system.
"""

import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tty

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'e2e'))

import e2e
import proxy
import tap

import port

FOLDER = sys.argv[3]
MPREMOTE = port.mpremote(FOLDER, e2e.TEMP)
LINES = 40
TALKERS = f'''
import aioscope, asyncio
aioscope.start()
async def talker(n):
    for i in range({LINES}):
        print("talker", n, "line", i, "grüße", "." * (i % 60))
        await asyncio.sleep_ms(5)
async def main():
    await asyncio.gather(*[talker(n) for n in range(3)])
asyncio.run(main())
aioscope.stop()
print("all said")
'''
ENDLESS = '''
import aioscope, asyncio
aioscope.start()
async def ticker():
    while True:
        print("tick")
        await asyncio.sleep_ms(20)
asyncio.run(ticker())
'''


class Emulated:
    """The emulated board; its one UART is a pty."""

    def __init__(self):
        if not shutil.which('qemu-system-arm'):
            tap.skip('qemu-system-arm is not installed')
        firmware, reason = port.build(FOLDER, 'm3')
        if reason:
            tap.skip(reason.splitlines()[-1])
        self.process = subprocess.Popen(
            ['qemu-system-arm', '-machine', 'mps2-an385', '-display', 'none', '-monitor', 'none',
             '-semihosting', '-serial', 'pty', '-serial', 'null', '-kernel', firmware],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        self.pty = re.search(r'/dev/pts/\d+', line)[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class Unix:
    """MicroPython's unix port with a raw REPL at a pty, in a folder of its own."""

    def __init__(self, kind):
        if kind != 'c' and not port.debian(FOLDER):
            tap.skip("no MicroPython of Debian's")
        if kind == 'c' and port.build(FOLDER, 'unix')[1]:
            tap.skip(port.build(FOLDER, 'unix')[1].splitlines()[-1])
        self.root = pathlib.Path(tempfile.mkdtemp(dir=e2e.TEMP))
        start = [port.program(FOLDER)] if kind == 'c' else port.debian(FOLDER)
        words = ' '.join(f"'{word}'" for word in (*start, '-X', 'heapsize=4M',
                                                  HERE / 'repl.py'))
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.pty = os.ttyname(slave)
        os.close(slave)
        loop = f'{words}; while [ $? -eq 3 ]; do {words} raw; done'
        self.process = subprocess.Popen(
            ['sh', '-c', loop], stdin=self.master, stdout=self.master, cwd=self.root,
            start_new_session=True,
            stderr=subprocess.DEVNULL, env={**os.environ, 'MICROPYPATH': ':.frozen:lib'})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, 9)
        self.process.wait(e2e.LIMIT)
        os.close(self.master)


def mpremote(pty, *words):
    return e2e.run(MPREMOTE, 'connect', pty, *words).decode().replace('\r', '')


def script(name, text):
    path = e2e.TEMP / name
    path.write_text(text)
    return path


def install(pty, *options, status=0):
    return e2e.run(e2e.CLI, 'install', pty, '--mpremote', MPREMOTE, *options,
                   status=status).decode()


def whole(output):
    """What TALKERS print came, every line of it."""
    lines = output.splitlines()
    for n in range(3):
        tap.equal([line for line in lines if line.startswith(f'talker {n} ')],
                  [f'talker {n} line {i} grüße ' + '.' * (i % 60) for i in range(LINES)])
    tap.equal((len(lines), lines[-1]), (3 * LINES + 1, 'all said'))


def recorded(path, session):
    """The tasks of TALKERS are in the recording."""
    table = e2e.stats(path, session)
    tap.equal((table['talker']['runs'], table['talker']['instances']),
              (str(3 * (LINES + 1)), '3'))
    told = e2e.info(path)['sessions'][session - 1]
    tap.equal(told['lost_events'], 0)


@tap.case
def run_works_through_the_proxy_while_the_tasks_are_recorded():
    path = e2e.TEMP / 'm3.trace'
    with Emulated() as board, proxy.Proxy(board.pty, '-o', path) as one:
        # The port itself would give frames among the text, and 04 in them ends the output.
        for session in (1, 2):
            whole(mpremote(one.pty, 'run', script('talkers.py', TALKERS)))
        said = one.stop()
    tap.check('damaged' not in said and 'dropped' not in said, said)
    recorded(path, 1)
    recorded(path, 2)


@tap.case
def ctrl_c_stops_a_program_through_the_proxy():
    path = e2e.TEMP / 'endless.trace'
    with Emulated() as board, proxy.Proxy(board.pty, '-o', path) as one:
        mpremote(one.pty, 'run', '--no-follow', script('endless.py', ENDLESS))
        e2e.until(lambda: path.read_bytes().count(b'tick\r\n') > 5, 'it runs')
        # It begins by sending Ctrl-C.
        tap.equal(mpremote(one.pty, 'exec', 'print("stopped")'), 'stopped\n')
        one.stop()
    tap.check(int(e2e.stats(path)['ticker']['runs']) > 5)


@tap.case
def a_firmware_with_the_module_needs_nothing():
    with Emulated() as board:
        said = install(board.pty, '--dry-run')
    tap.check('mps2-an385 with Cortex-M3, MicroPython 1.25.0, .mpy 6.3 for armv7em' in said, said)
    tap.check('nothing, because the firmware has aioscope built in' in said, said)
    tap.check('copy' not in said.replace('copied', ''), said)
    with Unix('c') as board:
        said = install(board.pty)
        tap.check('nothing, because the firmware has aioscope built in' in said, said)
        tap.equal(list(board.root.iterdir()), [])


@tap.case
def the_recorder_in_python_is_installed_and_records():
    path = e2e.TEMP / 'python.trace'
    modules = port.MODULES
    with Unix('python') as board:
        dry = install(board.pty, '--dry-run', '--from', python_only())
        tap.check('the recorder in Python' in dry and 'nothing was copied' in dry, dry)
        tap.equal(list(board.root.iterdir()), [])
        # As a tool that shares the port does.
        with proxy.Proxy(board.pty, '-o', path) as one:
            said = install(one.pty, '--from', python_only())
            print('# ' + said.replace('\n', '\n# '))
            tap.check('imports it, and records in Python' in said, said)
            tap.equal(said.count('\ncopy '), dry.count('\ncopy '))
            for name in ('aioscope.py', *(f'aioscope_py/{file.name}' for file in
                                          (modules / 'aioscope_py').glob('*.py'))):
                tap.check(filecmp.cmp(modules / name, board.root / 'lib' / name, False), name)
            whole(mpremote(one.pty, 'run', script('talkers.py', TALKERS)))
            # Once more, over what is there.
            tap.check('note' not in install(one.pty, '--from', python_only()))
            one.stop()
    recorded(path, 1)


@tap.case
def the_guides_work():
    guide = (HERE.parents[2] / 'src' / 'device' / 'README.md').read_text()
    blocks = re.findall(r'```\w*\n(.*?)```', guide, re.S)
    copies, shares, runs, removes = (
        next(block for block in blocks if block.startswith(start))
        for start in ('aioscope-cli install', 'aioscope-cli proxy', 'mpremote connect /dev/pts/5',
                      'mpremote connect /dev/ttyACM0 exec'))
    (e2e.TEMP / 'aioscope-cli').write_text(f'#!/bin/sh\nexec "{e2e.CLI}" "$@"\n')
    (e2e.TEMP / 'aioscope-cli').chmod(0o755)
    script('main.py', TALKERS)

    def shell(block):
        return e2e.run('sh', '-e', '-c', block, cwd=e2e.TEMP, env={
            **os.environ, 'PATH': f'{e2e.TEMP}:{os.environ["PATH"]}'}).decode().replace('\r', '')

    with Unix('python') as board:
        said = shell(copies.replace('/dev/ttyACM0', board.pty))
        tap.check('nothing was copied' in said and 'the board imports it' in said, said)
        command, pty, *told = shares.splitlines()
        words = command.replace('/dev/ttyACM0', board.pty).split()[2:]
        path = e2e.TEMP / words.pop()
        with proxy.Proxy(*words, path) as one:
            whole(shell(runs.replace(pty, one.pty)))
            messages = one.messages()
            one.stop()
        tap.check((board.root / 'lib' / 'aioscope.py').exists())
        shell(removes.replace('/dev/ttyACM0', board.pty))
        tap.equal(list((board.root / 'lib').glob('*aioscope*')), [])
    # Word for word, but for the names of the ports; in one pass, as a new name may be an old one.
    guide_s = {one.pty: pty, board.pty: 'Pico · ttyACM0'}
    messages = re.sub(r'/dev/pts/\d+', lambda found: guide_s.get(found[0], found[0]), messages)
    messages = re.sub(r'unix:\S+', 'unix:/run/user/1000/aioscope/ttyACM0.sock', messages)
    tap.equal(messages.splitlines(), told)
    recorded(path, 1)


def python_only():
    """The files as they are in the source, without anything that was built."""
    folder = e2e.TEMP / 'python-only'
    if not folder.exists():
        folder.mkdir()
        shutil.copy(port.MODULES / 'aioscope.py', folder)
        shutil.copytree(port.MODULES / 'aioscope_py', folder / 'aioscope_py')
    return folder


if MPREMOTE:
    tap.main()
else:
    print(f"1..0 # SKIP no mpremote in {FOLDER}")
