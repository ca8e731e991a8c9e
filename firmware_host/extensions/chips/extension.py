"""What these parts add to the program: nothing but their schemes and simulated parts, which are entry points."""

from __future__ import annotations

from firmware_host.plug import Extension


class ChipsExtension(Extension):
    """Multiplexers, a matrix, converters and port expanders."""

    name = "chips"


EXTENSION = ChipsExtension()
