"""Every POST request of the pages: bodies are checked, and the description is written, from this table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from web_panel.openapi.schema import SEAT, YES_NO, Schema
from web_panel.openapi.view import COMPONENTS

WORD: Schema = {"type": "string", "maxLength": 200, "description": "Printable characters only"}
SEAT_COLOUR: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000, "description": "1 to 8"}
LEVEL: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000, "description": "1, the weakest, to 5"}
TOLD: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000, "description": "1, 2 or 3"}
WHOLE: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000}
SECONDS: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000, "description": "Seconds"}
RULES: Schema = {"type": "array", "maxItems": 16, "items": WORD}
TURN: Schema = {"type": "integer", "minimum": -1_000_000, "maximum": 1_000_000}
WHAT: Schema = {**WORD, "description": "take-back, reseal, void, loop or decided"}


class Request(NamedTuple):
    """One request: its effect, the fields of its body (``name?`` may be missing), and who may send it.

    ``sender`` is ``player``, ``host``, ``ticket``, ``token``, ``ask``, ``guest`` (anybody in the room), ``learner``
    (the phone that began the lesson, or the host's) or ``hotspot`` (a phone in the machine's own Wi-Fi, or the host's).
    """

    summary: str
    fields: Mapping[str, Schema]
    sender: str


REQUESTS: Mapping[str, Request] = {
    "join": Request(
        "Take an open seat with its ticket; the answer sets the cookie that holds it",
        {"seat": SEAT, "name": WORD, "ticket": WORD},
        "ticket",
    ),
    "leave": Request("Give the seat up in the lobby", {}, "player"),
    "name": Request("Be called otherwise, in the lobby", {"name": WORD}, "player"),
    "colour": Request("Choose the colour of the own lights, in the lobby", {"colour": SEAT_COLOUR}, "player"),
    "ask": Request(
        "Ask the host for a seat that another phone holds; the answer has the code to show", {"seat": SEAT}, "ask"
    ),
    "collect": Request("Take the seat that the host has allowed; the answer sets its cookie", {}, "ask"),
    "seal": Request("Seal the placement of this turn; final", {"turn": TURN, "commitment": WORD}, "player"),
    "ready": Request("Say that this phone is awake and holds its opening", {"turn": TURN}, "player"),
    "open": Request("Open the seal when all have sealed", {"turn": TURN, "action": WORD, "nonce": WORD}, "player"),
    "choose": Request("Name the step to make next", {"action": WORD}, "player"),
    "confirm": Request("Say that this step lies on the board", {"action": WORD}, "player"),
    "hint": Request(
        "Ask for a hint: 1 which piece, 2 which actions, 3 by light as well; null while it is thought about: ask again",
        {"told": TOLD},
        "player",
    ),
    "why": Request(
        "Ask by which rule a piece can't go from a node (or the supply) to a node; nothing is done",
        {"from?": WORD, "to?": WORD, "piece?": WORD},
        "player",
    ),
    "hurry": Request("Have a computer that thinks act soon", {}, "player"),
    "resign": Request("Resign", {}, "player"),
    "propose": Request(
        "Propose what all must agree to; `about`: who lost a seal",
        {"what": WHAT, "about?": SEAT},
        "player",
    ),
    "agree": Request("Agree to the open proposal", {"what": WHAT}, "player"),
    "decline": Request("Decline the open proposal, or take it back", {"what": WHAT}, "player"),
    "mask": Request("Don't believe a node's sensor any more", {"node": WORD}, "player"),
    "unmask": Request("Believe a node's sensor again", {"node": WORD}, "player"),
    "new": Request(
        "After the end, open the next lobby of the same game; `turned`: everybody moves on by one seat",
        {"turned?": YES_NO},
        "player",
    ),
    "review/begin": Request("Have a game that is over reviewed beside the table", {"game": WORD}, "guest"),
    "lesson/begin": Request(
        "Begin a lesson of the game at the table; the answer sets the cookie that holds the learner's seat. "
        "With `phone` without the board: what is chosen lies at once",
        {"name": WORD, "phone?": YES_NO},
        "guest",
    ),
    "puzzle/begin": Request(
        "Set a puzzle of the game at the table up on its board; its cookie and further requests are those of a lesson",
        {"puzzle": WORD},
        "guest",
    ),
    "puzzle/solved": Request(
        "Note in the household's book that somebody has solved a puzzle, and in how many seconds: no fewer than the "
        "puzzle's `least`",
        {"game": WORD, "puzzle": WORD, "name": WORD, "seconds": WHOLE},
        "guest",
    ),
    "lesson/next": Request("Go on to the next exercise once this one is done", {}, "learner"),
    "lesson/back": Request("Begin this exercise anew, or go back to the one before", {}, "learner"),
    "lesson/show": Request("Show the answer", {}, "learner"),
    "lesson/stop": Request(
        "End the lesson; the game that waited goes on. Where the host ends somebody's, only the host begins another "
        "until a game has begun",
        {},
        "learner",
    ),
    "host/enter": Request("Show the host's token; the answer sets the cookie of the host", {"token": WORD}, "token"),
    "host/leave": Request("Be the host no more on this phone", {}, "host"),
    "host/mode": Request("Choose another mode in the lobby", {"mode": WORD}, "host"),
    "host/start": Request("Start the game when all seats are taken", {}, "host"),
    "host/computer": Request(
        "A computer takes an open seat; with `level` one plays at it from now on, in a game also for somebody away",
        {"seat": SEAT, "level?": LEVEL},
        "host",
    ),
    "host/dismiss": Request("The seat's player leaves the seat, in the lobby", {"seat": SEAT}, "host"),
    "host/name": Request("Name the seat's player, in the lobby", {"seat": SEAT, "name": WORD}, "host"),
    "host/colour": Request("Give a seat a colour, in the lobby", {"seat": SEAT, "colour": SEAT_COLOUR}, "host"),
    "host/new": Request(
        "Open the lobby of another game; one that is running is set aside",
        {"board": WORD, "mode": WORD, "rules": RULES},
        "host",
    ),
    "host/take-up": Request("Go on with a game that was set aside or abandoned", {"id": WORD}, "host"),
    "host/clocks": Request(
        "Keep time in the next game: seconds for each seat (0: no limit), more after each turn, free before it",
        {"main": SECONDS, "increment": SECONDS, "delay": SECONDS, "strict": YES_NO},
        "host",
    ),
    "host/no-clocks": Request("Keep no time", {}, "host"),
    "host/odds": Request(
        "Give a seat another main time than the others (0: the same)", {"seat": SEAT, "main": SECONDS}, "host"
    ),
    "host/pause": Request("Pause the game: nothing that players do counts", {}, "host"),
    "host/continue": Request("Let the game go on", {}, "host"),
    "host/take-back": Request("Take the last action back, at once", {}, "host"),
    "host/void": Request("Declare the seals of this turn void: all seal again", {}, "host"),
    "host/allow": Request("Give the seat to the phone that shows this code", {"code": WORD}, "host"),
    "host/refuse": Request("Refuse the phone that shows this code", {"code": WORD}, "host"),
    "host/mask": Request("Don't believe a node's sensor any more", {"node": WORD}, "host"),
    "host/unmask": Request("Believe a node's sensor again", {"node": WORD}, "host"),
    "host/hands": Request(
        "Let the simulated hand move everybody's pieces, or those that it moved before",
        {"everybody": YES_NO},
        "host",
    ),
    "host/hints": Request(
        "Allow a seat, or without `seat` all of them, to ask for hints, or not", {"on": YES_NO, "seat?": SEAT}, "host"
    ),
    "host/lights": Request(
        "How bright the board is (per cent), night, off; minutes until the lights sleep (0: never); a gentle show",
        {"brightness": WHOLE, "night": YES_NO, "off": YES_NO, "sleep": WHOLE, "show": YES_NO},
        "host",
    ),
    "host/forget": Request("Show somebody as somebody in the book, in all games until now", {"name": WORD}, "host"),
    "host/allow-lessons": Request(
        "Let everybody begin lessons and puzzles again, which the host has ended", {}, "host"
    ),
    "host/remove-solved": Request("Remove from the book all puzzles solved on a day", {"day": WORD}, "host"),
    "host/workshop/begin": Request(
        "Take the board from the table to `check`, `map` or `calibrate` it; `pause`: a game that runs is paused",
        {"what": WORD, "pause": YES_NO},
        "host",
    ),
    "host/workshop/answer": Request(
        "Answer a step: skip, undo or go (on with what lies there)", {"choice": WORD}, "host"
    ),
    "host/workshop/stop": Request("End the check; the table gets the board back", {}, "host"),
    "host/power": Request(
        "Restart the machine or shut it down: `restart` or `shutdown`, where it is a Raspberry Pi with a service",
        {"what": WORD},
        "host",
    ),
    "host/repair": Request("Save what is whole of a damaged game, in the lobby; then it can be taken up", {}, "host"),
    "host/look-for-update": Request("Look for a newer release where this installation looks for them", {}, "host"),
    "host/update": Request(
        "Have the machine run the newer release that was found; `confirmed`: also while a game is running",
        {"confirmed": YES_NO},
        "host",
    ),
    "network/look": Request("Look for networks where the machine's hotspot is set up", {}, "hotspot"),
    "network/join": Request(
        "Have the machine join a network: its name in hexadecimal, its password. A guest of the hotspot gets a code "
        "instead, and the host confirms: always for an open or hidden network, and once the table has had a host or "
        "a game",
        {"network": WORD, "password": WORD, "hidden": YES_NO},
        "hotspot",
    ),
    "network/allow": Request("Join the network that the guest with this code asks for", {"code": WORD}, "host"),
    "network/refuse": Request("Refuse the network that the guest with this code asks for", {"code": WORD}, "host"),
    "host/tickets": Request(
        "Show the tickets to everybody in the room, or to the host alone", {"shown": YES_NO}, "host"
    ),
}

_KINDS: Mapping[str, type] = {"integer": int, "string": str, "boolean": bool, "array": list}


def fields_of(path: str) -> dict[str, type]:
    """Return the fields of a request's body: name (``name?`` may be missing) → its type in Python."""
    return {name: _kind(schema) for name, schema in REQUESTS[path].fields.items()}


def _kind(schema: Schema) -> type:
    named = schema.get("$ref")
    return _kind(COMPONENTS[named.rpartition("/")[2]]) if named else _KINDS[schema["type"]]
