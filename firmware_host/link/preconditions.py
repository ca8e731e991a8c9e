"""What a computer must have or be set to for a board: one list for each wiring, strip and Raspberry Pi.

Each precondition is set by the installer or the program, looked at by ``lodestone hardware check``, or a missing one is
refused when the board is opened, with a message that names it. ``python -m firmware_host.link.preconditions`` makes the
table of the page about hardware.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hw import pi
from hw.buses import I2C_HZ, SPI_CHUNK
from hw.lights import GPIO, NETWORK, SPI, STRIPS, StripScheme
from hw.pins import number
from hw.ports import ABSENT, BoardDescription, LightsWiring, NodeWiring, StripWiring
from hw.registry import SCHEMES, scheme_of

BEFORE_5, FROM_5, EVERY = "before the 5", "5", "every"
CONFIG = "/boot/firmware/config.txt"
CONFIGS = ("boot/firmware/config.txt", "boot/config.txt")
SOUND_CARDS = Path("proc/asound/cards")
I2C_CLOCK = "sys/class/i2c-adapter/i2c-{bus}/of_node/clock-frequency"
"""The clock of an I2C bus, four bytes of the device tree, which ``dtparam=i2c_arm_baudrate`` sets."""

CLOCKED = ", ".join(one.removeprefix("Raspberry Pi ") for one in pi.CORE_CLOCKS)
"""The models whose SPI clock follows a core clock that changes."""
Missing = Callable[[BoardDescription, Path], str]


@dataclass(frozen=True)
class Precondition:
    """One thing that must be so before a board works."""

    key: str
    needs: str
    """What must be so, in Markdown."""
    concerns: Callable[[BoardDescription], bool]
    on: str = EVERY
    """On which Pi: ``every``, ``5``, ``before the 5``, or a list of models."""
    set_by: str = ""
    """What sets it, in Markdown; empty where only people can."""
    missing: Missing | None = None
    """Return what is missing on a computer below a folder, and what to do; empty where it is met. None: none looks."""
    refusal: str = ""
    """Words of the message with which opening the board is refused; empty where it opens all the same."""

    def is_for(self, model: str) -> bool:
        """Return whether it concerns a model of Pi; an unknown computer is concerned by none of single models."""
        if self.on == EVERY:
            return True
        if self.on in {BEFORE_5, FROM_5}:
            return bool(model) and pi.is_pi5(model) is (self.on == FROM_5)
        return any(model.startswith(f"Raspberry Pi {one}") for one in self.on.split(", "))


def analogue_sound(root: Path) -> str:
    """Return the name of the sound card that uses the PWM of a Pi before the 5; empty without one.

    The kernel's snd_bcm2835 calls it "bcm2835 Headphones", older ones "bcm2835 ALSA"; its HDMI cards use no PWM.
    """
    try:
        text = (root / SOUND_CARDS).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"bcm2835 (Headphones|ALSA)", text)
    return found[0] if found and not pi.is_pi5(pi.model(root)) else ""


def missing_core_clock(root: Path) -> tuple[str, ...]:
    """Return the lines that config.txt lacks for pixels on the SPI bus of this Pi; empty where none is needed.

    Any ``core_freq`` or ``core_freq_min`` of one's own counts: whoever writes it knows why.
    """
    needed = pi.core_clock(root)
    for config in CONFIGS:
        try:
            text = (root / config).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        return () if re.search(r"^\s*core_freq(_min)?\s*=", text, re.MULTILINE) else needed
    return needed


def i2c_hertz(bus: int, root: Path) -> int:
    """Return the clock of an I2C bus as the device tree has it, Hz; 0 where that can't be read."""
    try:
        read = (root / I2C_CLOCK.format(bus=bus)).read_bytes()
    except OSError:
        return 0
    return int.from_bytes(read, "big") if len(read) == 4 else 0


def strips(board: BoardDescription, over: str) -> list[StripWiring]:
    """Return the strips of a board that are sent to in a way: ``gpio``, ``spi`` or ``network``."""
    return [one for one in board.lights.strips if one.over == over] if board.lights.has_strips else []


def _kind(strip: StripWiring) -> StripScheme:
    return STRIPS.get(strip.scheme)


def spi_buses(board: BoardDescription) -> set[int]:
    """Return the SPI buses that a board uses."""
    found = {bus for strip in strips(board, SPI) if (bus := _kind(strip).bus(strip)) is not None}
    own = board.options.get("spi_bus")
    return found | ({own} if isinstance(own, int) else set())


def pulse_strips(board: BoardDescription) -> list[StripWiring]:
    """Return the strips over SPI whose bits are lengths of pulses; those with a clock line bear any rate."""
    return [one for one in strips(board, SPI) if "clock" not in _kind(one).inputs]


def _device(board: BoardDescription) -> str:
    return str(board.options.get("device", ""))


def _on_uart(board: BoardDescription) -> bool:
    return re.match(r"/dev/(serial|ttyAMA|ttyS)\d", _device(board)) is not None


