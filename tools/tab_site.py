"""Makes try/ of the docs' site: the whole program for a browser tab (docs/desks.md, "In a browser tab").

Python in WebAssembly is the npm package pyodide, whose lock names its digest (tools/tab/package-lock.json, fetched by
tools/tab/need-pyodide). Beside it lie this program's own wheel and the pure libraries that it needs, as they are
installed here. To compile them at each start would take seconds (this program's part alone 3, in Node.js); so
they are compiled ahead, by that Python itself under Node.js, and go without their sources. What was compiled is kept in
build/tab until a source changes.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock

from firmware_host.plug import extensions

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "tools/tab"
KEPT = ROOT / "build/tab"
PYODIDE = SOURCE / "node_modules/pyodide"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
PACKED = RUNTIME[1:]
"""Large files that are fetched compressed; beside them lie the files themselves, for pages that only run examples."""
STANDARD = "python_stdlib.zip"
UNUSED = re.compile(
    r"turtle|_py(io|decimal|datetime)\."
    r"|encodings/(mac_|cp(?!437|1252)|koi8|iso8859_(?!1\.|15)|iso2022|kz|ptcp|tis|hp_|big5|euc|gb|hz|johab|shift)"
)
"""The standard library's drawing turtle, its stand-ins for what is built in, and encodings that no file here has."""
LOCK = "pyodide-lock.json"
PAGES = ("index.html", "tab.css", "tab.js", "frame.js", "worker.js", "service.js", "run.js", "run.css")
EXAMPLES = (
    *(f"pyodide/{name}" for name in (*RUNTIME, STANDARD, LOCK)),
    "libraries.zip", "lodestone.zip", "pytest.zip", "worker.js",
)  # fmt: skip
"""What a page fetches whose reader runs its examples."""
LEVELS = ROOT / "tools/measured/tab_levels.json"
"""Game → level → seconds that its slowest action takes in a browser's Python (python -m tools.tab_levels)."""
MAX_S = 3.0
MAX_GAME_S = 40.0
"""Longest search that is measured: what takes longer is too slow anyway."""
OURS = "lodestone-board"
ABSENT = re.compile(
    r"librt|pyserial|cobs|tqdm|waitress|pyftdi|binho|sysv|pureio|adafruit-circuitpython-typing"
    r"|colorama|tomli$|exceptiongroup"
)
"""Libraries for pins, cables, sockets and other Pythons, which a tab has no use for: they and what they need."""
UNWIRED = re.compile(
    r"adafruit_blinka/(board|microcontroller)/(?!__init__|generic_agnostic_board)|/tests/|/sboms/|^\.\."
)
"""Files of libraries that no simulated board comes to, and lists of what their makers used."""
UNTENDED = "firmware_host/extensions/appliance"
"""The care of a machine, which a tab has none of; an extension may be left out (docs/adding-an-extension.md)."""
PURE = {".py", ".toml", ".json", ".txt", ".html", ".js", ".css", ".svg", ".png", ".po", ".jsonl", ".typed", ".woff2"}
_CATALOGUES = [path.stem for path in (ROOT / "web_panel/languages").glob("*.po")]
SPOKEN = {"root", "en", *_CATALOGUES, *(name.partition("_")[0] for name in _CATALOGUES)}
"""Babel's languages of which the pages have a catalogue."""


class SiteError(RuntimeError):
    """The site can't be made; the text says why."""


def build() -> dict[str, Path]:
    """Return path in try/ → file. Raise SiteError."""
    if not PYODIDE.is_dir():
        raise SiteError("Python for browsers is missing: tools/tab/need-pyodide")
    KEPT.mkdir(parents=True, exist_ok=True)
    with FileLock(KEPT / "lock"):  # The pages and their tests are made side by side.
        return _build()


