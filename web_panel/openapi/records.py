"""Replays in the description: a recorded game's film and its moments, of the panel and of ``lodestone replay``."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.view import (
    COUNT,
    HEX_64,
    NODE,
    SEAT,
    TEXT,
    TIME,
    WHOLE,
    Schema,
    maybe,
    part,
    record,
    rows,
    table_of,
)

_FILM = {
    "game": record(id=TEXT, name=TEXT, title=TEXT, rules=rows(TEXT)),
    "mode": TEXT,
    "started": TIME,
    "clocks_words": maybe(TEXT),
    "moments": {"type": "integer", "minimum": 1},
    "pieces": table_of(TEXT),
    "tints": table_of(TEXT),
    "layout": part("Layout"),
    "seats": rows(record(seat=SEAT, name=TEXT, homes=rows(NODE), colour={"type": "integer", "minimum": 1})),
}
_MOMENT = {
    "turn": WHOLE,
    "actor": maybe(SEAT),
    "words": TEXT,
    "when": TIME,
    "board": table_of(rows(TEXT)),
    "lights": table_of(part("Light")),
    "arrows": rows(part("Arrow")),
    "plays": table_of(TEXT),
    "scores": rows(TEXT),
    "clocks": rows(record(seat=SEAT, left=maybe(WHOLE), used=COUNT, thought=COUNT)),
    "seals": rows(part("SealShown")),
    "standing": rows(TEXT),
}
FILM, MOMENT = record(**_FILM), record(**_MOMENT)
SHOWN: Schema = record(
    **_FILM,
    **_MOMENT,
    seq=COUNT,
    you={"type": "null"},
    host={"type": "boolean"},
    moment=COUNT,
    playing={"type": "boolean"},
    pace={"type": "number"},
    notice=maybe(TEXT),
)
"""What every screen of ``lodestone replay`` sees."""

SCHEMAS: dict[str, Schema] = {
    "SealShown": record(
        seat=SEAT,
        turn=WHOLE,
        commitment=HEX_64,
        action=maybe(TEXT),
        words=maybe(TEXT),
        nonce=maybe(TEXT),
        void={"type": "boolean"},
    ),
    "Moment": MOMENT,
    "Film": record(**_FILM, version=TEXT, chunk={"type": "integer", "minimum": 1}, reviews={"type": "boolean"}),
    "Moments": record(first=COUNT, moments=rows(part("Moment"))),
}


def paths(shows: Callable[..., Schema]) -> dict[str, Schema]:
    """Return the paths of the panel; ``shows`` writes operations as its own."""
    names = {
        "game_id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        "version": {"type": "string", "minLength": 1, "pattern": "^[0-9a-f]+$"},
        "first": COUNT,
    }
    where = {name: {"name": name, "in": "path", "required": True, "schema": schema} for name, schema in names.items()}
    page = shows("A recorded game, stepped through by the host", "text/html", TEXT)
    whole = shows("What is the same at all its moments", "application/json", part("Film"))
    some = shows("Some moments, from this one on", "application/json", part("Moments"))
    page["responses"] |= {"403": _page("Not the host's phone"), "404": _page("There is no such game")}
    for operation in (whole, some):
        operation["responses"] |= {
            "403": _refused("Not the host's phone", "not_host"),
            "404": _refused("There is no such game or moment", "no_game", "no_moment", "http"),
            "409": _refused("The record can't be read, or the game has been played on", "bad_record", "gone_on"),
        }
    for operation in (page, whole, some):
        operation["responses"] = dict(sorted(operation["responses"].items()))
        operation["security"] = [{"host": []}]
    page_of, whole_of, some_of = (_for_all(one) for one in (page, whole, some))
    page_of["responses"].pop("403")
    record_of = _for_all(whole) | {"summary": "Download the record of a game that is over"}
    ok = {"description": record_of["summary"], "content": {"application/x-ndjson": {"schema": TEXT}}}
    record_of["responses"] = {**record_of["responses"], "200": ok}
    review = _for_all(shows("How it went, or how far its review is", "application/json", part("Review")))
    return {
        "/api/replay/{game_id}/review": {"get": review, "parameters": [where["game_id"]]},
        "/replay/{game_id}": {"get": page_of, "parameters": [where["game_id"]]},
        "/api/replay/{game_id}": {"get": whole_of, "parameters": [where["game_id"]]},
        "/api/replay/{game_id}/{version}/{first}": {"get": some_of, "parameters": list(where.values())},
        "/api/records/{game_id}.jsonl": {"get": record_of, "parameters": [where["game_id"]]},
        "/host/replay/{game_id}": {"get": page, "parameters": [where["game_id"]]},
        "/api/host/replay/{game_id}": {"get": whole, "parameters": [where["game_id"]]},
        "/api/host/replay/{game_id}/{version}/{first}": {"get": some, "parameters": list(where.values())},
    }


def _for_all(operation: Schema) -> Schema:
    """Return an operation as it is for everybody: about a game that is over."""
    responses = {**operation["responses"], "403": _refused("The game is not over", "not_over")}
    return {
        **operation,
        "summary": f"{operation['summary']}: a game that is over",
        "responses": responses,
        "security": [],
    }


def _refused(words: str, *codes: str) -> Schema:
    one = {"properties": {"error": {"properties": {"code": {"enum": list(codes)}}}}}
    schema = {"allOf": [part("Refusal"), one]}
    return {"description": words, "content": {"application/json": {"schema": schema}}}


def _page(words: str) -> Schema:
    return {"description": words, "content": {"text/html": {"schema": TEXT}}}
