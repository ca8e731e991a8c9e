"""The computer player of Phalanx: a flat board, what a search needs of it, and what it says."""
