"""What these strips add to the program: nothing but their schemes and simulated pixels, which are entry points."""

from __future__ import annotations

from firmware_host.plug import Extension


class StripsExtension(Extension):
    """Kinds of strips that a board does not have unless its file says so."""

    name = "strips"


EXTENSION = StripsExtension()
