"""The installer in a fresh arm64 system, program by program in QEMU: again, after a power cut, and away again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pi.userland import Fresh, Manifest, needs

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(7200), needs("arm64")]
OPTIONS = ("--yes", "--uart", "yes", "--board", "spokes-45")
CONFIG = "boot/firmware/config.txt"
BOOT = "[all]\ndtparam=audio=off\n"
OURS = (
    "/opt/lodestone",
    "/boot",
    "/etc/lodestone",
    "/etc/systemd",
    "/etc/udev",
    "/etc/avahi",
    "/etc/modules-load.d",
    "/etc/modprobe.d",
)
WRITTEN_ANEW = ("RECORD", "direct_url.json", "-linux-gnu.so")
"""What each run of pip writes in another order, with another time, or compiles in a folder of another name."""


def fresh(folder: Path) -> Fresh:
    """Return a system with a Pi's settings."""
    system = Fresh("arm64", folder)
    (system.changes / CONFIG).parent.mkdir(parents=True)
    (system.changes / CONFIG).write_text(BOOT)
    return system


def ours(system: Fresh) -> Manifest:
    found = system.manifest(*OURS)
    return {path: [] if path.endswith(WRITTEN_ANEW) else told for path, told in found.items()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    system = fresh(tmp_path_factory.mktemp("arm64") / "once")
    printed = system.install(*OPTIONS)
    assert "Lodestone is installed" in printed
    assert system.run("uname", "-m").strip() == "aarch64"
    return system


def test_three_times_is_the_same_and_removed_is_gone(installed: Fresh, tmp_path: Path) -> None:
    once = ours(installed)
    assert "/etc/systemd/system/multi-user.target.wants/lodestone.service" in once
    system = installed.copy(tmp_path / "again")
    for _ in range(2):
        system.install(*OPTIONS)
        assert ours(system) == once
    said = system.run("/opt/lodestone/current/.venv/bin/lodestone", "--version")
    assert said.startswith("lodestone ")
    system.run("sh", "/opt/lodestone/current/install.sh", "--remove", "--data", "delete")
    assert not any("lodestone" in path for path in system.manifest("/etc", "/opt", "/var/lib"))
    assert system.run("cat", f"/{CONFIG}") == BOOT


@pytest.mark.parametrize(
    "point",
    [
        pytest.param("usr/bin/swig*", id="while packages are unpacked"),
        pytest.param("opt/lodestone/releases/*/.venv/lib/python*/site-packages/babel", id="while pip installs"),
    ],
)
def test_after_a_power_cut_it_is_the_same(point: str, installed: Fresh, tmp_path: Path) -> None:
    system = fresh(tmp_path / "cut")
    system.killed_when(lambda changes: any(changes.glob(point)), *OPTIONS)
    system.install(*OPTIONS)
    assert ours(system) == ours(installed)
