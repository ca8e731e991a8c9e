"""Far tables: a room in which tables in different homes play one game; and Home Assistant, which sees the table."""
