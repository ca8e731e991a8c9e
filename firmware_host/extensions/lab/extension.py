"""What the laboratory adds to the program: commands for whoever works on players or the table."""

from __future__ import annotations

from firmware_host.plug import Extension, Verbs


class LabExtension(Extension):
    """Matches, soaking: on one machine, ten, a hundred."""

    name = "lab"

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone arena`` and ``soak``."""
        from firmware_host.extensions.lab.arena_command import add_arena  # noqa: PLC0415 - a panel needs none of it
        from firmware_host.extensions.lab.soak import add_soak  # noqa: PLC0415

        add_arena(verbs)
        add_soak(verbs)


EXTENSION = LabExtension()
