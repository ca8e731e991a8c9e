"""What is installed, by name: sensor schemes, with the properties that follow from a board's scheme, and back ends."""

from __future__ import annotations

import importlib.metadata
from functools import cache, lru_cache
from typing import Any

from hw.buses import Computer
from hw.circuit import Circuit
from hw.plugins import Plugins
from hw.ports import BoardDescription, HardwareError, OpenBoard, SensorBank
from hw.scheme import Scheme
from hw.wires import Fault, Wired, find_faults

SCHEMES: Plugins[Scheme] = Plugins("lodestone.sensors", "scheme", Scheme)  # type: ignore[type-abstract]


def scheme_of(board: BoardDescription) -> Scheme:
    """Return the scheme of a board. Raise HardwareError when it is unknown or unusable."""
    return SCHEMES.get(board.scheme)


class _Wiring:
    """A board as a key of a cache: its nodes, scheme and pins make its circuit."""

    def __init__(self, board: BoardDescription) -> None:
        self.board = board
        nodes = tuple((node.name, node.channels) for node in board.nodes.values())
        self._own = (board.scheme, board.kind, board.part, nodes, repr(board.pins), repr(board.options))

    def __hash__(self) -> int:
        return hash(self._own)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Wiring) and self._own == other._own


def with_circuit(board: BoardDescription) -> Wired:
    """Return a board with its circuit, which is empty where its scheme can't read its kind."""
    scheme = scheme_of(board)
    try:
        circuit = scheme.circuit(board)
    except (HardwareError, KeyError):  # A kind that no switch reads, or a plan that no microcontroller carries out.
        circuit = Circuit()
    called = {scheme.chip.name: scheme.chip.called.form} if scheme.chip is not None else {}
    return Wired(board, circuit, called, on_pi=not scheme.scans_itself)


@lru_cache(maxsize=2)  # The board at the table, and the one that takes its place: each has a third of a megabyte.
def _faults_of(wiring: _Wiring) -> tuple[Fault, ...]:
    return tuple(find_faults(with_circuit(wiring.board)))


def wire_faults(board: BoardDescription) -> tuple[Fault, ...]:
    """Return all faults of a board's wires and parts, those that concern fewest inputs first."""
    return _faults_of(_Wiring(board))


def inputs_of(board: BoardDescription) -> int:
    """Return the number of inputs that a board uses."""
    return scheme_of(board).inputs_of(board)


def has_switch_pairs(board: BoardDescription) -> bool:
    """Return whether every channel has two inputs, one per pole."""
    return inputs_of(board) == 2 * board.channels


def wiring_error(board: BoardDescription) -> str | None:
    """Return why the board's scheme can't read its kind on its pins; None when it can."""
    scheme = scheme_of(board)
    if board.channel_kind not in scheme.kinds:
        return f"scheme {board.scheme} can't read kind {board.kind}; use {' or '.join(scheme.kinds)}"
    return scheme.wiring_error(board.pins, board.options, scheme.inputs_of(board))


def open_bank(board: BoardDescription, computer: Computer) -> SensorBank:
    """Open the sensors of a board. Raise HardwareError when its wiring does not fit or a part can't be opened."""
    scheme = scheme_of(board)
    why = wiring_error(board)
    if why is not None:
        raise HardwareError(f"{board.name}: {why}")
    return scheme.open(board, computer)


# -- board back ends ---------------------------------------------------------------------------------------------------


GROUP = "lodestone.boards"


@cache
def _entries() -> importlib.metadata.EntryPoints:
    """Return the installed back ends. The search takes longer than reading a board file, so it is done once."""
    return importlib.metadata.entry_points(group=GROUP)


def back_end_names() -> list[str]:
    """Return the names of the installed back ends, sorted."""
    return sorted(_entries().names)


def open_board(description: BoardDescription, **options: Any) -> OpenBoard:
    """Open a board with its back end, which gets ``options`` unchanged. Raise HardwareError for an unknown back end."""
    for entry in _entries():
        if entry.name == description.backend:
            board: OpenBoard = entry.load()(description, **options)
            return board
    raise HardwareError(f"backend: expected one of {', '.join(back_end_names())}, got {description.backend!r}")
