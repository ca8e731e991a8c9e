"""The pages of the simulated board: its JSON interface and the virtual board. They exist in simulation only.

Requests, their checks and their streams are the panel's (:mod:`web_panel.routes`, :mod:`web_panel.streams`), which
serves these pages. It is mounted once, the board may change: each request is answered by the board that is open.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any

from flask import Response, abort, jsonify, render_template, request

from firmware_host.platform import complete, pause
from firmware_host.text.json_reader import TEXT, WHOLE, InvalidField, Schema, part, rows, table_of, wrong_field
from firmware_host.text.words import say
from hw.ports import Message
from simulator.board import SimulatedBoard
from simulator.faults import FAULTS, NODE_FAULTS
from simulator.hand import Hand
from simulator.stones import Impossible, World, unknown
from web_panel.routes import ForEverybody, Routes, Sender
from web_panel.streams import HEADERS, Broadcaster, Places, Stream

FRAME_S = 1 / 25
MAX_WATCHERS = 16
"""Number of event streams from which on no further address gets one, and each address keeps its newest alone."""
WATCHERS_AN_ADDRESS = 8
"""Maximum number of event streams of one address; a newer one ends the oldest, whose page polls instead."""
LATER_MS = 10_000
"""Pause before a refused client tries again."""
HELD_S = 60.0
"""Time after which the pieces in a hand that is heard of no more go back where they came from."""
Spots = Mapping[str, tuple[float, float]]
"""Node → (x, y), in any unit."""
NEXT = 1.35
"""Maximum distance of neighbours, as a multiple of the distance of a node's nearest node."""
AIM = 0.35
"""Maximum distance of the next node of a line from its ideal place, as a share of the step."""


@dataclass(frozen=True)
class Shot:
    """The board at one moment, as an event (:class:`web_panel.streams.State`)."""

    count: int
    id: str
    event: bytes


class Pages:
    """One simulated board and the streams of its watchers."""

    def __init__(self, board: SimulatedBoard) -> None:
        """Begin without streams."""
        self.board = board
        self.description, self.world = board.description, board.world
        self.wire, self.watcher = board.wire, board.watcher
        self.broadcaster = Broadcaster(self.watcher, FRAME_S)
        self.places = Places()
        self.moves = itertools.count(1)
        self._shot = Shot(-1, "", b"")

    def state(self) -> dict[str, Any]:
        """Return stones, hands, faults and pixels."""
        version = self.watcher.count  # Read first, so that later changes get a newer version.
        colours = self.wire.pixels()
        return {
            "name": self.description.name,
            "kind": self.description.kind,
            "run": self.watcher.run,
            "version": version,
            "frame": self.wire.frames,
            "pixels": {node: list(colours[wiring.pixel]) for node, wiring in self.description.nodes.items()},
            **self.world.snapshot(),
        }

    def shot(self, newest: int | None) -> Shot:
        """Return the present state as an event, made once for all streams."""
        known = self._shot
        if known.count != (self.watcher.count if newest is None else newest):
            state = self.state()
            name = f"{self.watcher.run}-{state['version']}"
            event = b"id: %b\ndata: %b\n\n" % (name.encode(), json.dumps(state).encode())
            known = self._shot = Shot(state["version"], name, event)
        return known

    @property
    def kinds(self) -> str:
        """Return the words for all pieces of the board: ``w and b``."""
        pieces = self.world.pieces
        return " and ".join([*pieces.stones, *(["tiles such as 7r5"] if pieces.rings else [])])

    def pieces(self, given: Sequence[str] | None) -> list[str] | None:
        """Return the field ``pieces``, None where it is missing. Raise InvalidField unless all are pieces."""
        if given is None or all(map(self.world.is_piece, given)):
            return None if given is None else list(given)
        raise wrong_field(say("a list of {kinds}", kinds=self.kinds), {"pieces": given}, "pieces")


class VirtualBoard(ForEverybody):
    """What the handlers are given (:class:`web_panel.routes.Context`): the pages of the board that is open."""

    def __init__(self, present: Callable[[], SimulatedBoard | None]) -> None:
        """``present`` returns the simulated board that is open, None for a real one."""
        self._present = present
        self._lock = threading.Lock()
        self._pages: Pages | None = None

    @property
    def pages(self) -> Pages:
        """Return the pages of the open board."""
        board = self._board()
        with self._lock:
            if self._pages is None or self._pages.board is not board:
                self._pages = Pages(board)
            return self._pages

    def _board(self) -> SimulatedBoard:
        """Return the open board; of a real one there are no pages: 404."""
        board = self._present()
        if board is None:
            abort(404)
        return board

    def admit(self, sender: Sender) -> AbstractContextManager[Mapping[str, Any]]:
        """Admit everybody, where there is a simulated board: else 404."""
        self._board()
        return super().admit(sender)


