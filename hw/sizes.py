"""Sizes of a board's drilled, cut and printed parts, all in millimetres."""

from __future__ import annotations

from dataclasses import dataclass

PAIR_MM = 5.0
"""Distance of the middles of the two switches under a node that reads poles, side by side: each takes 4 mm."""
REED_ASIDE_MM = 4.0
"""How far beside its node's middle a reed and its slot lie, along the slot: right below a disc it has no field."""


@dataclass(frozen=True)
class Sizes:
    """Measures of a board's plate, with the defaults for a board file's section [drawing]."""

    hole_mm: float = 4.0
    """Diameter of the sensor's hole under the centre of each node, drilled from below; 0 for none."""
    slot_mm: tuple[float, float] | None = None
    """Length and width of the sensor's slot; None for the slot of its part, or the round hole without a part."""
    window_mm: float = 5.0
    """Diameter of the window over each pixel."""
    window_at: tuple[float, float] | None = None
    """Offset of the window from the node's centre, (right, up); None: just below the printed node, where no stone on
    the node hides it."""
    edge_mm: float = 30.0
    """Distance from the outermost nodes' centres to the edge of the plate."""
    ring_mm: float = 19.0
    """Distance from a well's centre to the sensors of its ring."""
    magnet_mm: float = 5.0
    """Diameter of the holes for magnets in the underside of a tile."""
    corner_mm: float = 3.2
    """Diameter of the screw holes in the four corners; 0 for none."""

    def window(self, node_mm: float) -> tuple[float, float]:
        """Return the window's offset (right, up) from the centre of a node of this diameter."""
        return self.window_at or (0.0, -(node_mm + self.window_mm) / 2 - 1.0)
