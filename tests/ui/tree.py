"""The accessible tree of another process, read by D-Bus alone.

A whole window takes two round trips: GTK tells all nodes that somebody has asked for before
(Cache.GetItems), and new ones are asked for together. The usual library asks node by node,
and a window that is drawing answers a few questions a second.
"""

import re

from gi.repository import Gio, GLib

ROOT = '/org/a11y/atspi/accessible/root'
ACCESSIBLE = 'org.a11y.atspi.Accessible'
CALL_MS = 60000

# Of AT-SPI's numbers, those that the tests need. Before GTK 4.10 a toggle is a button.
ROLES = {11: 'combo box', 16: 'dialog', 19: 'file chooser', 23: 'frame', 27: 'image',
         29: 'label', 31: 'list', 32: 'list item', 37: 'tab', 43: 'button', 48: 'scroll bar',
         55: 'table', 56: 'cell', 62: 'button', 66: 'table', 79: 'entry', 90: 'row', 61: 'text',
         7: 'check box',
         68: 'window', 69: 'application', 116: 'static', 8: 'check', 123: 'grouping'}
PRESSED, SELECTED, SENSITIVE, FOCUSED, VISIBLE = 20, 23, 24, 12, 30


class Node:
    def __init__(self, item):
        (self.bus, self.path), _, (_, self.parent), self.index, self.count, self.faces, name, \
            role, self.description, states = item
        self.role = ROLES.get(role, str(role))
        # Before GTK 4.10 a widget without a name has its class for one.
        self.name = '' if re.fullmatch(r'Gtk[A-Z]\w*', name) else name
        self.states = states[0] | states[1] << 32
        self.children = []

    def has(self, state):
        return bool(self.states >> state & 1)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def __repr__(self):
        return f'{self.role} {self.name!r}'


class Bus:
    def __init__(self):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        address = session.call_sync('org.a11y.Bus', '/org/a11y/bus', 'org.a11y.Bus', 'GetAddress',
                                    None, None, 0, CALL_MS, None).unpack()[0]
        self.connection = Gio.DBusConnection.new_for_address_sync(
            address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)

    def call(self, bus, path, face, method, *args, types=''):
        variant = GLib.Variant(f'({types})', args) if types else None
        return self.connection.call_sync(bus, path, face, method, variant, None, 0, CALL_MS,
                                         None).unpack()

    def together(self, calls):
        """Asks all (bus, path, interface, method) at once; None where one failed."""
        answers = [None] * len(calls)
        left = [len(calls)]

        def answered(connection, result, number):
            left[0] -= 1
            try:
                answers[number] = connection.call_finish(result).unpack()
            except GLib.Error:
                pass
        for number, call in enumerate(calls):
            self.connection.call(*call, None, None, 0, CALL_MS, None, answered, number)
        while left[0] > 0:
            GLib.MainContext.default().iteration(True)
        return answers

    def application(self, pid):
        """The bus name of that process' windows, or None so far."""
        found, = self.call('org.a11y.atspi.Registry', ROOT, ACCESSIBLE, 'GetChildren')
        for bus, _ in found:
            owner, = self.call('org.freedesktop.DBus', '/org/freedesktop/DBus',
                               'org.freedesktop.DBus', 'GetConnectionUnixProcessID', bus,
                               types='s')
            if owner == pid:
                return bus
        return None

    def tree(self, bus):
        """The root Node; what is hidden is left out."""
        while True:
            items, = self.call(bus, '/org/a11y/atspi/cache', 'org.a11y.atspi.Cache', 'GetItems')
            nodes = {node.path: node for node in map(Node, items)}
            root = nodes.get(ROOT)
            windows, = self.call(bus, ROOT, ACCESSIBLE, 'GetChildren')
            for node in nodes.values():
                parent = nodes.get(node.parent)
                if parent is not None and parent is not root and node.has(VISIBLE):
                    parent.children.append(node)
            # GTK tells widgets that it does not show to anybody, or not any more, as if they were
            # children: then there is an index too many, and the parent is asked.
            unsure = [node for node in nodes.values() if node is not root
                      and sorted(child.index for child in node.children)
                      != list(range(node.count))]
            asked = [answer and [path for _, path in answer[0]] for answer in self.together(
                [(bus, node.path, ACCESSIBLE, 'GetChildren') for node in unsure])]
            new = any(path not in nodes for paths in asked if paths for path in paths)
            if not new and all(path in nodes for _, path in windows):
                break
        for node, paths in zip(unsure, asked):
            # Before GTK 4.10 a stack's pages have another parent than who lists them.
            if paths is not None and all(nodes[path].parent == node.path for path in paths):
                node.children = [child for child in node.children if child.path in paths]
        for node in nodes.values():
            node.children.sort(key=lambda child: child.index)
        root.children = [nodes[path] for _, path in windows]
        return root
