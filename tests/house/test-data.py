#!/usr/bin/env python3
"""What is installed for the desktop is valid, by the desktop's own tools where they are."""

import os
import pathlib
import re
import shutil
import tempfile
import xml.etree.ElementTree as ET

import house
import tap

DATA = house.ROOT / 'data'
ID = 'org.aioscope.Aioscope'


def tool(name, *args):
    if not shutil.which(name):
        tap.skip(f'{name} is not installed')
    result = house.run(name, *args)
    tap.equal(result.returncode, 0, result.stdout)
    return result.stdout


@tap.case
def the_desktop_entry_is_valid():
    tap.equal(tool('desktop-file-validate', DATA / f'{ID}.desktop'), '')


@tap.case
def the_metainfo_is_valid():
    if not shutil.which('appstreamcli'):
        tap.skip('appstreamcli is not installed')
    output = house.run('appstreamcli', 'validate', '--no-net', DATA / f'{ID}.metainfo.xml').stdout
    tap.check('alidation' in output, output)
    # There is no home page to name.
    tap.nothing(line for line in output.splitlines()
                if line.startswith(('E:', 'W:')) and 'url-homepage-missing' not in line)


@tap.case
def the_schema_compiles():
    tool('glib-compile-schemas', '--strict', '--dry-run', DATA)


@tap.case
def the_manual_pages_have_no_warning():
    for page in sorted((DATA / 'man').glob('*.1')):
        tap.equal(tool('groff', '-man', '-Tutf8', '-ww', '-z', page), '', page.name)


@tap.case
def every_xml_file_is_well_formed():
    for path in house.files('*.xml', '*.svg', '*.ui'):
        ET.parse(path)


@tap.case
def the_icons_have_a_square_view():
    for name in (f'scalable/apps/{ID}.svg', f'symbolic/apps/{ID}-symbolic.svg'):
        box = ET.parse(DATA / 'icons' / 'hicolor' / name).getroot().get('viewBox').split()
        tap.equal(box[:2], ['0', '0'], name)
        tap.equal(box[2], box[3], name)


@tap.case
def the_files_name_each_other():
    desktop = (DATA / f'{ID}.desktop').read_text()
    tap.check(f'Icon={ID}\n' in desktop)
    metainfo = ET.parse(DATA / f'{ID}.metainfo.xml').getroot()
    tap.equal(metainfo.findtext('id'), ID)
    tap.equal(metainfo.findtext('launchable'), f'{ID}.desktop')
    mime = metainfo.findtext('provides/mediatype')
    tap.check(f'MimeType={mime};' in desktop)
    tap.check(f'type="{mime}"' in (DATA / f'{ID}.mime.xml').read_text())


@tap.case
def a_recording_is_known_by_name_and_by_its_first_bytes():
    for name in ('update-mime-database', 'gio'):
        shutil.which(name) or tap.skip(f'{name} is not installed')
    with tempfile.TemporaryDirectory() as folder:
        packages = pathlib.Path(folder, 'share', 'mime', 'packages')
        packages.mkdir(parents=True)
        shutil.copy(DATA / f'{ID}.mime.xml', packages / 'aioscope.xml')
        house.run('update-mime-database', packages.parent)
        env = {**os.environ, 'XDG_DATA_HOME': str(packages.parents[1])}

        def kind(name, content):
            path = pathlib.Path(folder, name)
            path.write_bytes(content)
            return house.run('gio', 'info', '-a', 'standard::content-type', path, env=env).stdout
        ours = 'application/x-aioscope-trace'
        head = bytes((0xf9, 0x80, 57, 0, 0, 0, 0, 1)) + bytes(60)
        raw = kind('some.trace', b'\xf9\x01 as a port gave it')
        tap.check(ours in raw, raw)
        tap.check(ours in kind('renamed', head), kind('renamed', head))
        tap.check(ours not in kind('other', b'\xf9\x81' + head[2:]))


@tap.case
def the_udev_rules_parse():
    part = re.compile(r'^(ACTION|SUBSYSTEM|ATTRS\{\w+\}|TAG|ENV\{\w+\}|GOTO|LABEL)'
                      r'(==|!=|\+=|=)"[^"]*"$')
    for line in (DATA / '70-aioscope.rules').read_text().splitlines():
        if line and not line.startswith('#'):
            for word in line.split(', '):
                tap.check(part.match(word), line)


tap.main()