def _build() -> dict[str, Path]:
    found = {f"pyodide/{name}": PYODIDE / name for name in RUNTIME}
    found |= {f"pyodide/{name}.packed": _pack(name) for name in PACKED}
    found |= {f"pyodide/{STANDARD}": _standard(), f"pyodide/{LOCK}": _lock()}
    found |= {name: SOURCE / name for name in PAGES}
    wheel = _wheel()
    found |= {
        wheel.name: wheel,
        "lodestone.zip": _compile("lodestone", {wheel.name: wheel}, "2"),
        "libraries.zip": _compile("libraries", dict(_libraries(OURS)), "2"),
        "pytest.zip": _compile("pytest", dict(_libraries("pytest"))),
    }
    found["offers.json"] = _write("offers.json", offers_of_page())
    found["about.json"] = _write("about.json", _about(found, wheel.name))
    return found


def _write(name: str, content: object) -> Path:
    path = KEPT / name
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path


def _standard() -> Path:
    """Return Python's standard library without what is unused, compiled: docs/desks.md has what that saves."""
    with tempfile.TemporaryDirectory() as temporary:
        with zipfile.ZipFile(PYODIDE / STANDARD) as whole:
            files = [entry.filename for entry in whole.infolist() if not entry.is_dir()]
            used = [name for name in files if not UNUSED.match(name)]
            whole.extractall(temporary, used)
        return _compile("standard", {name: Path(temporary) / name for name in used}, "2")


def _pack(name: str) -> Path:
    """Return a file of the runtime compressed, for many hosts compress nothing; the page unpacks it and keeps it so.

    Its name is no archive's, for some hosts would call that an encoding, and browsers then unpack it themselves.
    """
    path = KEPT / f"{name}.packed"
    path.write_bytes(gzip.compress((PYODIDE / name).read_bytes(), 9, mtime=0))
    return path


def _lock() -> Path:
    """Return what Pyodide reads at its start, without the list of packages that nothing here loads from others."""
    whole = json.loads((PYODIDE / LOCK).read_text(encoding="utf-8"))
    return _write(LOCK, {**whole, "packages": {}})


def offers_of_page() -> list[dict[str, Any]]:
    """Return what the page offers, and which levels answer in time. Raise SiteError."""
    try:
        from firmware_host.extensions.tab.tab import offers  # noqa: PLC0415 - an extension may be away
    except ImportError as error:
        raise SiteError(f"the extension that runs in a tab is missing: {error}") from error
    measured = json.loads(LEVELS.read_text(encoding="utf-8"))
    found = offers()
    for offer in found:
        times = measured.get(offer["game"], {})  # Empty for a game that is still to be measured, on this very site.
        for level in offer["levels"]:
            level["fast"] = times.get(str(level["level"]), MAX_GAME_S) <= MAX_S
    return found


def _about(found: dict[str, Path], wheel: str) -> dict[str, object]:
    """Return what the page has to fetch, with sizes, the digest of it all, and how many bytes examples need."""
    unneeded = {"pytest.zip", "run.js", "run.css", wheel, *(f"pyodide/{name}" for name in PACKED)}
    needed = [name for name in sorted(found) if name not in unneeded]
    digest = hashlib.sha256()
    for name in needed:
        digest.update(name.encode() + hashlib.sha256(found[name].read_bytes()).digest())
    lock = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))
    package = lock["packages"]["node_modules/pyodide"]
    return {
        "version": digest.hexdigest()[:16],
        "files": {name: found[name].stat().st_size for name in needed},
        "pyodide": {"version": package["version"], "licence": package["license"]},
        "wheel": wheel,
        "screen": next((path for one in extensions() if one.is_portable for path in one.screens.values()), "/play"),
        "examples": sum(found[name].stat().st_size for name in EXAMPLES),
    }


# -- what Python imports -----------------------------------------------------------------------------------------------


