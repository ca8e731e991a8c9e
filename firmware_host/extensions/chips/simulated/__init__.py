"""The chips, register by register, as their datasheets tell: they know nothing of the drivers."""
