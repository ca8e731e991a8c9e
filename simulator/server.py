"""The simulated board's own pages: its JSON interface and the virtual board. They exist in simulation only."""

from __future__ import annotations

import contextlib
import itertools
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, jsonify, render_template, request

from hw.ports import BoardDescription
from simulator.faults import FAULTS, SENSOR_FAULTS
from simulator.hand import Hand
from simulator.lights import Wires
from simulator.pushing import Places, shove
from simulator.stones import Impossible, World

FRAME_S = 1 / 25
HEARTBEAT_S = 10.0
LONGEST_STREAM_S = 3600.0
MOST_WATCHERS = 16
"""So many may look at the virtual board at once: each of them takes a thread."""
LONGEST_NAME = 40


class BadBody(ValueError):
    """The JSON has the wrong shape; the message names the field and what was expected."""


class Watcher:
    """Wakes everybody who looks at the virtual board when something changes."""

    def __init__(self) -> None:
        """Begin with nothing changed."""
        self.run = secrets.token_hex(4)
        """Tells one run of the program from another: counts begin anew with each."""
        self.count = 0
        self.looking = 0
        self.closed = False
        self._condition = threading.Condition()

    def changed(self) -> None:
        """Say that stones or pixels have changed."""
        with self._condition:
            self.count += 1
            self._condition.notify_all()

    def close(self) -> None:
        """End all streams."""
        self.closed = True
        self.changed()

    def wait(self, after: int, timeout: float) -> int:
        """Block until something has changed since ``after``, or time is out."""
        with self._condition:
            self._condition.wait_for(lambda: self.count > after, timeout)
            return self.count

    @contextlib.contextmanager
    def look(self) -> Iterator[bool]:
        """Look for as long as the context lasts; False where too many do already."""
        with self._condition:
            self.looking += 1
            welcome = self.looking <= MOST_WATCHERS
        try:
            yield welcome
        finally:
            with self._condition:
                self.looking -= 1


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
        return render_template("simulator/board.html", name=description.name)

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
        return Response(_stream(watcher, state), mimetype="text/event-stream", headers=headers)

    _add_deeds(pages, world, state, {name: (wiring.x, wiring.y) for name, wiring in description.nodes.items()})
    return pages


def _stream(watcher: Watcher, state: Callable[[], dict[str, Any]]) -> Iterator[str]:
    """Yield the state whenever it has changed, 25 times a second at most, with heartbeats."""
    ends = time.monotonic() + LONGEST_STREAM_S
    seen = -1
    with watcher.look() as welcome:
        yield f"retry: {1000 if welcome else 10_000}\n\n"
        while welcome and time.monotonic() < ends:
            count = watcher.wait(seen, HEARTBEAT_S)
            if watcher.closed:
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
        hand = Hand(world, _text(body, "hand", "hand"))
        node = _text(body, "node")
        if node == "supply":
            hand.drop()
        else:
            hand.put(node, _text(body, "piece", None))

    def lift(body: dict[str, Any]) -> None:
        hand = _text(body, "hand", "hand")
        node = _text(body, "node")
        if node == "supply":
            world.take(hand, _text(body, "piece"))
        else:
            Hand(world, hand).lift(node, _pieces(body, world))

    def move(body: dict[str, Any]) -> None:
        Hand(world, _text(body, "hand", f"move {next(moves)}")).carry(
            _text(body, "from"), _text(body, "to"), _pieces(body, world)
        )

    def push(body: dict[str, Any]) -> None:
        hand = Hand(world, _text(body, "hand", "hand"))
        source, node = _text(body, "from"), _text(body, "node")
        for name in (source, node):
            if name not in places:
                raise Impossible(f"node: there is no node {name!r} on this board")
        if not world.holding(hand.name):
            raise Impossible("the hand holds nothing to push with")
        shove(world, places, source, node, f"push {next(moves)}")
        hand.put(node)

    def fault(body: dict[str, Any]) -> None:
        kind, node = _text(body, "kind"), _text(body, "node", None)
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
        if not _same_origin():
            return jsonify({"error": "this page may not move stones here"}), 403
        try:
            body = _json()
            if not isinstance(body, dict):
                raise BadBody("expected a JSON object (Content-Type: application/json)")
            unknown = sorted(set(body) - fields)
            if unknown:
                raise BadBody(f"{unknown[0][:40]}: unknown, expected {', '.join(sorted(fields))}")
            deed(body)
        except BadBody as error:
            return jsonify({"error": str(error)}), 400
        except Impossible as error:
            return jsonify({"error": str(error)}), 409
        return jsonify(state()), 200

    return answer


def _same_origin() -> bool:
    """Tell whether a request comes from a page of ours, or from no page at all."""
    origin = request.headers.get("Origin")
    try:
        return origin is None or urlsplit(origin).netloc == request.host
    except ValueError:
        return False


def _json() -> Any:
    try:
        return request.get_json(silent=True)
    except RecursionError as error:
        raise BadBody("expected a JSON object, got one nested too deep") from error


_REQUIRED: Any = object()


def _text(body: dict[str, Any], name: str, default: Any = _REQUIRED) -> Any:
    value = body.get(name, default)
    if value is _REQUIRED:
        raise BadBody(f"{name}: expected a text, but it is missing")
    if value is not default and (not isinstance(value, str) or not value):
        raise BadBody(f"{name}: expected a text, got {json.dumps(value)[:40]}")
    if value is not default and len(value) > LONGEST_NAME:
        raise BadBody(f"{name}: expected a text of {LONGEST_NAME} characters at most, got {len(value)}")
    return value


def _pieces(body: dict[str, Any], world: World) -> list[str] | None:
    pieces = body.get("pieces")
    if pieces is None:
        return None
    if not isinstance(pieces, list) or not pieces or not all(map(world.is_piece, map(str, pieces))):
        raise BadBody(f"pieces: expected a list of {_kinds(world)}, got {json.dumps(pieces)[:40]}")
    return pieces


def _kinds(world: World) -> str:
    """Return which pieces there are: ``w and b``."""
    return " and ".join([*world.pieces.stones, *(["tiles such as 7r5"] if world.pieces.rings else [])])
