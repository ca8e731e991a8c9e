"""Attacks on the host's rights, each against a table that is really served, each refused."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lodestone.tables import KEY
from tests.sampling import few, some, together
from tests.web_panel.fake_host import RECORD, TOKEN
from tests.web_panel.table import ServedTable, signed
from tests.web_panel.test_resume import Told
from tests.web_panel.test_wrong_shapes import RULED, right_body
from tests.web_panel.wire import Person, as_host, get, host_cookie, post, two_at, unchanged
from web_panel import access, limits
from web_panel.app import create_app

RECORD_PATH = "/api/host/records/spokes-0123abcd.jsonl"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ServedTable]:
    with ServedTable.opened(tmp_path) as here:
        yield here


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedTable]:
    """One table for all attacks that change nothing at all: it must bear them one after another."""
    with ServedTable.opened(tmp_path_factory.mktemp("standing")) as here:
        two_at(here)
        yield here


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def is_host(table: ServedTable, cookie: str) -> bool:
    """Tell whether a cookie makes somebody the host, by all that only the host is told."""
    state = get(table, "/api/host/state", Cookie=cookie)
    view = get(table, "/api/state", Cookie=cookie).json
    record = get(table, RECORD_PATH, Cookie=cookie)
    assert (state.status == 200) == (record.status == 200) == view["host"]
    if state.status != 200:
        assert (state.status, state.code, record.code) == (403, "not_host", "not_host")
    return bool(view["host"])


# -- the token -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", few(["", "x" * 22, TOKEN[:-1], f"{TOKEN} ", TOKEN.swapcase(), "\u00e9" * 22], 2))
def test_attack_guessed_host_token(table: ServedTable, token: str) -> None:
    """Five wrong tokens, then an address has to wait, whatever it says next: also the right one is not looked at."""
    for _ in range(int(limits.TOKEN_GUESSES.burst)):
        answer = post(table, "/api/host/enter", {"token": token})
        assert (answer.status, answer.code) == (403, "bad_token")
        assert "Set-Cookie" not in answer.headers
    for word in (token, TOKEN):
        answer = post(table, "/api/host/enter", {"token": word}, X_Forwarded_For="10.0.0.9")
        assert (answer.status, answer.code) == (429, "too_many")
        assert 1 <= int(answer.headers["Retry-After"]) <= 12


def test_attack_right_tokens_are_no_guesses(standing: ServedTable) -> None:
    """The host may come in as often as he likes."""
    for _ in range(3 * int(limits.TOKEN_GUESSES.burst)):
        assert is_host(standing, host_cookie(standing))


def test_attack_host_cookie_of_an_old_token(table: ServedTable) -> None:
    """`lodestone host --anew`: whoever was the host by the old token is no more, nor can become it."""
    cookie = host_cookie(table)
    assert is_host(table, cookie)
    table.host.word = "anotherTokenAltogether"
    assert not is_host(table, cookie)
    with unchanged(table):
        assert post(table, "/api/host/mode", {"mode": "4"}, Cookie=cookie).code == "not_host"
        assert post(table, "/api/host/enter", {"token": TOKEN}).code == "bad_token"
    assert is_host(table, host_cookie(table))


def test_attack_forged_host_cookie(standing: ServedTable) -> None:
    """Unsigned, signed by a guessed key or for something else, cut, or rightly signed nonsense: no host."""
    genuine = host_cookie(standing).partition("=")[2]
    payload = genuine.rpartition(".")[0]
    right = digest(TOKEN)
    forged = ["", "x", right, payload, f"{payload}.", f"{genuine[:-2]}AA", signed(right), TOKEN,
              signed(right, salt="lodestone-ask-v1"),
              signed(right, salt="lodestone-host-v1", secret=b"guess")]  # fmt: skip
    strange: list[Any] = [None, True, 1, [right], {"host": right}, "", TOKEN, right.upper(), digest("")]
    forged += [signed(value, salt="lodestone-host-v1") for value in strange]
    for cookie in forged:
        assert not is_host(standing, f"lodestone-host={cookie}"), cookie
    assert is_host(standing, f"lodestone-host={genuine}")


def test_attack_seat_cookie_as_host_cookie(table: ServedTable) -> None:
    """A seat is no office, and the host's cookie no seat, wherever they are put."""
    ann, _ = two_at(table)
    seat, ruler = ann.cookie.partition("=")[2], host_cookie(table).partition("=")[2]
    assert not is_host(table, f"lodestone-host={seat}")
    assert not is_host(table, f"lodestone-seat={ruler}")
    with unchanged(table):
        assert post(table, "/api/resign", Cookie=f"lodestone-seat={ruler}").code == "not_seated"
        assert post(table, "/api/resign", Cookie=f"lodestone-host={ruler}").code == "not_seated"
    both = get(table, "/api/state", Cookie=f"{ann.cookie}; lodestone-host={ruler}").json
    assert (both["you"]["seat"], both["host"]) == (1, True), "one phone may be both"


