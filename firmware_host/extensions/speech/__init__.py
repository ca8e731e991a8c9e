"""The machine speaks what screen readers are told."""
