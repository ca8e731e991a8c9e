"""How to play: a sheet for each game, of pictures with a sentence or two, for people who have never heard of it."""
