"""The dump's lines, as tests/golden/README.md defines them."""

REASONS = ('noise', 'header', 'checksum', 'cut', 'unknown-type', 'malformed', 'foreign',
           'duplicate')

# Keys whose numbers are hexadecimal, with their least number of digits.
HEXADECIMAL = {'byte': 2, 'context': 2, 'type': 2, 'flags': 2, 'tag': 2, 'code': 8,
               'capabilities': 1}


def quoted(data):
    safe = ''.join(chr(byte) if 0x20 <= byte <= 0x7E and byte not in b'"\\' else f'\\x{byte:02x}'
                   for byte in data)
    return f'"{safe}"'


def value(kind, key, what):
    if what is None:
        return '-'
    if isinstance(what, bool):
        return 'yes' if what else 'no'
    if isinstance(what, bytes):
        return quoted(what)
    if isinstance(what, int):
        if key == 'id' and kind in ('session', 'hello'):
            return f'{what:08x}'
        return f'{what:0{HEXADECIMAL[key]}x}' if key in HEXADECIMAL else str(what)
    return str(what)


def line(record):
    """A record as a line; one that belongs to a frame is indented."""
    fields = ''.join(f' {key}={value(record.kind, key, what)}'
                     for key, what in record.fields.items())
    return ('  ' if record.inner else '') + record.kind + fields
