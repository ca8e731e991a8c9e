"""Searches beside the table, in a process of their own."""
