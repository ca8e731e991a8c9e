"""``lodestone hardware prove``: what docs/verified.md leaves to a real board, measured on this one in fifteen minutes.

It walks through the proofs, tells what it finds, and writes one text file to send in. The file names the model, kernel
and libraries, the wiring and its parts, and what was measured and seen: no account, address, code or place.
"""

from __future__ import annotations

import getpass
import importlib.metadata
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from firmware_host.archive.files import check_output, write_output
from firmware_host.extensions.workshop.checking import COLOURS, EmptyBoard, ask_colours, computer_items, rest_items
from firmware_host.extensions.workshop.measure import figures
from firmware_host.extensions.workshop.terminal import Keyboard, Opened
from firmware_host.extensions.workshop.wizard import ASKED, FELT, LEVEL_STEP, Task, TouchSensing, put, take
from firmware_host.table.lights import OFF, WHITE
from firmware_host.text.words import Refused
from hw import pi
from hw.lights import NETWORK, STRIPS
from hw.ports import BoardDescription, HardwareError, NodeWiring, OpenBoard, line_of
from hw.registry import open_board
from hw.sensor_parts import PARTS

NOT_ASKED = "not asked: nobody was there to answer"
NOT_TRIED = "not tried"
NO_LIGHTS = "no lights: the places can't be shown"
PUBLIC = re.compile(r"settle_us|scan_hz|spi_\w+|i2c_bus|rate|baud|microcontroller|gain|period_ms")
"""Options of a scheme that may be told: none names a device, an address or a code."""
Reopen = Callable[[BoardDescription], OpenBoard]


@dataclass(frozen=True)
class Times:
    """How long each proof takes, seconds, and how many nodes get a stone."""

    rest_s: float = 30.0
    frames_s: float = 10.0
    wait_s: float = 60.0
    """As long it waits for a stone."""
    taps_s: float = 20.0
    cards_s: float = 180.0
    nodes: int = 8
    taps: int = 10
    flashes: int = 20
    flash_s: float = 0.5
    """As long it waits for a flash that a sensor sees."""


QUICK = Times(rest_s=1.0, frames_s=0.5, wait_s=8.0, taps_s=6.0, nodes=3, taps=3)
"""For a simulated board, whose hand is quick."""


@dataclass(frozen=True)
class ProofStep:
    """One step: its title, what it proves, and how."""

    title: str
    claim: str
    """The words with which its row of docs/verified.md begins."""
    run: Callable[[Prover], Iterator[str]]


