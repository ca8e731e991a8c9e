"""Names of a circuit's parts, as they are printed beside them: ``U3``, ``C12``. The same on all papers of a board.

They follow from the circuit alone: the parts list, wiring tables, our schematic, KiCad's project and a strip's circuit
board name a part alike. A circuit board that is made many times has names of its own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from firmware_host.extensions.maker.netlist import CONNECTOR
from firmware_host.extensions.maker.packages import HEADER
from hw.circuit import CAPACITOR, DIODE, FUSE, HALL, RESISTOR, SWITCH, Block, Circuit, Part, Pole

LETTERS = {RESISTOR: "R", CAPACITOR: "C", DIODE: "D", SWITCH: "SW", HALL: "U", FUSE: "F"}
"""Kind of a part with poles → first letters of its name (IEEE 315)."""
CHIP, PIXEL, PLUG = "U", "LED", "J"


def keys_of(circuit: Circuit) -> list[str]:
    """Return what tells each part from all others: what it is and where it belongs. Blocks first, then poles."""
    found: list[str] = []
    counted: Counter[str] = Counter()
    for part in circuit.parts:
        key = part.name if isinstance(part, Block) else _key(part)
        counted[key] += 1
        found.append(f"{key} #{counted[key]}" if counted[key] > 1 else key)
    return found


def _key(pole: Pole) -> str:
    return f"{pole.kind} {pole.value} {pole.place}"


def names_of(circuit: Circuit, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the key of each part → its name, in the order of :func:`keys_of`.

    Parts whose keys are in ``known`` keep their names there; the others are numbered behind all of those.
    """
    known = known or {}
    counted: Counter[str] = Counter()
    for name in known.values():
        letters, number = split(name)
        counted[letters] = max(counted[letters], number)
    found: dict[str, str] = {}
    for key, part in zip(keys_of(circuit), circuit.parts, strict=True):
        if key not in known:
            letters = _letters(part)
            counted[letters] += 1
        found[key] = known.get(key) or f"{letters}{counted[letters]}"
    return found


def names_by_part(circuit: Circuit) -> dict[int, str]:
    """Return the ``id`` of each part → its name: equal parts, two capacitors of a rail say, have a name each."""
    return dict(zip(map(id, circuit.parts), names_of(circuit).values(), strict=True))


def _letters(part: Part) -> str:
    if isinstance(part, Pole):
        return LETTERS[part.kind]
    if part.part.startswith(HEADER) or part.part == CONNECTOR:
        return PLUG
    return PIXEL if part.group else CHIP


def split(name: str) -> tuple[str, int]:
    """Return the letters and the number of a part's name."""
    found = re.fullmatch(r"([A-Z]+)(\d+)", name)
    if found is None:
        raise ValueError(f"expected the name of a part, such as U3, got {name!r}")
    return found[1], int(found[2])


def spans(names: Iterable[str]) -> str:
    """Return names in one line, neighbours joined: ``C1 to C45, C52``."""
    numbers = defaultdict[str, list[int]](list)
    for letters, number in map(split, names):
        numbers[letters].append(number)
    return ", ".join(text for letters, all_ in numbers.items() for text in _spans(letters, sorted(all_)))


def _spans(letters: str, numbers: list[int]) -> Iterator[str]:
    begin = before = numbers[0]
    for number in (*numbers[1:], -1):
        if number == before + 1:
            before = number
            continue
        if begin == before:
            yield f"{letters}{begin}"
        else:
            yield f"{letters}{begin}{' to ' if before > begin + 1 else ', '}{letters}{before}"
        begin = before = number
