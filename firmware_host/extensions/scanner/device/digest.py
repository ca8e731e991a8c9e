"""The digest of a scanner's configuration: by it the host knows whether the scanner reads the board file's pins.

scanner-protocol.md describes it. The host computes it with this module, too, from the board file.
"""

from binascii import crc32

# Kinds of readings, in the order of their numbers in a hello.
KINDS = ("presence", "polarity", "level")
CHIPS = ("74hc165", "4067", "matrix", "direct")
# Chip → its lists of pins, in the order of the digest.
WIRES = {
    "74hc165": ("load", "clock", "data"),
    "4067": ("select", "common", "enable"),
    "matrix": ("rows", "columns"),
    "direct": ("inputs",),
}


def digest(nodes: int, kind: str, chip: str, pins: dict) -> str:
    """Return eight hexadecimal digits for the number of nodes, their kind, the chip and its pins."""
    content = bytearray(nodes.to_bytes(2, "big"))
    content.append(KINDS.index(kind))
    content.append(CHIPS.index(chip) + 1)
    for name in WIRES[chip]:
        listed = pins.get(name, ())
        listed = listed if isinstance(listed, (tuple, list)) else (listed,)
        content.append(len(listed))
        content.extend(bytes(listed))
    return "%08x" % (crc32(content) & 0xFFFFFFFF)
