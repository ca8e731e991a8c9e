"""The household's book: who has played what, with which results and ratings; how those stand who have met last."""
