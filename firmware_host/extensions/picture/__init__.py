"""A picture of a game's end, made on the phone that shares it."""
