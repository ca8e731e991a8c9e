"""What the proof adds to the program: a page, its request, and the ways to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from firmware_host.plug import Attached, Extension, Parts

if TYPE_CHECKING:
    from firmware_host.archive.journal import Journal
    from firmware_host.session.runtime import Runtime
    from web_panel.panel import Panel
    from web_panel.routes import Context, Routes


class ProofExtension(Extension):
    """Every phone checks the seals of a game by itself."""

    name = "proof"
    is_portable = True
    scripts = {"play/play.js": "ways.js"}  # noqa: RUF012 - read only

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the page and its request."""
        from firmware_host.extensions.proof.requests import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    def attach(self, parts: Parts) -> Attached:
        """Let phones ask for the seals of any table."""
        return attach_proof(parts.runtime, parts.journal)


def attach_proof(runtime: Runtime, journal: Journal) -> Attached:
    """Return what is added to a table with this journal."""

    def context(panel: Panel) -> Context:
        from firmware_host.extensions.proof.requests import Proving, Seals  # noqa: PLC0415 - of the panel

        return Proving(panel, Seals(runtime, journal))

    return Attached(context)


EXTENSION = ProofExtension()
