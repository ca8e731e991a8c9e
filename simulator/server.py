"""The simulated board's own pages: its JSON interface and the virtual board. They exist in simulation only."""

from __future__ import annotations

import itertools
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from flask import Blueprint, Response, jsonify, request

from hw.ports import BoardDescription, Message
from simulator.bodies import BadBody, body_of, own_page, pieces_of, text_of
from simulator.faults import FAULTS, SENSOR_FAULTS
from simulator.hand import Hand
from simulator.lights import Wires
from simulator.pushing import Places, shove
from simulator.stones import Impossible, World, unknown
from simulator.wording import catalogue, page, refusal

FRAME_S = 1 / 25
HEARTBEAT_S = 10.0
LONGEST_STREAM_S = 3600.0
MOST_WATCHERS = 16
"""So many may look at the virtual board at once: each of them takes a thread."""
WATCHERS_AN_ADDRESS = 8
"""Of those, so many of one address. Its oldest gives way to a newer one, and asks now and then."""
LATER_MS = 10_000
"""A refused client asks again so much later."""
ENOUGH = "event: enough\ndata: {}\n\n"


class Watcher:
    """Wakes everybody who looks at the virtual board when something changes."""

    def __init__(self) -> None:
        """Begin with nothing changed."""
        self.run = secrets.token_hex(4)
        """Tells one run of the program from another: counts begin anew with each."""
        self.count = 0
        self.closed = False
        self._lookers: dict[int, str] = {}
        """The numbers of all streams that may go on, oldest first, and whose they are."""
        self._numbers = itertools.count(1)
        self._condition = threading.Condition()

    @property
    def looking(self) -> int:
        """Return how many are looking."""
        return len(self._lookers)

    def changed(self) -> None:
        """Say that stones or pixels have changed."""
        with self._condition:
            self.count += 1
            self._condition.notify_all()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        self.changed()

    def wait(self, after: int, number: int, timeout: float) -> int:
        """Block until something has changed since ``after``, this looker has to give way, or time is out."""
        with self._condition:
            self._condition.wait_for(lambda: self.count > after or number not in self._lookers, timeout)
            return self.count

    def goes_on(self, number: int) -> bool:
        """Tell whether this looker has not had to give way."""
        return number in self._lookers

    def enter(self, address: str) -> int | None:
        """Begin to look: return a number, None where too many others do. An address with too many loses its oldest."""
        with self._condition:
            mine = [number for number, whose in self._lookers.items() if whose == address]
            full = len(self._lookers) >= MOST_WATCHERS
            if full and not mine:
                return None
            if full or len(mine) >= WATCHERS_AN_ADDRESS:
                del self._lookers[mine[0]]
                self._condition.notify_all()
            number = next(self._numbers)
            self._lookers[number] = address
            return number

    def leave(self, number: int) -> None:
        """End to look."""
        with self._condition:
            self._lookers.pop(number, None)


def blueprint(description: BoardDescription, world: World, wire: Wires, watcher: Watcher) -> Blueprint:
    """Return the pages of one simulated board."""
    pages = Blueprint("simulator", __name__, static_folder="static", static_url_path="/sim/static",
                      template_folder="templates")  # fmt: skip
    world.on_change = watcher.changed
    wire.on_frame = watcher.changed

    def state() -> dict[str, Any]:
        version = watcher.count  # Read first: what changes meanwhile comes with the next one.
        colours = wire.pixels()
        return {
            "name": description.name,
            "kind": description.kind,
            "run": watcher.run,
            "version": version,
            "frame": wire.frames,
            "pixels": {node: list(colours[wiring.pixel]) for node, wiring in description.nodes.items()},
            **world.snapshot(),
        }

    @pages.get("/board")
    def board() -> str:
        return page("simulator/board.html", name=description.name)

    @pages.get("/sim/words.js")
    def words() -> Response:
        return Response(catalogue(), mimetype="text/javascript")

    @pages.get("/sim/layout")
    def layout() -> Response:
        return jsonify(
            {
                "nodes": {name: [wiring.x, wiring.y] for name, wiring in description.nodes.items()},
                "lines": [list(line) for line in description.lines],
                "circles": list(description.circles_mm),
                "paths": [[list(point) for point in path] for path in description.paths_mm],
                "node_mm": description.node_mm,
                "wells": [name for name, wiring in description.nodes.items() if wiring.well],
                "well_mm": description.well_mm,
                "tiles": {name: [list(line) for line in tile.lines] for name, tile in description.tiles.items()},
                "stones": list(world.pieces.stones),
                "max_current_ma": description.lights.max_current_ma,
            }
        )

    @pages.get("/sim/state")
    def show_state() -> Response:
        return jsonify(state())

    @pages.get("/sim/events")
    def events() -> Response:
        headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        number = watcher.enter(request.remote_addr or "?")
        stream = _stream(watcher, number, state) if number is not None else iter([f"retry: {LATER_MS}\n\n"])
        response = Response(stream, mimetype="text/event-stream", headers=headers)
        if number is not None:
            # Not in the generator's finally: one that was never begun does not run it.
            response.call_on_close(lambda: watcher.leave(number))
        return response

    _add_deeds(pages, world, state, {name: (wiring.x, wiring.y) for name, wiring in description.nodes.items()})
    return pages


