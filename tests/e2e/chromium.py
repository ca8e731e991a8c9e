"""Which browser the end-to-end tests drive, and how it is started."""

from __future__ import annotations

import shutil
import socket

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""As `tests/need-chromium` looks for them. The shell takes half the processor time of the others."""

LAN_NAME = f"{socket.gethostname().casefold()}.local"
"""A name of the table on an insecure origin, as phones see it (localhost would count as secure)."""

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {LAN_NAME} 127.0.0.1",
]
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolves when what was done on a page is shown."""


def launched(playwright: Playwright, *more: str) -> Browser:
    """Start the first Chromium there is, with ``more`` switches.

    Raises FileNotFoundError where there is none.
    """
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        raise FileNotFoundError("Chromium is missing: sudo apt install chromium-headless-shell (or chromium)")
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS, *more], timeout=180_000)
