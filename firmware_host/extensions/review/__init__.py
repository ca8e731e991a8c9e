"""The review of a finished game: how the chances went, the turning points, and what was better there."""
