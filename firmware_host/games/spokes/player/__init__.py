"""The computer player: what the ends of a resolution are worth, placements weighed against replies, and levels."""
