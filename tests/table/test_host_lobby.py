"""Names, colours, seats that move, and taking back: what the host may, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmware_host.games.drawing import COLOUR_NAMES, COLOURS
from firmware_host.games.registry import game as find_game
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import Ledger, LedgerError
from firmware_host.table.lights import SEAT_COLOURS
from firmware_host.table.subjects import proposals
from firmware_host.table.subjects.proposals import ActionUndone, Agreed, GamePaused, GameResumed, Proposed
from firmware_host.table.subjects.rounds import SealReady
from firmware_host.table.subjects.seats import (
    AskRefused,
    ComputerSeated,
    ModeChosen,
    SeatAsked,
    SeatColoured,
    SeatLeft,
    SeatMoved,
    SeatNamed,
    SeatTaken,
    name_key,
    seat_entries,
)
from lodestone.evening import Evening
from tests.sentences import pattern, sentence


def seated(mode: str = "2", game: str = "spokes") -> Evening:
    evening = Evening(game, mode)
    for seat in evening.table.ledger.all_seats:
        evening.say(SeatTaken(at=0.0, seat=seat, name=f"P{seat}", claim=f"c{seat}", computer=seat == 4))
    return evening


def colours(evening: Evening) -> list[int]:
    return [seat["colour"] for seat in evening.view()["seats"]]


# -- names -------------------------------------------------------------------------------------------------------------


def test_whoever_sits_may_be_called_otherwise() -> None:
    evening = seated()
    evening.say(SeatNamed(at=0.0, seat=1, name="  Zoë "))
    assert evening.view()["seats"][0]["name"] == "Zoë"
    assert evening.table.ledger.sittings[1].claim == "c1", "and holds the seat as before"
    entries = len(evening.entries)
    evening.say(SeatNamed(at=0.0, seat=1, name="Zoë"))
    assert len(evening.entries) == entries, "nothing has changed"
    assert evening.restarted().view()["seats"] == evening.view()["seats"]


def test_a_computer_is_called_otherwise_and_stays_one() -> None:
    evening = seated("4")
    evening.say(SeatNamed(at=0.0, seat=4, name="HAL"))
    assert evening.view()["seats"][3]["name"] == "HAL"
    assert evening.view()["seats"][3]["computer"] is True


@pytest.mark.parametrize(
    ("seat", "name", "code"),
    [
        (1, "", "bad_name"),
        (1, "x" * 25, "bad_name"),
        (1, "p2", "bad_name"),
        (1, "a\nb", "bad_name"),
        (9, "A", "bad_seat"),
    ],
)
def test_wrong_names_are_refused(seat: int, name: str, code: str) -> None:
    assert seated().refused(SeatNamed(at=0.0, seat=seat, name=name)) == code


def test_nobody_is_called_otherwise_once_the_game_has_begun() -> None:
    evening = Evening("spokes").sit_and_start()
    assert evening.refused(SeatNamed(at=evening.at, seat=1, name="Zoë")) == "wrong_phase"
    assert evening.refused(SeatColoured(at=evening.at, seat=1, colour=5)) == "wrong_phase"


# -- colours -----------------------------------------------------------------------------------------------------------


def test_each_seat_has_its_numbers_colour_until_somebody_chooses() -> None:
    evening = seated("4")
    assert colours(evening) == [1, 2, 3, 4]
    evening.say(SeatColoured(at=0.0, seat=1, colour=8))
    assert colours(evening) == [8, 2, 3, 4]
    evening.say(SeatColoured(at=0.0, seat=2, colour=3))
    assert colours(evening) == [8, 3, 2, 4], "who had it gets the other's in exchange"
    assert [kind for kind, _ in evening.entries].count("colour") == 2
    assert evening.restarted().view()["seats"] == evening.view()["seats"]


def test_a_colour_is_chosen_for_an_open_seat_too() -> None:
    evening = Evening("spokes")
    evening.say(SeatColoured(at=0.0, seat=2, colour=5))
    assert colours(evening) == [1, 5]


def test_a_seat_of_another_mode_takes_a_colour_that_is_left() -> None:
    evening = seated("2")
    evening.say(SeatColoured(at=0.0, seat=1, colour=3))
    evening.say(ModeChosen(at=0.0, mode="4"))
    assert colours(evening) == [3, 2, 1, 4]
    evening.say(SeatColoured(at=0.0, seat=4, colour=6))
    evening.say(ModeChosen(at=0.0, mode="2"))
    assert colours(evening) == [3, 2]


@pytest.mark.parametrize(("seat", "colour", "code"), [(1, 0, "bad_colour"), (1, 9, "bad_colour"), (3, 1, "bad_seat")])
def test_wrong_colours_are_refused(seat: int, colour: int, code: str) -> None:
    assert seated().refused(SeatColoured(at=0.0, seat=seat, colour=colour)) == code


def test_where_pieces_shine_themselves_nobody_chooses() -> None:
    evening = seated("3", "octiles")
    assert evening.view()["game"]["colours"] is False
    assert [COLOUR_NAMES[colour] for colour in colours(evening)] == ["blue", "red", "yellow"]
    assert evening.refused(SeatColoured(at=0.0, seat=1, colour=3)) == "bad_colour"
    for game in ("spokes", "coil", "phalanx"):
        assert Evening(game).view()["game"]["colours"] is True


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, COLOURS)), max_size=12), st.sampled_from(["2", "4", "2v2"]))
def test_no_two_seats_ever_have_one_colour_and_the_next_game_keeps_them(wishes: list[Any], mode: str) -> None:
    evening = Evening("spokes", "4")
    for seat, colour in wishes:
        evening.say(SeatColoured(at=0.0, seat=seat, colour=colour))
        now = colours(evening)
        assert now[seat - 1] == colour
        assert len(set(now)) == 4
    ledger = Ledger(evening.game, "g2", mode)
    for kind, data in seat_entries(evening.table.ledger, ledger):
        ledger.apply(kind, data)
    chosen = evening.table.ledger.chosen_colours
    assert ledger.colours.items() >= {s: c for s, c in chosen.items() if s in ledger.all_seats}.items()
    assert len(set(ledger.colours.values())) == len(ledger.all_seats)


def test_an_entry_with_a_colour_that_is_not_is_no_entry() -> None:
    ledger = Ledger(find_game("spokes"), "g1", "2")
    for seat, colour in ((1, 9), (3, 1), (1, 0)):
        with pytest.raises(LedgerError):
            ledger.apply("colour", {"seat": seat, "colour": colour})


# What people with each kind of colour vision see of red, green and blue light (Machado and others 2009).
VISION = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "no green": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "no blue": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def oklab(colour: tuple[int, int, int], sensed: str) -> tuple[float, ...]:
    """Return a colour as people with this sensed state see it: lightness, and two axes of colour (Ottosson's OKLab)."""
    light = [value / 255 / 12.92 if value <= 10 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in colour]
    red, green, blue = (
        min(1.0, max(0.0, sum(k * v for k, v in zip(row, light, strict=True)))) for row in VISION[sensed]
    )
    cones = (
        0.4122 * red + 0.5363 * green + 0.0514 * blue,
        0.2119 * red + 0.6807 * green + 0.1074 * blue,
        0.0883 * red + 0.2817 * green + 0.6300 * blue,
    )
    long, middle, short = (value ** (1 / 3) for value in cones)
    return (
        0.2105 * long + 0.7936 * middle - 0.0041 * short,
        1.9780 * long - 2.4286 * middle + 0.4506 * short,
        0.0259 * long + 0.7828 * middle - 0.8087 * short,
    )


@pytest.mark.parametrize("sensed", VISION)
def test_the_lights_colours_can_be_told_apart(sensed: str) -> None:
    """0.02 is just noticed side by side; the four colours that there were before came as close as 0.06."""
    assert list(SEAT_COLOURS) == list(COLOUR_NAMES)
    seen = {number: oklab(colour, sensed) for number, colour in SEAT_COLOURS.items()}
    nearest = min(
        sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        for one in seen
        for other in seen
        if one < other
    )
    assert nearest > 0.11


# -- seats that move ---------------------------------------------------------------------------------------------------


def test_a_phone_asks_and_the_host_lets_it_have_the_seat() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    for seat, code in ((1, "4711"), (1, "4712"), (2, "4713")):
        evening.say(SeatAsked(at=evening.at, seat=seat, code=code))
    assert evening.view()["asks"] == [
        {"seat": 1, "code": "4711", "name": "Ann"},
        {"seat": 1, "code": "4712", "name": "Ann"},
        {"seat": 2, "code": "4713", "name": "Bob"},
    ]
    evening.say(SeatMoved(at=evening.at, seat=1, claim="another"))
    assert evening.table.ledger.sittings[1].claim == "another"
    assert evening.table.ledger.sittings[1].name == "Ann"
    assert [ask["code"] for ask in evening.view()["asks"]] == ["4713"], "all that asked for it are answered"
    evening.say(AskRefused(at=evening.at, code="4713"))
    assert evening.view()["asks"] == []
    assert evening.view()["log"][-1]["text"] == "Ann continues on another phone."
    assert evening.entries[-1] == ("moved", {"seat": 1, "claim": "another"})


def test_who_plays_a_seat_from_now_on_is_told_with_the_level() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob", computers=(2,))

    def told() -> str:
        return str(evening.view()["log"][-1]["text"])

    evening.say(ComputerSeated(at=evening.at, seat=2, level=5))
    assert told() == sentence("is a computer and plays", name="Bob", level="Expert")
    evening.say(ComputerSeated(at=evening.at, seat=1, level=1))
    assert told() == "A computer plays for Ann from now on: Beginner."
    evening.say(SeatAsked(at=evening.at, seat=1, code="4711"))
    evening.say(SeatMoved(at=evening.at, seat=1, claim="back"))
    assert told() == sentence("is played by a person", name="Ann")


def test_claims_are_never_shown() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    evening.say(SeatAsked(at=evening.at, seat=1, code="4711"))
    evening.say(SeatMoved(at=evening.at, seat=1, claim="never-to-be-seen"))
    assert "never-to-be-seen" not in str(evening.view())


def test_wrong_asks_are_refused() -> None:
    evening = seated("4")
    assert evening.refused(SeatAsked(at=0.0, seat=4, code="1")) == "bad_seat", "a computer's seat"
    assert evening.refused(SeatAsked(at=0.0, seat=5, code="1")) == "bad_seat"
    for code in ("", "x" * 13, "a b", "<b>"):
        assert evening.refused(SeatAsked(at=0.0, seat=1, code=code)) == "bad_code"
    for number in range(8):
        evening.say(SeatAsked(at=0.0, seat=1, code=f"{number}"))
    assert evening.refused(SeatAsked(at=0.0, seat=2, code="7")) == "bad_code", "another's"
    assert evening.refused(SeatAsked(at=0.0, seat=2, code="8")) == "too_many"
    assert evening.refused(AskRefused(at=0.0, code="9")) == "bad_code"


def test_wrong_moves_are_refused() -> None:
    evening = seated("4")
    assert evening.refused(SeatMoved(at=0.0, seat=4, claim="x")) == "bad_seat"
    assert evening.refused(SeatMoved(at=0.0, seat=1, claim="")) == "bad_claim"
    assert evening.refused(SeatMoved(at=0.0, seat=1, claim="c1")) == "bad_claim"
    open_seat = Evening("spokes")
    assert open_seat.refused(SeatMoved(at=0.0, seat=1, claim="x")) == "bad_seat"
    assert open_seat.refused(SeatAsked(at=0.0, seat=1, code="1")) == "bad_seat"


def test_who_asked_for_a_seat_that_is_gone_asks_no_more() -> None:
    evening = seated("4")
    for seat in (1, 2, 3):
        evening.say(SeatAsked(at=0.0, seat=seat, code=f"{seat}"))
    evening.say(SeatLeft(at=0.0, seat=1))
    assert [ask["seat"] for ask in evening.view()["asks"]] == [2, 3]
    evening.say(ModeChosen(at=0.0, mode="2"))
    assert [ask["seat"] for ask in evening.view()["asks"]] == [2]


def test_a_sealed_seat_that_moves_wakes_up_no_more_and_may_seal_anew() -> None:
    """Its opening is on the phone that was: the others agree that it is lost, their own seals stand."""
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    for seat, action in {1: "wC2", 2: "wC3"}.items():
        evening.commit(seat, action)
        if seat == 2:
            for ready in (1, 2):
                evening.say(SealReady(at=evening.at, seat=ready, turn=1))
    assert evening.view()["seal"]["open"] is True
    evening.say(SeatMoved(at=evening.at, seat=1, claim="another"))
    view = evening.view()
    assert (view["seal"]["open"], view["seal"]["awake"]) == (False, [2])
    assert "Waiting for the phone of Ann to wake up" in view["message"]
    evening.say(Proposed(at=evening.at, seat=1, what="reseal"))
    evening.say(Agreed(at=evening.at, seat=2, what="reseal"))
    assert list(evening.view()["seal"]["commitments"]) == ["2"]
    evening.commit(1, "bC2")
    for ready in (1, 2):
        evening.say(SealReady(at=evening.at, seat=ready, turn=1))
    evening.open(1, "bC2")
    evening.open(2, "wC3")
    assert evening.entries[-1][0] == "reveal"


def test_an_entry_that_moves_nobodys_seat_is_no_entry() -> None:
    ledger = Ledger(find_game("spokes"), "g1", "2")
    with pytest.raises(LedgerError):
        ledger.apply("moved", {"seat": 1, "claim": "x"})


# -- taking back -------------------------------------------------------------------------------------------------------


def test_the_host_takes_the_last_action_back_at_once() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    evening.seal_all({1: "wC2", 2: "wC3"})
    evening.wait(0.3)
    evening.put_down_all()
    evening.do(evening.table.watch.tracker.steps[0].action)
    done = len(evening.table.ledger.moments)
    evening.say(Proposed(at=evening.at, seat=1, what="take-back"))
    evening.say(ActionUndone(at=evening.at))
    assert len(evening.table.ledger.moments) == done - 1
    assert proposals.current(evening.table) is None
    assert evening.entries[-1][1]["by"] == "host"
    assert evening.view()["log"][-1]["text"] == "Taken back by the host."
    evening.wait(0.5)
    assert evening.phase == "setup", "the stones have to go back"
    again = evening.restarted()
    assert again.text() == evening.text()


def test_what_nobody_could_propose_the_host_cant_either() -> None:
    evening = Evening("spokes").sit_and_start("Ann", "Bob")
    assert evening.refused(ActionUndone(at=evening.at)) == "bad_proposal"
    evening.seal_all({1: "wC2", 2: "wD13"})
    evening.wait(0.3)
    evening.put_down_all()
    if evening.phase == "resolving":
        evening.do(evening.table.watch.tracker.steps[0].action)
    evening.wait(0.5)
    while evening.phase == "resolving":
        evening.do(evening.table.watch.tracker.steps[0].action)
    evening.commit(1, "wA1")
    with pytest.raises(TableError) as caught:
        evening.say(ActionUndone(at=evening.at))
    assert (caught.value.code, str(caught.value)) == (
        "bad_proposal",
        sentence("somebody has sealed already: the"),
    )


def test_the_host_takes_back_while_the_table_is_held() -> None:
    evening = Evening("coil", kind="polarity").sit_and_start()
    evening.put("g7", "b")
    evening.wait(0.6)
    assert evening.done() == ["g7"]
    evening.say(GamePaused(at=evening.at))
    evening.say(ActionUndone(at=evening.at))
    assert evening.done() == []
    assert evening.view()["paused"] is True
    evening.say(GameResumed(at=evening.at))
    evening.wait(0.5)
    assert evening.view()["tasks"] == [{"do": "take", "node": "g7", "seat": None}]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["put", "back", "hold", "on"]), max_size=12))
