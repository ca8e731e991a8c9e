"""Searches in separate processes, which run while the table goes on."""
