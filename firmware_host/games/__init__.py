"""Pure rules of the games: no clock, no I/O, no hardware, no randomness of their own."""
