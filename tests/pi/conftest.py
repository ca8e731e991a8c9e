"""One emulated Pi for all tests of a run: starting it takes a minute."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pi import image
from tests.pi.machine import Pi, Session
from tests.pi.sessions import CHANNELS, give


@pytest.fixture(scope="session")
def pi() -> Iterator[Pi]:
    why = image.missing()
    if why is not None:
        pytest.skip(f"no Pi can be emulated here: {why}")
    try:
        built = image.build()
    except image.CannotBuild as error:
        pytest.skip(f"no Pi can be emulated here: {error}")
    machine = Pi(built)
    print(f"\nthe emulated Pi was up after {machine.boot_s:.0f} s")
    yield machine
    machine.close()


@pytest.fixture(scope="session")
def gadget(pi: Pi) -> Iterator[Session]:
    """Return the session of a scanner that is plugged in: ``scanner``."""
    with pi.python() as session:
        session.run("import os\nfrom tests.extensions.scanner.guest import GadgetScanner")
        session.run(f"scanner = GadgetScanner({CHANNELS})")
        give(session)
        yield session