def _stream(watcher: Watcher, number: int, state: Callable[[], dict[str, Any]]) -> Iterator[str]:
    """Yield the state whenever it has changed, 25 times a second at most, with heartbeats."""
    ends = time.monotonic() + LONGEST_STREAM_S
    seen = -1
    yield "retry: 1000\n\n"
    while time.monotonic() < ends:
        count = watcher.wait(seen, number, HEARTBEAT_S)
        if watcher.closed:
            return
        if not watcher.goes_on(number):
            yield ENOUGH
            return
        if count == seen:
            yield ": still here\n\n"
            continue
        seen = count
        yield f"data: {json.dumps(state())}\n\n"
        time.sleep(FRAME_S)


def _add_deeds(pages: Blueprint, world: World, state: Callable[[], dict[str, Any]], places: Places) -> None:
    """Add the POST endpoints: what hands and mishaps can do."""
    moves = itertools.count(1)

    def put(body: dict[str, Any]) -> None:
        hand = Hand(world, text_of(body, "hand", "hand"))
        node, piece = text_of(body, "node"), text_of(body, "piece", None)
        if node == "supply":
            hand.drop()
        else:
            hand.put(node, piece)

    def lift(body: dict[str, Any]) -> None:
        hand = text_of(body, "hand", "hand")
        node = text_of(body, "node")
        piece, pieces = text_of(body, "piece", None), pieces_of(body, world.is_piece, _kinds(world))
        if node == "supply":
            world.take(hand, piece or text_of(body, "piece"))
        else:
            Hand(world, hand).lift(node, pieces)

    def move(body: dict[str, Any]) -> None:
        Hand(world, text_of(body, "hand", f"move {next(moves)}")).carry(
            text_of(body, "from"), text_of(body, "to"), pieces_of(body, world.is_piece, _kinds(world))
        )

    def push(body: dict[str, Any]) -> None:
        hand = Hand(world, text_of(body, "hand", "hand"))
        source, node = text_of(body, "from"), text_of(body, "node")
        for name in (source, node):
            if name not in places:
                raise unknown(name)
        if not world.holding(hand.name):
            raise Impossible(Message("the hand holds nothing to push with"))
        shove(world, places, source, node, f"push {next(moves)}")
        hand.put(node)

    def fault(body: dict[str, Any]) -> None:
        kind, node = text_of(body, "kind"), text_of(body, "node", None)
        if kind == "clear":
            world.clear_faults(node)
            return
        if kind not in FAULTS:
            raise BadBody(f"kind: expected one of {', '.join(FAULTS)} or clear, got {json.dumps(kind)}")
        if kind in SENSOR_FAULTS and node is None:
            raise BadBody(f"node: expected the node whose sensor is {kind}, but it is missing")
        world.set_fault(kind, node)

    deeds = (
        ("put", put, {"node", "piece", "hand"}),
        ("lift", lift, {"node", "piece", "pieces", "hand"}),
        ("move", move, {"from", "to", "pieces", "hand"}),
        ("push", push, {"from", "node", "hand"}),
        ("fault", fault, {"kind", "node"}),
    )
    for name, deed, fields in deeds:
        pages.add_url_rule(f"/sim/{name}", name, _answering(deed, fields, state), methods=["POST"])


def _answering(
    deed: Callable[[dict[str, Any]], None], fields: set[str], state: Callable[[], dict[str, Any]]
) -> Callable[[], tuple[Response, int]]:
    def answer() -> tuple[Response, int]:
        if not own_page():
            return jsonify(refusal(Message("requests of other pages are not taken"))), 403
        if request.mimetype != "application/json":
            return jsonify(refusal(Message("expected Content-Type: application/json"))), 415
        try:
            deed(body_of(fields))
        except BadBody as error:
            return jsonify(refusal(str(error))), 400
        except Impossible as error:
            return jsonify(refusal(error.args[0])), 409
        return jsonify(state()), 200

    return answer


def _kinds(world: World) -> str:
    """Return which pieces there are: ``w and b``."""
    return " and ".join([*world.pieces.stones, *(["tiles such as 7r5"] if world.pieces.rings else [])])
