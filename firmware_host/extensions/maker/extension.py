"""What a maker's part adds to the program: ``lodestone board``, all that it takes to build a board."""

from __future__ import annotations

from firmware_host.plug import Extension, Verbs


class MakerExtension(Extension):
    """Papers, files for KiCad and for a workshop, parts for a printer: all from one board file."""

    name = "maker"

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone board``."""
        from firmware_host.extensions.maker.command import add_board  # noqa: PLC0415 - a panel needs none of it

        add_board(verbs)


EXTENSION = MakerExtension()
