"""What the laboratory adds to the program: commands for whoever works on players, puzzles or the table."""

from __future__ import annotations

from firmware_host.extensions.lab.arena_command import add_arena
from firmware_host.extensions.lab.puzzles_command import add_puzzles
from firmware_host.extensions.lab.soak import add_soak
from firmware_host.plug import Extension, Verbs


class LabExtension(Extension):
    """Matches, soaking, making of puzzles: on one machine, ten, a hundred."""

    name = "lab"

    def add_verbs(self, verbs: Verbs) -> None:
        """Add ``lodestone arena``, ``soak`` and ``puzzles``."""
        add_arena(verbs)
        add_soak(verbs)
        add_puzzles(verbs)


EXTENSION = LabExtension()
