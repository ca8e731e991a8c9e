"""Drivers of real parts behind the two small protocols of :mod:`hw.ports`."""
