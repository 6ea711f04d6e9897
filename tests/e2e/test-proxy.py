#!/usr/bin/env python3
"""One port for two: the text at a pty, everything for viewers and in a recording."""

import os
import resource
import signal
import subprocess
import time

import e2e
import proxy
import tap

EVERY_BYTE = bytes(range(256))


@tap.case
def the_text_is_whole_and_the_recording_is_what_record_makes():
    data, runs = e2e.simulate('whole', '--seconds', 20, '--no-loss')
    text = proxy.text_of(data)
    tap.check(len(text) > 500 and b'\xf9' not in text, len(text))
    path, plain = e2e.TEMP / 'whole.trace', e2e.TEMP / 'plain.trace'
    e2e.record(data, plain)
    with e2e.Board('whole') as board, \
            proxy.Proxy(board.serial, '-o', path, program=e2e.PORT_CLI) as one:
        reader = proxy.Reader(proxy.open_pty(one.pty))
        with one.viewer() as connection:
            viewer = proxy.Reader(connection.fileno())
            board.send(data, one)
            reader.wait_for(text)
            viewer.wait_for(data)
            said = one.stop()
            tap.equal(viewer.data, data)
        os.close(reader.fd)
    tap.equal(reader.data, text)
    tap.equal(proxy.board_bytes(path), proxy.board_bytes(plain))
    tap.equal(proxy.board_bytes(path), data)
    e2e.equal_statistics(e2e.stats(path), runs)
    tap.check('dropped' not in said and 'damaged' not in said, said)


@tap.case
def what_is_typed_goes_to_the_board_as_it_is():
    with e2e.Board('typed') as board, \
            proxy.Proxy(board.serial, program=e2e.PORT_CLI) as one:
        pty = proxy.open_pty(one.pty)
        with one.viewer() as connection:
            typed = EVERY_BYTE + b'\x03\x03\r\n\x01' + b'print(1)\r' * 1000
            reader = proxy.Reader(board.master)
            for at in range(0, len(typed), 500):
                os.write(pty, typed[at:at + 500])
            reader.wait_for(typed)
            tap.equal(reader.data, typed)
            connection.sendall(b'\x04')
            reader.wait_for(typed + b'\x04')
        # Written and closed at once.
        os.write(pty, b'bye\r')
        os.close(pty)
        reader.wait_for(typed + b'\x04bye\r')
        tap.equal(reader.data, typed + b'\x04bye\r')
        said = one.stop()
        tap.check('typed did not reach' not in said, said)


@tap.case
def a_reader_that_does_not_read_is_told_and_holds_nothing_up():
    path = e2e.TEMP / 'unread.trace'
    data = b''.join(b'line %06d of a program that prints a lot\r\n' % i for i in range(12000))
    with e2e.Board('unread') as board, \
            proxy.Proxy(board.serial, '-o', path, program=e2e.PORT_CLI) as one:
        # Nobody has it open.
        board.send(data, one)
        e2e.until(lambda: len(data) <= path.stat().st_size, 'all of it')
        # Open, but asleep.
        pty = proxy.open_pty(one.pty)
        board.send(b'hello\r\n', one)
        board.send(data, one)
        e2e.until(lambda: 2 * len(data) <= path.stat().st_size, 'all of it again')
        e2e.until(lambda: 'bytes of text were dropped' in one.messages(), 'it is told')
        # It wakes up: what it gets is whole lines from the start, and then the newest.
        reader = proxy.Reader(pty)
        e2e.until(lambda: len(reader.data) > 200000, 'what was kept')
        board.send(b'\r\nwell again\r\n', one)
        e2e.until(lambda: b'well again' in reader.data, 'the newest')
        said = one.stop()
        os.close(pty)
    tap.equal(proxy.board_bytes(path), data + b'hello\r\n' + data + b'\r\nwell again\r\n')
    tap.check(reader.data.startswith(b'hello\r\n' + data[:100000]), reader.data[:200])
    dropped = sum(int(line.split(': ')[1].split()[0]) for line in said.splitlines()
                  if 'bytes of text were dropped' in line)
    tap.equal(dropped + len(reader.data), len(data) + 7 + 14)
    tap.check(f'{len(data)} bytes of text came while nobody had' in said, said)


@tap.case
def an_unplugged_board_is_awaited():
    path = e2e.TEMP / 'unplugged.trace'
    data, _ = e2e.simulate('unplugged', '--seconds', 2, '--no-loss')
    board = e2e.Board('unplugged')
    with proxy.Proxy(str(board.link), '-o', path) as one:
        reader = proxy.Reader(proxy.open_pty(one.pty))
        begun = data.index(b'\xf9') + 5     # in the middle of a frame
        text = proxy.text_of(data) + proxy.text_of(data[:begun - 5])
        board.send(data + data[:begun], one)
        reader.wait_for(text)
        board.__exit__()
        e2e.until(lambda: 'unplugged or closed' in one.messages(), 'it is told')
        os.write(reader.fd, b'lost?')
        e2e.until(lambda: '5 bytes that were typed did not reach' in one.messages(), 'as well')
        with e2e.Board('unplugged') as board:
            e2e.until(lambda: 'back: ' in one.messages(), 'it is back')
            board.send(b'here again\r\n', one)
            reader.wait_for(text + b'here again\r\n')
            os.write(reader.fd, b'found')
            heard = proxy.Reader(board.master)
            heard.wait_for(b'found')
            one.stop()
        os.close(reader.fd)
    tap.equal(reader.data, text + b'here again\r\n')
    changes = [line.value.split()[0] for line in e2e.cat(path) if line.kind == 'link']
    tap.equal(changes, ['connected', 'lost', 'back', 'ended'])


