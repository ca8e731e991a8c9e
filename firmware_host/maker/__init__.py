"""What a maker needs besides the program: drawings at full size, wiring tables, a power budget."""
