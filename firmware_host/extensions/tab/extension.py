"""The table in a browser's tab, for the list of extensions: it adds nothing to a table that has a machine."""

from __future__ import annotations

from firmware_host.plug import Extension


class TabExtension(Extension):
    """The program where there are no threads, sockets and processes; ``tab.py`` puts it together there."""

    name = "tab"


EXTENSION = TabExtension()
