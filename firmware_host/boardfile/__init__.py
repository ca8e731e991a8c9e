"""Board files: one module for each section, checked when they are read."""
