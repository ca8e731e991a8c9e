"""A document done as it tells: its files, its commands, in a folder with a venv of its own."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
ADDING_A_GAME = DOCS / "adding-a-game.md"
BLOCK = re.compile(r"^`\.\./(\S+)`(?:, continued)?:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files(document: Path = ADDING_A_GAME) -> dict[str, str]:
    """Return path → text of each file that a document shows, parts one below the other."""
    found: dict[str, str] = {}
    for path, part in BLOCK.findall(document.read_text(encoding="utf-8")):
        if path not in found:
            found[path] = part
        else:
            found[path] += ("\n" if part.startswith(" ") else "\n\n") + part
    return found


class Workshop:
    """A folder in which somebody follows a document: ``lodestone`` to work in, the package beside it."""

    def __init__(
        self, folder: Path, changes: dict[str, tuple[str, str]] | None = None, *, document: Path = ADDING_A_GAME
    ) -> None:
        """Write the files; ``changes`` are path → (old, new), for what the document tells to change."""
        self.folder, self.document = folder, document
        self.here = folder / "lodestone"
        self.here.mkdir()
        (folder / "home").mkdir()
        for path, text in files(document).items():
            old, new = (changes or {}).get(path, ("", ""))
            assert old in text
            target = folder / path
            target.parent.mkdir(exist_ok=True)
            target.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
        self._venv()

    def _venv(self) -> None:
        """Make ``.venv`` as ``make setup`` would, but with all that is installed for these tests lent to it."""
        venv.create(self.here / ".venv", symlinks=True)
        scripts = self.here / ".venv" / "bin"
        lent = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        (self.site / "lent.pth").write_text(lent)
        lodestone = scripts / "lodestone"
        lodestone.write_text(
            f"#!{scripts / 'python'}\nfrom firmware_host.commands.cli import main\n"
            "if __name__ == '__main__':  # Processes that it starts import it.\n    raise SystemExit(main())\n"
        )
        lodestone.chmod(0o755)

    @property
    def site(self) -> Path:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        return self.here / ".venv" / "lib" / version / "site-packages"

    def linked(self, package: str) -> None:
        """Let Python find the package beside this one, and what it offers, as ``pip install --editable`` would."""
        about = tomllib.loads((self.folder / package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        told = self.site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
        told.mkdir()
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
        offers = configparser.ConfigParser()
        offers.read_dict(about["entry-points"])
        with (told / "entry_points.txt").open("w", encoding="utf-8") as file:
            offers.write(file)
        (self.site / f"{told.stem}.pth").write_text(f"{self.folder / package}\n")

    def check_style(self, package: str, modules: list[Path], *, tests: Sequence[Path] = (), ignored: str = "") -> None:
        """Check a package's modules as ours are, but for the ``ignored`` rule; of its tests the form alone."""
        folder, root = self.folder / package, DOCS.parent
        config, names = f"--config={root / 'pyproject.toml'}", [str(path) for path in modules]
        for tool in (
            ["ruff", "check", config, "--no-cache", *([f"--ignore={ignored}"] if ignored else []), *names],
            ["ruff", "format", "--check", config, "--no-cache", *names, *map(str, tests)],
            ["mypy", "--strict", f"--cache-dir={self.folder / 'mypy'}", *names],
        ):
            environment = {**self.environment(), "MYPYPATH": f"{root}:{folder}"}
            command = [sys.executable, "-m", *tool]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr

    def environment(self) -> dict[str, str]:
        hidden = {"LODESTONE_DATA", "XDG_DATA_HOME", "VIRTUAL_ENV", "PYTHONPATH"}
        kept = {name: value for name, value in os.environ.items() if name not in hidden}
        quiet = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
        return {**kept, **quiet, "HOME": str(self.folder / "home"), "PYTHONIOENCODING": "utf-8"}

    def told(self, command: str) -> str:
        """Return a command, having checked that the document shows it as a line of its own."""
        lines = self.document.read_text(encoding="utf-8").splitlines()
        assert command in lines, f"the document does not tell: {command}"
        return command

    def run(self, command: str, *, given: str = "", fails: bool = False) -> str:
        """Run a command that the document tells; return all that it prints."""
        done = subprocess.run(
            ["/bin/sh", "-c", self.told(command)], cwd=self.here, env=self.environment(), input=given,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=200,
        )  # fmt: skip
        assert (done.returncode != 0) == fails, f"{command}\n{done.stdout}"
        return done.stdout

    def start(self, command: str, *more: str) -> subprocess.Popen[str]:
        """Start a command that the document tells, with further options; its standard error goes to its output."""
        line = " ".join(["exec", self.told(command), *more])
        return subprocess.Popen(
            ["/bin/sh", "-c", line], cwd=self.here, env=self.environment(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
