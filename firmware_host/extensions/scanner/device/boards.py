"""Usable pins and the LED of each supported board, choose_board by the name that MicroPython reports."""

OLDEST = (1, 20)  # "LED" as a pin of every Pico, and crc32 on every port

# Name → (pins with output, input and pull-up; pins with input only; pins with an ADC; LED)
# 23 to 25 and 29 belong to the Pico itself, or to its radio.
_PICO = (tuple(range(23)) + (26, 27, 28), (), (26, 27, 28), "LED")
# 0, 2, 12 and 15 select the boot mode, 1 and 3 are the line to the host, 6 to 11 the flash; a WROVER's memory (PSRAM)
# is at 16 and 17.
_WROVER = (4, 5, 13, 14, 18, 19, 21, 22, 23, 25, 26, 27, 32, 33)
_READ_ONLY = (34, 35, 36, 39)
BOARDS = {
    "pico": _PICO,
    "pico w": _PICO,
    "esp32": (tuple(sorted(_WROVER + (16, 17))), _READ_ONLY, (32, 33) + _READ_ONLY, 2),
    "esp32 wrover": (_WROVER, _READ_ONLY, (32, 33) + _READ_ONLY, 2),
}


def board_name(machine: str) -> str:
    """Return a board's name for MicroPython's "Raspberry Pi Pico W with RP2040"; "" for an unknown board."""
    board, _, chip = machine.rpartition(" with ")
    if chip in ("RP2040", "RP2350"):
        return "pico w" if board.endswith(" W") else "pico"
    if chip != "ESP32":
        return ""
    return "esp32 wrover" if "SPIRAM" in board else "esp32"


def choose_board(name: str, machine: str) -> tuple:
    """Return name and pins of the configured board, else of this board. Raise ValueError for an unknown one."""
    found = board_name(machine)
    name = found if not name or (name, found) == ("esp32", "esp32 wrover") else name
    if name not in BOARDS:
        raise ValueError("BOARD: expected %s, got %r; this is %s" % (", ".join(sorted(BOARDS)), name, machine))
    return (name,) + BOARDS[name]


def check_version(version: tuple) -> None:
    """Raise ValueError for a MicroPython that is too old."""
    if version[:2] < OLDEST:
        raise ValueError("needs MicroPython %d.%d or newer, here is %d.%d" % (OLDEST + tuple(version[:2])))
