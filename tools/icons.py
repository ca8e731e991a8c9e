"""Draws the app's icons from their one drawing: ``python -m tools.icons`` (needs Chromium and Pillow)."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ICONS = Path(__file__).parent.parent / "web_panel" / "static" / "icons"
GROUND = "#14171a"
FILES = {
    # name: (pixels, part of the side that the drawing takes, radius of the corners)
    "icon-192.png": (192, 0.8, "22%"),
    "icon-512.png": (512, 0.8, "22%"),
    "maskable-512.png": (512, 0.6, "0"),  # Whatever lies outside the middle 80 % may be cut off.
    "apple-touch-icon.png": (180, 0.74, "0"),  # iOS rounds the corners itself.
}


def draw(page: Page, drawing: str, size: int, part: float, radius: str) -> bytes:
    """Return one icon as a PNG of few colours."""
    page.set_viewport_size({"width": size, "height": size})
    style = f"width:{size}px;height:{size}px;border-radius:{radius};background:{GROUND};display:grid;place-items:center"
    page.set_content(f'<body style="margin:0"><div style="{style}">{drawing}</div>')
    page.locator("svg").evaluate(f"(one) => {{ one.style.width = '{part:.0%}'; }}")
    picture = Image.open(io.BytesIO(page.screenshot(omit_background=True)))
    small = io.BytesIO()
    picture.quantize(64, method=Image.Quantize.FASTOCTREE).save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> None:
    """Write all icons."""
    drawing = (ICONS / "lodestone.svg").read_text("utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        for name, (size, part, radius) in FILES.items():
            (ICONS / name).write_bytes(draw(page, drawing, size, part, radius))
        browser.close()


if __name__ == "__main__":
    main()
