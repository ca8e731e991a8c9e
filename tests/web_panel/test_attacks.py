"""Attacks on seats, seals and pages, each against a table that is really served, each refused."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_host.games.seals import TAG, commitment
from firmware_host.table import ledger
from lodestone.tables import KEY
from tests.sampling import few
from tests.web_panel.table import ServedTable, digest, nonce_of, signed
from tests.web_panel.wire import Person, as_host, get, post, ticket, two_at, unchanged, wake
from web_panel import access


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as here:
        yield here


def seal_both(ann: Person, bob: Person, first: str = "wD12", second: str = "bD13", turn: int = 1) -> None:
    assert ann.seal(first, turn).status == 200
    assert bob.seal(second, turn).status == 200


# -- seats -----------------------------------------------------------------------------------------------------------


def test_attack_forged_seat_cookie(table: ServedTable) -> None:
    """A cookie nobody signed, one signed with a guessed key, one whose seat was changed: all hold no seat."""
    ann, _ = two_at(table)
    genuine = ann.cookie.partition("=")[2]
    payload, _, signature = genuine.rpartition(".")
    other = signed([2, "x"], secret=b"guess").partition(".")[0]
    forged = ["", "[1]", payload, f"{payload}.", f"{other}.{signature}", signed([1, "c"], secret=b"guess"),
              signed([1, "c"], salt="other"), f"{payload}.{signature[:-2]}AA", "." * 3000]  # fmt: skip
    with unchanged(table):
        for cookie in forged:
            assert post(table, "/api/resign", Cookie=f"lodestone-seat={cookie}").code == "not_seated"


def test_attack_signed_cookie_of_a_strange_shape(table: ServedTable) -> None:
    """Even rightly signed nonsense is nobody's seat."""
    two_at(table)
    with unchanged(table):
        for value in ([1], [1, None], ["1", "c"], [True, "c"], {"seat": 1}, None, [1, ""], [99, "c"], [1.0, "c"]):
            assert post(table, "/api/resign", Cookie=f"lodestone-seat={signed(value)}").code == "not_seated"


def test_attack_cookie_of_another_table(table: ServedTable, tmp_path: Path) -> None:
    """The same seat at another table, under the same key: its claim is not known here."""
    two_at(table)
    with ServedTable.opened(tmp_path / "other") as other:
        stranger = Person(other, 1, "Eve")
    with unchanged(table):
        assert post(table, "/api/resign", Cookie=stranger.cookie).code == "not_seated"
        assert get(table, "/api/state", Cookie=stranger.cookie).json["you"] is None


def test_attack_cookie_of_a_sitting_that_is_over(table: ServedTable) -> None:
    """Who has left can't come back with the old cookie when somebody else sits there."""
    eve = Person(table, 1, "Eve")
    old = eve.cookie
    assert eve.post("leave").status == 200
    Person(table, 1, "Ann")
    with unchanged(table):
        assert post(table, "/api/leave", Cookie=old).code == "not_seated"


def test_attack_taking_a_taken_seat(table: ServedTable) -> None:
    """A seat that is held can't be taken, and no computer put on it."""
    Person(table, 1, "Ann")
    with unchanged(table):
        assert post(table, "/api/join", {"seat": 1, "name": "Eve", "ticket": "none"}).code == "seat_taken"
        assert as_host(table, "computer", {"seat": 1}).code == "seat_taken"


def test_attack_speaking_for_another_seat(table: ServedTable) -> None:
    """The seat comes from the cookie alone: naming another in the body, path or a header is refused or idle."""
    _, bob = two_at(table)
    body = {"turn": 1, "commitment": "0" * 64}
    with unchanged(table):
        assert bob.post("seal", {**body, "seat": 1}).code == "bad_request"
        assert bob.post("seal?seat=1", {**body, "commitment": "x"}).code == "bad_seal"
        assert post(table, "/api/seal", body, X_Seat="1").code == "not_seated"


def test_attack_two_cookies(table: ServedTable) -> None:
    """A planted cookie before or after the genuine one never makes somebody else of its bearer."""
    ann, bob = two_at(table)
    for cookies in (
        f"lodestone-seat=x; {ann.cookie}",
        f"{ann.cookie}; lodestone-seat=x",
        f"{ann.cookie}; {bob.cookie}",
    ):
        you = get(table, "/api/state", Cookie=cookies).json["you"]
        assert you is None or you["seat"] == 1


