"""Updates: from signed releases, tried beside the one that runs, and back by themselves when one does not come up."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from firmware_host import platform
from firmware_host.extensions.appliance import publisher, update
from firmware_host.extensions.appliance.publisher import find, order
from firmware_host.extensions.appliance.update import Installation
from firmware_host.text.words import Refused
from tests.extensions.appliance.installed import MAKEFILE, Publisher, Systemd, installed, running, tiny_source
from tests.sampling import few
from tests.sentences import pattern


@pytest.fixture(autouse=True)
def _roomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else fills this machine's disk, there is room for a release."""
    roomy = shutil.disk_usage(tmp_path)._replace(free=1 << 40)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: roomy)


@pytest.fixture
def here(tmp_path: Path) -> Installation:
    return installed(tiny_source(tmp_path / "one", "0.1.0"), tmp_path / "root")


@pytest.fixture
def releases(tmp_path: Path, here: Installation) -> Publisher:
    made = Publisher(tmp_path / "releases")
    made.trusted_by(here)
    return made


@pytest.fixture
def systemd(here: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Systemd]:
    with running(here, tmp_path / "systemd") as service:
        monkeypatch.setenv("PATH", service.systemctl())
        assert service.up.wait(60)
        yield service


def offer(releases: Publisher, here: Installation) -> publisher.PublishedRelease:
    return find(str(releases.folder), here.settings)


def updated(releases: Publisher, here: Installation) -> str:
    return update.update(here, lambda: offer(releases, here), lambda words: None)


def test_a_newer_release_runs_and_the_one_before_is_kept(
    releases: Publisher, here: Installation, systemd: Systemd, tmp_path: Path
) -> None:
    before = here.current()
    (tmp_path / "root/var/lib/lodestone/journal.sqlite").write_text("games")
    releases.publish(tiny_source(tmp_path / "two", "0.2.0"), "0.2.0")
    releases.publish(tiny_source(tmp_path / "ten", "0.10.0"), "0.10.0")
    assert updated(releases, here) == "0.10.0"
    assert here.current().startswith("0.10.0-")
    assert systemd.starts == [before, here.current()]
    assert sorted(here.whole()) == sorted([before, here.current()])
    assert (here.state()["step"], here.busy()) == ("done", False)
    with pytest.raises(Refused, match=r"0\.10\.0 is installed, and 0\.10\.0 is not newer"):
        updated(releases, here)


@pytest.mark.parametrize("fault", ["service", pytest.param("soon", marks=pytest.mark.thorough)])
def test_a_release_that_does_not_come_up_is_left_for_the_one_before(
    releases: Publisher, here: Installation, systemd: Systemd, tmp_path: Path, fault: str
) -> None:
    before = here.current()
    releases.publish(tiny_source(tmp_path / "two", "0.2.0", fault), "0.2.0")
    with pytest.raises(Refused, match=pattern("release did not come up, so")):
        updated(releases, here)
    assert here.current() == before
    assert systemd.up.wait(60)
    assert [start.partition("-")[0] for start in systemd.starts] == ["0.1.0", "0.2.0", "0.2.0", "0.1.0"]
    assert here.state()["step"] == "failed"


def test_a_release_that_is_not_even_there_after_a_power_cut_is_left_too(here: Installation, tmp_path: Path) -> None:
    """No updater lives any more, and the program of the new release is gone: the guard needs neither."""
    before = here.current()
    (here.releases / "0.2.0-lost").mkdir()
    here.try_out("0.2.0-lost")
    for _ in range(3):
        subprocess.run([here.folder / "guard", "begin"], check=True)
    assert (here.current(), here.trial.exists()) == (before, False)


@pytest.mark.parametrize(
    ("fault", "makefile", "why"),
    few(
        [
            ("everywhere", MAKEFILE, "a table does not open: ImportError: no module named table"),
            ("", "setup:\n\t@echo no such library; false\n", "no such library|Error 1"),
        ],
        1,
    ),
)
def test_a_release_that_fails_beside_the_old_one_changes_nothing(
    releases: Publisher, here: Installation, tmp_path: Path, fault: str, makefile: str, why: str
) -> None:
    before = here.current()
    releases.publish(tiny_source(tmp_path / "two", "0.2.0", fault, makefile), "0.2.0")
    with pytest.raises(Refused, match=why):
        updated(releases, here)
    assert (here.current(), here.trial.exists(), here.state()["step"]) == (before, False, "failed")


