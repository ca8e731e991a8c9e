"""``lodestone hardware``: checking, mapping, calibrating, watching and measuring a board, simulated or real."""
