"""Help, wrong usage, files that can not be read or written: status and one clear line."""

import os
import resource
import subprocess

import cli
import tap


@tap.case
def help_is_there_for_every_command():
    text = cli.good('--help')
    for command in cli.COMMANDS:
        tap.check(f'\n  {command} ' in text, command, 'is not in --help')
        own = cli.good(command, '--help')
        tap.check(own.startswith(f'Usage: aioscope-cli {command} '), own)
        tap.equal(own, cli.good(command, '-h'))
        tap.equal(own, cli.good('help', command))
        tap.check('?' not in own.replace('*, ?', ''), own)


@tap.case
def version_is_told():
    tap.check(cli.good('--version').startswith('aioscope-cli 0.'))


@tap.case
def every_kind_of_source_is_in_the_help():
    for kind in ('/dev/ttyACM0', 'tcp:HOST:PORT', 'tcp-listen:PORT', 'unix:PATH', 'demo[:'):
        tap.check(kind in cli.good('record', '--help'), kind)


@tap.case
def lanes_that_match_nothing_are_told_with_close_names():
    trace, _ = cli.simulated()
    picture = cli.PLACE / 'lanes.png'
    for lanes, names in (('moter.pid', 'motor.pid,'), ('CLIENTS', 'http.client,'),
                         ('sensr*', 'sensor.poll,'), ('!*', '')):
        cli.one_line(cli.run('render', trace, '-o', picture, '--lanes', lanes), 1,
                     f"--lanes '{lanes}'", f'closest are: {names}')
        tap.check(not picture.exists(), lanes)
    cli.good('render', trace, '-o', picture, '--lanes', 'motor*')


@tap.case
def wrong_usage_is_one_line_and_status_2():
    trace, _ = cli.simulated()
    wrong = [
        [], ['foo'], ['--foo'], ['help', 'foo'],
        *([command, '--foo'] for command in cli.COMMANDS),
        *([command] for command in ('info', 'stats', 'cat', 'render', 'record')),
        ['stats', trace, trace], ['stats', trace, '--csv', '--json'],
        ['stats', trace, '--session', '0'], ['stats', trace, '--session', 'x'],
        ['stats', trace, '--session', '-1'], ['stats', '--session'],
        ['ports', 'x'], ['record', 'demo'], ['record', 'demo', '-o', 'x', '--seconds', 'y'],
        ['record', 'demo', '-o', 'x', '--seconds', '-1'],
        ['record', 'demo:foo=1', '-o', 'x'],
        ['render', trace], ['render', trace, '-o', 'x', '--size', '3x'],
        ['render', trace, '-o', 'x', '--size', '1x1'],
        ['render', trace, '-o', 'x', '--from', 'now'],
        ['render', trace, '-o', 'x', '--from', '3s', '--to', '2s'],
        ['render', trace, '-o', 'x', '--scale', '99'],
        ['render', trace, '-o', 'x', '--session', 'all'],
        ['simulate', 'x'], ['simulate', '-o', 'x'], ['simulate', '--seconds', '-3'],
        ['simulate', '--baud', '-1'], ['simulate', '--speed', 'fast'],
        ['simulate', '--speed', '-1', '--seconds', '1', '-o', 'x'],
        ['simulate', '--seconds', '1', '-o', 'x', '--truth', 'x'],
        ['render', trace, '-o', 'x', '--from', '9e9s'],
        ['record', 'tcp:host', '-o', 'x'], ['record', 'tcp:host:x', '-o', 'x'],
        ['record', 'file:', '-o', 'x'], ['record', '/dev/ttyX@fast', '-o', 'x'],
        ['proxy', 'tcp:host'], ['install', 'tcp:host'],
    ]
    for args in wrong:
        result = cli.run(*args, cwd=cli.PLACE)
        cli.one_line(result, 2)
        tap.check('--help' in result.err, args, result.err)
        tap.check('value' not in result.err, args, 'a programmer\'s word:', result.err)
    tap.check(not (cli.PLACE / 'x').exists(), 'a file was made')


@tap.case
def a_wrong_number_is_told_with_its_option():
    for args, words in ((['--speed', 'abc'], "--speed takes a number, as 2 or 0.5, not 'abc'"),
                        (['--tasks=-4'], '--tasks must be 0 to 4000'),
                        (['--tasks=4001'], '--tasks must be 0 to 4000'),
                        (['--tasks=99999999999'], '--tasks 99999999999 is too large'),
                        (['--tasks', '1.5'], "--tasks takes a whole number, not '1.5'"),
                        (['--baud=-1'], '--baud must be 0'), (['--seed=-1'], '--seed must be 0'),
                        (['--events-hz=-1'], '--events-hz must be 0')):
        cli.one_line(cli.run('simulate', '--seconds', '1', *args), 2, words)
    path = cli.PLACE / 'many.wire'
    cli.good('simulate', '--seconds', '1', '--tasks', '4000', '--no-loss', '-o', path)
    names = {line.split(',')[0] for line in cli.good('stats', '--csv', path).splitlines()[1:]}
    tap.equal(len(names), 4000)


