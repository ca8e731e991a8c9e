"""A board that stands where the hardware stands, exact to the pin and the byte."""