@tap.case
def text_is_not_delayed():
    with e2e.Board('prompt') as board, \
            proxy.Proxy(board.serial, program=e2e.PORT_CLI) as one:
        reader = proxy.Reader(proxy.open_pty(one.pty))
        delays = []
        for turn in range(200):
            want = len(reader.data) + 5
            began = time.monotonic()
            board.send(b'>>> \xc3', one)    # with the first half of a character
            e2e.until(lambda: len(reader.data) >= want, f'turn {turn}')
            delays.append(reader.at - began)
        one.stop()
        os.close(reader.fd)
    delays.sort()
    print(f'# from the board to the pty: median {delays[100] * 1e3:.2f} ms, '
          f'longest {delays[-1] * 1e3:.2f} ms')
    tap.check(delays[100] < 0.05, delays[100])


@tap.case
def a_live_board_for_a_tool_and_a_recorder_at_once():
    truth, path = e2e.TEMP / 'live.csv', e2e.TEMP / 'live.trace'
    with e2e.Simulated('--speed', 2, '--seconds', 6, '--no-loss', '--truth', truth) as board, \
            proxy.Proxy(board.path) as one:
        listed = e2e.run(e2e.CLI, 'ports', env={**os.environ,
                                                'XDG_RUNTIME_DIR': str(proxy.RUNTIME)})
        tap.check(one.address() in listed.decode(), listed)
        reader = proxy.Reader(proxy.open_pty(one.pty))
        with e2e.Recording(one.address(), path, '--no-reconnect') as recording:
            recording.connected()
            e2e.until(lambda: board.process.poll() is not None, 'the board ends')
            # Nobody waits for another pty of that name.
            tap.equal(one.process.wait(e2e.LIMIT), 0, one.messages())
            tap.check(f'The other side of {board.path} ended.' in one.messages(),
                      one.messages())
            recording.wait()
        os.close(reader.fd)
    told = e2e.info(path)
    tap.equal(told['skipped_bytes'], 0, told)
    # The recorder came a moment after the board had begun.
    runs = e2e.read_truth(truth)
    table = e2e.stats(path)
    seen = sum(int(row['runs']) for row in table.values())
    tap.check(0.5 * len(runs) < seen <= len(runs), seen, len(runs))
    text = proxy.text_of(proxy.board_bytes(path))
    tap.check(text and text in reader.data, len(text), len(reader.data))


@tap.case
def viewers_may_connect_by_tcp():
    data, _ = e2e.simulate('tcp', '--seconds', 2, '--no-loss')
    path = e2e.TEMP / 'tcp.trace'
    with e2e.Board('tcp') as board, \
            proxy.Proxy(board.pty, '--serve', 'tcp-listen:0') as one:
        with e2e.Recording(one.address(), path, '--no-reconnect') as recording:
            recording.connected()
            e2e.until(lambda: '1 viewer' in one.messages(), 'it is seen')
            board.send(data, one)
            e2e.until(lambda: data[-16:] in path.read_bytes(), 'the end')
            one.stop(signal.SIGTERM)
            recording.wait()
    tap.equal(proxy.board_bytes(path), data)


def refused(*arguments, status=1):
    done = subprocess.run([e2e.CLI, 'proxy', *map(str, arguments)], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=e2e.LIMIT, text=True,
                          env={**os.environ, 'XDG_RUNTIME_DIR': str(proxy.RUNTIME)})
    tap.equal((done.returncode, done.stdout, done.stderr.count('\n')), (status, '', 1),
              done.stderr)
    return done.stderr


@tap.case
def what_cannot_be_is_refused_in_a_line():
    exists = e2e.TEMP / 'exists.trace'
    exists.write_bytes(b'precious')
    tap.check('is missing' in refused(status=2))
    tap.check('nothing to type at' in refused(exists, status=2))
    tap.check('nothing to type at' in refused('-', status=2))
    tap.check('standard output' in refused('/dev/ttyNONE1', '-o', '-', status=2))
    tap.check('--serve takes' in refused('/dev/ttyNONE1', '--serve', '4711', status=2))
    tap.check('is not there' in refused('/dev/ttyNONE1'))
    with e2e.Board('refused') as board:
        tap.check('--force' in refused(board.pty, '-o', exists))
        tap.equal(exists.read_bytes(), b'precious')
        with proxy.Proxy(board.pty) as one:
            # By the link, too: it is the same pty.
            for name in (board.pty, board.link):
                said = refused(name)
                tap.check('in use by its proxy' in said and one.address() in said, said)
            e2e.until(lambda: '0 viewers' not in one.messages(), 'looking is no viewer')
    tap.equal(list(proxy.RUNTIME.glob('aioscope/*refused*')), [])


@tap.case
def a_full_disk_ends_the_file_but_not_the_proxy():
    path = e2e.TEMP / 'limited.trace'
    data, _ = e2e.simulate('limited', '--seconds', 10, '--no-loss')
    text = proxy.text_of(data)
    tap.check(len(data) > 50000, len(data))
    with e2e.Board('limited') as board:
        # What is written to standard error counts as well, but is far less.
        with proxy.Proxy(board.pty, '-o', path, preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_FSIZE, (20000, 20000))) as one:
            reader = proxy.Reader(proxy.open_pty(one.pty))
            board.send(data, one)
            reader.wait_for(text)
            tap.equal(reader.data, text)
            said = one.stop(status=1)
            os.close(reader.fd)
    tap.check('not kept' in said and 'limited.trace' in said, said)
    tap.check(data.startswith(proxy.board_bytes(path)[:10000]))


tap.main()
