"""What can be asked of a table: each module reads its state, none changes it."""
