"""``lodestone arena``: matches of two players, to measure which is stronger, and by how much."""
