"""The card for guests of a board without a screen, and the code that joins the hotspot."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

import pytest

from firmware_host.extensions.appliance.card import wifi_code
from tests import forked
from tests.sampling import few


def test_signs_of_a_name_and_a_password_are_escaped() -> None:
    assert wifi_code('Table; "1"', "a:b,c\\d") == 'WIFI:T:WPA;S:Table\\; \\"1\\";P:a\\:b,c\\\\d;;'


@pytest.mark.parametrize(
    ("code", "title"), few([("en", "1. Join the table's Wi-Fi"), ("de", "1. Ins WLAN des Tisches")], 1)
)
def test_the_card_has_both_codes_and_what_they_say(tmp_path: Path, code: str, title: str) -> None:
    settings, file = tmp_path / "hotspot", tmp_path / "card.pdf"
    settings.write_text("Lodestone-ab3d\nsecret-word\n")
    done = forked.run("card", "--pdf", str(file), "--settings", str(settings), "--language", code)
    assert done.returncode == 0, done.stdout + done.stderr
    content = file.read_bytes()
    assert content.startswith(b"%PDF")
    streams = [zlib.decompress(one) for one in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
               if one[:1] == b"\x78"]  # fmt: skip
    text = b"".join(one for one in streams if b"Tj" in one).decode("latin-1")
    for words in (title, "Lodestone-ab3d", "secret-word", "http://10.42.0.1:8000/"):
        assert words in text.replace("\\", ""), words
    assert content.count(b"/Subtype /Image") == 2, "two codes"


def test_a_card_needs_the_hotspots_name(tmp_path: Path) -> None:
    done = forked.run("card", "--pdf", str(tmp_path / "card.pdf"), "--settings", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "expected two lines, the hotspot's name and its password" in done.stdout + done.stderr


def test_the_command_line_says_where_no_hotspot_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODESTONE_HOTSPOT", str(tmp_path / "none"))
    done = forked.run("host", "--wifi", "own", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "network is not chosen here" in done.stdout + done.stderr
