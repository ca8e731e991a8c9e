"""Maintenance of an installed table: backups, the log, warnings, updates, restart and shutdown."""
