# The raw REPL that the unix port lacks, as far as mpremote needs it, on standard input and
# output: a soft reset ends the program with status 3, and whoever started it starts it again, with
# "raw" as its argument.
import sys
from time import sleep_ms

into, out = sys.stdin.buffer, sys.stdout


def say(text):
    out.write(text)
    try:
        out.flush()
    except (AttributeError, OSError):
        pass


def read():
    while True:
        try:
            byte = into.read(1)
        except OSError:  # nobody has the pty open
            sleep_ms(10)
            continue
        if not byte:
            sys.exit(0)
        return byte


def read_to_end(first):
    code = first
    while True:
        byte = read()
        if byte == b"\x04":
            return code
        code += byte


def run(code):
    say("OK")
    error = ""
    try:
        exec(compile(code, "<stdin>", "exec"), scope)
    except SystemExit:
        pass
    except BaseException as e:
        import io

        text = io.StringIO()
        sys.print_exception(e, text)
        error = text.getvalue().replace("\n", "\r\n")
    say("\x04" + error + "\x04>")


def raw():
    say("raw REPL; CTRL-B to exit\r\n>")
    while True:
        byte = read()
        if byte == b"\x02":
            say("\r\n>>> ")
            return
        if byte == b"\x01":
            say("raw REPL; CTRL-B to exit\r\n>")
        elif byte == b"\x04":
            say("OK\r\nMPY: soft reboot\r\n")
            sys.exit(3)
        elif byte == b"\x05":
            read()
            read()
            say("R\x00")
        elif byte not in b"\r\x03":
            run(read_to_end(byte))


scope = {"__name__": "__main__"}
if sys.argv[-1] == "raw":
    raw()
while True:
    byte = read()
    if byte == b"\x01":
        raw()
    elif byte in b"\r\x03":
        say("\r\n>>> ")
