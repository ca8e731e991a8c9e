"""Board files: read and checked, with one module per section."""
