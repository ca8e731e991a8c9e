"""Moments in which a piece has gone somewhere, or is asked to go: one of each kind, as the view tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening
from tests.table import phalanx_evenings as phalanx
from tests.table.octiles_evenings import Octiles

Moments = dict[str, Mapping[str, Any]]
OVER_TWO = "9/9/9/9/9/2bbb4/9/1ww6/9 b 3 1"
"""C4 can go to F4, on the other side of its own two."""


def moments() -> Moments:
    """Return views of a seat that acts, by what they show."""
    return {**_spokes(), **_phalanx(), **_coil(), **_octiles()}


def _seen(evening: Evening) -> Mapping[str, Any]:
    seat = evening.table.actor or 1
    return {"seq": 1, "host": False, **evening.view(), "you": {"seat": seat, "claim_ok": True}}


def _resolving(*placements: str) -> Evening:
    evening = Evening().sit_and_start()
    evening.seal_all(dict(enumerate(placements, 1)))
    evening.put_down_all()
    return evening


def _want(evening: Evening, action: str) -> None:
    evening.say(ActionChosen(at=evening.at, seat=evening.table.actor or 0, action=action))


def _spokes() -> Moments:
    found: Moments = {}
    push, pull = _resolving("wC6", "wD11"), _resolving("wC6", "bD11")
    _want(push, "C6-D11-11")
    found["push asked"] = _seen(push)
    push.do("C6-D11-11")
    found["push made"] = _seen(push)
    push.carry("11", "A1")
    push.wait(6)
    found["repair asked"] = _seen(push)
    _want(pull, "C6+D11")
    found["pull asked"] = _seen(pull)
    pull.do("C6+D11")
    found["pull made"] = _seen(pull)
    return found


def _phalanx() -> Moments:
    found: Moments = {}
    push, move = phalanx.at(phalanx.LONG), phalanx.at(OVER_TWO)
    _want(push, "C4>e")
    found["line asked"] = _seen(push)
    push.do("C4>e")
    push.wait(2)
    found["line made"] = _seen(push)
    _want(move, "C4-F4")
    found["move asked"] = _seen(move)
    move.do("C4-F4")
    move.wait(2)
    found["move made"] = _seen(move)
    return found


def _coil() -> Moments:
    evening = Evening("coil").sit_and_start()
    found: Moments = {}
    for node, piece in (("a1", "b"), ("g10", "w"), ("g11", "b"), ("m7", "w")):
        evening.put(node, piece)
        evening.wait(1.5)
    for name, node in (("near", "g12"), ("far", "b7")):
        evening.carry("g11", node)
        evening.wait(6)
        found[f"{name} repair asked"] = _seen(evening)
        evening.carry(node, "g11")
        evening.wait(1)
    return found


def _octiles() -> Moments:
    hands = Octiles("coded", "2", 5)
    for _ in range(6):
        hands.turn()
    step = max(hands.carried(), key=lambda one: len(one.line))
    hands.coming = step.action
    *tile, _runner = step.moves
    hands.lay(tile, step.action)
    _want(hands.evening, step.action)
    found = {"run asked": _seen(hands.evening)}
    hands.run(_runner)
    hands.finish()
    return {**found, "run made": _seen(hands.evening)}
