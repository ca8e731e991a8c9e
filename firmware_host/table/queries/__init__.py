"""Read-only queries of a table's state."""