def test_attack_timing_of_the_token(table: ServedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens and cookies are compared in constant time."""
    compared: list[bytes] = []

    class Watched:
        @staticmethod
        def compare_digest(left: bytes, right: bytes) -> bool:
            compared.append(left)
            return hmac.compare_digest(left, right)

    monkeypatch.setattr(access, "hmac", Watched)
    post(table, "/api/host/enter", {"token": "x"})
    assert compared == [digest(TOKEN).encode()]
    is_host(table, host_cookie(table))
    assert len(compared) > 2


def test_attack_host_cookie_read_by_script_or_sent_along(standing: ServedTable) -> None:
    """Out of reach for scripts, not sent along by other sites; the token itself is not in it."""
    given = post(standing, "/api/host/enter", {"token": TOKEN}).headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(given.split("; "))
    assert "Domain" not in given
    assert TOKEN not in given


# -- what only the host may do ---------------------------------------------------------------------------------------


@together("deed", RULED)
def test_attack_every_deed_of_the_host_by_others(standing: ServedTable, deed: str) -> None:
    """A watcher, a player, and somebody with a made-up cookie: none of them does anything that is the host's."""
    seat = standing.runtime.claim(1)
    player = f"lodestone-seat={signed([1, seat])}"
    with unchanged(standing):
        for cookie in ("", player, f"{player}; lodestone-host={signed([1, seat])}", "lodestone-host=1"):
            answer = post(standing, f"/api/{deed}", right_body(deed), Cookie=cookie)
            assert (answer.status, answer.code) == (403, "not_host")
    assert standing.host.requests == []


@together("deed", RULED)
def test_attack_cross_site_post_on_the_host(standing: ServedTable, deed: str) -> None:
    """A foreign page in the host's own browser, cookies and all, does nothing."""
    with unchanged(standing):
        cookie = host_cookie(standing)
        for origin in some(["http://evil.example", "null", "http://127.0.0.1:1"], 3, deed):
            assert post(standing, f"/api/{deed}", right_body(deed), Cookie=cookie, Origin=origin).code == "foreign"
        form = post(
            standing, f"/api/{deed}", b"seat=1", Cookie=cookie, Content_Type="application/x-www-form-urlencoded"
        )
        assert form.status == 415
    assert standing.host.requests == []


def test_attack_old_paths_of_these_deeds(standing: ServedTable) -> None:
    """What once everybody could do is not there any more, not even for the host."""
    for path in ("start", "mode", "computer", "dismiss"):
        assert post(standing, f"/api/{path}", Cookie=host_cookie(standing)).status == 404


def test_attack_host_rights_without_a_host(table: ServedTable) -> None:
    """A panel that has no host knows none: no token is right, no cookie is believed."""
    client = create_app(table.runtime, secret=KEY, addresses=[table.base]).test_client()
    for token in ("", TOKEN, "None"):
        answer = client.post("/api/host/enter", json={"token": token}, headers={"X-Lodestone": "1"})
        assert answer.get_json()["error"]["code"] == "bad_token"
    client.set_cookie(access.HOST_COOKIE, signed(digest(TOKEN), salt="lodestone-host-v1"))
    assert client.get("/api/host/state").status_code == 403
    assert client.get("/api/state").get_json()["host"] is False


def test_attack_unreadable_token(table: ServedTable) -> None:
    """When the file of the token is gone nobody is the host, and everybody else plays on."""
    ann, _ = two_at(table)
    both = f"{ann.cookie}; {host_cookie(table)}"
    table.host.word = ""
    view = get(table, "/api/state", Cookie=both).json
    assert (view["you"]["seat"], view["host"]) == (1, False)
    assert ann.post("hurry").status == 200
    assert post(table, "/api/host/enter", {"token": ""}).code == "bad_token"


def test_attack_stream_of_a_host_that_is_none_any_more(table: ServedTable) -> None:
    """A stream that was opened as the host's says that it is not, from the next change on."""
    ann, _ = two_at(table)
    with contextlib.closing(Told(table, cookie=f"none; {host_cookie(table)}")) as stream:
        assert json.loads(stream.next()["data"])["host"] is True
        table.host.word = "anotherTokenAltogether"
        assert ann.post("mask", {"node": "A1"}).status == 200
        assert json.loads(stream.next()["data"])["host"] is False


# -- records ---------------------------------------------------------------------------------------------------------


def test_attack_download_of_a_record(standing: ServedTable) -> None:
    """Records are the host's to give away: nobody else downloads one, nor learns which there are."""
    ann = f"lodestone-seat={signed([1, standing.runtime.claim(1)])}"
    for cookie in ("", ann):
        for path in (RECORD_PATH, "/api/host/records/none.jsonl"):
            answer = get(standing, path, Cookie=cookie)
            assert (answer.status, answer.code) == (403, "not_host")
    answer = get(standing, RECORD_PATH, Cookie=host_cookie(standing))
    assert answer.body.decode().splitlines() == RECORD
    assert answer.headers["Content-Disposition"] == 'attachment; filename="spokes-0123abcd.jsonl"'
    assert answer.headers["Cache-Control"] == "no-store"


IDS = [
    "../key", "..%2fkey", "%2e%2e%2fkey", "..", ".", "", "spokes-0123abcd%00", "spokes-0123abcd/../x", "a" * 65,
    "%2fetc%2fpasswd", "spokes 0123abcd", "spokes-0123abcd%0d%0aX-Evil:1", 'x";evil="1', "SPOKES-0123ABCD", "x'OR'1",
]  # fmt: skip


@together("name", IDS)
def test_attack_path_tricks_in_record_ids(standing: ServedTable, name: str) -> None:
    """What is no game's id is never looked for, and never stands in a header."""
    asked: list[str] = []
    real = standing.host.record
    standing.host.record = lambda game: asked.append(game) or real(game)  # type: ignore[method-assign, func-returns-value]
    try:
        answer = get(standing, f"/api/host/records/{name.replace(' ', '%20')}.jsonl", Cookie=host_cookie(standing))
    finally:
        del standing.host.record
    assert answer.status in {400, 404}
    assert "Content-Disposition" not in answer.headers
    assert "X-Evil" not in answer.headers
    assert b"root:" not in answer.body
    assert [game for game in asked if not game.isalnum() and set(game) - set("-_")] in ([], ["SPOKES-0123ABCD"])


# -- a phone that is both --------------------------------------------------------------------------------------------


def test_the_host_may_hold_a_seat_and_lay_the_office_down(table: ServedTable) -> None:
    ann = Person(table, 1, "Ann")
    both = f"{ann.cookie}; {host_cookie(table)}"
    assert post(table, "/api/host/computer", {"seat": 2}, Cookie=both).status == 200
    assert post(table, "/api/host/start", Cookie=both).status == 200
    table.until("sealing")
    gone = post(table, "/api/host/leave", Cookie=both)
    assert gone.headers["Set-Cookie"].startswith("lodestone-host=;")
    assert get(table, "/api/state", Cookie=ann.cookie).json["you"]["seat"] == 1
    assert as_host(table, "pause").status == 200
    assert ann.post("resign").code == "paused"
    assert as_host(table, "continue").status == 200
