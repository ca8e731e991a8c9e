"""Making releases: a maintainer's way from a new key to a folder that updates take, with a key made for the test."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from firmware_host.text.words import Refused
from firmware_host.upkeep.publisher import SIGNERS, fetch, find
from tools import release


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *settings, *words], check=True, capture_output=True)


def commit(folder: Path, version: str) -> None:
    (folder / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    git(folder, "add", ".")
    git(folder, "commit", "-m", version)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "source"
    (folder / "install").mkdir(parents=True)
    (folder / "install/signers").write_text("# one line for each key\n")
    git(folder, "init", "-q")
    commit(folder, "0.1.0")
    monkeypatch.setattr(release, "ROOT", folder)
    return folder


@pytest.fixture
def key(tmp_path: Path) -> Path:
    made = tmp_path / "publisher"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a comment", "-f", made], check=True)
    return made


def test_a_new_key_makes_the_first_release_and_the_next(
    source: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, pi = tmp_path / "releases", tmp_path / "etc"
    asked = [str(place), "--key", str(key)]
    assert release.main(asked) == 1, "who installs it would not trust its updates"
    said = capsys.readouterr().err
    assert "install/signers does not name this key; add this line to it, and commit it:" in said
    assert not place.exists()
    with (source / "install/signers").open("a") as signers:
        signers.write(said.splitlines()[-1] + "\n")
    assert release.main(asked) == 1
    assert "not committed" in capsys.readouterr().err
    commit(source, "0.1.0")
    assert release.main(asked) == 0

    pi.mkdir()
    with pytest.raises(Refused, match="names no publisher's key yet"):
        find(str(place), pi)
    (pi / SIGNERS).write_text((source / "install/signers").read_text())
    assert find(str(place), pi).version == "0.1.0"
    assert release.main(asked) == 0, "an interrupted release is made again"
    git(source, "commit", "--allow-empty", "-m", "more")
    assert release.main(asked) == 1
    assert "0.1.0 is released already: raise version in pyproject.toml" in capsys.readouterr().err
    commit(source, "0.2.0")
    assert release.main(asked) == 0
    offer = find(str(place), pi)
    assert offer.version == "0.2.0"
    fetch(offer, tmp_path / "fetched")
    assert sorted(path.name for path in place.iterdir()) == [
        "SHA256SUMS", "SHA256SUMS.sig", "lodestone-0.1.0.tar.gz", "lodestone-0.2.0.tar.gz",
    ]  # fmt: skip


def test_what_is_no_key_is_told(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main([str(tmp_path / "releases"), "--key", str(tmp_path / "none")]) == 1
    assert "none: no such file; make a key once: ssh-keygen -t ed25519" in capsys.readouterr().err
    (tmp_path / "none").write_text("no key\n")
    (tmp_path / "none").chmod(0o600)
    assert release.main([str(tmp_path / "releases"), "--key", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.startswith("tools.release: ssh-keygen: ")
