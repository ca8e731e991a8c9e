"""The view (docs/view.md) as JSON Schema: the components that the description of the panel's paths refers to.

Objects are closed and every field is required, as docs/view.md says: a field too many is as much a fault as one too
few.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def record(**fields: Schema) -> Schema:
    """Return an object with exactly these fields. A trailing ``_`` of a name is left out (``from_``)."""
    named = {name.removesuffix("_"): field for name, field in fields.items()}
    return {"type": "object", "properties": named, "required": list(named), "additionalProperties": False}


def rows(item: Schema) -> Schema:
    """Return a list of such items."""
    return {"type": "array", "items": item}


def table_of(item: Schema) -> Schema:
    """Return an object with any names and such values."""
    return {"type": "object", "additionalProperties": item}


def maybe(item: Schema) -> Schema:
    """Return what may be null: "not now"."""
    return {"anyOf": [{"type": "null"}, item]}


def one_of(*words: str) -> Schema:
    """Return one of some words."""
    return {"type": "string", "enum": list(words)}


def part(name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
HEX_64: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
TIME: Schema = {"type": "string", "description": "UTC, ISO 8601"}
NODE, SEAT = part("Node"), part("Seat")
PAIR: Schema = {"type": "array", "minItems": 2, "maxItems": 2}
POINT: Schema = {**PAIR, "items": NUMBER}

_PHASES = ("lobby", "setup", "sealing", "revealing", "placing", "resolving", "clearing", "over")
_LIGHTS = (
    "put",
    "movable",
    "target",
    "best",
    "line",
    "interact",
    "wrong",
    "return",
    "remove",
    "confirm",
    "loop",
    "won",
    "time",
)
_TINTS = ("white", "black", "blue", "red", "yellow", "green", "plain")
_PROPOSALS = ("take-back", "reseal", "void", "loop", "decided")

COMPONENTS: dict[str, Schema] = {
    "Node": {"type": "string", "minLength": 1, "maxLength": 40, "description": "A node's name, e.g. D12"},
    "Seat": {"type": "integer", "minimum": 1, "maximum": 64},
    "Score": record(
        seats=rows(SEAT),
        names=rows(TEXT),
        score=maybe(NUMBER),
        tiebreak=maybe(NUMBER),
        counted=table_of(NUMBER),
        sector=table_of(NUMBER),
        won=YES_NO,
    ),
    "Game": record(
        id=TEXT,
        name=TEXT,
        title=TEXT,
        aim=maybe(TEXT),
        mode=TEXT,
        modes=rows(TEXT),
        rules=rows(TEXT),
        scoring=maybe(record(score=TEXT, tiebreak=TEXT, hint=TEXT, tied=TEXT)),
        goals=YES_NO,
        secrets=YES_NO,
        colours=YES_NO,
    ),
    "Player": record(
        seat=SEAT,
        name=TEXT,
        taken=YES_NO,
        computer=YES_NO,
        level=maybe(part("Level")),
        resigned=YES_NO,
        sealed=YES_NO,
        opened=YES_NO,
        declined=rows(record(what=one_of(*_PROPOSALS), about=maybe(SEAT))),
        may_reseal=YES_NO,
        hints=YES_NO,
        hinted=COUNT,
        homes=rows(NODE),
        team=WHOLE,
        plays=maybe(TEXT),
        colour={"type": "integer", "minimum": 1, "maximum": 8},
    ),
    "Level": record(level={"type": "integer", "minimum": 1, "maximum": 5}, name=TEXT, about=TEXT),
    "Layout": record(
        nodes=table_of(POINT),
        lines=rows({**PAIR, "items": NODE}),
        circles=rows(NUMBER),
        wells=rows(NODE),
        paths=rows(rows(POINT)),
        tiles=maybe(table_of(rows({**PAIR, "items": WHOLE}))),
    ),
    "Light": record(meaning=one_of(*_LIGHTS, "won", "stone"), words=TEXT, seat=maybe(SEAT)),
    "Arrow": record(kind=one_of("made", "asked"), nodes={**rows(NODE), "minItems": 2}),
    "Task": {
        "oneOf": [
            record(do=one_of("put"), node=NODE, piece=maybe(TEXT), seat=maybe(SEAT)),
            record(do=one_of("move"), from_=NODE, to=NODE, pieces=rows(TEXT), seat=maybe(SEAT)),
            record(do=one_of("take", "tap"), node=NODE, seat=maybe(SEAT)),
        ]
    },
    "Step": record(
        action=TEXT,
        words=TEXT,
        hidden=YES_NO,
        moves=rows({**PAIR, "items": maybe(NODE)}),
        line=rows(NODE),
        partial=YES_NO,
        tap_twice=YES_NO,
    ),
    "Foresight": record(rest_reachable=maybe(YES_NO), in_loop=maybe(YES_NO), words=TEXT),
    "Seal": record(
        tag=TEXT,
        game=TEXT,
        turn=WHOLE,
        history=HEX_64,
        open=YES_NO,
        awake=rows(SEAT),
        nodes=rows(NODE),
        colours=rows(TEXT),
        closed=table_of(TEXT),
        spent=table_of(TEXT),
        commitments=table_of(HEX_64),
    ),
    "Clocks": record(
        words=TEXT,
        main=maybe(COUNT),
        increment=COUNT,
        delay=COUNT,
        strict=YES_NO,
        at=COUNT,
        seats=rows(
            record(seat=SEAT, main=maybe(COUNT), left=maybe(WHOLE), used=COUNT, delay=COUNT, runs=YES_NO, late=YES_NO)
        ),
    ),
    "View": record(
        seq=COUNT,
        you=maybe(record(seat=SEAT, claim_ok={"const": True})),
        host=YES_NO,
        game=part("Game"),
        lesson=maybe(
            record(
                name=TEXT,
                title=TEXT,
                number=COUNT,
                count=COUNT,
                exercise=COUNT,
                exercises=COUNT,
                phone=YES_NO,
                puzzle=maybe(record(grade=COUNT, helped=YES_NO, seconds=maybe(COUNT))),
                words=TEXT,
                said=maybe(TEXT),
                right=YES_NO,
                done=YES_NO,
                over=YES_NO,
                hint=maybe(TEXT),
            )
        ),
        phase=one_of(*_PHASES),
        paused=maybe(TEXT),
        held=YES_NO,
        asks=rows(record(seat=SEAT, code=TEXT, name=TEXT)),
        turn=maybe(WHOLE),
        resolver=maybe(SEAT),
        seats=rows(part("Player")),
        layout=part("Layout"),
        board=table_of(rows(TEXT)),
        pieces=table_of(TEXT),
        tints=table_of(one_of(*_TINTS)),
        lights=table_of(part("Light")),
        arrows=rows(part("Arrow")),
        tasks=rows(part("Task")),
        steps=rows(part("Step")),
        wanted=maybe(TEXT),
        thinking=maybe(SEAT),
        reason=maybe(record(seat=SEAT, text=TEXT)),
        levels=rows(part("Level")),
        question=maybe(record(text=TEXT, seat=maybe(SEAT), choices=rows(record(action=TEXT, words=TEXT)))),
        problem=maybe(record(text=TEXT, nodes=rows(NODE), since=NUMBER)),
        foresight=maybe(part("Foresight")),
        decided=maybe(record(winner=SEAT, words=TEXT)),
        proposal=maybe(
            record(
                what=one_of(*_PROPOSALS), words=TEXT, by=SEAT, about=maybe(SEAT), agreed=rows(SEAT), waiting=rows(SEAT)
            )
        ),
        can=table_of(YES_NO),
        cannot=table_of(TEXT),
        seal=maybe(part("Seal")),
        deal=maybe(record(commitment=HEX_64, short=TEXT)),
        log=rows(record(n=COUNT, text=TEXT)),
        message=TEXT,
        own_messages=table_of(TEXT),
        stage=rows(TEXT),
        tidying=maybe(TEXT),
        reminder=maybe(TEXT),
        supply=maybe(record(piece=maybe(TEXT), left=WHOLE)),
        standing=maybe(rows(part("Score"))),
        result=maybe(record(reason=maybe(TEXT), words=TEXT, winners=rows(SEAT), lines=rows(part("Score")))),
        sensors=record(kind=TEXT, masked=table_of(TEXT), suspects=rows(record(node=NODE, words=TEXT))),
        clocks=maybe(part("Clocks")),
        notices=rows(TEXT),
    ),
    "Readings": record(
        board=TEXT,
        scheme=TEXT,
        kind=TEXT,
        scans=COUNT,
        rate=maybe(NUMBER),
        age=maybe(NUMBER),
        error=maybe(TEXT),
        nodes=rows(record(node=NODE, channel=WHOLE, pixel=WHOLE, x=NUMBER, y=NUMBER, reading=maybe(NUMBER))),
    ),
    "Sealed": record(
        seat=SEAT,
        commitment=HEX_64,
        at=TIME,
        n=COUNT,
        action=maybe(TEXT),
        nonce=maybe({"type": "string", "pattern": "^[0-9a-f]{32}$"}),
        opened=maybe(TIME),
        opened_n=maybe(COUNT),
        lost=maybe(TIME),
        resigned=maybe(TIME),
        void=maybe(TIME),
        void_by=maybe(one_of("agreement", "host")),
    ),
    "Proof": record(
        game=TEXT,
        title=TEXT,
        secrets=YES_NO,
        deal=maybe(
            record(
                tag=TEXT,
                commitment=HEX_64,
                at=TIME,
                seed=maybe({"type": "string", "pattern": "^([0-9]{1,10}|[0-9a-f]{32})$"}),
                position=maybe(TEXT),
            )
        ),
        tag=TEXT,
        first=HEX_64,
        seats=rows(record(seat=SEAT, name=TEXT, computer=YES_NO)),
        turns=rows(
            record(
                turn=WHOLE,
                history=HEX_64,
                seals=rows(part("Sealed")),
                revealed=maybe(TIME),
                after=maybe(HEX_64),
                taken_back=maybe(TIME),
            )
        ),
    ),
    "Done": record(ok={"const": True}),
    "Why": record(ok={"const": True}, why=maybe(TEXT)),
    "Hint": record(
        ok={"const": True},
        hint=maybe(
            record(
                told=WHOLE,
                light=YES_NO,
                words=TEXT,
                nodes=rows(NODE),
                choices=rows(record(action=TEXT, words=TEXT, leads=TEXT, nodes=rows(NODE))),
            )
        ),
    ),
    "Review": record(
        game=maybe(TEXT),
        state=one_of("none", "thinking", "ready"),
        done=COUNT,
        of=COUNT,
        lines=rows(record(seats=rows(SEAT), points=rows({**PAIR, "items": NUMBER}))),
        turning=rows(
            record(
                moment=COUNT,
                scene=COUNT,
                turn=WHOLE,
                seat=SEAT,
                played=TEXT,
                better=TEXT,
                why=TEXT,
                before=NUMBER,
                after=NUMBER,
                frames=rows(
                    record(words=TEXT, seat=maybe(SEAT), board=table_of(rows(TEXT)), arrows=rows(part("Arrow")))
                ),
            )
        ),
    ),
    "Refusal": record(ok={"const": False}, error=record(code=TEXT, message={"type": "string", "minLength": 1})),
}
