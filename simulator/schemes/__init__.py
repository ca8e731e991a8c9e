"""The simulated parts of sensor schemes, one module each, found by the entry points ``lodestone.simulated_sensors``."""
