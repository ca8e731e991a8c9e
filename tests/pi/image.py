"""The emulated Pi's disk: Debian's kernel and Python for arm64, the libraries of a Pi, and this repository's packages.

``python -m tests.pi.image`` builds it. What comes from Debian and from the package index is fetched once, into
:data:`CACHE`; this repository's packages are added anew for each run.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from tests.pi import cpio

REPOSITORY = Path(__file__).parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lodestone-pi"
SUITE = "trixie"
PYTHON = "3.13"
PROGRAMS = ("qemu-system-aarch64", "qemu-aarch64-static", "fdtput", "apt-get", "dpkg-deb")
PACKAGES = (f"python{PYTHON}", "busybox-static", "kmod", "python3-rpi.gpio")
WHEELS = ("gpiod", "rpi-lgpio", "adafruit-lgpio==0.2.2.0")
"""Wheels for arm64, in pyproject.toml's version or this one. lgpio has none for Python 3.13, Adafruit builds one."""
MODULES = ("drivers/usb/common", "drivers/usb/core", "drivers/usb/gadget", "drivers/usb/class", "fs/configfs")
"""Folders of the kernel's modules that tests load."""
SCANNER = ("tests/extensions/__init__.py", "tests/extensions/scanner/__init__.py", "tests/extensions/scanner/guest.py")
OURS = ("firmware_host", "hw", "simulator", "web_panel", "tests/pi/guest", "tests/hw/pretend_pi.py")
PACKAGES_OF_TESTS = ("tests/__init__.py", "tests/hw/__init__.py", "tests/pi/__init__.py", *SCANNER)
REVISION = "a02082"
"""Of a Pi 3B, as its boot loader writes it into the device tree."""
FORMAT = 1
"""To be raised when the cached part must be built anew."""
_DROPPED = re.compile(
    r"share/(doc|man|locale|lintian|zoneinfo)|/gconv/|/(test|pydoc_data|ensurepip|idlelib|tkinter|turtledemo)/"
    r"|babel/locale-data/(?!(en|de|root)\b)|adafruit_blinka/board/(?!raspberrypi|__)"
)
"""What no test uses: Linux takes seconds to unpack it."""


class CannotBuild(RuntimeError):
    """The image can't be built here; the text says why."""


@dataclass(frozen=True)
class Image:
    """The files that QEMU boots."""

    kernel: Path
    tree: Path
    """The device tree."""
    disk: Path
    """The initial file system."""


def missing() -> str | None:
    """Return why no Pi can be emulated here; None when all programs are there."""
    lacking = [program for program in PROGRAMS if shutil.which(program) is None]
    if lacking:
        return f"{', '.join(lacking)} not found: tests/need-qemu installs what is missing, or names it"
    return None


def build() -> Image:
    """Build what is missing or has changed. Raise CannotBuild."""
    base = CACHE / f"{SUITE}-{FORMAT}"
    if not (base / "complete").exists():
        shutil.rmtree(base, ignore_errors=True)
        base.mkdir(parents=True)
        _fetch(base)
        (base / "complete").touch()
    own = REPOSITORY / "build" / "pi"
    own.mkdir(parents=True, exist_ok=True)
    _copy_ours(own / "root/opt/lodestone")
    _compile(base / "root", own / "root")
    disk = own / "disk.cpio"
    with disk.open("wb") as file:
        file.write((base / "disk.cpio").read_bytes())
        cpio.write(file, [(own / "root", "")])
    return Image(base / "vmlinuz", base / "pi.dtb", disk)


# -- what is fetched ---------------------------------------------------------------------------------------------------