def test_whatever_the_host_takes_back_a_restart_finds_it_taken_back(deeds: list[str]) -> None:
    evening = Evening("coil", kind="polarity").sit_and_start()
    for number, deed in enumerate(deeds):
        try:
            if deed == "put" and not evening.table.paused and evening.phase == "resolving":
                evening.put(f"g{number + 1}", "b")
                evening.wait(0.6)
            elif deed == "back":
                evening.say(ActionUndone(at=evening.at))
            elif deed != "put":
                evening.say((GamePaused if deed == "hold" else GameResumed)(at=evening.at))
        except TableError:
            assert (deed, len(evening.table.ledger.moments)) == ("back", 1), (
                "only what is not there can't be taken back"
            )
        again = evening.restarted()
        assert again.text() == evening.text()
        assert again.table.ledger.moments == evening.table.ledger.moments


# -- names that look alike ---------------------------------------------------------------------------------------------

CYRILLIC = "\u0410nn"
"""Its A is another alphabet's."""


@pytest.mark.parametrize("name", [CYRILLIC, "A n n", "ANN", "\uff21nn"])
def test_no_two_players_have_names_that_look_alike(name: str) -> None:
    evening = Evening("spokes", "2")
    evening.say(SeatTaken(at=0.0, seat=1, name="Ann", claim="c1"))
    evening.say(SeatTaken(at=0.0, seat=2, name="Bob", claim="c2"))
    with pytest.raises(TableError, match=pattern("somebody is already called")):
        evening.say(SeatNamed(at=0.0, seat=2, name=name))
    evening.say(SeatLeft(at=0.0, seat=2))
    with pytest.raises(TableError, match=pattern("somebody is already called")):
        evening.say(SeatTaken(at=0.0, seat=2, name=name, claim="c2"))
    evening.say(SeatTaken(at=0.0, seat=1, name=name, claim="c1"))
    assert evening.table.ledger.name(1) == name, "one's own name may be spelt anew"


