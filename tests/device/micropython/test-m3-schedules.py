"""Programs that keep their own truth on an emulated Cortex-M3, the trace on its second UART, recorded
through a pty by aioscope-cli. The same programs as on unix.

    test-m3-schedules.py AIOSCOPE_CLI AIOSCOPE_CLI FOLDER m3|armv7m

FOLDER is what fetch-source.sh made. m3: the module is in the firmware; armv7m: it is a file.
"""

import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'e2e'))

import e2e
import tap

import emulation
import port
import schedules
from played import Played, read_truth

FOLDER, KIND = sys.argv[3:5]
TARGET = 'm3' if KIND == 'm3' else 'm3-plain'
END = b'~~~'     # and more of it: a host frame may stand anywhere in text that comes slowly
PERIOD = 2**30      # of ticks_us


def play(script):
    text = (HERE / 'board' / f'{script}.py').read_text()
    truth, trace = e2e.TEMP / f'{script}.truth', e2e.TEMP / f'{script}.trace'
    with (emulation.Emulation(FOLDER, TARGET) as board,
          e2e.Recording(board.pty, trace) as recording):
        recording.connected()
        if KIND != 'm3':
            board.send({'_aioscope.mpy': port.program(FOLDER, KIND)})
        board.connect(trace)
        truth.write_text(board.run(text))
        board.say(20 * END)
        e2e.until(lambda: END in trace.read_bytes(), 'the end')
        tap.check(not recording.ended(), recording.messages())
        recording.process.send_signal(signal.SIGINT)
        recording.wait()
    return Played(e2e.cat(trace), read_truth(truth), '', b'', trace, PERIOD)


@tap.case
def loops():
    schedules.loops(play('loops'), gc=KIND == 'm3', told=KIND == 'm3')


for name in ('nested', 'many', 'cancel', 'waits', 'locked', 'sessions'):
    tap.add(name, lambda name: getattr(schedules, name)(play(name)), name)

if not port.missing(FOLDER, TARGET) and not port.missing(FOLDER, KIND):
    tap.main()
