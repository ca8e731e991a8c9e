"""Arrows on the board's drawing: from where a piece was to where it goes, seen by all eyes and in nobody's way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.arrowed import moments
from tests.e2e.staged import house, show, staged
from tests.sampling import some

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

WHERE = {
    "push asked": {"D11 11"},
    "push made": {"D11 11"},
    "pull asked": {"D11 C6"},
    "pull made": {"D11 C6"},
    "repair asked": {"A1 11"},
    "line asked": {"C4 D4", "D4 E4", "E4 F4", "F4 G4", "G4 H4"},
    "line made": {"C4 D4", "D4 E4", "E4 F4", "F4 G4", "G4 H4"},
    "move asked": {"C4 F4"},
    "move made": {"C4 F4"},
    "near repair asked": {"g12 g11"},
    "far repair asked": {"b7 g11"},
    "run asked": {"B2 b2 c1 C2"},
    "run made": {"B2 b2 c1 C2"},
}
CONTRAST = 3.0
SMALLEST = 5.0
"""Pixels that an arrow's head measures at least across, on the smallest phone."""

LOOK = """(kind) => {
  const svg = document.querySelector("#board svg");
  const nodes = [...svg.querySelectorAll(".node")];
  const place = (node) => node.transform.baseVal.consolidate().matrix;
  const named = (name) => place(nodes.find((node) => node.dataset.node === name));
  const stone = svg.querySelector(".crossings") ? 17.5 : svg.querySelector(".cells") ? 16 : 14;
  const apart = ({ x, y }, { e, f }) => Math.hypot(x - e, y - f);
  const stones = nodes.filter((node) => node.querySelector(".stone")).map(place);
  const ground = getComputedStyle(svg.querySelector(".wood")).fill;
  return [...svg.querySelectorAll(`.arrow.${kind}`)].map((arrow) => {
    const way = arrow.dataset.way.split(" ");
    const [x, y] = arrow.dataset.tip.split(" ").map(Number);
    const paths = [...arrow.querySelectorAll("path:not(.case)")];
    const points = paths.flatMap((path) => { // Along each path, with half its thickness.
      const [length, half] = [path.getTotalLength(), parseFloat(path.getAttribute("stroke-width")) / 2];
      const parts = length ? [...Array(81).keys()] : [];
      return parts.map((part) => ({ at: path.getPointAtLength((length * part) / 80), half }));
    });
    const covers = (stone) => points.some(({ at, half }) => apart(at, stone) + half < stone - 0.6);
    const style = getComputedStyle(paths.at(-1));
    const cased = getComputedStyle(arrow.querySelector(".case")).stroke;
    const box = paths.at(-1).getBoundingClientRect();
    const tapped = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return {
      way: way.join(" "), covered: stones.filter(covers).length, size: Math.max(box.width, box.height),
      fromRim: Math.min(...points.map(({ at }) => apart(at, named(way[0])))) - stone,
      toRim: apart({ x, y }, named(way.at(-1))) - stone,
      colour: style.fill === "none" ? style.stroke : style.fill, case: cased,
      board: svg.querySelector(".wells") ? cased : ground, // Over tiles of many colours the case alone counts.
      hidden: Boolean(arrow.closest('[aria-hidden="true"]')), taps: Boolean(tapped?.closest(".arrows")),
      moves: arrow.getAnimations({ subtree: true }).length,
    };
  });
}"""


def light(colour: str) -> float:
    """Return the relative luminance of a colour as style sheets tell it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


def check(name: str, arrow: Any, *, small: bool) -> None:
    assert arrow["hidden"], name
    assert not arrow["taps"], name
    assert arrow["moves"] == 0, name
    assert arrow["covered"] == 0, f"{name}: it lies over a stone"
    assert -9 < arrow["toRim"] < 5, f"{name}: it ends {arrow['toRim']} from a stone's rim"
    assert -18 < arrow["fromRim"] < 7, f"{name}: it begins {arrow['fromRim']} from a stone's rim"
    assert contrast(arrow["colour"], arrow["case"]) >= CONTRAST, (name, arrow)
    seen = max(contrast(arrow["colour"], arrow["board"]), contrast(arrow["case"], arrow["board"]))
    assert seen >= CONTRAST or arrow["board"] == arrow["case"], (name, arrow)
    assert arrow["size"] >= (SMALLEST if small else 2 * SMALLEST), (name, arrow["size"])


@pytest.mark.thorough
def test_they_stand_where_the_step_goes_and_are_seen_and_in_nobodys_way(browser: Browser, tmp_path: Path) -> None:
    views = moments()
    assert set(views) == set(WHERE)
    with house(tmp_path) as base:
        context, page = staged(browser, viewport={"width": 320, "height": 640}, reduced_motion="no-preference")
        for path, width, scheme in some((("/play", 320, "light"), ("/play", 320, "dark"), ("/tv", 1920, "light"))):
            page.set_viewport_size({"width": width, "height": 640 if width == 320 else 1080})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(base + path)
            for name, view in views.items():
                show(page, view)
                kind = name.rpartition(" ")[2]
                found = page.evaluate(LOOK, kind)
                assert {arrow["way"] for arrow in found} == WHERE[name], name
                for arrow in found:
                    check(f"{name} on {path} {width} {scheme}", arrow, small=width == 320)
        context.close()


@pytest.mark.thorough
def test_a_way_over_tiles_that_no_longer_lie_so_is_not_drawn(browser: Browser, tmp_path: Path) -> None:
    view = dict(moments()["run made"])
    with house(tmp_path) as base:
        context, page = staged(browser, viewport={"width": 320, "height": 640})
        page.goto(f"{base}/tv")
        show(page, view)
        expect(page.locator(".arrow.made")).to_have_count(1)
        board = {node: pieces for node, pieces in view["board"].items() if node != "b2"}
        show(page, {**view, "board": board})
        expect(page.locator(".arrow")).to_have_count(0)
        show(page, {**view, "arrows": []})
        expect(page.locator(".arrow")).to_have_count(0)
        context.close()