def test_what_the_service_s_account_lays_in_the_way_of_a_rehearsal_leads_nowhere(
    releases: Publisher, here: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The updater may be root, and the rehearsal's folder is the account's: its links must not be followed."""
    (victim := tmp_path / "victim").write_text("kept")

    def account(_: object, folder: Path) -> dict[str, object]:
        for name in ("printed", "log", "out"):
            (folder / name).symlink_to(victim)
        return {}

    monkeypatch.setattr(update, "_account", account)
    releases.publish(tiny_source(tmp_path / "two", "0.2.0", "everywhere"), "0.2.0")
    with pytest.raises(Refused, match="a table does not open"):
        updated(releases, here)
    assert victim.read_text() == "kept"


def test_killed_at_any_step_and_run_again_it_is_done(
    releases: Publisher, here: Installation, systemd: Systemd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases.publish(tiny_source(tmp_path / "two", "0.2.0"), "0.2.0")
    before = here.current()
    for step in ("fetch", "_build", "rehearse", "_switch", "_await_judgement"):
        with monkeypatch.context() as cut:
            cut.setattr(update, step, _killed)
            with pytest.raises(KeyboardInterrupt):
                updated(releases, here)
        assert here.trial.exists() == (step == "_await_judgement")
    with pytest.raises(Refused, match="not newer"):  # The trial that was left is brought to its end first.
        updated(releases, here)
    assert here.current().startswith("0.2.0-")
    assert systemd.starts == [before, here.current()]
    assert sorted(path.name for path in here.releases.iterdir()) == sorted([before, here.current()])


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_only_what_a_trusted_key_has_signed_is_taken(releases: Publisher, here: Installation, tmp_path: Path) -> None:
    archive = releases.publish(tiny_source(tmp_path / "two", "0.2.0"), "0.2.0")
    good = archive.read_bytes()
    archive.write_bytes(good + b"more")
    with pytest.raises(Refused, match=pattern("its SHA-256 is not the")):
        updated(releases, here)
    assert here.whole() == [here.current()]
    sums = releases.folder / publisher.SUMS
    signed = sums.read_text()
    sums.write_text(signed.replace(signed[:8], "0" * 8))
    with pytest.raises(Refused, match=pattern("are not signed by a")):
        updated(releases, here)
    sums.write_text(signed)
    (here.settings / publisher.SIGNERS).write_text("# nobody yet\n")
    with pytest.raises(Refused, match="names no publisher's key yet"):
        updated(releases, here)
    (here.settings / publisher.SIGNERS).write_text("lodestone ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBBBB\n")
    with pytest.raises(Refused, match=pattern("are not signed by a")):
        updated(releases, here)
    archive.write_bytes(good)
    digest = signed[:64]
    assert find(str(archive), here.settings, digest) == publisher.PublishedRelease("0.2.0", str(archive), digest)
    with pytest.raises(Refused, match="--sha256: expected 64 digits"):
        find(str(archive), here.settings, "abc")
    with pytest.raises(Refused, match="can't be read: No such file"):
        find(str(tmp_path), here.settings)


def test_an_archive_of_another_version_is_refused(releases: Publisher, here: Installation, tmp_path: Path) -> None:
    releases.publish(tiny_source(tmp_path / "two", "0.1.5"), "0.2.0")
    with pytest.raises(Refused, match=r"holds version 0\.1\.5; expected 0\.2\.0"):
        updated(releases, here)
    assert here.whole() == [here.current()]


HEADER = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n"


@pytest.mark.parametrize("sent", [HEADER, HEADER + b"\r\n", b""], ids=["header", "body", "silence"])
def test_a_server_that_sends_a_byte_now_and_then_is_left_in_time(sent: bytes) -> None:
    def drip(listener: socket.socket) -> None:
        with listener.accept()[0] as caller, suppress(OSError):
            caller.sendall(sent)
            while sent or caller.recv(1 << 16):
                caller.sendall(b"x")
                time.sleep(0.01)  # A server as slow as this is what is tested.

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip, args=(listener,))
        thread.start()
        with pytest.raises(Refused, match="not come as a whole"):
            publisher.read(f"http://127.0.0.1:{listener.getsockname()[1]}/lodestone-1.0.tar.gz", 1 << 20, 0.2)
        thread.join()


def test_two_updates_at_once_and_a_full_disk_are_refused(
    releases: Publisher, here: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases.publish(tiny_source(tmp_path / "two", "0.2.0"), "0.2.0")
    with here.lock():
        assert here.busy()
        with pytest.raises(Refused, match="another update is under way"):
            updated(releases, here)
    full = shutil.disk_usage(tmp_path)._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    with pytest.raises(Refused, match="600 MB are needed, 1 MB are free"):
        updated(releases, here)


def test_a_version_of_any_length_has_an_order() -> None:
    assert order("0.9") < order("0.10") < order("1.0") < order("9" * 5000)


def test_a_release_counts_as_whole_once_all_of_it_is_on_the_disk(
    releases: Publisher, here: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a power cut before that the next update builds it again."""
    releases.publish(tiny_source(tmp_path / "two", "0.2.0"), "0.2.0")
    with monkeypatch.context() as cut:
        cut.setattr(platform, "sync_all", _killed)
        with pytest.raises(KeyboardInterrupt):
            updated(releases, here)
    assert here.whole() == [here.current()]
    synced: list[Path] = []
    monkeypatch.setattr(platform, "sync_path", synced.append)
    monkeypatch.setattr(update, "rehearse", _killed)
    with pytest.raises(KeyboardInterrupt):
        updated(releases, here)
    (release,) = {*here.whole()} - {here.current()}
    assert here.releases / release in synced, "the mark is durable, too"


def test_a_release_that_was_there_and_fails_is_built_again(
    releases: Publisher, here: Installation, tmp_path: Path
) -> None:
    """It may have been damaged since: a mark alone does not make it whole for ever."""
    releases.publish(tiny_source(tmp_path / "two", "0.2.0", "everywhere"), "0.2.0")
    built: list[int] = []
    for _ in range(3):
        told: list[str] = []
        with pytest.raises(Refused, match="a table does not open"):
            update.update(here, lambda: offer(releases, here), told.append)
        built.append(sum(one.startswith("Building") for one in told))
    assert built == [1, 0, 1]
    assert here.current() in here.whole()
