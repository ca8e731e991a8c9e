"""What the virtual board adds to the program: its pages and requests, wherever a simulated board is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firmware_host.link import SCRIPTS
from firmware_host.plug import Attached, Extension, Parts
from firmware_host.text.words import say

if TYPE_CHECKING:
    from firmware_host.replay.player import ReplaySession
    from web_panel.routes import Context, Routes


class VirtualExtension(Extension):
    """A simulated board on a page."""

    name = "virtual"
    is_portable = True
    shared_scripts = SCRIPTS
    screens = {say("Virtual board"): "/board"}  # noqa: RUF012 - read only
    links = {say("Play here"): "/here"}  # noqa: RUF012

    @property
    def routes(self) -> Sequence[Routes]:
        """Return the pages and their requests."""
        from firmware_host.extensions.virtual.simulated import routes  # noqa: PLC0415 - of the panel

        return (routes,)

    @property
    def replay_routes(self) -> Sequence[Routes]:
        """Return the same: a replay lights a board."""
        return self.routes

    def attach(self, parts: Parts) -> Attached | None:
        """Show the board, if it is a simulated one; the host may open another one later."""
        runtime = parts.runtime
        if runtime.setting.board.simulated is None:
            return None
        notice = (
            "The sensors and lights are simulated. Alone at this computer? Open the host's link here, and press: "
            "Play here against the computer."
        )
        return replace(attach_board(lambda: runtime.setting.board.simulated), notice=notice)

    def attach_replay(self, show: ReplaySession) -> Attached | None:
        """Show the board of a replay, if it is a simulated one."""
        parts = None if show.board is None else show.board.simulated
        return None if parts is None else attach_board(lambda: parts)


def attach_board(present: Callable[[], Any]) -> Attached:
    """Return what is added to a table or a replay; ``present`` returns the simulated parts of the open board."""

    def context(_panel: Any) -> Context:
        from firmware_host.extensions.virtual.simulated import VirtualBoard  # noqa: PLC0415 - of the panel

        return VirtualBoard(present)

    return Attached(context)


EXTENSION = VirtualExtension()
