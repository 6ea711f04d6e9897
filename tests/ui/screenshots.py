"""Pictures of the window for people to look at; a tool, not a test.

    SCREEN=1920x1200x24 tests/with-display.sh /usr/bin/python3 tests/ui/screenshots.py \\
        build/ui/aioscope build/src/cli/aioscope-cli OUTDIR [MICROPYTHON]

MICROPYTHON is a unix port with the recorder: the window is then shown live on an example, and nothing
else is.

Run it with PYTHONPATH=tests and a release build. It needs ImageMagick's `import`.
"""

import os
import pathlib
import subprocess
import sys
import time

import window

OUT = pathlib.Path(sys.argv[3])
EXAMPLE = pathlib.Path(__file__).parents[2] / 'src/device/micropython/examples/greenhouse.py'
PORT = 7878


def shoot(w, name):
    subprocess.run(['import', '-window', w.number, str(OUT / f'{name}.png')], check=True)
    print(OUT / f'{name}.png', flush=True)


def take(name, *args, size=(1280, 800), do=None, ready=True, **env):
    w = window.Window(*args, env=env)
    try:
        window.run('xdotool', 'windowsize', w.number, *size)
        window.run('xdotool', 'mousemove', 5, 5)
        if ready:
            window.until('statistics', lambda: len(w.rows()) > 5)
        if do:
            do(w)
        time.sleep(1.5)
        shoot(w, name)
    finally:
        w.kill()


def hog(w):
    w.keys('Home', 'n')
    x, y, width, height = w.box(w.find('image', 'Scope'))
    window.run('xdotool', 'mousemove', x + width * 7 // 10, y + height // 3)


def later(w):
    time.sleep(5)


def no_frames(w):
    w.see('no frames')


def micropython(program):
    """The window listens, the example calls, and its hog is framed while it goes on."""
    def run(w):
        with subprocess.Popen([program, '-X', 'heapsize=256k', EXAMPLE, f'127.0.0.1:{PORT}', '30'],
                              stdout=subprocess.DEVNULL) as board:
            window.until('statistics', lambda: len(w.table()) > 5)
            time.sleep(6)
            hog(w)
            time.sleep(1)
            shoot(w, 'micropython')
            board.terminate()
    take('micropython-end', f'tcp-listen:{PORT}', do=run, ready=False)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 4:
        micropython(sys.argv[4])
        return
    trace, many = window.trace(20, 3), window.trace(5, 4, '--tasks', 200)
    for suffix, options in (('', ()), ('-dark', ('--dark',))):
        take('empty' + suffix, *options, ready=False)
        take('live' + suffix, *options, 'demo', do=later)
        take('hog' + suffix, *options, trace, do=hog)
        take('whole' + suffix, *options, trace)
        take('lanes' + suffix, *options, many)
    take('small', trace, size=(800, 600))
    take('small-live', 'demo', size=(800, 600), do=later)
    take('small-lanes', many, size=(800, 600))
    take('scale-2', trace, size=(1800, 1160), do=hog, GDK_SCALE='2')
    master, slave = os.openpty()
    for _ in range(30):
        os.write(slave, b'hello from the program\r\n')
    path = os.ttyname(slave)

    def text(w):
        for _ in range(40):
            os.write(master, b'temperature 21.5\n')
            time.sleep(0.05)
        no_frames(w)
    take('no-frames', path, do=text, ready=False)


main()