_MOVED: Schema = {
    "description": "The board afterwards", "content": {"application/json": {"schema": part("Simulated")}}
}  # fmt: skip
_IMPOSSIBLE: Schema = {"anyOf": [part("Impossible"), part("Refusal")]}
_SIMULATED = {
    "name": TEXT, "kind": TEXT, "run": TEXT, "version": WHOLE, "frame": WHOLE, "pixels": table_of(rows(WHOLE)),
    "stones": table_of(rows(TEXT)),
}  # fmt: skip
routes = Routes(
    "virtual",
    {
        "Impossible": {
            "type": "object",
            "properties": {"error": TEXT, "form": TEXT, "values": {"type": "object"}},
            "required": ["error"],
            "additionalProperties": False,
        },
        "Simulated": {
            "type": "object",
            "properties": _SIMULATED,
            "required": [*_SIMULATED, "hands", "supply", "faults"],
        },
    },
    static="/static/virtual",
)


# -- what is shown ----------------------------------------------------------------------------------------------------


@routes.get("/board")
def board(here: VirtualBoard) -> str:
    """The virtual board."""
    return render_template("virtual_board.html", name=here.pages.description.name)


@routes.get("/here")
def play_here(here: VirtualBoard) -> str:
    """The virtual board and a phone side by side, for who is alone at a computer."""
    del here
    return render_template("play_here.html")


@routes.get("/sim/layout", {"type": "object"})
def layout(here: VirtualBoard) -> Response:
    """Where its nodes lie."""
    pages = here.pages  # One board for the whole answer: the host may change it meanwhile.
    description = pages.description
    return jsonify(
        {
            "nodes": {name: [wiring.x, wiring.y] for name, wiring in description.nodes.items()},
            "lines": [list(line) for line in description.lines],
            "circles": list(description.circles_mm),
            "style": description.style,
            "paths": [[list(point) for point in path] for path in description.paths_mm],
            "node_mm": description.node_mm,
            "wells": [name for name, wiring in description.nodes.items() if wiring.well],
            "well_mm": description.well_mm,
            "tiles": {name: [list(line) for line in tile.lines] for name, tile in description.tiles.items()},
            "stones": list(pages.world.pieces.stones),
            "max_current_ma": description.lights.max_current_ma,
        }
    )


@routes.get("/sim/state", part("Simulated"))
def state(here: VirtualBoard) -> Response:
    """Stones, hands, faults and pixels."""
    return jsonify(here.pages.state())


@routes.get("/sim/events", TEXT, kind="text/event-stream")
def events(here: VirtualBoard) -> Response:
    """The same as server-sent events."""
    pages = here.pages
    places, address = pages.places, request.remote_addr or "?"
    full = places.count() >= MAX_WATCHERS
    if full and not places.has(address):
        return Response(f"retry: {LATER_MS}\n\n", mimetype="text/event-stream", headers=HEADERS)
    number = places.enter(address, 1 if full else WATCHERS_AN_ADDRESS, player=True)
    if number is None:
        return Response(f"retry: {LATER_MS}\n\n", mimetype="text/event-stream", headers=HEADERS)
    known = request.headers.get("Last-Event-ID", "")
    return pages.broadcaster.response(
        Stream(pages.shot, known, lambda: places.goes_on(address, number), lambda: places.leave(address, number))
    )


# -- hands and faults -------------------------------------------------------------------------------------------------

Name = Annotated[str, (("minLength", 1), ("maxLength", 40))]
NameOrNull = Annotated[Name | None, ()]
Pieces = Annotated[Annotated[Sequence[Name], (("minItems", 1), ("maxItems", 32))] | None, ()]
Action = Callable[..., None]


def _action(path: str) -> Callable[[Action], Action]:
    """Return a decorator: the function changes the board; its request is answered with the board afterwards."""

    def add(act: Action) -> Action:
        @functools.wraps(act)
        def handle(here: VirtualBoard, **values: Any) -> Response | tuple[Response, int]:
            pages = here.pages
            try:
                act(pages, **values)
            except Impossible as error:
                return jsonify(_refusal(error.args[0])), 409
            return jsonify(pages.state())

        refused = {"description": "It can't be done", "content": {"application/json": {"schema": _IMPOSSIBLE}}}
        routes.post(f"/sim/{path}", "guest", answer=_MOVED, _409=refused, _503=None)(handle)
        return act

    return add


