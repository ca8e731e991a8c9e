"""Seals bind and hide: what the table accepts as a commitment and as its opening."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.games.seals import FIRST_HISTORY, TAG, commitment, next_history
from firmware_host.table.errors import TableError
from firmware_host.table.ledger import Round
from firmware_host.table.subjects.rounds import SealCommitted
from lodestone.evening import Evening

NONCE = "7c1039287aa9aeaad5f3cdce182435ca"


def a_round(**changes: object) -> Round:
    return Round("g1", 7, (1, 2), FIRST_HISTORY)


def sealed_round(one: str = "wD4", two: str = "bB3") -> Round:
    opened = a_round()
    for seat, action in ((1, one), (2, two)):
        opened = opened.with_commitment(seat, commitment("g1", 7, seat, FIRST_HISTORY, action, NONCE))
    return opened


def refusal(ask: object) -> str:
    with pytest.raises(TableError) as caught:
        ask()  # type: ignore[operator]
    return caught.value.code


def test_the_commitment_is_the_documented_hash() -> None:
    text = f"{TAG}\ng1\n7\n2\n{FIRST_HISTORY}\nwD4\n{NONCE}"
    assert commitment("g1", 7, 2, FIRST_HISTORY, "wD4", NONCE) == hashlib.sha256(text.encode()).hexdigest()


@given(
    st.tuples(st.integers(1, 99), st.integers(1, 4), st.sampled_from(["wA1", "bA1", "wD12"])),
    st.tuples(st.integers(1, 99), st.integers(1, 4), st.sampled_from(["wA1", "bA1", "wD12"])),
)
def test_different_seals_have_different_commitments(one: tuple[int, int, str], other: tuple[int, int, str]) -> None:
    digests = [commitment("g1", turn, seat, FIRST_HISTORY, action, NONCE) for turn, seat, action in (one, other)]
    assert (digests[0] == digests[1]) == (one == other)


def test_a_seal_is_final_and_repeating_it_is_harmless() -> None:
    opened = sealed_round()
    assert opened.check_commitment(1, 7, opened.commitments[1]) is False
    assert refusal(lambda: opened.check_commitment(1, 7, "0" * 64)) == "already_sealed"


@pytest.mark.parametrize("digest", ["", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n", "wD4"])
def test_a_forged_hash_is_refused(digest: str) -> None:
    assert refusal(lambda: a_round().check_commitment(1, 7, digest)) == "bad_seal"


def test_another_seats_commitment_cant_be_copied() -> None:
    digest = commitment("g1", 7, 1, FIRST_HISTORY, "wD4", NONCE)
    opened = a_round().with_commitment(1, digest)
    assert refusal(lambda: opened.check_commitment(2, 7, digest)) == "bad_seal"


def test_turn_and_seat_must_be_of_this_round() -> None:
    assert refusal(lambda: a_round().check_commitment(1, 6, "0" * 64)) == "bad_seal"
    assert refusal(lambda: a_round().check_commitment(3, 7, "0" * 64)) == "bad_seat"


def test_no_opening_is_taken_before_all_have_sealed() -> None:
    digest = commitment("g1", 7, 1, FIRST_HISTORY, "wD4", NONCE)
    opened = a_round().with_commitment(1, digest)
    assert refusal(lambda: opened.check_opening(1, 7, "wD4", NONCE)) == "wrong_phase"


def test_an_opening_must_match_its_seal() -> None:
    opened = sealed_round()
    assert opened.check_opening(1, 7, "wD4", NONCE) is True
    assert refusal(lambda: opened.check_opening(1, 7, "wD5", NONCE)) == "seal_mismatch"
    assert refusal(lambda: opened.check_opening(1, 7, "wD4", "0" * 32)) == "seal_mismatch"
    assert refusal(lambda: opened.check_opening(1, 7, "wD4", NONCE.upper())) == "bad_seal"
    assert refusal(lambda: opened.check_opening(1, 7, "wD4\nwD5", NONCE)) == "bad_seal"


def test_an_opening_sent_twice_counts_once() -> None:
    opened = sealed_round().with_opening(1, "wD4", NONCE)
    assert opened.check_opening(1, 7, "wD4", NONCE) is False


def test_a_resigned_seat_leaves_the_round() -> None:
    rest = sealed_round().with_opening(2, "bB3", NONCE).without(2)
    assert rest.seats == (1,)
    assert set(rest.commitments) == {1}
    assert rest.actions == {}


def test_history_binds_everything_revealed() -> None:
    base = next_history(FIRST_HISTORY, 1, {1: "wD4", 2: "bB3"}, {1: NONCE, 2: NONCE})
    assert base != next_history(FIRST_HISTORY, 2, {1: "wD4", 2: "bB3"}, {1: NONCE, 2: NONCE})
    assert base != next_history(FIRST_HISTORY, 1, {1: "bB3", 2: "wD4"}, {1: NONCE, 2: NONCE})
    assert base == next_history(FIRST_HISTORY, 1, {2: "bB3", 1: "wD4"}, {2: NONCE, 1: NONCE})


def test_a_seal_that_was_made_on_an_old_page_is_refused() -> None:
    """A new game's first turn has the number of the last one's, but nobody could open that seal there."""
    evening = Evening("spokes").sit_and_start("Ada", "Bob")
    sealing = evening.table.ledger.round
    assert sealing is not None
    seal = SealCommitted(at=evening.at, seat=1, turn=1, commitment="0" * 64, game=sealing.game, history=sealing.history)
    for old in (replace(seal, game="spokes-0"), replace(seal, history="f" * 64)):
        assert refusal(lambda old=old: evening.say(old)) == "bad_seal"
    evening.say(seal)
    assert evening.table.ledger.round.commitments == {1: "0" * 64}
