"""Making releases: a maintainer's way from a new key to a folder that updates take, with a key made for the test."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from firmware_host.extensions.appliance import release
from firmware_host.extensions.appliance.publisher import SIGNERS, fetch, find
from firmware_host.text.words import Refused


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
    (folder / "install/image").mkdir(parents=True)
    (folder / "install/image/config").write_text("IMG_NAME=lodestone\n")
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
        "SHA256SUMS", "SHA256SUMS.sig", "image-recipe-0.1.0.tar.gz", "image-recipe-0.2.0.tar.gz",
        "lodestone-0.1.0.tar.gz", "lodestone-0.2.0.tar.gz",
    ]  # fmt: skip
    with tarfile.open(place / "image-recipe-0.2.0.tar.gz") as recipe:
        files = [member.name for member in recipe if member.isfile()]
    assert files == ["lodestone-0.2.0/install/image/config"]


def test_a_workflow_gives_the_key_as_a_variable_and_the_tag(
    source: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "releases"
    monkeypatch.delenv(release.VARIABLE, raising=False)
    assert release.main([str(place)]) == 1
    assert "name its file with --key, or put its text into the variable" in capsys.readouterr().err
    public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    (source / "install/signers").write_text(f'lodestone namespaces="lodestone-release" {public}\n')
    commit(source, "0.1.0")
    monkeypatch.setenv(release.VARIABLE, key.read_text())
    assert release.main([str(place), "--tag", "v0.2.0"]) == 1
    assert "the tag v0.2.0 is not the version of pyproject.toml: expected v0.1.0" in capsys.readouterr().err
    assert release.main([str(place), "--tag", "v0.1.0"]) == 0
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / SIGNERS).write_text((source / "install/signers").read_text())
    assert find(str(place), tmp_path / "etc").version == "0.1.0"


def test_what_is_no_key_is_told(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main([str(tmp_path / "releases"), "--key", str(tmp_path / "none")]) == 1
    assert "none: no such file; make a key once: ssh-keygen -t ed25519" in capsys.readouterr().err
    (tmp_path / "none").write_text("no key\n")
    (tmp_path / "none").chmod(0o600)
    assert release.main([str(tmp_path / "releases"), "--key", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err.startswith("firmware_host.extensions.appliance.release: ssh-keygen: ")
