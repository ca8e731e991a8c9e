"""Boards that are soldered otherwise than their file says: each miswiring is found or explained by the check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from firmware_host.extensions.workshop.checking import (
    BAD,
    BoardReport,
    ColourWizard,
    EmptyBoard,
    colour_items,
    configuration_items,
    failure_report,
    merge_items,
    nearest,
    rest_items,
    stone_items,
    stones_wizard,
    wiring_items,
)
from hw.pins import EXAMPLES, pin_list
from hw.ports import BoardDescription, HardwareError, LightsWiring, StripWiring, configuration_of
from lodestone.boards import Clock
from simulator.board import SimulatedBoard
from simulator.hand import Hand
from simulator.helper import Helper
from tests.extensions.workshop.workshop import PATIENCE, SCAN_S
from tests.sampling import cases, few
from tests.schemes import FOUND, carries, described, there

PIXELS = "GRB"


def planned(scheme: str, kind: str | None = None) -> BoardDescription:
    kind = kind or FOUND[scheme].kinds[0]
    most = (10,) if FOUND[scheme].measures_levels else (20, 12)  # Each bit of a converter's answers takes its time.
    board = described(scheme, kind, next(count for count in most if carries(FOUND[scheme], kind, count)))
    return replace(board, lights=LightsWiring((StripWiring(length=len(board.nodes), order=PIXELS),)))


def miswirings(board: BoardDescription) -> Iterator[tuple[str, BoardDescription]]:
    """Yield twenty ways and more to solder a board wrongly: pins, selects, addresses, sensors, pixels, colours."""
    names = list(board.pins)
    flat = [(name, at) for name in names for at in range(len(pin_list(board.pins, name)))]

    def with_pins(changes: dict[tuple[str, int], int]) -> BoardDescription:
        pins = {}
        for name in names:
            own = [changes.get((name, at), pin) for at, pin in enumerate(pin_list(board.pins, name))]
            pins[name] = own[0] if isinstance(board.pins[name], int) else tuple(own)
        return replace(board, pins=pins)

    def pin(one: tuple[str, int]) -> int:
        return pin_list(board.pins, one[0])[one[1]]

    free = [one for one in EXAMPLES if one not in {pin(each) for each in flat}]
    pairs = [(one, other) for at, one in enumerate(flat) for other in flat[at + 1 :]]
    for one, other in pairs[:: max(1, len(pairs) // 6)][:6]:
        yield f"{one} and {other} exchanged", with_pins({one: pin(other), other: pin(one)})
    for one in flat[:: max(1, len(flat) // 4)][:4]:
        if free:
            yield f"{one} on another pin", with_pins({one: free[0]})
    for option, value in board.options.items():
        if option in {"address", "i2c_bus", "spi_bus", "spi_device"} and isinstance(value, int):
            for further in (1, 2, 3) if option == "address" else (1,):
                other = value + further if option == "address" else 1 - value
                yield f"{option} {other:#x}", replace(board, options={**board.options, option: other})
    nodes = list(board.nodes)
    for at in (1, len(nodes) // 2, len(nodes) - 2):
        pair = {nodes[at]: nodes[at + 1], nodes[at + 1]: nodes[at]}
        crossed = {
            name: replace(node, channel=board.nodes[pair.get(name, name)].channel) for name, node in board.nodes.items()
        }
        yield f"sensors {at} and {at + 1} exchanged", replace(board, nodes=crossed)
    for count, step in ((2, 1), (3, 2), (8, 1), (len(nodes), 1), (len(nodes), 3)):
        moved = {
            name: replace(board.nodes[name], channel=(at + step) % count) if at < count else board.nodes[name]
            for at, name in enumerate(nodes)
        }
        yield f"{count} sensors {step} further", replace(board, nodes=moved)
    for away, what in ((len(nodes) // 2, "both halves"), (1, "each pair")):
        other = [at + away if at // away % 2 == 0 else at - away for at in range(len(nodes))]
        moved = {name: replace(board.nodes[name], channel=other[at]) for at, name in enumerate(nodes)}
        yield f"{what} of sensors exchanged", replace(board, nodes=moved)
    turned = {name: replace(board.nodes[name], channel=len(nodes) - 1 - at) for at, name in enumerate(nodes)}
    yield "all sensors in reverse", replace(board, nodes=turned)
    for count in (2, 3, 5, len(nodes)):
        lit = {
            name: replace(board.nodes[name], pixel=count - 1 - at) if at < count else board.nodes[name]
            for at, name in enumerate(nodes)
        }
        yield f"{count} pixels in reverse", replace(board, nodes=lit)
    for order in ("RGB", "BRG", "BGR", "GBR"):
        yield (
            f"colours in the order {order}",
            replace(board, lights=LightsWiring((StripWiring(length=len(nodes), order=order),))),
        )
    if "microcontroller" in board.options:
        from firmware_host.extensions.scanner.configuration import digest_of  # noqa: PLC0415 - it may be deleted

        for machine, chip in (("esp32", "74hc165"), ("pico", "4067"), ("esp32", "4067")):
            other = replace(board, options={**board.options, "microcontroller": machine, "chip": chip})
            # Linear sensors hang on 4067s alone: of some kinds this is the very board, or none.
            if digest_of(other) not in {"", digest_of(board)}:
                yield f"the scanner configured for {chip} on a {machine}", other
    yield (
        "the strip on another pin",
        replace(board, lights=LightsWiring((StripWiring(pin="D21", length=len(nodes), order=PIXELS),))),
    )


def checked(board: BoardDescription, soldered: BoardDescription) -> BoardReport:
    """Return the report of a check with stones, on a clock of its own; a hand follows the light that it sees."""
    clock = Clock()
    try:
        parts = SimulatedBoard(board, clock, soldered=soldered, is_stepped=True)
        bank, strip = parts.sensors(), parts.strip()
        touch, colours = EmptyBoard(board.kind, board.channels), ColourWizard(board)
        wizard = stones_wizard(board, PATIENCE)
        for _ in range(100):
            clock.now += SCAN_S
            touch.feed(bank.scan(), clock.now)
        while not colours.is_done:
            lights = colours.lights
            strip.show([lights[pixel] for pixel in range(strip.length)])
            assert colours.say(nearest(parts.shown_colour()))
        helper = Helper(Hand(parts.world, "helper", sleep=lambda _: None), 0.03, clock=clock, lit_node=parts.lit_node)
        while not wizard.is_done:
            assert clock.now < 600, "the check does not end"
            clock.now += SCAN_S
            wizard.feed(bank.scan(), clock.now)
            lit = wizard.lights
            strip.show([lit.get(pixel, (0, 0, 0)) for pixel in range(strip.length)])
            helper.attend(wizard.tasks)
            helper.work()
    except HardwareError as error:
        return failure_report(board, str(error))
    found = [*rest_items(board, touch), *colour_items(board, colours.seen), *wiring_items(board, wizard)]
    found += configuration_items(configuration_of(bank))
    return BoardReport(board, merge_items([*found, *stone_items(board, wizard)]))


KEPT = "4067" if "4067" in FOUND else "74hc165"
SHARES = 3
"""Tests among which a scheme's miswirings are shared: a converter's take minutes on a busy machine."""


@pytest.mark.parametrize(
    ("scheme", "kind", "share"),
    cases(
        [(scheme, kind, share) for scheme in FOUND for kind in FOUND[scheme].kinds for share in range(SHARES)],
        *[(KEPT, FOUND[KEPT].kinds[0], share) for share in range(SHARES)],
        *[(KEPT, kind, 0) for kind in FOUND[KEPT].kinds[1:]],
    ),
)
def test_every_miswiring_is_found(scheme: str, kind: str, share: int) -> None:
    board = planned(scheme, kind)
    assert checked(board, board).good, checked(board, board).text()
    every = list(miswirings(board))
    assert len(every) >= 20
    unseen = []
    for what, soldered in every[share::SHARES]:
        report = checked(board, soldered)
        if report.good:
            unseen.append(what)
        assert all(item.text for item in report.items if item.state == BAD)
    assert unseen == []


@pytest.mark.parametrize(
    ("scheme", "change", "words"),
    few(
        there(
            [
                ("4067", {"select": (6, 5, 13, 19)}, "the select lines S0 and S1 are exchanged"),
                ("4067", {"common": (20, 16)}, "multiplexer 1 of 2 and multiplexer 2 of 2 are exchanged"),
                ("74hc165", {"load": 6, "clock": 5}, ""),
                ("74hc165", {"data": 26}, "every sensor reads a stone: the chain's data line (GPIO13)"),
            ]
        ),
        2,
    ),
)
def test_exchanged_wires_are_explained(scheme: str, change: dict[str, object], words: str) -> None:
    board = planned(scheme)
    if "common" in change:
        change = {"common": tuple(reversed(pin_list(board.pins, "common")))}
    report = checked(board, replace(board, pins={**board.pins, **change}))
    assert not report.good
    assert words in report.text()


@pytest.mark.parametrize(("order", "told"), [("RGB", 'order = "RGB"'), ("BRG", 'order = "BRG"')])
def test_the_right_order_of_the_colours_is_told(order: str, told: str) -> None:
    board = planned("74hc165")
    lights = LightsWiring((StripWiring(length=len(board.nodes), order=order),))
    assert told in checked(board, replace(board, lights=lights)).text()
