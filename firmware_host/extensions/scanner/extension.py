"""What the scanner adds to the program: two commands. Its scheme is an entry point of its own."""

from __future__ import annotations

from firmware_host.plug import Extension, Verbs, branch


class ScannerExtension(Extension):
    """A microcontroller reads the sensors."""

    name = "scanner"

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone board sketch`` and ``lodestone hardware pair``."""
        from firmware_host.extensions.scanner.command import add_pair, add_sketch  # noqa: PLC0415 - a panel needs none of it

        add_sketch(branch(verbs, "board"))
        add_pair(branch(verbs, "hardware"))


EXTENSION = ScannerExtension()
