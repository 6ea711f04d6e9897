#!/usr/bin/env python3
"""Demo board, pty, libserialport, recording: the statistics are those of the truth."""

import os
import time

import e2e
import tap
from asc_decode import Decoder


def board(name, *options, through='serial'):
    """Records a simulated board to its end: the trace's path and the truth's runs."""
    trace = e2e.TEMP / f'{name}.trace'
    data, runs = e2e.simulate(name, '--seed', tap.random.randrange(1, 10**6), *options)
    e2e.record(data, trace, through)
    return trace, runs


def born(trace):
    """Instances born, by task, as the decoder written from PROTOCOL.md alone reads it."""
    names, starts = {}, []
    for record in Decoder().decode(trace.read_bytes()):
        if record.kind == 'name':
            names[record.fields['id']] = \
                b'.'.join((record.fields['module'], record.fields['function'])).decode()
        elif record.kind == 'start':
            starts.append(record.fields['name'])
    found = {}
    for name in starts:
        found[names[name]] = found.get(names[name], 0) + 1
    return found


def check_all(trace, runs):
    """Nothing was lost, so every run counts and every figure is exact."""
    told = e2e.stats_json(trace)
    tap.equal(told['lost_events'], 0, 'lost')
    tap.equal(told['skipped_bytes'], 0, 'skipped')
    tap.equal(told['coverage'], 1, 'coverage')
    table = e2e.stats(trace)
    e2e.equal_statistics(table, runs)
    tap.equal({task: int(row['instances']) for task, row in table.items()}, born(trace))
    seconds = told['observed_ns'] / 1e9
    for task, row in table.items():
        tap.equal(row['censored'], '0', task)
        tap.check(abs(float(row['rate_hz']) - int(row['runs']) / seconds) < 0.001, task, row)
        share = int(row['total_ns']) / told['observed_ns'] * 100
        tap.check(abs(float(row['cpu_percent']) - share) < 0.0001, task, row, share)


@tap.case
def statistics_through_libserialport_equal_the_truth():
    trace, runs = board('whole', '--no-loss', '--seconds', 20)
    tap.check(len(runs) > 1000, len(runs))
    check_all(trace, runs)


@tap.case
def statistics_through_a_plain_pty_equal_the_truth():
    check_all(*board('plain', '--no-loss', '--seconds', 5, '--tasks', 60, through='pty'))


@tap.case
def what_the_board_dropped_is_left_out_and_counted():
    trace, runs = board('dropping', '--speed', 1000, '--seconds', 24)
    records = Decoder().decode(trace.read_bytes())
    # In the demo's ticks of 1 us; each LOST is a stretch, and there is no other.
    lost = [(record.fields['ticks'] * 1000, record.fields['duration'] * 1000,
             record.fields['events']) for record in records if record.kind == 'lost']
    tap.check(lost, 'this board dropped nothing')

    def touches(run):
        return any(run.start < at + length and run.end >= at for at, length, _ in lost)

    def cut_off(run):
        return any(run.start < at <= run.end for at, _, _ in lost)

    hidden = [run for run in runs if touches(run)]
    table = e2e.stats(trace)
    e2e.equal_statistics(table, [run for run in runs if not touches(run)])
    for task, row in table.items():
        tap.equal(int(row['censored']), sum(run.task == task for run in hidden if cut_off(run)),
                  task, 'censored')
    told = e2e.stats_json(trace)
    tap.equal(told['lost_events'], sum(events for _, _, events in lost), 'lost')
    tap.equal(told['lost_events'],
              [record for record in records if record.kind == 'hello'][-1].fields['dropped'])
    # Each run that nothing tells of had an ENTER and an EXIT.
    tap.check(told['lost_events'] >= 2 * sum(not cut_off(run) for run in hidden) - len(lost))
    info = e2e.info(trace)['sessions'][0]
    tap.equal(told['observed_ns'], info['length_ns'] - sum(length for _, length, _ in lost))


@tap.case
def what_simulate_serves_itself_is_the_same():
    truth, trace = e2e.TEMP / 'served.csv', e2e.TEMP / 'served.trace'
    with e2e.Simulated('--truth', truth, '--no-loss', '--speed', 0, '--seconds', 5) as board:
        with e2e.Recording(board.path, trace, '--no-reconnect') as recording:
            recording.wait()
    check_all(trace, e2e.read_truth(truth))


@tap.case
def a_slow_reader_gets_all_that_simulate_serves():
    options = ('--seconds', 0.3, '--no-loss', '--speed', 0, '--seed', 7)
    want, _ = e2e.simulate('slow', *options)
    got = b''
    with e2e.Simulated(*options) as board:
        fd = os.open(board.path, os.O_RDONLY | os.O_NOCTTY)
        try:
            while piece := os.read(fd, 64):
                got += piece
                time.sleep(0.001)
        except OSError:     # EIO: the other end is gone
            pass
        os.close(fd)
    tap.equal(len(got), len(want))
    tap.check(got == want)


tap.main()
