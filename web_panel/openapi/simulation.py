"""The virtual board's paths, in the description; they exist where the board is simulated."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from web_panel.openapi.schema import TEXT, Schema, part

NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 40}
PERHAPS: Schema = {"anyOf": [{"type": "null"}, NAME]}
PIECES: Schema = {"anyOf": [{"type": "null"}, {"type": "array", "minItems": 1, "maxItems": 32, "items": {}}]}

ACTIONS: Mapping[str, tuple[str, Mapping[str, Schema]]] = {
    "put": ("Put a piece on a node, or back to the supply", {"node": NAME, "piece?": PERHAPS, "hand?": NAME}),
    "lift": ("Lift pieces of a node", {"node": NAME, "piece?": PERHAPS, "pieces?": PIECES, "hand?": NAME}),
    "hold": ("Say that a hand still holds its pieces: after 60 s without that they go back", {"hand": NAME}),
    "back": ("Put the pieces in a hand back where they came from", {"hand": NAME}),
    "move": ("Carry pieces from node to node", {"from": NAME, "to": NAME, "pieces?": PIECES, "hand?": NAME}),
    "push": ("Push with the piece in the hand", {"from": NAME, "node": NAME, "hand?": NAME}),
    "fault": ("Break a part, or mend it (`clear`)", {"kind": NAME, "node?": PERHAPS}),
}

SCHEMAS: dict[str, Schema] = {
    "Impossible": {
        "type": "object",
        "properties": {"error": TEXT, "form": TEXT, "values": {"type": "object"}},
        "required": ["error"],
        "additionalProperties": False,
    },
    "Simulated": {
        "type": "object",
        "properties": {
            "name": TEXT,
            "kind": TEXT,
            "run": TEXT,
            "version": {"type": "integer"},
            "frame": {"type": "integer"},
            "pixels": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
            "stones": {"type": "object", "additionalProperties": {"type": "array", "items": TEXT}},
        },
        "required": ["name", "kind", "run", "version", "frame", "pixels", "stones", "hands", "supply", "faults"],
    },
}


def _body(fields: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": {name.removesuffix("?"): kind for name, kind in fields.items()},
        "required": [name for name in fields if not name.endswith("?")],
        "additionalProperties": False,
    }


def paths(shows: Callable[..., Schema], answers: Callable[..., dict[str, Schema]]) -> dict[str, Schema]:
    """Return the paths; ``shows`` and ``answers`` write operations and refusals as the document does."""
    state = {"application/json": {"schema": part("Simulated")}}
    impossible = {"application/json": {"schema": {"anyOf": [part("Impossible"), part("Refusal")]}}}
    found: dict[str, Schema] = {
        "/board": {"get": shows("The virtual board", "text/html", TEXT)},
        "/sim/layout": {"get": shows("Where its nodes lie", "application/json", {"type": "object"})},
        "/sim/state": {"get": shows("Stones, hands, faults and pixels", "application/json", part("Simulated"))},
        "/sim/events": {"get": shows("The same as server-sent events", "text/event-stream", TEXT)},
    }
    for name, (summary, fields) in ACTIONS.items():
        responses = answers(_413="BigBody")
        responses["200"] = {"description": "The board afterwards", "content": state}
        for status, words in (
            ("400", "A wrong shape"),
            ("403", "Another page"),
            ("409", "It can't be done"),
            ("415", "Not application/json"),
        ):
            responses[status] = {"description": words, "content": impossible}
        body = {"required": True, "content": {"application/json": {"schema": _body(fields)}}}
        deed = {
            "summary": summary,
            "parameters": [{"$ref": "#/components/parameters/Own"}],
            "requestBody": body,
            "responses": dict(sorted(responses.items())),
        }
        found[f"/sim/{name}"] = {"post": deed}
    return found
