"""The simulated board's own pages: its JSON interface and the virtual board. They exist in simulation only."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, jsonify, render_template, request

from hw.ports import BoardDescription
from simulator.hand import Hand
from simulator.stones import Impossible, World
from simulator.strip import CapturedWire

FRAME_S = 1 / 25
HEARTBEAT_S = 10.0
LONGEST_STREAM_S = 3600.0


class BadBody(ValueError):
    """The JSON has the wrong shape; the message names the field and what was expected."""


class Watcher:
    """Wakes everybody who looks at the virtual board when something changes."""

    def __init__(self) -> None:
        """Begin with nothing changed."""
        self.count = 0
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


def blueprint(description: BoardDescription, world: World, wire: CapturedWire, watcher: Watcher) -> Blueprint:
    """Return the pages of one simulated board."""
    pages = Blueprint("simulator", __name__, static_folder="static", static_url_path="/sim/static",
                      template_folder="templates")  # fmt: skip
    world.on_change = watcher.changed
    wire.on_frame = watcher.changed

    def state() -> dict[str, Any]:
        colours = wire.pixels()
        return {
            "name": description.name,
            "kind": description.kind,
            "stones": world.stones(),
            "supply": dict(world.supply),
            "faults": dict(world.faults),
            "pixels": {node: list(colours[wiring.pixel]) for node, wiring in description.nodes.items()},
            "frame": wire.frames,
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
                "node_mm": description.node_mm,
            }
        )

    @pages.get("/sim/state")
    def show_state() -> Response:
        return jsonify(state())

    @pages.get("/sim/events")
    def events() -> Response:
        headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
        return Response(_stream(watcher, state), mimetype="text/event-stream", headers=headers)

    _add_deeds(pages, world, state)
    return pages


def _stream(watcher: Watcher, state: Callable[[], dict[str, Any]]) -> Iterator[str]:
    """Yield the state whenever it has changed, 25 times a second at most, with heartbeats."""
    ends = time.monotonic() + LONGEST_STREAM_S
    seen = -1
    yield "retry: 1000\n\n"
    while time.monotonic() < ends:
        count = watcher.wait(seen, HEARTBEAT_S)
        if watcher.closed:
            return
        if count == seen:
            yield ": still here\n\n"
            continue
        seen = count
        yield f"data: {json.dumps(state())}\n\n"
        time.sleep(FRAME_S)


def _add_deeds(pages: Blueprint, world: World, state: Callable[[], dict[str, Any]]) -> None:
    """Add the POST endpoints: what hands and mishaps can do."""

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
            Hand(world, hand).lift(node, _pieces(body))

    def move(body: dict[str, Any]) -> None:
        Hand(world, _text(body, "hand", "move")).carry(_text(body, "from"), _text(body, "to"), _pieces(body))

    def fault(body: dict[str, Any]) -> None:
        kind, node = _text(body, "kind"), _text(body, "node", None)
        if kind == "clear":
            world.clear_faults(node)
        else:
            world.set_fault(kind, node)

    deeds = (
        ("put", put, {"node", "piece", "hand"}),
        ("lift", lift, {"node", "piece", "pieces", "hand"}),
        ("move", move, {"from", "to", "pieces", "hand"}),
        ("fault", fault, {"kind", "node"}),
    )
    for name, deed, fields in deeds:
        pages.add_url_rule(f"/sim/{name}", name, _answering(deed, fields, state), methods=["POST"])


def _answering(
    deed: Callable[[dict[str, Any]], None], fields: set[str], state: Callable[[], dict[str, Any]]
) -> Callable[[], tuple[Response, int]]:
    def answer() -> tuple[Response, int]:
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return jsonify({"error": "this page may not move stones here"}), 403
        body = request.get_json(silent=True)
        try:
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


_REQUIRED: Any = object()


def _text(body: dict[str, Any], name: str, default: Any = _REQUIRED) -> Any:
    value = body.get(name, default)
    if value is _REQUIRED:
        raise BadBody(f"{name}: expected a text, but it is missing")
    if value is not default and (not isinstance(value, str) or not value):
        raise BadBody(f"{name}: expected a text, got {json.dumps(value)[:40]}")
    return value


def _pieces(body: dict[str, Any]) -> list[str] | None:
    pieces = body.get("pieces")
    if pieces is None:
        return None
    if not isinstance(pieces, list) or not pieces or not all(isinstance(piece, str) for piece in pieces):
        raise BadBody(f"pieces: expected a list of pieces such as ['w'], got {json.dumps(pieces)[:40]}")
    return pieces
