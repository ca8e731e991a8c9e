"""Board files that ship with the program: data only."""
