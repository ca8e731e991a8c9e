"""Pictures of every page to look at: ``python -m tests.e2e.screens OUT`` (by hand; Chromium and Pillow are needed).

Every moment of :mod:`tests.e2e.staged`, at 320, 768 and 1920 pixels, light and dark, and contact sheets of them.
``python -m tests.e2e.screens OUT de`` takes them in German.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e.chromium import launched
from tests.e2e.staged import Scenes, house, scenes, show, staged
from tests.web_panel.fake_host import TOKEN

SIZES = ((320, 700), (768, 1024), (1920, 1080))
SERVED = (
    "/join/1",
    "/proof",
    "/hardware",
    "/board",
    "/nowhere",
    "/host",
    f"/host#{TOKEN}",
    f"/host?part=games#{TOKEN}",
    f"/host?part=hardware#{TOKEN}",
    "/host/replay/coil-0a1b2c3d",
)
"""Pages as the server gives them; all others are led through the moments."""
WIDE = 6
"""Pictures side by side on a contact sheet."""


def moments(page: Page, base: str, views: Scenes) -> Iterator[str]:
    """Lead a page through everything there is; yield the name of what it shows."""
    for path, lobby in (("/", True), ("/play", False), ("/tv", None)):
        page.goto(base + path)
        for name, view in views.items():
            if lobby is None or (view["phase"] == "lobby") == lobby:
                show(page, {**view, "you": None} if path == "/tv" else view)
                page.wait_for_timeout(60)
                yield f"{path.strip('/') or 'lobby'} {name}"


def pictures(browser: Browser, base: str, views: Scenes, out: Path, language: str) -> None:
    """Take them all."""
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            how = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "locale": language}
            taken: list[Path] = []
            context, page = staged(browser, **how)
            for name in moments(page, base, views):
                taken.append(out / f"{name} {width} {scheme}.png".replace(" ", "-"))
                page.screenshot(path=taken[-1], full_page=width < 1920)
            context.close()
            context = browser.new_context(**how)  # type: ignore[arg-type]
            page = context.new_page()
            for path in SERVED:
                page.goto(base + path)
                page.wait_for_timeout(400)
                name = re.sub(r"/|\?part=", "-", path.partition("#")[0].strip("/")) + ("-in" if "#" in path else "")
                taken.append(out / f"{name}-{width}-{scheme}.png")
                page.screenshot(path=taken[-1], full_page=width < 1920)
            context.close()
            sheets(taken, out, f"{width}-{scheme}", {320: 260, 768: 300, 1920: 640}[width])


def sheets(taken: list[Path], out: Path, name: str, width: int) -> None:
    """Put pictures side by side, each with its name."""
    across = WIDE if width < 600 else 3
    for number, start in enumerate(range(0, len(taken), across * 2)):
        small = []
        for path in taken[start : start + across * 2]:
            picture = Image.open(path).convert("RGB")
            picture = picture.resize((width, round(picture.height * width / picture.width)))
            picture = picture.crop((0, 0, width, min(picture.height, 900)))
            ImageDraw.Draw(picture).text((2, 2), path.stem, fill="magenta")
            small.append(picture)
        rows = [small[:across], small[across:]]
        tall = [max((one.height for one in row), default=0) for row in rows]
        sheet = Image.new("RGB", (across * (width + 8), sum(tall) + 8), "gray")
        for row, top in zip(rows, (0, tall[0] + 8), strict=True):
            for at, one in enumerate(row):
                sheet.paste(one, (at * (width + 8), top))
        sheet.save(out / f"sheet-{name}-{number}.png")


def main(out: Path, language: str = "en") -> None:
    """Take all pictures into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        views = scenes(Path(scratch), language)
        browser = launched(playwright)
        (Path(scratch) / "house").mkdir()
        with house(Path(scratch) / "house") as base:
            pictures(browser, base, views, out, language)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:3])