def _core_clock(board: BoardDescription, root: Path) -> str:
    lines = missing_core_clock(root)
    if not lines:
        return ""
    return (
        f"{pulse_strips(board)[0].pin} is driven by SPI, whose clock follows the core clock on a {pi.model(root)}: run "
        f"install.sh, or write {' and '.join(lines)} at the end of {CONFIG}, and restart"
    )


def _i2c_clock(board: BoardDescription, root: Path) -> str:
    bus = number(board.options, "i2c_bus")
    hertz = i2c_hertz(bus, root)
    if not hertz or hertz >= I2C_HZ:
        return ""
    return (
        f"the I2C bus {bus} runs at {hertz / 1000:g} kHz, {board.scheme} reckons with {I2C_HZ / 1000:g} kHz: run "
        f"install.sh --i2c yes, or write dtparam=i2c_arm_baudrate={I2C_HZ} at the end of {CONFIG}, and restart"
    )


def _sound(board: BoardDescription, root: Path) -> str:
    sound = analogue_sound(root)
    pins = [one.pin for one in strips(board, GPIO) if one.pin in pi.PWM_PINS]
    if not sound or not pins:
        return ""
    return (
        f"{pins[0]} is driven by PWM, which the analogue sound ({sound}) disturbs: run install.sh, or write "
        f"dtparam=audio=off at the end of {CONFIG}, and restart"
    )


def _console(board: BoardDescription, root: Path) -> str:
    try:
        found = re.search(r"\bconsole=((serial|ttyAMA|ttyS)\d+)", (root / "proc/cmdline").read_text(encoding="utf-8"))
    except OSError:
        return ""
    if found is None:
        return ""
    return (
        f"the system's console ({found[1]}) writes on the serial port of {_device(board)}: run install.sh --uart yes, "
        "or sudo raspi-config nonint do_serial_cons 1, and restart"
    )


PRECONDITIONS = (
    Precondition(
        "library", "the GPIO library that fits this Pi, and only one",
        lambda board: bool(board.pins), set_by="`make setup`, `install.sh`", refusal="no GPIO library is installed",
    ),
    Precondition(
        "folder", "`LG_WD`: a folder in which lgpio may make its file",
        lambda board: bool(board.pins), set_by="the program", refusal="set LG_WD to a folder",
    ),
    Precondition(
        "pins", "pins that nothing else has taken: SPI that is on takes GPIO 7 and 8 (bus 1: 17 and 18)",
        lambda board: bool(board.pins), refusal="can't be set up",
    ),
    Precondition(
        "spi 0", "SPI on: `dtparam=spi=on`, and the group `spi`",
        lambda board: 0 in spi_buses(board), set_by="`install.sh --spi yes`", refusal="dtparam=spi=on",
    ),
    Precondition(
        "spi 1", "the second SPI bus: `dtoverlay=spi1-2cs`",
        lambda board: 1 in spi_buses(board), set_by="`install.sh --board`", refusal="dtoverlay=spi1-2cs",
    ),
    Precondition(
        "core clock", "a steady core clock: `core_freq=250`; on a Pi 4 `core_freq=500`, `core_freq_min=500`",
        lambda board: bool(pulse_strips(board)), on=CLOCKED,
        set_by="`install.sh --board`", missing=_core_clock,
    ),
    Precondition(
        "frame", f"a buffer for a whole frame of more than {SPI_CHUNK} bytes: `spidev.bufsiz=32768`",
        lambda board: any(_kind(one).spi_bytes(one) > SPI_CHUNK for one in pulse_strips(board)),
        set_by="`install.sh --spi yes`", refusal="spidev.bufsiz=32768",
    ),
    Precondition(
        "i2c", "I2C on: `dtparam=i2c_arm=on`, and the group `i2c`",
        lambda board: "i2c_bus" in board.options,
        set_by="`install.sh --i2c yes`", refusal="dtparam=i2c_arm=on",
    ),
    Precondition(
        "i2c clock", "the I2C bus at 400 kHz: `dtparam=i2c_arm_baudrate=400000`",
        lambda board: "i2c_bus" in board.options, set_by="`install.sh --i2c yes`", missing=_i2c_clock,
    ),
    Precondition(
        "console", "the serial port on, its console off", _on_uart,
        set_by="`install.sh --uart yes`", missing=_console,
    ),
    Precondition(
        "dialout", "the group `dialout`, and no ModemManager on the port",
        lambda board: bool(board.scheme) and scheme_of(board).scans_itself and _device(board).startswith("/"),
        set_by="`install.sh`", refusal="dialout",
    ),
    Precondition(
        "pixel pins", "a pin with PWM or PCM, and one strip on such a pin at most",
        lambda board: bool(strips(board, GPIO)), on=BEFORE_5, refusal="can drive pixels on",
    ),
    Precondition(
        "root", "root: PWM and PCM are reached through `/dev/mem`",
        lambda board: bool(strips(board, GPIO)), on=BEFORE_5, set_by="`install.sh --board`", refusal="run as root",
    ),
    Precondition(
        "sound", "no analogue sound: `dtparam=audio=off`",
        lambda board: any(one.pin in pi.PWM_PINS for one in strips(board, GPIO)), on=BEFORE_5,
        set_by="`install.sh --board`", missing=_sound,
    ),
    Precondition(
        "revision", "a revision that rpi_ws281x knows",
        lambda board: bool(strips(board, GPIO)), on=BEFORE_5, refusal="does not know this",
    ),
    Precondition(
        "pio", "`/dev/pio0`, open to the group `gpio`",
        lambda board: bool(strips(board, GPIO)), on=FROM_5, set_by="`install.sh`", refusal="/dev/pio0",
    ),
    Precondition(
        "controller", "a WLED in the same network, with as many pixels",
        lambda board: bool(strips(board, NETWORK)), refusal="no WLED answers",
    ),
)  # fmt: skip


