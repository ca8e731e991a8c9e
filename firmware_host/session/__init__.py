"""One running program: the loop, the lights, computers, the host, the choice of a game."""
