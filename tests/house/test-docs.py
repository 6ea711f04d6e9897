#!/usr/bin/env python3
"""The documents: links lead somewhere, and what they name exists."""

import re

import house
import tap

LINK = re.compile(r'!?\[[^\]]*\]\(([^)\s]+)(?:\s+"[^"]*")?\)')
DOCS = house.files('*.md')


def anchors(text):
    found = set()
    for title in re.findall(r'^#+\s+(.*)$', text, re.M):
        title = re.sub(r'[`*]', '', title.strip().lower())
        found.add(re.sub(r'[^\w\- ]', '', title).replace(' ', '-'))
    return found


def without_code(text):
    return re.sub(r'```.*?```|`[^`\n]*`', '', text, flags=re.S)


@tap.case
def the_documents_are_there():
    for name in ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE', 'src/DESIGN.md'):
        tap.check((house.ROOT / name).is_file(), name, 'is missing')


@tap.case
def relative_links_lead_somewhere():
    found = []
    for path in DOCS:
        for link in LINK.findall(without_code(path.read_text())):
            if re.match(r'[a-z]+:', link):
                continue
            name, _, anchor = link.partition('#')
            target = path.parent / name if name else path
            if not target.exists():
                found.append(f'{house.short(path)}: {link}')
            elif anchor and target.suffix == '.md' and anchor not in anchors(target.read_text()):
                found.append(f'{house.short(path)}: {link} has no such heading')
    tap.nothing(found)


@tap.case
def the_version_is_one():
    version = re.search(r"version: '([\d.]+)'", (house.ROOT / 'meson.build').read_text())
    version = version.group(1)
    tap.check(version in (house.ROOT / 'CHANGELOG.md').read_text(), 'CHANGELOG.md:', version)
    for page in (house.ROOT / 'data' / 'man').glob('*.1'):
        tap.check(f'aioscope {version}' in page.read_text(), page.name, version)


@tap.case
def the_readme_names_both_commands():
    text = (house.ROOT / 'README.md').read_text()
    for command in ('./run.sh\n', './run.sh test\n'):
        tap.check(command in text, command)


tap.main()
