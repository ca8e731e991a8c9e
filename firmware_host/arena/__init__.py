"""``lodestone arena``: players meet in game after game, until it is known which is stronger, and by how much."""
