"""Unnamed recordings: which are offered, how they get a name, and where they are. Exports."""

import os
import pathlib
import resource
import shutil
import tempfile
import time

import boards
import tap
import window
from boards import recordings

SCHEMAS = str(pathlib.Path(window.APP).parents[1] / 'data')


def offered(w):
    """What the empty page offers, as {words of a row}."""
    w.find('button', 'Try the demo')
    lists = w.all('list', 'Unnamed recordings.*')
    return [node.name for node in lists[0].walk() if node.role == 'label'] if lists else []


def stop(w):
    w.press('button', 'Disconnect')
    w.gone('button', 'Disconnect')


def shown(w):
    window.until('tasks are in the table', lambda: len(w.table()) > 3)


@tap.case
def the_programs_end_waits_for_what_is_saved():
    """An unnamed recording on another disk is copied, which takes a while."""
    if not os.path.isdir('/dev/shm') or os.stat('/dev/shm').st_dev == os.stat(window.PLACE).st_dev:
        tap.skip('there is no second file system')
    with tempfile.TemporaryDirectory(dir='/dev/shm', prefix='asc-ui-') as state:
        size, path = 400 << 20, pathlib.Path(state) / 'aioscope/recordings/before.trace'
        path.parent.mkdir(parents=True)
        shutil.copy(window.trace(2), path)
        os.truncate(path, size)     # a hole takes no room there
        with window.Window(path, env={'XDG_STATE_HOME': state}) as w:
            shown(w)
            number = w.number
            w.action('win.save')
            w.accept('Save the recording', w.home / 'mine.trace')
            while not [*w.home.glob('.mine*'), *w.home.glob('mine*')]:
                time.sleep(0.001)
            window.run('xdotool', 'windowfocus', number, 'key', 'ctrl+w')
            w.process.wait(window.PATIENCE)
            tap.equal(w.process.returncode, 0)
            tap.equal((w.home / 'mine.trace').stat().st_size, size)
            tap.equal(list(w.home.glob('.mine*')), [], 'half a copy')
            (w.home / 'mine.trace').unlink()
        tap.check(not path.exists(), 'it was moved')


@tap.case
def saved_ones_and_empty_ones_are_not_offered():
    with boards.Sending(b'') as board, window.Window(board.path) as w:
        w.see('nothing arrives')
        home = w.home
        tap.equal(len(recordings(w)), 1)
    tap.equal(recordings(w), [], 'nothing came')
    with window.Window('--demo', home=home) as w:
        shown(w)
        stop(w)
        w.action('win.save')
        w.answer('Save the recording', home / 'mine.trace')
        w.see('Saved as')
        window.until('it is there', (home / 'mine.trace').exists)
        tap.equal((home / 'mine.trace').read_bytes(), recordings(w)[0].read_bytes())
        w.action('win.close-trace')
        tap.equal(offered(w), [])
        w.find('list item', 'mine.trace')
        # One that goes on after it was saved has more than the saved one.
        w.press('button', 'Try the demo')
        shown(w)
        w.action('win.save')
        w.answer('Save the recording', home / 'part.trace')
        w.see('Saved as')
        count = boards.runs(w)
        window.until('it goes on', lambda: boards.runs(w) > count)
        stop(w)
        w.action('win.close-trace')
        words = offered(w)
        tap.equal(len(words), 2, words)
        tap.check(words[0].endswith('Demo board') and words[1].endswith(' more than part.trace'),
                  words)
    tap.equal(len(recordings(w)), 2)
    with window.Window(home=home) as w:
        tap.equal(offered(w), words)
        tap.equal(len(recordings(w)), 1, 'the one that was saved whole is gone')
        # Opened from there, it can be given a name.
        node, = [node for node in w.all('list item', '.*Demo board') if 'part' not in node.name]
        w.click(node)
        shown(w)
        w.action('win.save')
        w.answer('Save the recording', home / 'named')
        w.see('Saved as .*named.trace')
        w.action('win.close-trace')
        tap.equal(offered(w), [])
        tap.equal(recordings(w), [])
    tap.check(window.count(window.cli('stats', '--csv', home / 'named.trace').split(',')[-1]) == 0)


def without_a_state_folder(run):
    place = window.PLACE / 'no folder'
    place.write_text('')
    return {'XDG_STATE_HOME': str(place), 'XDG_RUNTIME_DIR': run}


