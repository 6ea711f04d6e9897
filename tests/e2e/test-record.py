#!/usr/bin/env python3
"""Recordings that end badly or well: killed, interrupted, on a full disk."""

import resource
import shutil
import signal
import subprocess
import sys
import time

import e2e
import tap
from asc_decode import Decoder


def board_bytes(path):
    """A trace without its host frames: what was received, as far as it is whole frames."""
    import asc_frames
    data = path.read_bytes()
    kept = bytearray()
    for part in asc_frames.split(data):
        if part.kind != 'frame' or part.value.type < 0x80:
            kept += data[part.offset:part.offset + part.size]
    return bytes(kept)


def check_opens(path, data, least):
    """It opens, and holds the stream's beginning, at least so much of it."""
    received = board_bytes(path)
    tap.check(data.startswith(received), 'other bytes than were sent')
    tap.check(len(received) >= least, f'{len(received)} bytes of at least {least}')
    info = e2e.info(path)
    whole = Decoder().decode(path.read_bytes())[-1].fields
    tap.equal(info['events'], whole['events'], 'events')
    tap.equal(info['missing_events'], 0, 'missing')
    e2e.run(e2e.CLI, 'stats', path)
    e2e.run(e2e.CLI, 'cat', path)


@tap.case
def killed_but_all_that_is_older_than_a_second_is_there():
    data, _ = e2e.simulate('killed', '--seconds', 10)
    path = e2e.TEMP / 'killed.trace'
    with e2e.Board('killed') as board, \
            e2e.Recording(board.serial, path, program=e2e.PORT_CLI) as recording:
        recording.connected()
        half = len(data) // 2
        board.send(data[:half], recording)
        time.sleep(1)       # what is promised is what is older
        board.send(data[half:half + 3000], recording)
        recording.process.kill()
        recording.process.wait(e2e.LIMIT)
    check_opens(path, data, half)


@tap.case
def an_interrupt_ends_well_in_the_middle_of_a_frame():
    data, runs = e2e.simulate('interrupted', '--seconds', 2, '--no-loss')
    for number, name in ((signal.SIGINT, 'int'), (signal.SIGTERM, 'term')):
        path = e2e.TEMP / f'interrupted-{name}.trace'
        sent = data + data[:20]         # HELLO again, but not all of it
        with e2e.Board(name) as board, \
                e2e.Recording(board.serial, path, program=e2e.PORT_CLI) as recording:
            recording.connected()
            board.send(sent, recording)
            e2e.until(lambda: sent[-28:] in path.read_bytes(), 'all of it')
            recording.process.send_signal(number)
            recording.wait()
            tap.check(path.name in recording.messages(), recording.messages())
        check_opens(path, sent, len(sent))
        e2e.equal_statistics(e2e.stats(path), runs)
        tap.check(e2e.lost_known(path, 1), 'an orderly end is no damage')


@tap.case
def a_file_that_ends_in_a_frame_says_so():
    data, _ = e2e.simulate('ends', '--seconds', 1, '--no-loss')
    path = e2e.TEMP / 'ends.wire'
    path.write_bytes(data)
    tap.check(e2e.lost_known(path, 1))
    path.write_bytes(data[:-5])
    tap.check(not e2e.lost_known(path, 1))
    tap.check(e2e.info(path)['sessions'][0]['tail_unknown'])
    said = e2e.run(e2e.CLI, 'stats', path).decode()
    tap.check(', an unknown number of events lost\n' in said, said.splitlines()[0])


def record_until_full(name, path, data, **options):
    """Sends all of it to a recording whose file cannot hold it; what it said."""
    with e2e.Board(name) as board, \
            e2e.Recording(board.serial, path, program=e2e.PORT_CLI,
                          **options) as recording:
        recording.connected()
        sent = 0
        while sent < len(data) and not recording.ended():
            board.send(data[sent:sent + 1024], recording)
            sent += 1024
            time.sleep(0.001)
        recording.wait(status=1)
        return recording.messages()


@tap.case
def a_file_that_may_not_grow_is_told_and_opens():
    data, _ = e2e.simulate('limited', '--seconds', 30, '--no-loss')
    path = e2e.TEMP / 'limited.trace'
    limit = 100_000
    said = record_until_full('limited', path, data, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (limit, limit)))
    tap.check('limited.trace' in said, said)
    check_opens(path, data, limit * 9 // 10)


FULL = '''
import subprocess, sys
folder = sys.argv[1]
subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], check=True)
subprocess.run([sys.executable, *sys.argv[2:]], check=True)
'''


@tap.case
def a_full_disk_is_told_and_what_was_written_opens():
    folder = e2e.TEMP / 'disk'
    folder.mkdir()
    unshare = ['unshare', '-Urm']
    if not shutil.which('unshare') or subprocess.run(
            [*unshare, 'mount', '-t', 'tmpfs', 'tmpfs', folder], capture_output=True).returncode:
        tap.skip('no mount namespace here')
    done = subprocess.run([*unshare, sys.executable, '-c', FULL, folder, __file__, e2e.CLI,
                           e2e.PORT_CLI, folder], capture_output=True, text=True,
                          timeout=e2e.LIMIT)
    tap.equal(done.returncode, 0, done.stdout, done.stderr)


def on_full_disk(folder):
    """Inside the namespace, where folder is a small disk of its own."""
    # More than the disk holds, however fast it comes between two looks at what is free.
    data, _ = e2e.simulate('full', '--seconds', 250, '--no-loss')
    tap.check(len(data) > 2_500_000, len(data))
    path = e2e.pathlib.Path(folder) / 'full.trace'
    said = record_until_full('full', path, data)
    tap.check('full.trace' in said and 'full' in said.replace('full.trace', ''), said)
    # It leaves a floor of 1 MiB for others, but looks only once a second.
    check_opens(path, data, 500_000)


if len(sys.argv) > 3:
    on_full_disk(sys.argv[3])
else:
    tap.main()
