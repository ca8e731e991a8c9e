from __future__ import annotations

import pytest
from hypothesis import settings

from firmware_host.compile import form


def pytest_report_header() -> str:
    return f"lodestone: {form()}"


def pytest_sessionstart() -> None:
    if "make compile" in form():
        pytest.exit(f"{form()} (or: LODESTONE_PURE=1)", returncode=4)


settings.register_profile(
    "unhurried", deadline=None
)  # Machines are noisy: how long things take is told by `make bench`.
settings.load_profile("unhurried")
