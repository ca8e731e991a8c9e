"""How large the parts of a board are that are drilled, cut and printed, all in millimetres."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Measures of a board's plate. What the board file's [drawing] leaves out is as here."""

    hole_mm: float = 4.0
    """Diameter of the hole for the sensor under the centre of each node, drilled from below. 0: none."""
    slot_mm: tuple[float, float] | None = None
    """Length and width of the slot that the sensor enters; None: that of its part, else the round hole."""
    window_mm: float = 5.0
    """Diameter of the window over each pixel."""
    window_at: tuple[float, float] | None = None
    """Where the window lies seen from the node's centre, (right, up); None: just below the printed node, where a
    stone on the node does not hide it."""
    edge_mm: float = 30.0
    """From the outermost nodes' centres to the edge of the plate."""
    ring_mm: float = 19.0
    """From a well's centre to the sensors of its ring."""
    magnet_mm: float = 5.0
    """Diameter of the holes for magnets in the underside of a tile."""
    corner_mm: float = 3.2
    """Diameter of the screw holes in the four corners. 0: none."""

    def window(self, node_mm: float) -> tuple[float, float]:
        """Return the window's place, seen from the centre of a node of this diameter."""
        return self.window_at or (0.0, -(node_mm + self.window_mm) / 2 - 1.0)
