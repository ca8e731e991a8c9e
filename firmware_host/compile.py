"""Compiles what games name for it to machine code: ``python -m firmware_host.compile``, which ``make setup`` does.

A game's package may list files of its folder as ``COMPILED``. What is compiled is the very text that runs otherwise; it
lands beside it, and Python prefers it. Needs a C compiler and the extra ``compiled``; without them everything works,
slower.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, PathFinder
from pathlib import Path
from typing import Any

from firmware_host import GROUP, HASHES

ROOT = Path(__file__).parent.parent
COMPILED_FORM = "search compiled"
DOT_S = 2.0
"""So often it is shown that compiling goes on, which takes minutes on a small machine."""
_BUILD = """
import sys
from setuptools import Distribution
from firmware_host.compile import extensions

group, work, lib = sys.argv[1:]
command = Distribution({"name": group, "ext_modules": extensions(work)}).get_command_obj("build_ext")
command.build_temp, command.build_lib = work, lib
command.ensure_finalized()
command.run()
"""


class NotCompiled(Exception):
    """The search could not be compiled; the message says what is missing."""


def modules() -> list[Path]:
    """Return the files that the packages name, from the program's root on."""
    return [
        package.parent.relative_to(ROOT) / name
        for package in sorted(Path(__file__).parent.glob("*/**/__init__.py"))
        for name in _read_compiled(package)
    ]


def _read_compiled(package: Path) -> tuple[str, ...]:
    """Return a package's ``COMPILED``, without running it: with an outdated compiled form it might not run."""
    for statement in ast.parse(package.read_text(encoding="utf-8")).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id="COMPILED")], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id="COMPILED"), value=ast.expr() as value)
            ):
                return tuple(ast.literal_eval(value))
    return ()


def form() -> str:
    """Say which form of the search runs in this process, for people."""
    compiled = [_runs(module).suffix != ".py" for module in modules()]
    if all(compiled):
        return COMPILED_FORM
    if any(compiled):
        return "search compiled in parts: make compile"
    if HASHES.exists() and not os.environ.get("LODESTONE_PURE"):
        return "search in plain Python, compiled from an older text or for another Python: make compile"
    return "search in plain Python"


def hashes() -> dict[str, str]:
    """Return each module's path and the SHA-256 of its text, as they are now."""
    return {str(module): hashlib.sha256((ROOT / module).read_bytes()).hexdigest() for module in modules()}


def _runs(module: Path) -> Path:
    """Return the file that Python takes for a module; a compiled one that was imported does not know its own."""
    spec = PathFinder.find_spec(".".join(module.with_suffix("").parts), [str((ROOT / module).parent)])
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{module}: a game lists it as COMPILED, but it is not there")
    return Path(spec.origin)


def main(arguments: Sequence[str]) -> int:
    """Compile and install what has changed; return 0 when the compiled form runs from now on, 1 when it does not.

    With ``--beside`` somebody plays meanwhile in the same terminal: one line when it begins, one when it is done.
    """
    remove_orphans()
    if form() == COMPILED_FORM:
        return 0
    beside = "--beside" in arguments
    if beside:
        print("Play can begin. The search is being compiled meanwhile, which makes computers quicker.", flush=True)
    try:
        install(build(DOT_S if not beside else None))
    except NotCompiled as error:
        print(f"The search runs in plain Python, which is slower: {error}", file=sys.stderr)
        return 1
    if beside:
        print("The search is compiled; computers think with it from now on.", flush=True)
    return 0


def remove_orphans() -> None:
    """Remove compiled modules whose text is gone since a newer version: Python would still import them."""
    for path in Path(__file__).parent.rglob(f"*{EXTENSION_SUFFIXES[0]}"):
        if not path.with_name(f"{path.name.removesuffix(EXTENSION_SUFFIXES[0])}.py").exists():
            path.unlink()


def build(every: float | None = DOT_S) -> dict[Path, bytes]:
    """Return what is to be installed: path → contents. Raise NotCompiled. :func:`watched` takes ``every``."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if not any(map(shutil.which, (compiler, "cc", "gcc"))):
        raise NotCompiled("there is no C compiler (Debian, Raspberry Pi OS: sudo apt install gcc python3-dev)")
    texts = hashes()
    with tempfile.TemporaryDirectory() as name:
        work, lib = Path(name, "work"), Path(name, "lib")
        work.mkdir()
        command = [sys.executable, "-c", _BUILD, GROUP, str(work), str(lib)]
        environment = {**os.environ, "MYPY_CACHE_DIR": str(Path(name, "cache")), "LODESTONE_PURE": "1"}
        done = run_watched(command, environment, every)
        if done.returncode:
            raise NotCompiled(f"compiling failed:\n{_reason(done.stdout)}")
        files = {_place(path.relative_to(lib)): path.read_bytes() for path in sorted(lib.rglob("*.*"))}
        return files | {HASHES: json.dumps(texts, indent=1).encode()}


def extensions(work: str) -> list[Any]:
    """Return what setuptools is to build, in the program's root; the C text goes into the folder ``work``."""
    from mypyc.build import mypycify  # noqa: PLC0415 - only there with the extra

    sources = ["--config-file=", "--strict", "--follow-imports=silent", *map(str, modules())]
    made = mypycify(sources, opt_level="3", debug_level="0", group_name=GROUP, target_dir=work)
    for module in made:
        # A newer compiler's warnings are not the user's concern.
        module.extra_compile_args = [flag for flag in module.extra_compile_args if flag != "-Werror"]
        # Functions of the same library may be put in line: a third quicker, and nobody replaces them.
        module.extra_compile_args.append("-fno-semantic-interposition")
    return list(made)


def run_watched(
    command: Sequence[str], environment: Mapping[str, str], every: float | None
) -> subprocess.CompletedProcess[str]:
    """Run a command in the program's root; return all that it has said.

    Print a dot ``every`` so many seconds, and at last how many they were; None prints nothing.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT) as process:  # noqa: S603
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(every)
                    break
                print(".", end="", flush=True)
        if every is not None:
            print(f" {time.monotonic() - began:.0f} s", flush=True)
        output.seek(0)
        return subprocess.CompletedProcess(command, process.returncode, output.read())


def _reason(output: str) -> str:
    lines = [line for line in output.splitlines() if "rror" in line] or output.splitlines()
    return "\n".join(lines[-5:])


def _place(path: Path) -> Path:
    """Return where a built file belongs: beside its source, what they share among the installed packages."""
    return ROOT / path if len(path.parts) > 1 else Path(sysconfig.get_path("platlib")) / path


def install(files: dict[Path, bytes]) -> None:
    """Put the files in place, whole or not at all each; until the last one is there, the hashes, nothing of it runs."""
    HASHES.unlink(missing_ok=True)
    for path, contents in files.items():
        fresh = path.with_name(path.name + ".new")
        fresh.write_bytes(contents)
        fresh.chmod(0o755)
        fresh.replace(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