def unreadable():
    """Files that no command can read, each with a word of why."""
    place = cli.PLACE
    empty, text, secret = place / 'empty', place / 'text', place / 'secret'
    empty.write_bytes(b'')
    text.write_bytes(b'just text\n' * 50)
    secret.write_bytes(b'x')
    secret.chmod(0)
    yield place / 'none', 'No such file'
    yield place, 'directory'
    yield empty, 'empty'
    yield text, 'not a trace'
    if os.getuid() != 0:
        yield secret, 'Permission'


@tap.case
def files_that_can_not_be_read_say_why():
    for path, word in unreadable():
        for args in (['info', path], ['info', '--json', path], ['stats', path],
                     ['cat', path], ['render', path, '-o', cli.PLACE / 'never.png']):
            if args[0] == 'cat' and word == 'not a trace':
                continue  # it has told the text by then
            cli.one_line(cli.run(*args), 1, path, word)
    tap.check(not (cli.PLACE / 'never.png').exists())


@tap.case
def standard_input_may_be_empty_or_no_trace():
    cli.one_line(cli.run('info', '-', data=b''), 1, 'Standard input', 'empty')
    cli.one_line(cli.run('stats', '-', data=b'x' * 1000), 1, 'Standard input', 'not a trace')


@tap.case
def a_session_that_is_not_there_is_status_1():
    trace, _ = cli.simulated()
    cli.one_line(cli.run('stats', trace, '--session', '2'), 1, 'no session 2')


@tap.case
def a_full_disk_is_told():
    trace, _ = cli.simulated()
    for args in (['info', trace], ['stats', trace], ['cat', trace], ['--help'],
                 ['stats', '--help'], ['render', trace, '-o', '-'],
                 ['simulate', '--seconds', '1', '-o', '-'],
                 ['record', 'demo', '-o', '-']):
        with open('/dev/full', 'wb') as full:
            result = cli.run(*args, stdout=full)
        tap.equal(result.returncode, 1, args, result.err)
        tap.check('No space left' in result.err, args, result.err)
    for args in (['render', trace, '-o', '/dev/full'],
                 ['simulate', '--seconds', '1', '-o', '/dev/full'],
                 ['simulate', '--seconds', '1', '-o', cli.PLACE / 'sim', '--truth', '/dev/full'],
                 ['record', 'demo', '-o', '/dev/full']):
        cli.one_line(cli.run(*args), 1, 'No space left')


@tap.case
def a_picture_that_can_not_be_written_leaves_the_old_one():
    trace, _ = cli.simulated()
    folder = cli.PLACE / 'pictures'
    folder.mkdir()
    kept, link, new = folder / 'kept.png', folder / 'link.png', folder / 'new.png'
    kept.write_bytes(b'the old one')
    link.symlink_to(kept)
    for path in (kept, link, new):
        result = cli.run('render', trace, '-o', path, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (4096, 4096)))
        cli.one_line(result, 1, 'File too large')
        tap.check('..' not in result.err and '.png.' not in result.err, result.err)
    tap.equal(kept.read_bytes(), b'the old one')
    tap.equal(sorted(path.name for path in folder.iterdir()), ['kept.png', 'link.png'])
    cli.good('render', trace, '-o', link)
    tap.check(link.is_symlink() and kept.read_bytes().startswith(b'\x89PNG'), 'through a link')


def closed(numbers, *args):
    return subprocess.run(['sh', '-c', f'exec "$@" {numbers}', 'sh', cli.CLI, *map(str, args)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=cli.PATIENCE)


@tap.case
def nothing_gets_the_number_of_closed_output():
    trace, _ = cli.simulated()
    for args in (['simulate', '--seconds', '1', '-o', '-'], ['stats', trace], ['cat', trace],
                 ['info', trace], ['render', trace, '-o', '-'], ['record', 'demo', '-o', '-']):
        result = closed('>&-', *args)
        tap.equal((result.returncode, result.stdout), (1, ''), args)
        tap.check('Bad file descriptor' in result.stderr, args, result.stderr)
        tap.equal(result.stderr.count('\n'), 1, args, result.stderr)
    made = [cli.PLACE / name for name in ('open.wire', 'closed.wire')]
    tap.equal(closed('', 'record', trace, '-o', made[0]).returncode, 0)
    tap.equal(closed('<&- >&- 2>&-', 'record', trace, '-o', made[1]).returncode, 0)
    tap.equal(*(cli.good('stats', path, '--csv') for path in made))


@tap.case
def outputs_that_can_not_be_made_say_why():
    trace, _ = cli.simulated()
    nowhere = cli.PLACE / 'no' / 'such'
    for args in (['render', trace, '-o', nowhere], ['record', 'demo', '-o', nowhere],
                 ['simulate', '--seconds', '1', '-o', nowhere],
                 ['simulate', '--seconds', '1', '-o', '-', '--truth', nowhere]):
        cli.one_line(cli.run(*args), 1, nowhere, 'No such file')
    cli.one_line(cli.run('record', '/no/such/file', '-o', cli.PLACE / 'y'), 1)
    tap.check(not (cli.PLACE / 'y').exists(), 'a recording of nothing was left')


@tap.case
def a_reader_that_leaves_is_no_news():
    trace, _ = cli.simulated(20)
    for ignored in (False, True):
        process = subprocess.Popen([cli.CLI, 'cat', trace], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, restore_signals=not ignored)
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        process.wait(cli.PATIENCE)
        tap.equal(err, b'')
        tap.check(process.returncode != 0, 'the output was cut, but it says all is well')


cli.main()
