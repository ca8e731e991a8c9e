"""Which pins a board has to spare, and where its LED is, by what MicroPython says of itself."""

OLDEST = (1, 20)  # "LED" as a pin of every Pico, and crc32 on every port

# Name → (pins that drive, read and pull up; pins that only read, without a pull-up; pins with an ADC; LED)
# 23 to 25 and 29 belong to the Pico itself, or to its radio.
_PICO = (tuple(range(23)) + (26, 27, 28), (), (26, 27, 28), "LED")
BOARDS = {
    "pico": _PICO,
    "pico w": _PICO,
    # 0, 2, 12 and 15 decide how it starts, 1 and 3 are the line to the host, 6 to 11 the flash.
    "esp32": (
        (4, 5, 13, 14, 16, 17, 18, 19, 21, 22, 23, 25, 26, 27, 32, 33),
        (34, 35, 36, 39),
        (32, 33, 34, 35, 36, 39),
        2,
    ),
}


def named(machine: str) -> str:
    """Return the name of a board from what MicroPython calls it: "Raspberry Pi Pico W with RP2040"; else ""."""
    board, _, chip = machine.rpartition(" with ")
    if chip in ("RP2040", "RP2350"):
        return "pico w" if board.endswith(" W") else "pico"
    return "esp32" if chip == "ESP32" else ""


def chosen(name: str, machine: str) -> tuple:
    """Return name and pins of the board that the configuration names, or that this is. Raise ValueError."""
    name = name or named(machine)
    if name not in BOARDS:
        raise ValueError("BOARD: expected %s, got %r; this is %s" % (", ".join(sorted(BOARDS)), name, machine))
    return (name,) + BOARDS[name]


def check_version(version: tuple) -> None:
    """Raise ValueError for a MicroPython that is too old."""
    if version[:2] < OLDEST:
        raise ValueError("needs MicroPython %d.%d or newer, here is %d.%d" % (OLDEST + tuple(version[:2])))
