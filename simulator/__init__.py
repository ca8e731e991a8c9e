"""A simulated board that replaces the hardware, exact to the pin and the byte."""
