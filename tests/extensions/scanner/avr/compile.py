"""Compiles the Arduino sketch for an ATmega328P with Debian's avr-gcc and Arduino core, as the Arduino IDE does."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

SKETCH = Path(__file__).parents[4] / "firmware_host/extensions/scanner/arduino/lodestone_scanner"
AVR = Path("/usr/share/arduino/hardware/arduino/avr")
CORE = AVR / "cores" / "arduino"
FLAGS = [
    "-mmcu=atmega328p",
    "-DF_CPU=16000000L",
    "-DARDUINO=10819",
    "-DARDUINO_AVR_NANO",
    "-DARDUINO_ARCH_AVR",
    f"-I{CORE}",
    f"-I{AVR / 'variants' / 'eightanaloginputs'}",
    "-Os",
    "-ffunction-sections",
    "-fdata-sections",
]
CXX = ["-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics"]
NEEDED = ("main.cpp", "hooks.c", "wiring.c", "wiring_digital.c", "wiring_analog.c", "new.cpp", "abi.cpp")
CLASSES = ("HardwareSerial.cpp", "HardwareSerial0.cpp", "Print.cpp", "Stream.cpp")


class CompileError(Exception):
    """The compiler's errors."""


def missing() -> str:
    """Return which tools are missing and how to install them; empty when all are there."""
    if shutil.which("avr-g++") is None or not CORE.is_dir():
        return "avr-gcc and Arduino's core are not installed (tests/need-avr)"
    if shutil.which("node") is None or not (Path(__file__).parent / "node_modules" / "avr8js").is_dir():
        return "avr8js is not installed (tests/need-avr)"
    return ""


def compiled(config: str) -> bytes:
    """Return the flash image of the sketch with a ``config.h``. Raise CompileError."""
    return _built(config)[0]


def memory(config: str) -> int:
    """Return the bytes of RAM that the sketch uses, without the stack."""
    return _built(config)[1]


def checked(config: str, *defines: str) -> None:
    """Check the sketch for another core (``ARDUINO_ARCH_ESP32``) with g++ and its stubs. Raise CompileError."""
    with tempfile.TemporaryDirectory(prefix="lodestone-sketch-") as name:
        folder = _laid_out(Path(name), config)
        flags = ["-std=gnu++17", "-Wall", "-Werror", "-fsyntax-only", *(f"-D{one}" for one in defines)]
        _run("g++", *flags, f"-I{Path(__file__).parent / 'elsewhere'}", "sketch.cpp", folder=folder)


def _laid_out(folder: Path, config: str) -> Path:
    for source in SKETCH.iterdir():
        shutil.copy(source, folder)
    (folder / "config.h").write_text(config)
    (folder / "sketch.cpp").write_text('#include <Arduino.h>\n#include "lodestone_scanner.ino"\n')
    return folder


@functools.cache
def _built(config: str) -> tuple[bytes, int]:
    with tempfile.TemporaryDirectory(prefix="lodestone-avr-") as name:
        folder = _laid_out(Path(name), config)
        _run("avr-g++", *FLAGS, *CXX, "-Wall", "-c", "sketch.cpp", "-o", "sketch.o", folder=folder)
        elf = ["sketch.o", *_core(), "-mmcu=atmega328p", "-Wl,--gc-sections", "-o", "sketch.elf"]
        _run("avr-gcc", *elf, folder=folder)
        _run("avr-objcopy", "-O", "binary", "-R", ".eeprom", "sketch.elf", "sketch.bin", folder=folder)
        sizes = subprocess.run(["avr-size", "sketch.elf"], cwd=folder, capture_output=True, text=True, check=True)
        _, data, bss, *_ = map(int, sizes.stdout.splitlines()[1].split()[:3])
        return (folder / "sketch.bin").read_bytes(), data + bss


@functools.cache
def _core() -> list[str]:
    """Compile Arduino's core once per process."""
    folder = Path(tempfile.mkdtemp(prefix="lodestone-avr-core-"))
    for name in (*NEEDED, *CLASSES):
        compiler = ["avr-g++", *CXX] if name.endswith("cpp") else ["avr-gcc", "-std=gnu11"]
        _run(*compiler, *FLAGS, "-w", "-c", str(CORE / name), "-o", f"{name}.o", folder=folder)
    return [str(folder / f"{name}.o") for name in (*NEEDED, *CLASSES)]


def _run(*command: str, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr)