def settings(board: BoardDescription) -> list[tuple[str, str, str, str]]:
    """Return what a board needs: what must be so, on which Pi, what sets it, how it shows that it is missing."""
    return [
        (one.needs, one.on, one.set_by or "–", _notice_words(one, "the board does not open"))
        for one in PRECONDITIONS
        if one.concerns(board)
    ]


def of_board(board: BoardDescription, model: str) -> list[Precondition]:
    """Return what a board needs on a model of Pi (empty: another computer)."""
    return [one for one in PRECONDITIONS if one.is_for(model) and one.concerns(board)]


def missing(board: BoardDescription, root: Path = pi.ROOT) -> list[tuple[str, str]]:
    """Return key and words of each precondition that can be looked at and is not met; none for simulated boards."""
    if board.backend == "sim":
        return []
    found = [(one.key, one.missing(board, root)) for one in of_board(board, pi.model(root)) if one.missing]
    return [(key, words) for key, words in found if words]


def ways() -> Iterator[tuple[str, str, BoardDescription]]:
    """Yield each installed way to wire sensors or pixels: its name, where it hangs, and a board without more."""
    nodes = {"a": NodeWiring("a", 0, 0, 0.0, 0.0)}
    dark = LightsWiring((StripWiring(over=ABSENT),))
    for name, scheme in SCHEMES.usable().items():
        options = {key: option.default for key, option in scheme.options.items()}
        sensing = scheme.kinds[0]
        pins = scheme.example(scheme.inputs(1, sensing)) or {}
        plain = BoardDescription("usual", "", "gpio", sensing, name, nodes, pins, dark, options=options)
        yield name, "", plain
        if "spi_bus" in options:
            yield name, "with `spi_bus = 1`", replace(plain, options={**options, "spi_bus": 1})
        if scheme.scans_itself:
            yield name, "on GPIO 14 and 15", replace(plain, options={**options, "device": "/dev/serial0"})
    plain = BoardDescription("usual", "", "gpio", "", "", nodes, {}, dark)
    for name, kind in STRIPS.usable().items():
        places = [(SPI, f"D{pin}", length) for pin in kind.spi_pins for length in (12, 200) if SPI in kind.over]
        places += [(GPIO, pin, 12) for pin in ("D21", "D18") if GPIO in kind.over]
        places += [(NETWORK, "", 12)] if NETWORK in kind.over else []
        for over, pin, length in places:
            where = {"D21": "on pins", "D18": "on pins with PWM", "": ""}.get(pin, f"on `{pin}`")
            strip = StripWiring(pin, length, kind.orders[0], over, name)
            long = " with 200 pixels" if length > 100 else ""
            yield name, where + long, replace(plain, lights=LightsWiring((strip,)))


def ways_concerned(one: Precondition) -> str:
    """Return the ways that a precondition concerns, in Markdown: each at the first place where it does."""
    found: dict[str, str] = {}
    for name, where, board in ways():
        if one.concerns(board):
            found.setdefault(name, where)
    by_place = defaultdict[str, list[str]](list)
    for name, where in found.items():
        by_place[where].append(f"`{name}`")
    return "; ".join(f"{', '.join(names)} {where}".rstrip() for where, names in by_place.items())


def table() -> str:
    """Return all preconditions as a Markdown table."""
    rows = ["| what must be so | for | Pi | set by | missing, it is |", "|---|---|---|---|---|"]
    for one in PRECONDITIONS:
        rows.append(f"| {one.needs} | {ways_concerned(one)} | {one.on} | {one.set_by or '–'} | {_notice_words(one)} |")
    return "\n".join(rows)


def _notice_words(one: Precondition, refused: str = "refused") -> str:
    """Return the words on how people notice that it is not met."""
    noticed = [f'{refused}: "{one.refusal}"'] if one.refusal else []
    return "; ".join([*noticed, *(["`hardware check` says so"] if one.missing else [])])


if __name__ == "__main__":
    print(table())
