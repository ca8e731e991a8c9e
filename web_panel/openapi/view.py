"""Components of the description of the panel's paths: the view (docs/view.md), made of its types, and others.

Objects are closed and every field is required: a field too many is as much a fault as one too few.
"""

from __future__ import annotations

from firmware_host.table.view_form import View
from web_panel.openapi.schema import (
    COUNT,
    HEX_64,
    NODE,
    NUMBER,
    PAIR,
    SEAT,
    TEXT,
    TIME,
    WHOLE,
    YES_NO,
    Schema,
    maybe,
    one_of,
    part,
    record,
    rows,
    table_of,
)
from web_panel.openapi.typed import components

COMPONENTS: dict[str, Schema] = {
    **components(View),
    "Node": {"type": "string", "minLength": 1, "maxLength": 40, "description": "A node's name, e.g. D12"},
    "Seat": {"type": "integer", "minimum": 1, "maximum": 64},
    "Readings": record(
        board=TEXT,
        scheme=TEXT,
        kind=TEXT,
        scans=COUNT,
        rate=maybe(NUMBER),
        age=maybe(NUMBER),
        error=maybe(TEXT),
        line=maybe(record(good=COUNT, damaged=COUNT, missing=COUNT)),
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