def test_attack_timing_of_secrets(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Claims and commitments are compared in constant time: each comparison goes through hmac.compare_digest."""
    compared: list[str] = []

    class Watched:
        @staticmethod
        def compare_digest(left: Any, right: Any) -> bool:
            compared.append(str(left))
            return hmac.compare_digest(left, right)

    ann, bob = two_at(table)
    monkeypatch.setattr(access, "hmac", Watched)
    monkeypatch.setattr(ledger, "hmac", Watched)
    seal_both(ann, bob)
    wake(ann, bob)
    assert compared, "the claim in the cookie"
    compared.clear()
    assert ann.open("wD5").code == "seal_mismatch"
    assert any(len(text) == 64 for text in compared), "the commitment"


# -- seals -----------------------------------------------------------------------------------------------------------


def test_attack_commitment_of_another_seat(table: ServedTable) -> None:
    """Copying what another seat has sealed is refused, also in capitals or with a space."""
    ann, bob = two_at(table)
    ann.seal("wD12")
    theirs = bob.view()["seal"]["commitments"]["1"]
    with unchanged(table):
        for copy in (theirs, theirs.upper(), f" {theirs}", f"{theirs}\n", f"0x{theirs}"):
            assert bob.post("seal", {"turn": 1, "commitment": copy}).code in {"bad_seal", "bad_request"}


def test_attack_commitment_of_an_earlier_round(table: ServedTable) -> None:
    """A seal of turn 1 is none of turn 2: the turn is refused, and its opening matches nothing there."""
    ann, bob = two_at(table)
    old = digest(table.view, 1, "wD2")
    seal_both(ann, bob, "wD2", "bD10")
    wake(ann, bob)
    assert (ann.open("wD2").status, bob.open("bD10").status) == (200, 200)
    table.until("placing")
    table.put("wD2", "bD10")
    table.until("sealing")
    assert ann.post("seal", {"turn": 1, "commitment": old}).code == "bad_seal"
    assert ann.post("seal", {"turn": 2, "commitment": old}).status == 200, "nobody can see what a hash hides"
    assert bob.seal("bD5", 2).status == 200
    wake(ann, bob)
    with unchanged(table):
        assert ann.open("wD2", 2).code == "seal_mismatch"
        assert ann.open("wD2", 1).code == "bad_seal"


def test_attack_opening_that_does_not_match(table: ServedTable) -> None:
    """Another node, another colour, another nonce than was sealed."""
    ann, bob = two_at(table)
    seal_both(ann, bob)
    wake(ann, bob)
    with unchanged(table):
        for placement, nonce in (("wD11", ""), ("bD12", ""), ("wD12", "0" * 32), ("wD12\n", ""), ("WD12", "")):
            assert ann.open(placement, nonce=nonce).code in {"seal_mismatch", "bad_request"}


def test_attack_opening_of_another_seat(table: ServedTable) -> None:
    """What Ann sealed can't be opened by Bob, even if he knew it: the seat is part of the seal."""
    ann, bob = two_at(table)
    seal_both(ann, bob)
    wake(ann, bob)
    with unchanged(table):
        assert bob.open("wD12", nonce=nonce_of(1)).code == "seal_mismatch"


@pytest.mark.parametrize("changed", few(["tag", "game", "turn", "seat", "history", "placement", "nonce"], 3))
def test_attack_seal_made_for_something_else(table: ServedTable, changed: str) -> None:
    """Hashed as docs/view.md says a seal opens; made for another game, turn, seat, history … it never does."""
    ann, bob = two_at(table)
    seal, nonce = table.view["seal"], "5" * 32
    right = {"tag": TAG, "game": seal["game"], "turn": "1", "seat": "1", "history": seal["history"],
             "placement": "wD12", "nonce": nonce}  # fmt: skip
    others = {"seat": "2", "turn": "2", "placement": "bD12"}
    wrong = {**right, changed: others.get(changed, right[changed][::-1] if changed != "nonce" else "6" * 32)}
    assert wrong != right
    for person, fields in ((ann, wrong), (bob, {**right, "seat": "2", "nonce": "7" * 32})):
        digest = hashlib.sha256("\n".join(fields.values()).encode("ascii")).hexdigest()
        assert person.post("seal", {"turn": 1, "commitment": digest}).status == 200
    wake(ann, bob)
    with unchanged(table):
        assert ann.open("wD12", nonce=nonce).code == "seal_mismatch"
    assert bob.open("wD12", nonce="7" * 32).status == 200


def test_attack_opening_before_all_have_sealed(table: ServedTable) -> None:
    """An early opening is refused before it is looked at: right and wrong guesses get the same answer."""
    ann, _ = two_at(table)
    ann.seal("wD12")
    with unchanged(table):
        right, wrong = ann.open("wD12"), ann.open("wD3")
    assert right.code == "wrong_phase"
    assert right.body == wrong.body
    assert b"D12" not in right.body


def test_attack_brute_force_of_the_hash(table: ServedTable) -> None:
    """All placements hashed without a nonce: what would find them at once finds nothing, for 128 bits are missing."""
    ann, bob = two_at(table)
    ann.seal("wD12")
    seal = bob.view()["seal"]
    seen = seal["commitments"]["1"]
    placements = [colour + node for node in seal["nodes"] for colour in seal["colours"]]
    assert "wD12" in placements

    def hashed(placement: str, *nonce: str) -> str:
        fields = (TAG, seal["game"], str(seal["turn"]), "1", seal["history"], placement, *nonce)
        return hashlib.sha256("\n".join(fields).encode()).hexdigest()

    bare = hashed("wD12")
    assert [placement for placement in placements if hashed(placement) == bare] == ["wD12"], "why there is a nonce"
    short = ["", "0" * 32, "f" * 32, *(f"{number:032x}" for number in range(2000))]
    assert not [p for p in placements for nonce in short if hashed(p, nonce) == seen]
    assert not [p for p in placements if hashed(p) == seen]


def test_attack_sealing_without_a_nonce(table: ServedTable) -> None:
    """A phone that leaves the nonce out (or makes it short) can't open: nobody gets used to weak seals."""
    ann, bob = two_at(table)
    seal = table.view["seal"]
    weak = commitment(seal["game"], 1, 1, seal["history"], "wD12", "")
    assert ann.post("seal", {"turn": 1, "commitment": weak}).status == 200
    bob.seal("bD13")
    wake(ann, bob)
    with unchanged(table):
        for nonce in ("", "0", "g" * 32, "A" * 32, "0" * 33):
            answer = ann.post("open", {"turn": 1, "action": "wD12", "nonce": nonce})
            assert answer.code in {"bad_seal", "seal_mismatch"}


def test_attack_late_change(table: ServedTable) -> None:
    """A seal is final: before the others seal, after all have, and after the reveal."""
    ann, bob = two_at(table)
    ann.seal("wD12")
    with unchanged(table):
        assert ann.seal("wD1").code == "already_sealed"
    bob.seal("bD13")
    other = commitment(table.view["seal"]["game"], 1, 1, table.view["seal"]["history"], "wD1", "1" * 32)
    with unchanged(table):
        assert ann.post("seal", {"turn": 1, "commitment": other}).code in {"already_sealed", "wrong_phase"}
    wake(ann, bob)
    bob.open("bD13")
    with unchanged(table):
        assert ann.open("wD1").code == "seal_mismatch"
    ann.open("wD12")
    with unchanged(table):
        assert ann.open("wD1").code == "wrong_phase"


def test_attack_another_seats_data_in_any_response(table: ServedTable) -> None:
    """No answer tells Bob or a watcher Ann's claim, nonce or placement before the reveal, nor the key ever."""
    ann, bob = two_at(table)
    assert ann.seal("wD12").status == 200
    bob.seal("bD13")
    wake(ann, bob)
    assert ann.open("wD12").status == 200, "opened, but not everybody: still nobody's business"
    claim = str(table.runtime.claim(1))
    secrets = [claim, nonce_of(1), ann.cookie.partition("=")[2], "wD12", KEY.decode()]
    paths = [f"/api/{name}" for name in ("state", "openapi.json", "nothing", "hardware", "seal", "join")]
    for cookie in (bob.cookie, ""):
        for path in (*paths, "/", "/play", "/tv", "/join/1", "/qr/lobby.svg", "/static/play/play.js"):
            answer = get(table, path, Cookie=cookie)
            said = answer.body.decode() + json.dumps(answer.headers)
            assert not [secret for secret in secrets if secret in said], path
        for path, body in (
            ("open", {"turn": 1, "action": "wD1", "nonce": "0" * 32}),
            ("join", {"seat": 1, "name": "E", "ticket": "none"}),
        ):
            said = post(table, f"/api/{path}", body, Cookie=cookie).body.decode()
            assert not [secret for secret in secrets if secret in said], path


# -- other pages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin", few(["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "file://"], 2)
)
def test_attack_cross_site_post(table: ServedTable, origin: str) -> None:
    """A foreign page's request is told by its Origin, whatever headers and cookies come along."""
    ann, _ = two_at(table)
    with unchanged(table):
        assert ann.post("resign", Origin=origin).code == "foreign"