class Prover:
    """An open board, and who answers: a person at the terminal, the simulated hand, or nobody."""

    def __init__(self, board: Opened, reopen: Reopen, times: Times, keys: Keyboard, *, asks: bool) -> None:
        """``asks`` is whether somebody reads and answers."""
        self.board, self.reopen, self.times, self.keys, self.asks = board, reopen, times, keys, asks
        self.description, self.parts = board.description, board.parts
        self.touch = TouchSensing(self.description.channel_kind, self.description.channels)
        self.typed: str | None = None
        """The line that ended the last watch."""
        self._steps = 0

    @property
    def has_hands(self) -> bool:
        """Whether somebody puts stones."""
        return self.asks or self.board.helped

    def tell(self, words: str) -> None:
        """Tell the person what to do."""
        if self.asks:
            print(words, flush=True)

    def ask(self, question: str) -> str:
        """Return a person's answer in one line; without one :data:`NOT_ASKED`."""
        if not self.asks:
            return NOT_ASKED
        print(question, flush=True)
        while True:
            answer = self.keys.line(0.2)
            if answer is not None:
                return answer.strip()[:80] or "no answer"

    def light(self, pixels: Sequence[int] = (), colour: tuple[int, int, int] = ASKED) -> None:
        """Light these pixels and no others."""
        frame = [OFF] * self.parts.strip.length
        for pixel in pixels:
            frame[pixel] = colour
        self.parts.strip.show(frame)

    def watch(self, seconds: float, until: Callable[[], bool] = lambda: False) -> Iterator[tuple[float, Sequence[int]]]:
        """Yield scans with their times for so long, or until something is so; a typed line ends it."""
        period, began = 1.0 / self.description.scan_hz, time.monotonic()
        while (now := time.monotonic()) - began < seconds and not until():
            readings = self.parts.sensors.scan()
            self.touch.feed(readings, now)
            yield now, readings
            self.typed = self.keys.line(max(0.0, now + period - time.monotonic()))
            if self.typed is not None:
                return

    def wait(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Feel the board for so long, as :meth:`watch` does, without a look at single scans."""
        for _ in self.watch(seconds, until):
            pass

    def hand(self, task: Task) -> None:
        """Let the simulated hand do a task."""
        if self.board.helped and self.parts.attend is not None:
            self.parts.attend([task])

    def step(self) -> str:
        """Return a name for the next task."""
        self._steps += 1
        return f"prove {self._steps}"


def spread(board: BoardDescription, most: int) -> list[str]:
    """Return nodes from all over a board, at most so many."""
    nodes = list(board.nodes)
    return nodes[:: max(1, len(nodes) // most)][:most]


# -- the proofs --------------------------------------------------------------------------------------------------------


def _computer(prover: Prover) -> Iterator[str]:
    items = computer_items(prover.description)
    yield from (f"missing: {item.text}" for item in items)
    if not items:
        yield "nothing is missing of what can be looked at (firmware_host/extensions/workshop/hardware.md)"


def _scans(prover: Prover) -> Iterator[str]:
    for one in figures(prover.board, None):
        yield f"{one.name}: {one.value:.4g} {one.unit}".rstrip()


def _rest(prover: Prover) -> Iterator[str]:
    prover.tell("Take everything off the board, and leave it alone.")
    prover.light()
    prover.ask("Press Enter when it is empty.")
    columns: list[set[int]] = [set() for _ in range(prover.description.channels)]
    times = []
    empty = EmptyBoard(prover.description.channel_kind, prover.description.channels)
    for now, readings in prover.watch(prover.times.rest_s):
        times.append(now)
        empty.feed(readings, now)
        for column, reading in zip(columns, readings, strict=True):
            column.add(reading)
    gaps = [other - one for one, other in pairwise(times)]
    period = 1.0 / prover.description.scan_hz
    yield f"{len(times)} scans, {sum(gap > 2 * period for gap in gaps)} of them late by a period or more"
    widest = [max(column) - min(column) for column in columns]
    yield f"range of a reading at rest: {statistics.median(widest):g} in the middle, {max(widest)} at most"
    bad = [item.text for item in rest_items(prover.description, empty) if item.state == "bad"]
    yield from bad
    line = line_of(prover.parts.sensors)
    if line is not None:
        yield f"frames of the scanner: {line.good} whole, {line.damaged} damaged, {line.missing} missing"


def _frames(prover: Prover) -> Iterator[str]:
    if not prover.description.lights.has_strips:
        yield NO_LIGHTS
        return
    wire = sum(STRIPS.get(one.scheme).frame_us(one) for one in prover.description.lights.strips) / 1000
    prover.tell("Look at the lights: one white light runs along the strip again and again.")
    length, refused = prover.parts.strip.length, 0
    sent: list[float] = []
    began = time.monotonic()
    while time.monotonic() - began < prover.times.frames_s:
        at = time.perf_counter()
        try:
            prover.light([len(sent) % length], WHITE)
        except HardwareError:
            refused += 1
        sent.append(1000 * (time.perf_counter() - at))
        time.sleep(0.01)
    prover.light()
    yield f"{len(sent)} frames, {refused} refused; one takes {wire:.2f} ms on the wire"
    yield f"sending one: {statistics.median(sent):.2f} ms in the middle, {max(sent):.2f} ms at most"
    yield "seen: " + prover.ask("Did it run evenly, one light at a time, without other colours? (yes, or what you saw)")


def _time_frames(prover: Prover) -> Iterator[str]:
    """Time frames by a light sensor at a node's input: from sending a frame to the scan that shows its light."""
    if not prover.description.lights.has_strips:
        yield NO_LIGHTS
        return
    name = spread(prover.description, 1)[0]
    node = prover.description.nodes[name]
    prover.light()
    answer = prover.ask(
        f"If you have a phototransistor (BPW85 or alike): solder its collector to the input of {name}, in place of the "
        f"sensor's output, its emitter to ground, and hold it on the window of {name}, where no other light falls. "
        "Press Enter when it is there; type no to leave this out."
    )
    if answer == NOT_ASKED or answer.lower() in {"n", "no"}:
        yield NOT_ASKED if answer == NOT_ASKED else NOT_TRIED
        return
    others = [one.pixel for one in prover.description.nodes.values() if one is not node]
    seen, gone = [], []
    for _ in range(prover.times.flashes):
        seen.append(_until_light(prover, node, [node.pixel]))
        gone.append(_until_light(prover, node, []))
    flashes = [1000 * one for one in seen if one is not None]
    if not flashes:
        yield f"{name}: no flash was seen: is it soldered to that input, and the right way round?"
        return
    strays = _until_light(prover, node, others) is not None
    prover.light()
    yield f"{name}: {len(flashes)} of {len(seen)} flashes seen, {sum(one is None for one in gone)} not seen to end"
    yield (
        f"from sending a frame to the scan that shows it: {statistics.median(flashes):.1f} ms in the middle, "
        f"{max(flashes):.1f} ms at most"
    )
    yield f"with all other pixels lit it sees {'light: shade it' if strays else 'nothing'}"


def _until_light(prover: Prover, node: NodeWiring, pixels: Sequence[int]) -> float | None:
    """Send a frame; return how long it takes until a node's sensor reads otherwise, s, or None where it does not."""
    step = LEVEL_STEP if prover.description.channel_kind == "level" else 1
    before = prover.parts.sensors.scan()[node.channel]
    began = time.perf_counter()
    prover.light(pixels, WHITE)
    while (now := time.perf_counter() - began) < prover.times.flash_s:
        if abs(prover.parts.sensors.scan()[node.channel] - before) >= step:
            return now
    return None


def _colours(prover: Prover) -> Iterator[str]:
    seen = ask_colours(prover.board, prover.tell, prover.keys if prover.asks else None)
    if not seen:
        yield NOT_ASKED
    for number in sorted({number for number, _ in seen}):
        told = ", ".join(f"{sent} was seen as {seen.get((number, sent), 'nothing')}" for sent in COLOURS)
        yield told if number == 0 else f"strip {number + 1}: {told}"


def _stones(prover: Prover) -> Iterator[str]:
    if not prover.has_hands or not prover.description.lights.has_strips:
        yield NOT_ASKED if prover.description.lights.has_strips else NO_LIGHTS
        return
    description, touch = prover.description, prover.touch
    letter = next(iter(description.supply), "w")
    for name in spread(description, prover.times.nodes):
        node = description.nodes[name]
        prover.light([node.pixel])
        prover.tell(f"Put a stone on {name}, where the light is. (Enter: go on without it)")
        prover.hand(put(letter, prover.step(), name))
        prover.wait(prover.times.wait_s, lambda: bool(touch.answers))
        prover.wait(0.3)
        felt = {channel: touch.away(channel) for channel in range(description.channels)}
        others = sorted((abs(away) for channel, away in felt.items() if channel not in node.channels), reverse=True)
        own = max((felt[channel] for channel in node.channels), key=abs)
        answer = "felt" if set(node.channels) & touch.answers else "NOT felt"
        yield f"{name}: {answer}, {own:+d} from rest; the strongest other sensor {others[0] if others else 0}"
        prover.light([node.pixel], FELT)
        prover.tell("Take it off.")
        prover.hand(take(prover.step(), name))
        prover.wait(prover.times.wait_s, lambda: not touch.answers)
        if touch.answers:
            yield f"{name}: it still shows with nothing there"
    prover.light()


def _settle(prover: Prover) -> Iterator[str]:
    description = prover.description
    usual = description.options.get("settle_us")
    if not isinstance(usual, int):
        yield "this wiring has no settle time"
        return
    prover.tell("Put stones on some ten nodes beside each other, and leave them there.")
    prover.ask("Press Enter when they lie there.")
    prover.parts.close()
    read: dict[int, list[int]] = {}
    try:
        for settle in sorted({5, usual, 4 * usual, 1000}):
            part = prover.reopen(replace(description, options={**description.options, "settle_us": settle}))
            try:
                scans = [part.sensors.scan() for _ in range(20)]
            finally:
                part.close()
            read[settle] = [round(statistics.median(column)) for column in zip(*scans, strict=True)]
    finally:
        prover.parts = prover.reopen(description)
        prover.board = replace(prover.board, parts=prover.parts)
    step, slowest = (LEVEL_STEP if description.channel_kind == "level" else 1), read[1000]
    for settle, readings in read.items():
        differ = sum(abs(one - other) >= step for one, other in zip(readings, slowest, strict=True))
        note = " (the board file's)" if settle == usual else ""
        yield f"{settle} µs{note}: {differ} of {len(readings)} channels read otherwise than with 1000 µs"


def _distance(prover: Prover) -> Iterator[str]:
    if not prover.asks:
        yield NOT_ASKED
        return
    name = spread(prover.description, 1)[0]
    node = prover.description.nodes[name]
    prover.tell(
        f"Lay cards on {name} and a stone on top, one card more each time; the light is green while it is felt. "
        "Type how many mm of card it bears (Enter: not tried)."
    )
    shown = None
    for _ in prover.watch(prover.times.cards_s):
        feels = bool(set(node.channels) & prover.touch.answers)
        if feels != shown:
            shown = feels
            prover.light([node.pixel], FELT if feels else ASKED)
    prover.light()
    yield f"{name}: felt through {prover.typed or 'an unknown number of'} mm of card"


def _sampling(prover: Prover) -> Iterator[str]:
    if not prover.has_hands:
        yield NOT_ASKED
        return
    description = prover.description
    name = spread(description, 1)[0]
    node, letter = description.nodes[name], next(iter(description.supply), "w")
    prover.light([node.pixel])
    prover.tell(f"Put a stone on {name} and take it off, {prover.times.taps} times, as quickly as you can.")
    last, changed = False, list[float]()
    step = LEVEL_STEP if description.channel_kind == "level" else 1
    prover.hand(put(letter, prover.step(), name))
    rest = prover.touch.rest
    enough = 2 * prover.times.taps
    for now, readings in prover.watch(prover.times.taps_s, lambda: len(changed) >= enough):
        lies = any(abs(readings[one] - rest[one]) >= step for one in node.channels)
        if lies != last:
            last = lies
            changed.append(now)
            prover.hand(take(prover.step(), name) if lies else put(letter, prover.step(), name))
    if last:
        prover.hand(take(prover.step(), name))
    prover.light()
    gaps = [1000 * (other - one) for one, other in pairwise(changed)]
    said = PARTS[description.part].period_ms if description.part in PARTS else 0.0
    by_sheet = f"at most {said:g} ms between two measurements" if said else "it measures all the time"
    yield f"{len(changed)} changes; data sheet: {by_sheet}"
    if gaps:
        yield f"shortest time between two changes: {min(gaps):.0f} ms (the part samples at least as often)"


PROOFS = (
    ProofStep("This computer", "`dtparam=i2c_arm_baudrate`", _computer),
    ProofStep("Scans", "a scan's calls and time", _scans),
    ProofStep("At rest", "a converter's reference", _rest),
    ProofStep("Colours", "a WS2812B: 60 mA white", _colours),
    ProofStep("Frames", "pixels' frames and bytes", _frames),
    ProofStep("Frames, looped back", "pixels' frames and bytes", _time_frames),
    ProofStep("Stones", "parts and magnets of the shipped boards", _stones),
    ProofStep("Sampling", "from a stone to its light", _sampling),
    ProofStep("Distance of the magnet", "a disc's field over its middle", _distance),
    ProofStep("Settle times", "order of load, clock and bits", _settle),
)


# -- the file ----------------------------------------------------------------------------------------------------------


def head(board: BoardDescription) -> dict[str, str]:
    """Return what the file says of computer and board: nothing that belongs to a person."""
    libraries = ", ".join(f"{name} {version}" for name, version in pi.gpio_packages().items()) or "none"
    magnet, strips = board.magnet, []
    for one in board.lights.strips if board.lights.has_strips else ():
        pin = f" on {one.pin}" if re.fullmatch(r"D\d+", one.pin) else ""
        strips.append(f"{one.scheme} over {one.over}{pin}, {one.length} pixels, {one.order}")
    disc = f"{magnet.mm:g} x {magnet.height_mm:g} mm, {magnet.grade}, gap {magnet.gap_mm:g} mm" if magnet else ""
    options = ", ".join(f"{key} {value}" for key, value in board.options.items() if PUBLIC.fullmatch(key))
    return {
        "day": datetime.now(UTC).strftime("%Y-%m-%d"),
        "program": importlib.metadata.version("lodestone-board"),
        "computer": pi.model() or f"no Raspberry Pi ({platform.machine()})",
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "gpio": libraries,
        "backend": board.backend,
        "game": board.game,
        "scheme": board.scheme,
        "kind": board.kind,
        "sensors": f"{board.channels} of {board.part or 'no named part'}",
        "magnet": disc or "not named",
        "strips": "; ".join(strips) or "none",
        "options": options or "none",
        "scans a second": str(board.scan_hz),
    }


def private(board: BoardDescription) -> set[str]:
    """Return the words that may not stand in the file: names of computer and account, devices, addresses, codes."""
    found = {platform.node(), getpass.getuser(), str(Path.home()), board.name}
    found |= {
        str(value) for key, value in board.options.items() if isinstance(value, str) and not PUBLIC.fullmatch(key)
    }
    return {*found, *(one.pin for one in board.lights.strips if one.over == NETWORK)} - {"", "/", board.game}


def without(text: str, words: set[str]) -> str:
    """Return a text in which these words are dots."""
    for word in sorted(words, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "…", text)
    return text


def prove(prover: Prover) -> str:
    """Do all proofs and return the file's text. What fails is written down, and the next proof goes on."""
    hidden = private(prover.description)
    lines = [f"{key}: {value}" for key, value in head(prover.description).items()]
    for number, proof in enumerate(PROOFS, 1):
        prover.tell(f"\n{number} of {len(PROOFS)}: {proof.title}")
        lines += ["", f"## {proof.title}", f"Claim: {proof.claim}"]
        try:
            for line in proof.run(prover):
                prover.tell(f"  {line}")
                lines.append(f"- {without(line, hidden)}")
        except HardwareError as error:
            lines.append(f"- failed: {without(str(error), hidden)}")
    return "\n".join(lines) + "\n"


def run(board: Opened, out: Path) -> int:
    """Prove what an opened board can show and write the file; return 0. Raise Refused when it can't be written."""
    check_output(out, f"{next(iter(head(board.description)))}:".encode())
    asks = sys.stdin.isatty() and not board.helped
    reopen: Reopen = open_board
    prover = Prover(board, reopen, QUICK if board.helped else Times(), Keyboard(), asks=asks)
    try:
        text = prove(prover)
    finally:
        if prover.parts is not board.parts:
            prover.parts.close()
    try:
        write_output(out, text)
    except Refused:  # It was possible at the start: a quarter of an hour of work is not lost for it.
        print(f"\n{text}")
        raise
    print(f"{out}: {len(PROOFS)} proofs. Read it, and send it in: docs/proved.md")
    return 0