def test_a_computers_name_looks_like_nobodys() -> None:
    evening = Evening("spokes", "2")
    evening.say(SeatTaken(at=0.0, seat=1, name="Comput\u0435r2", claim="c1"))
    evening.say(SeatTaken(at=0.0, seat=2, name="Computer 2", claim="", computer=True))
    assert evening.table.ledger.name(2) == "Computer 2 (2)"


@given(st.text(max_size=8), st.text(max_size=8))
@example("\u0410\u041d\u041d\u0410", "\u0430\u043d\u043d\u0430")
def test_names_that_differ_in_their_case_look_alike(one: str, other: str) -> None:
    """Records are compared by case only (verify.py): the lobby must accept no two names that they refuse."""
    for first, second in ((one, one.upper()), (one, one.lower()), (one, other)):
        if first.casefold() == second.casefold():
            assert name_key(first) == name_key(second)


# -- computers' names --------------------------------------------------------------------------------------------------


def test_a_player_who_is_called_like_a_computer_keeps_none_off_its_seat() -> None:
    evening = Evening("spokes", "4")
    evening.say(SeatTaken(at=0.0, seat=1, name="computer 4", claim="c1"))
    evening.say(SeatTaken(at=0.0, seat=2, name="Computer 4 (2)", claim="c2"))
    for seat in (3, 4):
        evening.say(SeatTaken(at=0.0, seat=seat, name=f"Computer {seat}", claim="", computer=True))
    names = [seat["name"] for seat in evening.view()["seats"]]
    assert names == ["computer 4", "Computer 4 (2)", "Computer 3", "Computer 4 (3)"]
