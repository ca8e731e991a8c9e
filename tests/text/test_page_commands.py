"""Code on pages: what a page tells people to type is run, or a mark in the page says why it is not.

A block of commands is one in which a line begins with the name of a program. ``<!-- not run: REASON -->`` above a block
leaves it out. Pages in ``FOLLOWED`` are followed to the letter by a test of their own. In all of them every verb and
option of ``lodestone``, every target of make and every module that a page names exists.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_host.boardfile.load import find_board
from firmware_host.commands.cli import main, parser_of_verbs
from tests.deleted import EXTENSIONS, LACKING

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted(EXTENSIONS.glob("*/*.md"))]
FOLLOWED = {
    "adding-a-game.md": "tests/test_adding_a_game.py",
    "adding-a-sensor.md": "tests/test_adding_a_sensor.py",
    "adding-a-strip.md": "tests/test_adding_a_strip.py",
    "adding-an-extension.md": "tests/test_adding_an_extension.py",
    "kit.md": "tests/lodestone/test_docs.py",
    "microcontrollers.md": "tests/extensions/scanner/test_first_light.py",
}
MARK = re.compile(r"^<!-- not run: (.+) -->$")
PROGRAM = re.compile(
    r"(\$ )?(sudo )?([A-Z_]+=\S+ |\w+=\$\(.*)?((\.venv/bin/|\./)?(lodestone|python3?|install\.sh|build\.sh)|"
    r"make|git|cd|ls|pip|echo|journalctl|nmcli|systemctl|rpi-imager|raspi-config)( |$)"
)
SPAN = re.compile(r"`(?:sudo )?(?:\.venv/bin/)?lodestone ([^`]+)`")
MODULE = re.compile(r"`[^`\n]*python3? -m ([\w.]+)")
LANGUAGES = {"python", "sh", "toml", "html", "js", "po", "text"}


@dataclass
class Block:
    """A block of code: its language, or None where it is indented only; the mark's reason."""

    page: Path
    line: int
    language: str | None
    text: str
    reason: str | None

    @property
    def where(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def commands(self) -> list[str]:
        """Its commands, without comments, or none where it shows something else."""
        lines = [line.strip() for line in self.text.replace("\\\n", " ").splitlines()]
        if self.language not in {None, "sh"} or not any(PROGRAM.match(line) for line in lines):
            return []
        return [line.removeprefix("$ ") for line in lines if PROGRAM.match(line)]


def blocks(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        first, before = at, next((line for line in reversed(lines[:at]) if line), "")
        mark = MARK.match(before)
        reason = mark[1] if mark else None
        if lines[at].startswith("```"):
            end = lines.index("```", at + 1)
            text = "\n".join(lines[at + 1 : end])
            yield Block(page, first + 1, lines[at][3:] or None, text, reason)
            at = end + 1
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1]):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at]):
                at += 1
            yield Block(page, first + 1, None, "\n".join(line[4:] for line in lines[first:at]).rstrip(), reason)
        else:
            at += 1


BLOCKS = [block for page in PAGES for block in blocks(page)]
RUN = [block for block in BLOCKS if block.commands and not block.reason and block.page.name not in FOLLOWED]


def words(command: str) -> list[str]:
    """Return the arguments of a ``lodestone`` command, without what the shell does with its output."""
    found = shlex.split(command, comments=True)
    if found[0] == "sudo":
        found.pop(0)
    return found[1:]


def unknown(arguments: list[str]) -> list[str]:
    """Return verbs and options of a ``lodestone`` command that do not exist; none where an extension's may be away."""
    if LACKING:
        return []
    parser = parser_of_verbs()
    missing: list[str] = []
    for word in arguments:
        verbs = next((a for a in parser._actions if isinstance(a, argparse._SubParsersAction)), None)
        if verbs and re.fullmatch(r"[a-z][a-z-]*", word):
            if word not in verbs.choices:
                return [*missing, word]
            parser = verbs.choices[word]
        elif re.fullmatch(r"\[?--[a-z][\w-]*\]?", word) and word.strip("[]") not in parser._option_string_actions:
            missing.append(word)
    return missing


def is_module(name: str) -> bool:
    """Return whether Python finds a module, or it is of an extension that may be away."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return bool(LACKING)


def lacks_verb(command: str) -> bool:
    """Return whether a command is of an extension that is not here."""
    verbs = next(a for a in parser_of_verbs()._actions if isinstance(a, argparse._SubParsersAction))
    return bool(LACKING) and words(command)[0] not in verbs.choices


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    told = [span.replace("\n", " ") for span in SPAN.findall(page.read_text(encoding="utf-8"))]
    wrong = [f"lodestone {span}: {name}" for span in told for name in unknown(re.split(r"[\s,]+", span))]
    modules = MODULE.findall(page.read_text(encoding="utf-8"))
    wrong += [f"{page.name}: -m {name}" for name in modules if not is_module(name)]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for block in blocks(page):
        for command in block.commands:
            plain = re.sub(r"\s+#.*", "", command)
            if match := re.search(
                r"(?:^|/| )lodestone ((?:board|book|hardware|host|log|play|puzzles|record|replay) .*)", plain
            ):
                wrong += [f"{block.where}: {name}" for name in unknown(shlex.split(match[1]))]
            if match := re.match(r"make ([a-z-]+)", plain):
                wrong += [] if re.search(rf"^{match[1]}:", makefile, re.MULTILINE) else [f"{block.where}: {plain}"]
            if match := re.search(r"python3? -m ([\w.]+)", plain):
                wrong += [] if is_module(match[1]) else [f"{block.where}: {plain}"]
    assert wrong == []


def test_every_block_is_of_a_known_language_and_can_be_read() -> None:
    for block in BLOCKS:
        assert block.language in {None, *LANGUAGES}, f"{block.where}: {block.language}"
        if block.language == "toml":
            tomllib.loads(block.text)
        if block.language == "python":
            assert block.page.name in FOLLOWED or block.reason, f"{block.where}: neither run nor marked"
            indented = block.text.startswith("    ")
            ast.parse(f"class Continued:\n{block.text}" if indented else block.text, block.where)


def test_a_page_that_is_followed_names_its_test() -> None:
    for page, test in FOLLOWED.items():
        if page not in {one.name for one in PAGES} and LACKING:
            continue
        text = (ROOT / test).read_text(encoding="utf-8")
        assert f"docs/{page}" in text or f'"{page}"' in text, f"{test} does not follow {page}"


@pytest.mark.slow
@pytest.mark.parametrize("block", RUN, ids=lambda block: block.where)
def test_commands_of_a_page_run(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each in an empty folder with a board file of one's own, `my-board.toml`, as the pages call it."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    if "board new" not in block.text:
        shutil.copyfile(find_board("spokes-45"), "my-board.toml")
    for command in block.commands:
        if command.startswith("echo "):  # What it prints stands below it.
            answer = block.text.splitlines()[-1]
            assert run_by_shell(command) == f"{answer}\n", block.where
            continue
        assert re.match(r"(\.venv/bin/)?lodestone ", command), (
            f"{block.where}: not run, and no mark says why: {command}"
        )
        if lacks_verb(command):
            continue
        try:
            code = main(words(command))
        except SystemExit as ended:
            code = int(ended.code or 0)
        assert code == 0, f"{block.where}: {command}\n{capsys.readouterr()}"


def run_by_shell(command: str) -> str:
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=True)
    return done.stdout
