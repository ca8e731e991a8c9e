"""A certificate that is given, and one that the machine has made itself."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.archive import files
from firmware_host.link import https
from firmware_host.link.https import OWN, Https, HttpsOptions, make_certificate, open_https
from firmware_host.text.words import Refused
from tests.sentences import is_in


def own(data: Path, told: list[str] | None = None) -> Https:
    found = open_https(HttpsOptions(own=True), data, [].append if told is None else told.append)
    assert found is not None
    return found


def test_the_own_certificate_is_made_once_and_is_nobody_elses(tmp_path: Path) -> None:
    told: list[str] = []
    first = own(tmp_path, told)
    assert stat.S_IMODE((tmp_path / OWN).stat().st_mode) == 0o600
    content = (tmp_path / OWN).read_bytes()
    assert own(tmp_path, told).fingerprint == first.fingerprint
    assert (tmp_path / OWN).read_bytes() == content
    assert told == []
    other = tmp_path / "another"
    assert own(other).fingerprint != first.fingerprint


def damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def other_key(path: Path) -> None:
    """Exchange the key for that of another certificate."""
    key, certificate = make_certificate().split(b"-----BEGIN C")[0], path.read_bytes().split(b"-----BEGIN C")[1]
    path.write_bytes(key + b"-----BEGIN C" + certificate)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("harm", [damaged, other_key, folder])
def test_a_damaged_own_certificate_is_made_anew_and_told(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    before = own(tmp_path).fingerprint
    harm(tmp_path / OWN)
    told: list[str] = []
    assert own(tmp_path, told).fingerprint != before
    assert len(told) == 1
    assert is_in("phones warn once more", told[0])


def test_one_that_can_not_be_read_for_a_moment_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = own(tmp_path).fingerprint

    def full(path: Path, _most: int) -> bytes:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), str(path))

    with monkeypatch.context() as moment:
        moment.setattr(files, "read_small", full)
        moment.setattr(files, "RETRIES_S", ())
        with pytest.raises(Refused, match="Too many open files"):
            own(tmp_path)
    assert own(tmp_path).fingerprint == before


def test_no_clock_makes_the_own_certificate_old(tmp_path: Path) -> None:
    """A machine that believes in 1970 makes the same dates as one with a clock: phones have one."""
    (tmp_path / "made.pem").write_bytes(make_certificate(["games.example", "192.168.4.1", "ünknown"]))
    command = ["openssl", "x509", "-in", str(tmp_path / "made.pem"), "-noout", "-dates", "-ext", "subjectAltName"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "notBefore=Jan  1 00:00:00 2025 GMT" in told
    assert "notAfter=Dec 31 00:00:00 2049 GMT" in told
    assert "DNS:games.example" in told
    assert "IP Address:192.168.4.1" in told


def test_a_given_certificate_may_have_its_key_beside_it(tmp_path: Path) -> None:
    key, certificate = make_certificate().split(b"-----BEGIN CERT")
    (tmp_path / "cert.pem").write_bytes(b"-----BEGIN CERT" + certificate)
    (tmp_path / "key.pem").write_bytes(key)
    found = open_https(HttpsOptions(cert=tmp_path / "cert.pem", key=tmp_path / "key.pem"), tmp_path, [].append)
    assert found is not None
    assert found.fingerprint == "", "nobody is warned of it"
    assert found.context() is found.context()
    assert not (tmp_path / OWN).exists()
    with pytest.raises(Refused) as refused:
        open_https(HttpsOptions(cert=tmp_path / "cert.pem"), tmp_path, [].append)
    assert is_in("--cert: {file}", str(refused.value))


def test_a_key_with_a_password_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "plain.pem").write_bytes(make_certificate())
    command = ["openssl", "ec", "-in", str(tmp_path / "plain.pem"), "-out", str(tmp_path / "key.pem"), "-aes256",
               "-passout", "pass:secret"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    with pytest.raises(Refused, match="--cert: "):
        open_https(HttpsOptions(cert=tmp_path / "plain.pem", key=tmp_path / "key.pem"), tmp_path, [].append)


def test_without_the_library_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(https, "missing", lambda extra, modules, what: f"{extra} {list(modules)} {what}")
    with pytest.raises(Refused, match="cryptography"):
        own(tmp_path)
    (tmp_path / OWN).write_bytes(make_certificate())
    assert own(tmp_path).fingerprint, "what is made already needs no library"
