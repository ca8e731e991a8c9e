"""The power of a board as a table: each supply with its load, its limit and what takes it; fuse and wires."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_host.maker.budget import Budget, budget, gives_way, lead_v, rail_mm2
from firmware_host.maker.netlist import circuit_of
from hw.circuit import USB, V5_PI, V5_SCANNER, V33, V33_OWN, V33_SCANNER, Circuit
from hw.ports import BoardDescription
from hw.registry import inputs_of, scheme_of, sensor_kind
from hw.regulator import PART, cooling
from hw.sensor_parts import PARTS

Row = tuple[str, str, str]


def power_text(board: BoardDescription) -> str:
    """Return the budget as a Markdown table."""
    found, circuit = budget(board), circuit_of(board)
    rows = [*(_lights(found) if found.pixels else ()), *(_supply(found) if found.total_ma else ())]
    rows += [*_loads(board, circuit), *_unnamed(board)]
    return "\n".join(["| what | how much | why |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def _lights(found: Budget) -> Iterator[Row]:
    feeds = "its beginning" if found.feeds == 1 else f"{found.feeds} places, evenly spread from its beginning"
    yield "pixels dark", f"{found.idle_ma:.0f} mA", f"{found.pixels} x {found.idle_ma / found.pixels:.3g} mA"
    yield "pixels at the limit", f"{found.lights_ma:.0f} mA", f"max_current_ma = {found.limit_ma:g}, and the above"
    full = f"{found.pixels} x {found.unlimited_ma / found.pixels:.3g} mA"
    yield "all pixels at full, were there no limit", f"{found.unlimited_ma:.0f} mA", full
    yield "wire along the longest strip", f"{found.chain_m:.1f} m", f"{_wire(found)}; feed 5 V in at {feeds}"
    yield "one frame of light", f"{found.frame_ms:.1f} ms", "the longest strip"


def _supply(found: Budget) -> Iterator[Row]:
    """Yield the rows of the board's own 5 V supply."""
    fuse = found.fuse
    yield f"5 V supply for {found.feeds_what}", f"{found.supply_a:g} A or more", "a quarter in reserve"
    if found.pixels:
        yield "should the limit fail", f"{(found.unlimited_ma + found.sensors_ma) / 1000:.1f} A", gives_way(found)
    holds = f"holds {fuse.holds_a:.1f} A for {fuse.holds_for}, opens within {fuse.opens_in} at {fuse.opens_a:.1f} A"
    yield "fuse in its 5 V line", f"{fuse.amperes:g} A ({fuse.kind})", f"against shorts: {holds}"
    loses = f"bears what the fuse holds; a metre loses {found.lead_v:.2f} V, there and back"
    yield "wire from this supply", _wire(found), loses


def _wire(found: Budget) -> str:
    return f"{found.wire_mm2:g} mm² or more"


def _ma(current: float) -> str:
    return f"{current:.0f} mA" if current >= 10 else f"{current:.1g} mA"


def _loads(board: BoardDescription, circuit: Circuit) -> Iterator[Row]:
    """Yield a row for each supply but the pixels': its load, what takes it, and what gives how much at most."""
    supply = scheme_of(board).supply(board.options)
    sources = {
        V33: ("chips and sensors at 3.3 V", "the Pi's 3.3 V pin"),
        V33_SCANNER: ("chips and sensors at 3.3 V", supply.words),
        V5_SCANNER: ("chips and sensors at 5 V", supply.words),
        V33_OWN: ("chips and sensors at 3.3 V", "a regulator of their own"),
        V5_PI: ("from the Pi's 5 V pin", "the Pi's supply"),
        USB: ("microcontroller and what it feeds", "one USB port"),
    }
    for net, (what, source) in sources.items():
        takers = circuit.consumers(net)
        if takers:
            names = ", ".join(f"{one.number} x {one.name}: {_ma(one.ma)}" for one in takers)
            told = f"{names}; from {source}, {circuit.limit_ma(net):g} mA at most"
            yield what, _ma(circuit.load_ma(net)), told
        if net == V33_OWN and takers:
            load = circuit.load_ma(net)
            yield "the sensors' regulator", PART, cooling(load)
            loses = f"a metre loses {lead_v(load / 1000, rail_mm2(load)):.2f} V, there and back"
            yield "wire from the regulator", f"{rail_mm2(load):g} mm² or more", loses


def _unnamed(board: BoardDescription) -> Iterator[Row]:
    """Yield a row with the sensors' largest current where the board file names no part."""
    if not board.part:
        usual, *others = scheme_of(board).sensor_parts(sensor_kind(board))
        most = max(others, key=lambda part: PARTS[part].ma, default=usual)
        if PARTS[most].ma > PARTS[usual].ma:
            inputs, each = inputs_of(board), PARTS[most].ma
            told = f"no `part` in [sensors]: all tables show {usual}; {inputs} x {most} would take {each:g} mA each"
            yield "other sensors", f"up to {_ma(inputs * each)}", told