def _fetch(base: Path) -> None:
    for name in ("bin", "lib", "sbin"):  # As Debian's base-files makes them.
        (base / "root" / "usr" / name).mkdir(parents=True)
        (base / "root" / name).symlink_to(f"usr/{name}")
    for package in _debs(base / "apt"):
        kernel = package.name.startswith("linux-image-")
        _run("dpkg-deb", "--extract", str(package), str(base / ("kernel" if kernel else "root")))
    root, kernel = base / "root", base / "kernel"
    shutil.copy(next(kernel.glob("boot/vmlinuz-*")), base / "vmlinuz")
    shutil.copy(next(kernel.glob("usr/lib/linux-image-*/broadcom/bcm2837-rpi-3-b.dtb")), base / "pi.dtb")
    _run("fdtput", "--type", "x", "--create", str(base / "pi.dtb"), "/system")
    # Else the first serial port belongs to Bluetooth, as on a Pi without dtoverlay=disable-bt.
    _run("fdtput", "--remove", str(base / "pi.dtb"), "/soc/serial@7e201000/bluetooth")
    _run("fdtput", "--type", "x", str(base / "pi.dtb"), "/system", "linux,revision", REVISION)
    _modules(kernel, root)
    _libraries(base / "wheels", root / "opt")
    _compile(root, root / "usr/lib", root / "opt")
    with (base / "disk.cpio").open("wb") as file:
        cpio.write(file, [(root, "")], lambda name: not _DROPPED.search(name))
    for done in ("apt", "kernel", "wheels"):
        shutil.rmtree(base / done)


def _debs(apt: Path) -> Iterator[Path]:
    """Download Debian's packages for arm64 from the mirror of this machine; it keeps its own lists and settings."""
    for folder in ("lists/partial", "archives/partial", "empty"):
        (apt / folder).mkdir(parents=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(f"deb {_mirror()} {SUITE} main\n")
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Dir::State": apt,
        "Dir::State::lists": apt / "lists",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt,
        "Dir::Cache::archives": apt / "archives",
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": apt / "empty",
        "Dir::Etc::preferencesparts": apt / "empty",
        "Dir::Log": apt,
    }
    (apt / "apt.conf").write_text("".join(f'{name} "{value}";\n' for name, value in settings.items()))
    environment = {**os.environ, "APT_CONFIG": str(apt / "apt.conf"), "LC_ALL": "C"}
    _run("apt-get", "update", "--quiet", environment=environment)
    image = _run("apt-cache", "depends", "linux-image-arm64", environment=environment).split("Depends: ")[1].split()[0]
    get = ("apt-get", "install", "--yes", "--quiet", "--download-only")
    _run(*get, *PACKAGES, environment=environment)
    # Of the kernel's package alone: what it depends on installs it.
    _run("apt-get", "download", "--quiet", image, environment=environment, folder=apt / "archives")
    yield from sorted((apt / "archives").glob("*.deb"))


def _mirror() -> str:
    """Return the address of the Debian mirror that this machine uses, with its key."""
    told = _run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Label: Debian", "Created-By: Packages").split()
    if not told:
        raise CannotBuild("apt has no mirror of Debian here: an image can be built on Debian and Raspberry Pi OS only")
    key = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    return f"[signed-by={key}] {told[0]}" if key.exists() else told[0]


def _modules(kernel: Path, root: Path) -> None:
    modules = next(kernel.glob("usr/lib/modules/*"))
    to = root / modules.relative_to(kernel)
    for name in MODULES:
        shutil.copytree(modules / "kernel" / name, to / "kernel" / name)
    for file in modules.glob("modules.*"):
        shutil.copy(file, to)
    emulated = ("qemu-aarch64-static", "-0", "depmod", "-L", str(root), str(root / "usr/bin/kmod"))
    _run(*emulated, "--basedir", str(root), modules.name)


