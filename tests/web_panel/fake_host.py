"""The host, played by a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from firmware_host.replay.scenes import film
from firmware_host.session.host import Host
from firmware_host.session.light_renderer import LightSetting
from firmware_host.table.errors import TableError
from firmware_host.text.words import say
from tests.sentences import sentence

TOKEN = "aVeryOwnHostsTokenHere"
WITHHELD = "octiles-0123abcd"
RECORD = ['{"record":1,"id":"spokes-0123abcd"}', '{"n":1}']


class FakeHost(Host):
    """A host that writes down what it is asked for, and does nothing."""

    def __init__(self, token: str = TOKEN) -> None:
        self.word = token
        self.requests: list[tuple[Any, ...]] = []
        self.shown = True
        self.everybody = False
        self.rest = LightSetting()
        self.owned = False
        self.signs = True

    def token(self) -> str:
        if not self.word:
            raise TableError("no_host", say("the host's file can't be read"))
        return self.word

    def note_entered(self) -> None:
        self.owned = True

    def has_owner(self) -> bool:
        return self.owned

    def are_codes_shown(self) -> bool:
        return self.shown

    def show_codes(self, shown: bool) -> None:
        self.shown = shown

    def company(self) -> dict[str, Any]:
        return {"words": True, "signs": self.signs}

    def set_company(self, words: bool, signs: bool) -> None:
        self.signs = signs
        self.requests.append(("company", words, signs))

    def choices(self) -> list[dict[str, Any]]:
        return [
            {
                "board": "phalanx-9x9",
                "title": "Phalanx",
                "game": "phalanx",
                "nodes": 81,
                "sensors": 81,
                "aim": say("Cross the board."),
                "minutes": [15, 30],
                "players": [2],
                "modes": ["2"],
                "options": {"second_player_bonus": say(sentence("White's first turn has four"))},
                "colours": False,
                "current": False,
            }
        ]

    def new_game(self, board: str, mode: str, rules: Sequence[str]) -> None:
        if board != "phalanx-9x9":
            raise TableError("bad_board", say("there is no such board"))
        self.requests.append(("new", board, mode, tuple(rules)))

    def games(self, first: int, most: int) -> dict[str, Any]:
        game = {
            "id": "spokes-0123abcd",
            "title": "Spokes",
            "mode": "2",
            "started": "2026-07-01T20:00:00+00:00",
            "ended": None,
            "names": ["Ann", "Bob"],
            "state": "set aside",
            "words": say("set aside"),
            "withheld": False,
        }
        return {"first": first, "in_all": 1, "games": [game][first : first + most]}

    def take_up(self, game_id: str) -> None:
        if game_id != "spokes-0123abcd":
            raise TableError("bad_game", say("there is no such game"))
        self.requests.append(("take up", game_id))

    def can_repair(self) -> bool:
        return False

    def repair(self) -> None:
        self.requests.append(("repair",))

    def record(self, game_id: str) -> list[str]:
        if game_id == WITHHELD:
            raise TableError("withheld", say("not yet"))
        return self.whole_record(game_id)

    def has_played(self, game: str) -> bool:
        return True

    def is_over(self, game_id: str) -> bool:
        lines = self.whole_record(game_id)
        return lines is RECORD or film(lines).over

    def whole_record(self, game_id: str) -> list[str]:
        if game_id != "spokes-0123abcd":
            raise TableError("bad_game", say("there is no such game"))
        return RECORD

    def hardware(self) -> dict[str, Any]:
        return {
            "board": "spokes-45",
            "kind": "presence",
            "backend": "sim",
            "nodes": 45,
            "scan_hz": 50,
            "scans_per_s": 49.9,
            "health": [say("All parts do what they should.")],
            "lights": {"pixels": 45, "trouble": None},
            "simulated": True,
            "hands": "all" if self.everybody else "computer",
        }

    def lights(self) -> dict[str, Any]:
        return vars(self.rest)

    def set_lights(self, wish: Mapping[str, Any]) -> None:
        self.rest = LightSetting.of(wish)

    def lend_hands(self, everybody: bool) -> None:
        self.everybody = everybody
