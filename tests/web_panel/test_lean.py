"""Scripts and style sheets: small enough for a phone, and sent without what only people need."""

from __future__ import annotations

import gzip
import re
import sys
from pathlib import Path
from urllib.parse import urljoin

from flask import Flask
from flask.testing import FlaskClient

import web_panel
from tests.sampling import together
from web_panel.guard import compress, squeeze

MOST = 38 * 1024
"""Bytes of all sheets of a page: tokens, what all pages share, and its own parts (docs/look.md)."""
FIRST_VIEW = 150_000
"""Bytes of all that a page needs before it shows the table."""
SHEETS = sorted((Path(web_panel.__file__).parent / "static").rglob("*.css"))
IN_TWO = {
    ".dot", ".groove", ".knob", ".magnified", ".outlook", ".pickstone", ".player", ".quiet", ".round", ".team",
}  # fmt: skip
"""Classes that two sheets style as the same part. The dark theme styles what others do."""


@together(
    "path", ["/", "/play", "/tv", "/join/1", "/host", "/proof", "/how-to-play", "/board", "/puzzles", "/replay/x"]
)
def test_the_sheets_of_a_page_are_small(app: Flask, path: str) -> None:
    client = app.test_client()
    text = client.get(path).get_data(as_text=True)
    links = re.findall(r'<link rel="stylesheet" href="([^"]+)"', text)
    sheets = {link: client.get(link) for link in links}
    assert all(sheet.status_code == 200 for sheet in sheets.values())
    sizes = {link: len(sheet.data) for link, sheet in sheets.items()}
    assert sum(sizes.values()) <= MOST, sizes


def scripts(client: FlaskClient, path: str, found: dict[str, bytes]) -> dict[str, bytes]:
    """Return a script with all that it imports, each as it is sent to who takes gzip: path → bytes."""
    if path not in found:
        answer = client.get(path, headers={"Accept-Encoding": "gzip, deflate"})
        assert answer.status_code == 200, path
        found[path] = answer.data
        text = gzip.decompress(answer.data).decode() if answer.content_encoding == "gzip" else answer.text
        for name in re.findall(r'^import [^"]*"([^"]+)";$', text, re.MULTILINE):
            scripts(client, urljoin(path, name), found)
    return found


@together(("path", "language"), [("/", "en"), ("/play", "de"), ("/tv", "en"), ("/host", "de")])
def test_the_first_view_of_a_page_is_small(app: Flask, path: str, language: str) -> None:
    client = app.test_client()
    client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    page = client.get(path)
    text = page.get_data(as_text=True)
    found: dict[str, bytes] = {}
    for name in re.findall(r'<script type="module" src="([^"]+)"', text):
        scripts(client, name, found)
    assert "/words.js" in found
    for link in re.findall(r'<link rel="stylesheet" href="([^"]+)"', text):
        found[link] = client.get(link, headers={"Accept-Encoding": "gzip"}).data
    state = client.get("/api/state").data
    assert len(page.data) + len(state) + sum(map(len, found.values())) <= FIRST_VIEW


def test_who_does_not_take_gzip_gets_it_plain(app: Flask) -> None:
    client = app.test_client()
    plain = client.get("/static/shared/board.js")
    lean = client.get("/static/shared/board.js", headers={"Accept-Encoding": "gzip"})
    assert plain.content_encoding is None
    assert gzip.decompress(lean.data) == plain.data
    assert len(lean.data) < len(plain.data) / 2
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert int(lean.headers["Content-Length"]) == len(lean.data)


def test_a_squeezed_sheet_means_the_same() -> None:
    sheet = """
    /* Words. */ a:hover b , :focus > i { color: red ; margin: 0 auto; } /* More; { */
    @media (min-width: 3rem) { .x:has(> .y) { width: calc(100% - 2rem); content: " (" attr(data-x) ")" } }
    """
    assert squeeze(sheet) == (
        "a:hover b,:focus > i{color:red;margin:0 auto}"
        '@media (min-width: 3rem){.x:has(> .y){width:calc(100% - 2rem);content:" (" attr(data-x) ")"}}'
    )


def test_no_sheet_holds_what_squeezing_would_break() -> None:
    strings = {path.name: re.findall(r'"([^"]*)"', path.read_text(encoding="utf-8")) for path in SHEETS}
    broken = {name: [text for text in found if re.search(r"[{};,]|\s\s|/\*", text)] for name, found in strings.items()}
    assert not any(broken.values()), broken


def test_what_has_not_changed_is_not_sent_again(app: Flask) -> None:
    client = app.test_client()
    first = client.get("/static/shared/style.css")
    assert b"/*" not in first.data
    again = client.get("/static/shared/style.css", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert again.data == b""


def test_two_sheets_mean_the_same_part_by_a_class() -> None:
    """A page may load any sheets together: then a class of two parts gives each the other's looks."""
    sheets: dict[str, set[str]] = {}
    for path in SHEETS:
        if path.name == "dark.css":
            continue
        for selectors in re.findall(r"([^{}]+)\{", squeeze(path.read_text(encoding="utf-8"))):
            for selector in re.findall(r"(?<![^,])\.[\w-]+(?![^,])", selectors):
                sheets.setdefault(selector, set()).add(path.name)
    assert {selector for selector, names in sheets.items() if len(names) > 1} == IN_TWO, sheets


def test_what_has_been_compressed_is_not_kept_itself() -> None:
    content = b"a line of a script\n" * 100
    held = sys.getrefcount(content)
    packed = compress(content)
    assert gzip.decompress(packed) == content
    assert compress(bytes(bytearray(content))) is packed, "it is compressed once"
    assert sys.getrefcount(content) == held
