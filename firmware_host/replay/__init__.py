"""A recorded game shown again, moment by moment."""
