"""HTTPS on the command line: a given certificate, one of the table's own, and what does not go together."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_host.archive.data_folder import Listening, last_address, save_address
from firmware_host.commands import https
from firmware_host.commands.cli import main
from firmware_host.commands.common import Addresses
from firmware_host.commands.https import OWN, Https, HttpsOptions, make_certificate, open_https
from firmware_host.text.words import Refused
from tests.e2e.program import Program
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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--key", "k.pem"), "--key: expected --cert FILE"),
        (("--https", "--cert", "c.pem"), "expected one of them"),
        (("--cert", "/nowhere/c.pem"), "--cert: /nowhere/c.pem can't be used: No such file"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], words: str
) -> None:
    assert main(["play", "--port", "0", "--data", str(tmp_path), *options]) == 1
    assert words in capsys.readouterr().err


def test_without_the_library_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(https, "missing", lambda extra, modules, what: f"{extra} {list(modules)} {what}")
    with pytest.raises(Refused, match="cryptography"):
        own(tmp_path)
    (tmp_path / OWN).write_bytes(make_certificate())
    assert own(tmp_path).fingerprint, "what is made already needs no library"


def test_links_say_https() -> None:
    assert list(Addresses("10.42.0.1", 443, ["games.example"], scheme="https")) == [
        "https://10.42.0.1:443",
        "https://games.example:443",
    ]


def test_other_commands_find_the_table(tmp_path: Path) -> None:
    for place in (Listening("0.0.0.0", 8000), Listening("10.1.2.3", 8301, "https")):
        save_address(tmp_path, place)
        assert last_address(tmp_path) == place
    assert place.from_here == "https://10.1.2.3:8301"
    (tmp_path / "listens").write_text("0.0.0.0 8000\n")
    found = last_address(tmp_path)
    assert found is not None, "as earlier releases write it, and expect it of an update"
    assert found.from_here == "http://127.0.0.1:8000"


@pytest.mark.slow
def test_the_program_speaks_https_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = Program(tmp_path / "data", "--https").start()
    assert main(["host", "--data", str(program.data)]) == 0
    assert "Host: https://" in capsys.readouterr().out
    fingerprint = Https(program.data / OWN, own=True).fingerprint
    printed = program.stop()
    assert "http://" not in printed
    assert f"/host#{program.host_token()}" in printed
    assert fingerprint in printed


@pytest.mark.slow
def test_under_the_service_a_table_opens_without_its_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is at the terminal: it speaks HTTP, and phones say why."""
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    program = Program(tmp_path / "data", "--cert", str(tmp_path / "missing.pem"))
    program.start("--new")
    said = [one["text"] for one in program.state()["log"]] + [str(program.state())]
    assert any(str(tmp_path / "missing.pem") in one for one in said)
    program.stop()