@tap.case
def where_the_state_folder_cannot_be_written_another_one_is_taken():
    run = window.PLACE / 'run'
    run.mkdir(mode=0o700)
    env = without_a_state_folder(str(run))
    with window.Window('--demo', env=env) as w:
        said = w.see('can not be written')
        tap.check(str(run) in said and 'no folder' in said and 'save it' in said, said)
        shown(w)
        stop(w)
    path, = (run / 'aioscope' / 'recordings').iterdir()
    tap.check('motor.pid' in window.cli('stats', path))


@tap.case
def where_no_folder_can_be_written_that_is_said():
    env = {**without_a_state_folder('/proc/1/nowhere'), 'TMPDIR': '/proc/1/nowhere'}
    with window.Window(window.trace(), env=env) as w:
        shown(w)
        title = w.title()
        w.action('win.demo')
        w.see('No folder for recordings can be written')
        tap.equal(w.title(), title)


@tap.case
def a_limit_of_file_sizes_is_a_message():
    with window.Window('--demo') as w:
        shown(w)
        size = recordings(w)[0].stat().st_size + 5000
        resource.prlimit(w.process.pid, resource.RLIMIT_FSIZE, (size, size))
        w.see('no space left|can not be written|full|File too large')
        count = boards.runs(w)
        window.until('the view goes on', lambda: boards.runs(w) > count)


@tap.case
def exports_are_proposed_beside_the_trace():
    folder = window.PLACE / 'a folder'
    folder.mkdir()
    path = folder / 'measured.trace'
    path.write_bytes(window.trace(30, 3).read_bytes())
    with window.Window(path) as w:
        shown(w)
        for action, title, name in (('win.export', 'Export the statistics', 'measured.csv'),
                                    ('win.export-hogs', 'Export the hogs', 'measured-hogs.csv'),
                                    ('win.picture', 'Save a picture', 'measured.png')):
            w.action(action)
            window.until('the dialog', lambda title=title: any(
                node.name == title for node in w.tree().children))
            w.focus(title)
            w.keys('Return')
            window.until('the dialog closes', lambda title=title: all(
                node.name != title for node in w.tree().children))
            w.focus()
            w.see(f'{folder}/{name}')
        tap.equal((folder / 'measured.csv').read_text(), window.cli('stats', '--csv', path))
        tap.equal((folder / 'measured-hogs.csv').read_text(), window.cli('hogs', '--csv', path))
        tap.check((folder / 'measured.png').read_bytes().startswith(b'\x89PNG'))
        # The button offers all of it.
        w.click(w.find('button', 'Export'))
        for words in ('Statistics as CSV…', 'Hogs, and whom they delayed, as CSV…', 'Picture of what is seen…',
                      'Copy the statistics as a table'):
            w.find(None, words)
        w.keys('Escape')
        w.action('win.copy-table')
        w.see('in the clipboard')


def is_dark(w):
    """By what is seen."""
    shown(w)
    picture = window.PLACE / 'theme.png'
    w.picture(picture)
    left, top = w.corner()
    return float(window.run('convert', picture, '-crop', f'800x500+{left + 200}+{top + 100}',
                            '-colorspace', 'Gray', '-format', '%[fx:mean]', 'info:')) < 0.5


def theme_is_remembered(env):
    if not shutil.which('convert'):
        tap.skip('ImageMagick is not installed')
    if not (pathlib.Path(SCHEMAS) / 'gschemas.compiled').exists():
        tap.skip('the schema is not compiled')
    env = {'GSETTINGS_SCHEMA_DIR': SCHEMAS, **env}
    trace = window.trace()
    with window.Window('--dark', trace, env=env) as w:
        window.until('it is dark', lambda: is_dark(w))
        home = w.home
    with window.Window(trace, home=home, env=env) as w:
        window.until('it was dark for that time only', lambda: not is_dark(w))
        w.action('win.dark')
        window.until('it is dark', lambda: is_dark(w))
    with window.Window(trace, home=home, env=env) as w:
        window.until('it is remembered', lambda: is_dark(w))
        w.action('win.dark')
        window.until('it is light', lambda: not is_dark(w))
    with window.Window(trace, home=home, env=env) as w:
        window.until('that too', lambda: not is_dark(w))


tap.add('the theme is remembered', theme_is_remembered, {'GSETTINGS_BACKEND': 'keyfile'})
# As where nothing of the desktop keeps settings.
tap.add('the theme is remembered without dconf', theme_is_remembered,
        {'GSETTINGS_BACKEND': None, 'GIO_MODULE_DIR': str(window.PLACE)})


window.main()
