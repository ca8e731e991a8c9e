"""A Pi's I2C bus as all chips on it want it: how it is switched on, and how long its wires may be."""

from __future__ import annotations

from hw.buses import I2C_HZ

SETUP = (
    f"I2C must be on, at 400 kHz: `dtparam=i2c_arm=on,i2c_arm_baudrate={I2C_HZ}` in `/boot/firmware/config.txt`, "
    "then restart."
)
PULL_UP_OHM = 1800
"""The Pi's own pull-ups on SDA and SCL of its bus 1."""
RISE_S = 300e-9
"""Longest rise of a bus at 400 kHz, from 0.3 to 0.7 of the supply (NXP UM10204): 0.847 R C."""
PIN_PF, WIRE_PF = 10, 100
"""Capacity of a chip's or the Pi's pin at most, and of a metre of wire beside its ground, pF."""


def metres(chips: int) -> float:
    """Return the length of wire that a Pi's bus with these chips bears at 400 kHz, without further pull-ups, m."""
    most_pf = RISE_S / (0.847 * PULL_UP_OHM) * 1e12
    return (most_pf - (chips + 1) * PIN_PF) / WIRE_PF


def length_words(chips: int) -> str:
    """Return how long the bus may be, in Markdown."""
    return (
        f"At 400 kHz the Pi's own pull-ups (1.8 kΩ) bear about {metres(chips):.1f} m of wire, with {chips} of "
        "these on the bus: a longer one wants 100 kHz, or 1.8 kΩ more from SDA and from SCL to 3.3 V."
    )
