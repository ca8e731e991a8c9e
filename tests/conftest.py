from __future__ import annotations

import pytest

from firmware_host.compile import form


def pytest_report_header() -> str:
    return f"lodestone: {form()}"


def pytest_sessionstart() -> None:
    if "make compile" in form():
        pytest.exit(f"{form()} (or: LODESTONE_PURE=1)", returncode=4)
