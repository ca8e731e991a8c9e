"""The pages of the simulated board: its JSON interface and the virtual board. They exist in simulation only."""

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
from simulator.wording import page, refusal

FRAME_S = 1 / 25
HEARTBEAT_S = 10.0
LONGEST_STREAM_S = 3600.0
MOST_WATCHERS = 16
"""Maximum number of event streams at once; each takes a thread."""
WATCHERS_AN_ADDRESS = 8
"""Maximum number of event streams of one address; a newer one ends the oldest, whose page polls instead."""
LATER_MS = 10_000
"""Pause before a refused client tries again."""
HELD_S = 60.0
"""Time after which the pieces in a hand that is heard of no more go back where they came from."""
ENOUGH = "event: enough\ndata: {}\n\n"


class Watcher:
    """Wakes all event streams when stones or pixels change."""

    def __init__(self) -> None:
        """Start without changes or streams."""
        self.run = secrets.token_hex(4)
        """Identifies this run of the program: ``count`` starts at 0 in each run."""
        self.count = 0
        self.closed = False
        self._lookers: dict[int, str] = {}
        """Number of each open stream → its address, oldest first."""
        self._numbers = itertools.count(1)
        self._condition = threading.Condition()

    @property
    def looking(self) -> int:
        """Number of open streams."""
        return len(self._lookers)

    def changed(self) -> None:
        """Report a change of stones or pixels."""
        with self._condition:
            self.count += 1
            self._condition.notify_all()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        self.changed()

    def wait(self, after: int, number: int, timeout: float) -> int:
        """Wait for a count above ``after``, the end of stream ``number``, or ``timeout`` (s); return the count."""
        with self._condition:
            self._condition.wait_for(lambda: self.count > after or number not in self._lookers, timeout)
            return self.count

    def goes_on(self, number: int) -> bool:
        """Return whether a stream may continue."""
        return number in self._lookers

    def enter(self, address: str) -> int | None:
        """Open a stream: return its number, None when full. An address with too many streams loses its oldest."""
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
        """Close a stream."""
        with self._condition:
            self._lookers.pop(number, None)


def blueprint(description: BoardDescription, world: World, wire: Wires, watcher: Watcher) -> Blueprint:
    """Return the pages of one simulated board."""
    pages = Blueprint("simulator", __name__, static_folder="static", static_url_path="/sim/static",
                      template_folder="templates")  # fmt: skip
    world.on_change = watcher.changed
    wire.on_frame = watcher.changed

    def state() -> dict[str, Any]:
        version = watcher.count  # Read first, so that later changes get a newer version.
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
            # Not in the generator's finally: a generator that was never started does not run it.
            response.call_on_close(lambda: watcher.leave(number))
        return response

    _add_actions(pages, world, state, {name: (wiring.x, wiring.y) for name, wiring in description.nodes.items()})
    return pages


def _stream(watcher: Watcher, number: int, state: Callable[[], dict[str, Any]]) -> Iterator[str]:
    """Yield the state as server-sent events after each change, at most 25 per second, with heartbeats."""
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


def _add_actions(pages: Blueprint, world: World, state: Callable[[], dict[str, Any]], places: Places) -> None:
    """Add the POST endpoints for hands and faults."""
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
        world.hold(hand, HELD_S)

    def hold(body: dict[str, Any]) -> None:
        world.hold(text_of(body, "hand"), HELD_S)

    def back(body: dict[str, Any]) -> None:
        world.put_back(text_of(body, "hand"))

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
            if node is None:
                world.empty_hands()
            return
        if kind not in FAULTS:
            raise BadBody(f"kind: expected one of {', '.join(FAULTS)} or clear, got {json.dumps(kind)}")
        if kind in SENSOR_FAULTS and node is None:
            raise BadBody(f"node: expected the node whose sensor is {kind}, but it is missing")
        world.set_fault(kind, node)

    actions = (
        ("put", put, {"node", "piece", "hand"}),
        ("lift", lift, {"node", "piece", "pieces", "hand"}),
        ("hold", hold, {"hand"}),
        ("back", back, {"hand"}),
        ("move", move, {"from", "to", "pieces", "hand"}),
        ("push", push, {"from", "node", "hand"}),
        ("fault", fault, {"kind", "node"}),
    )
    for name, act, fields in actions:
        pages.add_url_rule(f"/sim/{name}", name, _answering(act, fields, state), methods=["POST"])


def _answering(
    act: Callable[[dict[str, Any]], None], fields: set[str], state: Callable[[], dict[str, Any]]
) -> Callable[[], tuple[Response, int]]:
    def answer() -> tuple[Response, int]:
        if not own_page():
            return jsonify(refusal(Message("requests of other pages are not taken"))), 403
        if request.mimetype != "application/json":
            return jsonify(refusal(Message("expected Content-Type: application/json"))), 415
        try:
            act(body_of(fields))
        except BadBody as error:
            return jsonify(refusal(str(error))), 400
        except Impossible as error:
            return jsonify(refusal(error.args[0])), 409
        return jsonify(state()), 200

    return answer


def _kinds(world: World) -> str:
    """Return the words for all pieces of the board: ``w and b``."""
    return " and ".join([*world.pieces.stones, *(["tiles such as 7r5"] if world.pieces.rings else [])])