def _refusal(message: str) -> dict[str, Any]:
    """Return the JSON of a refusal: the English text and, for translation, its form and values."""
    if isinstance(message, Message):
        return {"error": str(message), "form": message.form, "values": dict(message.values)}
    return {"error": message}


@_action("put")
def put(pages: Pages, node: Name, piece: NameOrNull = None, hand: Name = "hand") -> None:
    """Put a piece on a node, or back to the supply."""
    if node == "supply":
        Hand(pages.world, hand).drop()
    else:
        Hand(pages.world, hand).put(node, piece)


@_action("lift")
def lift(pages: Pages, node: Name, piece: NameOrNull = None, pieces: Pieces = None, hand: Name = "hand") -> None:
    """Lift pieces of a node."""
    lifted = pages.pieces(pieces)
    if node == "supply":
        if piece is None:
            raise wrong_field(say("a text"), {}, "piece")
        pages.world.take(hand, piece)
    else:
        Hand(pages.world, hand).lift(node, lifted)
    pages.world.hold(hand, HELD_S)


@_action("hold")
def hold(pages: Pages, hand: Name) -> None:
    """Say that a hand still holds its pieces: after 60 s without that they go back."""
    pages.world.hold(hand, HELD_S)


@_action("back")
def back(pages: Pages, hand: Name) -> None:
    """Put the pieces in a hand back where they came from."""
    pages.world.put_back(hand)


@_action("move")
def move(pages: Pages, from_: Name, to: Name, pieces: Pieces = None, hand: Name = "") -> None:
    """Carry pieces from node to node."""
    parts = Hand(pages.world, hand or f"move {next(pages.moves)}").carrying(from_, to, pages.pieces(pieces))
    complete(turn for seconds in parts for turn in pause(seconds))


@_action("push")
def push(pages: Pages, from_: Name, node: Name, hand: Name = "hand") -> None:
    """Push with the piece in the hand."""
    world, places = pages.world, {name: (wiring.x, wiring.y) for name, wiring in pages.description.nodes.items()}
    for name in (from_, node):
        if name not in places:
            raise unknown(name)
    Hand(world, hand).check_holds()
    _shove(world, places, from_, node, f"push {next(pages.moves)}")
    Hand(world, hand).put(node)


def _ahead(places: Spots, source: str, target: str) -> list[str]:
    """Return the nodes in line from ``target`` on, away from ``source``; empty if the two are not neighbours.

    Raise KeyError for an unknown node.
    """
    (x0, y0), (x, y) = places[source], places[target]
    dx, dy = x - x0, y - y0
    step = math.hypot(dx, dy)
    nearest = min(math.dist(places[target], place) for node, place in places.items() if node != target)
    if not 0 < step <= NEXT * nearest:
        return []
    found = [target]
    while True:
        x, y = x + dx, y + dy
        node = min(places, key=lambda name: math.dist(places[name], (x, y)))
        if math.dist(places[node], (x, y)) > AIM * step:
            return found
        found.append(node)


def _shove(world: World, places: Spots, source: str, target: str, name: str) -> None:
    """Make room on ``target`` for a stone from ``source``: the stones in line move on, the foremost first.

    A stone that is pushed over the edge goes to the supply. ``name`` is the name of the hand.
    """
    stones = world.stones()
    line = _ahead(places, source, target)
    pushed = []
    for node in line:
        if node not in stones:
            break
        pushed.append(node)
    hand = Hand(world, name)
    for at in reversed(range(len(pushed))):
        if at + 1 < len(line):
            hand.carry(line[at], line[at + 1], stones[line[at]])
        else:
            hand.take_off(line[at])


@_action("fault")
def fault(pages: Pages, kind: Name, node: NameOrNull = None) -> None:
    """Break a part, or mend it (`clear`)."""
    if kind == "clear":
        pages.world.clear_faults(node)
        if node is None:
            pages.world.empty_hands()
        return
    if kind not in FAULTS:
        known = ", ".join([*FAULTS, "clear"])
        raise wrong_field(say("one of {known}", known=known), {"kind": kind}, "kind")
    if kind in NODE_FAULTS and node is None:
        raise InvalidField(say("node: expected the node whose sensor is {kind}, but it is missing", kind=kind))
    pages.world.set_fault(kind, node)
