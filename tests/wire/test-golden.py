#!/usr/bin/env python3
"""The second decoder agrees with the dump of every golden capture."""

import difflib
import pathlib

import asc_decode
import asc_dump
import tap

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / 'golden'


def dump(path):
    records = asc_decode.Decoder(path.suffix == '.wire').decode(path.read_bytes())
    return [asc_dump.line(record) for record in records]


def agrees(path):
    want = path.with_name(path.name + '.txt').read_text().splitlines()
    tap.nothing(difflib.unified_diff(want, dump(path), 'the dump', 'the second decoder',
                                     n=1, lineterm=''))


@tap.case
def there_are_captures_of_both_kinds():
    for pattern in ('*.wire', '*.trace'):
        tap.check(list(GOLDEN.glob(pattern)), pattern)


for capture in sorted(GOLDEN.glob('*')):
    if capture.suffix in ('.wire', '.trace'):
        tap.add(capture.name, agrees, capture)

tap.main()
