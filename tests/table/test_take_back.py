"""How far a take-back goes: a computer would do the same again, so it leads to a person's choice."""

from __future__ import annotations

from firmware_host.games.game import Game
from firmware_host.games.positions import untidying
from firmware_host.games.registry import game
from firmware_host.table.subjects.proposals import ActionUndone, Proposed
from firmware_host.table.subjects.resolving import ActionChosen
from lodestone.evening import Evening


def play(evening: Evening, action: str) -> None:
    """Do an action; a computer chooses it first."""
    seat = evening.table.actor
    assert seat is not None
    if evening.table.is_computer(seat):
        evening.say(ActionChosen(at=evening.at, seat=seat, action=action))
    evening.do(action)
    evening.wait(1)


def coil(*computers: int) -> Evening:
    evening = Evening("coil").sit_and_start("Ann", "Computer 2", computers=computers)
    for cell in ("a1", "g7", "m7", "d4"):
        play(evening, cell)
    return evening


def back(evening: Evening, by: int = 0) -> list[str]:
    """Take back, as the host does or as a seat asks for it; return the stones that are left."""
    at = evening.at
    evening.say(Proposed(at=at, seat=by, what="take-back") if by else ActionUndone(at=at))
    return sorted(evening.table.game.occupancy(evening.table.ledger.now.position))


def test_alone_against_a_computer_a_person_chooses_again() -> None:
    for by in (0, 1):
        evening = coil(2)
        assert back(evening, by) == ["a1", "g7"], "the computer's d4 and the person's m7 are gone"
        assert (evening.phase, evening.table.actor) == ("setup", 1)
        assert evening.entries[-1][0] == "correction"
        assert evening.view()["message"] == "Set the board up: take the stone off d4 (1 more to follow)."


def test_among_people_and_among_computers_only_the_last_action_goes() -> None:
    assert back(coil()) == ["a1", "g7", "m7"]
    assert back(coil(1)) == ["a1", "g7", "m7"], "a person has done the last action"
    assert back(coil(1, 2)) == ["a1", "g7", "m7"]


def test_what_all_have_revealed_together_stays() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Computer 2", computers=(1,))
    evening.seal_all({1: "wC6", 2: "wD11"})
    evening.put_down_all()
    play(evening, "C6-D11-11")
    assert back(evening) == ["C6", "D11"]


def test_the_tiles_of_all_that_is_taken_back_are_named_the_last_one_first() -> None:
    octiles: Game[object] = game("octiles")
    positions = [octiles.start("2")]
    for _ in range(2):
        seat = octiles.actor(positions[-1])
        assert seat is not None
        action = next(iter(octiles.actions(positions[-1])[seat]))
        positions.append(octiles.apply(positions[-1], {seat: action}).position)
    one, other = (untidying(octiles, positions[at : at + 2]) for at in (0, 1))
    assert one != other
    assert untidying(octiles, positions) == f"{other}; {one}"
    assert untidying(octiles, positions[:1]) is None
