"""The host's requests and data, in the description: ``/api/host/…``."""

from __future__ import annotations

from collections.abc import Callable

from web_panel.openapi.schema import (
    COUNT,
    NUMBER,
    SEAT,
    TEXT,
    TIME,
    YES_NO,
    Schema,
    maybe,
    one_of,
    part,
    record,
    rows,
    table_of,
)

TICKET: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"}
CODE: Schema = {"type": "string", "pattern": "^[0-9]{4}$"}

SCHEMAS: dict[str, Schema] = {
    "Asked": record(ok={"const": True}, code=CODE),
    "NetworkAsked": record(ok={"const": True}, code=maybe(CODE)),
    "Given": record(ok={"const": True}, seat=SEAT),
    "Tickets": record(shown=YES_NO, tickets=table_of(TICKET)),
    "PlayableBoard": record(
        board=TEXT,
        title=TEXT,
        game=TEXT,
        nodes=COUNT,
        sensors=COUNT,
        aim=maybe(TEXT),
        minutes=maybe(rows(COUNT)),
        players=rows(COUNT),
        modes=rows(TEXT),
        options=table_of(TEXT),
        colours=YES_NO,
        current=YES_NO,
    ),
    "KeptGame": record(
        id=TEXT,
        title=TEXT,
        mode=TEXT,
        started=TIME,
        ended=maybe(TIME),
        names=rows(TEXT),
        state=one_of("over", "set aside", "abandoned", "running"),
        words=TEXT,
        withheld=YES_NO,
    ),
    "Hardware": record(
        board=TEXT,
        kind=TEXT,
        backend=TEXT,
        nodes=COUNT,
        scan_hz=NUMBER,
        scans_per_s=maybe(NUMBER),
        health=rows(TEXT),
        lights=record(pixels=COUNT, trouble=maybe(TEXT)),
        simulated=YES_NO,
        hands=maybe(one_of("none", "computer", "all")),
    ),
    "Workshop": record(
        board=TEXT,
        refused=table_of(TEXT),
        what=maybe(one_of("check", "map", "calibrate")),
        step=maybe(
            record(
                do=one_of("wait", "put", "wrong", "off"),
                node=maybe(TEXT),
                felt=rows(TEXT),
                words=TEXT,
                hint=maybe(TEXT),
                done=COUNT,
                of=COUNT,
                choices=rows(one_of("skip", "undo", "go")),
            )
        ),
        result=maybe(
            record(
                good=YES_NO,
                words=TEXT,
                items=rows(record(node=TEXT, state=one_of("ok", "bad", "unproven"), words=TEXT)),
            )
        ),
    ),
    "Care": record(
        warnings=rows(TEXT),
        files=YES_NO,
        power=YES_NO,
        network=YES_NO,
        repair=YES_NO,
        update=maybe(record(version=TEXT, found=maybe(TEXT), doing=maybe(TEXT), told=maybe(TEXT), good=YES_NO)),
    ),
    "Network": record(
        offered=YES_NO,
        hotspot=maybe(TEXT),
        networks=rows(
            record(id=TEXT, name=TEXT, signal=COUNT, kind=one_of("open", "psk", "sae", "other"), in_use=YES_NO)
        ),
        doing=maybe(TEXT),
        told=maybe(TEXT),
        good=YES_NO,
        host=YES_NO,
        confirms=YES_NO,
        asked=maybe(CODE),
    ),
    "KeptGames": record(first=COUNT, in_all=COUNT, games=rows(part("KeptGame"))),
    "HostState": record(
        tickets=table_of(record(ticket=TICKET, link=TEXT)),
        shown=YES_NO,
        choices=rows(part("PlayableBoard")),
        games=rows(part("KeptGame")),
        games_in_all=COUNT,
        hardware=part("Hardware"),
        lessons=YES_NO,
        network=maybe(record(code=CODE, name=TEXT, hidden=YES_NO, open=YES_NO)),
        rest=record(brightness=COUNT, night=YES_NO, off=YES_NO, sleep=COUNT, show=YES_NO),
    ),
}


def paths(shows: Callable[..., Schema], in_path: Callable[[str, Schema], Schema]) -> dict[str, Schema]:
    """Return the host's GET paths; ``shows`` and ``in_path`` write operations and parameters as the document does."""
    state = shows("What only the host is told", "application/json", part("HostState"), _403="NotHost", _503="Busy")
    game = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
    download = shows("A game's record, as `lodestone record export` writes it", "application/x-ndjson", TEXT,
                     _403="NotHost", _404="Missing", _409="Withheld", _503="Busy")  # fmt: skip
    state["responses"]["304"] = {"description": "Nothing has changed since the state whose `ETag` was given"}
    games = shows("More of the games, newest first: at most 50 from `first` on", "application/json", part("KeptGames"),
                  _403="NotHost", _404="Missing", _503="Busy")  # fmt: skip
    workshop = shows("The check of the board: what to do now, and what it has found", "application/json",
                     part("Workshop"), _403="NotHost", _503="Busy")  # fmt: skip
    care = shows("How the machine does, in words", "application/json", part("Care"), _403="NotHost")
    log = shows("The program's log, without secrets", "text/plain", TEXT, _403="NotHost", _409="Conflict")
    backup = shows("All of the data folder without key and host's token, as `lodestone backup` writes it",
                   "application/zip", {}, _403="NotHost", _409="NoBackup", _503="Busy")  # fmt: skip
    network = shows(
        "The networks in reach, for the host or a guest of the hotspot", "application/json", part("Network"),
        _403="NotHost", _409="Conflict", _503="Busy",
    )  # fmt: skip
    for operation in (state, games, download, workshop, care, network, log, backup):
        operation["security"] = [{"host": []}]
    return {
        "/api/tickets": {"get": shows("The tickets of free seats", "application/json", part("Tickets"))},
        "/api/host/state": {"get": state},
        "/api/host/workshop": {"get": workshop},
        "/api/host/games/{first}": {"get": games, "parameters": [in_path("first", COUNT)]},
        "/api/host/records/{game}.jsonl": {"get": download, "parameters": [in_path("game", game)]},
        "/api/host/care": {"get": care},
        "/api/network": {"get": network},
        "/network": {"get": shows("The choice of the machine's network", "text/html", TEXT)},
        "/api/host/log.txt": {"get": log},
        "/api/host/backup.zip": {"get": backup},
        "/host": {"get": shows("The host's page", "text/html", TEXT)},
    }
