"""``lodestone hardware``: check, map, calibrate, watch and measure a board, simulated or real."""
