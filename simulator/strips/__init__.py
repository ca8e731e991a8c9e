"""The simulated parts of strips, one module each, found by the entry points ``lodestone.simulated_strips``."""