def test_attack_post_without_origin_and_header(table: ServedTable) -> None:
    """No Origin and not our own header: not one of our pages."""
    ann, _ = two_at(table)
    with unchanged(table):
        assert ann.post("resign", X_Lodestone="").code == "foreign"
        assert ann.post("resign", X_Lodestone="0").code == "foreign"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"])
def test_attack_form_or_plain_text_post(table: ServedTable, kind: str) -> None:
    """What a form of another page can send without asking first is no JSON, and refused before it is read."""
    ann, _ = two_at(table)
    with unchanged(table):
        assert ann.post("resign", Content_Type=kind).status == 415


def test_attack_preflight(table: ServedTable) -> None:
    """A browser that asks whether another page may send our header is never told yes."""
    for path in ("/api/resign", "/api/state", "/api/events", "/"):
        asked = {"Origin": "http://evil.example", "Access_Control_Request_Method": "POST"}
        answer = get(table, path, "OPTIONS", **asked, Access_Control_Request_Headers="x-lodestone")
        assert not [name for name in answer.headers if name.startswith("Access-Control-")]


@pytest.mark.parametrize(
    "host", few(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1", "", "a b", "127.1"], 3)
)
def test_attack_dns_rebinding(table: ServedTable, host: str) -> None:
    """A foreign name that points here is not answered, neither pages nor state nor deeds."""
    ann, _ = two_at(table)
    with unchanged(table):
        for path in ("/", "/api/state", "/api/events", "/static/play/play.js"):
            assert get(table, path, Host=host, Cookie=ann.cookie).status == 400
        assert ann.post("resign", Host=host or " ").status == 400


def test_attack_cache_poisoning(table: ServedTable) -> None:
    """Headers of proxies are not believed: neither codes nor redirects nor pages carry what they say."""
    evil = {"X_Forwarded_Host": "evil.example", "X_Forwarded_For": "evil.example", "X_Forwarded_Proto": "evil",
            "Forwarded": "host=evil.example", "X_Original_URL": "/evil", "X_Host": "evil.example"}  # fmt: skip
    for path in ("/", "/qr/lobby.svg", "//play", "/join//1", "/api/state"):
        answer = get(table, path, **evil)
        assert b"evil" not in answer.body
        assert "evil" not in json.dumps(answer.headers)
    assert get(table, "/qr/lobby.svg", **evil).body == get(table, "/qr/lobby.svg").body
    assert get(table, "/api/state").headers["Cache-Control"] == "private, no-cache"
    assert get(table, "/api/openapi.json").headers["Cache-Control"] == "no-store"


def test_attack_clickjacking(table: ServedTable) -> None:
    """No page of ours is shown in another's frame, nor read by another's script or picture tag."""
    for path in ("/", "/play", "/tv", "/join/1", "/nothing", "/api/state", "/static/play/play.js", "/qr/lobby.svg"):
        headers = get(table, path).headers
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_attack_seat_cookie_read_by_script_or_sent_along(table: ServedTable) -> None:
    """The cookie is out of reach for scripts and does not go along with other sites' requests."""
    given = post(table, "/api/join", {"seat": 1, "name": "Ann", "ticket": ticket(table, 1)}).headers["Set-Cookie"]
    assert "HttpOnly" in given
    assert "SameSite=Strict" in given
    assert "Domain" not in given
