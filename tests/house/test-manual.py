#!/usr/bin/env python3
"""The manual pages and --help name the same commands and options."""

import re

import house
import tap

CLI = house.BUILD / 'src' / 'cli' / 'aioscope-cli'
VIEWER = house.BUILD / 'ui' / 'aioscope'
OPTION = re.compile(r'(?<![\w-])(--[a-z][a-z-]*)')
# GLib and GTK add these to every program.
TOOLKIT = re.compile(r'--(help.*|version|gapplication.*|class|name|gdk.*|gtk.*|display|g-.*)$')


def page(name):
    return (house.ROOT / 'data' / 'man' / f'{name}.1').read_text().replace('\\-', '-')


def asked(program, *args):
    if program == VIEWER and not program.exists():
        tap.skip('the viewer is not built here')
    result = house.run(program, *args, '--help')
    tap.equal(result.returncode, 0, result.stdout)
    return result.stdout


def commands():
    """The commands that the manual names."""
    return re.findall(r'^\.TP\n\.BI? "?([a-z]+)(?= |$)', page('aioscope-cli'), re.M)


def options(text):
    return {word for word in OPTION.findall(text) if not TOOLKIT.match(word)}


@tap.case
def the_manual_has_every_command():
    text = asked(CLI)
    listed = set(re.findall(r'^ {1,4}([a-z]+)\b', text, re.M))
    tap.check(len(commands()) >= 7, commands())
    tap.nothing(sorted(name for name in commands() if name not in listed), 'not in --help:')
    tap.nothing(sorted(name for name in listed if name not in commands()), 'not in the manual:')


@tap.case
def every_command_has_help_and_its_options_are_in_the_manual():
    manual = page('aioscope-cli')
    found = []
    for command in commands():
        text = asked(CLI, command)
        found += [f'{command} {option}' for option in options(text) - options(manual)]
    tap.nothing(sorted(found))


@tap.case
def every_option_of_the_manual_exists():
    known = set().union(*(options(asked(CLI, command)) for command in commands()))
    tap.nothing(sorted(options(page('aioscope-cli')) - known))


@tap.case
def the_viewer_has_the_options_of_its_manual():
    tap.equal(sorted(options(asked(VIEWER))), sorted(options(page('aioscope'))))


tap.main()
