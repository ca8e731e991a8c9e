"""The simulated parts of one sensor scheme a file, found by the entry points ``lodestone.simulated_sensors``."""
