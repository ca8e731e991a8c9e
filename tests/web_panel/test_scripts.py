"""A page's script in one answer: the same modules, in the same order, each once."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from flask import Flask

import web_panel
from firmware_host.plug import extensions
from tests.javascript.node import node
from web_panel.pages import assets

TEMPLATES = [Path(web_panel.__file__).parent / "templates", *(one.folder / "templates" for one in extensions())]
PAGES = sorted(
    {
        name
        for folder in TEMPLATES
        for path in folder.glob("*.html")
        for block in re.findall(r"block module %}(.*){% endblock", path.read_text(encoding="utf-8"))
        for name in re.findall(r"[\w/]+\.js", block)
    }
)

MODULES = {
    "first": """export const one = 1; // A constant.
export class Two { three() { return 3; } }
console.log("first");""",
    "second": """import { one as uno, Two } from "./first.js"; // Why.
export function sum() { return uno + new Two().three(); }
export async function later() { return sum(); }
console.log("second");""",
    "lazy": """import { one } from "./first.js";
export const seen = `lazy ${one}`;
console.log("lazy runs");""",
    "entry": """import {
  sum, later,
} from "./second.js";
import { one } from "./first.js";
console.log(sum(), one, later() instanceof Promise);
import("./lazy.js").then((loaded) => console.log(loaded.seen));
console.log(new URL("a.css", import.meta.url).pathname);""",
    "small": "const a=1;export{a as first};",
    "takes": """import { first } from "./small.js";
console.log(first);""",
}


def files(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(assets, "STATIC", tmp_path)
    monkeypatch.setattr(assets, "ALWAYS", "always.js")
    files(tmp_path, always='console.log("always");')
    return tmp_path


def run(folder: Path, name: str) -> list[str]:
    """Return what the bundle of a module prints."""
    path = folder / "bundle.mjs"
    path.write_bytes(assets.bundle.__wrapped__(name))
    return node(str(path)).splitlines()


def test_every_page_has_its_script(app: Flask) -> None:
    assert len(PAGES) > 10
    for name in PAGES:
        answer = app.test_client().get(f"/script/{name}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200
        text = gzip.decompress(answer.data).decode()
        assert re.findall(r"^(?:import|export)\b.*", text, re.MULTILINE) == [
            'import outside_words_js from "/words.js";'
        ]
        needed = set(re.findall(r'need\("([^"]+)"\)', text))
        assert {name, assets.ALWAYS} <= needed
        assert sorted(needed) == sorted(re.findall(r'^"([^"]+)": \(\) => \{$', text, re.MULTILINE))


def test_comments_are_left_out_and_nothing_else(folder: Path) -> None:
    files(
        folder,
        entry="""// What it is for.
/** What a name means. */
const one = /** @type {any} */ (1);
  /**
   * Of several lines, with a * and a // in it.
   */
/** @type {any} */ (console).log(one);
console.log("https://a.b/c"); // Why.
console.log(`/* ${one} */`, 4 /
2);
/*! A licence stays. */""",
    )
    text = assets.bundle.__wrapped__("entry.js").decode()
    assert not any(words in text for words in ("What it is for", "What a name means", "Of several lines"))
    assert "/*! A licence stays. */" in text
    assert run(folder, "entry.js") == ["always", "1", "https://a.b/c", "/* 1 */ 2"]


def test_modules_run_once_in_the_order_of_a_browser(folder: Path) -> None:
    files(folder, **MODULES)
    told = ["always", "first", "second", "4 1 true", "/static/a.css", "lazy runs", "lazy 1"]
    assert run(folder, "entry.js") == told
    assert run(folder, "takes.js") == ["always", "1"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('import { a } from "./entry.js";', "no circle of imports, got entry.js → entry.js"),
        ('import * as all from "./always.js";', "can't be put into one script with others: import \\* as all"),
        ("export let changing = 1;", "can't be put into one script with others: export let changing"),
        ('import { a } from "./always.js";', "entry.js: always.js has no a"),
        ("export default 1;", "can't be put into one script with others: export default 1"),
    ],
)
def test_what_would_not_mean_the_same_is_refused(folder: Path, text: str, reason: str) -> None:
    files(folder, entry=text)
    with pytest.raises(ValueError, match=reason):
        assets.bundle.__wrapped__("entry.js")