def _wheel() -> Path:
    """Return this program's wheel, built from a copy of its sources once one of them has changed."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "compiled.hashes", "*.egg-info")
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "source"
        for name in ("firmware_host", "hw", "lodestone", "simulator", "web_panel"):
            shutil.copytree(ROOT / name, copy / name, ignore=unwanted)
        for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in"):
            shutil.copy(ROOT / name, copy)
        folder = KEPT / f"wheel-{_digest({path.relative_to(copy).as_posix(): path for path in copy.rglob('*.*')})}"
        if not folder.exists():
            for old in KEPT.glob("wheel-*"):
                shutil.rmtree(old)
            made = Path(temporary) / "made"
            _run([
                sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
                "--no-index", "--no-build-isolation", "--wheel-dir", str(made), str(copy),
            ])  # fmt: skip
            shutil.move(made, folder)
    return next(folder.glob("*.whl"))


def _libraries(name: str) -> Iterator[tuple[str, Path]]:
    """Yield path and file of all that a distribution needs, as it is installed here; itself too, unless it is ours."""
    waiting, known = [name], {OURS}
    while waiting:
        one = waiting.pop()
        if one != OURS:
            yield from _files(one)
        for line in importlib.metadata.requires(one) or ():
            needed, _, condition = line.partition(";")
            word = re.split(r"[^\w.-]", needed.strip(), maxsplit=1)[0].lower().replace("_", "-")
            if "extra" in condition or ABSENT.search(word) or word in known:
                continue
            known.add(word)
            try:
                importlib.metadata.distribution(word)
            except importlib.metadata.PackageNotFoundError:
                if not condition:
                    raise SiteError(f"{one} needs {word}, which is not installed here") from None
            else:
                waiting.append(word)


def _files(name: str) -> Iterator[tuple[str, Path]]:
    for path in importlib.metadata.files(name) or ():
        text = path.as_posix()
        described = path.name in {"METADATA", "entry_points.txt", "global.dat"} or ".dist-info/licenses/" in text
        spoken = path.suffix == ".dat" and path.stem in SPOKEN
        if not UNWIRED.search(text) and (described or spoken or path.suffix in PURE):
            yield text, Path(str(path.locate()))


def _digest(files: dict[str, Path]) -> str:
    digest = hashlib.sha256()
    for path, file in sorted(files.items()):
        digest.update(path.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _compile(name: str, files: dict[str, Path], optimize: str = "0") -> Path:
    """Return an archive of files, or of a wheel's, for the browser's Python, with bytecode instead of sources.

    ``optimize`` 2 leaves out what nobody reads there: docstrings and assertions, but for those of tests in lodestone/.
    """
    tools = {one: SOURCE / one for one in ("package-lock.json", "compile.mjs", "../tab_site.py")}
    made = KEPT / f"{name}-{_digest({**files, **tools})}.zip"
    if made.exists():
        return made
    for old in KEPT.glob(f"{name}-????????????????.zip"):
        old.unlink()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for path, file in files.items():
            if file.suffix == ".whl":
                with zipfile.ZipFile(file) as wheel:
                    wheel.extractall(folder)
            else:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, folder / path)
        shutil.rmtree(folder / UNTENDED, ignore_errors=True)
        for record in folder.glob("*.dist-info/RECORD"):
            record.unlink()
        for metadata in folder.glob("*.dist-info/METADATA"):  # What programs read of it, without the page below.
            metadata.write_text(metadata.read_text("utf-8").partition("\n\n")[0] + "\n\n", encoding="utf-8")
        for catalogue in folder.rglob("*.po"):  # Without where each sentence is said.
            lines = catalogue.read_text("utf-8").splitlines(keepends=True)
            catalogue.write_text("".join(one for one in lines if not one.startswith("#: ")), encoding="utf-8")
        _run(["node", str(SOURCE / "compile.mjs"), str(PYODIDE), str(folder), optimize])
        begun = made.with_suffix(".part")
        with zipfile.ZipFile(begun, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for path in sorted(one for one in folder.rglob("*") if one.is_file()):
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, path.read_bytes())
        begun.replace(made)
    return made


def _run(command: Iterable[str]) -> None:
    try:
        done = subprocess.run([*command], capture_output=True, text=True, check=False)  # noqa: S603 - our own tools
    except OSError as error:
        raise SiteError(f"{error}: the site needs Node.js (tools/tab/need-pyodide)") from error
    if done.returncode:
        raise SiteError(f"{' '.join(command)}: {done.stderr[-2000:] or done.stdout[-2000:]}")
