"""The virtual board: a simulated board on a page, whose pieces a pointer, fingers and keys move."""
