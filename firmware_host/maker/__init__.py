"""Documents for building a board: drawings at full size, wiring tables, lists of parts, a power budget."""
