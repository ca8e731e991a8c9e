"""HTTPS on the command line: what does not go together, and what the program says of its certificate."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_host.commands.cli import main
from firmware_host.link.https import OWN, Https
from tests.e2e.program import Program


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


def test_what_does_not_go_together_is_refused_before_anything_is_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    for verb in (["play"], ["replay", str(tmp_path / "no-record")]):
        assert main([*verb, "--port", "0", "--data", str(data), "--key", "k.pem"]) == 1
        assert "--key: expected --cert FILE" in capsys.readouterr().err
    assert not data.exists()


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
    assert program.get("/api/tickets")["warns"] is False
    program.stop()