def _libraries(wheels: Path, opt: Path) -> None:
    """Put pure packages of this environment, and wheels for arm64, into folders of their own."""
    for name in _dependencies():
        distribution = importlib.metadata.distribution(name)
        for file in distribution.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts and file.suffix != ".so":
                to = opt / "site" / file
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(str(file.locate()), to)
    pinned = {one.name.lower(): one for one in _requirements("pi", "pi-lgpio")}
    for wheel in WHEELS:
        asked = pinned.get(wheel)
        _wheel(f"{asked.name}{asked.specifier}" if asked else wheel, wheels)
    for file in sorted(wheels.glob("*.whl")):
        # RPi.GPIO and its drop-in own the same module: which one is found depends on the path.
        with zipfile.ZipFile(file) as archive:
            archive.extractall(opt / ("rpi-lgpio" if "lgpio" in file.name else "site"))
    rpi_gpio = opt / "RPi.GPIO"
    rpi_gpio.mkdir()
    for path in (opt.parent / "usr/lib/python3/dist-packages").glob("RPi*"):
        shutil.move(path, rpi_gpio)


def _wheel(requirement: str, into: Path) -> None:
    platforms = [f"--platform={one}_aarch64" for one in ("manylinux2014", "manylinux_2_17", "manylinux_2_28")]
    versions = [f"--python-version={PYTHON}", "--implementation=cp", f"--abi=cp{PYTHON.replace('.', '')}"]
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", f"--dest={into}"]
    _run(sys.executable, "-m", "pip", "download", *options, *platforms, *versions, "--abi=none", requirement)


def _requirements(*extras: str) -> Iterator[Requirement]:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["optional-dependencies"][extra] for extra in extras] if extras else [project["dependencies"]]
    return (Requirement(text) for group in groups for text in group)


def _dependencies() -> list[str]:
    """Return the installed distributions that the program needs at run time, with those that they need."""
    found: list[str] = []
    wanted = [one.name for one in _requirements()]
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        found.append(name)
        wanted += [
            one.name for one in map(Requirement, needs) if one.marker is None or one.marker.evaluate({"extra": ""})
        ]
    return found


# -- what is ours ------------------------------------------------------------------------------------------------------


def _copy_ours(to: Path) -> None:
    """Bring the copy of our packages up to date, without compiled modules; what is compiled of it stays."""
    kept = set()
    for name in (*OURS, *PACKAGES_OF_TESTS):
        for path in [REPOSITORY / name, *sorted((REPOSITORY / name).rglob("*"))]:
            if not path.is_file() or path.suffix == ".so" or "__pycache__" in path.parts:
                continue
            copy = to / path.relative_to(REPOSITORY)
            kept.add(copy)
            if not copy.exists() or copy.stat().st_mtime_ns != path.stat().st_mtime_ns:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
    for path in to.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and path not in kept:
            path.unlink()
    _as_installed(to)


def _as_installed(to: Path) -> None:
    """Write the distribution's entry points, by which boards and schemes are found."""
    info = to / "lodestone_board.egg-info"
    info.mkdir(parents=True, exist_ok=True)
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    text = "".join(
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in entries.items())
        for group, entries in groups.items()
    )
    (info / "entry_points.txt").write_text(text)
    (info / "PKG-INFO").write_text(f"Metadata-Version: 2.1\nName: lodestone-board\nVersion: {project['version']}\n")


def _compile(root: Path, *folders: Path) -> None:
    """Compile what is new in some folders: the emulated Pi would take minutes for it, at each start."""
    compiling = [*_python(root), "-m", "compileall", "-q", *map(str, folders)]
    subprocess.run(compiling, capture_output=True, check=False)  # Some libraries have files for other Pythons.


def _python(root: Path) -> list[str]:
    """Return this machine's Python of the Pi's version; without one the Pi's own, ten times as slow in emulation."""
    for python in (f"python{PYTHON}", *map(str, Path.home().glob(f".pyenv/versions/{PYTHON}.*/bin/python{PYTHON}"))):
        with contextlib.suppress(OSError):
            if subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0:
                return [python]
    return ["qemu-aarch64-static", "-L", str(root), str(root / f"usr/bin/python{PYTHON}")]


def _run(*command: str, environment: dict[str, str] | None = None, folder: Path | None = None) -> str:
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"{' '.join(command)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


if __name__ == "__main__":
    print(build().disk)
